// The elements that Chrome is to be asked about for closed shadow roots, an array.
//
// Elements of one kind are alike, so a few of each kind are asked about first, and all of it only when
// one of these has a closed root.
(lib) => {
  const { examined, closedKinds, plainKinds } = Object.fromEntries(lib.cache);
  const chosen = [];
  const asked = new Map();
  for (const element of lib.cache.get("candidates")) {
    const kind = lib.elements.kind(element);
    if (plainKinds.has(kind)) continue;
    const count = asked.get(kind) || 0;
    if (count >= 5 && !closedKinds.has(kind)) continue;
    if (chosen.length === 500) break;
    asked.set(kind, count + 1);
    examined.add(element);
    chosen.push(element);
  }
  // Taken back for those that turn out to have one.
  for (const kind of asked.keys()) if (!closedKinds.has(kind)) plainKinds.add(kind);
  lib.cache.delete("candidates");
  return chosen;
}
