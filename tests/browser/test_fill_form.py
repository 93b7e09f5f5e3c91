"""Forms filled in one pass: all or nothing before it begins, a result for each field, an end where it must."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from pagelens.browser.element import find_elements
from pagelens.browser.evaluate import evaluate
from pagelens.browser.fill_form import fill_form
from pagelens.browser.page import Page
from pagelens.errors import (
    ElementDisabled,
    ElementGone,
    ElementHidden,
    ElementNotFound,
    FillFailed,
    InvalidInput,
)
from tests.support.site import Site

#: No test begins with what is in the page: they open documents of their own.
REUSES_PAGE = "as it is"

TWENTY = "".join(
    [
        *(f"<input id=t{n} value=old>" for n in range(6)),
        *(f"<input id=c{n} type=checkbox{' checked' * (n % 2)}>" for n in range(4)),
        *(f"<select id=s{n}><option>One<option value=2>Two<option>Three</select>" for n in range(4)),
        "<textarea id=a>old</textarea><input id=d type=date><input id=n type=number><input id=r type=radio name=r>"
        "<input id=g type=range><div id=e contenteditable>old</div>",
    ]
)


async def value(page: Page, expression: str) -> Any:
    return json.loads((await evaluate(page, expression)).text)


async def test_twenty_fields_of_every_kind(page: Page, site: Site) -> None:
    await page.navigate(site.page(TWENTY))
    fields = {
        **{f"t{n}": f"text {n}" for n in range(6)},
        **{f"c{n}": "true" for n in range(4)},
        **{f"s{n}": "two" for n in range(4)},
        "a": "line\nline",
        "d": "2024-02-29",
        "n": "12.5",
        "r": "true",
        "g": "70",
        "e": "rich",
    }
    report = await fill_form(page, [(f"css=#{name}", text) for name, text in fields.items()])
    report.raise_if_failed()
    assert report.filled == 20
    assert [one.report and one.report.differs for one in report.fields] == [False] * 20
    now = await value(
        page,
        "() => Object.fromEntries([...document.querySelectorAll('[id]')].map(e => [e.id, e.type == 'checkbox' ||"
        " e.type == 'radio' ? String(e.checked) : e.value ?? e.innerText]))",
    )
    assert now == {**fields, **{f"s{n}": "2" for n in range(4)}}


async def test_uids_and_selectors_in_frames(page: Page, site: Site) -> None:
    inner = site.page("<input id=i value=old><input id=c type=checkbox>", other=True)
    await page.navigate(site.page(f"<input id=o><iframe src='{inner}'></iframe><input id=p>"))
    ((_, number),) = await find_elements(page, "css=#c")
    report = await fill_form(
        page, [("css=#o", "outside"), ("css=#i", "inside"), (f"e{number}", "true"), ("css=#p", "outside again")]
    )
    assert report.filled == 4
    assert await value(page, "[o.value, p.value]") == ["outside", "outside again"]
    inside = await evaluate(page, "[i.value, c.checked]", frame=page.main_frame.children[0])
    assert inside.text == '["inside",true]'


@pytest.mark.parametrize(
    ("target", "text", "error", "words"),
    [
        ("css=#off", "x", ElementDisabled, "is disabled"),
        ("css=#hid", "x", ElementHidden, "display: none"),
        ("css=#none", "x", ElementNotFound, "No element matches"),
        ("e99999", "x", ElementNotFound, "e99999"),
        ("css=#b", "x", FillFailed, "takes no text"),
        ("css=#d", "tomorrow", FillFailed, "YYYY-MM-DD"),
        ("css=#s", "Four", FillFailed, '"One", "Two"'),
        ("css=#t", "again", InvalidInput, "more than once"),
        ("the field", "x", InvalidInput, "names no element"),
    ],
)
async def test_nothing_is_filled_when_one_field_cannot_be(
    page: Page, site: Site, target: str, text: str, error: type[Exception], words: str
) -> None:
    await page.navigate(
        site.page(
            "<input id=t value=old><input id=off disabled><input id=hid style='display:none'><button id=b>B</button>"
            "<input id=d type=date><select id=s><option>One<option>Two</select>"
            "<script>let events = 0; for (const kind of ['input', 'change', 'focusin'])"
            " addEventListener(kind, () => events++, true)</script>"
        )
    )
    with pytest.raises(error, match="Nothing was filled.*" + re.escape(words)):
        await fill_form(page, [("css=#t", "new"), (target, text)])
    assert await value(page, "[t.value, events]") == ["old", 0]


async def test_all_that_cannot_be_filled_is_named(page: Page, site: Site) -> None:
    await page.navigate(site.page("<input id=t><input id=off disabled><input id=d type=date>"))
    with pytest.raises(FillFailed, match=r"2 of 3 fields can't be.*disabled.*YYYY-MM-DD"):
        await fill_form(page, [("css=#off", "x"), ("css=#t", "new"), ("css=#d", "tomorrow")])
    with pytest.raises(InvalidInput, match="no field"):
        await fill_form(page, [])


async def test_a_field_that_is_refused_does_not_stop_the_others(page: Page, site: Site) -> None:
    await page.navigate(
        site.page(
            "<input id=a><input id=no oninput='value = \"mine\"'><input id=c type=checkbox onclick='return false'>"
            "<input id=phone oninput=\"value = value.replace(/\\D/g, '').replace(/(\\d{3})(?=\\d)/g, '$1-')\">"
            "<input id=z>"
        )
    )
    fields = [("css=#a", "1"), ("css=#no", "x"), ("css=#c", "true"), ("css=#phone", "123456"), ("css=#z", "2")]
    report = await fill_form(page, fields)
    assert [bool(one.failure) for one in report.fields] == [False, True, True, False, False]
    phone = report.fields[3].report
    assert phone is not None
    assert (phone.value_after, phone.is_reformatted) == ("123-456", True)
    assert report.filled == 3
    with pytest.raises(FillFailed, match=r"3 of 5 fields.*css=#no.*css=#c"):
        report.raise_if_failed()
    assert await value(page, "[a.value, z.value]") == ["1", "2"]


async def test_what_one_field_causes_is_seen_by_the_next(page: Page, site: Site) -> None:
    # In a task of its own the page makes the second field anew: its uid is gone, and that is said.
    await page.navigate(
        site.page(
            "<input id=a oninput='setTimeout(() => { box.innerHTML = `<input id=b>` })'><div id=box><input id=b></div>"
            "<input id=c type=checkbox><input id=d>"
        )
    )
    report = await fill_form(page, [("css=#a", "1"), ("css=#c", "true"), ("css=#b", "2"), ("css=#d", "3")])
    assert isinstance(report.fields[2].error, ElementGone)
    assert await value(page, "[a.value, d.value]") == ["1", "3"]


async def test_a_dialog_ends_it_and_what_is_not_known_is_said(page: Page, site: Site) -> None:
    await page.navigate(
        site.page("<input id=a><input id=b onchange='alert(1)'><input id=c><input id=d type=checkbox><input id=e>")
    )
    report = await fill_form(page, [(f"css=#{name}", "true") for name in "abcde"])
    assert page.dialog is not None
    assert "a dialog opened" in report.stopped
    assert "css=#a to css=#e (5 fields)" in report.stopped
    await page.handle_dialog(True)
    # A click that opens one: all before it is known.
    await page.navigate(site.page("<input id=a><input id=c type=checkbox onclick='alert(1)'><input id=z value=old>"))
    report = await fill_form(page, [("css=#a", "new"), ("css=#c", "true"), ("css=#z", "new")])
    assert report.fields[0].report is not None
    assert not report.fields[0].report.differs
    assert report.stopped == "css=#z was not filled: a dialog opened."
    await page.handle_dialog(True)
    assert await value(page, "[a.value, c.checked, z.value]") == ["new", True, "old"]


async def test_a_new_document_ends_it(page: Page, site: Site) -> None:
    target = site.page("<h1>Next</h1>")
    await page.navigate(
        site.page(f'<input id=a><input id=c type=checkbox onclick="location = {target!r}"><input id=z>')
    )
    async with page.acting("script") as effect:
        report = await fill_form(page, [("css=#a", "new"), ("css=#c", "true"), ("css=#z", "new")])
    assert effect.navigated_to == target
    assert len(report.fields) == 3
