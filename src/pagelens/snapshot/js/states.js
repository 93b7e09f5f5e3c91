// What a line says after the name: states, value and address of one record, each only when it says something.
(lib, walk, verbose) => {
  const { actionable, valued } = lib.vocabulary;
  const { folded, all } = lib.text;
  const { value } = lib.elements;

  const CHECKABLE = new Set(["checkbox", "radio", "switch", "menuitemcheckbox", "menuitemradio"]);
  const SELECTABLE = new Set(["option", "tab", "treeitem", "row", "gridcell"]);
  const FORM_TAGS = new Set(["button", "input", "select", "textarea", "option"]);

  const POPUPS = new Set(["menu", "listbox", "tree", "grid", "dialog"]);

  const quoted = (s) => `"${s.replace(/\\/g, "\\\\").replace(/"/g, '\\"')}"`;

  const states = (record) => {
    const { node, tag, role } = record;
    const parts = [];
    const get = (name) => (record.hasAttributes ? node.getAttribute(name) : null);
    let v;
    if (role === "heading") {
      v = get("aria-level") || (/^h[1-6]$/.test(tag) ? tag[1] : "");
      if (v) parts.push(`level=${parseInt(v, 10) || 2}`);
    }
    if (record.unrendered) parts.push("hidden");
    if (record.clickable) parts.push("clickable");
    if (CHECKABLE.has(role)) {
      if (tag === "input") v = node.indeterminate ? "mixed" : String(node.checked);
      else v = get("aria-checked");
      if (v === "true") parts.push("checked");
      else if (v === "mixed") parts.push("checked=mixed");
    }
    if (SELECTABLE.has(role) && (tag === "option" ? node.selected : get("aria-selected") === "true")) parts.push("selected");
    v = get("aria-pressed");
    if (v === "true") parts.push("pressed");
    else if (v === "mixed") parts.push("pressed=mixed");
    v = get("aria-expanded");
    if (v === "true") parts.push("expanded");
    else if (v === "false") parts.push("collapsed");
    else if (role === "DisclosureTriangle") {
      const details = node.closest("details");
      if (details !== null) parts.push(details.open ? "expanded" : "collapsed");
    }
    if (record.act || record.explicitRole !== "") {
      const disabled = FORM_TAGS.has(tag) ? node.matches(":disabled") : get("aria-disabled") === "true";
      if (disabled) parts.push("disabled");
      if (node.required === true || get("aria-required") === "true") parts.push("required");
      v = get("aria-invalid");
      if (v && v !== "false") parts.push("invalid");
      const isText = (tag === "input" && (role === "textbox" || role === "searchbox" || role === "spinbutton")) || tag === "textarea";
      if (isText && node.readOnly) parts.push("readonly");
      v = get("aria-haspopup");
      if (v === "true") parts.push("haspopup");
      else if (POPUPS.has(v) && role !== "combobox") parts.push(`haspopup=${v}`);
    }
    v = get("aria-current");
    if (v && v !== "false") parts.push("current");
    if (get("aria-busy") === "true") parts.push("busy");
    if (record.element === walk.focused) parts.push("focused");
    if (record.hasAttributes && node.isContentEditable && node.hasAttribute("contenteditable") && tag !== "body") {
      if (role !== "textbox" && role !== "searchbox") parts.push("editable");
      if (record.acts === 0) {
        v = folded(all(record));
        if (v !== "" && v !== record.name) parts.push(`value=${quoted(v)}`);
      }
    } else if (valued.has(role) || (tag === "input" && node.type === "file")) {
      v = folded(value(record));
      if (v !== "") parts.push(`value=${quoted(v)}`);
    }
    if (verbose && record.style !== null) {
      const box = node.getBoundingClientRect();
      parts.push(`box=${Math.round(box.x)},${Math.round(box.y)},${Math.round(box.width)},${Math.round(box.height)}`);
    }
    return parts.join(" ");
  };

  // ---- addresses: relative to the page where that is shorter, cut where the rest says little

  const LONGEST = 60;
  const page = location.href.split("#")[0];
  const folder = page.replace(/\?.*$/, "").replace(/[^/]*$/, "");
  const pageFragment = page + "#";
  const site = location.origin + "/";
  const isHierarchical = /^https?:|^file:/.test(page);
  const address = (href) => {
    if (!href || /^\s*javascript:/i.test(href)) return "";
    if (href.startsWith("data:")) return verbose ? href.slice(0, 200) : "data:";
    if (verbose) return href.replace(/\s+/g, "%20");
    let s = href;
    if (s.startsWith(pageFragment)) s = s.slice(page.length);
    else if (isHierarchical && folder !== site && s.startsWith(folder) && s.length > folder.length) s = s.slice(folder.length);
    else if (isHierarchical && s.startsWith(site)) s = s.slice(site.length - 1);
    else if (s.startsWith("https://")) s = s.slice(6);
    if (s.length > LONGEST) {
      const at = s.search(/[?#]/);
      s = at > 0 && at < LONGEST ? s.slice(0, at + 1) + "\u2026" : s.slice(0, LONGEST) + "\u2026";
    }
    s = s.replace(/\s+/g, "%20"); // an address that can't be parsed comes as it was written
    return /[/.?#:]/.test(s) ? s : "./" + s; // never to be taken for a state
  };
  const url = (record) => {
    const { node, tag, role } = record;
    if (role === "link") {
      if (record.svg) return address(node.href ? node.href.baseVal : "");
      const written = node.getAttribute("href");
      if (written === null) return "";
      return !verbose && written.length > 1 && written.startsWith("#") ? address(page + written) : address(node.href);
    }
    if (tag === "iframe" || tag === "frame") return node.hasAttribute("srcdoc") ? "" : address(node.src);
    if (verbose && tag === "img") return address(node.currentSrc || node.src);
    return "";
  };

  return { states, url };
}
