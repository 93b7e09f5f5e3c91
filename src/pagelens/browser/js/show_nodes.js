// The nodes of these uids are lines of their own in snapshots from now on, whatever they are.
(lib, numbers) => {
  lib.shown ??= new WeakSet();
  for (const number of numbers) {
    const node = lib.uids.node(number);
    if (node) lib.shown.add(node);
  }
}
