// What to click to open the list of the control that `fill` worked on: itself, or what is drawn over it in its widget.
(lib) => {
  const control = lib.filled.deref();
  if (!control || !control.isConnected) return null;
  control.scrollIntoView({ block: "nearest", inline: "nearest" });
  const box = control.getBoundingClientRect();
  const hit = document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2);
  let around = control;
  for (let level = 0; level < 5 && around && around !== document.body; level += 1) {
    if (hit && around.contains(hit)) return around;
    around = around.parentElement;
  }
  return control;
}
