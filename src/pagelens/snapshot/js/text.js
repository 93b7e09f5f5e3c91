// Helpers for text and style that the other parts share (lib.text).
(lib) => {
  const computed = window.getComputedStyle.bind(window);
  const text = (lib.text = {});

  // Fields of a form and named images of a document hide the properties of these objects, in every world. This reads
  // what is really theirs.
  lib.unhidden = (object) =>
    new Proxy(object, {
      get(target, key) {
        const value = Reflect.get(Object.getPrototypeOf(target), key, target);
        return typeof value === "function" ? value.bind(target) : value;
      },
    });
  lib.document = lib.unhidden(document);

  // White space folded and trimmed, as far as a reader is concerned.
  const UNFOLDED = /[^\S ]|^ | $| {2}/;
  text.folded = (s) => (UNFOLDED.test(s) ? s.replace(/\s+/g, " ").trim() : s);

  text.isBlank = (s) => s.charCodeAt(0) <= 32 && /^[ \t\n\r\f]*$/.test(s);

  // CSS text-transform.
  const transformed = (s, how) => {
    if (how === "uppercase") return s.toUpperCase();
    if (how === "lowercase") return s.toLowerCase();
    if (how === "capitalize") {
      return s.replace(/(^|[\s\-("\u201c\u00a0/])(\p{L})/gu, (_, before, letter) => before + letter.toUpperCase());
    }
    return s;
  };

  // The text of a text record as it is shown.
  text.shown = (record) => {
    if (record.shown !== null) return record.shown;
    let s = record.raw;
    if (!record.blank) {
      const parent = record.parent;
      if (parent.transform === null) parent.transform = parent.style === null ? "none" : parent.style.textTransform;
      if (parent.transform !== "none") s = transformed(s, parent.transform);
    }
    return (record.shown = s);
  };

  // All text shown below a record, in order; block-level boxes set off by spaces. Iterative: any depth.
  text.all = (record) => {
    let s = "";
    const stack = [record];
    while (stack.length > 0) {
      const r = stack.pop();
      if (typeof r === "string") s += r;
      else if (r.kids === null) {
        if (r.parent.visible && !r.parent.hidden) s += text.shown(r);
      } else if (r.tag === "br") s += " ";
      else if (r.svg && (r.tag === "title" || r.tag === "desc" || r.tag === "style")) continue;
      else {
        const block = r !== record && text.isBlock(r.display);
        if (block) {
          s += " ";
          stack.push(" ");
        }
        for (let i = r.kids.length - 1; i >= 0; i--) stack.push(r.kids[i]);
      }
    }
    return s;
  };

  text.isInline = (display) =>
    display === "inline" || display === "ruby" || display === "ruby-text" || display === "contents";
  // inline-block and the like: a box of its own inside a line.
  text.isAtomic = (display) => display.length > 6 && display.startsWith("inline-");
  text.isBlock = (display) => display !== "inline" && display !== "contents" && !display.startsWith("inline");

  // What a ::before or ::after adds: null, or its text and how it sits in the line. `content` may hold
  // strings, quotes, images, counters, and after a slash the alternative text that counts instead.
  const token = /"((?:[^"\\]|\\.)*)"|(\/)|(open-quote)|(close-quote)|[\w-]+\((?:"[^"]*"|[^()"]|\([^)]*\))*\)|[\w-]+/g;
  text.pseudo = (element, which) => {
    const style = computed(element, which);
    const content = style.content;
    if (content === "none" || content === "normal" || content === "" || style.display === "none") return null;
    let shown = "";
    let alternative = null;
    for (const [, string, slash, open, close] of content.matchAll(token)) {
      let part = "";
      if (slash) alternative = "";
      else if (string !== undefined) part = string.replace(/\\(.)/g, "$1");
      else if (open) part = "\u201c";
      else if (close) part = "\u201d";
      if (alternative === null) shown += part;
      else alternative += part;
    }
    const position = style.position;
    return {
      text: transformed(alternative === null ? shown : alternative, style.textTransform),
      fromAuthor: alternative !== null,
      visible: style.visibility === "visible",
      display: style.display,
      outOfFlow: position === "absolute" || position === "fixed" || style.cssFloat !== "none",
    };
  };

  // Which rules a style sheet has that decide how much must be read of every element: 1 = text in ::before or
  // ::after, 2 = cursor: pointer, 4 = text-transform, 8 = boxes that scroll. Remembered by sheet until its number of rules changes.
  const PSEUDO = 1;
  const POINTER = 2;
  const TRANSFORM = 4;
  const SCROLLS = 8;
  const EVERYTHING = PSEUDO | POINTER | TRANSFORM | SCROLLS;
  const seen = new WeakMap();
  const rulesHave = (rules) => {
    let facts = 0;
    const stack = [rules];
    while (stack.length > 0) {
      for (const rule of stack.pop()) {
        const selector = rule.selectorText;
        if (selector !== undefined) {
          const { cursor, textTransform, overflowX, overflowY } = rule.style;
          if (cursor !== "" && /pointer|var\(/.test(cursor)) facts |= POINTER;
          if (textTransform !== "" && textTransform !== "none") facts |= TRANSFORM;
          if ((overflowY !== "" || overflowX !== "") && /auto|scroll|var\(/.test(overflowX + overflowY)) facts |= SCROLLS;
          if (rule.style.content !== "" && /:(before|after)/i.test(selector)) facts |= PSEUDO;
        } else if (rule.styleSheet) facts |= sheetHas(rule.styleSheet);
        if (facts === EVERYTHING) return facts;
        if (rule.cssRules && rule.cssRules.length > 0) stack.push(rule.cssRules);
      }
    }
    return facts;
  };
  const sheetHas = (sheet) => {
    let rules;
    try {
      rules = sheet.cssRules;
    } catch (error) {
      return EVERYTHING; // from another origin: unreadable, so anything may be in it
    }
    const known = seen.get(sheet);
    if (known !== undefined && known.count === rules.length) return known.facts;
    const facts = rulesHave(rules);
    seen.set(sheet, { count: rules.length, facts });
    return facts;
  };
  // Of a document or shadow root, its style attributes included: {pseudo, pointer, transform, scrolls}.
  text.styleFacts = (root) => {
    let facts = root.querySelector('[style*="cursor"]') === null ? 0 : POINTER;
    for (const sheets of [root.styleSheets, root.adoptedStyleSheets || []]) {
      for (const sheet of sheets) {
        if (facts === EVERYTHING) break;
        facts |= sheetHas(sheet);
      }
    }
    if (root.querySelector('[style*="text-transform"]') !== null) facts |= TRANSFORM;
    if ((facts & SCROLLS) === 0 && root.querySelector('[style*="overflow"]') !== null) facts |= SCROLLS;
    return {
      pseudo: (facts & PSEUDO) !== 0,
      pointer: (facts & POINTER) !== 0,
      transform: (facts & TRANSFORM) !== 0,
      scrolls: (facts & SCROLLS) !== 0,
    };
  };
}
