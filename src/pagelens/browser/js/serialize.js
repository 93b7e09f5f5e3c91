// Makes the serializer for one document: (value, maxChars, maxDepth, isThrown) => [text, type, cut, nodes].
//
// It runs in the page's own world, because objects can't leave their world, so whatever the page did to
// its globals is met here. What is needed of them is taken once and tried out; where the page has
// replaced it by something that does not work, plain syntax does the job (spread copies own properties,
// `in` loops name them, + joins strings). Nothing here calls a method by its name on a page's object.
//
// The text is JSON for values that JSON can say, without spaces. What JSON can't say is written as a
// developer would: undefined, NaN, -0, 12n, Symbol(x), [function f], Map(1) {"a"=>1}, Set(1) {1},
// Date 2024-01-31T00:00:00.000Z, /x/g, Point {"x":1}, TypeError {"message":…,"stack":[…]},
// Uint8Array(2) [1,2], [circular $.a], <button#save>. A node is preceded by its index in `nodes` between
// \x01 and \x02, which occur nowhere else: everything from the page is quoted or cleaned.
//
// `type` is one word for the value. `cut` names what was left out: "size", "depth", both or "".
() => {
  "use strict";

  // -- what we take from the page ---------------------------------------------------------------------

  const attempt = (work) => {
    try {
      return work();
    } catch {
      return undefined;
    }
  };
  const reflect = attempt(() => ({
    apply: Reflect.apply,
    keys: Reflect.ownKeys,
    describe: Reflect.getOwnPropertyDescriptor,
    proto: Reflect.getPrototypeOf,
  }));
  // Whether Reflect does what it should.
  const sound =
    attempt(() => {
      const probe = { a: 1 };
      const keys = reflect.keys(probe);
      const slot = reflect.describe(probe, "a");
      return (
        keys.length === 1 && keys[0] === "a" && slot.value === 1 && slot.enumerable === true &&
        reflect.describe(probe, "b") === undefined && reflect.proto({ __proto__: probe }) === probe &&
        reflect.apply(function (x) { return this === probe && x === 7; }, probe, [7]) === true
      );
    }) === true;

  const describe = (object, key) => (sound ? reflect.describe(object, key) : undefined);
  const getter = (find) => attempt(() => find().get);
  // Calls a method that was taken earlier; throws when the object is not of the method's class.
  const call = (method, object, a, b) => {
    if (!sound || typeof method !== "function") throw 0;
    return reflect.apply(method, object, [a, b]);
  };
  const slotOf = (owner, key) => describe(owner(), key);

  const objectProto = sound ? reflect.proto({}) : ({}).__proto__;
  const toTag = attempt(() => Object.prototype.toString);
  const isArrayNative = attempt(() => Array.isArray);
  const source = attempt(() => Function.prototype.toString);
  const symbolText = attempt(() => Symbol.prototype.toString);
  const sliceText = attempt(() => String.prototype.slice);
  const stringify = attempt(() => JSON.stringify);
  const stringifySound = attempt(() => stringify('"\n\ud800') === '"\\"\\n\\ud800"') === true;
  const isoText = attempt(() => Date.prototype.toISOString);
  const dateValue = attempt(() => Date.prototype.getTime);
  const regexpSource = getter(() => slotOf(() => RegExp.prototype, "source"));
  const regexpFlags = getter(() => slotOf(() => RegExp.prototype, "flags"));
  const mapSize = getter(() => slotOf(() => Map.prototype, "size"));
  const setSize = getter(() => slotOf(() => Set.prototype, "size"));
  const each = {
    __proto__: null,
    Map: attempt(() => Map.prototype.forEach),
    Set: attempt(() => Set.prototype.forEach),
    URLSearchParams: attempt(() => URLSearchParams.prototype.forEach),
    FormData: attempt(() => FormData.prototype.forEach),
    Headers: attempt(() => Headers.prototype.forEach),
  };
  const unbox = {
    __proto__: null,
    Number: attempt(() => Number.prototype.valueOf),
    String: attempt(() => String.prototype.valueOf),
    Boolean: attempt(() => Boolean.prototype.valueOf),
    BigInt: attempt(() => BigInt.prototype.valueOf),
    Symbol: attempt(() => Symbol.prototype.valueOf),
  };
  const typedProto = attempt(() => Uint8Array.prototype.__proto__);
  const typedName = getter(() => slotOf(() => typedProto, Symbol.toStringTag));
  const typedLength = getter(() => slotOf(() => typedProto, "length"));
  const bufferLength = getter(() => slotOf(() => ArrayBuffer.prototype, "byteLength"));
  const sharedLength = getter(() => slotOf(() => SharedArrayBuffer.prototype, "byteLength"));
  const Bytes = attempt(() => Uint8Array);
  const nodeType = getter(() => slotOf(() => Node.prototype, "nodeType"));
  const nodeValue = getter(() => slotOf(() => Node.prototype, "nodeValue"));
  const nodeName = getter(() => slotOf(() => Node.prototype, "nodeName"));
  const nodeDocument = getter(() => slotOf(() => Node.prototype, "ownerDocument"));
  const nodeConnected = getter(() => slotOf(() => Node.prototype, "isConnected"));
  const localName = getter(() => slotOf(() => Element.prototype, "localName"));
  const attribute = attempt(() => Element.prototype.getAttribute);
  const doc = attempt(() => document);

  // Objects that hold a list and are read by index.
  const LISTS = {
    __proto__: null, NodeList: 1, HTMLCollection: 1, HTMLOptionsCollection: 1, HTMLFormControlsCollection: 1,
    RadioNodeList: 1, HTMLAllCollection: 1, DOMTokenList: 1, NamedNodeMap: 1, FileList: 1, StyleSheetList: 1,
    CSSRuleList: 1, DOMRectList: 1, TouchList: 1, DOMStringList: 1,
  };
  const ERRORS = { __proto__: null, Error: 1, DOMException: 1 };
  const OPAQUE = { __proto__: null, Promise: 1, WeakMap: 1, WeakSet: 1, WeakRef: 1 };
  const MAX_NODES = 200;
  const MAX_GETTERS = 60;
  const STACK_LINES = 6;

  // -- helpers ----------------------------------------------------------------------------------------

  const newList = () => ({ __proto__: null, length: 0 });
  const push = (list, item) => {
    list[list.length] = item;
    list.length += 1;
  };
  const cutText = (text, length) => {
    const cut = attempt(() => call(sliceText, text, 0, length));
    if (typeof cut === "string" && cut.length <= length) return cut;
    let copy = "";
    for (let i = 0; i < length && i < text.length; i += 1) copy += text[i];
    return copy;
  };
  const HEX = "0123456789abcdef";
  const HIGH = "\ud800";
  const isSurrogate = (c) => c >= HIGH && c <= "\udfff";
  // A string in JSON's quotes. Lone surrogates become escapes either way.
  const quote = (text) => {
    if (stringifySound) {
      try {
        const quoted = stringify(text);
        if (typeof quoted === "string") return quoted;
      } catch {
        // It worked before; the page may have made it fail since.
      }
    }
    const SHORT = { __proto__: null, '"': '\\"', "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t", "\b": "\\b", "\f": "\\f" };
    let out = '"';
    for (let i = 0; i < text.length; i += 1) {
      const c = text[i];
      if (SHORT[c] !== undefined) out += SHORT[c];
      else if (c < " ") {
        let code = 0;
        for (let k = 0; k < 32; k += 1) if (CONTROLS[k] === c) code = k;
        out += "\\u00" + HEX[code >> 4] + HEX[code & 15];
      } else if (isSurrogate(c)) {
        const next = text[i + 1];
        if (c < "\udc00" && next !== undefined && next >= "\udc00" && next <= "\udfff") {
          out += c + next;
          i += 1;
        } else out += "\ufffd";
      } else out += c;
    }
    return out + '"';
  };
  const CONTROLS =
    "\0\x01\x02\x03\x04\x05\x06\x07\b\t\n\x0b\f\r\x0e\x0f\x10\x11\x12\x13\x14\x15\x16\x17\x18\x19\x1a\x1b\x1c\x1d\x1e\x1f";
  // A name from the page as part of our own words: letters and a few signs, never structure.
  const name = (text, limit) => {
    let out = "";
    for (let i = 0; i < text.length && out.length < limit; i += 1) {
      const c = text[i];
      out += c <= " " || c === '"' || c === "<" || c === ">" || c === "\x7f" || isSurrogate(c) ? "_" : c;
    }
    return out.length < text.length ? out + "…" : out;
  };
  const dataText = (object, key) => {
    const slot = attempt(() => describe(object, key));
    return slot !== undefined && typeof slot.value === "string" ? slot.value : "";
  };
  // The name of an object's class, from its prototype; runs no getter.
  const className = (proto) => {
    for (let p = proto, hops = 0; p !== null && p !== undefined && hops < 20; p = attempt(() => reflect.proto(p)), hops += 1) {
      const slot = attempt(() => describe(p, "constructor"));
      if (slot !== undefined && typeof slot.value === "function") {
        const found = dataText(slot.value, "name");
        if (found !== "") return name(found, 60);
      }
    }
    return "";
  };
  const read = (object, key) => attempt(() => object[key]);

  const serialize = (value, maxChars, maxDepth, isThrown) => {
    let out = "";
    let cutSize = false;
    let cutDepth = false;
    const nodes = { __proto__: null };
    let nodeCount = 0;

    const full = () => out.length >= maxChars;

    const writeText = (text, depth) => {
      // Inside something larger, one long string leaves room for what comes after it.
      const room = maxChars - out.length;
      let limit = depth === 0 ? room : room / 2;
      if (limit < 100) limit = 100;
      limit -= limit % 1;
      if (text.length <= limit) {
        out += quote(text);
        return;
      }
      cutSize = true;
      out += quote(cutText(text, limit)) + "…(" + (text.length - limit) + " more characters)";
    };

    const thrownWords = (error) => {
      if (typeof error === "string") return quote(cutText(error, 200));
      if (error !== null && typeof error === "object") {
        const message = read(error, "message");
        const kind = attempt(() => className(reflect.proto(error))) || "object";
        return typeof message === "string" ? kind + " " + quote(cutText(message, 200)) : kind;
      }
      return typeof error;
    };

    const functionWords = (f) => {
      let own = dataText(f, "name");
      const text = attempt(() => call(source, f));
      const isClass = typeof text === "string" && cutText(text, 6) === "class ";
      own = name(own, 60);
      return (isClass ? "[class" : "[function") + (own === "" ? "" : " " + own) + "]";
    };

    const writeNode = (node, type) => {
      if (type === 1) {
        const tag = attempt(() => call(localName, node));
        const id = attempt(() => call(attribute, node, "id"));
        const classes = attempt(() => call(attribute, node, "class"));
        const here = attempt(() => call(nodeDocument, node)) === doc && doc !== undefined;
        const connected = attempt(() => call(nodeConnected, node)) === true;
        if (here && connected) {
          let index = 0;
          while (index < nodeCount && nodes[index] !== node) index += 1;
          if (index === nodeCount && nodeCount < MAX_NODES) {
            nodes[nodeCount] = node;
            nodeCount += 1;
          }
          if (index < nodeCount) out += "\x01" + index + "\x02";
        }
        out += "<" + name(typeof tag === "string" ? tag : "element", 40);
        if (typeof id === "string" && id !== "") out += "#" + name(id, 60);
        else if (typeof classes === "string") {
          let word = "";
          for (let i = 0; i < classes.length && classes[i] > " "; i += 1) word += classes[i];
          if (word !== "") out += "." + name(word, 60);
        }
        out += ">";
        if (!connected) out += " (not in the document)";
        else if (!here) out += " (in another document)";
        return;
      }
      const kind = attempt(() => call(nodeName, node));
      out += name(typeof kind === "string" ? kind : "#node", 60);
      const text = attempt(() => call(nodeValue, node));
      if (typeof text === "string") {
        out += " ";
        writeText(text, 1);
      }
    };

    // The lines of a stack that name places, without the message before them and our own frames at its end.
    const stackLines = (stack, limit) => {
      const lines = newList();
      let line = "";
      for (let i = 0; i <= stack.length && i < 20000 && lines.length < limit; i += 1) {
        const c = stack[i];
        if (c !== "\n" && c !== undefined) {
          if (c > " " || line !== "") line += c;
          continue;
        }
        if (cutText(line, 19) === "at pagelensEvaluate" || cutText(line, 25) === "at async pagelensEvaluate") break;
        if (cutText(line, 3) === "at ") push(lines, cutText(line, 300));
        line = "";
      }
      return lines;
    };

    const errorName = (error, fallback) => {
      const own = read(error, "name");
      return name(typeof own === "string" && own !== "" ? own : fallback || "Error", 60);
    };

    // What is shown of an error that the caller's own script threw: as the console would print it.
    const writeThrown = (error, hops) => {
      const message = read(error, "message");
      out += errorName(error, attempt(() => className(reflect.proto(error))));
      if (typeof message === "string" && message !== "") out += ": " + cutText(message, 2000);
      const stack = read(error, "stack");
      if (typeof stack === "string") {
        const lines = stackLines(stack, STACK_LINES);
        for (let i = 0; i < lines.length; i += 1) out += "\n    " + lines[i];
      }
      const cause = read(error, "cause");
      if (cause !== undefined && hops < 3) {
        out += "\n  caused by ";
        if (isError(cause)) writeThrown(cause, hops + 1);
        else write(cause, 1, null);
      }
    };

    const isError = (object) => {
      if (object === null || typeof object !== "object") return false;
      const tag = attempt(() => call(toTag, object));
      return tag === "[object Error]" || tag === "[object DOMException]";
    };

    const writeItems = (object, length, depth, up) => {
      let first = true;
      let keys; // of a sparse array, read at its first hole
      let at = 0;
      out += "[";
      for (let i = 0; i < length; ) {
        if (full()) {
          cutSize = true;
          out += (first ? "…" : ",…") + (length - i) + " more";
          break;
        }
        if (!first) out += ",";
        first = false;
        let item;
        try {
          item = object[i];
        } catch (error) {
          out += "[unreadable: " + thrownWords(error) + "]";
          i += 1;
          continue;
        }
        if (item === undefined && sound && isArray(object) && attempt(() => describe(object, "" + i)) === undefined) {
          if (keys === undefined) keys = attempt(() => reflect.keys(object)) || [];
          let next = length;
          for (; at < keys.length; at += 1) {
            const index = typeof keys[at] === "string" ? +keys[at] : -1;
            if (index > i && index < length && index % 1 === 0) {
              next = index;
              break;
            }
          }
          out += "<" + (next - i) + " empty>";
          i = next;
          continue;
        }
        write(item, depth + 1, up, i);
        i += 1;
      }
      out += "]";
    };

    const isArray = (object) => {
      try {
        return isArrayNative(object) === true;
      } catch {
        return false;
      }
    };

    const keysOf = (object) => {
      if (sound) return reflect.keys(object);
      const keys = newList();
      for (const key in { __proto__: null, ...object }) push(keys, key);
      return keys;
    };

    const has = (extra, key) => {
      for (let i = 0; i < extra.length; i += 1) if (extra[i].key === key) return true;
      return false;
    };

    // Own enumerable properties, after those of `extra` ({key, value}).
    const writeProperties = (object, depth, up, extra) => {
      let count = 0;
      let started = false;
      const begin = () => {
        out += started ? "," : "";
        started = true;
      };
      out += "{";
      if (extra !== undefined) {
        for (let i = 0; i < extra.length; i += 1) {
          begin();
          out += quote(extra[i].key) + ":";
          write(extra[i].value, depth + 1, up, extra[i].key);
        }
      }
      const keys = keysOf(object);
      for (let i = 0; i < keys.length; i += 1) {
        const key = keys[i];
        if (sound) {
          let slot;
          try {
            slot = describe(object, key);
          } catch {
            slot = { enumerable: true }; // reading it will say why
          }
          if (slot === undefined || slot.enumerable !== true) continue;
        }
        if (extra !== undefined && has(extra, key)) continue;
        if (full()) {
          cutSize = true;
          begin();
          out += "…" + (keys.length - i) + " more";
          break;
        }
        begin();
        count += 1;
        out += (typeof key === "symbol" ? "[" + symbolWords(key) + "]" : quote(cutText(key, 500))) + ":";
        let item;
        try {
          item = object[key];
        } catch (error) {
          out += "[getter threw: " + thrownWords(error) + "]";
          continue;
        }
        write(item, depth + 1, up, key);
      }
      // Objects of the web platform keep their data behind getters of their class: a DOMRect, a File.
      if (count === 0 && extra === undefined && sound) {
        let left = MAX_GETTERS;
        let proto = attempt(() => reflect.proto(object));
        for (let hops = 0; proto && proto !== objectProto && hops < 6; hops += 1) {
          const names = attempt(() => reflect.keys(proto)) || [];
          for (let i = 0; i < names.length && left > 0 && !full(); i += 1) {
            if (typeof names[i] !== "string") continue;
            const slot = attempt(() => describe(proto, names[i]));
            if (slot === undefined || slot.enumerable !== true || typeof slot.get !== "function") continue;
            const item = attempt(() => call(slot.get, object));
            const kind = typeof item;
            if (item !== null && kind !== "string" && kind !== "number" && kind !== "boolean" && kind !== "bigint") continue;
            left -= 1;
            begin();
            out += quote(names[i]) + ":";
            write(item, depth + 1, up, names[i]);
          }
          proto = attempt(() => reflect.proto(proto));
        }
      }
      out += "}";
    };

    const symbolWords = (symbol) => {
      const text = attempt(() => call(symbolText, symbol));
      return typeof text === "string" ? name(text, 80) : "Symbol()";
    };

    // Map, Set and the like. Leaving a forEach early takes a throw.
    const DONE = { __proto__: null };
    const writeEntries = (object, kind, size, depth, up) => {
      out += kind + (size === undefined ? "" : "(" + size + ")") + " {";
      let seen = 0;
      const items = newList();
      try {
        call(each[kind], object, (item, key) => {
          if (items.length * 4 > maxChars) throw DONE;
          push(items, { __proto__: null, item, key });
        });
      } catch (error) {
        if (error !== DONE) throw error;
      }
      for (; seen < items.length; seen += 1) {
        if (full()) break;
        if (seen > 0) out += ",";
        if (kind !== "Set") {
          write(items[seen].key, depth + 1, up, "<key " + seen + ">");
          out += "=>";
        }
        write(items[seen].item, depth + 1, up, "<value " + seen + ">");
      }
      const total = size === undefined ? items.length : size;
      if (seen < total) {
        cutSize = true;
        out += (seen > 0 ? ",…" : "…") + (total - seen) + " more";
      }
      out += "}";
    };

    const writeBytes = (buffer, kind, length) => {
      out += kind + "(" + length + ") [";
      const bytes = attempt(() => new Bytes(buffer));
      let shown = (maxChars - out.length) / 3;
      shown = length < shown ? length : shown > 0 ? shown - (shown % 1) : 0;
      for (let i = 0; bytes !== undefined && i < shown; i += 1) {
        out += (i > 0 ? " " : "") + HEX[bytes[i] >> 4] + HEX[bytes[i] & 15];
      }
      if (shown < length) {
        cutSize = true;
        out += " …" + (length - shown) + " more bytes";
      }
      out += "]";
    };

    // Objects of a class that needs words of its own; false when it is none.
    const writeSpecial = (object, tag, kind, depth, up) => {
      if (ERRORS[tag] !== undefined) {
        const extra = newList();
        const message = read(object, "message");
        const stack = read(object, "stack");
        if (typeof message === "string") push(extra, { key: "message", value: message });
        if (typeof stack === "string") {
          const lines = stackLines(stack, STACK_LINES);
          // \x03 marks lines whose numbers the receiver puts right for the caller's source.
          const copy = [];
          for (let i = 0; i < lines.length; i += 1) copy[i] = "\x03" + lines[i];
          if (lines.length > 0) push(extra, { key: "stack", value: copy });
        }
        const cause = read(object, "cause");
        if (cause !== undefined) push(extra, { key: "cause", value: cause });
        const errors = read(object, "errors");
        if (isArray(errors)) push(extra, { key: "errors", value: errors });
        out += errorName(object, kind) + " ";
        writeProperties(object, depth, up, extra);
        return true;
      }
      if (tag === "Date") {
        const time = call(dateValue, object);
        out += time === time ? "Date " + call(isoText, object) : "Date (invalid)";
        return true;
      }
      if (tag === "RegExp") {
        out += "/" + cutText(call(regexpSource, object), 2000) + "/" + call(regexpFlags, object);
        return true;
      }
      if (tag === "Map" || tag === "Set") {
        writeEntries(object, tag, call(tag === "Map" ? mapSize : setSize, object), depth, up);
        return true;
      }
      if (tag === "URLSearchParams" || tag === "FormData" || tag === "Headers") {
        writeEntries(object, tag, undefined, depth, up);
        return true;
      }
      if (unbox[tag] !== undefined && typeof call(unbox[tag], object) !== "object") {
        out += tag + "(";
        write(call(unbox[tag], object), depth + 1, up, "value");
        out += ")";
        return true;
      }
      if (tag === "ArrayBuffer" || tag === "SharedArrayBuffer") {
        writeBytes(object, tag, call(tag === "ArrayBuffer" ? bufferLength : sharedLength, object));
        return true;
      }
      const typed = attempt(() => call(typedName, object));
      if (typeof typed === "string") {
        const length = call(typedLength, object);
        out += typed + "(" + length + ") ";
        writeItems(object, length, depth, up);
        return true;
      }
      if (LISTS[tag] !== undefined) {
        const length = object.length;
        out += tag + "(" + length + ") ";
        writeItems(object, length, depth, up);
        return true;
      }
      if (OPAQUE[tag] !== undefined) {
        out += "[" + tag + "]";
        return true;
      }
      if (tag === "Location") {
        out += "Location " + quote(cutText("" + object.href, 2000));
        return true;
      }
      if (tag === "Window") {
        const url = attempt(() => "" + object.location.href);
        out += "[Window" + (typeof url === "string" ? " " + quote(cutText(url, 300)) : "") + "]";
        return true;
      }
      return false;
    };

    const tagOf = (object) => {
      const text = attempt(() => call(toTag, object));
      let tag = "";
      for (let i = 8; typeof text === "string" && i < text.length - 1 && i < 80; i += 1) tag += text[i];
      return tag;
    };

    const pathOf = (frame) => {
      let path = "";
      for (let f = frame; f !== null; f = f.up) {
        if (f.up === null && f.key === undefined) break;
        const key = f.key;
        let step = typeof key === "number" ? "[" + key + "]" : typeof key === "symbol" ? "[symbol]" : "." + name("" + key, 40);
        path = step + path;
      }
      return "$" + path;
    };

    const writeObject = (object, depth, up, key) => {
      let hops = 0;
      for (let frame = up; frame !== null && hops < 1000; frame = frame.up, hops += 1) {
        if (frame.object === object) {
          out += "[circular " + pathOf(frame) + "]";
          return;
        }
      }
      const here = { __proto__: null, object, up, key };
      const array = isArray(object);
      const proto = sound ? reflect.proto(object) : attempt(() => object.__proto__);
      const plain = !array && (proto === objectProto || proto === null || proto === undefined);
      if (proto === null && attempt(() => object.window === object) === true) {
        out += "[Window of another origin]";
        return;
      }
      const tag = plain || array ? "Object" : tagOf(object);
      const type = tag === "Object" ? undefined : attempt(() => call(nodeType, object));
      if (typeof type === "number") {
        writeNode(object, type);
        return;
      }
      const kind = plain || array ? "" : className(proto);
      if (depth >= maxDepth) {
        cutDepth = true;
        out += (kind === "" || kind === "Object" ? "" : kind + " ") + (array ? "[…]" : "{…}");
        return;
      }
      if (array) {
        writeItems(object, object.length, depth, here);
        return;
      }
      const before = out;
      // A class of the page may call itself Map or Date: when it turns out to be none, it is an object like others.
      if (tag !== "Object") {
        try {
          if (writeSpecial(object, tag, kind, depth, here)) return;
        } catch {
          out = before;
        }
      }
      const prefix = kind === "" || kind === "Object" ? "" : kind + " ";
      const slot = plain && proto === objectProto ? attempt(() => describe(object, "toJSON")) : undefined;
      const toJson = plain ? (slot === undefined ? undefined : slot.value) : read(object, "toJSON");
      if (typeof toJson === "function") {
        let simple;
        let worked = false;
        try {
          simple = call(toJson, object, "");
          worked = simple !== object;
        } catch {
          // Its own idea of JSON does not work: show what it holds.
        }
        if (worked) {
          out += prefix;
          if (simple !== null && typeof simple === "object" && !isArray(simple)) writeProperties(simple, depth, here);
          else write(simple, depth + 1, here, "toJSON()");
          return;
        }
      }
      out += prefix;
      writeProperties(object, depth, here);
    };

    const write = (item, depth, up, key) => {
      const kind = typeof item;
      if (kind === "string") writeText(item, depth);
      else if (kind === "number") out += item === 0 && 1 / item < 0 ? "-0" : "" + item;
      else if (kind === "boolean" || item === null) out += item;
      else if (kind === "bigint") {
        const digits = "" + item;
        out += digits.length > 2000 ? cutText(digits, 2000) + "…n" : digits + "n";
      } else if (kind === "symbol") out += symbolWords(item);
      else if (kind === "function") out += functionWords(item);
      else if (kind === "undefined" && item === undefined) out += "undefined";
      else {
        try {
          writeObject(item, depth, up === undefined ? null : up, key);
        } catch (error) {
          out += "[unreadable: " + thrownWords(error) + "]";
        }
      }
    };

    const typeOf = () => {
      if (value === null) return "null";
      if (typeof value !== "object" && (typeof value !== "undefined" || value === undefined)) return typeof value;
      if (isArray(value)) return "array";
      if (attempt(() => typeof call(nodeType, value)) === "number") return "node";
      const tag = tagOf(value);
      return ERRORS[tag] !== undefined ? "error" : tag === "" || tag === "Object" ? "object" : name(tag, 40);
    };

    if (isThrown === true && isError(value)) writeThrown(value, 0);
    else write(value, 0, null);
    const cut = (cutSize ? "size" : "") + (cutSize && cutDepth ? " " : "") + (cutDepth ? "depth" : "");
    return [out, isThrown === true ? "thrown" : typeOf(), cut, nodes];
  };
  serialize.quote = quote; // for values.js
  return serialize;
}
