// Brings an element into view, whatever lies above it: its middle, as [x, y] in this frame's viewport.
(lib, element) => {
  element.scrollIntoView({ block: "center", inline: "nearest", behavior: "instant" });
  const { left, top, right, bottom } = element.getBoundingClientRect();
  const view = window.visualViewport;
  const middle = (from, to, size) => (Math.max(from, 0) + Math.min(to, size)) / 2;
  return [
    middle(left - view.offsetLeft, right - view.offsetLeft, view.width),
    middle(top - view.offsetTop, bottom - view.offsetTop, view.height),
  ];
}
