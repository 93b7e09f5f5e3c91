// Where an element is drawn, for a picture of it: [x, y, width, height] in this frame's viewport, as far as what it
// is scrolled or clipped in lets it be seen, or {problem, why}. What scrolls around it is scrolled to it first, with
// `canStay` all but the document itself, since a picture can be taken of all of that. `within` is such a rectangle
// inside the element (a frame), in the pixels of the frame's viewport.
(lib, element, canStay, within) => {
  if (element.nodeType !== Node.ELEMENT_NODE) element = element.parentElement || element;
  if (!element.isConnected) return { problem: "gone" };
  if (element instanceof HTMLOptionElement || element instanceof HTMLOptGroupElement) {
    element = element.closest("select") || element;
  }
  const why = lib.fn.hidden_why(element);
  if (why) return { problem: "hidden", why };

  const box = () => {
    const rect = element.getBoundingClientRect();
    if (!within) {
      if (rect.width > 0 && rect.height > 0) return rect;
      // Of no size itself (display: contents, floats inside): what is drawn in it.
      const range = document.createRange();
      range.selectNodeContents(element);
      return range.getBoundingClientRect();
    }
    const style = getComputedStyle(element);
    const sx = element.offsetWidth ? rect.width / element.offsetWidth : 1;
    const sy = element.offsetHeight ? rect.height / element.offsetHeight : 1;
    const left = rect.left + (element.clientLeft + parseFloat(style.paddingLeft)) * sx;
    const top = rect.top + (element.clientTop + parseFloat(style.paddingTop)) * sy;
    const [x, y, width, height] = within;
    return new DOMRect(left + x * sx, top + y * sy, width * sx, height * sy);
  };
  const root = document.scrollingElement || document.documentElement;
  const around = lib.fn.flat_parents(element).slice(1);
  const clips = (node) => {
    if (node === root || node === document.documentElement || node === document.body) return false;
    return getComputedStyle(node).overflow !== "visible";
  };
  for (const node of around) {
    if (!clips(node) || !/auto|scroll/.test(getComputedStyle(node).overflow)) continue;
    const target = box();
    const view = node.getBoundingClientRect();
    const by = (from, to, start, end) => (from < start || to > end ? from - start - Math.max(0, (end - start - (to - from)) / 2) : 0);
    node.scrollBy({
      top: by(target.top, target.bottom, view.top + node.clientTop, view.top + node.clientTop + node.clientHeight),
      left: by(target.left, target.right, view.left + node.clientLeft, view.left + node.clientLeft + node.clientWidth),
      behavior: "instant",
    });
  }
  if (!canStay) {
    // Only the viewport of this document is drawn.
    const target = box();
    const isSeen = target.top >= 0 && target.left >= 0 && target.bottom <= innerHeight && target.right <= innerWidth;
    if (!isSeen) {
      window.scrollBy({
        top: target.top - Math.max(0, (innerHeight - target.height) / 2),
        left: target.left - Math.max(0, (innerWidth - target.width) / 2),
        behavior: "instant",
      });
    }
  }
  let { left, top, right, bottom } = box();
  const clip = (l, t, r, b) => {
    left = Math.max(left, l);
    top = Math.max(top, t);
    right = Math.min(right, r);
    bottom = Math.min(bottom, b);
  };
  const isFixed = around.concat(element).some((node) => getComputedStyle(node).position === "fixed");
  for (const node of isFixed ? [] : around) {
    if (!clips(node)) continue;
    const rect = node.getBoundingClientRect();
    clip(rect.left, rect.top, rect.right, rect.bottom);
  }
  if (!canStay || isFixed) clip(0, 0, innerWidth, innerHeight);
  if (right - left < 1 || bottom - top < 1) return { problem: "hidden", why: "nothing of it can be seen: it has no size, or is clipped away" };
  return { box: [left, top, right - left, bottom - top], scroll: [scrollX, scrollY] };
}
