// What a combobox or list box shows after its options were chosen, compared with them: {done, value, differs}.
async (lib, labels) => {
  const fold = (text) => text.replace(/\s+/g, " ").trim();
  const control = lib.filled.deref();
  const same = (text, label) => fold(text).toLowerCase() === label.toLowerCase();
  const read = () => {
    if (!control || !control.isConnected) return { done: true, value: "", differs: true, gone: true };
    const chosen = (lib.chosen || []).map((one) => one.deref()).filter(Boolean);
    const isOn = (option) => option.isConnected && (option.ariaSelected === "true" || option.ariaChecked === "true");
    if (typeof control.value === "string" && labels.length === 1 && same(control.value, labels[0])) {
      return { done: true, value: control.value, differs: false };
    }
    let shown = control.value || control.innerText || "";
    // The widget around the control, as far as its list is not in it.
    for (let level = 0, around = control; level < 5 && around && around !== document.body; level += 1) {
      if (chosen.some((option) => around.contains(option))) break;
      const text = fold(around.innerText || "");
      if (labels.every((label) => text.toLowerCase().includes(label.toLowerCase()))) return { done: true, value: labels.join(", "), differs: false };
      shown = shown || text;
      around = around.parentElement;
    }
    if (chosen.length > 0 && chosen.every(isOn)) return { done: true, value: labels.join(", "), differs: false };
    return { done: true, value: fold(shown), differs: true };
  };
  for (let wait = 0; ; wait += 1) {
    const result = read();
    if (!result.differs || wait >= 20) return result;
    await new Promise((resolve) => setTimeout(resolve, 15));
  }
}
