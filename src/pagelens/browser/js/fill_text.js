// Puts `text` in place of what an input or textarea holds, as typing does: with the focus, and with trusted
// beforeinput and input events. Long text, and text for a field that the page keeps from the focus, goes in through
// the setter of its class with events of the same kinds: Chrome inserts lines one by one, in quadratic time.
(lib, element, text) => {
  const proto = element.localName === "textarea" ? HTMLTextAreaElement.prototype : HTMLInputElement.prototype;
  const set = Object.getOwnPropertyDescriptor(proto, "value").set;
  const put = () => {
    const what = { bubbles: true, composed: true, inputType: text === "" ? "deleteContentBackward" : "insertText", data: text || null };
    if (!element.dispatchEvent(new InputEvent("beforeinput", { ...what, cancelable: true }))) return;
    // The setter of the class, so that a framework's own property on the element does not swallow the news.
    set.call(element, element.maxLength >= 0 ? text.slice(0, element.maxLength) : text);
    element.dispatchEvent(new InputEvent("input", what));
    element.dispatchEvent(new Event("change", { bubbles: true }));
  };

  element.focus();
  let active = element.getRootNode().activeElement;
  while (active && active !== element && active.shadowRoot && active.shadowRoot.activeElement) active = active.shadowRoot.activeElement;
  if (active !== element || text.split("\n", 22).length > 20) return put();
  const before = element.value;
  if (text === "" && before === "") return;
  element.select();
  if (text === "") document.execCommand("delete");
  else document.execCommand("insertText", false, text);
  // Inside of a command of the page's own, Chrome takes no other.
  if (element.value === before && before.replace(/\r\n?/g, "\n") !== text && element.isConnected) put();
}
