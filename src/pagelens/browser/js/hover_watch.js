// Notes in `lib.hover` where the next move of the mouse in this document lands; `hovered` tells. What the move brings
// up (a tooltip) or away may lie there afterwards.
(lib, element) => {
  lib.hover?.end();
  const controller = new AbortController();
  const hover = { lands: null, coverer: null, end: () => controller.abort() };
  const note = (event) => {
    if (!event.isTrusted) return;
    const { lands, hit } = lib.fn.landing(element, event.clientX, event.clientY);
    hover.lands = lands;
    hover.coverer = lands || !hit ? null : lib.fn.named(hit);
    if (lands) hover.end();
  };
  for (const kind of ["pointerover", "pointermove"]) {
    window.addEventListener(kind, note, { capture: true, signal: controller.signal });
  }
  lib.hover = hover;
}
