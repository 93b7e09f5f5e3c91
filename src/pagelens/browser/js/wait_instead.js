// What is there instead of what a condition waits for: {hidden: {uid, words, why}} when it is there and can't be
// seen; {element: {uid, words, state}} for an element in another state; {lines: [...]} of the text that is visible.
(lib, condition) => {
  const { find_text: findText, named, hidden_why: hiddenWhy, open_roots: roots } = lib.fn;
  const { kind } = condition;
  if (kind === "text" || kind === "text_gone" || kind === "words") {
    const found = findText(condition.texts ?? [condition.value]);
    if (found && !found.shown && kind === "text") {
      return { hidden: { ...named(found.element), why: hiddenWhy(found.element) || "it is transparent" } };
    }
    if (found && kind !== "text") return { element: { ...named(found.element), state: stateOf(found.element) } };
  } else {
    const element =
      kind === "uid"
        ? lib.uids.node(condition.number)
        : roots().map((root) => root.querySelector(condition.value)).find(Boolean);
    if (element?.isConnected) return { element: { ...named(element), state: stateOf(element) } };
  }
  const text = document.body ? document.body.innerText.slice(0, 50_000) : "";
  const lines = text.split("\n").map((line) => line.replace(/\s+/g, " ").trim().slice(0, 300));
  return { lines: [...new Set(lines.filter(Boolean))].slice(0, 1000) };

  function stateOf(element) {
    const why = hiddenWhy(element);
    if (why) return "hidden: " + why;
    const box = element.getBoundingClientRect();
    if (box.width === 0 || box.height === 0) return "without a size";
    if (element.closest(":disabled, [aria-disabled='true']")) return "visible, disabled";
    return "visible, enabled";
  }
}
