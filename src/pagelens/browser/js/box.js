// Where an element is drawn, in CSS pixels of its frame's viewport: [x, y, width, height]; null when it is not.
(lib, element) => {
  const rect = element.getBoundingClientRect();
  return element.isConnected && (rect.width > 0 || rect.height > 0) ? [rect.x, rect.y, rect.width, rect.height] : null;
}
