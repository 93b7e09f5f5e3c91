// The point (x, y) of this document's viewport in that of a frame in it, [x, y]; null when the frame is not on top there.
(lib, frame, x, y) => {
  const view = window.visualViewport;
  const [px, py] = [x + view.offsetLeft, y + view.offsetTop];
  let hit = document.elementFromPoint(px, py);
  while (hit && hit !== frame && hit.shadowRoot) {
    const inner = hit.shadowRoot.elementFromPoint(px, py);
    if (!inner || inner === hit) break;
    hit = inner;
  }
  if (hit !== frame) return null;
  const box = frame.getBoundingClientRect();
  const style = getComputedStyle(frame);
  const sx = frame.offsetWidth ? box.width / frame.offsetWidth : 1;
  const sy = frame.offsetHeight ? box.height / frame.offsetHeight : 1;
  return [
    (px - box.left) / sx - frame.clientLeft - parseFloat(style.paddingLeft),
    (py - box.top) / sy - frame.clientTop - parseFloat(style.paddingTop),
  ];
}
