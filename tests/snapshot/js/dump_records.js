// For comparison with Chrome's accessibility tree: [tag, role, name, states, focusable] of every element, in document
// order, open roots first. States as a verbose snapshot says them.
(lib) => {
  const walk = lib.fn.collect();
  lib.fn.roles(walk);
  lib.fn.include(walk);
  lib.fn.names(walk, true);
  const { states } = lib.fn.states(walk, true);
  const rows = [];
  const stack = [document.documentElement];
  while (stack.length > 0) {
    const element = stack.pop();
    const record = walk.recordOf(element);
    if (record === undefined || !record.included) rows.push([element.localName, "", "", "", false]);
    else rows.push([element.localName, record.role, record.name, states(record), lib.elements.isFocusable(record)]);
    const children = [...(element.shadowRoot ? element.shadowRoot.children : []), ...element.children];
    for (let i = children.length - 1; i >= 0; i--) stack.push(children[i]);
  }
  return JSON.stringify(rows);
}
