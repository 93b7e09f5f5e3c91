// What turning the wheel over `element` scrolls (null: over the page), and where to turn it.
//
// That is the element itself when it scrolls; else the scroller inside that fills most of it; else the nearest one
// around it. For the page it is the document, or the largest scroller when the document does not scroll. Returns
// {x, y} in this frame's viewport ({why} when nothing of it can be reached with the mouse) and what `scroll_state` says;
// `canMove` is false at the end already, null when nothing scrolls that way; `isHarmless`: a wheel moves nothing around it.
(lib, element, dx, dy) => {
  const { flat_parents: parents, scroll_state: stateOf, named } = lib.fn;
  const root = document.scrollingElement || document.documentElement;
  const axes = [dx !== 0, dy !== 0];
  const FIXED = /^(hidden|clip)$/;
  const rootIsFixed = () => {
    const html = getComputedStyle(document.documentElement);
    const shown = html.overflowY === "visible" && document.body ? getComputedStyle(document.body) : html;
    return [FIXED.test(html.overflowX) || FIXED.test(shown.overflowX), FIXED.test(html.overflowY) || FIXED.test(shown.overflowY)];
  };
  const scrolls = (node) => {
    const room = [node.scrollWidth - node.clientWidth > 0, node.scrollHeight - node.clientHeight > 0];
    let allowed;
    if (node === root) allowed = rootIsFixed().map((fixed) => !fixed);
    else {
      const style = getComputedStyle(node);
      allowed = [style.overflowX, style.overflowY].map((value) => /^(auto|scroll)$/.test(value));
    }
    return axes.some((wanted, axis) => wanted && room[axis] && allowed[axis]);
  };
  const view = window.visualViewport;
  const seen = (node) => {
    const box = node === root ? new DOMRect(0, 0, innerWidth, innerHeight) : node.getBoundingClientRect();
    const left = Math.max(box.left, view.offsetLeft);
    const top = Math.max(box.top, view.offsetTop);
    const right = Math.min(box.right, view.offsetLeft + view.width);
    const bottom = Math.min(box.bottom, view.offsetTop + view.height);
    return new DOMRect(left, top, Math.max(right - left, 0), Math.max(bottom - top, 0));
  };
  const area = (node) => seen(node).width * seen(node).height;
  const largest = (inside, least) => {
    let best = null;
    let most = least;
    for (const node of inside.querySelectorAll("*")) {
      if (node === root || node.scrollHeight <= node.clientHeight && node.scrollWidth <= node.clientWidth) continue;
      if (scrolls(node) && node.checkVisibility({ visibilityProperty: true }) && area(node) > most) {
        most = area(node);
        best = node;
      }
    }
    return best;
  };

  let scroller = null;
  if (element === null) scroller = scrolls(root) ? root : largest(document, 0);
  else {
    if (element.nodeType !== Node.ELEMENT_NODE) element = element.parentElement || root;
    if (!element.isConnected) return { problem: "gone" };
    const why = lib.fn.hidden_why(element);
    if (why) return { problem: "hidden", why };
    element.scrollIntoView({ block: "nearest", inline: "nearest", behavior: "instant" });
    const around = parents(element);
    scroller =
      (element !== document.body && scrolls(element) ? element : largest(element, area(element) / 2)) ||
      around.find((node) => node !== root && node !== document.body && scrolls(node)) ||
      (scrolls(root) ? root : null);
  }

  // The first that would scroll at a point; null for none.
  const chainAt = (x, y) => {
    let hit = document.elementFromPoint(x, y);
    for (let inner; hit && hit.shadowRoot && (inner = hit.shadowRoot.elementFromPoint(x, y)) && inner !== hit; ) hit = inner;
    return hit ? parents(hit) : [];
  };
  const firstAt = (chain) => chain.find((node) => node !== root && node !== document.body && scrolls(node)) || (scrolls(root) ? root : null);
  const STEPS = [0.5, 0.25, 0.75, 0.1, 0.9];
  const pointOn = (node, within) => {
    const { left, top, width, height } = seen(node);
    if (width < 1 || height < 1) return null;
    for (const fy of STEPS) {
      for (const fx of STEPS) {
        const [x, y] = [left + fx * width, top + fy * height];
        const chain = chainAt(x, y);
        if (chain.length === 0 || (within && !chain.includes(node)) || chain[0].matches("iframe, frame")) continue;
        if (firstAt(chain) === scroller) return [x, y];
      }
    }
    return null;
  };
  const point = (element && pointOn(element, true)) || (scroller && pointOn(scroller, scroller !== root));
  const about = { ...(scroller ? stateOf(scroller) : {}), canMove: null };
  if (scroller) {
    const { at, from, to } = about;
    about.canMove = [dx, dy].some((delta, axis) =>
      delta > 0 ? at[axis] < to[axis] - 1 : delta < 0 ? at[axis] > from[axis] + 1 : false
    );
  }
  // At its end the wheel would go on to what is around it.
  about.isHarmless =
    element !== null &&
    parents(element).every((node) => {
      if (node === document.body || !scrolls(node)) return true;
      const { at, from, to } = stateOf(node);
      return [dx, dy].every((delta, axis) => (delta > 0 ? at[axis] >= to[axis] - 1 : delta === 0 || at[axis] <= from[axis] + 1));
    });
  about.isPage = scroller === root;
  about.name = scroller && scroller !== root ? named(scroller) : null;
  lib.scrolled?.end();
  lib.scrolled = null;
  if (!point) return { ...about, why: "nothing of it can be reached with the mouse: it is covered or out of view" };
  const controller = new AbortController();
  const watch = { node: scroller, turned: false, ended: false, end: () => controller.abort() };
  const options = { capture: true, passive: true, signal: controller.signal };
  // Chrome keeps a wheel back while an earlier one is still under way.
  window.addEventListener("wheel", () => (watch.turned = true), options);
  document.addEventListener("scrollend", () => (watch.ended = watch.turned), options);
  lib.scrolled = watch;
  return { ...about, x: point[0] - view.offsetLeft, y: point[1] - view.offsetTop };
}
