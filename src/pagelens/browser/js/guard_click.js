// Watches the next press of a mouse button in this document: if it would not land on `element` (something
// moved or appeared since the point was chosen), it goes no further. The verdict goes to the server
// through the binding `pagelensClick` as JSON: {token, lands, coverer}.
(lib, element, token) => {
  if (lib.disarm) lib.disarm();
  const KINDS = ["pointerdown", "mousedown", "pointerup", "mouseup", "click", "auxclick", "dblclick", "contextmenu"];
  const until = performance.now() + 2000;
  let isBlocked = false;

  const watch = (event) => {
    if (!event.isTrusted) return;
    if (performance.now() > until) {
      lib.disarm();
      return;
    }
    if (!isBlocked) {
      const { lands, hit } = lib.fn.landing(element, event.clientX, event.clientY);
      globalThis.pagelensClick(JSON.stringify({ token, lands, coverer: lands || !hit ? null : lib.fn.named(hit) }));
      if (lands) {
        lib.disarm();
        return;
      }
      isBlocked = true;
    }
    event.stopImmediatePropagation();
    event.preventDefault();
  };

  for (const kind of KINDS) window.addEventListener(kind, watch, { capture: true, passive: false });
  lib.disarm = () => {
    for (const kind of KINDS) window.removeEventListener(kind, watch, { capture: true });
    lib.disarm = null;
  };
}
