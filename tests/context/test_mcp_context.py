"""Pages, selection and notices of one agent."""

from __future__ import annotations

import asyncio
import os
import signal

import pytest

from pagelens.browser.host import BrowserHost
from pagelens.browser.page import Page
from pagelens.browser.process import ChromeProcess
from pagelens.context.mcp_context import McpContext
from pagelens.core.options import Options
from pagelens.errors import PageClosed, PageNotFound
from pagelens.response.mcp_response import McpResponse
from tests.support.site import Site


def ids(context: McpContext) -> list[int]:
    return [page.id for page in context.pages()]


def said(context: McpContext) -> list[str]:
    return [notice.text for notice in context.drain_notices()]


async def closed(page: Page) -> None:
    """Wait until a page is gone that something else closes."""
    assert await page.loads.wait(lambda: page.closed is not None, 10)


async def kill(host: BrowserHost) -> None:
    """End Chrome the hard way and wait until the host knows."""
    pages = list(host.pages.values())
    assert isinstance(host._browser, ChromeProcess)
    os.kill(host._browser.pid, signal.SIGKILL)
    for page in pages:
        await closed(page)


async def test_the_browser_starts_at_the_first_need_with_a_page_selected(browser_options: Options) -> None:
    host = BrowserHost(browser_options)
    context = McpContext(host, browser_options)
    try:
        assert host.generation == 0
        assert context.pages() == []
        assert context.current_page() is None
        with pytest.raises(PageNotFound):
            context.selected_page()
        await asyncio.gather(context.ensure_browser(), context.ensure_browser(), context.ensure_browser())
        assert host.generation == 1
        assert ids(context) == [context.selected_id]
        assert not context.selected_page().is_loading
        assert said(context) == host.notes
        await context.ensure_browser()
        assert said(context) == []
    finally:
        await host.close()


async def test_new_pages_are_selected_and_their_ids_go_up(context: McpContext) -> None:
    first = context.selected_page()
    second = await context.new_page()
    assert second.id > first.id
    assert context.selected_page() is second
    assert context.select(first.id) is first
    assert context.selected_id == first.id
    assert ids(context) == [first.id, second.id]


async def test_unknown_and_closed_pages_are_told_apart(context: McpContext) -> None:
    first = context.selected_page()
    second = await context.new_page()
    await context.close_page(second.id)
    with pytest.raises(PageClosed, match=rf"Page {second.id} is closed .* Open pages: {first.id}"):
        context.page(second.id)
    with pytest.raises(PageNotFound, match="no page 999"):
        context.select(999)
    assert context.selected_id == first.id


async def test_a_selection_that_falls_back_is_said_once(context: McpContext) -> None:
    first = context.selected_page()
    second = await context.new_page()
    await second.page.close()
    assert context.selected_page() is first
    assert said(context) == [f"Page {second.id} closed; page {first.id} is selected now: about:blank"]
    assert said(context) == []


async def test_the_page_the_agent_knew_is_named_when_several_close(context: McpContext) -> None:
    first = context.selected_page()
    second = await context.new_page()
    third = await context.new_page()
    context.select(first.id)
    await first.page.close()
    await second.page.close()
    assert said(context) == [f"Page {first.id} closed; page {third.id} is selected now: about:blank"]


async def test_another_page_that_closes_is_no_news(context: McpContext) -> None:
    first = context.selected_page()
    second = await context.new_page()
    context.select(first.id)
    await second.page.close()
    assert said(context) == []


async def test_a_popup_that_closes_hands_back_to_its_opener(context: McpContext, site: Site) -> None:
    await context.new_page()
    opener = await context.new_page()
    await opener.navigate(site.page("<title>Opener</title>"))
    done = await opener.evaluate(f"() => {{ open({site.url('/blank')!r}) }}")
    (popup,) = done.effect.new_pages
    assert context.page(popup.id).opener_id == opener.id
    assert context.selected_page() is opener, "a popup is never selected by itself"
    context.select(popup.id)
    await popup.close()
    assert context.selected_page() is opener
    assert said(context) == [f"Page {popup.id} closed; page {opener.id} is selected now: {opener.printable_url}"]


async def test_close_page_says_nothing_by_itself_and_leaves_a_page(context: McpContext) -> None:
    only = context.selected_page()
    blank = await context.close_page(only.id)
    assert ids(context) == [blank.id]
    assert blank.id > only.id
    assert context.selected_page() is blank
    assert said(context) == []


async def test_the_last_page_closes_by_itself(context: McpContext) -> None:
    only = context.selected_page()
    await only.page.close()
    assert context.current_page() is None
    await context.ensure_browser()
    now = context.selected_page()
    assert said(context) == [f"Page {only.id} closed; page {now.id} is selected now: about:blank"]


async def test_a_lost_browser_is_one_notice_and_ids_go_on(context: McpContext, site: Site) -> None:
    await context.selected_page().navigate(site.url("/"))
    (request, *_) = context.selected_page().network.get_data()
    await context.new_page()
    before = context.select(ids(context)[0])
    await kill(context.host)
    assert context.pages() == []
    await asyncio.gather(context.ensure_browser(), context.ensure_browser())
    now = context.selected_page()
    assert now.id > before.id
    reply = await McpResponse().handle(context)
    assert reply.structured == {"reconnected": True, "notices": [reply.text]}
    assert reply.text == (
        "Chrome had ended and was started again: all earlier pages and uids are gone "
        f"(page {before.id} was selected: {site.url('/')}). Page {now.id}, blank, is selected now."
    )
    assert said(context) == []
    await now.navigate(site.url("/"))
    assert now.network.get_data()[0].id > request.id
    with pytest.raises(PageClosed):
        context.page(before.id)


async def test_collectors_hear_a_page_from_its_first_word(context: McpContext, site: Site) -> None:
    url = site.page("<script>console.log('first word')</script>")
    popup_url = site.page("<script>console.log('popup word')</script>")
    page = await context.new_page()
    await page.navigate(url)
    assert url in [request.url for request in page.network.get_data()]
    assert "first word" in [message.text for message in page.console.get_data()]
    done = await page.evaluate(f"() => {{ open({popup_url!r}) }}")
    popup = context.page(done.effect.new_pages[0].id)
    await popup.page.loads.wait(lambda: popup.page.url == popup_url and not popup.is_loading, 10)
    assert popup_url in [request.url for request in popup.network.get_data()]
    assert "popup word" in [message.text for message in popup.console.get_data()]


async def test_a_closed_context_takes_no_pages_in_and_leaves_the_host_alone(own_host: BrowserHost) -> None:
    context = McpContext(own_host, own_host.options)
    await context.ensure_browser()
    before = ids(context)
    context.close()
    page = await own_host.new_page()
    assert ids(context) == before
    await page.close()
