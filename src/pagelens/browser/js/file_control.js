// The control that an element stands for: that of a label, as for a person; else itself.
(lib, element) => (element.localName === "label" && element.control ? element.control : element)
