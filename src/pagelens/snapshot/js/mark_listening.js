// Remembers that these nodes have a listener for clicks.
(lib, ...nodes) => {
  const listening = lib.cache.get("listening");
  for (const node of nodes) if (node.nodeType === 1) listening.add(node);
}
