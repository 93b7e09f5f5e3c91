"""Every kind of control filled as its page expects it, read back, and refused with the reason."""

from __future__ import annotations

import re

import pytest

from pagelens.browser.evaluate import evaluate
from pagelens.browser.fill import fill
from pagelens.browser.page import Page
from pagelens.errors import ElementCovered, ElementDisabled, ElementGone, ElementHidden, FillFailed
from tests.support.site import Site

#: No test begins with what is in the page: they open documents of their own.
REUSES_PAGE = "as it is"

#: Records input and change events of everything: type and id.
RECORD = """<script>const seen = [];
for (const type of ['input', 'change'])
  addEventListener(type, e => seen.push(`${type} ${e.composedPath()[0].id}`), true);
</script>"""


async def show(page: Page, site: Site, html: str) -> None:
    await page.navigate(site.page(html + RECORD))


async def value(page: Page, expression: str) -> str:
    return (await evaluate(page, expression)).text


# -- text --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["text", "search", "email", "url", "tel", "password", "textarea"])
async def test_text_is_replaced_not_appended(page: Page, site: Site, kind: str) -> None:
    tag = "<textarea id=i>old</textarea>" if kind == "textarea" else f"<input id=i type={kind} value=old>"
    await show(page, site, tag)
    report = await fill(page, "css=#i", "new 😀 é")
    if kind not in ("email",):
        assert (report.value_after, report.differs) == ("new 😀 é", False)
    assert await value(page, "i.value") == '"new 😀 é"'
    assert await value(page, "seen") == '["input i"]'
    # Leaving the field makes Chrome report the change, as after typing.
    await evaluate(page, "() => i.blur()")
    assert await value(page, "seen") == '["input i","change i"]'


async def test_it_can_be_emptied(page: Page, site: Site) -> None:
    await show(page, site, "<input id=i value=old><textarea id=t>old</textarea><div id=d contenteditable>old</div>")
    for target in ("i", "t", "d"):
        report = await fill(page, f"css=#{target}", "")
        assert (report.value_after.strip(), report.differs) == ("", False)
    assert await value(page, "[i.value, t.value, d.textContent]") == '["","",""]'
    assert await value(page, "seen") == '["input i","change i","input t","change t","input d"]'


async def test_a_controlled_input_that_ignores_values_it_set_itself(page: Page, site: Site) -> None:
    # What React does: an own property on the element remembers the last value, and news equal to it is no news.
    await show(
        page,
        site,
        """<input id=i><textarea id=t></textarea><output id=o></output><script>
        const state = {};
        for (const element of [i, t]) {
          const proto = Object.getOwnPropertyDescriptor(Object.getPrototypeOf(element), 'value');
          let tracked = '';
          Object.defineProperty(element, 'value', { configurable: true, get() { return proto.get.call(this) },
            set(v) { tracked = v; proto.set.call(this, v) } });
          element.addEventListener('input', () => {
            const now = proto.get.call(element);
            if (now !== tracked) { tracked = now; state[element.id] = now; }
            element.value = state[element.id] ?? '';
          });
        }</script>""",
    )
    long = "\n".join(f"line {n}" for n in range(200))
    assert not (await fill(page, "css=#i", "Ada")).differs
    assert not (await fill(page, "css=#t", long)).differs
    assert await value(page, "state.i") == '"Ada"'
    assert await value(page, "state.t.length") == str(len(long))


async def test_a_mask_changes_the_value_and_that_is_said(page: Page, site: Site) -> None:
    await show(
        page,
        site,
        "<input id=i maxlength=20><script>i.oninput = () => { i.value = i.value.replace(/\\D/g, '')"
        ".replace(/(\\d{3})(?=\\d)/g, '$1-') }</script><input id=short maxlength=3>",
    )
    report = await fill(page, "css=#i", "123456789")
    assert (report.value_after, report.differs) == ("123-456-789", True)
    report = await fill(page, "css=#short", "12345")
    assert (report.value_after, report.differs) == ("123", True)


async def test_a_thousand_lines(page: Page, site: Site) -> None:
    await show(page, site, "<textarea id=t>old</textarea>")
    text = "\n".join(f"Line {n}: some words" for n in range(1000))
    report = await fill(page, "css=#t", text)
    assert (report.value_after, report.differs) == (text, False)
    assert await value(page, "seen") == '["input t","change t"]'


async def test_a_page_that_gives_the_focus_away(page: Page, site: Site) -> None:
    await show(page, site, "<input id=i onfocus='other.focus()'><input id=other value=mine>")
    assert not (await fill(page, "css=#i", "text")).differs
    assert await value(page, "[i.value, other.value]") == '["text","mine"]'


async def test_contenteditable(page: Page, site: Site) -> None:
    await show(page, site, "<div id=d contenteditable><p>old <b id=inner>bold</b></p></div><p id=after>untouched</p>")
    report = await fill(page, "css=#d", "First line\nSecond line")
    assert not report.differs
    assert await value(page, "d.innerText.trim().split(/\\n+/)") == '["First line","Second line"]'
    assert await value(page, "after.textContent") == '"untouched"'
    await evaluate(page, "() => { d.innerHTML = '<p>old <b id=inner>bold</b></p>' }")
    # An element inside an editor stands for the editor.
    await fill(page, "css=#inner", "again")
    assert await value(page, "d.innerText.trim()") == '"again"'


async def test_an_editor_that_handles_beforeinput_itself(page: Page, site: Site) -> None:
    await show(
        page,
        site,
        "<div id=d contenteditable></div><script>let model = ''; d.addEventListener('beforeinput', e => {"
        "e.preventDefault(); model = e.data; d.textContent = model })</script>",
    )
    assert not (await fill(page, "css=#d", "through the model")).differs
    assert await value(page, "model") == '"through the model"'


# -- typed values ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kind", "good", "kept"),
    [
        ("number", "12.5", "12.5"),
        ("number", "-1e3", "-1e3"),
        ("date", "2024-02-29", "2024-02-29"),
        ("time", "09:05", "09:05"),
        ("time", "09:05:00", "09:05"),
        ("datetime-local", "2024-02-29 09:05", "2024-02-29T09:05"),
        ("month", "2024-02", "2024-02"),
        ("week", "2024-W05", "2024-W05"),
        ("color", "#FF8800", "#ff8800"),
        ("range", "70", "70"),
    ],
)
async def test_typed_values(page: Page, site: Site, kind: str, good: str, kept: str) -> None:
    await show(page, site, f"<input id=i type={kind}>")
    report = await fill(page, "css=#i", good)
    assert not report.differs
    assert await value(page, "i.value") in (f'"{kept}"', f'"{good}"')
    assert (await value(page, "seen")).startswith('["input i"')


@pytest.mark.parametrize(
    ("kind", "bad", "expected"),
    [
        ("number", "twelve", "12.5"),
        ("date", "31.01.2024", "YYYY-MM-DD"),
        ("date", "2024-02-31", "YYYY-MM-DD"),
        ("time", "9 o'clock", "HH:MM"),
        ("datetime-local", "2024-01-31", "YYYY-MM-DDTHH:MM"),
        ("month", "January", "YYYY-MM"),
        ("week", "5", "YYYY-Www"),
        ("color", "red", "#rrggbb"),
        ("color", "", "#rrggbb"),
        ("range", "much", "a number"),
    ],
)
async def test_bad_values_are_refused_with_the_format(
    page: Page, site: Site, kind: str, bad: str, expected: str
) -> None:
    await show(page, site, f"<input id=i type={kind}>")
    before = await value(page, "i.value")
    with pytest.raises(FillFailed, match=re.escape(expected)):
        await fill(page, "css=#i", bad)
    assert await value(page, "i.value") == before
    assert await value(page, "seen") == "[]"


async def test_a_limit_that_chrome_applies_is_said(page: Page, site: Site) -> None:
    await show(page, site, "<input id=i type=range min=0 max=10>")
    report = await fill(page, "css=#i", "99")
    assert (report.value_after, report.differs) == ("10", True)


# -- switches and choices ----------------------------------------------------------------------------------


async def test_switches(page: Page, site: Site) -> None:
    await show(
        page,
        site,
        "<input id=c type=checkbox><input id=r1 type=radio name=r checked><input id=r2 type=radio name=r>"
        "<div id=s role=switch aria-checked=false tabindex=0 onclick=\"this.ariaChecked = this.ariaChecked == 'true' ? "
        "'false' : 'true'\">S</div><label for=hid id=l>Label</label><input id=hid type=checkbox style='display:none'>",
    )
    assert (await fill(page, "css=#c", "true")).value_after == "true"
    assert (await fill(page, "css=#c", "true")).value_after == "true"
    assert await value(page, "[c.checked, seen]") == '[true,["input c","change c"]]'
    assert (await fill(page, "css=#c", "false")).value_after == "false"
    assert not (await fill(page, "css=#r2", "true")).differs
    assert await value(page, "[c.checked, r1.checked, r2.checked]") == "[false,false,true]"
    assert (await fill(page, "css=#s", "true")).value_after == "true"
    assert not (await fill(page, "css=#hid", "true")).differs
    assert not (await fill(page, "css=#l", "false")).differs
    assert await value(page, "hid.checked") == "false"
    with pytest.raises(FillFailed, match="true or false"):
        await fill(page, "css=#c", "maybe")
    with pytest.raises(FillFailed, match="can't be switched off"):
        await fill(page, "css=#r2", "false")


async def test_a_switch_that_refuses_is_said(page: Page, site: Site) -> None:
    await show(page, site, "<input id=c type=checkbox onclick='return false'>")
    report = await fill(page, "css=#c", "true")
    assert (report.value_after, report.differs) == ("false", True)


async def test_a_covered_switch_is_refused(page: Page, site: Site) -> None:
    await show(page, site, "<input id=c type=checkbox><div style='position:fixed;inset:0'></div>")
    with pytest.raises(ElementCovered):
        await fill(page, "css=#c", "true")


SELECT = """<select id=s><option value=''>Choose…<option value=de>Germany<option value=FR>France
<option value=gb>United Kingdom<option value=us>United States<option disabled>Mars</select>"""


@pytest.mark.parametrize(
    ("wanted", "chosen"),
    [("Germany", "de"), ("FR", "FR"), ("fr", "FR"), ("FRANCE", "FR"), ("United K", "gb"), ("Choose…", "")],
)
async def test_choices(page: Page, site: Site, wanted: str, chosen: str) -> None:
    await show(page, site, SELECT)
    await evaluate(page, "() => { s.value = 'us' }")
    report = await fill(page, "css=#s", wanted)
    assert not report.differs
    assert await value(page, "[s.value, seen]") == f'["{chosen}",["input s","change s"]]'


@pytest.mark.parametrize(
    ("wanted", "words"),
    [
        ("Spain", '"Germany", "France", "United Kingdom", "United States", "Mars" (disabled)'),
        ("United", '"United Kingdom", "United States"'),
        ("Mars", "is disabled"),
    ],
)
async def test_choices_there_are_not(page: Page, site: Site, wanted: str, words: str) -> None:
    await show(page, site, SELECT)
    with pytest.raises(FillFailed, match=re.escape(words)):
        await fill(page, "css=#s", wanted)
    assert await value(page, "seen") == "[]"


# -- refusals ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("html", "error", "words"),
    [
        ("<input id=i disabled>", ElementDisabled, "is disabled"),
        ("<fieldset disabled><input id=i></fieldset>", ElementDisabled, "fieldset"),
        ("<input id=i readonly value=x>", ElementDisabled, "read-only"),
        ("<textarea id=i readonly></textarea>", ElementDisabled, "read-only"),
        ("<input id=i type=date readonly>", ElementDisabled, "read-only"),
        ("<select id=i disabled></select>", ElementDisabled, "is disabled"),
        ("<input id=i style='display:none'>", ElementHidden, "display: none"),
        ("<div hidden><textarea id=i></textarea></div>", ElementHidden, "display: none"),
        ("<input id=i type=file>", FillFailed, "upload_file"),
        ("<input id=i type=submit>", FillFailed, "click"),
        ("<button id=i>B</button>", FillFailed, "takes no text"),
        ("<div id=i>D</div>", FillFailed, "takes no text"),
        ("<select id=i></select>", FillFailed, "no choices"),
    ],
)
async def test_what_cannot_be_filled_says_why(
    page: Page, site: Site, html: str, error: type[Exception], words: str
) -> None:
    await show(page, site, html)
    with pytest.raises(error, match=re.escape(words)):
        await fill(page, "css=#i", "true")
    assert await value(page, "seen") == "[]"


async def test_an_element_that_is_gone(page: Page, site: Site) -> None:
    await show(page, site, "<div id=root><input></div>")
    uid = (await value(page, "() => document.querySelector('input')")).split()[0].removeprefix("uid=")
    await fill(page, uid, "one")
    await evaluate(page, "() => { root.innerHTML = '<input>' }")
    with pytest.raises(ElementGone):
        await fill(page, uid, "two")


async def test_a_dialog_meanwhile_is_no_error(page: Page, site: Site) -> None:
    await show(page, site, "<input id=i oninput='alert(this.value)'><input id=d type=date onchange='alert(1)'>")
    report = await fill(page, "css=#i", "text")
    assert not report.is_verified
    assert page.dialog is not None
    await page.handle_dialog(True)
    assert await value(page, "i.value") == '"text"'
    assert not (await fill(page, "css=#d", "2024-01-31")).is_verified
    await page.handle_dialog(True)
    assert await value(page, "d.value") == '"2024-01-31"'


# -- frames and shadow roots -------------------------------------------------------------------------------


@pytest.mark.parametrize("other", [False, True], ids=["same process", "other process"])
async def test_in_frames(page: Page, site: Site, other: bool) -> None:
    inner = site.page("<input id=i value=old><input id=d type=date><input id=c type=checkbox>" + RECORD, other=other)
    await show(page, site, f"<input id=outside value=mine autofocus><iframe src='{inner}'></iframe>")
    await fill(page, "css=#outside", "also")
    assert not (await fill(page, "css=#i", "in the frame")).differs
    assert not (await fill(page, "css=#d", "2024-01-31")).differs
    assert not (await fill(page, "css=#c", "true")).differs
    frame = page.main_frame.children[0]
    assert (
        await evaluate(page, "[i.value, d.value, c.checked]", frame=frame)
    ).text == '["in the frame","2024-01-31",true]'
    assert await value(page, "outside.value") == '"also"'


@pytest.mark.parametrize("mode", ["open", "closed"])
async def test_in_shadow_roots(page: Page, site: Site, mode: str) -> None:
    await show(
        page,
        site,
        f"<div id=host></div><script>const root = host.attachShadow({{mode: '{mode}'}});"
        "root.innerHTML = '<input value=old>'; const inner = root.firstChild</script>",
    )
    uid = (await value(page, "() => inner")).split()[0].removeprefix("uid=")
    assert not (await fill(page, uid, "new")).differs
    assert await value(page, "inner.value") == '"new"'


# -- editors, masks and switches of every make ---------------------------------------------------------------


async def test_a_thousand_lines_for_an_editable_element(page: Page, site: Site) -> None:
    await show(page, site, "<div id=d contenteditable style='white-space: pre-wrap'>old</div>")
    text = "\n".join(f"Line {n}: some words" for n in range(1000))
    assert not (await fill(page, "css=#d", text)).differs
    assert await value(page, "d.innerText.split('\\n').length") == "1000"
    assert await value(page, "seen") == '["input d"]'


async def test_an_editor_that_takes_many_lines_from_a_paste(page: Page, site: Site) -> None:
    await show(
        page,
        site,
        "<div id=d contenteditable>old</div><script>let model = ''; d.onpaste = e => { e.preventDefault();"
        "model = e.clipboardData.getData('text/plain'); d.innerText = model }</script>",
    )
    text = "\n".join(f"Line {n}" for n in range(50))
    assert not (await fill(page, "css=#d", text)).differs
    assert await value(page, "model.split('\\n').length") == "50"


async def test_an_editor_behind_a_field_that_cannot_be_seen(page: Page, site: Site) -> None:
    # Its keys are what counts: all is selected and replaced as the editor does it.
    await show(
        page,
        site,
        "<textarea id=t style='position:absolute;width:1px;height:1px;opacity:0'></textarea><pre id=drawn>old</pre>"
        "<script>let all = false; t.onkeydown = e => { if (e.ctrlKey && e.key == 'a' || e.metaKey) all = true };"
        "t.oninput = () => { drawn.textContent = (all ? '' : drawn.textContent) + t.value; t.value = ''; all = false }"
        "</script>",
    )
    report = await fill(page, "css=#t", "new")
    assert (report.differs, report.is_verified) == (False, False)
    assert await value(page, "drawn.textContent") == '"new"'


async def test_a_mask_that_listens_to_keys_only(page: Page, site: Site) -> None:
    await show(
        page,
        site,
        "<input id=i><script>let digits = ''; i.onkeydown = e => { if (/^\\d$/.test(e.key)) { digits += e.key;"
        "e.preventDefault(); i.value = digits.replace(/(\\d{2})(?=\\d)/g, '$1-') }"
        " else if (e.key == 'Delete') digits = '' };"
        "i.oninput = () => { i.value = '' }</script>",
    )
    report = await fill(page, "css=#i", "123456")
    assert (report.value_after, report.is_reformatted) == ("12-34-56", True)
    report.raise_if_differs()


@pytest.mark.parametrize(
    ("after", "separated"), [("12-34", True), ("(1234)", True), ("12.34", False), ("1235", False), ("123", False)]
)
async def test_only_separators_are_another_form_of_a_value(page: Page, site: Site, after: str, separated: bool) -> None:
    await show(page, site, f'<input id=i oninput="value = {after!r}">')
    report = await fill(page, "css=#i", "1234")
    assert (report.value_after, report.differs, report.is_reformatted) == (after, True, separated)


async def test_switches_that_are_neither_on_nor_off_and_buttons_that_stay_pressed(page: Page, site: Site) -> None:
    await show(
        page,
        site,
        "<div id=m role=checkbox aria-checked=mixed onclick=\"this.ariaChecked = this.ariaChecked == 'false' ? 'true'"
        " : 'false'\">M</div><button id=b aria-pressed=false onclick=\"this.ariaPressed = 'true'\">B</button>"
        "<button id=late role=switch aria-checked=false"
        " onclick=\"setTimeout(() => this.ariaChecked = 'true', 20)\">L</button>",
    )
    assert (await fill(page, "css=#m", "true")).value_after == "true"
    assert (await fill(page, "css=#b", "on")).value_after == "true"
    assert not (await fill(page, "css=#late", "true")).differs
