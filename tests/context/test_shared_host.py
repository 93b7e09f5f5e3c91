"""Several agents on one browser: everyone sees all pages, and nobody moves another one's selection."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest_asyncio

from pagelens.browser.host import BrowserHost
from pagelens.context.mcp_context import McpContext
from tests.support.site import Site


@pytest_asyncio.fixture(loop_scope="session")
async def agents(own_host: BrowserHost) -> AsyncIterator[tuple[McpContext, McpContext]]:
    """Two contexts, ready to work, on one host."""
    both = McpContext(own_host, own_host.options), McpContext(own_host, own_host.options)
    for agent in both:
        await agent.ensure_browser()
        agent.drain_notices()
    yield both
    for agent in both:
        agent.close()
        agent.close()
    assert own_host.users == 0
    for page in list(own_host.pages.values())[1:]:
        await page.close()


async def test_each_begins_with_a_page_of_its_own(agents: tuple[McpContext, McpContext]) -> None:
    one, other = agents
    assert one.selected_id != other.selected_id
    assert {page.id for page in one.pages()} == {page.id for page in other.pages()}


async def test_selections_do_not_meet(agents: tuple[McpContext, McpContext]) -> None:
    one, other = agents
    kept = other.selected_id
    opened = await one.new_page()
    assert one.selected_id == opened.id
    assert other.selected_id == kept
    await one.close_page(opened.id)
    assert other.selected_id == kept
    assert other.drain_notices() == []
    # A page may be named, or even selected, whoever opened it.
    assert other.page(one.selected_page().id).page is one.selected_page().page
    other.select(one.selected_page().id)
    assert one.selected_id == other.selected_id


async def test_a_page_that_another_agent_closes_is_news(agents: tuple[McpContext, McpContext]) -> None:
    one, other = agents
    shared = other.selected_page().id
    await one.close_page(shared)
    await other.ensure_browser()
    assert other.selected_id != shared
    assert other.selected_id != one.selected_id
    (notice,) = other.drain_notices()
    assert f"Page {shared} closed; page {other.selected_id} is selected now" in notice.text
    assert one.drain_notices() == []


async def test_a_context_that_closes_its_last_own_page_gets_a_blank_one(
    agents: tuple[McpContext, McpContext],
) -> None:
    one, other = agents
    before = {page.id for page in one.pages()}
    selected = await other.close_page(other.selected_page().id)
    assert selected.id not in before
    assert selected.url == "about:blank"


async def test_records_are_numbered_for_each(agents: tuple[McpContext, McpContext], site: Site) -> None:
    one, other = agents
    page = one.selected_page()
    await page.navigate(site.page("<script>console.log('hello')</script>"))
    await other.selected_page().navigate(site.url("/blank"))
    assert [message.id for message in one.page(page.id).console.get_data()] == [1]
    assert [message.id for message in other.page(page.id).console.get_data()] == [1]
    assert one.reqids is not other.reqids


async def test_everyone_is_told_that_the_browser_came_back(agents: tuple[McpContext, McpContext]) -> None:
    one, other = agents
    assert one.host._browser is not None
    await one.host._browser.connection.close()
    for agent in agents:
        await agent.ensure_browser()
        (notice,) = agent.drain_notices()
        assert notice.kind == "reconnected"
        assert f"Page {agent.selected_id}, blank, is selected now" in notice.text
    assert one.selected_id != other.selected_id
    assert one.host.generation >= 2


async def test_none_closes_the_host(agents: tuple[McpContext, McpContext]) -> None:
    one, other = agents
    one.close()
    assert other.host.is_running
    await other.ensure_browser()
