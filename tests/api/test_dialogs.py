"""Dialogs: who answers them, and what calls do meanwhile."""

from __future__ import annotations

import asyncio
import logging

import pytest

import pagelens
from pagelens.errors import DialogOpen, InvalidInput, NoDialog
from tests.support.site import Site

ASK = "<button onclick=\"document.title = String(confirm('Sure?'))\">Ask</button>"


async def test_nobody_is_there(page: pagelens.Page, caplog: pytest.LogCaptureFixture) -> None:
    await page.set_content(ASK)
    with caplog.at_level(logging.INFO, "pagelens"):
        effect = await page.click("css=button")
    assert effect.dialog is not None
    assert (effect.dialog.type, effect.dialog.message, effect.dialog.outcome) == ("confirm", "Sure?", "dismissed")
    assert await page.title() == "false"
    assert any('dismissed confirm "Sure?"' in record.getMessage() for record in caplog.records)
    assert await page.evaluate("() => [confirm('a'), prompt('b', 'c'), alert('d')]") == [False, None, None]
    assert page.dialog is None


async def test_dialogs_while_loading(page: pagelens.Page, site: Site) -> None:
    result = await page.goto(site.page("<script>alert(1); document.title = 'after ' + confirm(2)</script>"))
    assert (result.outcome, result.dialog) == ("loaded", None)
    assert await page.title() == "after false"


async def test_a_handler_answers(page: pagelens.Page, site: Site) -> None:
    seen: list[pagelens.Dialog] = []

    async def answer(dialog: pagelens.Dialog) -> None:
        seen.append(dialog)
        await asyncio.sleep(0.02)
        assert dialog.page.dialog == dialog
        await dialog.accept("typed" if dialog.message == "name" else None)

    page.on("dialog", answer)
    await page.set_content(ASK)
    await page.click("css=button")
    assert await page.title() == "true"
    assert await page.evaluate("() => [confirm('a'), prompt('name', 'x'), prompt('b', 'c')]") == [True, "typed", "c"]
    assert [(d.type, d.message, d.default_value, d.outcome) for d in seen] == [
        ("confirm", "Sure?", "", "accepted"),
        ("confirm", "a", "", "accepted"),
        ("prompt", "name", "x", "accepted"),
        ("prompt", "b", "c", "accepted"),
    ]
    result = await page.goto(site.page("<script>document.title = confirm('load')</script>"))
    assert result.outcome == "loaded"
    assert (await page.title(), seen[-1].url) == ("true", page.url)
    with pytest.raises(NoDialog, match="no longer open"):
        await seen[-1].accept()


async def test_a_lambda_may_answer(page: pagelens.Page) -> None:
    page.once("dialog", lambda dialog: dialog.accept())
    assert await page.evaluate("() => [confirm('a'), confirm('b')]") == [True, False]


async def test_a_handler_that_does_not_answer(page: pagelens.Page) -> None:
    seen: list[pagelens.Dialog] = []
    page.on("dialog", seen.append)
    await page.set_content(ASK)
    effect = await page.click("css=button")
    assert effect.dialog == seen[0]
    assert (seen[0].outcome, page.dialog) == (None, seen[0])
    with pytest.raises(DialogOpen, match="Sure"):
        await page.evaluate("1")
    await seen[0].accept()
    assert await page.evaluate("document.title") == "true"


async def test_a_handler_that_takes_too_long(page: pagelens.Page) -> None:
    release = asyncio.Event()

    async def slow(dialog: pagelens.Dialog) -> None:
        await release.wait()
        await dialog.dismiss()

    page.on("dialog", slow)
    with pytest.raises(DialogOpen):
        await page.evaluate("() => confirm('slow')", timeout=0.2)
    release.set()
    assert await page.evaluate("1 + 1") == 2


async def test_expect_dialog(page: pagelens.Page) -> None:
    await page.set_content(ASK)
    async with page.expect_dialog() as caught:
        effect = await page.click("css=button")
        assert effect.dialog == page.dialog
        with pytest.raises(DialogOpen):
            await page.evaluate("1")
    dialog = caught.value
    assert (dialog, dialog.outcome) == (effect.dialog, None)
    await dialog.accept()
    assert await page.evaluate("document.title") == "true"
    # Afterwards nobody waits: the next one is dismissed.
    await page.click("css=button")
    assert await page.title() == "false"


async def test_expect_a_certain_dialog(page: pagelens.Page) -> None:
    with pytest.raises(InvalidInput, match="has not come"):
        async with page.expect_dialog(lambda dialog: dialog.type == "prompt") as caught:
            _ = caught.value
    async with page.expect_dialog(lambda dialog: dialog.type == "prompt") as caught:
        async with page.expect_dialog() as first:
            await page.evaluate("() => { setTimeout(() => { document.title = confirm('1') + prompt('2') }) }")
        await first.value.accept()
    assert caught.value.message == "2"
    await caught.value.accept("x")
    assert await page.evaluate("document.title") == "truex"


async def test_a_dialog_that_is_not_the_expected_one(page: pagelens.Page) -> None:
    async with page.expect_dialog(lambda dialog: dialog.message == "second") as caught:
        await page.evaluate("() => { setTimeout(() => { document.title = confirm('first') + prompt('second') }) }")
    await caught.value.accept("x")
    assert await page.evaluate("document.title") == "falsex"


async def test_leaving_a_page_that_asks_to_stay(page: pagelens.Page, site: Site) -> None:
    target = site.url("/blank")
    asking = site.page(
        f"<button>b</button><a href='{target}'>go</a><script>onbeforeunload = (e) => e.preventDefault()</script>"
    )
    await page.goto(asking)
    await page.click("css=button")
    effect = await page.click("css=a")
    assert (effect.navigated_to, page.url) == (target, target)
    await page.goto(asking)
    await page.click("css=button")
    page.once("dialog", lambda dialog: dialog.dismiss())
    await page.click("css=a")
    assert page.url == asking
    await page.goto(target)
