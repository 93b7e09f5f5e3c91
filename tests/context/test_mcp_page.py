"""Actions that report their effect, also when the effect overtakes them."""

from __future__ import annotations

import pytest

from pagelens.context.mcp_context import McpContext
from pagelens.errors import DialogOpen, DocumentReplaced, NoDialog, PageClosed
from tests.support.site import Site


async def test_a_dialog_that_an_action_opens_is_its_effect(context: McpContext, site: Site) -> None:
    page = context.selected_page()
    await page.navigate(site.page("<button onclick=\"document.title = confirm('Sure?')\">Ask</button>"))
    done = await page.click("text=Ask")
    assert done.effect.dialog is page.dialog is not None
    assert page.dialog.message == "Sure?"
    with pytest.raises(DialogOpen):
        await page.evaluate("() => 1")
    answered = await page.handle_dialog(True)
    assert answered.report is not None
    assert answered.report.outcome == "accepted"
    assert page.dialog is None
    result = await page.evaluate("() => document.title")
    assert result.report is not None
    assert "true" in result.report.text
    with pytest.raises(NoDialog):
        await page.handle_dialog(True)


async def test_dialogs_of_a_script_are_answered_as_told(context: McpContext) -> None:
    page = context.selected_page()
    for action, expected in (("accept", "true,"), ("dismiss", "false,null"), ("otter", "true,otter")):
        done = await page.evaluate("() => confirm('1') + ',' + prompt('2')", dialog_action=action)
        assert done.report is not None
        assert expected in done.report.text
        assert page.dialog is None


async def test_a_script_held_by_its_dialog_has_no_report(context: McpContext) -> None:
    page = context.selected_page()
    done = await page.evaluate("() => { alert('hold'); return 1; }")
    assert done.report is None
    assert done.lost is None
    assert done.effect.dialog is not None
    await page.handle_dialog(True)


async def test_an_action_that_closes_its_page_has_done_so(context: McpContext, site: Site) -> None:
    opener = context.selected_page()
    await opener.navigate(site.page("<title>Opener</title>"))
    popup_url = site.page("<button onclick=window.close()>Close me</button>")
    opened = await opener.evaluate(f"() => {{ open({popup_url!r}) }}")
    popup = context.page(opened.effect.new_pages[0].id)
    await popup.page.loads.wait(lambda: not popup.is_loading, 10)
    done = await popup.click("text=Close me")
    assert done.effect.closed
    with pytest.raises(PageClosed):
        await popup.click("text=Close me")


async def test_a_script_that_navigates_loses_its_value_and_keeps_its_effect(context: McpContext, site: Site) -> None:
    page = context.selected_page()
    await page.navigate(site.page("<title>One</title>"))
    target = site.url("/")
    done = await page.evaluate(f"() => {{ location.href = {target!r}; return new Promise(() => 0); }}")
    assert done.effect.navigated_to == target
    assert done.report is None
    assert isinstance(done.lost, DocumentReplaced)


async def test_a_snapshot_is_kept(context: McpContext, site: Site) -> None:
    page = context.selected_page()
    assert page.last_snapshot is None
    await page.navigate(site.page("<h1>Kept</h1>"))
    snapshot = await page.snapshot()
    assert "Kept" in snapshot.text
    assert page.last_snapshot is snapshot
