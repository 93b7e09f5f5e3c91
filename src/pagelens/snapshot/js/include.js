// Decides which records are in the tree at all, which an agent can act on, and counts those; children first.
(lib, walk) => {
  const { controls, tableParts, tables, alwaysIncluded, actionable } = lib.vocabulary;
  const { attribute, hasAnyAria, hasClickAttribute, isFocusable, isEditingHost, tabIndex } = lib.elements;
  const listening = lib.cache.get("listening");
  const isShown = (record) => lib.shown !== undefined && lib.shown.has(record.element); // js/show_nodes.js

  // A label that holds nothing but its own checkbox or radio button.
  const isRedundantLabel = (record) => {
    const control = record.node.control;
    if (!control || control.localName !== "input" || (control.type !== "checkbox" && control.type !== "radio")) return false;
    const controlRecord = walk.recordOf(control);
    if (controlRecord === undefined || !controlRecord.visible) return false;
    if (attribute(control, "aria-label") || attribute(control, "aria-labelledby")) return false;
    const first = record.node.firstElementChild;
    return first === null || (first === control && first.nextElementSibling === null);
  };

  const hasTitleElement = (svgElement) => {
    for (const child of svgElement.children) if (child.localName === "title" || child.localName === "desc") return true;
    return false;
  };

  // Chrome's rules, less those that depend on layout alone: they only yield boxes without a name.
  const isIncluded = (record) => {
    if (record.unrendered) return true;
    if (record.hidden || !record.visible) return false;
    const { node, tag, role } = record;
    if (role === "none" || role === "RubyAnnotation") return false;
    if (record.svg) {
      if (tag === "svg" && !record.parent.svg && node.firstElementChild !== null) return true;
      if (hasTitleElement(node)) return true;
    }
    if (tableParts.has(role) || tag === "thead" || tag === "tfoot") return true;
    if (tag === "html") return false;
    if (tag !== "body" && isFocusable(record)) return true;
    if (role === "link" || role === "heading" || tag === "header" || tag === "footer") return true;
    if (record.clickable || controls.has(role) || record.explicitRole !== "" || alwaysIncluded.has(role)) return true;
    switch (tag) {
      case "legend":
      case "optgroup":
      case "section":
      case "hgroup":
      case "aside":
      case "fieldset":
      case "details":
      case "ruby":
      case "caption":
      case "iframe":
      case "frame":
      case "embed":
      case "br":
      case "canvas":
      case "output":
      case "address":
        return true;
      case "label":
        if (!isRedundantLabel(record)) return true;
    }
    const isImage = role === "image" && !record.svg;
    if (!record.hasAttributes) return isImage;
    if (isImage) {
      const alternative = node.getAttribute("alt");
      return alternative !== "" || hasAnyAria(node) || attribute(node, "title") !== "";
    }
    if (node.hasAttribute("contenteditable") && node.isContentEditable) return true;
    if (tag === "svg") return false;
    return hasAnyAria(node) || attribute(node, "title") !== "";
  };

  // Delegation: one listener on a list, a form or the application's root hears of everything inside it.
  const delegating = new Set("html body main nav header footer section article ul ol table tbody form aside".split(" "));
  const listensForItself = (record) =>
    listening.has(record.element) && !delegating.has(record.tag) && !tables.has(record.role) && record.acts <= 3;

  // Behaves like a control although nothing in its role says so.
  const isClickable = (record) => {
    const { node, tag, role } = record;
    if (actionable.has(role) || tag === "body" || tag === "html" || tag === "label" || tag === "iframe") return false;
    if (record.svg && record.parent.svg && record.parent.tag !== "foreignObject") return false;
    if (record.startsPointer || listensForItself(record)) return true;
    if (!record.hasAttributes) return false;
    if (hasClickAttribute(node)) return !delegating.has(tag) || record.acts <= 3;
    // Reachable with the keyboard and without a role: made to be operated. Code blocks are so only to be scrolled.
    return role === "generic" && tag !== "pre" && isTabbable(node) && !isEditingHost(node);
  };

  const isTabbable = (element) => {
    const index = tabIndex(element);
    return index !== null && index >= 0;
  };

  for (let i = walk.order.length - 1; i >= 0; i--) {
    const record = walk.order[i];
    const { node, tag, role } = record;
    if (record.visible && !record.hidden) record.clickable = isClickable(record);
    record.included = isIncluded(record) || (record.visible && !record.hidden && isShown(record));
    if (record.included) {
      record.act =
        actionable.has(role) ||
        record.clickable ||
        (record.hasAttributes && tag !== "iframe" && tag !== "body" && (isEditingHost(node) || isTabbable(node))) ||
        ((tag === "audio" || tag === "video") && isFocusable(record)) ||
        record.element === walk.focused ||
        isShown(record);
      if (tag === "iframe" || tag === "frame") record.hasImage = true;
    }
    const parent = record.parent;
    parent.acts += record.acts + (record.act ? 1 : 0);
  }
}
