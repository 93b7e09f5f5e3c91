// The element that has the focus in this document, through shadow roots; null when none has (or only the body).
(lib) => {
  let element = document.activeElement;
  while (element?.shadowRoot?.activeElement) element = element.shadowRoot.activeElement;
  if (element === document.body && !element.isContentEditable && document.designMode !== "on") return null;
  return element;
}
