// Whether an element is a frame or has frames in it, open shadow roots included.
(lib, element) => {
  const holds = (node) =>
    Boolean(node.querySelector("iframe, frame, object, embed, fencedframe")) ||
    [...node.querySelectorAll("*")].some((inner) => inner.shadowRoot && holds(inner.shadowRoot));
  return element.matches("iframe, frame, object, embed, fencedframe") || holds(element) || Boolean(element.shadowRoot && holds(element.shadowRoot));
}
