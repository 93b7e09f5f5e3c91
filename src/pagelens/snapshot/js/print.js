// Writes a tree of lines as text, two spaces a level, without recursion; bare texts are marked with \x01 for
// the server, which decides how a text has to be written so that it can't be taken for a line of ours.
//
// Returns "uids N" when N more numbers are needed; what was made is held until they come (see `resume`).
(lib, entries) => {
  // In order, so that numbers ascend down the page.
  const flat = [];
  const stack = [];
  for (let i = entries.length - 1; i >= 0; i--) stack.push(entries[i], 0);
  let unseen = Infinity; // the depth of the line around that says that it is off screen, with all that is in it
  while (stack.length > 0) {
    const depth = stack.pop();
    const entry = stack.pop();
    flat.push(entry, depth);
    if (depth <= unseen) unseen = Infinity;
    if (typeof entry === "string") continue;
    if (unseen !== Infinity) entry.offscreen = false;
    else if (entry.offscreen) unseen = depth;
    const below = entry.entries;
    for (let i = below.length - 1; i >= 0; i--) stack.push(below[i], depth + 1);
  }

  const write = () => {
    let missing = 0;
    for (let i = 0; i < flat.length; i += 2) {
      const entry = flat[i];
      if (typeof entry === "string" || !entry.hasUid) continue;
      if (lib.uids.of(entry.node) === 0) missing++;
    }
    if (missing > 0) {
      lib.cache.set("held", write);
      return `uids ${missing}`;
    }
    lib.cache.delete("held");
    const out = [`text ${lib.text.folded(lib.document.title)}`];
    for (let i = 0; i < flat.length; i += 2) {
      const entry = flat[i];
      const pad = " ".repeat(2 * flat[i + 1]);
      if (typeof entry === "string") {
        out.push(`${pad}\x01${entry}`);
        continue;
      }
      let s = entry.hasUid ? `${pad}uid=e${lib.uids.of(entry.node)} ${entry.role}` : pad + entry.role;
      if (entry.name !== "") s += ` "${entry.name.replace(/\\/g, "\\\\").replace(/"/g, '\\"')}"`;
      if (entry.bare !== "") s += " " + entry.bare;
      if (entry.states !== "") s += " " + entry.states;
      if (entry.offscreen) s += " offscreen";
      if (entry.url !== "") s += " " + entry.url;
      out.push(s);
    }
    return out.join("\n");
  };
  return write();
}
