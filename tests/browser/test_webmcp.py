"""Tools of pages: what Chrome says of them and what it leaves out, for every way that a call or a document can end."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator
from typing import Any

import pytest
import pytest_asyncio

from pagelens.browser.host import BrowserHost
from pagelens.browser.page import Page
from pagelens.browser.webmcp import WebMCP, WebMCPTool, WebMCPToolCallResult
from pagelens.core.options import Options
from pagelens.errors import PageClosed, WaitTimeout, WebMCPUnavailable
from tests.support.running_chrome import Holder, Relay, RunningChrome
from tests.support.site import Response, Site

REUSES_PAGE = True

#: ``offer(name, execute, more, options)`` registers a tool.
OFFER = """<script>
globalThis.offer = (name, execute, more = {}, options = {}) =>
  document.modelContext.registerTool({name, description: `does ${name}`, execute, ...more}, options);
</script>"""
NEVER = "offer('never', () => new Promise(() => {}));"
ADD = "offer('add', ({a, b}) => a + b);"


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def host() -> AsyncIterator[BrowserHost]:
    """A browser whose pages may offer tools."""
    running = BrowserHost(Options(headless=True, isolated=True, categories={"webmcp": True}))
    await running.ensure_running()
    yield running
    await running.close()


@pytest.fixture(scope="module")
def _kept_page() -> list[Page]:
    return []


class Log:
    """What a registry has told, in order: ``added a, b``, ``removed a``, ``invoked add``, ``responded Completed 3``."""

    def __init__(self, webmcp: WebMCP) -> None:
        self.lines: list[str] = []
        self.ids: list[str | None] = []
        self._off = [
            webmcp.tools_added.connect(lambda tools: self._tools("added", tools)),
            webmcp.tools_removed.connect(lambda tools: self._tools("removed", tools)),
            webmcp.tool_invoked.connect(lambda call: self._add(f"invoked {call.tool.name}", call.id)),
            webmcp.tool_responded.connect(self._responded),
        ]

    def _tools(self, what: str, tools: tuple[WebMCPTool, ...]) -> None:
        self.lines.append(f"{what} {', '.join(sorted(tool.name for tool in tools))}")

    def _add(self, line: str, call_id: str | None) -> None:
        self.lines.append(line)
        self.ids.append(call_id)

    def _responded(self, result: WebMCPToolCallResult) -> None:
        self._add(f"responded {result.status} {result.output or result.error_text}", result.id)

    def clear(self) -> None:
        self.lines.clear()
        self.ids.clear()

    def close(self) -> None:
        for off in self._off:
            off()


@pytest.fixture
def log(page: Page) -> Any:
    told = Log(page.webmcp)
    yield told
    told.close()


async def tool(page: Page, name: str) -> WebMCPTool:
    return await page.webmcp.wait_for_tool(name, timeout=10)


async def load(page: Page, site: Site, script: str, html: str = "") -> str:
    url = site.page(f"{OFFER}<script>{script}</script>{html}")
    await page.navigate(url)
    return url


async def evaluate(page: Page, expression: str) -> Any:
    reply = await page.session.send(
        "Runtime.evaluate",
        {"expression": expression, "awaitPromise": True, "returnByValue": True, "userGesture": True},
    )
    assert "exceptionDetails" not in reply, reply
    return reply["result"].get("value")


async def until(page: Page, condition: Any) -> None:
    """Wait for something that events bring."""
    async with asyncio.timeout(10):
        while not condition():  # noqa: ASYNC110 (many things bring it)
            await asyncio.sleep(0.005)


async def begun(page: Page, target: WebMCPTool, input: Any = None) -> asyncio.Task[WebMCPToolCallResult]:
    """Call a tool in a task, and wait until the page has the call."""
    before = {call.id for call in page.webmcp.pending()}
    task = asyncio.ensure_future(target.execute(input))
    await until(page, lambda: any(c.id and c._announced and c.id not in before for c in page.webmcp.pending()))
    return task


def is_clean(page: Page) -> bool:
    """Whether nothing is left of calls that have ended."""
    traffic = page.webmcp.traffic
    return not (traffic._calls or traffic._sent or traffic._early or page.guard._listeners)


# -- calls -----------------------------------------------------------------------------------------------


async def test_results(page: Page, site: Site, log: Log) -> None:
    script = """offer('echo', (x) => x.value === 'undefined' ? undefined : x.value);
      offer('boom', () => { throw new TypeError('no good'); });
      offer('word', () => { throw 'a word'; });
      offer('wait', async () => { await new Promise(r => setTimeout(r, 20)); return {ok: true}; });"""
    await load(page, site, script)
    echo = await tool(page, "echo")
    for value in (1, "é\n", None, [1, {"a": False}], {}, 1.5, "x" * 300_000):
        result = await echo.execute({"value": value})
        assert (result.status, result.output, result.error_text) == ("Completed", value, "")
        assert result.call is not None
        assert (result.call.id, result.call.tool, result.call.input) == (result.id, echo, {"value": value})
    assert (await echo.execute({"value": "undefined"})).output == "undefined"
    assert (await echo.execute({"value": "a\ud800b"})).output == "a\ufffdb"
    assert (await (await tool(page, "wait")).execute()).output == {"ok": True}
    log.clear()
    boom = await (await tool(page, "boom")).execute()
    assert (boom.status, boom.output) == ("Error", None)
    assert boom.exception is not None
    assert boom.exception.class_name == "TypeError"
    assert boom.exception.description.startswith("TypeError: no good\n")
    assert boom.error_text == boom.exception.description
    word = await (await tool(page, "word")).execute()
    assert word.exception is not None
    assert (word.exception.value, word.error_text) == ("a word", '"a word"')
    assert log.lines[0] == "invoked boom"
    assert log.ids == [boom.id, boom.id, word.id, word.id]
    assert is_clean(page)


async def test_input_that_is_refused(page: Page, site: Site, log: Log) -> None:
    schema = "{type: 'object', properties: {a: {type: 'number'}, b: {enum: [1, 2]}}, required: ['a', 'c']}"
    await load(page, site, f"offer('add', (x) => x, {{inputSchema: {schema}}}); offer('any', (x) => x);")
    add = await tool(page, "add")
    log.clear()
    result = await add.execute({"a": "1", "b": 3})
    assert (result.status, result.id, result.call) == ("Error", None, None)
    for fault in ('a: must be number, but is string ("1")', "b: 3 is none of 1, 2", '"c" is missing'):
        assert fault in result.error_text
    assert add.faults({"a": 1, "c": 2}) == []
    for value, words in (
        ([1], "must be a JSON object, and is array"),
        ("{}", "must be a JSON object, and is string"),
        ({1: 2}, "has the key 1"),
        ({"x": {1, 2}}, "x is a set"),
        ({"x": [0, float("nan")]}, "x[1] is nan"),
    ):
        refused = await add.execute(value, validate=False)
        assert (refused.status, refused.id) == ("Error", None)
        assert words in refused.error_text
    assert log.lines == []
    assert (await add.execute({"a": "1", "b": 3}, validate=False)).output == {"a": "1", "b": 3}
    assert (await (await tool(page, "any")).execute({"t": (1, 2)})).output == {"t": [1, 2]}


async def test_a_thousand_calls_at_once(page: Page, site: Site, log: Log) -> None:
    script = """for (let t = 0; t < 20; t++) offer('tool' + t, async ({n}) => {
        for (let i = 0; i < n % 4; i++) await new Promise(r => setTimeout(r, (n * 7) % 5));
        if (n % 10 === 9) throw new Error('no ' + n);
        return [t, n];
      });"""
    await load(page, site, script)
    await tool(page, "tool19")
    tools = [page.webmcp.named(f"tool{t}")[0] for t in range(20)]
    log.clear()
    results = await asyncio.gather(*(tools[n % 20].execute({"n": n}) for n in range(1000)))
    for n, result in enumerate(results):
        assert result.call is not None
        assert (result.call.tool, result.call.input) == (tools[n % 20], {"n": n})
        if n % 10 == 9:
            assert result.error_text.startswith(f"Error: no {n}\n")
        else:
            assert result.output == [n % 20, n]
    ids = {result.id for result in results}
    assert len(ids) == 1000
    assert sorted(map(str, log.ids)) == sorted([*map(str, ids)] * 2)
    assert is_clean(page)


async def test_a_page_that_calls_its_own_tool(page: Page, site: Site, log: Log, caplog: Any) -> None:
    await load(page, site, ADD)
    add = await tool(page, "add")
    log.clear()
    said = await evaluate(
        page,
        "document.modelContext.getTools().then(([t]) => document.modelContext.executeTool(t, {a: 1, b: 2}))",
    )
    assert said in ("3", 3)
    await until(page, lambda: len(log.lines) == 2)
    assert log.lines == ["invoked add", "responded Completed 3"]
    assert log.ids[0] == log.ids[1]
    # Input that is no JSON object can't be made by a page of today's Chrome: what would be told of it.
    with caplog.at_level(logging.WARNING):
        event = {"toolName": "add", "frameId": add.frame_id, "invocationId": "odd", "input": "{broken"}
        seen: list[Any] = []
        off = page.webmcp.tool_invoked.connect(seen.append)
        page.session._event("WebMCP.toolInvoked", __import__("json").dumps(event).encode())
        off()
    assert (seen[0].id, seen[0].tool, seen[0].input) == ("odd", add, {})
    assert "no JSON object" in caplog.text
    page.session._event("WebMCP.toolResponded", b'{"invocationId": "odd", "status": "Completed", "output": 1}')
    assert is_clean(page)


async def test_answers_twice_and_for_calls_that_nobody_knows(page: Page, site: Site, log: Log) -> None:
    await load(page, site, ADD)
    result = await (await tool(page, "add")).execute({"a": 1, "b": 2})
    log.clear()
    again = f'{{"invocationId": "{result.id}", "status": "Completed", "output": 9}}'.encode()
    page.session._event("WebMCP.toolResponded", again)
    assert log.lines == []
    page.session._event("WebMCP.toolResponded", b'{"invocationId": "unknown", "status": "Completed", "output": 9}')
    assert log.lines == ["responded Completed 9"]
    page.session._event("WebMCP.toolResponded", b'{"invocationId": "unknown", "status": "Completed", "output": 9}')
    assert len(log.lines) == 1
    assert is_clean(page)


async def test_answers_that_come_first(page: Page, site: Site, log: Log, monkeypatch: pytest.MonkeyPatch) -> None:
    await load(page, site, ADD)
    add = await tool(page, "add")
    log.clear()
    traffic = page.webmcp.traffic
    monkeypatch.setattr(traffic, "_invoked", lambda session, p: None)  # only the answer comes, before the id
    result = await add.execute({"a": 1, "b": 2})
    assert (result.status, result.output) == ("Completed", 3)
    assert result.call is not None
    assert log.lines == ["invoked add", "responded Completed 3"]
    assert log.ids == [result.id, result.id]
    monkeypatch.undo()
    log.clear()
    # Somebody else's answer, while one of ours has no id yet: whose it is shows a moment later.
    ours = add.begin({"a": 2, "b": 2})
    page.session._event("WebMCP.toolResponded", b'{"invocationId": "strange", "status": "Completed", "output": 9}')
    assert log.lines == []
    assert (await ours.outcome(10)).output == 4
    await until(page, lambda: len(log.lines) == 3)
    assert sorted(log.lines) == ["invoked add", "responded Completed 4", "responded Completed 9"]
    assert is_clean(page)


# -- calls that are given up -----------------------------------------------------------------------------


async def test_cancelling(page: Page, site: Site, log: Log) -> None:
    script = """globalThis.aborted = 0;
      offer('slow', (_, {signal}) => new Promise(() => signal.addEventListener('abort', () => aborted++)));"""
    await load(page, site, script)
    slow = await tool(page, "slow")
    log.clear()

    already = asyncio.Event()
    already.set()
    result = await slow.execute(cancel=already)
    assert (result.status, result.id) == ("Canceled", None)
    assert log.lines == []

    event = asyncio.Event()
    waiting = asyncio.ensure_future(slow.execute(cancel=event))
    await until(page, lambda: log.lines)
    event.set()
    result = await waiting
    assert (result.status, result.error_text) == ("Canceled", "The call was cancelled.")
    await asyncio.sleep(0)
    assert not event._waiters  # type: ignore[attr-defined]

    task = await begun(page, slow)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    await until(page, lambda: len(log.lines) == 4)

    result = await slow.execute(timeout=0.1)
    assert (result.status, result.error_text) == ("Error", "timed out after 0.1 s")
    assert result.id is not None
    assert log.lines[1::2] == [
        "responded Canceled The call was cancelled.",
        "responded Canceled The call was cancelled.",
        "responded Error timed out after 0.1 s",
    ]
    assert log.ids[0::2] == log.ids[1::2]
    assert await evaluate(page, "aborted") == 3
    assert is_clean(page)


async def test_given_up_before_it_has_an_id(page: Page, site: Site, log: Log) -> None:
    await load(page, site, NEVER)
    never = await tool(page, "never")
    log.clear()
    task = asyncio.ensure_future(never.execute())
    await asyncio.sleep(0)
    assert page.webmcp.traffic._sent
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert (await never.execute(timeout=0)).status == "Error"
    await until(page, lambda: len(log.lines) == 4 and is_clean(page))
    assert sorted(line.split()[0] for line in log.lines) == ["invoked", "invoked", "responded", "responded"]


async def test_an_endless_loop(page: Page, site: Site, log: Log) -> None:
    await load(page, site, "offer('loop', () => { for (;;); });" + ADD)
    loop, add = await tool(page, "loop"), await tool(page, "add")
    log.clear()
    result = await loop.execute(timeout=0.2)
    assert (result.status, result.error_text) == ("Error", "timed out after 0.2 s")
    assert result.id is not None
    assert (await add.execute({"a": 1, "b": 1})).output == 2
    assert log.ids[:2] == [result.id] * 2
    assert log.lines[:2] == ["invoked loop", "responded Error timed out after 0.2 s"]
    assert is_clean(page)


async def test_a_dialog_in_a_tool(page: Page, site: Site, log: Log) -> None:
    await load(page, site, "offer('ask', () => confirm('sure?')); offer('quick', () => 1);")
    ask, quick = await tool(page, "ask"), await tool(page, "quick")
    log.clear()
    result = await ask.execute()
    assert result.status == "Error"
    assert 'confirm "sure?"' in result.error_text
    # Nothing is begun behind a dialog: it would come as a surprise once that is answered.
    behind = await quick.execute()
    assert (behind.status, behind.id) == ("Error", None)
    assert "dialog" in behind.error_text
    await page.handle_dialog(True)
    await until(page, lambda: len(log.lines) == 2)
    assert log.lines == ["invoked ask", "responded Completed True"]
    assert (await quick.execute()).output == 1

    # Somebody is about to answer, and does not: the time ends it.
    off = page.dialog_opened.connect(lambda dialog: setattr(dialog, "is_attended", True))
    result = await ask.execute(timeout=0.1)
    off()
    assert result.status == "Error"
    assert result.error_text.startswith("timed out after 0.1 s, while a dialog was open: confirm")
    await page.handle_dialog(False)
    assert (await quick.execute()).output == 1
    assert len(log.lines) == 8
    assert is_clean(page)


# -- documents that go -----------------------------------------------------------------------------------


async def test_a_navigation_amid_calls(page: Page, site: Site, log: Log) -> None:
    await load(page, site, NEVER + ADD)
    never, add = await tool(page, "never"), await tool(page, "add")
    calls = [await begun(page, never), await begun(page, never)]
    log.clear()
    url = await load(page, site, NEVER)
    for result in await asyncio.gather(*calls):
        assert (result.status, result.id is not None) == ("Error", True)
        assert result.error_text == f"The tool's document went away before it answered: The page navigated to {url}."
    text = f"The tool's document went away before it answered: The page navigated to {url}."
    assert log.lines[:3] == [f"responded Error {text}"] * 2 + ["removed add, never"]
    assert log.lines[3:] == ["added never"]
    assert [t.name for t in page.webmcp.tools()] == ["never"]
    assert page.webmcp.tools()[0] is not never
    gone = await add.execute({"a": 1, "b": 2})
    assert (gone.status, gone.id) == ("Error", None)
    assert gone.error_text == f'The page no longer offers the tool "add": The page navigated to {url}.'
    assert is_clean(page)

    task = await begun(page, page.webmcp.tools()[0])
    await page.reload()
    assert (await task).status == "Error"
    task = await begun(page, await tool(page, "never"))
    await page.navigate(site.other(url))  # another process
    assert (await task).status == "Error"
    assert [t.name for t in page.webmcp.tools()] == ["never"]


async def test_a_tool_that_navigates_its_page(page: Page, site: Site, log: Log) -> None:
    target = site.page("<p>there")
    await load(page, site, f"offer('go', () => {{ location.href = {target!r}; return 'going'; }});")
    go = await tool(page, "go")
    log.clear()
    result = await go.execute()
    assert (result.status, result.output) == ("Completed", "going")
    await until(page, lambda: page.url == target and not page.is_loading)
    assert await evaluate(page, "new Promise(r => setTimeout(() => r(1), 100))") == 1  # Chrome answers again
    assert log.lines == ["invoked go", "responded Completed going", "removed go"]
    assert is_clean(page)


async def test_a_restored_page_offers_its_tools_again(page: Page, site: Site, log: Log) -> None:
    body = f"{OFFER}<script>offer('slow', () => new Promise(r => globalThis.done = r));{ADD}</script>"
    url = site.route("/kept.html", lambda _: Response(body, headers={"Cache-Control": "private"}))
    await page.navigate(url)
    task = await begun(page, await tool(page, "slow"))
    log.clear()
    await page.navigate(site.other(site.page("<p>elsewhere")))
    assert (await task).status == "Error"
    assert page.webmcp.tools() == []
    result = await page.go_back()
    assert result.outcome == "bfcache"
    assert sorted(t.name for t in page.webmcp.tools()) == ["add", "slow"]
    assert [line for line in log.lines if line.startswith("removed")] == ["removed add, slow"]
    # What goes on in the restored document is a call that has ended.
    before = list(log.lines)
    await evaluate(page, "done(1)")
    assert (await (await tool(page, "add")).execute({"a": 2, "b": 2})).output == 4
    assert log.lines == [*before, "invoked add", "responded Completed 4"]
    assert is_clean(page)


async def test_frames(page: Page, site: Site, log: Log) -> None:
    near = site.page(f"{OFFER}<script>{NEVER}</script>")
    far = site.other(site.page(f"{OFFER}<script>{NEVER} offer('far', () => location.origin);</script>"))
    barred = site.other(
        site.page(f"{OFFER}<script>offer('barred', () => 1).catch(e => globalThis.no = e.name)</script>")
    )
    html = f"<iframe id=near src={near}></iframe><iframe id=far allow=tools src={far}></iframe>"
    html += f"<iframe src={barred}></iframe>"
    await load(page, site, ADD, html)
    far_tool = await tool(page, "far")
    assert far_tool.frame.is_out_of_process
    assert far_tool.frame.url == far
    assert (await far_tool.execute()).output == site.other_origin
    near_never, far_never = sorted(page.webmcp.named("never"), key=lambda t: t.frame.is_out_of_process)
    assert (near_never.frame.url, far_never.frame.url) == (near, far)
    assert sorted(t.name for t in page.webmcp.tools()) == ["add", "far", "never", "never"]  # without allow=tools: none

    calls = [await begun(page, near_never), await begun(page, far_never)]
    log.clear()
    await evaluate(page, "document.getElementById('near').remove()")
    result = await calls[0]
    assert (result.status, "The frame was removed from the page." in result.error_text) == ("Error", True)
    assert log.lines == [f"responded Error {result.error_text}", "removed never"]
    assert not calls[1].done()
    await evaluate(page, "document.getElementById('far').remove()")
    assert (await calls[1]).status == "Error"
    await until(page, lambda: log.lines[-1] == "removed far, never")
    assert [t.name for t in page.webmcp.tools()] == ["add"]
    assert is_clean(page)


async def test_frames_that_navigate(page: Page, site: Site, log: Log) -> None:
    near = site.page(f"{OFFER}<script>{NEVER}</script>")
    await load(page, site, ADD, f"<iframe allow=tools src={near}></iframe>")
    for target in (site.page(f"{OFFER}<script>{NEVER}</script>"), site.other(near), near):
        log.clear()
        task = await begun(page, await tool(page, "never"))
        await evaluate(page, f"void (frames.length && (document.querySelector('iframe').src = {target!r}))")
        result = await task
        assert (result.status, "The frame navigated" in result.error_text) == ("Error", True)
        await until(page, lambda: log.lines[-1] == "added never")
        assert log.lines == ["invoked never", f"responded Error {result.error_text}", "removed never", "added never"]
        assert sorted(t.name for t in page.webmcp.tools()) == ["add", "never"]
    assert is_clean(page)


async def test_crashes(page: Page, host: BrowserHost, site: Site, log: Log) -> None:
    far = site.other(site.page(f"{OFFER}<script>{NEVER.replace('never', 'far')}</script>"))
    url = await load(page, site, NEVER, f"<iframe allow=tools src={far}></iframe>")
    of_frame, of_page = await tool(page, "far"), await tool(page, "never")
    calls = [await begun(page, of_frame), await begun(page, of_page)]
    log.clear()
    of_frame.session.post("Page.crash")
    result = await calls[0]
    assert result.error_text.endswith("The frame's process crashed.")
    assert log.lines == [f"responded Error {result.error_text}", "removed far"]
    assert not calls[1].done()
    log.clear()
    page.session.post("Page.crash")
    result = await calls[1]
    assert "crashed" in result.error_text
    assert log.lines == [f"responded Error {result.error_text}", "removed never"]
    assert (await of_page.execute()).status == "Error"
    await page.navigate(url)
    assert sorted(t.name for t in page.webmcp.tools()) == ["far", "never"]
    assert is_clean(page)


async def test_a_page_that_is_closed(host: BrowserHost, site: Site) -> None:
    page = await host.new_page()
    log = Log(page.webmcp)
    await load(page, site, NEVER)
    never = await tool(page, "never")
    task = await begun(page, never)
    waiting = asyncio.ensure_future(page.webmcp.wait_for_tool("other", timeout=30))
    await asyncio.sleep(0)
    await page.close()
    result = await task
    assert (result.status, "closed" in result.error_text) == ("Error", True)
    assert log.lines[-2:] == [f"responded Error {result.error_text}", "removed never"]
    with pytest.raises(PageClosed):
        await waiting
    assert page.webmcp.tools() == []
    assert (await never.execute()).status == "Error"


# -- forms -----------------------------------------------------------------------------------------------

FORM = """<form toolname=find tooldescription="Find things" action=/found {more}>
<input name=q><button>Find</button></form>"""


async def test_a_form_has_one_call_at_a_time(page: Page, site: Site, log: Log) -> None:
    await load(page, site, "", FORM.format(more="onsubmit='event.preventDefault(); event.respondWith(answer())'"))
    await evaluate(page, "globalThis.answer = async () => document.querySelector('[name=q]').value, 1")
    find = await tool(page, "find")
    assert find.is_form
    log.clear()
    first = await begun(page, find, {"q": "one"})
    second = asyncio.ensure_future(find.execute({"q": "two"}))
    third = asyncio.ensure_future(find.execute({"q": "three"}, timeout=0.05))
    stop = asyncio.Event()
    stopped = asyncio.ensure_future(find.execute({"q": "never"}, cancel=stop))
    fourth = asyncio.ensure_future(find.execute({"q": "four"}))
    assert (await third).error_text == "timed out after 0.05 s"  # while it waited for its turn
    stop.set()
    assert ((await stopped).status, (await stopped).id) == ("Canceled", None)
    assert log.lines == ["invoked find"]
    first.cancel()  # with two under way, this would crash the renderer
    await until(page, lambda: len(log.lines) >= 3)
    assert log.lines[1:3] == ["responded Canceled The call was cancelled.", "invoked find"]
    assert await evaluate(page, "document.querySelector('[name=q]').value") == "two"
    await evaluate(page, "document.querySelector('form').requestSubmit()")
    assert (await second).output == "two"
    await until(page, lambda: log.lines[-1] == "invoked find")
    await evaluate(page, "document.querySelector('form').requestSubmit()")
    assert (await fourth).output == "four"
    assert is_clean(page)
    assert not find._occupied

    # A call that the page itself makes counts as well.
    call = "document.modelContext.getTools().then(([t]) => document.modelContext.executeTool(t, {q: 'own'}))"
    await evaluate(page, f"void {call}.catch(() => 0)")
    await until(page, lambda: bool(find._occupied))
    mine = asyncio.ensure_future(find.execute({"q": "mine"}))
    await asyncio.sleep(0.05)
    assert await evaluate(page, "document.querySelector('[name=q]').value") == "own"
    await evaluate(page, "document.querySelector('form').requestSubmit()")
    await until(page, lambda: log.lines[-1] == "invoked find")
    await evaluate(page, "document.querySelector('form').remove()")
    assert (await mine).status == "Canceled"
    assert is_clean(page)


async def test_a_form_that_loads_another_document(page: Page, site: Site, log: Log) -> None:
    found = '<script type="application/ld+json">{"found": 2}</script>'
    site.page(found, path="/found")
    await load(page, site, "", FORM.format(more="toolautosubmit"))
    find = await tool(page, "find")
    assert find.annotations.autosubmit
    log.clear()
    result = await find.execute({"q": "lamps"})
    assert (result.status, result.output) == ("Completed", [{"found": 2}])
    assert page.url.endswith("/found?q=lamps")
    assert log.lines == ["invoked find", "removed find", f"responded Completed {result.output}"]
    assert is_clean(page)

    # Another navigation is not its submission.
    await load(page, site, "", FORM.format(more=""))
    task = await begun(page, await tool(page, "find"), {"q": "x"})
    await page.navigate(site.url("/"))
    result = await task
    assert (result.status, "navigated" in result.error_text) == ("Error", True)
    assert is_clean(page)


async def test_forms_refuse_what_chrome_refuses(page: Page, site: Site) -> None:
    await load(page, site, "", FORM.format(more=""))
    result = await (await tool(page, "find")).execute({"bogus": "1"})
    assert result.status == "Error"
    assert result.id is not None
    assert "bogus" in result.error_text


async def test_a_form_whose_attributes_change(page: Page, site: Site, log: Log) -> None:
    await load(page, site, "", FORM.format(more=""))
    find = await tool(page, "find")
    task = await begun(page, find)
    queued = asyncio.ensure_future(find.execute())
    await asyncio.sleep(0)
    log.clear()
    await evaluate(page, "document.querySelector('form').setAttribute('tooldescription', 'Seek')")
    assert (await task).status == "Canceled"
    result = await queued
    assert (result.status, result.id) == ("Error", None)
    await until(page, lambda: log.lines[-1] == "added find")
    assert [line.split()[0] for line in log.lines] == ["responded", "removed", "added"]
    assert (await tool(page, "find")).description == "Seek"
    assert await find.form_element() is None
    form = await (await tool(page, "find")).form_element()
    assert form is not None
    await form.release()


async def test_a_tool_that_is_unregistered_while_it_runs(page: Page, site: Site, log: Log) -> None:
    script = "const c = new AbortController(); offer('slow', () => new Promise(r => globalThis.done = r), {}, c);"
    await load(page, site, script + "globalThis.c = c;")
    task = await begun(page, await tool(page, "slow"))
    await evaluate(page, "c.abort()")
    await until(page, lambda: page.webmcp.tools() == [])
    await evaluate(page, "done('late')")
    assert (await task).output == "late"
    assert is_clean(page)


# -- where there are none --------------------------------------------------------------------------------


async def test_waiting_for_a_tool(page: Page, site: Site) -> None:
    await load(page, site, ADD + "globalThis.later = () => offer('late', () => 1);")
    waiting = asyncio.ensure_future(page.webmcp.wait_for_tool("late", timeout=10))
    await asyncio.sleep(0)
    await evaluate(page, "later()")
    assert (await waiting).name == "late"
    with pytest.raises(WaitTimeout, match=r'did not offer a tool "none" within 0\.05 s\. It offers "add", "late"\.'):
        await page.webmcp.wait_for_tool("none", timeout=0.05)
    assert not page.loads._waiters


async def test_pages_that_can_t_offer_tools(page: Page, host: BrowserHost, site: Site) -> None:
    assert "blank" in str(page.webmcp.unavailable_reason)
    await page.navigate("data:text/html,<p>no secure context")
    assert "no secure context" in str(page.webmcp.unavailable_reason)
    with pytest.raises(WebMCPUnavailable, match="no secure context"):
        await page.webmcp.wait_for_tool("x")
    await load(page, site, "")
    assert page.webmcp.unavailable_reason is None
    assert page.webmcp.tools() == []


async def test_tools_that_were_there_before_us(site: Site) -> None:
    far = site.other(site.page(f"{OFFER}<script>offer('far', () => 'from afar');</script>"))
    near = site.page(f"{OFFER}<script>offer('near', () => 'nearby');</script>")
    frames = f"<iframe allow=tools src={far}></iframe><iframe src={near}></iframe>"
    url = site.page(f"{OFFER}<script>{ADD}{NEVER}</script>{frames}{FORM.format(more='')}")
    chrome = RunningChrome("--enable-features=WebMCP", "--site-per-process")
    async with chrome, Holder(chrome) as holder, Relay(chrome.port) as relay:
        await holder.open(url)
        host = BrowserHost(Options(browser_url=relay.url))
        try:
            await host.ensure_running()
            page = next(page for page in host.pages.values() if page.url == url)
            assert page.webmcp.tools() == []  # asleep
            await page.ready()
            assert await (await tool(page, "add")).execute({"a": 1, "b": 2}) is not None
            for name, output in (("far", "from afar"), ("near", "nearby")):
                found = await tool(page, name)
                assert (await found.execute()).output == output
                assert found.frame.url == (far if name == "far" else near)
            task = await begun(page, await tool(page, "never"))
            form = await (await tool(page, "find")).form_element()
            assert form is not None
            assert page.webmcp.unavailable_reason is None
            relay.cut()
            result = await task
            assert (result.status, "connection" in result.error_text) == ("Error", True)
            assert page.webmcp.tools() == []
            assert is_clean(page)
        finally:
            await host.close()


async def test_a_browser_without_it(site: Site) -> None:
    host = BrowserHost(Options(headless=True, isolated=True))
    try:
        await host.ensure_running()
        page = await host.new_page()
        await page.navigate(site.url("/"))
        assert page.webmcp.tools() == []
        with pytest.raises(WebMCPUnavailable, match="without WebMCP"):
            await page.webmcp.wait_for_tool("x")
        assert "--category-webmcp" in str(page.webmcp.unavailable_reason)
        stranger = WebMCPTool(page.webmcp, page.session, {"name": "x", "frameId": page.main_frame.id})
        with pytest.raises(WebMCPUnavailable):
            await stranger.execute()
        host._browser.product = "Chrome/150.0.1.2"  # type: ignore[union-attr]
        assert "Chrome/150.0.1.2 has no WebMCP" in str(page.webmcp.unavailable_reason)
    finally:
        await host.close()
