// Turns the records into a tree of lines, children first: what gets a line of its own, and what it says.
//
// A record yields `items`: shown text (strings), ends of blocks (BREAK) and finished lines, for its parent to use.
// Wrappers that mean nothing pass on what is inside them. A line's `entries` are lines and whole texts.
(lib, walk, verbose) => {
  const { namedByContent, areas, areasWhenNamed, surfaces, cells, printed } = lib.vocabulary;
  const { Line } = lib.records;
  const { folded, shown, all, isBlock } = lib.text;
  const { holdsText, isLabelled } = lib.elements;
  const { states, url } = lib.fn.states(walk, verbose);

  const BREAK = Symbol("end of block");
  const NONE = [];
  const SAYS_SOMETHING = /[\p{L}\p{N}\p{S}]/u;

  // What the children yield, in order.
  const gather = (record) => {
    if (record.svg && (record.tag === "title" || record.tag === "desc" || record.tag === "style")) return NONE;
    // A single child's list is passed on as it is, and a single text is a list of one: what grows takes room for many.
    let items = NONE;
    let isOwn = false;
    const add = (more) => {
      if (!isOwn) items = items.slice();
      isOwn = true;
      for (const item of more) items.push(item);
    };
    for (const kid of record.kids) {
      if (kid.kids === null) {
        // Shown although hidden from the accessibility tree: people read it, so it is said, but without uid.
        if (!record.visible) continue;
        if (items.length === 0) items = [shown(kid)];
        else add([shown(kid)]);
      } else if (kid.items.length > 0) {
        if (items.length === 0) items = kid.items;
        else add(kid.items);
      }
    }
    return items;
  };

  // Block-level: its text does not run on into what is around it. Boxes in a line are a word apart.
  const APART = new Set(["inline-flex", "inline-grid", "inline-table"]);
  const passOn = (record, items) => {
    if (items.length > 0 && (APART.has(record.display) || record.tag === "button")) return [" ", ...items, " "];
    if (items.length === 0 || (!isBlock(record.display) && !record.outOfFlow)) return items;
    const first = typeof items[0] === "string";
    const last = typeof items[items.length - 1] === "string";
    if (!first && !last) return items;
    const closed = first ? [BREAK] : [];
    for (const item of items) closed.push(item);
    if (last) closed.push(BREAK);
    return closed;
  };

  // Leaves out what `name` already says: texts, and pictures and headings that add nothing else.
  const without = (items, name) => {
    if (name === "" || items.length === 0) return items;
    let whole = "";
    for (const item of items) whole += typeof item === "string" ? item : " ";
    const saysWhole = says(name, folded(whole));
    return items.filter((item) => {
      if (typeof item === "string") {
        if (saysWhole) return false;
        const s = folded(item);
        return s === "" || !says(name, s);
      }
      if (item === BREAK || (item.role !== "img" && item.role !== "heading")) return true;
      return item.isAct || item.entries.length > 0 || !says(name, item.name);
    });
  };
  // Whole words: "lo" is not said by "Close".
  const says = (name, s) =>
    name === s || name.startsWith(s + " ") || name.endsWith(" " + s) || name.includes(" " + s + " ");

  // Texts joined up to the next block or line; those of punctuation alone say nothing.
  const settle = (items) => {
    if (items.length === 0) return NONE;
    if (items.length === 1 && typeof items[0] === "string") {
      const s = folded(items[0]);
      return s !== "" && SAYS_SOMETHING.test(s) ? [s] : NONE;
    }
    const entries = [];
    let joined = "";
    const flush = () => {
      if (joined === "") return;
      const s = folded(joined);
      joined = "";
      if (s !== "" && SAYS_SOMETHING.test(s)) entries.push(s);
    };
    for (const item of items) {
      if (typeof item === "string") joined += item;
      else {
        flush();
        if (item !== BREAK) entries.push(item);
      }
    }
    flush();
    return entries;
  };

  const { innerWidth, innerHeight } = window;
  const isOffscreen = (element) => {
    const { left, top, right, bottom } = element.getBoundingClientRect();
    return right > left && bottom > top && (right <= 0 || bottom <= 0 || left >= innerWidth || top >= innerHeight);
  };

  const line = (record, name, entries) => {
    const made = new Line(record, printed.get(record.role) || record.role, name, states(record), entries);
    made.url = url(record);
    made.offscreen = (record.role === "heading" || areas.has(record.role)) && isOffscreen(record.node);
    return made;
  };
  const plain = (role, entries) => new Line(null, role, "", "", entries);
  const escapedCell = (s) => s.replace(/[\\|]/g, "\\$&");

  // ---- the kinds

  const selectLine = (record) => {
    const made = line(record, record.name, NONE);
    const options = [];
    const mark = record.role === "listbox";
    const add = (kids) => {
      for (const kid of kids) {
        if (kid.tag === "optgroup") {
          options.push(escapedCell(kid.name) + ":");
          add(kid.kids);
        } else options.push(escapedCell(kid.name) + (mark && kid.node.selected ? " (selected)" : ""));
      }
    };
    add(record.kids);
    if (options.length > 0) {
      const listed = plain("options", NONE);
      listed.bare = options.join(" | ");
      made.entries = [listed];
    }
    return made;
  };

  // A cell becomes a line in any case; its row decides what to make of it.
  const cellLine = (record, items) => {
    const entries = record.acts === 0 && holdsText(record) ? NONE : settle(items);
    // Cells of a grid are acted on only when something is to be done with them one by one.
    const isActed =
      record.act &&
      (record.role !== "gridcell" || record.clickable || (record.hasAttributes && record.node.hasAttribute("tabindex")));
    const name = isActed && isLabelled(record) ? record.name : ""; // of others, what they show is enough
    const made = new Line(record, printed.get(record.role) || record.role, name, states(record), entries);
    made.isCell = true;
    const isText = record.acts === 0 && entries.every((entry) => typeof entry === "string");
    made.isSimple = !isActed && made.states === "" && isText;
    if (!made.isSimple && isText) {
      const said = folded(entries.join(" "));
      if (name === "") made.name = said;
      if (name === "" || name.includes(said)) made.entries = NONE;
    }
    made.hasUid = isActed || (record.act && !made.isSimple) || verbose;
    return made;
  };

  const rowItems = (record, items) => {
    const entries = settle(items);
    if (entries.length === 0) return NONE;
    const isRow = entries.every((entry) => typeof entry !== "string" && entry.isCell);
    if (!isRow && !record.act) return passOn(record, items);
    const said = states(record);
    if (isRow && !record.act && said === "" && !verbose && entries.every((entry) => entry.isSimple)) {
      const texts = entries.map((entry) => entry.entries.join(" "));
      if (texts.every((s) => s === "")) return NONE;
      const made = plain("row", NONE);
      made.bare = texts.map((s) => (s === "" ? '""' : escapedCell(s))).join(" | ");
      return [made];
    }
    const inside = [];
    for (const entry of entries) {
      if (typeof entry === "string" || !entry.isCell) inside.push(entry);
      else if (entry.isSimple) {
        if (entry.entries.length === 0) continue;
        const cell = verbose ? entry : plain(entry.role, NONE);
        if (verbose) {
          cell.name = entry.entries.join(" ");
          cell.entries = NONE;
        } else cell.bare = entry.entries.join(" ");
        inside.push(cell);
      } else if (entry.entries.length === 1 && !entry.hasUid && entry.states === "") inside.push(entry.entries[0]);
      else inside.push(entry);
    }
    if (inside.length === 0 && !record.act) return NONE;
    const made = new Line(record, "row", "", said, inside);
    return [made];
  };

  // A cell outside any row that we print: what it holds, without ceremony.
  const freed = (items) => {
    if (!items.some((item) => item.isCell)) return items;
    const free = [];
    for (const item of items) {
      if (!item.isCell || item.hasUid || item.states !== "") free.push(item);
      else {
        free.push(BREAK);
        for (const entry of item.entries) free.push(entry, BREAK);
      }
    }
    return free;
  };

  const actItems = (record, items) => {
    const { role, tag } = record;
    let name = record.name;
    const isNamedByContent = namedByContent.has(role);
    if (role === "heading" && record.acts > 0 && !isLabelled(record)) {
      // What is in it says it all.
      return [line(record, "", settle(items))];
    }
    if (isNamedByContent && record.acts > 0) return [line(record, name, settle(without(items, name)))];
    if (record.acts === 0 && holdsText(record)) return [line(record, name, NONE)];
    if (tag === "textarea" || tag === "input") return [line(record, name, NONE)];
    if (!isNamedByContent && name === "" && record.acts === 0) {
      const entries = settle(items);
      if (entries.every((entry) => typeof entry === "string")) return [line(record, folded(entries.join(" ")), NONE)];
      return [line(record, "", entries)];
    }
    // The whole text is usually in the name already; roles that stop a name from content hide some of it.
    const kept = without(items, name);
    return [line(record, name, settle(kept))];
  };

  const labelled = (label) => {
    const control = label.node.control;
    const record = control ? walk.recordOf(control) : undefined;
    return record !== undefined && record.included ? record.name : "";
  };

  const itemsOf = (record) => {
    const { role, tag, name } = record;
    if (tag === "br") return [" "];
    if (tag === "option" || tag === "optgroup") return NONE;
    let items = gather(record);
    if (tag === "label") items = without(items, labelled(record));
    if ((tag === "caption" || tag === "legend") && record.acts === 0) {
      // What it says is the name of what it belongs to.
      if (record.parent.included && record.parent.name === folded(all(record))) return NONE;
    }
    const isParagraph = verbose && role === "paragraph" && record.visible && !record.hidden;
    if (record.scrolls !== "" && !record.hidden && !(record.included && (record.act || areas.has(role) || cells.has(role)))) {
      const entries = settle(freed(items));
      if (entries.length > 0) return [line(record, record.name, entries)];
    }
    if (!record.included && !isParagraph) return passOn(record, items);
    if (tag === "select") return [selectLine(record)];
    if (cells.has(role)) return [cellLine(record, items)];
    if (role === "row" || role === "LayoutTableRow") return rowItems(record, items);
    items = freed(items);
    if (tag === "label" && !record.act) return passOn(record, items);
    if (record.act || role === "heading") return actItems(record, items);
    if (role === "image" || role === "SvgRoot") {
      const inside = without(items, name); // an image map has links, a drawing may have text
      if (name === "" && !(verbose && tag === "img")) return passOn(record, items);
      return [line(record, name, settle(inside))];
    }
    if (role === "Iframe") return [line(record, name, NONE)];
    if (role === "separator") return items.length > 0 ? passOn(record, items) : [BREAK];
    if (surfaces.has(role)) return [line(record, name, settle(without(items, name)))];
    if (areas.has(role) || (name !== "" && areasWhenNamed.has(role))) {
      const entries = settle(items);
      return entries.length === 0 && name === "" ? NONE : [line(record, name, entries)];
    }
    if (role === "listitem") {
      const entries = settle(items);
      if (entries.length === 0) return NONE;
      if (verbose) return [line(record, "", entries)];
      // An item of one thing is that thing.
      if (entries.length === 1) return typeof entries[0] === "string" ? [BREAK, entries[0], BREAK] : entries;
      return [plain("item", entries)];
    }
    if (verbose && role !== "generic" && role !== "LineBreak") {
      const entries = settle(items);
      if (entries.length > 0) return [line(record, name, entries)];
    }
    return passOn(record, items);
  };

  let modalItems = NONE;
  for (let i = walk.order.length - 1; i >= 0; i--) {
    const record = walk.order[i];
    record.items = itemsOf(record);
    if (record === walk.modal) {
      modalItems = record.items;
      record.items = NONE;
    }
  }
  const top = settle(freed(gather(walk.root)));
  if (walk.modal === null) return top;
  // A modal dialog comes first; nothing behind it can be used.
  return [...settle(freed(modalItems)), ...(top.length > 0 ? [plain("inert", top)] : [])];
}
