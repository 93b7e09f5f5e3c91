"""The main job: open a page, read it, act on it, see what happened."""

from __future__ import annotations

import asyncio
import io
import re
from pathlib import Path

from PIL import Image

from tests.e2e.helpers import page_ids
from tests.support.client import Era, McpClient
from tests.support.site import Site

FORM = """
<h1>Order</h1>
<form action=/echo method=post>
  <label>Name <input name=name required></label>
  <label>Size <select name=size><option value=s>Small<option value=l>Large</select></label>
  <label><input type=checkbox name=gift value=yes> Gift wrap</label>
  <button>Send order</button>
</form>
<script>console.log('ready', {items: 2}); fetch('/json?order=1')</script>
"""


async def test_the_server_answers_before_any_browser_starts(era: Era) -> None:
    async with McpClient(era=era) as agent:
        tools = await agent.tools()
        assert {"navigate_page", "take_snapshot", "click", "fill", "handle_dialog"} <= set(tools)
        assert not agent.server.browsers()
        instructions = agent.client.instructions or ""
        assert 0 < len(instructions) < 1000  # 250 tokens of about four characters
        await agent.ok("list_pages")
        assert agent.server.browsers()


async def test_read_fill_submit_and_see_what_happened(agent: McpClient, site: Site) -> None:
    url = site.page(FORM, title="Shop")
    opened = await agent.ok("navigate_page", url=url)
    assert url in opened

    shown = await agent.snapshot()
    assert 'heading "Order"' in shown
    assert 'page "Shop"' in shown
    assert "ready" in await agent.ok("list_console_messages")
    requests = await agent.ok("list_network_requests")
    # The origin is said once when enough requests have it.
    path = url.removeprefix(site.origin) if f"under {site.origin}" in requests else url
    assert f" GET {path} 200 document" in requests
    assert "/json?order=1" in requests

    await agent.ok("fill", uid=shown.uid('textbox "Name"'), value="Ada Lovelace")
    await agent.ok("fill", uid=shown.uid('combobox "Size"'), value="Large")
    await agent.ok("click", uid=shown.uid('checkbox "Gift wrap"'))
    sent = await agent.ok("click", uid=shown.uid('button "Send order"'))
    assert site.url("/echo") in sent, sent

    result = await agent.snapshot()
    assert 'heading "POST"' in result
    for field in ("name = Ada Lovelace", "size = l", "gift = yes"):
        assert field in result, result
    assert site.seen("/echo")[-1].form == {"name": "Ada Lovelace", "size": "l", "gift": "yes"}


async def test_keys_reach_the_focused_element(agent: McpClient, site: Site) -> None:
    await agent.ok("navigate_page", url=site.page("<form action=/echo><input name=q autofocus aria-label=Find></form>"))
    shown = await agent.snapshot()
    await agent.ok("fill", uid=shown.uid('"Find"'), value="otters")
    pressed = await agent.ok("press_key", key="Enter")
    assert "/echo?q=otters" in pressed, pressed


async def test_a_uid_names_its_element_for_as_long_as_it_lives(agent: McpClient, site: Site) -> None:
    text = "<div id=box><button id=old>Old</button></div><button id=stays>Stays</button>"
    await agent.ok("navigate_page", url=site.page(text))
    first = await agent.snapshot()
    await agent.evaluate("() => { document.getElementById('box').innerHTML = '<button>New</button>'; }")
    second = await agent.snapshot()
    assert second.uid('button "Stays"') == first.uid('button "Stays"')
    assert second.uid('button "New"') != first.uid('button "Old"')
    gone = await agent.call("click", uid=first.uid('button "Old"'))
    assert gone.is_error
    assert re.search(r"gone|no longer|removed", gone.text), gone


async def test_a_covered_click_is_an_error_that_names_the_cover(agent: McpClient, site: Site) -> None:
    page = (
        "<button onclick='document.title = \"hit\"'>Buy</button>"
        "<div id=veil style='position:fixed;inset:0' onclick='document.title = \"veil\"'></div>"
    )
    await agent.ok("navigate_page", url=site.page(page, title="Untouched"))
    reply = await agent.call("click", uid="text=Buy")
    assert reply.is_error
    assert "cover" in reply
    assert "veil" in reply, reply
    assert "Untouched" in await agent.evaluate("() => document.title")


async def test_a_screenshot_shows_the_page(agent: McpClient, site: Site, tmp_path: Path) -> None:
    await agent.ok("navigate_page", url=site.page("<body style='margin:0;background:rgb(0,128,0)'>"))
    reply = await agent.ok("take_screenshot")
    ((data, mime),) = reply.images
    assert mime == "image/png"
    picture = Image.open(io.BytesIO(data)).convert("RGB")
    assert picture.getpixel((picture.width // 2, picture.height // 2)) == (0, 128, 0)
    path = tmp_path / "shot.jpeg"
    saved = await agent.ok("take_screenshot", format="jpeg", filePath=str(path))
    assert str(path) in saved
    assert not saved.images
    assert Image.open(path).format == "JPEG"


async def test_values_come_back_readable(agent: McpClient, site: Site) -> None:
    await agent.ok("navigate_page", url=site.url("/"))
    for source, words in {
        "() => ({a: [1, 'two', null]})": "two",
        "() => undefined": "undefined",
        "() => NaN": "NaN",
        "() => 10n": "10n",
        "async () => (await fetch('/json')).status": "200",
        "() => { const a = {}; a.self = a; return a; }": "ircular",
        "() => document.querySelector('h1')": "uid=e",
        "() => new Map([['key', 'value']])": "value",
    }.items():
        reply = await agent.evaluate(source)
        assert words in reply, f"{source}: {reply}"
    failed = await agent.call("evaluate_script", function="() => { throw new TypeError('of my own'); }")
    assert failed.is_error
    assert "of my own" in failed
    broken = await agent.call("evaluate_script", function="() => { return ( }")
    assert broken.is_error
    assert "SyntaxError" in broken or "syntax" in broken.text.lower()


async def test_pages_are_opened_selected_and_closed(agent: McpClient, site: Site) -> None:
    first, second = site.page("<h1>First</h1>", title="One"), site.page("<h1>Second</h1>", title="Two")
    await agent.ok("navigate_page", url=first)
    (one,) = await page_ids(agent)
    opened = await agent.ok("new_page", url=second)
    assert second in opened
    (two,) = set(await page_ids(agent)) - {one}
    assert '"Two"' in await agent.snapshot()
    assert '"One"' in await agent.ok("take_snapshot", pageId=one)
    await agent.ok("select_page", pageId=one)
    assert '"One"' in await agent.snapshot()
    await agent.ok("close_page", pageId=two)
    assert await page_ids(agent) == [one]
    closed = await agent.call("take_snapshot", pageId=two)
    assert closed.is_error
    assert str(two) in closed
    assert str(one) in closed, closed
    third = await agent.ok("new_page", url=first)
    assert max(await page_ids(agent)) > two, third


async def test_a_selection_that_falls_back_is_said(agent: McpClient, site: Site) -> None:
    url = site.page("<button onclick='setTimeout(() => window.close(), 0)'>Close me</button>", title="Closes itself")
    await agent.ok(
        "navigate_page", url=site.page(f"<button onclick='window.open(\"{url}\")'>open</button>", title="Opener")
    )
    (one,) = await page_ids(agent)
    clicked = await agent.ok("click", uid="text=open")
    (two,) = set(await page_ids(agent)) - {one}
    assert str(two) in clicked
    assert url in clicked, clicked
    await agent.ok("select_page", pageId=two)
    said = [await agent.call("click", uid="text=Close me")]
    for _ in range(100):
        said.append(await agent.ok("take_snapshot"))
        if '"Opener"' in said[-1]:
            break
        await asyncio.sleep(0.02)
    notices = [line for reply in said for line in reply.text.splitlines() if re.search(rf"\b{two}\b.*\b{one}\b", line)]
    assert len(notices) == 1, said
    assert "clos" in notices[0]


async def test_calls_on_one_page_that_only_read_run_side_by_side(agent: McpClient, site: Site) -> None:
    """Each script waits for the others: run one after another they would never end."""
    await agent.ok("navigate_page", url=site.url("/"))
    source = """async () => {
      globalThis.met = (globalThis.met || 0) + 1;
      while (globalThis.met < 3) await new Promise(done => setTimeout(done, 5));
      return 'met ' + globalThis.met;
    }"""
    replies = await asyncio.gather(*(agent.evaluate(source) for _ in range(3)))
    assert all("met 3" in reply for reply in replies)


async def test_wrong_arguments_are_all_named_at_once(agent: McpClient) -> None:
    reply = await agent.call("navigate_page", {"url": 5, "timeout": "soon"})
    assert reply.is_error
    assert "url" in reply
    assert "timeout" in reply, reply
    typo = await agent.call("take_snapshot", {"verbos": True})
    assert typo.is_error
    assert "verbose" in typo
    unknown = await agent.call("take_snapshoot")
    assert unknown.is_error
    assert "take_snapshot" in unknown


async def test_navigations_say_where_they_went(agent: McpClient, site: Site) -> None:
    one, two = site.page("<h1>1</h1>", title="One"), site.page("<h1 id=there>2</h1>", title="Two")
    await agent.ok("navigate_page", url=one)
    await agent.ok("navigate_page", url=two)
    assert one in await agent.ok("navigate_page", type="back")
    assert two in await agent.ok("navigate_page", type="forward")
    assert two + "#there" in await agent.ok("navigate_page", url=two + "#there")
    await agent.ok("navigate_page", type="reload", ignoreCache=True)
    assert site.requests[-1].headers.get("cache-control") == "no-cache"
    nowhere = await agent.call("navigate_page", type="forward")
    assert nowhere.is_error, nowhere
    end = await agent.ok("navigate_page", url=site.url("/chain", n=5, to="/status/404"))
    assert "404" in end
    await agent.ok("navigate_page", url=site.url("/"), initScript="globalThis.early = 'yes'")
    assert "yes" in await agent.evaluate("() => globalThis.early")


async def test_every_tool_works_after_moves_between_sites(agent: McpClient, site: Site) -> None:
    """Each move takes another renderer process, whose numbers for contexts and objects start anew."""
    page = site.page("<button>Press</button><input aria-label=Field>", title="Moved")
    for url in (page, site.other(page), "data:text/html,<title>Moved</title><button>Press</button><input>", page) * 2:
        await agent.ok("navigate_page", url=url)
        assert "Moved" in await agent.evaluate("() => document.title")
        shown = await agent.snapshot()
        assert "BUTTON" in await agent.evaluate("(element) => element.tagName", args=[shown.uid("button")])
        await agent.ok("click", uid=shown.uid("button"))
        await agent.ok("fill", uid=shown.uid("textbox"), value="text")
        await agent.ok("press_key", key="End")
        assert (await agent.ok("take_screenshot")).images
