// What to call the elements of these uids, in their order: '<button#go> "Go"'; empty for those that are gone.
(lib, numbers) =>
  numbers.map((number) => {
    const node = lib.uids.node(number);
    const element = node && (node.nodeType === Node.ELEMENT_NODE ? node : node.parentElement);
    if (!element || !element.isConnected) return "";
    // The text of a large element takes long to get, and does not tell it from others.
    if (element.childElementCount <= 3) return lib.fn.named(element).words;
    const mark = element.id ? "#" + element.id : element.classList.length > 0 ? "." + element.classList[0] : "";
    return "<" + element.localName + mark.slice(0, 60) + ">";
  })
