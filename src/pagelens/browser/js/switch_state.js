// "true", "false" or "mixed": what a check box, radio button or switch is.
(lib, element) => {
  if (element.localName === "input") return String(element.checked);
  const said = element.getAttribute(element.hasAttribute("aria-checked") ? "aria-checked" : "aria-pressed");
  return said === "true" || said === "mixed" ? said : "false";
}
