// What the control that `fill` worked on holds now, compared with what it should: {done, value, differs}.
(lib, wanted) => {
  const element = lib.filled && lib.filled.deref();
  if (!element || !element.isConnected) return { done: true, value: "", differs: true, gone: true };
  const type = element.localName === "input" ? element.type : element.localName;
  if (type === "checkbox" || type === "radio") return { done: true, value: String(element.checked), differs: String(element.checked) !== wanted };
  if (/^(checkbox|switch|radio)$/.test(element.getAttribute("role") || "") && type !== "input") {
    const now = element.getAttribute("aria-checked") === "true";
    return { done: true, value: String(now), differs: String(now) !== wanted };
  }
  const isField = type === "textarea" || element.localName === "input";
  const now = isField ? element.value : element.innerText;
  // Line ends, and what an editor does to blanks and empty lines, are no difference.
  const plain = (text) => (isField ? text.replace(/\r\n?/g, "\n") : text.replace(/\u00a0/g, " ").replace(/\s+/g, " ").trim());
  const same = type === "number" && now !== "" && wanted !== "" ? Number(now) === Number(wanted) : plain(now) === plain(wanted);
  return { done: true, value: now, differs: !same };
}
