// The button that submits a form; null when it has none. Disabled ones don't count.
(lib, form) => {
  for (const element of form.elements) {
    if (element.type === "submit" && !element.disabled) return element;
  }
  return form.querySelector("input[type=image]:not([disabled])");
}
