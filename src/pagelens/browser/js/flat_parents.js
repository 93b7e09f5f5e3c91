// An element and all that it is drawn inside of, innermost first: parents, slots, shadow hosts.
//
// A closed shadow root does not tell which slot shows a node; `known` (host -> root) helps there.
(lib, element, known) => {
  const chain = [];
  for (let node = element; node && node.nodeType !== Node.DOCUMENT_NODE; ) {
    if (node.nodeType === Node.ELEMENT_NODE) chain.push(node);
    const parent = node.parentNode;
    const closed = known && parent && known.get(parent);
    const slot =
      node.assignedSlot ||
      (closed && [...closed.querySelectorAll("slot")].find((one) => one.assignedNodes().includes(node)));
    node = slot || parent || node.host;
  }
  return chain;
}
