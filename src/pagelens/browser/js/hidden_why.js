// Why nothing of an element can be seen, in words; "" when it is rendered.
(lib, element) => {
  const style = getComputedStyle(element);
  if (style.display !== "contents" && element.checkVisibility({ visibilityProperty: true })) return "";
  for (const node of lib.fn.flat_parents(element)) {
    const own = node === element;
    const which = own ? "it has" : "its ancestor " + lib.fn.named(node).words.replace(/> .*/s, ">") + " has";
    const display = getComputedStyle(node).display;
    if (display === "none") return which + " display: none";
    if (!own && node instanceof HTMLDetailsElement && !node.open) {
      const summary = node.querySelector(":scope > summary");
      if (!summary || !summary.contains(element)) return "it is inside a closed <details>; click its summary first";
    }
    if (!own && getComputedStyle(node).contentVisibility === "hidden") return which + " content-visibility: hidden";
    if (!own && node.localName === "datalist") return "it is inside a <datalist>";
  }
  if (style.visibility !== "visible") return "it has visibility: " + style.visibility;
  return style.display === "contents" ? "" : "it is not rendered";
}
