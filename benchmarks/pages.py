"""The pages that are measured, each the same at every call."""

from __future__ import annotations

from functools import cache

from benchmarks.shop import shop_page

__all__ = ["FIELDS", "FLOOD_LINES", "FLOOD_REQUESTS", "PAGES", "html_of"]

#: Requests and console lines of flood.html.
FLOOD_REQUESTS = 5_000
FLOOD_LINES = 20_000

#: The form's fields: label and role.
FIELDS = [
    *((f"Text field {number}", "textbox") for number in range(1, 13)),
    *((f"Area field {number}", "textbox") for number in range(13, 16)),
    *((f"Select field {number}", "combobox") for number in range(16, 19)),
    *((f"Check field {number}", "checkbox") for number in range(19, 21)),
]


def _page(title: str, body: str, style: str = "") -> str:
    return (
        f"<!doctype html><html lang=en><head><meta charset=utf-8><title>{title}</title>"
        f'<link rel=icon href="data:,">{style}</head><body>{body}</body></html>'
    )


def _tiny(number: int) -> str:
    other = "/tiny2.html" if number == 1 else "/tiny.html"
    body = f"""<h1>Tiny page {number}</h1><p>Hello, this is a small static page.</p>
<button id=noop>Do nothing</button>
<button id=nav onclick="location.href='{other}'">Go other</button>
<a href="{other}">Other page</a>
<input aria-label="Name" id=name><p id=out>ready text</p>"""
    return _page(f"Tiny {number}", body)


def _form() -> str:
    options = "".join(f"<option value=v{number}>Option {number}</option>" for number in range(1, 6))
    rows = []
    for number, (label, role) in enumerate(FIELDS, 1):
        if role == "checkbox":
            row = f"<label><input type=checkbox id=t{number} name=t{number}> {label}</label>"
        elif role == "combobox":
            row = f"<label for=t{number}>{label}</label><select id=t{number} name=t{number}>{options}</select>"
        elif label.startswith("Area"):
            row = f"<label for=t{number}>{label}</label><textarea id=t{number} name=t{number}></textarea>"
        else:
            row = f"<label for=t{number}>{label}</label><input id=t{number} name=t{number}>"
        rows.append(f"<div class=r>{row}</div>")
    body = (
        f'<h1>Form with 20 fields</h1><form onsubmit="return false">{"".join(rows)}'
        "<button type=submit>Send</button><button type=button id=noop>Do nothing</button></form>"
    )
    return _page("Form", body, "<style>.r{margin:4px}label{display:inline-block;width:160px}</style>")


def _table() -> str:
    """50,000 nodes: a row is 1 tr, 10 td and 10 texts."""
    rows = "".join(
        "<tr>" + "".join(f"<td>r{row}c{column}</td>" for column in range(10)) + "</tr>" for row in range(50_000 // 21)
    )
    return _page(
        "Big table", f"<h1>Big table</h1><button id=noop>Do nothing</button><table><tbody>{rows}</tbody></table>"
    )


def _lines() -> str:
    """More than 50,000 lines of a snapshot."""
    items = "".join(f"<li>Line {number} of many <a href=/{number}>more</a></li>" for number in range(17_000))
    return _page("Many lines", f"<ul>{items}</ul>")


def _app() -> str:
    body = """<h1 id=h>SPA home</h1><nav><button id=r1>Route one</button><button id=r2>Route two</button></nav>
<button id=noop>Do nothing</button><button id=add>Add 50</button><button id=load>Load items</button>
<ul id=list aria-label="Items"></ul><div id=late></div>
<script>
let n = 0;
const $ = id => document.getElementById(id);
function add(count) {
  const all = document.createDocumentFragment();
  for (let i = 0; i < count; i++) {
    const item = document.createElement('li'), button = document.createElement('button');
    button.textContent = 'Item ' + (++n);
    item.append(button);
    all.append(item);
  }
  $('list').append(all);
}
add(100);
$('add').onclick = () => { add(50); while ($('list').children.length > 150) $('list').firstChild.remove(); };
$('load').onclick = async () => {
  const reply = await (await fetch('/api/items?ms=30')).json();
  $('h').textContent = 'Loaded ' + reply.items.length + ' ' + Date.now();
};
for (const id of ['r1', 'r2']) $(id).onclick = () => {
  history.pushState({}, '', '/spa.html#' + id);
  $('h').textContent = 'Route ' + id;
  $('list').replaceChildren();
  add(100);
};
</script>"""
    return _page("SPA", body)


def _ticking() -> str:
    body = """<h1>Ticking page</h1><button id=noop>Do nothing</button><p id=t>0</p>
<script>let i = 0; setInterval(() => { document.getElementById('t').textContent = 'tick ' + (++i); }, 50);</script>"""
    return _page("Tick", body)


def _console() -> str:
    body = """<h1>Console page</h1><p id=done>wait</p>
<script>
const kinds = ['log', 'info', 'warn', 'error'];
for (let i = 0; i < 100; i++) console[kinds[i % 4]]('message number ' + i, {a: i, b: [1, 2, 3]});
const all = Array.from({length: 50}, (_, i) => fetch('/api/items?ms=0&i=' + i).then(reply => reply.json()));
Promise.all(all).then(() => { document.getElementById('done').textContent = 'all fetched'; });
</script>"""
    return _page("Console", body)


def _flood() -> str:
    body = f"""<h1>Flood</h1><button id=go>Flood</button><p id=done>ready</p>
<script>
async function fetcher(numbers) {{ for (const i of numbers) await (await fetch('/api/items?i=' + i)).text(); }}
async function flood() {{
  const lanes = Array.from({{length: 6}}, () => []);
  for (let i = 0; i < {FLOOD_REQUESTS}; i++) lanes[i % 6].push(i);
  const fetched = Promise.all(lanes.map(fetcher));
  for (let i = 0; i < {FLOOD_LINES}; i++) {{
    console.log('line', i, 'of the flood');
    if (i % 200 === 199) await new Promise(done => setTimeout(done));
  }}
  await fetched;
  document.title = 'flooded';
}}
document.getElementById('go').onclick = () => setTimeout(flood);
</script>"""
    return _page("Flood", body)


def _dashboard() -> str:
    """A page that works all the time: rows sorted and redrawn, charts animated, data fetched, layouts forced."""
    body = """<h1>Dashboard</h1>
<button id=sort style="position:fixed;left:10px;top:5px;width:100px;height:30px">Sort</button>
<div id=charts></div><table><tbody id=rows></tbody></table><ul id=log></ul>
<script>
const $ = id => document.getElementById(id);
let seed = 1;
const random = () => (seed = seed * 48271 % 2147483647) / 2147483647;
const data = Array.from({length: 300}, (_, n) => ({n, name: 'row ' + n, values: Array.from({length: 8}, random)}));
function cell(value) { const made = document.createElement('td'); made.textContent = value.toFixed(3); return made; }
function row(one) {
  const made = document.createElement('tr');
  made.append(one.name, ...one.values.map(cell));
  return made;
}
function draw() { $('rows').replaceChildren(...data.map(row)); }
function total(one) {
  let sum = 0;
  for (const value of one.values) sum += Math.sqrt(value) * Math.sin(value);
  return sum;
}
function compare(a, b) { return total(a) - total(b); }
function change() { for (let n = 0; n < 60; n++) data[Math.floor(random() * data.length)].values[n % 8] = random(); }
function bars() {
  for (let n = 0; n < 24; n++) {
    const bar = document.createElement('div');
    bar.style.cssText = 'display:inline-block;width:20px;background:#48c';
    $('charts').append(bar);
  }
}
function animate() {
  for (const bar of $('charts').children) {
    bar.style.height = 10 + 90 * random() + 'px';
    bar.title = bar.offsetHeight;
  }
  const cells = $('rows').querySelectorAll('td');
  for (let n = 0; n < 40; n++) cells[Math.floor(random() * cells.length)].textContent = random().toFixed(3);
  requestAnimationFrame(animate);
}
function parse(text) { return JSON.parse(text).items.map(item => ({item, text: 'item ' + item})); }
async function poll() {
  const items = parse(await (await fetch('/api/items?ms=5')).text());
  $('log').replaceChildren(...items.map(one => Object.assign(document.createElement('li'), {textContent: one.text})));
  setTimeout(poll, 40);
}
function busy(ms) { const end = performance.now() + ms; while (performance.now() < end) data.slice().sort(compare); }
$('sort').onclick = () => { busy(150); data.sort(compare); draw(); };
for (let n = 0; n < 12; n++) $('log').before(Object.assign(new Image(), {src: '/img/' + n + '.svg', width: 40}));
bars();
draw();
setInterval(() => { change(); data.sort(compare); draw(); }, 250);
requestAnimationFrame(animate);
poll();
</script>"""
    return _page("Dashboard", body)


PAGES = {
    "dashboard": _dashboard,
    "tiny": lambda: _tiny(1),
    "tiny2": lambda: _tiny(2),
    "form": _form,
    "shop": shop_page,
    "table": _table,
    "lines": _lines,
    "spa": _app,
    "tick": _ticking,
    "console": _console,
    "flood": _flood,
}


@cache
def html_of(name: str) -> bytes:
    """A page by its name.

    Raises:
        KeyError: there is no such page.
    """
    return PAGES[name]().encode()
