// Maps the point (x, y) of a frame's viewport into the viewport of the document that holds its element,
// bringing it into view there, and tells whether a click at that point reaches the frame:
// {x, y, scale} or {problem: "hidden" | "covered", why, coverer}. With `covered`, something may lie above the frame.
// `scale` is how much larger the page was pinched, which only the outermost document knows.
(lib, frame, x, y, covered) => {
  const why = lib.fn.hidden_why(frame);
  if (why) return { problem: "hidden", why: "its frame can't be seen: " + why };
  const mapped = () => {
    const box = frame.getBoundingClientRect();
    const style = getComputedStyle(frame);
    // A transform scales the box and what is in it.
    const sx = frame.offsetWidth ? box.width / frame.offsetWidth : 1;
    const sy = frame.offsetHeight ? box.height / frame.offsetHeight : 1;
    return [
      box.left + (frame.clientLeft + parseFloat(style.paddingLeft) + x) * sx,
      box.top + (frame.clientTop + parseFloat(style.paddingTop) + y) * sy,
    ];
  };
  // What is on the screen: less than the window when the page was pinched larger. Input counts from its corner.
  const view = window.visualViewport;
  const isInside = ([px, py]) =>
    px >= view.offsetLeft && py >= view.offsetTop && px < view.offsetLeft + view.width && py < view.offsetTop + view.height;
  const attempt = () => {
    const point = mapped();
    if (!isInside(point)) return { point, lands: false, hit: null };
    return covered ? { point, lands: true } : { point, ...lib.fn.landing(frame, ...point) };
  };

  let result = attempt();
  if (!result.lands) {
    frame.scrollIntoView({ block: "nearest", inline: "nearest", behavior: "instant" });
    result = attempt();
  }
  if (!result.lands) {
    // A frame taller than the window: bring the point itself to the middle.
    const [px, py] = result.point;
    window.scrollBy({
      left: px - view.offsetLeft - view.width / 2,
      top: py - view.offsetTop - view.height / 2,
      behavior: "instant",
    });
    result = attempt();
  }
  if (result.lands) {
    return { x: result.point[0] - view.offsetLeft, y: result.point[1] - view.offsetTop, scale: view.scale };
  }
  if (!result.hit) return { problem: "hidden", why: "the place in its frame can't be scrolled into view" };
  return { problem: "covered", why: "", coverer: lib.fn.named(result.hit) };
}
