// Takes all files from an input, with the events that a person's choice causes.
(lib, control) => {
  if (control.files.length === 0) return;
  control.value = "";
  control.dispatchEvent(new Event("input", { bubbles: true, composed: true }));
  control.dispatchEvent(new Event("change", { bubbles: true }));
}
