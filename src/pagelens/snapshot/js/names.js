// Makes the accessible names (accname 1.2 as Chrome applies it) of the records that are in the tree: of cells and rows,
// whose lines say what they hold anyway, only those that the author gave them, unless `everything` is asked for.
//
// Chrome's limit of about 100 nodes a name is not copied: cells and links would lose words.
(lib, walk, everything) => {
  const { skippedTags, replacedTags, natively, namedByContent, cells, contributing, neverTitled, controls } = lib.vocabulary;
  const { folded, shown, all, isInline, isAtomic, pseudo } = lib.text;
  const { attribute, isEditingHost, labelledBy, referredBy, value } = lib.elements;
  const { labelsOf } = walk;

  // A name nested deeper than this is its plain text: the rules below recurse.
  const DEEPEST = 120;
  // A text from an attribute is set off by spaces, a text from content is not.
  const AUTHOR = 1;
  const CONTENT = 2;
  const NOTHING = ["", CONTENT];

  const isNamedRow = (record) => {
    if (record.role !== "row") return false;
    let table = record.parent;
    while (table !== null && (table.role === "generic" || table.role === "group" || table.role === "rowgroup")) table = table.parent;
    return table !== null && (table.role === "grid" || table.role === "treegrid");
  };

  // ---- spaces between two pieces

  const isAtomicBox = (r) =>
    isAtomic(r.display) || (replacedTags.has(r.tag) && !(r.svg && r.parent !== null && r.parent.svg));
  const isInlineBox = (r) =>
    r.kids === null || (!r.outOfFlow && r.display !== "contents" && (isInline(r.display) || isAtomic(r.display)));
  const needsSpace = (a, b, fromA, fromB) =>
    !isInlineBox(a) ||
    !isInlineBox(b) ||
    isAtomicBox(a) ||
    isAtomicBox(b) ||
    fromA === AUTHOR ||
    fromB === AUTHOR ||
    controls.has(a.role) ||
    controls.has(b.role) ||
    a.holdsBlock ||
    b.holdsBlock;

  // ---- what is not rendered, but referred to

  const unrenderedText = (node) => {
    let s = "";
    const stack = [node];
    while (stack.length > 0) {
      const n = stack.pop();
      if (typeof n === "string") s += n;
      else if (n.nodeType === 3) s += n.data;
      else if (n.nodeType === 1) {
        const label = attribute(n, "aria-label");
        if (label.trim() !== "") s += label;
        else if (n.localName === "img") s += attribute(n, "alt");
        else if (!skippedTags.has(n.localName)) {
          const children = n.childNodes;
          for (let i = children.length - 1; i >= 0; i--) {
            const child = children[i];
            if (child.nodeType === 1 && !/^(span|a|b|i|em|strong)$/.test(child.localName)) stack.push(" ");
            stack.push(child);
          }
        }
      }
    }
    return s;
  };

  const referredText = (element, referring) => {
    const record = walk.recordOf(element);
    if (record === undefined || !record.visible || (record.hidden && !record.parent.hidden)) return unrenderedText(element);
    return alternative(record, new Set([referring]), true, 0)[0];
  };

  const textOfReferences = (record) => {
    const parts = [];
    for (const element of labelledBy(record.node)) {
      let s;
      if (element === record.node) {
        s = attribute(element, "aria-label");
        if (s === "" && record.tag !== "select") s = content(record, new Set([record]), true, 0);
      } else s = referredText(element, record);
      s = folded(s);
      if (s !== "") parts.push(s);
    }
    return parts.join(" ");
  };

  // ---- names that come with the kind of element; null when it has none of its own

  const textOfLabels = (record, seen) => {
    const labels = labelsOf.get(record.node);
    if (labels === undefined) return "";
    const parts = [];
    for (const label of labels) {
      const labelRecord = walk.recordOf(label);
      let s;
      if (labelRecord === undefined) s = unrenderedText(label);
      else s = alternative(labelRecord, new Set([...seen, record]), true, 0)[0];
      parts.push(folded(s));
    }
    return folded(parts.join(" "));
  };
  const textOfPart = (element, record) => {
    const part = walk.recordOf(element);
    return part === undefined ? null : alternative(part, new Set([record]), true, 0)[0];
  };

  const nativeName = (record, seen) => {
    const { node, tag } = record;
    switch (tag) {
      case "option":
        return folded(attribute(node, "label") || node.text);
      case "optgroup":
        return node.label || null;
      case "button":
      case "select":
      case "meter":
      case "progress":
      case "output":
        return textOfLabels(record, seen) || null;
      case "input":
      case "textarea": {
        const labels = textOfLabels(record, seen);
        if (labels !== "") return labels;
        switch (tag === "input" ? node.type : "text") {
          case "button":
            return attribute(node, "value");
          case "submit":
            return node.getAttribute("value") ?? "Submit";
          case "reset":
            return node.getAttribute("value") ?? "Reset";
          case "image":
            return attribute(node, "alt") || attribute(node, "value") || attribute(node, "title") || "Submit";
          case "file":
            return "Choose File";
          case "checkbox":
          case "radio":
          case "range":
          case "color":
            return null;
        }
        return attribute(node, "title") || attribute(node, "placeholder") || attribute(node, "aria-placeholder") || null;
      }
      case "img":
      case "area":
        return node.getAttribute("alt");
      case "table":
        if (node.caption) return textOfPart(node.caption, record) ?? "";
        return node.getAttribute("summary");
      case "fieldset":
        for (const child of node.children) if (child.localName === "legend") return textOfPart(child, record);
        return null;
    }
    if (record.svg) {
      for (const child of node.children) {
        if (child.localName !== "title") continue;
        const s = folded(child.textContent);
        if (s !== "") return s;
      }
    }
    return null;
  };

  // ---- the recursion: what a record gives to the name of something around it, and where from

  const HELD = new Set(["textbox", "searchbox", "combobox", "spinbutton", "slider", "listbox"]);

  const alternative = (record, seen, isReferred, depth) => {
    if (record.kids === null) return [shown(record), CONTENT];
    if (record.tag === "br") return ["\n", CONTENT];
    if (seen.has(record)) return NOTHING;
    if (depth > DEEPEST) return [all(record), CONTENT];
    const { node, role } = record;
    // A control inside a name stands for its value.
    if (HELD.has(role) && !(role === "textbox" && node.isContentEditable)) {
      const held = value(record);
      if (held !== "") return [held, AUTHOR];
    }
    seen.add(record);
    if (!isReferred) {
      const s = textOfReferences(record);
      if (s !== "") return [s, AUTHOR];
    }
    const label = attribute(node, "aria-label");
    if (label.trim() !== "") return [label, AUTHOR];
    const native = nativeName(record, seen);
    if (native) return [native, AUTHOR];
    if (isReferred || namedByContent.has(role) || contributing.has(role) || isNamedRow(record)) {
      const s = content(record, seen, isReferred, depth + 1);
      if (s !== "") return [s, CONTENT];
    }
    const title = attribute(node, "title");
    if (title.trim() !== "" && (isReferred || !neverTitled.has(role))) return [title, AUTHOR];
    return NOTHING;
  };

  const content = (record, seen, isReferred, depth) => {
    if (depth > DEEPEST) return all(record);
    // Of something hidden that is referred to, what is in it counts; of anything else only what is not hidden.
    const hiddenCounts = isReferred && record.hidden;
    let joined = "";
    let previous = null;
    let previousFrom = CONTENT;
    const add = (s, from, piece) => {
      if (s !== "" && previous !== null && joined !== "" && !/\s$/.test(joined) && !/^\s/.test(s)) {
        if (needsSpace(previous, piece, previousFrom, from)) joined += " ";
      }
      joined += s;
      previous = piece;
      if (s !== "") previousFrom = from;
    };
    const addPseudo = (owner, which) => {
      if (!walk.hasPseudoText || !owner.isRendered || owner.svg) return;
      const made = pseudo(owner.node, which);
      if (made === null) return;
      const piece = {
        kids: [], tag: which, display: made.display, outOfFlow: made.outOfFlow,
        svg: false, parent: null, role: "", holdsBlock: false,
      };
      if (made.visible && made.text !== "") add(made.text, made.fromAuthor ? AUTHOR : CONTENT, piece);
      else previous = piece;
    };
    const addKids = (kids, level) => {
      for (const kid of kids) {
        if (kid.kids === null) {
          if (kid.parent.visible && (!kid.parent.hidden || hiddenCounts)) add(shown(kid), CONTENT, kid);
          continue;
        }
        if (kid.hidden && !hiddenCounts) continue;
        if (!kid.visible && kid.tag !== "br") {
          if (kid.kids.length > 0) add(content(kid, seen, isReferred, level + 1), CONTENT, kid);
          continue;
        }
        if (kid.role === "none") {
          add(content(kid, seen, isReferred, level + 1), CONTENT, kid);
          continue;
        }
        // Spans that mean nothing are as if they were not there.
        if (
          kid.tag === "span" && kid.role === "generic" && isInline(kid.display) && !kid.outOfFlow && level < DEEPEST &&
          (!kid.hasAttributes ||
            (!attribute(kid.node, "aria-label") && !attribute(kid.node, "aria-labelledby") && !attribute(kid.node, "title")))
        ) {
          seen.add(kid);
          addPseudo(kid, "::before");
          addKids(kid.kids, level + 1);
          addPseudo(kid, "::after");
          continue;
        }
        const [s, from] = alternative(kid, seen, false, level);
        add(s, from, kid);
      }
    };
    addPseudo(record, "::before");
    addKids(record.kids, depth);
    addPseudo(record, "::after");
    return joined;
  };

  const nameOf = (record) => {
    const { node, role, tag } = record;
    if (!record.hasAttributes && role !== "row" && !namedByContent.has(role) && !natively.has(tag) && !record.svg) return "";
    const seen = new Set();
    const referred = textOfReferences(record);
    if (referred !== "") return referred;
    const label = attribute(node, "aria-label");
    if (label.trim() !== "") return label;
    const native = nativeName(record, seen);
    if (native) return native;
    if ((namedByContent.has(role) && !isEditingHost(node)) || isNamedRow(record)) {
      seen.add(record);
      const s = content(record, seen, false, 0);
      if (folded(s) !== "") return s;
    }
    if (!neverTitled.has(role)) {
      const title = attribute(node, "title");
      const said = folded(title);
      if (said !== "" && said !== folded(content(record, new Set([record]), false, 0)) && said !== folded(all(record))) return title;
    }
    return "";
  };

  walk.describe = (record) => {
    const { node, tag } = record;
    const parts = [];
    for (const element of referredBy(node, "aria-describedby", "ariaDescribedByElements")) {
      const s = folded(referredText(element, record));
      if (s !== "") parts.push(s);
    }
    if (parts.length > 0) return parts.join(" ");
    let s = folded(attribute(node, "aria-description"));
    if (s !== "") return s;
    if (tag === "input" && (node.type === "button" || node.type === "submit" || node.type === "reset")) s = folded(attribute(node, "value"));
    else if (tag === "table" && node.caption) s = folded(textOfPart(node.caption, record) ?? "");
    else if (record.svg) for (const child of node.children) if (child.localName === "desc") s = folded(child.textContent);
    if (s !== "" && s !== record.name) return s;
    s = folded(attribute(node, "title"));
    const known = s.toLowerCase();
    return record.name.toLowerCase().includes(known) || folded(all(record)).toLowerCase() === known ? "" : s;
  };

  const saysItself = (record) =>
    !everything && (cells.has(record.role) || record.role === "row") && !lib.elements.isLabelled(record);
  for (const record of walk.order) {
    if (record.included && record.tag !== "br" && !saysItself(record)) record.name = folded(nameOf(record));
  }
}
