// A copy of a value in which all is JSON, or an element of this document: what else there is becomes words. Runs in the
// page's own world. Properties without a value are left out, as JSON does it.
(value) => {
  const MOST = 200000;
  let count = 0;

  const elementWords = (element) => {
    const id = typeof element.id === "string" && element.id !== "" ? `#${element.id}` : "";
    return `<${element.localName}${id}> (${element.isConnected ? "in another document" : "not in the document"})`;
  };
  const instanceWords = (object) => {
    if (object instanceof Date) return Number.isNaN(object.getTime()) ? "<Date invalid>" : `<Date ${object.toISOString()}>`;
    if (object instanceof Error) return `<${object.name}: ${object.message}>`;
    if (object instanceof Node) return `<${object.nodeName}>`;
    const name = object.constructor?.name;
    return `<${typeof name === "string" && name !== "" ? name : "Object"} instance>`;
  };
  const isPlain = (object) => {
    const proto = Object.getPrototypeOf(object);
    // Objects of another frame's making are plain too.
    return proto === null || proto === Object.prototype || Object.getPrototypeOf(proto) === null;
  };

  const copy = (item, path) => {
    count += 1;
    if (count > MOST) return "<cut>";
    switch (typeof item) {
      case "function":
        return `<function${item.name ? ` ${item.name}` : ""}>`;
      case "symbol":
        return `<${String(item)}>`;
      case "bigint":
        return `<bigint ${item}>`;
      case "number":
        return Number.isFinite(item) ? item : `<${item}>`;
      case "object":
        break;
      default:
        return item;
    }
    if (item === null) return null;
    if (item instanceof Element) return item.isConnected && item.ownerDocument === document ? item : elementWords(item);
    if (path.includes(item)) return "<circular reference>";
    if (path.length > 100) return "<too deep>";
    const inner = [...path, item];
    if (Array.isArray(item)) return Array.from(item, (each) => (each === undefined ? null : copy(each, inner)));
    if (!isPlain(item)) return instanceWords(item);
    const found = {};
    for (const key of Object.keys(item)) {
      const each = item[key];
      if (each === undefined) continue;
      // A key named __proto__ is a key, not a prototype.
      Object.defineProperty(found, key, { value: copy(each, inner), enumerable: true, configurable: true, writable: true });
    }
    return found;
  };
  return copy(value, []);
}
