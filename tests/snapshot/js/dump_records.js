// For comparison with Chrome's accessibility tree: [tag, role, name] of every element, document order, open roots first.
(lib) => {
  const walk = lib.fn.collect();
  lib.fn.roles(walk);
  lib.fn.include(walk);
  lib.fn.names(walk);
  const rows = [];
  const stack = [document.documentElement];
  while (stack.length > 0) {
    const element = stack.pop();
    const record = walk.recordOf(element);
    const included = record !== undefined && record.included;
    rows.push([element.localName, included ? record.role : "", included ? record.name : ""]);
    const children = [...(element.shadowRoot ? element.shadowRoot.children : []), ...element.children];
    for (let i = children.length - 1; i >= 0; i--) stack.push(children[i]);
  }
  return JSON.stringify(rows);
}
