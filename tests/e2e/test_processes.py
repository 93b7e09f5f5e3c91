"""Life and death of the server and its browser."""

from __future__ import annotations

import asyncio
import os
import re
import signal
from pathlib import Path

import pytest

from tests.e2e.helpers import page_ids
from tests.support.client import ERAS, Era, McpClient, RawClient, gone
from tests.support.site import Site


@pytest.fixture(params=ERAS)
def era(request: pytest.FixtureRequest) -> Era:
    return request.param


async def test_killing_the_server_leaves_no_chrome(era: Era, site: Site) -> None:
    async with RawClient(era=era) as agent:
        await agent.call("navigate_page", url=site.url("/"))
        browsers = agent.server.browsers()
        assert len(browsers) > 2
        agent.process.kill()
        assert not await gone(browsers)


@pytest.mark.parametrize(
    ("how", "busy"),
    [
        ("stdin", False),
        ("SIGTERM", True),
        *(
            pytest.param(*case, marks=pytest.mark.long)
            for case in (("stdin", True), ("SIGTERM", False), ("SIGINT", False), ("SIGINT", True))
        ),
    ],
)
async def test_the_server_ends_cleanly(era: Era, site: Site, how: str, busy: bool) -> None:
    """With its standard input held open for the signals: an end must not depend on the client."""
    async with RawClient(era=era) as agent:
        await agent.call("navigate_page", url=site.url("/"))
        browsers = agent.server.browsers()
        profile = _profile(browsers[0].cmdline())
        assert profile.is_dir()
        if busy:
            site.forget()
            wait = "() => new Promise(() => fetch('/mid-call'))"
            agent.post("tools/call", {"name": "evaluate_script", "arguments": {"function": wait}})
            await site.requested("/mid-call")
        if how == "stdin":
            assert agent.process.stdin is not None
            agent.process.stdin.close()
        else:
            agent.process.send_signal(getattr(signal, how))
        async with asyncio.timeout(15):
            code = await agent.process.wait()
        assert not await gone(browsers)
        assert not profile.exists(), "a throw-away profile was left behind"
        assert code in (0, 128 + getattr(signal, how, 0), -getattr(signal, how, 0))
        assert "Traceback" not in agent.server.stderr(), agent.server.stderr()


def _profile(command: list[str]) -> Path:
    (found,) = (part.partition("=")[2] for part in command if part.startswith("--user-data-dir="))
    return Path(found)


async def test_killing_chrome_costs_one_notice(era: Era, site: Site) -> None:
    async with McpClient(era=era) as agent:
        await agent.ok("navigate_page", url=site.url("/"))
        await agent.ok("new_page", url=site.url("/blank"))
        before = await page_ids(agent)
        browsers = agent.server.browsers()
        browsers[0].kill()
        assert not await gone(browsers)

        first = await agent.ok("navigate_page", url=site.url("/"))
        assert re.search(r"chrome|browser", first.text, re.I)
        assert re.search(r"again|restart|relaunch|new", first.text, re.I), first
        second = await agent.snapshot()
        assert 'heading "Home"' in second
        notice = first.text.splitlines()[0]
        assert notice not in second, "the notice came twice"
        after = await page_ids(agent)
        assert not set(before) & set(after), "page ids were used again"
        stale = await agent.call("take_snapshot", pageId=before[0])
        assert stale.is_error
        assert str(before[0]) in stale


async def test_chrome_dies_in_the_middle_of_a_call(era: Era, site: Site) -> None:
    async with McpClient(era=era) as agent:
        await agent.ok("navigate_page", url=site.url("/"))
        site.forget()
        waiting = []
        for number in range(3):
            source = f"() => new Promise(() => fetch('/dying/{number}'))"
            waiting.append(asyncio.create_task(agent.call("evaluate_script", function=source)))
            await site.requested(f"/dying/{number}")
        agent.server.browsers()[0].kill()
        for reply in await asyncio.wait_for(asyncio.gather(*waiting), 20):
            assert reply.is_error
            assert re.search(r"chrome|browser", reply.text, re.I), reply
        # Several calls at once start one browser, not several.
        replies = await asyncio.gather(*(agent.call("list_pages") for _ in range(5)))
        assert not any(reply.is_error for reply in replies), replies
        mains = [each for each in agent.server.browsers() if "--type=" not in " ".join(each.cmdline())]
        assert len({os.getpgid(each.pid) for each in mains}) == 1
        assert len([each for each in mains if any("--user-data-dir=" in part for part in each.cmdline())]) == 1
        await agent.ok("navigate_page", url=site.url("/"))
        assert 'heading "Home"' in await agent.snapshot()


@pytest.mark.long
async def test_chrome_lost_twice_is_started_twice(era: Era, site: Site) -> None:
    async with McpClient(era=era) as agent:
        seen: set[int] = set()
        for _ in range(3):
            await agent.ok("navigate_page", url=site.url("/"))
            fresh = await page_ids(agent)
            assert fresh
            assert not seen & set(fresh)
            seen |= set(fresh)
            browsers = agent.server.browsers()
            browsers[0].kill()
            assert not await gone(browsers)


async def test_two_servers_do_not_meet(era: Era, site: Site) -> None:
    async with McpClient(era=era) as one, McpClient(era=era) as two:
        await one.ok("navigate_page", url=site.url("/cookies/set", who="one"))
        await two.ok("navigate_page", url=site.url("/cookies"))
        assert "one" not in (await two.evaluate("() => document.querySelector('pre').textContent")).text
        await one.ok("navigate_page", url=site.url("/cookies"))
        assert "one" in await one.evaluate("() => document.querySelector('pre').textContent")
