"""Small apps that leak, each in two ways, and two that do not. ``act()`` is what their users do again and again."""

from __future__ import annotations

from dataclasses import dataclass

from tests.support.site import Site

__all__ = ["CLEAN", "LEAKY", "LeakApp"]


@dataclass(frozen=True, slots=True)
class LeakApp:
    """An app: its script, and for each leak a name of what leaks and the words that say what holds it."""

    name: str
    script: str
    causes: tuple[tuple[str, tuple[str, ...]], ...] = ()

    def serve(self, site: Site) -> str:
        """The address of its page."""
        source = site.text(self.script, name="app.js", content_type="text/javascript")
        return site.page(f"<h1>{self.name}</h1><ul id=rows></ul><script src={source}></script>", title=self.name)


GALLERY = """
function createGallery() {
  const cache = [];
  return {
    show() {
      const list = document.createElement('ol');
      for (let i = 0; i < 20; i++) list.append(document.createElement('li'));
      document.body.append(list);
      cache.push(list);
      list.remove();
    },
    count: () => cache.length,
  };
}
const gallery = createGallery();

class Panel {
  constructor() {
    this.rows = Array.from({length: 50}, (_, i) => ({row: i}));
    addEventListener('resize', () => this.layout());
  }
  layout() { this.width = innerWidth; }
}

function act() {
  gallery.show();
  new Panel();
}
"""

REPORTS = """
const makeReport = (() => {
  const memo = {};
  let serial = 0;
  return function remember() {
    const rows = new Array(200).fill(0).map((_, i) => i + 0.5);
    memo['report ' + serial++] = () => rows.length;
  };
})();

class Ticker {
  constructor() { this.history = new Array(300).fill(1.25); }
  tick() { this.history.push(Math.random()); }
}

function watchPrices() {
  const ticker = new Ticker();
  setInterval(() => ticker.tick(), 1_000_000);
}

function act() {
  makeReport();
  watchPrices();
}
"""

CHAT = """
class Message {
  constructor(text) { this.text = text; this.words = text.split(' '); }
}
class Store {
  constructor() { this.messages = new Map(); this.next = 0; }
  add() { this.messages.set(this.next++, new Message('so many words of message ' + this.next)); }
}
window.store = new Store();

class Seen { constructor() { this.marks = new Array(200).fill(0).map(() => ({at: Date.now()})); } }

function follow() {
  const seen = new Seen();
  new MutationObserver(() => seen.marks.push(1)).observe(document.body, {childList: true});
}

function act() {
  for (let i = 0; i < 5; i++) store.add();
  follow();
}
"""

TIDY = """
class Row {
  constructor(list) {
    this.data = new Array(100).fill({});
    this.element = document.createElement('li');
    this.listener = () => this.data.length;
    addEventListener('resize', this.listener);
    this.timer = setInterval(this.listener, 1_000_000);
    this.observer = new MutationObserver(this.listener);
    this.observer.observe(list, {childList: true});
    list.append(this.element);
  }
  remove() {
    this.observer.disconnect();
    clearInterval(this.timer);
    removeEventListener('resize', this.listener);
    this.element.remove();
  }
}
async function act() {
  const row = new Row(document.getElementById('rows'));
  await new Promise((done) => setTimeout(done));
  row.remove();
}
"""

BOUNDED = """
const cache = new Map();
const notes = new WeakMap();
const remember = (key, value) => {
  cache.set(key, value);
  notes.set(value, {key});
  if (cache.size > 3) cache.delete(cache.keys().next().value);
};
let serial = 0;
function act() {
  for (let i = 0; i < 4; i++) {
    remember('page ' + serial++, {text: 'x'.repeat(1000) + serial, parts: [serial, {}]});
    console.log('remembered', {serial, all: cache});
  }
  document.getElementById('rows').innerHTML = '<li>' + serial;
}
"""

LEAKY = (
    LeakApp(
        "Gallery",
        GALLERY,
        (
            ("detached <ol>", ("`cache`", "`createGallery`", "app.js:2")),
            ("Panel", ("event listener of window", "app.js:20")),
        ),
    ),
    LeakApp(
        "Reports",
        REPORTS,
        (("function", ("app.js:7", "`memo`", "`makeReport`")), ("Ticker", ("timer", "`watchPrices`"))),
    ),
    LeakApp(
        "Chat",
        CHAT,
        (("Message", ("`messages`", "store")), ("Seen", ("MutationObserver", "`follow`"))),
    ),
)
CLEAN = (LeakApp("Tidy", TIDY), LeakApp("Bounded", BOUNDED))
