// Whether an element is drawn where a person could see it: rendered, not invisible, not transparent.
(lib, element) => {
  while (element && getComputedStyle(element).display === "contents") {
    element = element.parentElement || element.getRootNode().host;
  }
  return Boolean(element) && element.checkVisibility({ visibilityProperty: true, opacityProperty: true });
}
