"""Pages that loop, crash or take all memory: calls end in bounded time, other pages go on, the page can be saved."""

from __future__ import annotations

import asyncio

import pytest

from tests.e2e.helpers import PROMPT, page_ids, says, still_works
from tests.support.client import McpClient
from tests.support.site import Site


@pytest.mark.long
async def test_a_page_that_loops_for_ever_at_load(agent: McpClient, site: Site) -> None:
    looping = site.page("<h1>Loop</h1><script>while (true);</script>")
    reply = await agent.call("navigate_page", url=looping, timeout=3000)
    assert reply.seconds < 20
    says(await agent.ok("list_pages"), "Loop|/p\\d+\\.html|loading")
    assert (await agent.call("take_snapshot")).seconds < 40
    await still_works(agent, site)


async def test_a_click_that_loops_for_ever(agent: McpClient, site: Site) -> None:
    await agent.ok("navigate_page", url=site.page("<button onclick='while (true);'>Loop</button><h1>Survives</h1>"))
    reply = await agent.call("click", uid="text=Loop")
    assert reply.seconds < 40
    says(reply, "busy|ended|not answer|stuck|loop|script")
    shown = await agent.call("take_snapshot")
    assert 'heading "Survives"' in shown, shown
    await still_works(agent, site)


@pytest.mark.long
async def test_a_script_that_never_ends_is_ended(agent: McpClient, site: Site) -> None:
    """Two of them at once, on two pages: each has its own time."""
    await agent.ok("navigate_page", url=site.page("<h1>Survives</h1>"))
    (one,) = await page_ids(agent)
    await agent.ok("new_page", url=site.page("<h1>Survives too</h1>"))
    (two,) = set(await page_ids(agent)) - {one}
    loop, never = await asyncio.gather(
        agent.call("evaluate_script", function="() => { while (true); }", pageId=one),
        agent.call("evaluate_script", function="() => new Promise(() => 0)", pageId=two),
    )
    for reply in (loop, never):
        assert reply.is_error
        assert reply.seconds < 40
        says(reply, "ended|terminated|longer than|within|not finished")
    assert 'heading "Survives"' in await agent.snapshot(pageId=one)
    assert 'heading "Survives too"' in await agent.snapshot(pageId=two)


async def test_a_stuck_page_blocks_no_other(agent: McpClient, site: Site) -> None:
    await agent.ok("navigate_page", url=site.page("<button onclick='while (true);'>Loop</button>"))
    (stuck,) = await page_ids(agent)
    clicking = asyncio.create_task(agent.call("click", uid="text=Loop", pageId=stuck))
    opened = await agent.ok("new_page", url=site.url("/"))
    assert opened.seconds < PROMPT
    (other,) = set(await page_ids(agent)) - {stuck}
    assert 'heading "Home"' in await agent.snapshot(pageId=other)
    assert (await agent.ok("list_pages")).seconds < PROMPT
    closed = await agent.ok("close_page", pageId=stuck)
    assert closed.seconds < PROMPT
    ended = await asyncio.wait_for(clicking, PROMPT)
    says(ended, "closed")


@pytest.mark.parametrize("url", ["chrome://crash", "chrome://kill"])
async def test_a_crash_is_told_and_a_navigation_revives_the_page(agent: McpClient, site: Site, url: str) -> None:
    await agent.ok("navigate_page", url=site.page("<h1>Alive</h1>"))
    reply = await agent.call("navigate_page", url=url)
    assert reply.is_error
    assert reply.seconds < PROMPT
    says(reply, "crash")
    for tool in ("take_snapshot", "take_screenshot"):
        dead = await agent.call(tool)
        assert dead.is_error
        assert dead.seconds < PROMPT
        says(dead, "crash")
    says(await agent.ok("list_pages"), "crash")
    await still_works(agent, site)


@pytest.mark.long
async def test_a_page_that_eats_all_memory_takes_nobody_with_it(agent: McpClient, site: Site) -> None:
    await agent.ok("navigate_page", url=site.page("<h1>Alive</h1>"))
    hog = "() => { const all = []; for (;;) all.push(new Array(1e6).fill(all.length + 0.5)); }"
    reply = await agent.call("evaluate_script", function=hog)
    assert reply.is_error
    assert reply.seconds < 40
    says(reply, "crash|ended|terminated|longer than|memory")
    await still_works(agent, site)
