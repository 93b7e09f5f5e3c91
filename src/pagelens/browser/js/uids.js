// Installs the document's registry of uids: which number belongs to which node, in both directions.
//
// Numbers come from the server in blocks, so that one number names one node across all frames and
// pages of a session. The registry never keeps a node alive, and a node keeps its number for as long
// as it lives. Everything is in our isolated world: the page can't see it.
(lib) => {
  if (lib.uids) return;

  // An own property on the node's wrapper, not a WeakMap entry: it is faster, and an untouched wrapper
  // may be dropped and made anew by the engine while its node lives on, which would lose the number.
  const NUMBER = Symbol("uid");
  const nodes = new Map(); // number -> WeakRef
  const blocks = []; // unused numbers, as [next, last]
  let sweepAt = 20000;

  // Entries of nodes that are gone are dropped when the map has doubled since the last time.
  const sweep = () => {
    for (const [number, reference] of nodes) {
      if (reference.deref() === undefined) nodes.delete(number);
    }
    sweepAt = Math.max(20000, nodes.size * 2);
  };

  lib.uids = {
    // The node's number; a new one when it has none yet; 0 when no unused number is left.
    of(node) {
      const known = node[NUMBER];
      if (known !== undefined) return known;
      const block = blocks[0];
      if (block === undefined) return 0;
      const number = block[0];
      if (number === block[1]) blocks.shift();
      else block[0] = number + 1;
      node[NUMBER] = number;
      nodes.set(number, new WeakRef(node));
      return number;
    },

    // The node's number, 0 when it has none.
    known(node) {
      return node[NUMBER] || 0;
    },

    // The node of a number, also when it is no longer in the document; null when it is gone.
    node(number) {
      const reference = nodes.get(number);
      return (reference && reference.deref()) || null;
    },

    // Adds the unused numbers first..last.
    give(first, last) {
      if (nodes.size > sweepAt) sweep();
      if (last >= first) blocks.push([first, last]);
    },

    // How many unused numbers are left.
    left() {
      let count = 0;
      for (const block of blocks) count += block[1] - block[0] + 1;
      return count;
    },
  };
}
