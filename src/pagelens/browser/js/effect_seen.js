// What an action did to the document since `effect_watch`, as far as it matters to who acts next; null when there was no
// watch. `draw` lets the tasks that are due run first, and waits for the next frame. `isLate`: requests of the action
// have come back, so what changed after its input is its doing as well. May be asked again within a moment.
async (lib, draw, isLate) => {
  if (draw) {
    await new Promise((resolve) => setTimeout(resolve, 0));
    await new Promise((resolve) => {
      requestAnimationFrame(() => setTimeout(resolve, 0));
      setTimeout(resolve, 50);
    });
  }
  const watch = lib.effect;
  if (!watch || !watch.touched) return null;
  clearTimeout(watch.resting);
  // As long as requests of the action are waited for, and a little more.
  watch.resting = setTimeout(watch.rest, 700);
  const { named } = lib.fn;
  const NAMED = 6;
  const found = {};
  const focus = watch.deepFocus();
  const { before } = watch;
  // Nothing has moved: the look that there was is the one that there is.
  const isSame = !watch.dirty && focus === watch.focus && watch.hovered() === watch.hover;
  const after = before && (isSame ? before : watch.look());
  const isSurface = (node) => node.matches(watch.SURFACES);
  const keyOf = (node) => node.localName + "|" + (node.getAttribute("aria-label") || node.textContent.slice(0, 80));
  let come = [];
  if (after && !isSame) {
    come = [...after.shown].filter((node) => !before.shown.has(node));
    let gone = [...before.shown].filter((node) => !after.shown.has(node));
    // What was only drawn anew is neither.
    const keys = new Map();
    for (const node of gone) keys.set(keyOf(node), (keys.get(keyOf(node)) || 0) + 1);
    const anew = new Map();
    come = come.filter((node) => {
      const key = keyOf(node);
      const left = keys.get(key) || 0;
      if (left === 0) return true;
      keys.set(key, left - 1);
      anew.set(key, (anew.get(key) || 0) + 1);
      return false;
    });
    gone = gone.filter((node) => {
      const key = keyOf(node);
      const left = anew.get(key) || 0;
      if (left > 0) anew.set(key, left - 1);
      return left === 0;
    });
    // A surface says more than what is in it.
    come.sort((a, b) => isSurface(b) - isSurface(a));
    if (come.length > 0) found.appeared = [come.length, come.slice(0, NAMED).map(named)];
    if (gone.length > 0) found.vanished = [gone.length, gone.slice(0, 3).map((node) => named(node).words)];
    const said = [];
    for (const [node, text] of after.said) {
      if (text && before.said.get(node) !== text && !watch.noise.has(node)) said.push(text);
    }
    if (said.length > 0) found.said = said.slice(0, 3);
    for (const [node, text] of after.said) watch.spoken.set(node, text);
  }
  if (focus !== watch.focus && focus && focus !== watch.acted?.node) found.focus = named(focus);
  if (watch.acted && watch.acted.node.isConnected) {
    const { node, state } = watch.acted;
    const now = watch.stateOf(node);
    const changed = Object.keys(now).filter((name) => now[name] !== state[name]);
    if (changed.length > 0) found.control = [named(node), Object.fromEntries(changed.map((name) => [name, now[name]]))];
  }
  const isTold = (node) =>
    node === watch.acted?.node ||
    come.some((one) => one.contains(node)) ||
    (after && [...after.said.keys()].some((one) => one.contains(node)));
  const changed = [...watch.touched]
    .filter(([node, inInput]) => inInput || isLate || watch.knowsNoise)
    .map(([node]) => node)
    .filter((node) => node.isConnected && node !== document.body && node !== document.documentElement && node.checkVisibility() && !isTold(node));
  if (changed.length > 0) found.changed = [changed.length, changed.slice(0, 2).map(named)];
  return found;
}
