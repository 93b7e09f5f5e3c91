// Questions about single elements that several passes ask (lib.elements).
(lib) => {
  const elements = (lib.elements = {});

  const GLOBAL_ATTRIBUTES = [
    "aria-atomic", "aria-busy", "aria-controls", "aria-current", "aria-describedby", "aria-details", "aria-dropeffect",
    "aria-flowto", "aria-grabbed", "aria-keyshortcuts", "aria-label", "aria-labelledby", "aria-live", "aria-owns",
    "aria-relevant", "aria-roledescription",
  ];

  // Elements of one kind are made alike: all of a custom element's, or of a tag and its classes.
  elements.kind = (element) =>
    element.localName.includes("-") ? element.localName : `${element.localName}.${element.getAttribute("class") || ""}`;

  elements.attribute = (element, name) => element.getAttribute(name) || "";

  // The elements whose ids an attribute names; `property` has those that a script has set.
  elements.referredBy = (element, name, property) => {
    if (!element.hasAttributes()) return [];
    let ids = element.getAttribute(name);
    // Set from script (ariaLabelledByElements), the attribute is there but empty.
    if (ids === "" && element[property]) return [...element[property]];
    if (!ids && name === "aria-labelledby") ids = element.getAttribute("aria-labeledby");
    if (!ids) return [];
    const tree = element.getRootNode();
    const root = tree === document ? lib.document : tree;
    if (!root.getElementById) return []; // not in a document
    const found = [];
    for (const id of ids.split(/\s+/)) {
      const other = id === "" ? null : root.getElementById(id);
      if (other !== null) found.push(other);
    }
    return found;
  };
  elements.labelledBy = (element) => elements.referredBy(element, "aria-labelledby", "ariaLabelledByElements");

  // Whether the author wrote a name for it.
  elements.isLabelled = (record) =>
    record.hasAttributes && (record.node.hasAttribute("aria-label") || record.node.hasAttribute("aria-labelledby"));

  // Whether the author named it, with anything but its content.
  elements.isNamedByAuthor = (element) =>
    elements.attribute(element, "aria-label").trim() !== "" ||
    (element.hasAttribute("aria-labelledby") && elements.labelledBy(element).length > 0) ||
    elements.attribute(element, "title").trim() !== "";

  elements.hasGlobalAria = (element) => {
    for (const name of GLOBAL_ATTRIBUTES) if (elements.attribute(element, name) !== "") return true;
    return false;
  };

  elements.hasAnyAria = (element) => {
    for (const name of element.getAttributeNames()) if (name.startsWith("aria-")) return true;
    return false;
  };

  elements.hasClickAttribute = (element) =>
    element.hasAttribute("onclick") || element.hasAttribute("onmousedown") || element.hasAttribute("onmouseup");

  elements.tabIndex = (element) => {
    const value = element.getAttribute("tabindex");
    const number = value === null ? NaN : parseInt(value, 10);
    return Number.isNaN(number) ? null : number;
  };

  elements.isEditingHost = (element) =>
    element.hasAttribute("contenteditable") &&
    element.isContentEditable &&
    !(element.parentElement !== null && element.parentElement.isContentEditable);

  const focusable = (record) => {
    const { node, tag } = record;
    if (!record.visible) return false;
    switch (tag) {
      case "a":
      case "area":
        if (node.hasAttribute("href") || (record.svg && node.hasAttribute("xlink:href"))) return true;
        break;
      case "button":
      case "select":
      case "textarea":
      case "input":
        return !node.matches(":disabled") && node.type !== "hidden";
      case "iframe":
      case "frame":
        return true;
      case "summary": {
        const parent = record.parent;
        if (parent.tag === "details" || (parent.parent !== null && parent.parent.tag === "details")) return true;
        break;
      }
      case "audio":
      case "video":
        if (node.hasAttribute("controls")) return true;
        break;
    }
    if (!record.hasAttributes) return false;
    return elements.isEditingHost(node) || elements.tabIndex(node) !== null;
  };
  // Whether the keyboard or a script can focus it.
  elements.isFocusable = (record) => {
    if (record.focusable === null) record.focusable = focusable(record);
    return record.focusable;
  };

  const RANGES = new Set(["slider", "scrollbar", "progressbar", "meter", "spinbutton", "separator"]);
  // Whether the text in it is its value: editable, or a field that a page has drawn itself.
  elements.holdsText = (record) => {
    const { node, tag, role } = record;
    if (!record.hasAttributes || tag === "input" || tag === "textarea" || tag === "select") return false;
    if (role === "textbox" || role === "searchbox") return true;
    if (role === "combobox") return elements.isFocusable(record);
    return node.isContentEditable && node.hasAttribute("contenteditable") && tag !== "body";
  };

  // What a control holds, as shown to people.
  elements.value = (record) => {
    const { node, tag, role } = record;
    if (tag === "input") {
      if (node.type === "password") return "\u2022".repeat(node.value.length);
      if (node.type === "file") return Array.from(node.files, (file) => file.name).join(", ");
      return node.value;
    }
    if (tag === "textarea") return node.value;
    if (tag === "select") {
      return Array.from(node.selectedOptions, (option) => lib.text.folded(option.label || option.text)).join(", ");
    }
    if (RANGES.has(role)) {
      const stated = node.getAttribute("aria-valuetext") || node.getAttribute("aria-valuenow");
      if (stated) return stated;
    }
    if (elements.holdsText(record)) return lib.text.folded(lib.text.all(record));
    if (tag === "meter" || (tag === "progress" && node.hasAttribute("value"))) return String(node.value);
    return "";
  };
}
