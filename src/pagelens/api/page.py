"""Pages of the library."""

from __future__ import annotations

import asyncio
import enum
import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from pagelens.api.console import ConsoleMessage
from pagelens.api.dialog import Dialog, DialogDesk
from pagelens.api.download import Download
from pagelens.api.effects import Effect, NavigationResult, effect_of, result_of
from pagelens.api.element import Element
from pagelens.api.events import Emitter, Expectation, Handler
from pagelens.api.expected import NavigationExpectation, UrlPattern, expect_event
from pagelens.api.frame import Frame
from pagelens.api.network import Request
from pagelens.api.page_events import PAGE_EVENTS, relay
from pagelens.api.tracing import TraceRecording
from pagelens.api.webmcp import WebMCP
from pagelens.browser import input as inputs
from pagelens.browser import pointer
from pagelens.browser import screenshot as screenshots
from pagelens.browser.content import set_content
from pagelens.browser.element import find_element, find_elements
from pagelens.browser.emulated import Emulated, Geolocation, Viewport
from pagelens.browser.fill import FillValue, value_text
from pagelens.browser.heap import take_heap_snapshot
from pagelens.browser.navigation import BeforeUnload
from pagelens.browser.scroll import ScrollReport
from pagelens.browser.type_text import type_text
from pagelens.browser.waiting import Condition, ElementState, WaitReport
from pagelens.context.memory import REPEATS, LeakReport, find_memory_leaks, script_action
from pagelens.core.deadlines import COMMAND, NAVIGATION, TOOL
from pagelens.errors import FileFailed
from pagelens.response.formatters.har import HarFormatter

if TYPE_CHECKING:
    from pagelens.analysis.trace import Trace
    from pagelens.api.browser import Browser
    from pagelens.api.browser_context import BrowserContext
    from pagelens.browser.emulated import ColorScheme, ForcedColors, NetworkName, PrefersContrast, PrefersReducedMotion
    from pagelens.browser.frame import Frame as EngineFrame
    from pagelens.browser.input import MouseButton
    from pagelens.browser.screenshot import ImageFormat, Screenshot
    from pagelens.context.mcp_page import McpPage
    from pagelens.snapshot.outline import Outline
    from pagelens.snapshot.search import SearchResult
    from pagelens.snapshot.text_snapshot import TextSnapshot

__all__ = ["KEEP", "Keep", "Page", "Target"]

#: An element: a uid of a snapshot (``e12``), a selector that matches exactly one (``css=…``, ``text=…``), or an
#: `Element` of the page.
Target = str | Element


class _Kept(enum.Enum):
    KEEP = "as it is"


#: Of an argument that was left out where None has a meaning of its own: leave it as it is.
KEEP = _Kept.KEEP
Keep = Literal[_Kept.KEEP]

_SUFFIXES: dict[str, ImageFormat] = {".png": "png", ".jpg": "jpeg", ".jpeg": "jpeg", ".webp": "webp"}


class Page:
    """A tab or window.

    All methods that wait take `timeout` in seconds. They raise `PageClosed`, `PageCrashed` or `DialogOpen` when the
    page is in no state to be asked, and what they list besides.
    """

    def __init__(self, browser: Browser, page: McpPage) -> None:
        self._browser = browser
        self._mcp = page
        self._engine = page.page
        self._events = Emitter("A page", PAGE_EVENTS, browser._tasks)
        relay(self, self._events)
        self._desk = DialogDesk(self, self._events, browser._tasks)
        self._webmcp = WebMCP(self)

    def __repr__(self) -> str:
        return f"<Page {self.id} {self.url[:80]}>"

    # -- what it is ----------------------------------------------------------------------------------

    @property
    def id(self) -> int:
        """Our number for it, never used again in this browser."""
        return self._engine.id

    @property
    def browser(self) -> Browser:
        """The browser it lives in."""
        return self._browser

    @property
    def context(self) -> BrowserContext:
        """The group of pages whose cookies and storage it shares."""
        return self._browser._context_of(self._engine)

    @property
    def opener(self) -> Page | None:
        """The page that opened it, None when no page did or that one is closed."""
        opener = self._engine.opener
        return None if opener is None or opener.closed is not None else self._browser._page_of(opener)

    @property
    def url(self) -> str:
        """The main document's address."""
        return self._engine.url

    async def title(self) -> str:
        """The title, raw. The browser is asked, not the page: a page that is stuck has one all the same."""
        await self._engine.host.refresh()
        return self._engine.title

    @property
    def is_closed(self) -> bool:
        """Whether it is gone."""
        return self._engine.closed is not None

    @property
    def is_crashed(self) -> bool:
        """Whether its process died; loading something brings it back."""
        return self._engine.is_crashed

    @property
    def is_loading(self) -> bool:
        """Whether the main document has not reached its load event."""
        return self._engine.is_loading

    @property
    def emulated(self) -> Emulated:
        """What the page is made to believe now, see `emulate`."""
        return self._engine.emulation.settings

    @property
    def dialog(self) -> Dialog | None:
        """The dialog that is open now."""
        return None if self._engine.dialog is None else Dialog(self, self._engine.dialog)

    @property
    def webmcp(self) -> WebMCP:
        """The tools that the page offers to agents: see docs/webmcp.md. The browser needs ``launch(webmcp=True)``."""
        return self._webmcp

    @property
    def main_frame(self) -> Frame:
        """The frame of the main document."""
        return self._frame(self._engine.main_frame)

    @property
    def frames(self) -> list[Frame]:
        """All frames, the main frame first, parents before their children."""
        return [self._frame(frame) for frame in self._engine.main_frame.subtree()]

    # -- navigating ----------------------------------------------------------------------------------

    async def goto(
        self,
        url: str,
        *,
        timeout: float | None = None,
        ignore_cache: bool = False,
        before_unload: BeforeUnload = "accept",
        init_script: str | None = None,
    ) -> NavigationResult:
        """Load `url` and return when the page is usable.

        Args:
            url: an absolute address; one without a scheme gets ``https://`` (``http://`` for this machine).
            timeout: a page that is there by then is described as it is (`NavigationResult.outcome`). None: 15 seconds,
                more when the page is throttled (see `emulate`).
            ignore_cache: load everything from the network.
            before_unload: what to answer when the current document asks before it is left.
            init_script: JavaScript to run in each frame of the new document before its own scripts.

        Raises:
            NavigationFailed: a ``net::`` error, an address Chrome refuses, no answer in time. An HTTP error is none.
            InvalidInput: `url` can't be an address.
        """
        result = await self._mcp.navigate(
            url, timeout=timeout, ignore_cache=ignore_cache, before_unload=before_unload, init_script=init_script
        )
        return result_of(self, result)

    async def reload(
        self, *, timeout: float | None = None, ignore_cache: bool = False, before_unload: BeforeUnload = "accept"
    ) -> NavigationResult:
        """Load the current document again; see `goto`."""
        result = await self._mcp.navigate(
            "", how="reload", timeout=timeout, ignore_cache=ignore_cache, before_unload=before_unload
        )
        return result_of(self, result)

    async def back(self, *, timeout: float | None = None, before_unload: BeforeUnload = "accept") -> NavigationResult:
        """One step back in the history.

        Raises:
            NavigationFailed: there is no earlier entry; else as `goto`.
        """
        return result_of(self, await self._mcp.navigate("", how="back", timeout=timeout, before_unload=before_unload))

    async def forward(
        self, *, timeout: float | None = None, before_unload: BeforeUnload = "accept"
    ) -> NavigationResult:
        """One step forward in the history.

        Raises:
            NavigationFailed: there is no later entry; else as `goto`.
        """
        return result_of(
            self, await self._mcp.navigate("", how="forward", timeout=timeout, before_unload=before_unload)
        )

    async def set_content(self, html: str, *, timeout: float = NAVIGATION) -> NavigationResult:
        """Replace the main document's content by `html` and return when it has loaded; the address stays.

        What has not loaded by then is in `NavigationResult.pending`, and the outcome is ``usable``.
        """
        await self._ready()
        return result_of(self, await set_content(self._engine, html, timeout=timeout))

    # -- reading -------------------------------------------------------------------------------------

    async def evaluate(self, source: str, *args: Any, timeout: float = TOOL) -> Any:
        """Run JavaScript in the page's own world, wait for its promise, and return its value.

        Args:
            source: a function (``(a, b) => a + b``, also async), or an expression or statements, whose last value
                counts and which may use await.
            args: what the function gets: None, bool, int, float, str, bytes, datetime, lists and dicts of these, and
                `Element` objects.

        Returns:
            The value in Python; docs/library.md has the table. Elements come as `Element`.

        Raises:
            ScriptFailed: it does not compile, or threw: with the page's own words and the lines concerned.
            DeadlineExceeded: it ran, or its promise stayed open, for longer than `timeout`; it was ended.
            DocumentReplaced: the page navigated before it returned.
            InvalidInput: an argument can't be passed.
        """
        return await self.main_frame.evaluate(source, *args, timeout=timeout)

    async def snapshot(self, target: str | None = None, *, verbose: bool = False) -> TextSnapshot:
        """The page as text (``.text``), all frames in their places, each element that matters with its uid.

        Args:
            target: only this part, its address whole: a uid, a range of an outline (``e12-e40``), a selector.
            verbose: boxes and whole addresses too.

        Raises:
            ElementNotFound, ElementAmbiguous, InvalidInput: `target` is not shown, or names no one element.
        """
        await self._ready()
        return await self._mcp.snapshot(verbose=verbose, target=target)

    async def outline(
        self,
        target: str | None = None,
        *,
        max_lines: int | None = None,
        max_tokens: int | None = None,
        depth: int | None = None,
    ) -> Outline:
        """The page in a tenth of its snapshot (``.text``): lists are folded to one row an item, and every element is
        printed with its uid or is in a stated range of uids.

        Args:
            target: only this part: a uid, a range of an outline (``e12-e40``), a selector.
            max_lines: the best outline in so many lines, at least 10; 1000 when None.
            max_tokens: in about so many tokens, rather fewer.
            depth: levels of the tree.

        Raises:
            ElementNotFound, ElementAmbiguous, InvalidInput: `target` is not shown, or names no one element.
        """
        await self._ready()
        return await self._mcp.outline(target=target, max_lines=max_lines, max_tokens=max_tokens, depth=depth)

    async def search(
        self, pattern: str, *, ignore_case: bool = False, context: int = 0, max_results: int | None = None
    ) -> SearchResult:
        """The lines of the page's snapshot that match a regular expression of ripgrep's, under what they are in.

        Args:
            pattern: matched against each line without its indentation.
            ignore_case: capital and small letters are the same.
            context: lines around each match that are shown too.
            max_results: matches shown, 30 when None; of all others the number.

        Raises:
            InvalidInput: the pattern is none; with ripgrep's own words.
        """
        await self._ready()
        return await self._mcp.search(pattern, ignore_case=ignore_case, context=context, max_results=max_results)

    async def screenshot(
        self,
        target: Target | None = None,
        *,
        full_page: bool = False,
        path: Path | str | None = None,
        format: ImageFormat | None = None,
        quality: int | None = None,
        timeout: float = COMMAND,
    ) -> Screenshot:
        """A picture of the viewport, of all of the page, or of one element (``.data``, with its size and scale).

        Args:
            target: an element; what scrolls around it is scrolled to it.
            full_page: all of the page.
            path: a file to write it to as well.
            format: ``png``, ``jpeg`` or ``webp``; None goes by the ending of `path`, else png.
            quality: 0 to 100, for jpeg and webp.

        Raises:
            ScreenshotFailed: Chrome gave no picture. FileFailed: it can't be written.
            InvalidInput: a quality for png, or out of range; `target` and `full_page`.
            ElementHidden, ElementGone…: as `element`.
        """
        if format is None:
            format = _SUFFIXES.get(Path(path).suffix.lower(), "png") if path is not None else "png"
        name = None if target is None else _name(target)
        await self._ready()
        picture = await screenshots.screenshot(
            self._engine,
            format=format,
            quality=quality,
            full_page=full_page,
            target=name,
            limits=screenshots.FILE,
            timeout=timeout,
        )
        if path is not None:
            await asyncio.to_thread(_write, Path(path), picture.data)
        return picture

    async def element(self, target: str) -> Element:
        """The element of a uid (``e12``), or the one that a selector (``css=…``, ``text=…``) matches in all frames.

        Raises:
            ElementNotFound: nothing matches, or the uid was never given out.
            ElementAmbiguous: several match; they are listed with uids.
            ElementGone, FrameGone: it has left the page. InvalidInput: `target` is neither.
        """
        await self._ready()
        found = await find_element(self._engine, target)
        try:
            return Element(self, found.frame, await found.uid_number())
        finally:
            await found.release()

    async def elements(self, selector: str) -> list[Element]:
        """All elements that a selector matches now, frame by frame, in document order; may be empty.

        Raises:
            InvalidInput: it is no selector.
        """
        await self._ready()
        return [Element(self, frame, number) for frame, number in await find_elements(self._engine, selector)]

    def console_messages(self, *, include_preserved: bool = False) -> list[ConsoleMessage]:
        """What the console has shown since the last navigation, oldest first; with the two before it if asked.

        Service and shared workers of the page's origin and issues that Chrome found are included.
        """
        return [ConsoleMessage(self, record) for record in self._mcp.console.get_data(include_preserved)]

    def network_requests(self, *, include_preserved: bool = False) -> list[Request]:
        """What was requested since the last navigation, oldest first; with the two before it if asked."""
        return [Request(self, record) for record in self._mcp.network.get_data(include_preserved)]

    async def take_heapsnapshot(self, path: str | Path) -> int:
        """Collect garbage and write all that lives in the page's JavaScript heap to a file, which is replaced; returns
        its bytes. `pagelens.analysis.heap.HeapSnapshot.load` reads it.

        Raises:
            FileFailed: it can't be written. CommandTimeout: Chrome fell silent.
        """
        try:
            with await asyncio.to_thread(Path(path).open, "wb") as file:
                return await take_heap_snapshot(self._engine, file)
        except OSError as error:
            raise FileFailed(f"{path} could not be written: {error.strerror or error}.") from error

    async def find_memory_leaks(
        self, action: str | Callable[[], Awaitable[object]], *, repeats: int = REPEATS
    ) -> LeakReport:
        """Do something three times `repeats` times, and find what grows each time; objects of old console messages are
        let go of.

        Args:
            action: a JavaScript function as text, or an asynchronous function that does something with the page.

        Returns:
            A report with ``leaks``, those that retain most first; each has ``name``, ``count``, ``retained_size``,
            ``contents``, ``held_by`` and ``path``, and as text is a sentence.
        """
        act = script_action(self._mcp, action) if isinstance(action, str) else action
        return await find_memory_leaks(self._mcp, act, repeats=max(1, repeats))

    def trace(
        self,
        *,
        reload: bool = False,
        ignore_cache: bool = True,
        path: Path | str | None = None,
        screenshots: bool = False,
        selector_stats: bool = False,
    ) -> TraceRecording:
        """Record the performance of what the body of ``async with`` does; the trace is there after it.

        Args:
            reload: load the page anew first, from the address that was asked for in the first place.
            ignore_cache: of that: load everything from the network.
            path: write the raw trace to this file, which is replaced; compressed if the name ends in ``.gz``.
            screenshots: record pictures as well.
            selector_stats: record what each CSS selector cost; style is slower then.

        Raises:
            TraceFailed: the browser is recording already, or gave no trace. InvalidInput: nothing to load.
            NavigationFailed: the page can't be loaded. FileFailed: the file can't be written.
        """
        return TraceRecording(
            self._mcp.tracing,
            reload=reload,
            ignore_cache=ignore_cache,
            path=path,
            screenshots=screenshots,
            selector_stats=selector_stats,
        )

    async def record_trace(
        self,
        *,
        reload: bool = True,
        ignore_cache: bool = True,
        path: Path | str | None = None,
        screenshots: bool = False,
        selector_stats: bool = False,
    ) -> Trace:
        """Load the page anew, record its performance until it is quiet (10 seconds after it has loaded at most), and
        analyse that. Arguments and errors as for `trace`.

        Returns:
            The trace; its last navigation (``trace.navigations[-1]``) has the metrics and insights.
        """
        recording = self.trace(
            reload=reload,
            ignore_cache=ignore_cache,
            path=path,
            screenshots=screenshots,
            selector_stats=selector_stats,
        )
        async with recording:
            await recording.until_quiet()
        return recording.trace

    async def export_har(
        self,
        path: Path | str,
        *,
        bodies: bool = False,
        include_preserved: bool = True,
        redact_headers: bool = True,
    ) -> Path:
        """Write the recorded requests to an HTTP archive (HAR 1.2), which browsers and other tools open.

        Args:
            bodies: with the bodies of requests and responses.
            include_preserved: with the two navigations before the current one.
            redact_headers: leave out the values of cookies, tokens and passwords.

        Returns:
            The path.

        Raises:
            FileFailed: it can't be written.
        """
        network = self._mcp.network
        navigations = network.navigations if include_preserved else network.navigations[:1]
        formatter = HarFormatter(bodies=network.bodies if bodies else None, redact_headers=redact_headers)
        archive = await formatter.to_json(navigations[::-1])
        target = Path(path)
        await asyncio.to_thread(lambda: _write(target, json.dumps(archive, ensure_ascii=False, indent=1).encode()))
        return target

    # -- acting --------------------------------------------------------------------------------------

    async def click(
        self,
        target: Target,
        *,
        button: MouseButton = "left",
        count: int = 1,
        modifiers: Sequence[str] = (),
        timeout: float = COMMAND,
    ) -> Effect:
        """Click an element, and wait for what that causes.

        Args:
            count: 2 for a double click.
            modifiers: keys held meanwhile: ``Control``, ``Shift``, ``Alt``, ``Meta``.
            timeout: seconds that the page's handlers may take.

        Raises:
            ElementCovered, ElementHidden, ElementDisabled, ElementMoving: it can't be clicked, and was not.
            ElementNotFound, ElementAmbiguous, ElementGone, FrameGone: see `element`.
        """
        name = _name(target)
        await self._ready()
        frame = await self._mcp.frame_of(name)
        done = await self._mcp.act(
            "input",
            lambda: inputs.click(self._engine, name, button=button, count=count, modifiers=modifiers, timeout=timeout),
            frame,
        )
        return effect_of(self, done.effect)

    async def fill(self, target: Target, value: FillValue) -> Effect:
        """Replace what a control holds, read it back, and wait for what that causes.

        Args:
            value: the text; True or False for check boxes, radio buttons and switches; a label or value of a list's
                options, or several of them, also of lists that the page draws itself; ``YYYY-MM-DD`` and the like for
                dates.

        Raises:
            FillFailed: the control can't take this value, or the page changed it.
            ElementDisabled, ElementHidden, ElementCovered, ElementGone…: as `click`.
        """
        name = _name(target)
        await self._ready()
        done = await self._mcp.fill(name, value_text(value))
        if done.report is not None:
            done.report.raise_if_differs()
        return effect_of(self, done.effect)

    async def fill_form(
        self,
        fields: Mapping[str, FillValue] | Mapping[Element, FillValue] | Sequence[tuple[Target, FillValue]],
    ) -> Effect:
        """Fill several controls in one pass, read each back, and wait for what that causes.

        Much faster than one `fill` after the other, and nothing is filled when one of them can't be.

        Args:
            fields: a value for each uid, selector or element, as for `fill`.

        Raises:
            FillFailed, ElementError: nothing was filled: at least one can't take its value. Or some were, and others
                changed by the page; the message says which.
        """
        pairs = fields.items() if isinstance(fields, Mapping) else fields
        named = [(_name(target), value_text(value)) for target, value in pairs]
        await self._ready()
        done = await self._mcp.fill_form(named)
        if done.report is not None:
            done.report.raise_if_failed()
        return effect_of(self, done.effect)

    async def press(self, key: str) -> Effect:
        """Press a key or combination (``Enter``, ``Control+A``) where the focus is, and wait for what that causes.

        Raises:
            InvalidInput: there is no such key.
        """
        await self._ready()
        return effect_of(self, (await self._mcp.press_key(key)).effect)

    async def type(self, text: str, *, submit_key: str | None = None) -> Effect:
        """Type `text` where the focus is, key by key, and wait for what that causes.

        Args:
            text: line breaks are Enter; a field of one line takes none.
            submit_key: a key or combination pressed afterwards, such as ``Enter``.

        Raises:
            NotEditable: nothing that takes text has the focus; the message says what has.
            InvalidInput: `submit_key` names no key, or there are line breaks for a field of one line.
        """
        await self._ready()
        done = await self._mcp.act("keys", lambda: type_text(self._engine, text, submit_key=submit_key))
        return effect_of(self, done.effect)

    async def hover(self, target: Target, *, timeout: float = COMMAND) -> Effect:
        """Move the mouse over an element, where it stays, and wait for what that causes.

        Raises:
            ElementCovered, ElementHidden, ElementGone…: as `click`.
        """
        name = _name(target)
        await self._ready()
        frame = await self._mcp.frame_of(name)
        done = await self._mcp.act("input", lambda: pointer.hover(self._engine, name, timeout=timeout), frame)
        return effect_of(self, done.effect)

    async def click_at(
        self,
        x: float,
        y: float,
        *,
        button: MouseButton = "left",
        count: int = 1,
        modifiers: Sequence[str] = (),
    ) -> Effect:
        """Click at a place, for what has no element of its own (canvases, maps), and wait for what that causes.

        Args:
            x, y: CSS pixels from the upper left corner of what the page shows: a pixel of a screenshot divided by its
                `Screenshot.scale`, plus its corner.
            button, count, modifiers: as `click`.

        Raises:
            InvalidInput: the place is out of view.
        """
        await self._ready()
        done = await self._mcp.click_at(x, y, button=button, count=count, modifiers=modifiers)
        return effect_of(self, done.effect)

    async def scroll(self, target: Target | None = None, *, x: float = 0, y: float = 0) -> ScrollReport:
        """Turn the mouse's wheel, and wait until what scrolls has come to rest; or bring an element into view.

        Args:
            target: what the mouse is over: the element itself scrolls, else what scrolls inside or around it. None: the
                page. Without a distance, the element is brought into view.
            x, y: CSS pixels to the right and down; negative ones to the left and up.

        Returns:
            Where it is now, and the ends that it has reached (`ScrollReport.ends`).

        Raises:
            InvalidInput: neither a target nor a distance.
            ElementCovered, ElementHidden, ElementGone…: as `click`.
        """
        name = None if target is None else _name(target)
        await self._ready()
        done = await self._mcp.scroll(name, x, y)
        return done.report or ScrollReport("")

    async def drag(self, source: Target, target: Target, *, timeout: float = COMMAND) -> Effect:
        """Drag one element onto another, and wait for what that causes.

        Raises:
            DropRefused: the target did not take it.
            ElementCovered, ElementHidden, ElementGone…: as `click`, for either of them.
        """
        names = _name(source), _name(target)
        await self._ready()
        frame = await self._mcp.frame_of(names[1])
        done = await self._mcp.act("input", lambda: pointer.drag(self._engine, *names, timeout=timeout), frame)
        return effect_of(self, done.effect)

    async def wait_for(
        self,
        text: str | Sequence[str] = (),
        *,
        text_gone: str | Sequence[str] = (),
        target: Target | None = None,
        state: ElementState | None = None,
        url: str | None = None,
        request: str | None = None,
        function: str | None = None,
        timeout: float | None = None,
    ) -> WaitReport:
        """Wait until the page shows, says or does something; of what is given, all must hold at the same time.

        Args:
            text: one of these texts is visible, in any case, white space folded.
            text_gone: none of these is visible any more.
            target: an element is in `state`; with a selector, one of its elements is.
            state: ``visible`` (the default), ``hidden``, ``enabled``, ``disabled``, ``attached`` or ``gone``.
            url: the address contains this; with ``*`` for any characters, all of it must match.
            request: a request whose address matches has ended since the document began to load.
            function: JavaScript that returns something truthy: ``() => window.isReady``; may be async.
            timeout: None: 10 seconds, more when the page is throttled (see `emulate`).

        Raises:
            WaitTimeout: it has not come true in time; the message says what is there instead.
            InvalidInput: nothing to wait for. ElementGone, ElementNotFound, ScriptFailed: it can't come true.
        """
        condition = Condition(
            text=_texts(text),
            text_gone=_texts(text_gone),
            target=None if target is None else _name(target),
            state=state,
            url=url,
            request=request,
            function=function,
        )
        await self._ready()
        return await self._mcp.wait_for(condition, timeout=timeout)

    async def upload(self, target: Target, paths: Path | str | Sequence[Path | str]) -> Effect:
        """Give files to an ``<input type=file>`` (which may be hidden), its label, or a button that opens a file
        chooser, and wait for what that causes.

        Args:
            paths: one file or several; a directory for an input that takes one; an empty list takes all away.

        Raises:
            FileFailed: a file does not exist or can't be read.
            InvalidInput: the element is no file input and opens no chooser, or takes one file only.
            ElementDisabled, ElementNotFound, ElementGone…: as `element`.
        """
        name = _name(target)
        files = [paths] if isinstance(paths, Path | str) else list(paths)
        await self._ready()
        return effect_of(self, (await self._mcp.upload(name, files)).effect)

    # -- what it is made to believe ------------------------------------------------------------------

    async def emulate(
        self,
        *,
        network: NetworkName | Keep | None = KEEP,
        cpu_throttling_rate: float | Keep | None = KEEP,
        geolocation: Geolocation | tuple[float, float] | Keep | None = KEEP,
        user_agent: str | Keep | None = KEEP,
        color_scheme: ColorScheme | Keep | None = KEEP,
        forced_colors: ForcedColors | Keep | None = KEEP,
        prefers_contrast: PrefersContrast | Keep | None = KEEP,
        prefers_reduced_motion: PrefersReducedMotion | Keep | None = KEEP,
        viewport: Viewport | tuple[int, int] | Keep | None = KEEP,
        headers: Mapping[str, str] | Keep | None = KEEP,
    ) -> list[str]:
        """Make the page believe in another network, place, browser or display.

        What is left out stays as it is, None resets it. It holds until then, over navigations and crashes, in all
        frames and workers of the page, and in popups that it opens, from their first request on; for everybody who uses
        the page.

        Args:
            network: ``Offline``, ``Slow 3G``, ``Fast 3G``, ``Slow 4G`` or ``Fast 4G``.
            cpu_throttling_rate: how many times slower its scripts run, 1 to 20.
            geolocation: degrees of latitude and longitude; its origins are permitted to ask for them.
            user_agent: client hints and ``navigator.platform`` follow it.
            color_scheme: ``dark`` or ``light``.
            forced_colors: ``active`` or ``none``.
            prefers_contrast: ``more``, ``less``, ``custom`` or ``no-preference``.
            prefers_reduced_motion: ``reduce`` or ``no-preference``.
            viewport: a display: `Viewport`, or its width and height.
            headers: sent with every request of the page, to any server, in place of those set before.

        Returns:
            What is good to know besides, in sentences; often nothing.

        Raises:
            InvalidInput: a value can't be; nothing was changed.
            EmulationFailed: Chrome did not take all of it; the message says what it did take.
        """
        if isinstance(geolocation, tuple):
            geolocation = Geolocation(*geolocation)
        if isinstance(viewport, tuple):
            viewport = Viewport(*viewport)
        named = {
            "network": network,
            "cpu_throttling_rate": cpu_throttling_rate,
            "geolocation": geolocation,
            "user_agent": user_agent,
            "color_scheme": color_scheme,
            "forced_colors": forced_colors,
            "prefers_contrast": prefers_contrast,
            "prefers_reduced_motion": prefers_reduced_motion,
            "viewport": viewport,
            "headers": headers,
        }
        await self._ready()
        return await self._mcp.emulate({name: value for name, value in named.items() if value is not KEEP})

    async def resize(self, width: int, height: int) -> str:
        """Give the page's window, with all its tabs, such a size that the page has `width` by `height` CSS pixels.

        Returns:
            Empty when the page sees that size; else why it can't: an emulated viewport, which wins, or a dialog.

        Raises:
            ResizeFailed: the page has another size: windows have a smallest one, screens an end. InvalidInput: no size.
        """
        await self._ready()
        return await self._mcp.resize(width, height)

    async def bring_to_front(self) -> None:
        """Make it the active tab of its window and raise the window."""
        await self._mcp.bring_to_front()

    async def close(self) -> None:
        """Close it, without asking its beforeunload handlers. Idempotent."""
        await self._engine.close()

    # -- events --------------------------------------------------------------------------------------

    def on(self, event: str, handler: Handler) -> Callable[[], None]:
        """Call `handler` with each payload of an event; returns the function that ends it.

        Handlers may be coroutine functions: one handler's events are worked off one after another. What a handler
        raises is logged. The events and their payloads are listed in docs/library.md. A page that was open before
        `connect` is listened to from its first use on; `on` is none.

        Raises:
            InvalidInput: there is no such event.
        """
        return self._events.on(event, handler)

    def once(self, event: str, handler: Handler) -> Callable[[], None]:
        """As `on`, for the next event only."""
        return self._events.on(event, handler, once=True)

    def off(self, event: str, handler: Handler) -> None:
        """End what `on` or `once` began with the same handler."""
        self._events.off(event, handler)

    def expect_event(
        self, event: str, predicate: Callable[[Any], bool] | None = None, *, timeout: float = TOOL
    ) -> Expectation[Any]:
        """Wait for an event that the body of ``async with`` causes; see `Expectation`.

        Args:
            predicate: whether a payload is the one that is waited for; any when None.
        """
        return expect_event(self, self._events, self._desk, event, predicate, timeout)

    def expect_page(
        self, predicate: Callable[[Page], bool] | None = None, *, timeout: float = TOOL
    ) -> Expectation[Page]:
        """Wait for a page that this one opens, and until that knows its address; see `Expectation`."""
        return self.expect_event("popup", predicate, timeout=timeout)

    def expect_download(
        self, predicate: Callable[[Download], bool] | None = None, *, timeout: float = TOOL
    ) -> Expectation[Download]:
        """Wait for a download to begin (`Download.path` waits for its end); see `Expectation`."""
        return self.expect_event("download", predicate, timeout=timeout)

    def expect_dialog(
        self, predicate: Callable[[Dialog], bool] | None = None, *, timeout: float = TOOL
    ) -> Expectation[Dialog]:
        """Wait for a dialog, and leave it open: answer it after the block, or in it by `dialog`; see `Expectation`.

        Calls in the block that the dialog holds up end when it opens: actions with it in their `Effect`.
        """
        return self.expect_event("dialog", predicate, timeout=timeout)

    def expect_navigation(self, url: UrlPattern | None = None, *, timeout: float = NAVIGATION) -> NavigationExpectation:
        """Wait until a navigation of the main frame, begun in the body of ``async with``, has made a usable page.

        Actions (`click`, `press`…) wait for what they cause by themselves; this is for what comes later.

        Args:
            url: pass over navigations to other addresses than this one, those the pattern is found in, or those the
                function accepts.
        """
        return NavigationExpectation(self, url, timeout)

    # -- for the library's other classes -------------------------------------------------------------

    def _frame(self, frame: EngineFrame) -> Frame:
        return Frame(self, frame)

    async def _ready(self) -> None:
        """The first step of all that asks the page: attached, initialised, alive."""
        await self._engine.ready()
        self._engine.raise_if_unusable()

    async def _arrived(self, timeout: float) -> None:
        """Wait until a page that was just opened knows what it is to show."""
        engine = self._engine
        await engine.ready()
        await engine.loads.wait(lambda: engine.knows_its_address or engine.closed is not None, timeout)


def _name(target: Target) -> str:
    return target._target() if isinstance(target, Element) else target


def _texts(texts: str | Sequence[str]) -> tuple[str, ...]:
    return (texts,) if isinstance(texts, str) else tuple(texts)


def _write(path: Path, data: bytes) -> None:
    try:
        path.write_bytes(data)
    except OSError as error:
        raise FileFailed(f"{path} can't be written: {error.strerror or error}.") from error
