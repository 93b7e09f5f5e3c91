// The kinds of records that the passes share (lib.records). Made once: the engine is fast only while a kind is one kind.
(lib) => {
  const computed = window.getComputedStyle.bind(window);

  // Tens of thousands of records live until the last pass: each byte of them is copied by the garbage collector.
  const NO_KIDS = Object.freeze([]);

  class ElementRecord {
    constructor(element, tag, parent, display, visible, style) {
      this.element = element;
      this.node = tag === "form" ? lib.unhidden(element) : element; // to read from
      this.tag = tag;
      this.parent = parent;
      this.kids = NO_KIDS;
      this.display = display;
      this.visible = visible;
      this.isRendered = style !== null; // by itself: options and areas are not
      this.keptStyle = null; // where later passes read it of every element
      this.svg = false; // in an SVG image, its root included
      this.hidden = false; // aria-hidden, inert, or behind a modal dialog
      this.outOfFlow = false;
      this.holdsBlock = false; // an inline box with a block-level box in it
      this.hasAttributes = true;
      this.transform = null; // CSS text-transform, once read
      this.scrolls = ""; // which ways it can be scrolled
      this.unrendered = false; // a file input that can't be seen
      // for the later passes
      this.role = "";
      this.explicitRole = "";
      this.inSection = false; // a header or footer here is not the page's
      this.inSectionForAside = false;
      this.sectionBelow = false; // the same for what is inside
      this.sectionForAsideBelow = false;
      this.startsPointer = false; // the mouse cursor turns into a hand here
      this.underPointer = false;
      this.focusable = null;
      this.included = false;
      this.clickable = false; // behaves so, without a role that says so
      this.act = false; // an agent can do something with it
      this.acts = 0; // how many such are below
      this.hasImage = false;
      this.name = "";
      this.items = null;
    }

    // Live computed style; null for what is not rendered by itself.
    get style() {
      return this.isRendered ? this.keptStyle || computed(this.element) : null;
    }

    // A child's record. Most have one at most, and an array that grows takes room for many.
    take(kid) {
      if (this.kids.length === 0) this.kids = [kid];
      else this.kids.push(kid);
    }
  }

  class TextRecord {
    constructor(parent, raw, blank) {
      this.tag = "#text";
      this.parent = parent;
      this.kids = null;
      this.display = "inline";
      this.raw = raw;
      this.blank = blank;
      this.shown = null;
    }
  }

  class Walk {
    #recordOf = null;

    constructor(root) {
      this.root = root;
      this.order = []; // every element's record, parents before children
      this.labelsOf = new Map(); // control -> its label elements
      this.candidates = []; // elements that may have a closed shadow root, not yet looked at
      // What the style sheets say that must be read of every element.
      this.hasPseudoText = false;
      this.hasPointer = false;
      this.hasTransform = false;
      this.hasScrolling = false;
      this.hasDisabled = false; // some part says that it is disabled
      this.modal = null; // the record of the modal dialog in front
      this.focused = null; // the element that has the focus
      this.active = null; // the item that the focused element says is the one that counts (aria-activedescendant)
      this.describe = null; // record -> what the author says of it beyond its name; set with the names
    }

    add(record) {
      this.order.push(record);
      record.parent.take(record);
      if (this.#recordOf !== null) this.#recordOf.set(record.element, record);
      return record;
    }

    // After records have changed places: parents before children again.
    reorder() {
      this.order = [];
      const stack = this.root.kids.slice().reverse();
      while (stack.length > 0) {
        const record = stack.pop();
        if (record.kids === null) continue;
        this.order.push(record);
        for (let i = record.kids.length - 1; i >= 0; i--) stack.push(record.kids[i]);
      }
    }

    // The record of an element, undefined when it is not rendered. Few pages ask, so it is made on demand.
    recordOf(element) {
      if (this.#recordOf === null) {
        this.#recordOf = new Map();
        for (const record of this.order) this.#recordOf.set(record.element, record);
      }
      return this.#recordOf.get(element);
    }
  }

  // One printed line and what is below it: lines and whole texts.
  class Line {
    constructor(record, role, name, said, entries) {
      this.node = record === null ? null : record.element;
      this.role = role;
      this.name = name;
      this.states = said;
      this.url = "";
      this.hasUid = record !== null;
      this.isAct = record !== null && record.act;
      this.offscreen = false; // outside of what is seen of the page now
      this.isCell = false;
      this.isSimple = false; // a cell of text alone
      this.bare = ""; // goes after the role as it is: cells of a row, options
      this.entries = entries;
    }
  }

  lib.records = { ElementRecord, TextRecord, Walk, Line };
}
