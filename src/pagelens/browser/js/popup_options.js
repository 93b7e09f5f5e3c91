// The options that can be seen of the list that belongs to a combobox, or is a list box itself.
//
// The list is the one that the control names, else one that was not there before. Some libraries hide the list that
// is for screen readers and draw another one around it: then what looks like an item of that is an option.
(lib, control) => {
  const isVisible = (node) => {
    const box = node.getBoundingClientRect();
    return box.width > 1 && box.height > 1 && node.checkVisibility({ visibilityProperty: true });
  };
  // A list for screen readers only has no size of its own.
  const isClipped = (list) => {
    const box = list.getBoundingClientRect();
    return (box.width <= 1 || box.height <= 1) && getComputedStyle(list).overflow !== "visible";
  };
  const OPTIONS = "[role=option],[role=treeitem],[role=menuitemradio],[role=menuitem]";
  const optionsIn = (list) => (list === control || !isClipped(list) ? [...list.querySelectorAll(OPTIONS)].filter(isVisible) : []);
  const text = (node) => node.innerText.replace(/\s+/g, " ").trim();

  if (control.getAttribute("role") === "listbox") return optionsIn(control);
  const root = control.getRootNode();
  const named = new Set();
  for (const holder of [control, control.closest("[role=combobox]")]) {
    for (const name of ["aria-controls", "aria-owns"]) {
      for (const id of ((holder && holder.getAttribute(name)) || "").split(/\s+/)) {
        const list = id && ((root.getElementById && root.getElementById(id)) || document.getElementById(id));
        if (list) named.add(list);
      }
    }
  }
  const active = control.getAttribute("aria-activedescendant");
  const list = active && document.getElementById(active) && document.getElementById(active).closest("[role=listbox]");
  if (list) named.add(list);

  for (const list of named) {
    const options = optionsIn(list);
    if (options.length > 0) return options;
  }
  for (const list of document.querySelectorAll("[role=listbox]")) {
    if (lib.listsBefore.has(list) || named.has(list)) continue;
    const options = optionsIn(list);
    if (options.length > 0) return options;
  }
  for (const list of named) {
    let around = list;
    for (let level = 0; level < 6 && around && !isVisible(around); level += 1) around = around.parentElement;
    if (!around || around === list || around.contains(control) || around === document.body) continue;
    const drawn = [...around.querySelectorAll(OPTIONS + ",[aria-selected],li,[class*=option],[class*=item]")];
    const items = drawn.filter((node) => isVisible(node) && text(node) !== "");
    const all = new Set(items);
    return items.filter((node) => {
      const own = text(node);
      if (items.some((other) => other !== node && node.contains(other) && text(other) !== own)) return false;
      for (let up = node.parentElement; up && up !== around; up = up.parentElement) if (all.has(up) && text(up) === own) return false;
      return true;
    });
  }
  return [];
}
