// What a press at (x, y) of this frame's viewport lands on: {named, isFrame}; null when there is nothing. Input counts
// from the corner of what is on the screen.
(lib, x, y) => {
  const view = window.visualViewport;
  let hit = document.elementFromPoint(x + view.offsetLeft, y + view.offsetTop);
  for (let inner; hit && hit.shadowRoot; hit = inner) {
    inner = hit.shadowRoot.elementFromPoint(x + view.offsetLeft, y + view.offsetTop);
    if (!inner || inner === hit) break;
  }
  return hit && { named: lib.fn.named(hit), isFrame: hit.matches("iframe, frame") };
}
