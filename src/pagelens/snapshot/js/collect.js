// Reads the rendered flat tree (shadow roots and slots followed) into records: one pass, no recursion.
//
// Only what nearly every element needs is read here: `display` and `visibility`. Everything else waits until
// somebody asks, because each further style property costs as much as the rest of the visit.
(lib) => {
  const { skippedTags, svgDefinitions, leafTags, hostTags } = lib.vocabulary;
  const { isBlank, isInline, isAtomic } = lib.text;
  const { ElementRecord, TextRecord, Walk } = lib.records;
  const computed = window.getComputedStyle.bind(window);

  const walk = new Walk(new ElementRecord(lib.document, "#document", null, "block", true, null));

  const closedRoots = lib.cache.get("closedRoots");
  const examined = lib.cache.get("examined");
  const plainKinds = lib.cache.get("plainKinds");
  const { kind, referredBy } = lib.elements;
  const roots = [];

  const nextOf = Object.getOwnPropertyDescriptor(Node.prototype, "nextSibling").get;
  const parentOf = Object.getOwnPropertyDescriptor(Node.prototype, "parentNode").get;
  const isForm = (node) => node instanceof HTMLFormElement;

  // One look at all labels: asking each control for its labels takes time squared.
  const openRoot = (root) => {
    roots.push(root);
    for (const label of root.querySelectorAll("label")) {
      const control = label.control;
      if (!control) continue;
      const labels = walk.labelsOf.get(control);
      if (labels === undefined) walk.labelsOf.set(control, [label]);
      else labels.push(label);
    }
    const facts = lib.text.styleFacts(root);
    walk.hasPseudoText ||= facts.pseudo;
    walk.hasPointer ||= facts.pointer;
    walk.hasTransform ||= facts.transform;
    walk.hasScrolling ||= facts.scrolls;
    walk.hasDisabled ||= root.querySelector('[aria-disabled="true" i]') !== null;
  };

  const addText = (raw, parent) => {
    if (raw === "") return;
    const blank = isBlank(raw);
    if (blank) {
      // White space shows only after something inline.
      const kids = parent.kids;
      if (kids.length === 0) {
        if (!isInline(parent.display)) return;
      } else {
        const last = kids[kids.length - 1];
        if (last.tag === "br" || (last.kids !== null && !isInline(last.display) && !isAtomic(last.display))) return;
      }
    }
    parent.take(new TextRecord(parent, blank ? " " : raw, blank));
  };

  // Not rendered one by one, so they have no style of their own.
  const addOption = (option, parent) => {
    const record = walk.add(new ElementRecord(option, option.localName, parent, "block", parent.visible, null));
    record.hidden = parent.hidden;
    return record;
  };
  const addOptions = (select, record) => {
    for (const child of select.children) {
      if (child.localName === "option") addOption(child, record);
      else if (child.localName === "optgroup") {
        const group = addOption(child, record);
        for (const option of child.children) if (option.localName === "option") addOption(option, group);
      } else {
        for (const option of child.querySelectorAll("option")) addOption(option, record);
      }
    }
  };
  const addImageMap = (image, record) => {
    const name = image.getAttribute("usemap").slice(1);
    const map = lib.document.querySelector(`map[name="${CSS.escape(name)}"]`);
    if (map === null || image.naturalWidth === 0) return; // without its picture there is nothing to click on
    for (const area of map.querySelectorAll("area[href]")) {
      const child = walk.add(new ElementRecord(area, "area", record, "inline", record.visible, null));
      child.hidden = record.hidden;
    }
  };

  // Boxes that may scroll. Whether there is anything to scroll to is looked at in the end.
  const NO_BOXES = new Set(["html", "body", "textarea", "select"]); // the page itself, and fields that say all they hold
  const SCROLLING = new Set(["block", "flex", "grid", "inline-block", "list-item", "flow-root"]);
  const mayScroll = [];
  const SMALLEST = 24; // pixels; and so much must be out of sight
  const scrolls = ({ node, style }) => {
    const ways = [];
    const add = (how, size, whole, at, before, after) => {
      if ((how !== "auto" && how !== "scroll") || size < SMALLEST || whole - size < SMALLEST) return;
      if (Math.abs(at) > 1) ways.push(before);
      if (Math.abs(at) < whole - size - 1) ways.push(after);
    };
    add(style.overflowY, node.clientHeight, node.scrollHeight, node.scrollTop, "up", "down");
    add(style.overflowX, node.clientWidth, node.scrollWidth, node.scrollLeft, "left", "right");
    return ways.join(",");
  };

  // What is in an object is shown when the object itself can't be.
  const showsFallback = (object) => {
    const range = lib.document.createRange();
    range.selectNodeContents(object);
    return range.getClientRects().length > 0;
  };

  // The record of an element whose children are to be visited next; null when there is nothing more to visit.
  const visit = (element, tag, parent) => {
    if (parent.svg ? svgDefinitions.has(tag) : skippedTags.has(tag)) return null;
    const style = computed(element);
    const display = style.display;
    if (display === "none") return null;
    if (display === "") {
      // Not in the flat tree although its parent is: the parent has a closed shadow root.
      if (!examined.has(parent.node) && walk.candidates.at(-1) !== parent.node) {
        plainKinds.delete(kind(parent.node));
        walk.candidates.push(parent.node);
      }
      return null;
    }
    const record = new ElementRecord(element, tag, parent, display, style.visibility === "visible", style);
    if (!walk.hasTransform) record.transform = "none";
    if (walk.hasTransform || walk.hasPointer) record.keptStyle = style;
    const node = record.node;
    const hasAttributes = (record.hasAttributes = node.hasAttributes());
    record.svg = tag === "svg" || (parent.svg && parent.tag !== "foreignObject");
    record.hidden =
      parent.hidden ||
      (hasAttributes && (node.getAttribute("aria-hidden") === "true" || node.hasAttribute("inert")));
    if (tag === "dialog" && element.matches(":modal")) {
      record.hidden = false; // the top layer is out of reach of what is around it
      if (walk.modal === null || !walk.modal.node.contains(lib.document.activeElement)) walk.modal = record;
    }
    if (display === "block" && (parent.display === "inline" || parent.display === "contents")) {
      const position = style.position;
      record.outOfFlow = position === "absolute" || position === "fixed" || style.cssFloat !== "none";
    }
    if (walk.hasScrolling && SCROLLING.has(display) && !NO_BOXES.has(tag) && record.visible) {
      const overflow = style.overflowY;
      if (overflow !== "visible" && overflow !== "clip") mayScroll.push(record);
    }
    walk.add(record);
    if (leafTags.has(tag) && (tag !== "object" || !showsFallback(element))) {
      if (tag === "img" && hasAttributes && element.hasAttribute("usemap")) addImageMap(element, record);
      return null;
    }
    if (tag === "select") {
      addOptions(element, record);
      return null;
    }
    if (display !== "inline" && node.firstElementChild !== null && style.contentVisibility === "hidden") return null;
    return record;
  };

  // Where to go below a record: [first node, list]. A list is walked by index, else siblings are followed.
  const below = (record) => {
    const element = record.node;
    const root = element.shadowRoot || closedRoots.get(element);
    if (root) {
      openRoot(root);
      return [root.firstChild, null];
    }
    const tag = record.tag;
    if (tag === "slot") {
      const assigned = element.assignedNodes();
      if (assigned.length > 0) return [assigned[0], assigned];
    } else if (tag === "details" && !element.open) {
      for (const child of element.children) if (child.localName === "summary") return [child, [child]];
      return [null, null];
    }
    const first = element.firstChild;
    const isCustom = tag.includes("-");
    if ((isCustom || (first === null && hostTags.has(tag))) && !examined.has(element)) {
      // Closed roots are invisible from here; the server asks Chrome about those that may have one: custom
      // elements, and others that have a size although there is nothing in them.
      if (!plainKinds.has(kind(element)) && (isCustom || (element.offsetWidth > 0 && element.offsetHeight > 0))) {
        walk.candidates.push(element);
      }
    }
    return [first, null];
  };

  // Most elements hold a text and nothing else: reading it without touching its node saves Chrome an object for each,
  // which costs more than all else that is done with it.
  const addOnlyText = (record) => {
    const { node, tag } = record;
    if (node.firstElementChild !== null || tag === "slot" || tag === "details" || tag.includes("-")) return false;
    if (node.shadowRoot !== null || closedRoots.has(node)) return false;
    const raw = node.textContent;
    addText(raw, record);
    return raw !== "";
  };

  // aria-owns: elements that belong elsewhere than where they are in the document.
  const adopt = () => {
    const adopted = new Set();
    for (const root of roots) {
      for (const element of root.querySelectorAll("[aria-owns]")) {
        const owner = walk.recordOf(element);
        if (owner === undefined || leafTags.has(owner.tag) || owner.tag === "select") continue;
        for (const other of referredBy(element, "aria-owns", "ariaOwnsElements")) {
          const record = walk.recordOf(other);
          if (record === undefined || adopted.has(record) || isIn(owner, record)) continue;
          adopted.add(record);
          record.parent.kids.splice(record.parent.kids.indexOf(record), 1);
          record.parent = owner;
          record.outOfFlow = true; // it stands apart from the text of its owner
          owner.take(record);
        }
      }
    }
    if (adopted.size > 0) walk.reorder();
  };
  const isIn = (record, outer) => {
    for (let at = record; at !== null; at = at.parent) if (at === outer) return true;
    return false;
  };

  openRoot(lib.document);
  let parent = walk.root;
  let list = [lib.document.documentElement];
  let index = 0;
  let node = list[0];
  const levels = [];
  for (;;) {
    if (node === null) {
      if (levels.length === 0) break;
      ({ parent, node, list, index } = levels.pop());
      continue;
    }
    const current = node;
    const type = current.nodeType;
    let tag = type === 1 ? current.localName : "";
    if (tag === "form" || (type !== 1 && type !== 3 && isForm(current)) || typeof tag !== "string") {
      // Its fields may have taken the place of any of its properties.
      tag = "form";
      node = nextOf.call(current);
    } else node = current.nextSibling;
    if (list !== null) node = ++index < list.length ? list[index] : null;
    if (type === 3) addText(current.data, parent);
    else if (tag !== "") {
      const record = visit(current, tag, parent);
      if (record !== null && !addOnlyText(record)) {
        const [first, children] = below(record);
        if (first !== null) {
          levels.push({ parent, node, list, index });
          parent = record;
          node = first;
          list = children;
          index = 0;
        }
      }
    }
  }

  // File inputs are hidden behind pretty buttons nearly everywhere, and can be used all the same.
  for (const root of roots) {
    for (const input of root.querySelectorAll('input[type="file" i]')) {
      const known = walk.recordOf(input);
      if (known !== undefined) {
        known.unrendered = !known.visible;
        continue;
      }
      let place = input;
      while (place !== null && walk.recordOf(place) === undefined) {
        place = place.assignedSlot || parentOf.call(place) || place.host || null;
      }
      const parentRecord = place === null ? walk.root : walk.recordOf(place);
      walk.add(new ElementRecord(input, "input", parentRecord, "block", true, null)).unrendered = true;
    }
  }

  adopt();
  for (const record of mayScroll) record.scrolls = scrolls(record);

  // Bottom-up: an inline box that holds a block-level one.
  for (let i = walk.order.length - 1; i >= 0; i--) {
    const record = walk.order[i];
    if (!isInline(record.display)) continue;
    for (const kid of record.kids) {
      if (kid.kids === null) continue;
      if (kid.holdsBlock || (!isInline(kid.display) && !isAtomic(kid.display) && !kid.outOfFlow)) {
        record.holdsBlock = true;
        break;
      }
    }
  }

  // Everything outside a modal dialog is inert.
  if (walk.modal !== null) {
    const inside = new Set([walk.modal]);
    walk.root.hidden = true;
    for (const record of walk.order) {
      if (inside.has(record.parent)) inside.add(record);
      else if (record !== walk.modal && !record.unrendered) record.hidden = true;
    }
  }

  // What has the focus, seen through shadow roots.
  let focused = lib.document.activeElement;
  for (let root; focused !== null && (root = focused.shadowRoot || closedRoots.get(focused)) && root.activeElement; ) {
    focused = root.activeElement;
  }
  walk.focused = focused === lib.document.body ? null : focused;
  if (walk.focused !== null) walk.active = walk.focused.ariaActiveDescendantElement || null;
  return walk;
}
