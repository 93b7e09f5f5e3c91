// The innermost element that holds one of several texts (in any case, white space folded), through open shadow
// roots: {element, index, shown} with the text's index; one that is shown before one that is hidden; null if none.
// What controls hold and the names of images and the like count as text, passwords don't.
(lib, texts) => {
  const fold = (text) => text.replace(/\s+/g, " ").trim().toLowerCase();
  // Where lines break is known only after layout: what has no white space at all can be compared without.
  const bare = (text) => text.replace(/\s+/g, "").toLowerCase();
  const wanted = texts.map((text, index) => ({ index, folded: fold(text), bare: bare(text) }));
  const SILENT = /^(script|style|noscript|template|head|title)$/;
  const { is_shown: isShown } = lib.fn;
  let hidden = null;

  const found = (element, index) => {
    if (isShown(element)) return { element, index, shown: true };
    hidden = hidden || { element, index, shown: false };
    return null;
  };
  const drawn = (element) => fold(element.innerText ?? element.textContent);

  const inside = (element, text) => {
    if (SILENT.test(element.localName)) return null;
    let isInner = true;
    for (const child of element.children) {
      if (!bare(child.textContent).includes(text.bare)) continue;
      const result = inside(child, text);
      if (result) return result;
      if (!SILENT.test(child.localName)) isInner = false;
    }
    if (element.localName === "textarea" || !isInner) return null; // its value counts, see below; judged further in
    if (drawn(element).includes(text.folded)) return found(element, text.index);
    // Nothing of a hidden element is drawn: its text is all there is.
    if (fold(element.textContent).includes(text.folded)) hidden = hidden || { element, index: text.index, shown: false };
    return null;
  };

  const ATTRIBUTES = ["aria-label", "alt", "title", "placeholder"];
  const NAMED = "input, textarea, [aria-label], [alt], [title]";
  const words = (element) => {
    const { localName, type, value } = element;
    const isField = localName === "input" || localName === "textarea";
    const isTyped = isField && Boolean(value) && !/^(password|hidden|checkbox|radio|file)$/.test(type);
    const names = ATTRIBUTES.filter((name) => name !== "placeholder" || (isField && !value));
    return [...names.map((name) => element.getAttribute(name)).filter(Boolean), ...(isTyped ? [value] : [])];
  };

  for (const root of lib.fn.open_roots()) {
    const top = root === document ? document.body : root;
    if (!top) continue;
    const all = bare(top.textContent);
    for (const text of wanted) {
      if (!all.includes(text.bare)) continue;
      for (const one of top === root ? root.children : [top]) {
        const result = inside(one, text);
        if (result) return result;
      }
    }
    for (const element of root.querySelectorAll(NAMED)) {
      for (const said of words(element)) {
        const text = wanted.find(({ folded }) => fold(said).includes(folded));
        const result = text && found(element, text.index);
        if (result) return result;
      }
    }
  }
  return hidden;
}
