"""Where tools are fuzzed: a browser with two pages, an event loop of its own, and a judge of every reply.

The loop runs in a thread, so that hypothesis' tests stay plain functions and a call that blocks the whole loop is
noticed from outside.
"""

from __future__ import annotations

import asyncio
import dataclasses
import json
import logging
import os
import re
import tempfile
import threading
from collections.abc import Coroutine, Mapping
from pathlib import Path
from typing import Any, TypeVar

from pagelens.browser.emulated import NOTHING
from pagelens.browser.host import BrowserHost
from pagelens.context.mcp_context import McpContext
from pagelens.core.deadlines import HIGHEST
from pagelens.core.options import Options
from pagelens.errors import InvalidInput
from pagelens.response.mcp_response import RenderedResponse
from pagelens.server.handler import ToolHandler
from pagelens.server.locks import Locks
from pagelens.tools import create_tools
from pagelens.tools.arguments import parse_arguments
from pagelens.tools.categories import CATEGORIES
from pagelens.tools.definition import ToolDefinition
from tests.fuzz.strategies import SHORT
from tests.fuzz.values import Large
from tests.support.site import Site

__all__ = ["TOOLS", "Arena", "Fault"]

T = TypeVar("T")


def _all_tools() -> dict[str, tuple[ToolDefinition, Options]]:
    """Every tool that can be served, by name, each with options that serve it."""
    found: dict[str, tuple[ToolDefinition, Options]] = {}
    everything = dict.fromkeys(CATEGORIES, True)
    known = {field.name for field in dataclasses.fields(Options)}
    for more in ({}, {"slim": True}):
        if more.keys() <= known:
            options = Options(categories=everything, structured_content=True, **more)
            for tool in create_tools(options):
                if tool.missing_flag(options) is None:
                    found.setdefault(tool.name, (tool, options))
    return found


#: Tool name to tool and options.
TOOLS = _all_tools()

#: No host but this machine resolves.
OFFLINE = "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost"
#: Seconds after which a call hangs, whatever it waits for: well above the most that a call may take.
HANGS = HIGHEST + 20
#: A call that was asked to wait for longer than a moment is cancelled after so many seconds.
PATIENCE = 2.0
#: Characters of the longest reply: every block of it has a bound of its own.
LONGEST = 200_000

PAGE = """
<h1>Fuzz</h1>
<form action="/fuzz">
  <label>Name <input id=name name=name></label> <input type=checkbox id=tick> <input type=radio name=r id=radio>
  <input type=number id=number> <input type=date id=date> <input type=range id=range> <input type=color id=paint>
  <select id=colour><option>red<option>blue</select> <select id=many multiple><option>1<option>2</select>
  <textarea id=area>old</textarea> <input type=file id=file> <button id=go>Go</button> <input disabled value=off>
</form>
<div id=edit contenteditable>editable</div>
<button id=ask onclick="alert('Asked')">Ask</button> <button id=pop onclick="open('/blank')">Pop</button>
<a href="/frame?text=linked">Link</a> <a href="/download?name=b.csv" download>Load</a> <a href="#part">Part</a>
<div id=drag draggable=true>Drag me</div>
<div id=drop ondragover="event.preventDefault()" ondrop="event.preventDefault()">Drop here</div>
<div id=host></div> <div id=closed-host></div>
<div hidden id=hidden>hidden</div> <svg width=20 height=20><circle r=5 cx=9 cy=9 /></svg>
<iframe src="/frame?text=same"></iframe> <iframe src="{other}/frame?text=across"></iframe>
<iframe srcdoc="<button id=frame-button>In a frame</button>"></iframe>
<script>
  host.attachShadow({mode: 'open'}).innerHTML = '<button id=shadow-button>Shadow button</button>';
  document.getElementById('closed-host').attachShadow({mode: 'closed'}).innerHTML = '<button>Closed</button>';
  console.log('ready \\ud800', {a: 1});
</script>
"""

_ERROR = re.compile(r"^Error \(([a-z_]+)\): (.*)", re.MULTILINE | re.DOTALL)
_FAILED_SECTION = re.compile(r"^Could not show the ", re.MULTILINE)
_TOKEN = re.compile(r"‹([a-z ]+?)(?: (\d+))?›")
_TRACEBACK = re.compile(r'Traceback \(most recent call last\)|File "[^"]+\.py", line \d+|\bpydantic\b|validation error')


#: Arguments of emulate that reset everything.
RESETS = {
    **dict.fromkeys(("geolocation", "userAgent", "viewport", "extraHttpHeaders"), ""),
    **dict.fromkeys(("colorScheme", "forcedColors", "prefersContrast", "prefersReducedMotion"), "auto"),
    "networkConditions": "No throttling",
    "cpuThrottlingRate": 1,
}


class Fault(AssertionError):
    """A reply, or the state after it, that must not be."""


class _Complaints(logging.Handler):
    """What was logged as an error: a fault of ours that no reply may show."""

    def __init__(self) -> None:
        super().__init__(logging.ERROR)
        self._found: list[str] = []

    def take(self) -> list[str]:
        """What has come in; forgets it."""
        found, self._found = self._found, []
        return found

    def emit(self, record: logging.LogRecord) -> None:
        self._found.append(logging.Formatter("%(name)s: %(message)s").format(record))


class Arena:
    """A running browser and the tools on it; also a context manager.

    Args:
        site: what its pages are loaded from.
        directory: everything that is written goes below this. Tools work in ``work`` there; ``outside`` is none of
            their business.
    """

    def __init__(self, site: Site, directory: Path) -> None:
        self.site = site
        self.work = directory / "work"
        self.outside = directory / "outside"
        self.home = directory / "home"
        self.temporary = directory / "temporary"
        self.url = site.page(PAGE, path="/fuzz", title="Fuzz")
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="fuzz", daemon=True)
        self._complaints = _Complaints()
        self._tokens: dict[str, list[str]] = {}
        self._documents: tuple[str, str] | None = None
        self._page_id = 0
        self._other_id = 0
        self._closed_id = 0
        self._environment: dict[str, str | None] = {}
        self._before = Path.cwd()
        self._tempdir = tempfile.tempdir

    # -- life ----------------------------------------------------------------------------------------

    def __enter__(self) -> Arena:
        self._lay_out_files()
        for name in ("pagelens", "asyncio"):
            logging.getLogger(name).addHandler(self._complaints)
        self._thread.start()
        self.run(self._start())
        return self

    def __exit__(self, *_: object) -> None:
        try:
            self.run(self._stop())
        finally:
            self._loop.call_soon_threadsafe(self._loop.stop)
            self._thread.join(10)
            self._loop.close()
            for name in ("pagelens", "asyncio"):
                logging.getLogger(name).removeHandler(self._complaints)
            os.chdir(self._before)
            tempfile.tempdir = self._tempdir
            for key, value in self._environment.items():
                os.environ.pop(key) if value is None else os.environ.update({key: value})

    def run(self, work: Coroutine[Any, Any, T], *, within: float = 2 * HANGS) -> T:
        """Do something in the arena's loop and wait for it, not for ever."""
        future = asyncio.run_coroutine_threadsafe(work, self._loop)
        try:
            return future.result(within)
        except TimeoutError:
            if future.done():
                raise
            future.cancel()
            raise Fault(f"the event loop was blocked for {within:g} s") from None

    def _lay_out_files(self) -> None:
        for folder in (self.work / "folder", self.outside, self.home, self.temporary):
            folder.mkdir(parents=True)
        for name in ("existing.txt", "existing.json", "existing.sh"):
            (self.work / name).write_text("before")
        (self.work / "page.html").write_text("<!doctype html><title>A file</title><h1>A file</h1>")
        (self.outside / "secret.txt").write_text("secret words")
        (self.work / "link").symlink_to(self.outside)
        (self.work / "loop").symlink_to("loop")
        os.chdir(self.work)
        # The temporary directory may be written, too: it shall be one of ours.
        tempfile.tempdir = str(self.temporary)
        for name, value in {"HOME": str(self.home), "TMPDIR": str(self.temporary)}.items():
            self._environment[name] = os.environ.get(name)
            os.environ[name] = value

    async def _start(self) -> None:
        options = Options(headless=True, isolated=True, chrome_args=(OFFLINE,))
        self.host = BrowserHost(options)
        self.context = McpContext(self.host, options)
        self.locks = Locks()
        self._handlers = {
            name: ToolHandler(tool, lambda: self.context, options, self.locks)
            for name, (tool, options) in TOOLS.items()
        }
        await self.context.ensure_browser()
        await self.restore()

    async def _stop(self) -> None:
        self.context.close()
        await self.host.close()

    def check_files(self) -> None:
        """Nothing was written, and nothing changed, where tools have no business."""
        found = {path.name: path.read_text() for path in self.outside.iterdir()}
        if found != {"secret.txt": "secret words"}:
            raise Fault(f"a directory that is not allowed was written to: {found}")
        # Chrome keeps hidden files in a home folder.
        if at_home := [path.name for path in self.home.iterdir() if not path.name.startswith(".")]:
            raise Fault(f"the home folder was written to: {at_home}")
        if (self.work / "existing.sh").read_text() != "before":
            raise Fault("a file of another type was replaced without overwrite")

    # -- calls ---------------------------------------------------------------------------------------

    def resolve(self, value: Any) -> Any:
        """`value` with every token in it replaced by what it stands for now."""
        if isinstance(value, Large):
            return value.make()
        if isinstance(value, str) and "‹" in value:
            whole = _TOKEN.fullmatch(value)
            numbers = {"page": self._page_id, "other page": self._other_id, "closed page": self._closed_id}
            if whole and whole[1] in numbers:
                return numbers[whole[1]]
            return _TOKEN.sub(self._meaning, value)
        if isinstance(value, list) and len(value) < 50:
            return [self.resolve(each) for each in value]
        if isinstance(value, dict) and len(value) < 50:
            made = {self.resolve(key): self.resolve(each) for key, each in value.items()}
            if "‹many names›" in made:
                made.update({f"name{index}": index for index in range(made.pop("‹many names›"))})
            return made
        return value

    def _meaning(self, match: re.Match[str]) -> str:
        places = {
            "site": self.site.origin,
            "other site": self.site.other_origin,
            "dir": str(self.work),
            "outside": str(self.outside),
        }
        if match[1] in places:
            return places[match[1]]
        known = self._tokens.get(match[1]) or ["e1"]
        return known[int(match[2] or 0) % len(known)]

    async def call(self, name: str, arguments: Mapping[str, Any], *, patient: bool = False) -> RenderedResponse | None:
        """Call a tool and judge its reply; None when it was cancelled, as it was asked to wait for too long.

        Args:
            patient: wait for as long as the call does.

        Raises:
            Fault: the reply is none that an agent should get.
        """
        patience = None if patient else _patience(name, arguments)
        call = self._handlers[name].arrive(arguments)
        reply = None
        try:
            async with asyncio.timeout(HANGS) as watch:
                try:
                    async with asyncio.timeout(patience) as asked:
                        reply = await call.run()
                except TimeoutError:
                    if not asked.expired():
                        raise
        except TimeoutError:
            raise Fault(f"no reply within {HANGS:g} s" if watch.expired() else "a TimeoutError got through") from None
        finally:
            call.release()
        if complaints := self._complaints.take():
            raise Fault(f"logged as an error during {name}: {complaints}")
        if reply is not None:
            judge(reply)
        return reply

    async def ok(self, name: str, **arguments: Any) -> str:
        """A call that must succeed; its text."""
        reply = await self.call(name, arguments, patient=True)
        if reply is None or reply.is_error:
            raise Fault(f"{name} {arguments} does not work any more: {reply and reply.text}")
        return reply.text

    # -- afterwards ----------------------------------------------------------------------------------

    async def still_works(self) -> None:
        """Pages can be listed, and there is a page to work on, or a way to get one."""
        if len(self.locks):
            raise Fault("a lock is still held or waited for")
        await self.ok("list_pages")
        for _ in range(5):
            reply = await self.call("evaluate_script", {"function": "() => 1 + 1"})
            if reply is not None and not reply.is_error:
                if "2" not in reply.text:
                    raise Fault(f"1 + 1 is {reply.text!r}")
                return
            # Another document or dialog that came of the fuzzed call may come at any moment.
            await self.answer_dialogs()
            if self.context.selected_page().is_crashed:
                await self.ok("close_page", pageId=self.context.selected_page().id)
        raise Fault(f"the page does not work any more: {reply and reply.text}")

    async def answer_dialogs(self) -> None:
        """Answer every open dialog; a page may open several in a row."""
        for page in self.context.pages():
            for _ in range(20):
                if page.dialog is None:
                    break
                await self.call("handle_dialog", {"action": "accept", "pageId": page.id})

    async def restore(self, *, anew: bool = False) -> None:
        """Have two pages as at first, the fuzzed one selected, and know their uids; `anew` loads them in any case."""
        await self.answer_dialogs()
        await self._end_emulation()
        pages = {page.id: page for page in self.context.pages()}
        if self._page_id in pages and self._other_id in pages and self._documents == self._now() and not anew:
            if len(pages) > 2:
                await self._close_others()
            if self.context.selected_id != self._page_id:
                await self.ok("select_page", pageId=self._page_id)
            return
        stale = self._tokens.get("uid", [])
        self._other_id, other = await self._load(self._other_id)
        self._page_id, ours = await self._load(self._page_id)
        await self._close_others()
        await self.ok("select_page", pageId=self._page_id)
        self._tokens = {"uid": ours, "other uid": other, "stale uid": stale}
        self._documents = self._now()

    async def _end_emulation(self) -> None:
        """Have every page believe the truth again: one that is offline can't be loaded."""
        for page in self.context.pages():
            if page.emulation.settings != NOTHING and not page.is_crashed:
                await self.call("emulate", {**RESETS, "pageId": page.id}, patient=True)
                if page.emulation.settings != NOTHING:
                    await self.call("close_page", {"pageId": page.id})
            elif page.page.emulation.is_resized and not page.is_crashed:
                await self.call("resize_page", {"width": 1280, "height": 720, "pageId": page.id}, patient=True)
                page.page.emulation.is_resized = False

    def _now(self) -> tuple[str, str]:
        """What is loaded in the two pages."""
        pages = self.host.pages
        return (pages[self._page_id].main_frame.loader_id, pages[self._other_id].main_frame.loader_id)

    async def _close_others(self) -> None:
        for page in self.context.pages():
            if page.id not in (self._page_id, self._other_id):
                self._closed_id = page.id
                await self.call("close_page", {"pageId": page.id})  # it may just have closed itself

    async def _load(self, page_id: int) -> tuple[int, list[str]]:
        """The page with the test page loaded anew, or a new one instead; its id and uids."""
        page = next((page for page in self.context.pages() if page.id == page_id), None)
        if page is not None and not page.is_crashed:
            await self.ok("navigate_page", url=self.url, pageId=page_id, timeout=10_000)
        else:
            await self.ok("new_page", url=self.url, timeout=10_000)
            page_id = self.context.selected_page().id
        text = await self.ok("take_snapshot", pageId=page_id)
        return page_id, re.findall(r"^\s*uid=(e\d+)", text, re.MULTILINE)


def _patience(name: str, arguments: Mapping[str, Any]) -> float | None:
    """How long to wait for a call; None for one that does not wait for as long as it is told, or only for a moment."""
    tool, options = TOOLS[name]
    try:
        params = parse_arguments(name, tool.arguments(options), arguments)
    except InvalidInput:
        return None
    if "timeout" not in type(params).model_fields:
        return PATIENCE if "url" in type(params).model_fields else None
    timeout = dict(params)["timeout"]
    return None if timeout is not None and 0 < timeout <= max(SHORT) else PATIENCE


def judge(reply: RenderedResponse) -> None:
    """Hold a reply to what every reply must be.

    Raises:
        Fault: it is not.
    """
    text = reply.text
    errors = _ERROR.findall(text)
    reasons = []
    if _TRACEBACK.search(text):
        reasons.append("it shows our insides")
    if any(code == "internal_error" for code, _ in errors) or "fault of pagelens" in text:
        reasons.append("a fault of ours")
    if reply.is_error != bool(errors or _FAILED_SECTION.search(text)):
        reasons.append("is_error and the text disagree")
    for code, words in errors:
        # A page's own stack may end with a place.
        if not (code == "script_failed" and "\n" in words) and not re.search(r"[.!?…)\"']\s*\Z", words.strip()):
            reasons.append("the error does not end as a sentence")
    if len(text) > LONGEST:
        reasons.append(f"{len(text)} characters")
    if not text and not reply.images:
        reasons.append("it says nothing")
    try:
        text.encode()
        json.dumps(reply.structured, allow_nan=False, ensure_ascii=False).encode()
    except ValueError as error:
        reasons.append(f"it can't be sent: {error}")
    if reasons:
        raise Fault(f"{'; '.join(reasons)}: {text[:2_000]!r}")
