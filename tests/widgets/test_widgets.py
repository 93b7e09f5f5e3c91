"""Widgets of real libraries, filled, clicked and dragged; what the page itself holds is looked at."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from pagelens.browser.evaluate import evaluate
from pagelens.browser.fill import fill
from pagelens.browser.fill_form import fill_form
from pagelens.browser.input import press_key
from pagelens.browser.page import Page
from pagelens.browser.pointer import drag
from pagelens.browser.waiting import Condition, wait_for
from pagelens.errors import FillFailed
from tests.support.site import Site
from tests.widgets.conftest import Serve

REACT = "<script src={0}react/umd/react.production.min.js></script>" + (
    "<script src={0}react-dom/umd/react-dom.production.min.js></script><div id=root></div>"
)
COUNTRIES = ["Germany", "France", "United Kingdom", "United States", "Spain"]


async def value(page: Page, expression: str) -> Any:
    return json.loads((await evaluate(page, expression)).text)


async def until(page: Page, function: str) -> None:
    await wait_for(page, Condition(function=f"() => {function}"), 5)


# -- React -------------------------------------------------------------------------------------------------

CONTROLLED = """<script>
const e = React.createElement;
window.state = {};
function Field({ kind, name, as = 'input', change, ...more }) {
  const [value, set] = React.useState(kind == 'checkbox' ? false : '');
  window.state[name] = value;
  const onChange = event => set(kind == 'checkbox' ? event.target.checked
    : change ? change(event.target.value) : event.target.value);
  const given = kind == 'checkbox' ? { checked: value } : { value };
  return e(as, { id: name, type: as == 'input' ? kind : undefined, ...given, onChange, ...more });
}
function Form() {
  const [country, setCountry] = React.useState('');
  window.state.country = country;
  return e('form', null,
    e(Field, { name: 'text', kind: 'text' }), e(Field, { name: 'upper', kind: 'text', change: v => v.toUpperCase() }),
    e(Field, { name: 'number', kind: 'number' }), e(Field, { name: 'date', kind: 'date' }),
    e(Field, { name: 'range', kind: 'range' }), e(Field, { name: 'check', kind: 'checkbox' }),
    e(Field, { name: 'area', as: 'textarea' }),
    e('select', { id: 'country', value: country, onChange: event => setCountry(event.target.value) },
      ['', 'Germany', 'France'].map(name => e('option', { key: name, value: name }, name || 'Choose'))));
}
ReactDOM.createRoot(root).render(e(Form));
</script>"""


async def test_controlled_inputs_of_react(page: Page, site: Site, npm: Serve) -> None:
    await page.navigate(site.page(REACT.format(npm("react")) + CONTROLLED))
    lines = "\n".join(f"line {n}" for n in range(1000))
    wanted = {"text": "Ada", "number": "12.5", "date": "2024-02-29", "range": "70", "check": "true", "area": lines}
    report = await fill_form(page, [(f"css=#{name}", text) for name, text in (wanted | {"country": "France"}).items()])
    report.raise_if_failed()
    state = await value(page, "state")
    assert state == {**wanted, "check": True, "country": "France", "upper": ""}
    for text in ("second", "third"):  # replaced, never added to
        await fill(page, "css=#text", text)
        assert (await value(page, "[state.text, text.value]")) == [text, text]
    with pytest.raises(FillFailed, match='holds "LOUD" now'):
        (await fill(page, "css=#upper", "loud")).raise_if_differs()
    await fill(page, "css=#text", "")
    await fill(page, "css=#check", "false")
    assert await value(page, "[state.text, state.check]") == ["", False]


# -- MUI ---------------------------------------------------------------------------------------------------

MUI = (
    REACT
    + """<script src={0}@mui/material/umd/material-ui.production.min.js></script><script>
const {{ Select, MenuItem, Autocomplete, TextField, Switch, Checkbox, RadioGroup, Radio, Slider }} = MaterialUI;
const e = React.createElement;
window.state = {{}};
const countries = {1};
function Form() {{
  const [one, setOne] = React.useState('');
  const [many, setMany] = React.useState(['Spain']);
  const [auto, setAuto] = React.useState(null);
  const [on, setOn] = React.useState(false);
  const [text, setText] = React.useState('');
  window.state = {{ one, many, auto, on, text }};
  const items = countries.map(name => e(MenuItem, {{ key: name, value: name.toLowerCase() }}, name));
  const same = countries.map(name => e(MenuItem, {{ key: name, value: name }}, name));
  return e('div', {{ style: {{ display: 'grid', gap: 20, width: 300 }} }},
    e(Select, {{ value: one, onChange: event => setOne(event.target.value),
      SelectDisplayProps: {{ id: 'one' }} }}, items),
    e(Select, {{ multiple: true, value: many, onChange: event => setMany(event.target.value),
      SelectDisplayProps: {{ id: 'many' }} }}, same),
    e(Autocomplete, {{ id: 'auto', options: countries, value: auto, onChange: (_, next) => setAuto(next),
      renderInput: given => e(TextField, given) }}),
    e(Switch, {{ checked: on, onChange: event => setOn(event.target.checked), inputProps: {{ id: 'on' }} }}),
    e(TextField, {{ id: 'text', value: text, onChange: event => setText(event.target.value) }}));
}}
ReactDOM.createRoot(root).render(e(Form));
</script>"""
)


async def test_selects_autocompletes_and_switches_of_mui(page: Page, site: Site, npm: Serve) -> None:
    await page.navigate(site.page(MUI.format(npm("react", "mui"), json.dumps(COUNTRIES))))
    assert not (await fill(page, "css=#one", "france")).differs
    assert not (await fill(page, "css=#one", "United K")).differs
    assert not (await fill(page, "css=#many", "Germany\nFrance")).differs
    assert not (await fill(page, "css=#auto", "united states")).differs
    report = await fill_form(page, [("css=#on", "true"), ("css=#text", "some text")])
    report.raise_if_failed()
    state = await value(page, "state")
    assert sorted(state.pop("many")) == ["France", "Germany"]
    assert state == {"one": "united kingdom", "auto": "United States", "on": True, "text": "some text"}
    with pytest.raises(FillFailed, match=r'no choice "Mars".*"Germany", "France"'):
        await fill(page, "css=#one", "Mars")
    await until(page, "!document.querySelector('[role=listbox]')")  # and the list is closed again
    offered = await fill(page, "css=#auto", "United")
    assert offered.offered == ("United Kingdom", "United States")


# -- Ant Design --------------------------------------------------------------------------------------------

ANTD = (
    REACT
    + """<script src={0}dayjs/dayjs.min.js></script><script src={0}antd/dist/antd.min.js></script><script>
const {{ Select, DatePicker, InputNumber, Switch, Input }} = antd;
const e = React.createElement;
window.state = {{}};
const options = {1}.map(name => ({{ value: name.toLowerCase(), label: name }}));
const long = Array.from({{ length: 200 }}, (_, n) => ({{ value: n, label: `Option ${{n}}` }}));
const keep = name => value => {{ state[name] = value; }};
ReactDOM.createRoot(root).render(e('div', {{ style: {{ display: 'grid', gap: 20, width: 300 }} }},
  e(Select, {{ id: 'plain', options, onChange: keep('plain') }}),
  e(Select, {{ id: 'search', showSearch: true, options, onChange: keep('search'), optionFilterProp: 'label' }}),
  e(Select, {{ id: 'long', options: long, onChange: keep('long') }}),
  e(DatePicker, {{ id: 'date', onChange: (_, text) => {{ state.date = text; }} }}),
  e(InputNumber, {{ id: 'number', onChange: keep('number') }}),
  e(Switch, {{ id: 'on', onChange: keep('on') }}),
  e(Input.TextArea, {{ id: 'area', onChange: event => {{ state.area = event.target.value; }} }})));
</script>"""
)


@pytest.mark.long
async def test_selects_and_date_pickers_of_antd(page: Page, site: Site, npm: Serve) -> None:
    await page.navigate(site.page(ANTD.format(npm("react", "antd"), json.dumps(COUNTRIES))))
    assert not (await fill(page, "css=#plain", "France")).differs
    assert not (await fill(page, "css=#plain", "spain")).differs
    assert not (await fill(page, "css=#search", "United Kingdom")).differs
    assert not (await fill(page, "css=#long", "Option 150")).differs
    assert not (await fill(page, "css=#date", "2024-02-29")).differs
    await press_key(page, "Enter")
    fields = [("css=#number", "42"), ("css=#on", "true"), ("css=#area", "one\ntwo")]
    (await fill_form(page, fields)).raise_if_failed()
    assert await value(page, "state") == {
        "plain": "spain",
        "search": "united kingdom",
        "long": 150,
        "date": "2024-02-29",
        "number": 42,
        "on": True,
        "area": "one\ntwo",
    }


# -- editors -----------------------------------------------------------------------------------------------

PROSEMIRROR = """<div id=editor></div><script type=module>
import { EditorState } from 'prosemirror-state';
import { EditorView } from 'prosemirror-view';
import { DOMParser } from 'prosemirror-model';
import { schema } from 'prosemirror-schema-basic';
import { keymap } from 'prosemirror-keymap';
import { baseKeymap } from 'prosemirror-commands';
import { history, undo } from 'prosemirror-history';
const old = document.createElement('div');
old.innerHTML = '<h1>Old</h1><p>text of <b>many</b> kinds</p><blockquote><p>quoted</p></blockquote>';
window.view = new EditorView(editor, { state: EditorState.create({ doc: DOMParser.fromSchema(schema).parse(old),
  plugins: [history(), keymap({ 'Mod-z': undo }), keymap(baseKeymap)] }) });
</script>"""


async def test_an_editor_of_prosemirror(page: Page, site: Site, import_map: Callable[[str], str]) -> None:
    await page.navigate(site.page(import_map("prosemirror") + PROSEMIRROR))
    await until(page, "window.view")
    text = "view.state.doc.textBetween(0, view.state.doc.content.size, '\\n')"
    assert not (await fill(page, "css=.ProseMirror", "A line of text")).differs
    assert await value(page, text) == "A line of text"
    assert not (await fill(page, "css=.ProseMirror", "First\nSecond\nThird")).differs
    assert (await value(page, text)).replace("\n\n", "\n") == "First\nSecond\nThird"
    # It went through the editor's own model: it can be undone there.
    await press_key(page, "Control+z")
    assert await value(page, text) in ("A line of text", "Old\ntext of many kinds\nquoted")
    assert not (await fill(page, "css=.ProseMirror", "")).differs
    assert await value(page, text) == ""


CODEMIRROR = """<div id=editor style='height: 200px'></div><script type=module>
import { EditorState } from '@codemirror/state';
import { EditorView, keymap } from '@codemirror/view';
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
window.view = new EditorView({ parent: editor, state: EditorState.create({
  doc: Array.from({ length: 2000 }, (_, n) => `old line ${n}`).join('\\n'),
  extensions: [history(), keymap.of([...defaultKeymap, ...historyKeymap]),
    EditorView.theme({ '&': { height: '200px' }, '.cm-scroller': { overflow: 'auto' } })] }) });
</script>"""


async def test_an_editor_of_codemirror_that_draws_only_what_is_in_view(
    page: Page, site: Site, import_map: Callable[[str], str]
) -> None:
    await page.navigate(site.page(import_map("codemirror") + CODEMIRROR))
    await until(page, "window.view")
    text = "view.state.doc.toString()"
    assert not (await fill(page, "css=.cm-content", "let one = 1;")).differs
    assert await value(page, text) == "let one = 1;"
    code = "def f(x):\n    if x:\n        return 1\n\n    return 2"
    assert not (await fill(page, "css=.cm-content", code)).differs
    assert await value(page, text) == code
    many = "\n".join(f"line {n}" for n in range(1000))
    assert not (await fill(page, "css=.cm-content", many)).differs
    assert await value(page, text) == many
    assert not (await fill(page, "css=.cm-content", "")).differs
    assert await value(page, text) == ""


# -- masks and lists ---------------------------------------------------------------------------------------


async def test_masked_inputs_of_imask(page: Page, site: Site, npm: Serve) -> None:
    await page.navigate(
        site.page(
            f"<script src={npm('imask')}imask/dist/imask.min.js></script>"
            "<input id=phone><input id=card><input id=amount><script>window.masks = {"
            "phone: IMask(phone, { mask: '(000) 000-0000' }), card: IMask(card, { mask: '0000 0000 0000 0000' }),"
            "amount: IMask(amount, { mask: Number, thousandsSeparator: ' ', radix: '.', scale: 2 }) }</script>"
        )
    )
    fields = {"phone": "5551234567", "card": "4111111111111111", "amount": "1234567.5"}
    for _ in range(2):  # a second time it replaces
        report = await fill_form(page, [(f"css=#{name}", text) for name, text in fields.items()])
        report.raise_if_failed()
        assert await value(page, "[phone.value, card.value, amount.value]") == [
            "(555) 123-4567",
            "4111 1111 1111 1111",
            "1 234 567.5",
        ]
        assert await value(page, "Object.values(masks).map(mask => mask.unmaskedValue)") == list(fields.values())
    phone = report.fields[0].report
    assert phone is not None
    assert phone.is_reformatted
    with pytest.raises(FillFailed):
        (await fill(page, "css=#phone", "no digits")).raise_if_differs()


@pytest.mark.parametrize("fallback", [False, True], ids=["HTML5", "pointer"])
async def test_a_list_of_sortable(page: Page, site: Site, npm: Serve, fallback: bool) -> None:
    await page.navigate(
        site.page(
            f"<script src={npm('sortable')}sortablejs/Sortable.min.js></script><ul id=list style='width:300px'>"
            + "".join(f"<li id=i{n} style='height:40px'>Item {n}</li>" for n in range(5))
            + f"</ul><script>Sortable.create(list, {{ forceFallback: {str(fallback).lower()} }})</script>"
        )
    )
    order = "() => [...list.children].map(item => item.id).join(' ')"
    await drag(page, "css=#i0", "css=#i1")
    assert await value(page, order) == "i1 i0 i2 i3 i4"
    await drag(page, "css=#i4", "css=#i3")
    assert await value(page, order) == "i1 i0 i2 i4 i3"
    # Over several items, down and up: the list makes room for one after the other.
    await drag(page, "css=#i1", "css=#i4")
    assert await value(page, order) == "i0 i2 i4 i1 i3"
    await drag(page, "css=#i3", "css=#i0")
    assert await value(page, order) == "i3 i0 i2 i4 i1"
