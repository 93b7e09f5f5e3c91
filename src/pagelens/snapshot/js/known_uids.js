// The numbers of these nodes, 0 for one without.
(lib, ...nodes) => nodes.map((node) => lib.uids.known(node))
