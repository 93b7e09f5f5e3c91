// Gives every record its role, from the role attribute or from its tag and place. Parents come first.
//
// The rules are those of "ARIA in HTML" as Chrome applies them.
(lib, walk) => {
  const { ariaRoles, roleOfTag, roleOfInputType, tables, actionable } = lib.vocabulary;
  const { attribute, isNamedByAuthor, hasGlobalAria, hasClickAttribute, isFocusable } = lib.elements;
  const computed = window.getComputedStyle.bind(window);
  const listening = lib.cache.get("listening");

  // ---- tables

  // Wrappers that mean nothing may stand between a cell, its row and its table.
  const beyondWrappers = (record) => {
    let outer = record.parent;
    while (outer !== null && (outer.role === "generic" || outer.role === "group" || outer.role === "rowgroup")) {
      outer = outer.parent;
    }
    return outer;
  };
  const isTable = (record) => record !== null && tables.has(record.role);
  const isRow = (record) => record !== null && (record.role === "row" || record.role === "LayoutTableRow");

  const rowRole = (record) => {
    const table = beyondWrappers(record);
    if (!isTable(table)) return "generic";
    return table.role === "LayoutTable" ? "LayoutTableRow" : "row";
  };
  const rowGroupRole = (record) => {
    const table = beyondWrappers(record);
    return isTable(table) && table.role !== "LayoutTable" ? "rowgroup" : "generic";
  };
  const cellRole = (record) => {
    const row = beyondWrappers(record);
    if (!isRow(row)) return "generic";
    const table = beyondWrappers(row);
    if (!isTable(table)) return "generic";
    if (row.role === "LayoutTableRow") return "LayoutTableCell";
    if (record.tag === "th") return headerRole(record);
    return table.role === "grid" || table.role === "treegrid" ? "gridcell" : "cell";
  };
  const neighbour = (record, step) => {
    const kids = record.parent.kids;
    let i = kids.indexOf(record) + step;
    while (kids[i] !== undefined && kids[i].kids === null && kids[i].blank) i += step;
    return kids[i];
  };
  // A th without scope is what its neighbours make of it.
  const headerRole = (record) => {
    const scope = attribute(record.node, "scope").toLowerCase();
    if (scope === "row" || scope === "rowgroup") return "rowheader";
    if (scope === "col" || scope === "colgroup") return "columnheader";
    const next = neighbour(record, 1);
    const previous = neighbour(record, -1);
    if (next === undefined && previous === undefined) return "columnheader";
    const isHeader = (r) => r !== undefined && r.tag === "th";
    const isData = (r) => r !== undefined && r.tag === "td" && r.node.firstChild !== null;
    if (isHeader(next) && isHeader(previous)) return "columnheader";
    if (isData(next) || isData(previous)) return "rowheader";
    const row = record.node.parentElement;
    if (row === null || row.localName !== "tr") return "columnheader";
    const cells = row.children;
    const count = cells.length;
    const hasData = (cell) => cell !== undefined && cell.localName === "td" && cell.firstChild !== null;
    return hasData(cells[0]) || hasData(cells[count - 1]) || hasData(cells[1]) || hasData(cells[count - 2])
      ? "rowheader"
      : "columnheader";
  };

  // A table is for data when it says so or looks so: headers, captions, many rows, borders, striped rows.
  const isDataTable = (record) => {
    const table = record.node;
    if (record.display === "contents" || table.hasAttribute("role") || table.isContentEditable) return true;
    if (attribute(table, "summary") || table.tHead || table.tFoot || table.caption || attribute(table, "rules")) return true;
    for (const child of table.children) if (child.localName === "col" || child.localName === "colgroup") return true;
    const rows = table.rows;
    if (rows.length >= 20) return true;
    if (rows.length === 0 || (rows.length === 1 && rows[0].cells.length === 1)) return false;

    const style = record.style;
    const background = style.backgroundColor;
    const spaced = style.borderCollapse !== "collapse" && style.borderSpacing.split(" ").every((s) => parseFloat(s) > 0);
    let cells = 0, bordered = 0, coloured = 0, tops = 0, bottoms = 0, lefts = 0, rights = 0;
    const rowColours = [];
    for (let i = 0; i < rows.length; i++) {
      for (const cell of rows[i].cells) {
        if (cell.localName === "th") return true;
        if (attribute(cell, "headers") || attribute(cell, "abbr") || attribute(cell, "axis") || attribute(cell, "scope")) return true;
        const own = computed(cell);
        const display = own.display;
        if (display !== "table-cell" && display !== "block" && display !== "flex") continue;
        if (cell.offsetWidth < 1 || cell.offsetHeight < 1) continue;
        cells++;
        if (own.emptyCells === "hide") return true;
        const top = parseFloat(own.borderTopWidth) > 0;
        const bottom = parseFloat(own.borderBottomWidth) > 0;
        const left = parseFloat(own.borderLeftWidth) > 0;
        const right = parseFloat(own.borderRightWidth) > 0;
        if ((top && bottom) || (left && right)) bordered++;
        tops += top;
        bottoms += bottom;
        lefts += left;
        rights += right;
        const colour = own.backgroundColor;
        if (spaced && colour !== background && !/, 0\)$/.test(colour)) coloured++;
        if (bordered >= 10 || coloured >= 10) return true;
        if (i < 5 && i === rowColours.length) {
          const row = computed(rows[i]);
          if (row.display === "table-row") rowColours.push(row.backgroundColor);
        }
      }
    }
    if (cells <= 1) return false;
    const half = cells >> 1;
    if (bordered >= half || tops >= half || bottoms >= half || lefts >= half || rights >= half || coloured >= half) return true;
    // Striped: the odd rows all unlike the first, the even ones like it.
    return rowColours.length > 2 && rowColours.every((colour, i) => (i % 2 === 0) === (colour === rowColours[0]));
  };

  // ---- roles that the markup implies

  const DRAWN_CONTENT = ":is(text, a, [role], foreignObject):not(symbol *, defs *)";
  const svgRole = (record) => {
    const { node, tag } = record;
    switch (tag) {
      case "svg": {
        if (record.parent.svg) return "group";
        if (node.querySelector(DRAWN_CONTENT) !== null) return "SvgRoot";
        const first = node.firstElementChild;
        if (first === null || first.localName === "title") return "image";
        return node.querySelector("title:not(symbol *, defs *), desc:not(symbol *, defs *)") === null ? "image" : "SvgRoot";
      }
      case "a":
        return node.hasAttribute("href") || node.hasAttribute("xlink:href") ? "link" : "group";
      case "g":
        return "group";
      case "image":
        return "image";
      case "use":
        return "graphics-object";
      case "path":
      case "rect":
      case "circle":
      case "ellipse":
      case "line":
      case "polygon":
      case "polyline":
        return "graphics-symbol";
    }
    return "generic";
  };

  const roleOfDisplay = (record) => {
    switch (record.display) {
      case "list-item":
        return "listitem";
      case "table":
      case "inline-table":
        return "LayoutTable";
      case "table-row":
        return rowRole(record);
      case "table-cell":
        return cellRole(record);
      case "table-row-group":
      case "table-header-group":
      case "table-footer-group":
        return rowGroupRole(record);
    }
    if (!record.hasAttributes) return "generic";
    const node = record.node;
    return node.hasAttribute("popover") || node.hasAttribute("autofocus") || node.hasAttribute("draggable")
      ? "group"
      : "generic";
  };

  const impliedRole = (record) => {
    if (record.svg) return svgRole(record);
    const { node, tag, parent } = record;
    switch (tag) {
      case "div":
      case "span":
        return roleOfDisplay(record);
      case "a":
        return node.hasAttribute("href") || hasClickAttribute(node) || listening.has(record.element) ? "link" : "generic";
      case "input": {
        const type = node.type;
        if (node.list && type !== "color") return "combobox";
        return roleOfInputType.get(type) || "textbox";
      }
      case "select":
        return node.multiple || node.size > 1 ? "listbox" : "combobox";
      case "summary":
        return parent.tag === "details" || (parent.tag === "slot" && parent.parent.tag === "details")
          ? "DisclosureTriangle"
          : "generic";
      case "table":
        return isDataTable(record) ? "table" : "LayoutTable";
      case "tr":
        return rowRole(record);
      case "td":
      case "th":
        return cellRole(record);
      case "thead":
      case "tbody":
      case "tfoot":
        return rowGroupRole(record);
      case "li":
        // In a list that was given another role, an item is none.
        if (parent.tag === "ul" || parent.tag === "ol" || parent.tag === "menu") {
          const role = attribute(parent.node, "role");
          if (role !== "" && role !== "list" && role !== "directory") return "none";
        }
        return "listitem";
      case "header":
        return record.inSection ? "sectionheader" : "banner";
      case "footer":
        return record.inSection ? "sectionfooter" : "contentinfo";
      case "aside":
        return record.inSectionForAside && !isNamedByAuthor(node) ? "generic" : "complementary";
      case "section":
        return isNamedByAuthor(node) ? "region" : "generic";
    }
    return roleOfTag.get(tag) || roleOfDisplay(record);
  };

  // The first token of the role attribute that is a role and may be one here.
  const explicitRole = (record) => {
    if (!record.hasAttributes) return "";
    const value = record.node.getAttribute("role");
    if (!value) return "";
    for (const token of value.trim().toLowerCase().split(/\s+/)) {
      if (!ariaRoles.has(token)) continue;
      if (token === "none" || token === "presentation") {
        if (isFocusable(record) || hasGlobalAria(record.node)) continue;
        return "none";
      }
      if ((token === "form" || token === "region") && !isNamedByAuthor(record.node)) continue;
      if (token === "img") return "image";
      if (token === "directory") return "list";
      return token;
    }
    return "";
  };

  // ---- the pass

  for (const record of walk.order) {
    const parent = record.parent;
    record.inSection = parent.sectionBelow === true;
    record.inSectionForAside = parent.sectionForAsideBelow === true;
    const explicit = (record.explicitRole = explicitRole(record));
    const role = (record.role = explicit || impliedRole(record));
    const isSection =
      role === "article" || role === "complementary" || role === "navigation" || role === "region" ||
      (record.tag === "section" && explicit === "");
    record.sectionBelow = record.inSection || isSection || role === "main";
    record.sectionForAsideBelow = record.inSectionForAside || isSection;

    // Where the mouse cursor turns into a hand: the property is inherited, so only the first counts.
    record.underPointer = parent.underPointer || parent.startsPointer;
    if (!record.underPointer) {
      if (actionable.has(role) || record.tag === "label") record.startsPointer = true;
      else if (walk.hasPointer && record.isRendered) record.startsPointer = record.style.cursor === "pointer";
    }
  }
}
