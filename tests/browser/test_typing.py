"""Typing where the focus is: what arrives, where, and what is said when nothing takes it."""

from __future__ import annotations

import pytest

from pagelens.browser.evaluate import evaluate
from pagelens.browser.page import Page
from pagelens.browser.type_text import KEYED, type_text
from pagelens.errors import DialogOpen, InvalidInput, NotEditable
from tests.support.site import Site

#: No test begins with what is in the page: they open documents of their own.
REUSES_PAGE = "as it is"

SHADOW = "<script>h.attachShadow({mode:'open'}).innerHTML='<textarea></textarea>';i=h.shadowRoot.firstChild</script>"


async def value(page: Page, expression: str) -> str:
    return (await evaluate(page, expression)).text


async def test_keys_arrive_as_from_a_person(page: Page, site: Site) -> None:
    script = "log = []; i.onkeydown = e => log.push([e.key, e.code, e.keyCode, e.shiftKey, e.isTrusted].join(' '))"
    await page.navigate(
        site.page(f"<input id=i autofocus value=Say:><script>{script}; i.setSelectionRange(4, 4)</script>")
    )
    report = await type_text(page, "aB 1!é")
    assert (report.value_after, report.is_changed, report.as_keys) == ("Say:aB 1!é", True, True)
    assert report.words == "<input#i>"
    assert await (await page.element(report.uid)).uid_number() > 0
    assert await value(page, "log") == (
        '["a KeyA 65 false true","Shift ShiftLeft 16 true true","B KeyB 66 true true","  Space 32 false true",'
        '"1 Digit1 49 false true","Shift ShiftLeft 16 true true","! Digit1 49 true true"]'
    )


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("<textarea id=i></textarea>", "one\ntwo"),
        ("<div id=i contenteditable></div>", "one\ntwo"),
        ("<div id=h></div>" + SHADOW, "one\ntwo"),
    ],
)
async def test_lines(page: Page, site: Site, html: str, expected: str) -> None:
    await page.navigate(site.page(html))
    await evaluate(page, "() => i.focus()")
    report = await type_text(page, "one\r\ntwo")
    assert report.value_after is not None
    assert report.value_after.replace("\n\n", "\n") == expected


async def test_into_frames(page: Page, site: Site) -> None:
    inner = site.page("<input id=i>", other=True)
    await page.navigate(site.page(f"<iframe src={inner}></iframe><iframe srcdoc='<input id=j>'></iframe>"))
    away, near = page.main_frame.children
    for frame, name in ((away, "i"), (near, "j")):
        await evaluate(page, f"() => {name}.focus()", frame=frame)
        assert (await type_text(page, "hello")).value_after == "hello"
        assert (await evaluate(page, f"{name}.value", frame=frame)).text == '"hello"'


async def test_focus_that_moves_on(page: Page, site: Site) -> None:
    fields = "<input maxlength=1 autofocus><input maxlength=1><input maxlength=1>"
    script = "<script>oninput = e => e.target.nextElementSibling?.focus()</script>"
    await page.navigate(site.page(fields + script))
    await type_text(page, "123")
    assert await value(page, "[...document.querySelectorAll('input')].map(i => i.value).join()") == '"1,2,3"'


async def test_much_text(page: Page, site: Site) -> None:
    await page.navigate(site.page("<textarea id=i autofocus></textarea>"))
    text = "otters \U0001f9a6 " * KEYED
    report = await type_text(page, text)
    assert not report.as_keys
    assert await value(page, "i.value.length") == str(len(text.encode("utf-16-le")) // 2)


async def test_submit_key(page: Page, site: Site) -> None:
    await page.navigate(site.page(f"<form action={site.url('/echo')}><input name=q autofocus></form>"))
    async with page.acting("input") as effect:
        report = await type_text(page, "otters", submit_key="Enter")
    assert report.value_after == "otters"
    assert effect.navigated_to == site.url("/echo", q="otters")
    with pytest.raises(InvalidInput):
        await type_text(page, "x", submit_key="Nokey")


async def test_text_that_the_page_does_not_take(page: Page, site: Site) -> None:
    await page.navigate(site.page("<input id=i autofocus onkeydown='event.preventDefault()' value=old>"))
    report = await type_text(page, "new")
    assert (report.value_after, report.is_changed) == ("old", False)


async def test_passwords_are_not_told(page: Page, site: Site) -> None:
    await page.navigate(site.page("<input id=i type=password autofocus>"))
    report = await type_text(page, "secret")
    assert (report.value_after, report.is_changed) == (None, True)


@pytest.mark.parametrize(
    ("html", "words"),
    [
        ("<p>Text", "Nothing has the focus"),
        ("<button id=i>Go</button>", r'uid=e\d+ <button#i> "Go": it takes no text'),
        ("<input id=i readonly>", "it is read-only"),
        ("<input id=i type=checkbox>", "it takes no text"),
    ],
)
async def test_where_nothing_can_be_typed(page: Page, site: Site, html: str, words: str) -> None:
    await page.navigate(site.page(html))
    await evaluate(page, "() => document.querySelector('#i')?.focus()")
    with pytest.raises(NotEditable, match=words):
        await type_text(page, "hello")


async def test_several_lines_for_a_field_of_one(page: Page, site: Site) -> None:
    await page.navigate(site.page("<input id=i autofocus>"))
    with pytest.raises(InvalidInput, match="one line"):
        await type_text(page, "one\ntwo")
    assert await value(page, "i.value") == '""'


async def test_a_dialog_amid_the_text(page: Page, site: Site) -> None:
    await page.navigate(site.page("<input id=i autofocus oninput=\"if (i.value === 'ab') alert('Enough')\">"))
    report = await type_text(page, "abcd", submit_key="Enter")
    assert (report.value_after, report.is_changed) == (None, None)
    with pytest.raises(DialogOpen):
        await type_text(page, "more")
    await page.handle_dialog(True)
