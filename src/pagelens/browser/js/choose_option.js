// Selects an option as if it had been picked from the opened list: {done, words} or {problem, why}.
(lib, option) => {
  const select = option.closest("select");
  if (!option.isConnected || !select) return { problem: "gone" };
  if (select.matches(":disabled")) return { problem: "disabled", why: "its <select> is disabled" };
  if (!(option instanceof HTMLOptionElement)) return { problem: "group" };
  if (option.disabled || option.closest("optgroup:disabled")) return { problem: "disabled", why: "" };
  const why = lib.fn.hidden_why(select);
  if (why) return { problem: "hidden", why: "its <select> can't be seen: " + why };
  select.focus();
  if (!option.selected || select.multiple) {
    if (select.multiple) for (const other of select.options) other.selected = other === option;
    else option.selected = true;
    select.dispatchEvent(new Event("input", { bubbles: true, composed: true }));
    select.dispatchEvent(new Event("change", { bubbles: true }));
  }
  return { done: true };
}
