// What a reader sees of this document; "" where its body is not rendered: `innerText` then gives its source text.
//
// Left out are the options of controls that are hidden from the accessibility tree.
(lib) => {
  const { body } = lib.document;
  if (body === null || !body.checkVisibility()) return "";
  if (document.designMode === "on") return body.innerText;
  const hidden = [...document.querySelectorAll("[aria-hidden=true] select, select[aria-hidden=true]")];
  const kept = hidden.map((select) => [select, select.style.display, select.style.getPropertyPriority("display")]);
  for (const select of hidden) select.style.setProperty("display", "none", "important");
  const text = body.innerText;
  for (const [select, display, priority] of kept) select.style.setProperty("display", display, priority);
  return text;
}
