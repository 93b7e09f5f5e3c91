"""Servers that work in a Chrome that runs already: two of them at once, and one among thirty tabs of a user."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from tests.support.client import ATTACHING, McpClient
from tests.support.running_chrome import Holder, Relay, RunningChrome
from tests.support.site import Site


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def chrome() -> AsyncIterator[RunningChrome]:
    async with RunningChrome() as running:
        yield running


def pages(text: str) -> dict[int, str]:
    """The lines of the list of pages, by id."""
    return {int(number): rest for number, rest in re.findall(r"^\s*(\d+): (.*)$", text, re.M)}


def own_page(text: str, url: str) -> int:
    return next(number for number, line in pages(text).items() if line.startswith(url))


async def test_two_clients_through_two_servers(chrome: RunningChrome, site: Site) -> None:
    url = site.page(
        "<h1>Who</h1><button onclick='this.textContent = 1'>Press</button><script>console.log('hi')</script>"
    )
    async with (
        McpClient("--browser-url", chrome.url, server=ATTACHING) as one,
        McpClient("--wsEndpoint", chrome.endpoint, server=ATTACHING, era="discover") as other,
    ):
        # Cookies of isolated contexts, one of the same name in each.
        names = {}
        for agent, who in ((one, "one"), (other, "other")):
            opened = await agent.ok("new_page", url=f"{url}?{who}", isolatedContext="mine")
            names[agent] = int(re.search(r"Opened page (\d+) in the isolated context \"mine\"", opened.text)[1])  # type: ignore[index]
            await agent.evaluate(f"() => {{ document.cookie = 'who={who}'; localStorage.who = '{who}' }}")
        for agent, who in ((one, "one"), (other, "other")):
            assert f'"who={who} {who}"' in await agent.evaluate("() => document.cookie + ' ' + localStorage.who")
        # Selections: each still has its own, whatever the other one selects, opens and closes.
        both = pages((await one.ok("list_pages")).text)
        assert sum("selected" in line for line in both.values()) == 1
        assert f"{url}?one" in both[names[one]]
        assert "selected" in both[names[one]]
        theirs = own_page((await other.ok("list_pages")).text, f"{url}?one")
        await other.ok("select_page", pageId=theirs)
        await one.ok("new_page", url=site.url("/"))
        assert "one" in await other.evaluate("() => location.search")
        assert "/" in await one.evaluate("() => location.pathname")
        # Uids and ids of records: on one page, each counts for itself, and neither names the other's.
        snapshots = [await one.ok("take_snapshot", pageId=names[one]), await other.ok("take_snapshot", pageId=theirs)]
        uids = [snapshot.uid("button") for snapshot in snapshots]
        await one.ok("click", uid=uids[0], pageId=names[one])
        again = await other.ok("take_snapshot", pageId=theirs)
        assert again.uid('button "1"') == uids[1]
        assert "\n1 " in await one.ok("list_console_messages", pageId=names[one])
        # A page that one closes is gone for both; the other's selection is said to have moved.
        await one.ok("close_page", pageId=names[one])
        moved = await other.ok("list_pages")
        assert f"Page {theirs} closed" in moved
    assert chrome.is_running()


async def test_one_server_ends_and_the_other_goes_on(chrome: RunningChrome, site: Site) -> None:
    async with McpClient("--browser-url", chrome.url, server=ATTACHING) as one:
        await one.ok("new_page", url=site.url("/"))
        async with McpClient("--browser-url", chrome.url, server=ATTACHING) as other:
            await other.ok("new_page", url=site.page("<h1>Stays</h1>", title="Stays"))
        listed = await one.ok("list_pages")
        assert '"Stays"' in listed  # what a server opened stays when it ends
        assert "/" in await one.evaluate("() => location.pathname")


async def test_a_line_that_is_cut(chrome: RunningChrome, site: Site) -> None:
    async with Relay(chrome.port) as relay, McpClient("--browser-url", relay.url, server=ATTACHING) as agent:
        opened = await agent.ok("new_page", url=site.page("<button>Stay</button>"))
        number = re.search(r"Opened page (\d+)", opened.text)[1]  # type: ignore[index]
        uid = (await agent.snapshot()).uid("Stay")
        relay.cut()
        reply = await agent.ok("click", uid=uid)
        assert "The connection to Chrome was lost" in reply
        assert f"Page {number} is selected now" in reply
        assert "lost" not in await agent.ok("list_pages")


async def test_thirty_tabs_some_of_them_stuck(site: Site) -> None:
    async with RunningChrome() as chrome, Holder(chrome) as holder:
        for number in range(25):
            await holder.open(site.page(f"<h1>Calm {number}</h1>", title=f"Calm {number}"))
        loops = [site.page("<script>addEventListener('message', () => {while (1);})</script>") for _ in range(2)]
        dialog, crash = site.page("d"), site.page("c")
        sessions = {}
        for url in (*loops, dialog, crash):
            sessions[url] = session = await holder.attach(await holder.open(url))
            for _ in range(600):
                if await holder.evaluate(session, f"location.href === '{url}' && document.readyState === 'complete'"):
                    break
                await asyncio.sleep(0.05)
        await holder.send("Page.enable", session=sessions[dialog])
        await holder.post("Runtime.evaluate", {"expression": "alert('before')"}, sessions[dialog])
        await holder.event(lambda e: e["method"] == "Page.javascriptDialogOpening")
        await holder.send("Inspector.enable", session=sessions[crash])
        gone = asyncio.create_task(holder.event(lambda e: e["method"] == "Inspector.targetCrashed"))
        while not gone.done():
            refused = await holder.post("Page.crash", session=sessions[crash])
            await asyncio.wait({gone, refused}, return_when=asyncio.FIRST_COMPLETED)
        for url in loops:  # now, as each takes all of a processor
            await holder.evaluate(sessions[url], "void postMessage(1, '*')")

        async with McpClient("--browser-url", chrome.url, server=ATTACHING) as agent:
            listed = await agent.ok("list_pages")
            assert len(pages(listed.text)) == 30
            for number in (0, 12, 24):
                found = next(n for n, line in pages(listed.text).items() if f'"Calm {number}"' in line)
                assert f"Calm {number}" in await agent.ok("take_snapshot", pageId=found)
                assert f"Calm {number}" in await agent.evaluate("() => document.title", pageId=found)
            stuck = [own_page(listed.text, url) for url in (loops[0], dialog)]
            for reply in await asyncio.gather(*(agent.call("take_snapshot", pageId=number) for number in stuck)):
                assert reply.is_error
                assert "page_unresponsive" in reply
                assert "does not answer" in reply
            reply = await agent.call("take_snapshot", pageId=own_page(listed.text, crash))
            assert reply.is_error
            assert "has no process" in reply
            await agent.ok("navigate_page", type="reload", pageId=own_page(listed.text, crash))
            await agent.ok("take_snapshot", pageId=own_page(listed.text, crash))
            await agent.ok("navigate_page", url=site.url("/"), pageId=own_page(listed.text, dialog))
            await agent.ok("close_page", pageId=own_page(listed.text, loops[1]))
            assert len(pages((await agent.ok("list_pages")).text)) == 29


@pytest.mark.parametrize("arguments", [("--browser-url", "http://127.0.0.1:1"), ("--auto-connect",)])
async def test_nobody_there_is_said_by_the_first_call_and_the_server_lives(
    arguments: tuple[str, ...], tmp_path: object
) -> None:
    async with McpClient(*arguments, server=ATTACHING, env={"HOME": str(tmp_path)}) as agent:
        for _ in range(2):
            reply = await agent.call("list_pages")
            assert reply.is_error
            assert "attach_failed" in reply
            assert "Tried:" in reply
