// The uids of a list of nodes, in its order; null when the document has not enough unused ones left.
(lib, nodes) => {
  if (lib.uids.left() < nodes.length) return null;
  return nodes.map((node) => lib.uids.of(node));
}
