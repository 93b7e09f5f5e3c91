// Makes, for one document, what carries values between the page and Python: (serialize) => {out, thrown, in}.
//
// out(value) => [text, nodes]: the value as JSON text. in(text, nodes) => the value that such a text holds.
// thrown(error) => what serialize.js says of an error.
//
// The text is {"v": slot, "t": [entry…]}: containers stand in a table, so that depth costs no stack and what is
// there twice, or inside itself, is written once. A slot is a string, number, boolean or null as it is; else
//   [3] the container t[3]      ["u"] undefined             ["n","NaN"] a number that JSON lacks
//   ["b","12"] a bigint         ["d",ms] a Date             ["y","…"] bytes, base64
//   ["e",0] nodes[0]            ["x","[function f]"] words for what has no value outside the page
// An entry is ["a",slot…] an array, ["o",key,slot…] an object, ["m",slot,slot…] a Map, ["s",slot…] a Set,
// ["=",slot] an object whose own toJSON() said this.
//
// It runs in the page's own world, as serialize.js does, and takes what it needs of the page's globals once.
(serialize) => {
  "use strict";

  const attempt = (work) => {
    try {
      return work();
    } catch {
      return undefined;
    }
  };
  const quote = serialize.quote;
  const parse = JSON.parse;
  const apply = Reflect.apply;
  const keysOf = Reflect.ownKeys;
  const define = Reflect.defineProperty;
  const describe = Reflect.getOwnPropertyDescriptor;
  const protoOf = Reflect.getPrototypeOf;
  const toTag = Object.prototype.toString;
  const isArray = Array.isArray;
  // Pages like to call their own things Map, Set or Node.
  const mapEach = attempt(() => Map.prototype.forEach);
  const setEach = attempt(() => Set.prototype.forEach);
  const dateValue = attempt(() => Date.prototype.getTime);
  const NativeDate = Date;
  const Bytes = Uint8Array;
  const NativeBigInt = BigInt;
  const isView = ArrayBuffer.isView;
  const toBase = btoa;
  const fromBase = atob;
  const charOf = String.fromCharCode;
  const codeAt = String.prototype.charCodeAt;
  let nodeType;
  for (let proto = document; proto !== null && nodeType === undefined; proto = protoOf(proto)) {
    nodeType = describe(proto, "nodeType")?.get;
  }

  const MAX_CHARS = 200000000;
  const WORDS = 200;
  const LISTS = {
    __proto__: null, NodeList: 1, HTMLCollection: 1, HTMLOptionsCollection: 1, HTMLFormControlsCollection: 1,
    RadioNodeList: 1, HTMLAllCollection: 1, DOMTokenList: 1, FileList: 1, StyleSheetList: 1, CSSRuleList: 1,
    DOMRectList: 1, DOMStringList: 1, Arguments: 1,
  };
  const OPAQUE = {
    __proto__: null, Promise: 1, WeakMap: 1, WeakSet: 1, WeakRef: 1, Window: 1, RegExp: 1, HTMLDocument: 1,
    Document: 1, SharedArrayBuffer: 1, Generator: 1, AsyncGenerator: 1,
  };
  const BOXED = {
    __proto__: null, Number: Number.prototype.valueOf, String: String.prototype.valueOf,
    Boolean: Boolean.prototype.valueOf, BigInt: BigInt.prototype.valueOf,
  };

  // From objects to numbers: {get, set}. Slow without the real Map.
  const newPlaces = () => {
    const fast = attempt(() => {
      const map = new Map();
      const { get, set } = Map.prototype;
      apply(set, map, [map, 7]);
      if (apply(get, map, [map]) !== 7) return undefined;
      return { get: (object) => apply(get, map, [object]), set: (object, index) => apply(set, map, [object, index]) };
    });
    if (fast !== undefined) return fast;
    const known = { __proto__: null, length: 0 };
    return {
      get: (object) => {
        for (let i = 0; i < known.length; i += 1) if (known[i].object === object) return known[i].index;
        return undefined;
      },
      set: (object, index) => {
        known[known.length] = { __proto__: null, object, index };
        known.length += 1;
      },
    };
  };

  const words = (value) => '["x",' + quote(serialize(value, WORDS, 1, false)[0]) + "]";

  const base64 = (bytes) => {
    let binary = "";
    for (let i = 0; i < bytes.length; i += 1) binary += charOf(bytes[i]);
    return toBase(binary);
  };

  const out = (value) => {
    const nodes = { __proto__: null };
    let nodeCount = 0;
    const places = newPlaces();
    const waiting = { __proto__: null, length: 0 };
    let size = 0;

    const add = (text) => {
      size += text.length;
      if (size > MAX_CHARS) throw new RangeError("the result is larger than " + MAX_CHARS + " characters");
      return text;
    };

    const place = (object, kind) => {
      let index = places.get(object);
      if (index === undefined) {
        index = waiting.length;
        places.set(object, index);
        waiting[index] = { __proto__: null, object, kind };
        waiting.length = index + 1;
      }
      return "[" + index + "]";
    };

    const slot = (item) => {
      const kind = typeof item;
      if (kind === "string") return add(quote(item));
      if (kind === "number") {
        if (item - item === 0 && !(item === 0 && 1 / item < 0)) return add("" + item);
        return add('["n","' + (item === 0 ? "-0" : item) + '"]');
      }
      if (kind === "boolean" || item === null) return add("" + item);
      if (kind === "bigint") return add('["b","' + item + '"]');
      if (kind === "undefined" && item === undefined) return add('["u"]');
      if (kind === "function" || kind === "symbol") return add(words(item));
      return add(objectSlot(item));
    };

    const objectSlot = (item) => {
      if (isArray(item)) return place(item, "a");
      const tagged = attempt(() => apply(toTag, item, [])) || "";
      let tag = "";
      for (let i = 8; i < tagged.length - 1; i += 1) tag += tagged[i];
      if (tag === "Object") return place(item, "o");
      const type = attempt(() => apply(nodeType, item, []));
      if (type === 1) {
        let index = places.get(item);
        if (index === undefined) {
          index = nodeCount;
          nodes[index] = item;
          nodeCount += 1;
          places.set(item, index);
        }
        return '["e",' + index + "]";
      }
      if (type !== undefined || OPAQUE[tag] !== undefined) return words(item);
      // A page's own class may call itself Date or Map: then its methods refuse it, and it is an object like others.
      const time = attempt(() => apply(dateValue, item, []));
      if (time !== undefined) return '["d",' + (time === time ? time : "null") + "]";
      if (BOXED[tag] !== undefined) {
        const bare = attempt(() => ({ value: apply(BOXED[tag], item, []) }));
        if (bare !== undefined) return slot(bare.value);
      }
      if (tag === "ArrayBuffer") return '["y",' + quote(base64(new Bytes(item))) + "]";
      if (isView(item)) {
        if (tag === "Uint8Array" || tag === "Uint8ClampedArray" || tag === "DataView") {
          return '["y",' + quote(base64(new Bytes(item.buffer, item.byteOffset, item.byteLength))) + "]";
        }
        return place(item, "a");
      }
      if (LISTS[tag] !== undefined) return place(item, "a");
      if (attempt(() => (apply(mapEach, item, [() => {}]), true)) === true) return place(item, "m");
      if (attempt(() => (apply(setEach, item, [() => {}]), true)) === true) return place(item, "s");
      return place(item, tag === "Error" || tag === "DOMException" ? "error" : "o");
    };

    const property = (key, item) => "," + add(quote(key)) + "," + slot(item);

    const entry = (object, kind) => {
      let text = "";
      if (kind === "a") {
        for (let i = 0; i < object.length; i += 1) text += "," + slot(object[i]);
        return '["a"' + text + "]";
      }
      if (kind === "m") {
        apply(mapEach, object, [(item, key) => (text += "," + slot(key) + "," + slot(item))]);
        return '["m"' + text + "]";
      }
      if (kind === "s") {
        apply(setEach, object, [(item) => (text += "," + slot(item))]);
        return '["s"' + text + "]";
      }
      const simple = typeof object.toJSON === "function" ? object.toJSON("") : object;
      if (simple === null || typeof simple !== "object" || isArray(simple)) return '["=",' + slot(simple) + "]";
      if (kind === "error") {
        text += property("name", "" + object.name) + property("message", "" + object.message);
        text += property("stack", "" + object.stack);
      }
      const keys = keysOf(simple);
      for (let i = 0; i < keys.length; i += 1) {
        const key = keys[i];
        if (typeof key !== "string") continue;
        const found = describe(simple, key);
        if (found === undefined || found.enumerable !== true) continue;
        if (kind === "error" && (key === "name" || key === "message" || key === "stack")) continue;
        text += property(key, simple[key]);
      }
      return '["o"' + text + "]";
    };

    const root = slot(value);
    let table = "";
    for (let i = 0; i < waiting.length; i += 1) {
      table += (i > 0 ? "," : "") + entry(waiting[i].object, waiting[i].kind);
    }
    return ['{"v":' + root + ',"t":[' + table + "]}", nodes];
  };

  const into = (text, nodes) => {
    const { v, t } = parse(text);
    const made = [];
    for (let i = 0; i < t.length; i += 1) made[i] = t[i][0] === "a" ? [] : {};
    const value = (slot) => {
      if (slot === null || typeof slot !== "object") return slot;
      const [kind, held] = slot;
      if (typeof kind === "number") return made[kind];
      if (kind === "n") return held === "-0" ? -0 : +held;
      if (kind === "b") return NativeBigInt(held);
      if (kind === "d") return new NativeDate(held);
      if (kind === "e") return nodes[held];
      if (kind === "y") {
        const binary = fromBase(held);
        const bytes = new Bytes(binary.length);
        for (let i = 0; i < binary.length; i += 1) bytes[i] = apply(codeAt, binary, [i]);
        return bytes;
      }
      return undefined;
    };
    for (let i = 0; i < t.length; i += 1) {
      const items = t[i];
      if (items[0] === "a") for (let k = 1; k < items.length; k += 1) made[i][k - 1] = value(items[k]);
      else {
        for (let k = 1; k < items.length; k += 2) {
          // A key named __proto__ is a key, not a prototype.
          define(made[i], items[k], {
            value: value(items[k + 1]), writable: true, enumerable: true, configurable: true,
          });
        }
      }
    }
    return value(v);
  };

  const thrown = (error) => serialize(error, 4000, 4, true);

  return { out, in: into, thrown };
}
