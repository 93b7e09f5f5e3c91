// Notes from now on when the control changes: `file_names` may wait for that.
(lib, control) => {
  lib.changed = new Promise((resolve) => control.addEventListener("change", resolve, { once: true, capture: true }));
}
