// Finds the elements that a selector names, through open shadow roots; remembers them for `queried`.
//
// kind "css": elements that match the selector. kind "text": the innermost visible elements whose text
// contains the words (case-insensitive, white space folded); an exact match beats a partial one.
// Returns {total, shown: [[uid number, "button#save \"Save\""], ...]} for at most `limit` candidates,
// or {error} for a selector that is none.
(lib, kind, value, limit) => {
  const fold = (text) => text.replace(/\s+/g, " ").trim();
  const found = [];

  const search = (root, visit) => {
    visit(root);
    for (const element of root.querySelectorAll("*")) {
      if (element.shadowRoot) search(element.shadowRoot, visit);
    }
  };

  if (kind === "css") {
    try {
      search(document, (root) => found.push(...root.querySelectorAll(value)));
    } catch (error) {
      return { error: error.message };
    }
  } else {
    const wanted = fold(value).toLowerCase();
    const partial = [];
    const textOf = (element) =>
      element.localName === "input" && /^(button|submit|reset)$/.test(element.type) ? element.value : element.innerText ?? "";
    search(document, (root) => {
      for (const element of root.querySelectorAll("*")) {
        if (/^(script|style|head|title|noscript|template)$/.test(element.localName)) continue;
        const text = fold(textOf(element)).toLowerCase();
        if (!text.includes(wanted)) continue;
        const isInner = ![...element.children].some((child) => fold(textOf(child)).toLowerCase().includes(wanted));
        if (!isInner || !element.checkVisibility({ visibilityProperty: true })) continue;
        (text === wanted ? found : partial).push(element);
      }
    });
    if (found.length === 0) found.push(...partial);
  }

  lib.queried = found.map((element) => new WeakRef(element));
  const words = (element) => {
    const id = element.id ? "#" + element.id : "";
    const text = fold(element.getAttribute("aria-label") || element.innerText || element.value || "").slice(0, 40);
    return element.localName + id + (text ? " " + JSON.stringify(text) : "");
  };
  return {
    total: found.length,
    shown: found.slice(0, limit).map((element) => [lib.uids.of(element), words(element)]),
  };
}
