// Remembers which lists are shown before a control opens one of its own.
(lib) => {
  const lists = [...document.querySelectorAll("[role=listbox]")];
  lib.listsBefore = new WeakSet(lists.filter((list) => list.checkVisibility({ visibilityProperty: true })));
  lib.choices = [];
  lib.chosen = [];
}
