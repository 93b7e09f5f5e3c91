// Finds the point to click on an element, as a person would: the element is brought into view, must be
// rendered, have a size, be enabled, be at rest, and the point must belong to it and to nothing above it.
//
// `rest` is how many milliseconds a moving element is waited for; `still` waits two frames even when
// nothing says that the element moves. With a `token` the next press is watched (see guard_click). `disabledToo` takes
// a disabled control as it is (to hover over it, to drop on it). Returns {x, y, via, moving}, in pixels of this frame's
// viewport (via: "element" or "label"), or {problem, why, coverer}: gone, hidden, size, disabled,
// covered, option.
async (lib, element, { rest, still, token, disabledToo }) => {
  const { named, landing, flat_parents: parents, hidden_why: hiddenWhy } = lib.fn;

  if (element.nodeType !== Node.ELEMENT_NODE) element = element.parentElement || element;
  if (!element.isConnected) return { problem: "gone" };

  if (element instanceof HTMLOptionElement || element instanceof HTMLOptGroupElement) {
    const select = element.closest("select");
    if (select && !select.multiple && select.size <= 1) return { problem: "option" };
  }
  const control = element.closest("button, input, select, textarea, option, optgroup");
  if (control && !disabledToo && control.matches(":disabled")) {
    const fieldset = control.closest("fieldset:disabled");
    const why =
      control !== element
        ? "it is inside " + named(control).words + ", which is disabled"
        : fieldset && !control.disabled
          ? "its fieldset is disabled"
          : "";
    return { problem: "disabled", why };
  }

  // -- what can be clicked ----------------------------------------------------------------------------

  const withArea = (rects) => rects.filter((rect) => rect.width > 0 && rect.height > 0);
  const rectsOf = (one) => {
    const own = withArea([...one.getClientRects()]);
    if (own.length > 0) return own;
    // A box of no size, or none at all, whose content is drawn nevertheless.
    const inner = [];
    for (const child of one.querySelectorAll("*")) {
      if (inner.length >= 20) break;
      if (child.checkVisibility({ visibilityProperty: true })) inner.push(...withArea([...child.getClientRects()]));
    }
    if (inner.length === 0) {
      const range = document.createRange();
      range.selectNodeContents(one);
      inner.push(...withArea([...range.getClientRects()]));
    }
    return inner;
  };
  const areaRect = (area) => {
    const image = document.querySelector(`img[usemap="#${CSS.escape(area.closest("map")?.name ?? "")}"]`);
    const numbers = area.coords.split(",").map(Number);
    if (!image || numbers.length < 3 || numbers.some(Number.isNaN)) return [];
    const box = image.getBoundingClientRect();
    const [a, b, c] = numbers;
    const xs = numbers.filter((_, i) => i % 2 === 0);
    const ys = numbers.filter((_, i) => i % 2 === 1);
    const [left, top, right, bottom] =
      area.shape === "circle"
        ? [a - c, b - c, a + c, b + c]
        : [Math.min(...xs), Math.min(...ys), Math.max(...xs), Math.max(...ys)];
    return [new DOMRect(box.left + left, box.top + top, right - left, bottom - top)];
  };

  const isArea = element instanceof HTMLAreaElement;
  const why = isArea ? "" : hiddenWhy(element);
  let via = "element";
  let subject = element;
  const ownRects = () => (isArea ? areaRect(element) : rectsOf(element));
  if (why || ownRects().length === 0) {
    // Styled checkboxes hide the control and show its label: that is what a person clicks.
    const label = [...(element.labels || [])].find((one) => !hiddenWhy(one) && rectsOf(one).length > 0);
    if (!label) return why ? { problem: "hidden", why } : { problem: "size", why: "it has no size" };
    via = "label";
    subject = label;
  }
  const rects = () => (via === "label" ? rectsOf(subject) : ownRects());

  // -- at rest ----------------------------------------------------------------------------------------

  const HARMLESS = /^(opacity|color|background.*|boxShadow|textShadow|outline.*|border.*Color|filter|fill|stroke|offset|computedOffset|easing|composite|visibility)$/;
  // How many milliseconds it will be moved for by animations and transitions.
  const animatedFor = () => {
    const animations = document.getAnimations();
    if (animations.length === 0) return 0;
    const around = new Set(parents(subject));
    const moving = animations.filter(
      (animation) =>
        animation.playState === "running" &&
        animation.effect &&
        around.has(animation.effect.target) &&
        animation.effect.getKeyframes().some((frame) => Object.keys(frame).some((key) => !HARMLESS.test(key)))
    );
    // One that never ends is not waited for: the press is watched.
    const left = moving.map(({ effect, currentTime }) => effect.getComputedTiming().endTime - currentTime);
    return Math.max(0, ...left.filter(Number.isFinite));
  };
  const nextFrame = () =>
    new Promise((resolve) => {
      requestAnimationFrame(resolve);
      setTimeout(resolve, 60);
    });
  const place = () => {
    const rect = subject.getBoundingClientRect();
    return [rect.x, rect.y, rect.width, rect.height].map(Math.round).join();
  };
  let moving = false;
  const animated = animatedFor();
  if (still || animated > 0) {
    const end = performance.now() + (animated < 1000 ? Math.max(rest, animated + 50) : rest);
    let before = place();
    for (;;) {
      await nextFrame();
      const now = place();
      if (now === before) break;
      before = now;
      if (performance.now() > end) {
        moving = true;
        break;
      }
    }
    if (!element.isConnected) return { problem: "gone" };
  }

  // -- a point that belongs to it ---------------------------------------------------------------------

  // What is on the screen: less than the window when the page was pinched larger.
  const view = () => {
    const { offsetLeft, offsetTop, width, height } = window.visualViewport;
    return new DOMRect(offsetLeft, offsetTop, width, height);
  };
  const clipped = (rect) => {
    const seen = view();
    const left = Math.max(rect.left, seen.left);
    const top = Math.max(rect.top, seen.top);
    return new DOMRect(left, top, Math.min(rect.right, seen.right) - left, Math.min(rect.bottom, seen.bottom) - top);
  };
  const centre = (rect) => [rect.left + rect.width / 2, rect.top + rect.height / 2];
  const isInside = (rect, [x, y]) => x >= rect.left && x <= rect.right && y >= rect.top && y <= rect.bottom;
  const points = (all) => {
    const seen = withArea(all.map(clipped)).sort((a, b) => b.width * b.height - a.width * a.height);
    if (seen.length === 0) return [];
    const found = [];
    const whole = centre(clipped(subject.getBoundingClientRect()));
    if (seen.some((rect) => isInside(rect, whole))) found.push(whole);
    for (const rect of seen.slice(0, 3)) found.push(centre(rect));
    const { left, top, width: w, height: h } = seen[0];
    for (const [fx, fy] of [[0.25, 0.5], [0.75, 0.5], [0.5, 0.25], [0.5, 0.75], [0.2, 0.2], [0.8, 0.2], [0.2, 0.8], [0.8, 0.8], [0.05, 0.5], [0.95, 0.5], [0.5, 0.05], [0.5, 0.95], [0.05, 0.05], [0.95, 0.95]]) {
      found.push([left + fx * w, top + fy * h]);
    }
    return found;
  };
  let first = null; // what is in the way at the first point tried
  const search = () => {
    first = null;
    for (const [x, y] of points(rects())) {
      const { lands, hit } = landing(element, x, y);
      // Input counts from the corner of what is on the screen.
      if (lands) return { x: x - view().left, y: y - view().top, via, moving };
      first = first || hit;
    }
    return null;
  };
  const isInView = () => rects().some((rect) => isInside(view(), centre(rect)));

  let found = isInView() ? search() : null;
  for (const block of ["center", "end", "start"]) {
    if (found) break;
    // Scrolling helps against what sticks to an edge, not against what covers everything.
    if (block !== "center" && first && first.getBoundingClientRect().height > view().height * 0.8) break;
    subject.scrollIntoView({ block, inline: "nearest", behavior: "instant" });
    found = search();
  }
  if (found) {
    if (token && globalThis.pagelensClick) lib.fn.guard_click(element, token);
    if (token) lib.effect?.act?.(element);
    return found;
  }

  // -- why not ----------------------------------------------------------------------------------------

  if (first === null) {
    return { problem: "hidden", why: "no part of it can be scrolled into view: it is clipped or lies outside the page" };
  }
  if (via === "element" && getComputedStyle(element).pointerEvents === "none") {
    return { problem: "covered", why: "it has pointer-events: none, so a click goes through it to", coverer: named(first) };
  }
  const inert = element.closest("[inert]");
  if (inert) return { problem: "disabled", why: "it is inert, through " + named(inert).words };
  if (parents(subject).includes(first)) {
    let { left, top, right, bottom } = subject.getBoundingClientRect();
    for (const node of parents(subject).slice(1)) {
      const { overflow, contain } = getComputedStyle(node);
      if (overflow === "visible" && !/paint|strict|content/.test(contain)) continue;
      const box = node.getBoundingClientRect();
      left = Math.max(left, box.left);
      top = Math.max(top, box.top);
      right = Math.min(right, box.right);
      bottom = Math.min(bottom, box.bottom);
      if (right - left < 1 || bottom - top < 1) {
        return { problem: "hidden", why: "it is clipped by its ancestor " + named(node).words.replace(/> .*/s, ">") };
      }
    }
    return { problem: "covered", why: "a click there reaches its ancestor", coverer: named(first) };
  }
  // The whole thing that lies on top says more than the word inside it that was hit.
  const around = new Set(parents(subject));
  let cover = first;
  for (const node of parents(first)) {
    if (around.has(node)) break;
    cover = node;
    if (/^(fixed|absolute|sticky)$/.test(getComputedStyle(node).position) || node.matches("dialog, [popover]")) break;
  }
  return { problem: "covered", why: "", coverer: named(cover) };
}
