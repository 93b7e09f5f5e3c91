// Remembers which lists are shown before a control opens one of its own.
(lib) => {
  lib.listsBefore = new WeakSet(document.querySelectorAll("[role=listbox]"));
  lib.choices = [];
}
