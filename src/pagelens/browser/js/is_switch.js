// Whether an element is a switch made by its page: it says so by role, or is a button that stays pressed.
(lib, element) =>
  element.localName !== "input" &&
  (/^(checkbox|switch|radio|menuitemcheckbox|menuitemradio)$/.test(element.getAttribute("role") || "") ||
    (element.hasAttribute("aria-pressed") && !element.isContentEditable))
