// Where a scroller is: {at, from, to}, each [x, y] in CSS pixels. Scrolling counts down from 0 where content begins at
// the right or at the bottom.
(lib, node) => {
  const style = getComputedStyle(node);
  const room = [node.scrollWidth - node.clientWidth, node.scrollHeight - node.clientHeight].map((n) => Math.max(n, 0));
  const isFlex = style.display.includes("flex");
  const vertical = /^(vertical|sideways)/.test(style.writingMode);
  const reversed = [
    vertical ? style.writingMode !== "vertical-lr" : (style.direction === "rtl") !== (isFlex && style.flexDirection === "row-reverse"),
    vertical ? style.direction === "rtl" : isFlex && style.flexDirection === "column-reverse",
  ];
  const at = [node.scrollLeft, node.scrollTop].map(Math.round);
  return { at, from: room.map((n, i) => (reversed[i] ? -n : 0)), to: room.map((n, i) => (reversed[i] ? 0 : n)) };
}
