// Notes in `lib.drop` whether a drop comes to this document from now on; `drag_outcome` tells.
(lib) => {
  lib.drop?.end();
  const controller = new AbortController();
  const drop = { came: false, onCame: () => {}, end: () => controller.abort() };
  const note = () => {
    drop.came = true;
    drop.onCame();
  };
  window.addEventListener("drop", note, { capture: true, signal: controller.signal });
  lib.drop = drop;
}
