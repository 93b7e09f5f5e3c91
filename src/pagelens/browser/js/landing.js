// Where a click at (x, y) of this frame's viewport would land, and whether that does what a click on
// `element` is for: {lands, hit}. `hit` is the innermost element there, through shadow roots; null if none.
(lib, element, x, y) => {
  // From inside a closed shadow root its host can be entered, from outside it can't.
  const known = new Map();
  for (let root = element.getRootNode(); root instanceof ShadowRoot; root = root.host.getRootNode()) {
    known.set(root.host, root);
  }
  let hit = document.elementFromPoint(x, y);
  while (hit) {
    const root = hit.shadowRoot || known.get(hit);
    const inner = root && root.elementFromPoint(x, y);
    if (!inner || inner === hit || inner.getRootNode() !== root) break;
    hit = inner;
  }
  if (!hit) return { lands: false, hit: null };

  const chain = lib.fn.flat_parents(hit, known);
  if (chain.includes(element)) return { lands: true, hit };

  // A label passes the click on to its control, unless something inside takes it first.
  const taker = chain.find((node) => node.matches("label, a[href], button, input, select, textarea"));
  if (taker instanceof HTMLLabelElement && taker.control === element) return { lands: true, hit };
  if (element instanceof HTMLLabelElement && element.control && chain.includes(element.control)) {
    return { lands: true, hit };
  }

  // An icon that lets clicks through to the button it is drawn in.
  if (getComputedStyle(element).pointerEvents === "none") {
    const button = lib.fn
      .flat_parents(element)
      .find((node) => node.matches('a[href], button, label, summary, [onclick], [role="button"], [role="link"]'));
    if (button && button !== element && chain.includes(button)) return { lands: true, hit };
  }
  return { lands: false, hit };
}
