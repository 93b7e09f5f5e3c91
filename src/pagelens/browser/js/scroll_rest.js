// Where the scroller of `scroll_plan` is once it is at rest: Chrome moves it over some frames. Null when nothing scrolls.
async (lib) => {
  const { scrolled } = lib;
  if (!scrolled) return null;
  const { node } = scrolled;
  const now = () => (node ? node.scrollLeft + "," + node.scrollTop : "");
  let last = now();
  const begun = performance.now();
  let moved = begun;
  // A page that scrolls all the time is not waited for; one that does not begin within some frames takes the wheel itself.
  while (!scrolled.ended && performance.now() < begun + 1500) {
    await new Promise((resolve) => {
      requestAnimationFrame(resolve);
      setTimeout(resolve, 60);
    });
    if (now() !== last || !scrolled.turned) moved = performance.now();
    last = now();
    if (performance.now() > moved + (node ? 120 : 0)) break;
  }
  scrolled.end();
  lib.scrolled = null;
  return node ? lib.fn.scroll_state(node) : null;
}
