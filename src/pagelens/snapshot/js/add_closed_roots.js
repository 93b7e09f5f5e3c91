// Remembers closed shadow roots: called with a host, its root, another host, its root…
(lib, ...nodes) => {
  for (let i = 0; i < nodes.length; i += 2) {
    const kind = lib.elements.kind(nodes[i]);
    lib.cache.get("closedRoots").set(nodes[i], nodes[i + 1]);
    lib.cache.get("closedKinds").add(kind);
    lib.cache.get("plainKinds").delete(kind);
  }
}
