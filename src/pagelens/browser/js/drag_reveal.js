// Brings an element into view, whatever lies above it: the middle of what is seen of it, as [x, y] in this frame's
// viewport. `block` is where it shall be: "center", or "nearest" to leave it where it is when it is in view.
(lib, element, block) => {
  element.scrollIntoView({ block, inline: "nearest", behavior: "instant" });
  const { left, top, right, bottom } = element.getBoundingClientRect();
  const view = window.visualViewport;
  const middle = (from, to, size) => (Math.max(from, 0) + Math.min(to, size)) / 2;
  return [
    middle(left - view.offsetLeft, right - view.offsetLeft, view.width),
    middle(top - view.offsetTop, bottom - view.offsetTop, view.height),
  ];
}
