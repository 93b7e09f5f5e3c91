// What our world remembers about its document between snapshots (lib.cache); nothing here keeps a node alive.
(lib) => {
  lib.cache.set("listening", new WeakSet()); // elements with a listener for clicks
  lib.cache.set("closedRoots", new WeakMap()); // host -> its closed shadow root
  lib.cache.set("examined", new WeakSet()); // elements that Chrome was asked about for closed roots
  // Kinds of elements (see lib.elements.kind) of which some had a closed root, and of which none had.
  lib.cache.set("closedKinds", new Set());
  lib.cache.set("plainKinds", new Set());
}
