// Pastes `text` over what the editor that `fill` worked on has selected. Editors take it from the event; where none
// does, the lines are put in, with the events of a paste.
async (lib, text) => {
  const host = lib.filled && lib.filled.deref();
  if (!host || !host.isConnected) return;
  const root = host.getRootNode();
  const active = root.activeElement && host.contains(root.activeElement) ? root.activeElement : host;
  const data = new DataTransfer();
  data.setData("text/plain", text);
  if (!active.dispatchEvent(new ClipboardEvent("paste", { clipboardData: data, bubbles: true, composed: true, cancelable: true }))) {
    return await lib.fn.next_task();
  }
  const what = { bubbles: true, composed: true, inputType: "insertFromPaste", dataTransfer: data };
  if (host.dispatchEvent(new InputEvent("beforeinput", { ...what, cancelable: true }))) {
    host.replaceChildren(
      ...text.split(/\r?\n/).map((line) => {
        const block = document.createElement("div");
        block.append(line === "" ? document.createElement("br") : line);
        return block;
      }),
    );
    const selection = (root.getSelection ? root : host.ownerDocument).getSelection();
    selection.selectAllChildren(host);
    selection.collapseToEnd();
    host.dispatchEvent(new InputEvent("input", what));
  }
  await lib.fn.next_task();
}
