// Whether a condition holds in this document now: {index, uid, words} of what shows it, {} when nothing is there to
// be shown (gone), null when it does not hold. Conditions:
// {kind: "text", texts}            one of the texts is visible
// {kind: "text_gone", texts}       none of them is
// {kind: "uid", number, state}     the element of the uid is in that state
// {kind: "css" | "words", value, state}   an element of the selector is; for hidden and gone: none is otherwise
// {error} for a selector that is none, {isGone: true} for an element of a uid that can't come to any other state.
(lib, condition) => {
  const { find_text: findText, named, open_roots: roots, is_shown: isShown, hidden_why: hiddenWhy } = lib.fn;
  const described = (element, index = 0) => ({ index, ...named(element) });
  const { kind, state } = condition;

  if (kind === "text") {
    const found = findText(condition.texts);
    return found && found.shown ? described(found.element, found.index) : null;
  }
  // A document that is still being read may yet bring what is to be gone.
  const isSettled = document.readyState !== "loading";
  if (kind === "text_gone") {
    const found = findText(condition.texts);
    return isSettled && !(found && found.shown) ? {} : null;
  }

  let elements;
  if (kind === "uid") {
    const node = lib.uids.node(condition.number);
    elements = node && node.isConnected ? [node] : [];
    if (elements.length === 0 && state !== "gone" && state !== "hidden") return { isGone: true };
  } else if (kind === "css") {
    try {
      elements = roots().flatMap((root) => [...root.querySelectorAll(condition.value)]);
    } catch (error) {
      return { error: error.message };
    }
  } else {
    const found = findText([condition.value]);
    elements = found ? [found.element] : [];
  }
  const isVisible = (element) => {
    if (element.nodeType !== Node.ELEMENT_NODE) element = element.parentElement;
    if (hiddenWhy(element) !== "") return false;
    const box = element.getBoundingClientRect();
    if (box.width > 0 && box.height > 0) return true;
    return [...element.children].some((child) => isShown(child) && child.getClientRects().length > 0);
  };
  const isDisabled = (element) => {
    const control = element.closest?.("button, input, select, textarea, option, optgroup, fieldset");
    return Boolean(control?.matches(":disabled") || element.closest?.('[aria-disabled="true"]'));
  };
  if (state === "gone") return isSettled && elements.length === 0 ? {} : null;
  if (state === "hidden") return isSettled && !elements.some(isVisible) ? {} : null;
  const holds = {
    attached: () => true,
    visible: isVisible,
    enabled: (element) => isVisible(element) && !isDisabled(element),
    disabled: isDisabled,
  }[state];
  const element = elements.find(holds);
  return element ? described(element) : null;
}
