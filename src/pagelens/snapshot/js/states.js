// What a line says after the name: states, value and address of one record, each only when it says something.
(lib, walk, verbose) => {
  const { actionable, valued } = lib.vocabulary;
  const { folded, all } = lib.text;
  const { value, holdsText } = lib.elements;

  const roles = (words) => new Set(words.trim().split(/\s+/));
  // Which roles have which states (ARIA 1.3 as Chrome applies it); elsewhere the attributes mean nothing.
  const CHECKABLE = roles("checkbox radio switch menuitemcheckbox menuitemradio option treeitem");
  const MIXABLE = roles("checkbox menuitemcheckbox option treeitem");
  const SELECTABLE = roles("option tab treeitem row gridcell columnheader rowheader");
  const EXPANDABLE = roles(`
    application button checkbox columnheader combobox gridcell link menuitem menuitemcheckbox menuitemradio row rowheader
    switch tab treeitem DisclosureTriangle`);
  const REQUIRABLE = roles(`
    checkbox columnheader combobox gridcell listbox radiogroup rowheader searchbox spinbutton switch textbox tree
    treegrid Date DateTime InputTime ColorWell`);
  const WRITABLE = roles(`
    checkbox combobox grid gridcell columnheader rowheader listbox menuitemcheckbox menuitemradio radiogroup searchbox
    slider spinbutton switch textbox treegrid Date DateTime InputTime`);
  const PARTS = roles("cell gridcell columnheader rowheader row LayoutTableCell LayoutTableRow");
  const MULTISELECTABLE = roles("grid listbox tablist tree treegrid");
  const LEVELLED = roles("row treeitem comment");
  // What they are when nothing is said.
  const ORIENTATION = new Map(Object.entries({
    listbox: "vertical", menu: "vertical", menubar: "horizontal", scrollbar: "vertical", separator: "horizontal",
    slider: "horizontal", tablist: "horizontal", toolbar: "horizontal", tree: "vertical", treegrid: "vertical",
    combobox: "", radiogroup: "",
  }));
  const FORM_TAGS = new Set(["button", "input", "select", "textarea", "option"]);
  const POPUPS = new Set(["menu", "listbox", "tree", "grid", "dialog"]);

  const quoted = (s) => `"${s.replace(/\\/g, "\\\\").replace(/"/g, '\\"')}"`;

  const isDisabled = ({ node, tag, act }) =>
    (FORM_TAGS.has(tag) && node.matches(":disabled")) ||
    (walk.hasDisabled &&
      // What can be acted on is disabled with the part that it is in.
      (act ? node.closest('[aria-disabled="true" i]') !== null : node.getAttribute("aria-disabled") === "true"));

  // What is wrong with what it holds; that a text is still to be written is said by "required".
  const isInvalid = ({ node, tag }, stated) => {
    if (stated !== null && stated !== "") return stated !== "false";
    if (tag !== "input" && tag !== "textarea" && tag !== "select") return false;
    if (!node.willValidate || node.validity.valid) return false;
    return tag === "select" || node.type === "checkbox" || node.type === "radio" || !node.validity.valueMissing;
  };

  // A link's title mostly says once more where it leads; what the author wrote as a description is always said.
  const isToBeDescribed = ({ node, role, act }) =>
    verbose || (act && role !== "link") || node.hasAttribute("aria-describedby") || node.hasAttribute("aria-description");
  const LONGEST_DESCRIPTION = 200;
  const shortened = (s) => (s.length > LONGEST_DESCRIPTION && !verbose ? s.slice(0, LONGEST_DESCRIPTION) + "\u2026" : s);

  // Most elements of large tables: nothing was said of them.
  const saysNothing = (record) =>
    !record.hasAttributes && !record.act && !verbose && PARTS.has(record.role) && record.element !== walk.active;

  const states = (record) => {
    const { node, tag, role } = record;
    if (saysNothing(record)) return "";
    const parts = [];
    const get = (name) => (record.hasAttributes ? node.getAttribute(name) : null);
    let v;
    if (role === "heading") {
      v = get("aria-level") || (/^h[1-6]$/.test(tag) ? tag[1] : "2");
      parts.push(`level=${parseInt(v, 10) || 2}`);
    } else if (LEVELLED.has(role) && (v = parseInt(get("aria-level"), 10)) > 0) parts.push(`level=${v}`);
    if (record.unrendered) parts.push("hidden");
    if (record.clickable) parts.push("clickable");
    v = get("aria-roledescription");
    if (v && v.trim() !== "" && role !== "generic") parts.push(`roledescription=${quoted(folded(v))}`);
    if (CHECKABLE.has(role)) {
      if (tag === "input") v = node.indeterminate ? "mixed" : String(node.checked);
      else v = get("aria-checked");
      if (v === "true") parts.push("checked");
      else if (v === "mixed" && MIXABLE.has(role)) parts.push("checked=mixed");
    }
    if (SELECTABLE.has(role) && (tag === "option" ? node.selected : get("aria-selected") === "true")) parts.push("selected");
    if (role === "button" && (v = get("aria-pressed"))) {
      if (v === "true") parts.push("pressed");
      else if (v === "mixed") parts.push("pressed=mixed");
    }
    if (EXPANDABLE.has(role) || record.clickable) {
      v = get("aria-expanded");
      if (v === null && role === "DisclosureTriangle") {
        const details = node.closest("details");
        if (details !== null) v = String(details.open);
      }
      if (v === "true") parts.push("expanded");
      else if (v === "false") parts.push("collapsed");
    }
    if (record.hasAttributes ? isDisabled(record) : walk.hasDisabled && record.act && isDisabled(record)) parts.push("disabled");
    if (record.act || record.explicitRole !== "") {
      if (node.required === true || (REQUIRABLE.has(role) && get("aria-required") === "true")) parts.push("required");
      if (isInvalid(record, get("aria-invalid"))) parts.push("invalid");
      if (WRITABLE.has(role) && (node.readOnly === true || get("aria-readonly") === "true")) parts.push("readonly");
      v = get("aria-haspopup");
      if (v === "true") parts.push("haspopup");
      else if (POPUPS.has(v) && (role !== "combobox" || v !== "listbox")) parts.push(`haspopup=${v}`);
    }
    if (MULTISELECTABLE.has(role) && (tag === "select" ? node.multiple : get("aria-multiselectable") === "true")) {
      parts.push("multiselectable");
    }
    v = get("aria-orientation");
    if ((v === "vertical" || v === "horizontal") && ORIENTATION.has(role) && ORIENTATION.get(role) !== v) {
      parts.push(`orientation=${v}`);
    }
    if (role === "dialog" || role === "alertdialog") {
      if (get("aria-modal") === "true" || (tag === "dialog" && node.matches(":modal"))) parts.push("modal");
    }
    v = get("aria-current");
    if (v && v !== "false") parts.push("current");
    if (get("aria-busy") === "true") parts.push("busy");
    if (record.scrolls !== "") parts.push(`scrollable=${record.scrolls}`);
    if (record.element === walk.focused) parts.push("focused");
    if (record.element === walk.active) parts.push("active");
    if (holdsText(record)) {
      if (role !== "textbox" && role !== "searchbox" && node.isContentEditable) parts.push("editable");
      if (record.acts === 0) {
        v = folded(all(record));
        if (v !== "" && v !== record.name) parts.push(`value=${quoted(v)}`);
      }
    } else if (valued.has(role) || (role === "separator" && record.act) || (tag === "input" && node.type === "file")) {
      v = folded(value(record));
      if (v !== "") parts.push(`value=${quoted(v)}`);
    }
    if (record.hasAttributes && isToBeDescribed(record)) {
      v = walk.describe(record);
      if (v !== "") parts.push(`description=${quoted(shortened(v))}`);
    }
    if (verbose && record.style !== null) {
      const box = node.getBoundingClientRect();
      parts.push(`box=${Math.round(box.x)},${Math.round(box.y)},${Math.round(box.width)},${Math.round(box.height)}`);
    }
    return parts.join(" ");
  };

  // ---- addresses: relative to the page where that is shorter, cut where the rest says little

  const LONGEST = 40;
  const page = location.href.split("#")[0];
  const folder = page.replace(/\?.*$/, "").replace(/[^/]*$/, "");
  const pageFragment = page + "#";
  const site = location.origin + "/";
  const isHierarchical = /^https?:|^file:/.test(page);

  // A part of an address that only says the name once more, as parts made from titles do, gives way to an ellipsis.
  const SHORTEST_SLUG = 8;
  const letters = (s) => (/[^\0-\x7f]/.test(s) ? s.normalize("NFD") : s).toLowerCase().replace(/[^\p{L}\p{N}]+/gu, "");
  const decoded = (s) => {
    if (!s.includes("%")) return s;
    try {
      return decodeURIComponent(s);
    } catch (error) {
      return s; // written in another encoding
    }
  };
  const withoutName = (s, name) => {
    if (name.length < SHORTEST_SLUG || s.length < SHORTEST_SLUG || !/^(?:\w+:)?\/\/|^[^:#]*(?:[/#?]|$)/.test(s)) return s;
    const said = letters(name);
    if (said.length < SHORTEST_SLUG) return s;
    const parts = s.split("/");
    for (let i = /^(?:\w+:)?\/\//.test(s) ? 3 : 0; i < parts.length; i++) {
      if (parts[i].length < SHORTEST_SLUG) continue;
      const slug = letters(decoded(parts[i]));
      if (slug.length >= SHORTEST_SLUG && (said.includes(slug) || slug.includes(said))) parts[i] = "\u2026";
    }
    const kept = parts.join("/");
    return /[a-z0-9]/i.test(kept) ? kept : s; // what says nothing more at all stays as it was
  };

  const address = (href, name) => {
    if (!href || /^\s*javascript:/i.test(href)) return "";
    if (href.startsWith("data:")) return verbose ? href.slice(0, 200) : "data:";
    if (verbose) return href.replace(/\s+/g, "%20");
    let s = href;
    if (s.startsWith(pageFragment)) s = s.slice(page.length);
    else if (isHierarchical && folder !== site && s.startsWith(folder) && s.length > folder.length) s = s.slice(folder.length);
    else if (isHierarchical && s.startsWith(site)) s = s.slice(site.length - 1);
    else if (s.startsWith("https://")) s = s.slice(6);
    s = withoutName(s, name);
    if (s.length > LONGEST) {
      const at = s.search(/[?#]/);
      s = at > 0 && at < LONGEST ? s.slice(0, at + 1) + "\u2026" : s.slice(0, LONGEST) + "\u2026";
    }
    s = s.replace(/\s+/g, "%20"); // an address that can't be parsed comes as it was written
    return /[/.?#:]/.test(s) ? s : "./" + s; // never to be taken for a state
  };
  const url = (record) => {
    const { node, tag, role } = record;
    // A menu item, tab or tree item may be a link all the same.
    if (role === "link" || (tag === "a" && record.act && !/^(#|$)/.test(node.getAttribute("href") || ""))) {
      if (record.svg) return address(node.href ? node.href.baseVal : "", record.name);
      const written = node.getAttribute("href");
      if (written === null) return "";
      return !verbose && written.length > 1 && written.startsWith("#") ? address(page + written, "") : address(node.href, record.name);
    }
    if (tag === "iframe" || tag === "frame") return node.hasAttribute("srcdoc") ? "" : address(node.src, "");
    if (verbose && tag === "img") return address(node.currentSrc || node.src, "");
    return "";
  };

  return { states, url };
}
