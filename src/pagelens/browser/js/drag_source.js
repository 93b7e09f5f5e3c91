// What a press on an element would begin to drag: "native" for what the browser itself drags (draggable elements,
// links, images), else "pointer".
(lib, element) => {
  if (element.nodeType !== Node.ELEMENT_NODE) element = element.parentElement;
  return element.closest("[draggable=true], a[href]:not([draggable=false]), img:not([draggable=false])")
    ? "native"
    : "pointer";
}
