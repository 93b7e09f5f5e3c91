// Brings the point (x, y) of a frame's viewport into view in the document that holds its element: the point there.
(lib, frame, x, y) => {
  const mapped = () => {
    const box = frame.getBoundingClientRect();
    const sx = frame.offsetWidth ? box.width / frame.offsetWidth : 1;
    const sy = frame.offsetHeight ? box.height / frame.offsetHeight : 1;
    return [box.left + (frame.clientLeft + x) * sx, box.top + (frame.clientTop + y) * sy];
  };
  const isInView = ([px, py]) => px >= 0 && py >= 0 && px <= innerWidth && py <= innerHeight;
  if (!isInView(mapped())) frame.scrollIntoView({ block: "nearest", inline: "nearest", behavior: "instant" });
  if (!isInView(mapped())) {
    const [px, py] = mapped();
    window.scrollBy({ left: px - innerWidth / 2, top: py - innerHeight / 2, behavior: "instant" });
  }
  return mapped();
}
