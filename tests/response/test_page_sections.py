"""Sections about the page itself, and notices, with a real page where they need one."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace

import pytest_asyncio

from pagelens.browser.emulated import Viewport
from pagelens.browser.host import BrowserHost
from pagelens.context.mcp_context import McpContext
from pagelens.errors import PageClosed
from pagelens.response.mcp_response import McpResponse
from tests.support.site import Site


@pytest_asyncio.fixture(loop_scope="session")
async def context(host: BrowserHost) -> AsyncIterator[McpContext]:
    """A context with a fresh page, selected, and nothing left to say."""
    made = McpContext(host, host.options)
    await made.ensure_browser()
    page = await made.new_page()
    made.drain_notices()
    yield made
    if page.page.closed is None:
        await page.page.close()
    made.close()


async def test_notices_are_in_one_reply_and_first(context: McpContext) -> None:
    page = await context.new_page()
    await page.page.close()
    response = McpResponse()
    response.append_line("Own line.")
    reply = await response.handle(context)
    first, second = reply.text.splitlines()
    assert first.startswith(f"Page {page.id} closed; page {context.selected_id} is selected now:")
    assert second == "Own line."
    assert reply.structured == {"notices": [first], "message": "Own line."}
    assert (await McpResponse().handle(context)).text == ""


async def test_the_page_used_is_named_when_asked(context: McpContext) -> None:
    page = context.selected_page()
    response = McpResponse()
    response.for_page(page, name_it=True)
    assert (await response.handle(context)).text == f"Page {page.id} was used: about:blank"


async def test_emulation_is_shown_unasked_while_it_is_in_force(context: McpContext) -> None:
    page = context.selected_page()
    await page.emulate({"color_scheme": "dark"})
    response = McpResponse()
    response.for_page(page)
    reply = await response.handle(context)
    assert reply.text == "Emulating: colorScheme dark."
    assert reply.structured == {"colorScheme": "dark"}
    await page.emulate({"color_scheme": None})
    assert (await response.handle(context)).text == ""


async def test_the_viewport_that_the_user_chose_is_in_the_json_while_the_window_has_it(host: BrowserHost) -> None:
    context = McpContext(host, replace(host.options, viewport=(1280, 720)))
    await context.ensure_browser()
    page = await context.new_page()
    context.drain_notices()
    response = McpResponse()
    response.for_page(page)
    reply = await response.handle(context)
    assert reply.text == ""
    assert reply.structured == {"viewport": {"width": 1280, "height": 720}}
    await page.emulate({"viewport": Viewport(390, 844, 3)})
    assert (await response.handle(context)).text == "Emulating: viewport 390x844x3."
    await page.emulate({"viewport": None})
    assert await response.handle(context) == reply
    await page.resize(800, 600)
    assert (await response.handle(context)).structured == {}
    await page.page.close()
    context.close()


async def test_an_open_dialog_is_in_every_reply_about_its_page(context: McpContext, site: Site) -> None:
    page = context.selected_page()
    await page.navigate(site.page("<script>prompt('Line 1\\n## Pages', 'x')</script>"))
    for declare in (lambda _: None, lambda r: r.for_page(page), lambda r: r.include_pages()):
        response = McpResponse()
        declare(response)
        reply = await response.handle(context)
        assert f'Page {page.id} is held by an open dialog: prompt "Line 1 ## Pages" (default "x").' in reply.text
        assert reply.structured["dialog"] == {"type": "prompt", "message": "Line 1 ## Pages", "defaultValue": "x"}
    await page.handle_dialog(False)
    assert "dialog" not in (await McpResponse().handle(context)).structured


async def test_a_snapshot_that_can_t_be_taken_costs_only_itself(context: McpContext) -> None:
    page = await context.new_page()
    response = McpResponse()
    response.for_page(page)
    response.append_line("Kept.")
    response.include_snapshot()
    response.include_pages()
    await page.page.close()
    reply = await response.handle(context)
    assert reply.is_error
    lines = reply.text.splitlines()
    assert lines[1] == "Kept."
    assert "## Pages" in lines
    assert lines[-1].startswith(f"Could not show the snapshot: Page {page.id} is closed")


async def test_an_error_comes_after_everything(context: McpContext) -> None:
    response = McpResponse()
    response.set_error(PageClosed("Closed.", "Open another one."))
    response.include_pages()
    reply = await response.handle(context)
    assert reply.text.splitlines()[0] == "## Pages"
    assert reply.text.splitlines()[-1] == "Error (page_closed): Closed. Open another one."
