"""Tools of pages, as a program has them: the guide's journey, events, streams, and what can't be."""

from __future__ import annotations

import asyncio
import gc
from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

import pagelens
from pagelens.errors import InvalidInput, PagelensError, WebMCPUnavailable
from tests.support.site import Site

SHOP = """<form id=empty toolname=subscribe tooldescription="Subscribe to news" toolautosubmit action=/done></form>
<form id=search toolname=search tooldescription="Search lamps" onsubmit="event.preventDefault()">
  <input name=query required toolparamdescription="what to look for">
  <select name=kind><option value=desk>Desk</option><option value=floor>Floor</option></select>
  <input type=number name=most min=1 max=9><button>Search</button></form>
<script>
  globalThis.stop = new AbortController();
  document.modelContext.registerTool({
    name: 'calculate_sum', description: 'Adds two numbers',
    inputSchema: {type: 'object', properties: {a: {type: 'number'}, b: {type: 'number'}}, required: ['a', 'b']},
    annotations: {readOnlyHint: true, untrustedContentHint: true},
    execute: ({a, b}) => ({sum: a + b}),
  }, {signal: stop.signal});
  globalThis.more = () => {
    const offer = (name, execute) => document.modelContext.registerTool({name, description: name, execute});
    offer('slow', (_, {signal}) => new Promise(() => signal.onabort = () => globalThis.aborted = true));
    offer('boom', () => { throw new RangeError('out of lamps'); });
  };
</script>"""


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def browser() -> AsyncIterator[pagelens.Browser]:
    async with pagelens.launch(webmcp=True) as running:
        yield running


@pytest.fixture(scope="module")
def _kept_page() -> list[pagelens.Page]:
    return []


async def test_the_journey(page: pagelens.Page, site: Site) -> None:
    added: list[pagelens.WebMCPToolsEvent] = []
    removed: list[pagelens.WebMCPToolsEvent] = []
    calls: list[pagelens.WebMCPToolCall] = []
    results: list[pagelens.WebMCPToolCallResult] = []
    webmcp = page.webmcp
    webmcp.on("toolsadded", added.append)
    webmcp.on("toolsremoved", removed.append)
    webmcp.on("toolinvoked", calls.append)
    webmcp.on("toolresponded", results.append)
    assert webmcp.tools() == []
    url = site.page(SHOP)
    await page.goto(url)

    # What there is.
    add = await webmcp.wait_for_tool("calculate_sum", timeout=10)
    search = await webmcp.wait_for_tool("search", timeout=10)
    subscribe = await webmcp.wait_for_tool("subscribe", timeout=10)
    assert webmcp.unavailable_reason is None
    assert set(webmcp.tools()) == {add, search, subscribe} == {tool for event in added for tool in event.tools}
    assert (add.name, add.description, add.frame, add.is_gone) == (
        "calculate_sum",
        "Adds two numbers",
        page.main_frame,
        False,
    )
    assert add.input_schema == {
        "type": "object",
        "properties": {"a": {"type": "number"}, "b": {"type": "number"}},
        "required": ["a", "b"],
    }
    assert add.annotations == pagelens.WebMCPAnnotations(read_only=True, untrusted_content=True)
    assert add.location is not None
    assert (add.location.url, add.location.line) == (url, 9)
    assert await add.form_element() is None
    assert search.annotations == pagelens.WebMCPAnnotations()
    assert search.location is None
    assert search.input_schema is not None
    assert search.input_schema["required"] == ["query"]
    assert search.input_schema["properties"]["query"] == {"type": "string", "description": "what to look for"}
    assert search.input_schema["properties"]["kind"]["enum"] == ["desk", "floor"]
    assert subscribe.annotations == pagelens.WebMCPAnnotations(autosubmit=True)
    assert subscribe.input_schema == {"type": "object", "properties": {}, "required": []}

    # Calls, and both events of one.
    own: list[pagelens.WebMCPToolCall] = []
    add.on("toolinvoked", own.append)
    result = await add.execute({"a": 1, "b": 2})
    assert (result.status, result.output, result.error_text, result.exception) == ("Completed", {"sum": 3}, "", None)
    assert result.call == pagelens.WebMCPToolCall(result.id or "", add, {"a": 1, "b": 2})
    assert calls == own == [result.call]
    assert results == [result]
    refused = await add.execute({"a": "1"})
    assert (refused.status, refused.id) == ("Error", None)
    assert "a: must be number" in refused.error_text
    assert '"b" is missing' in refused.error_text
    await page.evaluate("more()")
    slow, boom = await webmcp.wait_for_tool("slow"), await webmcp.wait_for_tool("boom")
    stop = asyncio.Event()
    page.webmcp.once("toolinvoked", lambda _: stop.set())
    assert (await slow.execute(cancel=stop)).status == "Canceled"
    assert await page.evaluate("aborted") is True
    thrown = await boom.execute()
    assert thrown.status == "Error"
    assert thrown.exception is not None
    assert (thrown.exception.class_name, "out of lamps" in thrown.error_text) == ("RangeError", True)
    assert [call.id for call in calls] == [result.id for result in results]

    # The form itself: filled by the call, submitted by hand.
    form = await search.form_element()
    assert form is not None
    assert form.frame == page.main_frame
    assert await form.evaluate("form => form.id") == "search"
    waiting = asyncio.ensure_future(search.execute({"query": "red", "kind": "floor"}))
    await page.wait_for(function="() => document.querySelector('[name=query]').value === 'red'")
    await form.evaluate(
        "form => { form.onsubmit = (e) => { e.preventDefault(); e.respondWith(Promise.resolve('3 lamps')) } }"
    )
    await page.click("css=#search button")
    assert (await waiting).output == "3 lamps"

    # Tools that go.
    removed.clear()
    await page.evaluate("stop.abort()")
    await page.evaluate("document.getElementById('empty').remove()")
    await page.wait_for(function="() => true")
    assert [event.tools for event in removed] == [(add,), (subscribe,)]
    assert add.is_gone
    vanished = await add.execute({"a": 1, "b": 2})
    assert (vanished.status, vanished.id) == ("Error", None)
    assert vanished.error_text == 'The page no longer offers the tool "calculate_sum": It was unregistered.'
    await page.evaluate("document.getElementById('search').setAttribute('tooldescription', 'Other words')")
    again = await webmcp.wait_for_tool("search")
    assert (again is not search, again.description, removed[-1].tools, added[-1].tools) == (
        True,
        "Other words",
        (search,),
        (again,),
    )
    assert await search.form_element() is None
    await page.goto(site.page("<p>no tools here"))
    assert webmcp.tools() == []
    assert set(removed[-1].tools) == {slow, boom, again}
    with pytest.raises(PagelensError, match="did not offer"):
        await webmcp.wait_for_tool("search", timeout=0.05)


async def test_streams(page: pagelens.Page, site: Site) -> None:
    await page.goto(site.page(SHOP))
    add = await page.webmcp.wait_for_tool("calculate_sum")
    with page.webmcp.events("toolresponded") as results, add.events("toolinvoked") as calls:
        for n in range(3):
            await add.execute({"a": n, "b": 0})
        assert [(await anext(results)).output["sum"] for _ in range(3)] == [0, 1, 2]
        waiting = asyncio.ensure_future(anext(calls))
        assert (await waiting).input == {"a": 0, "b": 0}
    assert [call.input["a"] async for call in calls] == [1, 2]  # what had come; then its end
    assert not page.webmcp._events.has("toolresponded")
    dropped = page.webmcp.events("toolinvoked")
    assert page.webmcp._events.has("toolinvoked")
    del dropped
    gc.collect()
    assert not page.webmcp._events.has("toolinvoked")
    for listen in (page.webmcp.events, add.events):
        with pytest.raises(InvalidInput, match="has no event"):
            listen("toolresponses")


async def test_a_stream_ends_with_its_page(browser: pagelens.Browser) -> None:
    page = await browser.new_page()
    stream = page.webmcp.events("toolsadded")
    waiting = asyncio.ensure_future(anext(stream, "the end"))
    await asyncio.sleep(0)
    await page.close()
    assert await asyncio.wait_for(waiting, 5) == "the end"


async def test_handlers_come_and_go(page: pagelens.Page, site: Site) -> None:
    await page.goto(site.page(SHOP))
    add = await page.webmcp.wait_for_tool("calculate_sum")
    seen: list[str] = []

    async def later(call: pagelens.WebMCPToolCall) -> None:
        await asyncio.sleep(0)
        seen.append("later")

    def at_once(call: pagelens.WebMCPToolCall) -> None:
        seen.append("at once")

    page.webmcp.on("toolinvoked", later)
    add.on("toolinvoked", at_once)
    add.once("toolinvoked", lambda _: seen.append("once"))
    await add.execute({"a": 1, "b": 1})
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    assert seen == ["at once", "once", "later"]
    page.webmcp.off("toolinvoked", later)
    add.off("toolinvoked", at_once)
    await add.execute({"a": 1, "b": 1})
    assert len(seen) == 3


async def test_dialogs_of_tools(page: pagelens.Page, site: Site) -> None:
    script = "document.modelContext.registerTool({name: 'ask', description: 'd', execute: () => confirm('Buy?')})"
    await page.goto(site.page(f"<script>{script}</script>"))
    ask = await page.webmcp.wait_for_tool("ask")
    assert (await ask.execute()).output is False  # nobody listens: dismissed
    off = page.on("dialog", lambda dialog: dialog.accept())
    assert (await ask.execute()).output is True
    off()
    async with page.expect_dialog() as caught:
        held = await ask.execute()
    assert (held.status, 'confirm "Buy?"' in held.error_text) == ("Error", True)
    with page.webmcp.events("toolresponded") as results:
        await caught.value.accept()
        result = await asyncio.wait_for(anext(results), 10)
    assert (result.id, result.status, result.output) == (held.id, "Completed", True)


async def test_bad_arguments(page: pagelens.Page, site: Site) -> None:
    await page.goto(site.page(SHOP))
    add = await page.webmcp.wait_for_tool("calculate_sum")
    with pytest.raises(InvalidInput, match="no timeout"):
        await add.execute({}, timeout="soon")  # type: ignore[arg-type]


async def test_a_page_that_offers_none(page: pagelens.Page) -> None:
    assert page.webmcp.tools() == []
    with pytest.raises(WebMCPUnavailable, match="blank") as caught:
        await page.webmcp.wait_for_tool("any")
    assert caught.value.code == "webmcp_unavailable"
