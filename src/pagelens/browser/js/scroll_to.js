// Brings an element into view, whatever scrolls around it: {problem, why}, or the box it has then as far as it is seen,
// [x, y, width, height] in this frame's viewport, and the state of the nearest scroller.
(lib, element) => {
  if (element.nodeType !== Node.ELEMENT_NODE) element = element.parentElement || element;
  if (!element.isConnected) return { problem: "gone" };
  const why = lib.fn.hidden_why(element);
  if (why) return { problem: "hidden", why };
  const view = () => new DOMRect(0, 0, innerWidth, innerHeight);
  const whole = (box) => box.top >= 0 && box.left >= 0 && box.bottom <= view().height && box.right <= view().width;
  const before = element.getBoundingClientRect();
  const fits = before.height <= view().height;
  element.scrollIntoView({ block: fits ? "center" : "start", inline: "nearest", behavior: "instant" });
  const box = element.getBoundingClientRect();
  const root = document.scrollingElement || document.documentElement;
  const scroller =
    lib.fn
      .flat_parents(element)
      .slice(1)
      .find(
        (node) =>
          node !== document.body &&
          node !== root &&
          node.scrollHeight > node.clientHeight &&
          /^(auto|scroll)$/.test(getComputedStyle(node).overflowY)
      ) || root;
  return {
    box: [box.x, box.y, box.width, box.height].map(Math.round),
    isWhole: whole(box),
    ...lib.fn.scroll_state(scroller),
    isPage: scroller === root,
    name: scroller === root ? null : lib.fn.named(scroller),
  };
}
