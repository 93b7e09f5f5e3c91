"""A page as the tools see it: with what it said since it opened, and actions that report their effect."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, Literal, TypeVar, cast

from pagelens.browser import fill as filling
from pagelens.browser import fill_form as forms
from pagelens.browser import input as inputs
from pagelens.browser import pointer, scroll
from pagelens.browser import screenshot as screenshots
from pagelens.browser import upload as uploads
from pagelens.browser.click_at import PointReport, click_at
from pagelens.browser.element import locate
from pagelens.browser.evaluate import MAX_CHARS, MAX_DEPTH, EvaluateResult, evaluate
from pagelens.browser.screenshot import ImageFormat, Screenshot
from pagelens.browser.type_text import TypeReport, type_text
from pagelens.browser.uids import DocumentKey
from pagelens.browser.waiting import WAIT, Condition, WaitReport, wait_for
from pagelens.browser.window import resize
from pagelens.collectors.console_collector import ConsoleCollector
from pagelens.collectors.network_collector import NetworkCollector
from pagelens.collectors.source_mapper import SourceMapper
from pagelens.context.kept_snapshots import KeptSnapshots
from pagelens.context.page_tools import PageTools
from pagelens.context.successors import Successors
from pagelens.context.tracing import PageTracing
from pagelens.core.deadlines import NAVIGATION, TOOL, patient
from pagelens.core.options import Options
from pagelens.core.safe_text import one_line, shortened
from pagelens.errors import DialogOpen, DocumentReplaced, ElementGone, ElementNotFound, PageClosed, PagelensError
from pagelens.snapshot.difference import SnapshotDifference, compare
from pagelens.snapshot.frame_reader import address_of
from pagelens.snapshot.outline import Outline, OutlineOptions, SmartOutline
from pagelens.snapshot.outline.smart_outline import MAX_LINES
from pagelens.snapshot.part import is_range, part_of, with_address
from pagelens.snapshot.search import MAX_RESULTS, SearchResult, search_text
from pagelens.snapshot.text_snapshot import TextSnapshot

if TYPE_CHECKING:
    from pagelens.browser.dialogs import Dialog
    from pagelens.browser.effect import Effect
    from pagelens.browser.element import Element
    from pagelens.browser.emulated import Emulated
    from pagelens.browser.frame import Frame
    from pagelens.browser.navigation import NavigationResult
    from pagelens.browser.page import Page
    from pagelens.browser.request_rules import RequestRule
    from pagelens.browser.settle import Depth
    from pagelens.collectors.body_store import BodyStore
    from pagelens.collectors.ids import IdCounter
    from pagelens.collectors.worker_consoles import WorkerConsoles

__all__ = ["Done", "EmulationState", "McpPage"]

log = logging.getLogger(__name__)

#: Limits of a script's result that goes to a file: what one message of the protocol carries with ease.
FILE_CHARS = 20_000_000
FILE_DEPTH = 200
#: A script ends before the tool's own deadline, with words of its own, and leaves time to see what it did. Seconds.
SCRIPT = TOOL - 5

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Done(Generic[T]):
    """An action that was carried out.

    Attributes:
        report: what the action itself says; None when its own effect overtook it: a dialog that it opened holds
            the page, or the page closed.
        effect: what it caused.
        lost: the document went away before the action could report: the effect is real, the report is lost.
    """

    report: T | None
    effect: Effect
    lost: DocumentReplaced | None = None


class EmulationState:
    """What a page is made to believe, as replies show it: a view of what the engine keeps for all who use the page."""

    def __init__(self, page: Page, options: Options) -> None:
        self._page = page
        # The user's viewport is given to windows that we open; a popup has the size its opener chose.
        self._window = options.viewport if page.opener is None else None

    @property
    def settings(self) -> Emulated:
        """The settings in force."""
        return self._page.emulation.settings

    @property
    def window(self) -> tuple[int, int] | None:
        """Width and height in CSS pixels that the user chose for the window, while it has them and they are seen."""
        hidden = self._page.emulation.is_resized or self.settings.viewport is not None
        return None if hidden else self._window

    @property
    def patience(self) -> float:
        """How many times as long as usual the page may take, see `pagelens.core.deadlines.limits`."""
        return self._page.emulation.patience


class McpPage:
    """One page of a context.

    Attributes:
        page: the live page.
        network, console: what it requested and logged since before its first document.
        emulation: what is in force.
        tools: what it offers to agents itself.
        tracing: recording its performance.
        last_snapshot: the one taken last, None before.
        kept_snapshots: those that were shown last, for who reads one piece by piece.
    """

    def __init__(
        self,
        page: Page,
        options: Options,
        *,
        reqids: IdCounter,
        msgids: IdCounter,
        bodies: BodyStore | None = None,
        worker_consoles: WorkerConsoles | None = None,
    ) -> None:
        self.page = page
        self._options = options
        self.network = NetworkCollector(page, reqids, bodies)
        self.console = ConsoleCollector(page, msgids, worker_consoles)
        self.sources = SourceMapper(page, self.network, enabled=options.source_maps)
        self.emulation = EmulationState(page, options)
        self.tools = PageTools(self)
        self.tracing = PageTracing(self)
        self.last_snapshot: TextSnapshot | None = None
        self.kept_snapshots = KeptSnapshots()
        self._seen: dict[bool, tuple[DocumentKey, TextSnapshot]] = {}  # by `verbose`
        self._successors = Successors(page)

    def catch_up(self) -> None:
        """The page was there before this: record what it says from now on."""
        self.network.catch_up(self.page)
        self.console.catch_up(self.page)

    def dispose(self) -> None:
        """The page is closed: keep nothing of it."""
        self.last_snapshot = None
        self.kept_snapshots.clear()
        self._successors.forget()

    # -- what it is ----------------------------------------------------------------------------------

    @property
    def id(self) -> int:
        """Our number for it."""
        return self.page.id

    @property
    def url(self) -> str:
        """The main document's address, raw."""
        return self.page.url

    @property
    def title(self) -> str:
        """Its title, raw."""
        return self.page.title

    @property
    def opener_id(self) -> int | None:
        """The page that opened it."""
        return self.page.opener.id if self.page.opener is not None else None

    @property
    def dialog(self) -> Dialog | None:
        """The dialog that is open now."""
        return self.page.dialog

    @property
    def is_loading(self) -> bool:
        """Whether the main document has not reached its load event."""
        return self.page.is_loading

    @property
    def is_crashed(self) -> bool:
        """Whether its renderer died."""
        return self.page.is_crashed

    @property
    def printable_url(self) -> str:
        """The address, safe to print and not too long for a line."""
        return shortened(one_line(self.url), 200)

    @property
    def request_rules(self) -> dict[int, tuple[RequestRule, int]]:
        """The request rules in force by number, each with how often it was used."""
        return self.page.requests.active

    def take_news(self) -> list[str]:
        """What happened since the last call while no action was watched, in words; forgets it."""
        return self.page.take_news()

    # -- doing ---------------------------------------------------------------------------------------

    async def navigate(
        self,
        url: str,
        *,
        how: Literal["url", "back", "forward", "reload"] = "url",
        timeout: float | None = None,
        ignore_cache: bool = False,
        before_unload: Literal["accept", "dismiss"] = "accept",
        init_script: str | None = None,
    ) -> NavigationResult:
        """Load `url`, or go through the history, or reload; see `pagelens.browser.navigation`.

        Args:
            timeout: seconds; None: the usual time, longer when the page is throttled.

        Raises:
            NavigationFailed: it could not be loaded, or there is no such history entry.
        """
        if timeout is None:
            timeout = patient(NAVIGATION, self.emulation.patience)
        if how == "back":
            return await self.page.go_back(timeout=timeout, before_unload=before_unload)
        if how == "forward":
            return await self.page.go_forward(timeout=timeout, before_unload=before_unload)
        if how == "reload":
            return await self.page.reload(
                timeout=timeout, ignore_cache=ignore_cache, before_unload=before_unload, init_script=init_script
            )
        return await self.page.navigate(
            url, timeout=timeout, ignore_cache=ignore_cache, before_unload=before_unload, init_script=init_script
        )

    async def handle_dialog(self, accept: bool, text: str | None = None) -> Done[Dialog]:
        """Answer the open dialog; `text` is for a prompt.

        Raises:
            NoDialog: none is open.
        """
        return await self.act("script", lambda: self.page.handle_dialog(accept, text))

    async def bring_to_front(self) -> None:
        """Show the page in front of other windows."""
        await self.page.bring_to_front()

    async def click(
        self, target: str, *, button: inputs.MouseButton = "left", count: int = 1, modifiers: Sequence[str] = ()
    ) -> Done[inputs.ClickReport]:
        """Click the element of a uid or selector, `count` times in quick succession.

        Raises:
            ElementError: it can't be clicked; the subclass and message say why.
        """
        frame = await self.frame_of(target)
        return await self.act(
            "input",
            lambda: inputs.click(self.page, target, button=button, count=count, modifiers=modifiers),
            frame,
        )

    async def click_at(
        self, x: float, y: float, *, button: inputs.MouseButton = "left", count: int = 1, modifiers: Sequence[str] = ()
    ) -> Done[PointReport]:
        """Click at a place of what the page shows; raises `InvalidInput` for one that is out of view."""
        return await self.act(
            "input", lambda: click_at(self.page, x, y, button=button, count=count, modifiers=modifiers)
        )

    async def scroll(self, target: str | None, dx: float = 0, dy: float = 0) -> Done[scroll.ScrollReport]:
        """Turn the wheel over an element, or over the page; without a distance, bring the element into view.

        Raises:
            ElementError: it can't be reached; the subclass and message say why.
        """
        if target is not None and not (dx or dy):
            return await self.act("script", lambda: scroll.scroll_to(self.page, target))
        return await self.act("script", lambda: scroll.scroll_by(self.page, target, dx, dy))

    async def fill(self, target: str, value: str) -> Done[filling.FillReport]:
        """Give a control a value.

        Raises:
            ElementError: it takes no such value, or did not keep it.
        """
        frame = await self.frame_of(target)
        return await self.act("script", lambda: filling.fill(self.page, target, value), frame)

    async def fill_form(self, fields: Sequence[tuple[str, str]]) -> Done[forms.FormReport]:
        """Give several controls, each by uid or selector, a value; none when one of them can't take its value.

        Raises:
            ElementError, InvalidInput: nothing was filled; the message says why.
        """
        frame = await self.frame_of(fields[-1][0]) if fields else None
        return await self.act("script", lambda: forms.fill_form(self.page, fields), frame)

    async def upload(self, target: str, paths: Sequence[Path | str]) -> Done[uploads.UploadReport]:
        """Give files, or none, to a file input, or to the chooser that an element opens.

        Raises:
            FileFailed, InvalidInput, ElementError: it can't have them; the message says why.
        """
        frame = await self.frame_of(target)
        return await self.act("script", lambda: uploads.upload(self.page, target, paths), frame)

    async def press_key(self, combo: str) -> Done[None]:
        """Press a key or combination where the focus is; raises `InvalidInput` for a key that doesn't exist."""
        return await self.act("keys", lambda: inputs.press_key(self.page, combo))

    async def hover(self, target: str) -> Done[str]:
        """Move the mouse over an element; reports what to call it.

        Raises:
            ElementError: it can't be reached; the subclass and message say why.
        """
        frame = await self.frame_of(target)
        return await self.act("input", lambda: pointer.hover(self.page, target), frame)

    async def drag(self, source: str, target: str) -> Done[pointer.DragReport]:
        """Drag one element onto another.

        Raises:
            ElementError: one of them can't be reached, or the drop was not taken.
        """
        frame = await self.frame_of(target)
        return await self.act("input", lambda: pointer.drag(self.page, source, target), frame)

    async def type_text(self, text: str, *, submit_key: str | None = None) -> Done[TypeReport]:
        """Type where the focus is, then press a key.

        Raises:
            NotEditable: nothing that takes text has the focus.
        """
        return await self.act("keys", lambda: type_text(self.page, text, submit_key=submit_key))

    async def evaluate(
        self,
        source: str,
        *,
        kind: Literal["function", "script"] = "function",
        args: Sequence[str] = (),
        dialog_action: str | None = None,
        large: bool = False,
    ) -> Done[EvaluateResult]:
        """Run JavaScript in the page's own world; see `pagelens.browser.evaluate`.

        Args:
            dialog_action: answer to dialogs it opens: ``accept``, ``dismiss`` or the text for a prompt. None
                leaves them open: the report is then missing.
            large: the result goes to a file, not to a reader.

        Raises:
            ScriptFailed: it does not compile, or threw.
        """
        max_chars, max_depth = (FILE_CHARS, FILE_DEPTH) if large else (MAX_CHARS, MAX_DEPTH)
        elements: list[str | Element] = list(args)
        frame: Frame | None = None
        if args and len(self.page.frames) > 1:
            first = elements[0] = await self.page.element(args[0])
            frame = None if first.frame.is_main else first.frame
        return await self.act(
            "script",
            lambda: evaluate(
                self.page,
                source,
                kind=kind,
                args=elements,
                timeout=patient(SCRIPT, self.emulation.patience),
                dialog_action=dialog_action,
                max_chars=max_chars,
                max_depth=max_depth,
            ),
            frame,
        )

    async def add_request_rule(self, rule: RequestRule) -> int:
        """Change requests of the page from now on; see `RequestRules.add`."""
        return await self.page.requests.add(rule)

    async def clear_request_rules(self, number: int | None = None) -> int:
        """Take one rule away, or all; see `RequestRules.clear`."""
        return await self.page.requests.clear(number)

    async def wait_for(self, condition: Condition, *, timeout: float | None = None) -> WaitReport:
        """Wait until the page shows, says or does something; see `pagelens.browser.waiting`.

        Args:
            timeout: seconds; None: the usual time, longer when the page is throttled.

        Raises:
            WaitTimeout: it has not in time; the message says what is there instead.
        """
        if timeout is None:
            timeout = patient(WAIT, self.emulation.patience)
        async with self._naming_successors():
            return await wait_for(self.page, condition, timeout)

    async def emulate(self, changes: Mapping[str, Any]) -> list[str]:
        """Change what the page is made to believe; see `PageEmulation.change`.

        Raises:
            InvalidInput: a value can't be. EmulationFailed: Chrome did not take all of it.
        """
        return await self.page.emulation.change(changes)

    async def resize(self, width: int, height: int) -> str:
        """Resize the page's window; see `pagelens.browser.window.resize`.

        Raises:
            ResizeFailed: the page has another size.
        """
        return await resize(self.page, width, height)

    async def snapshot(self, *, verbose: bool = False, target: str | None = None) -> TextSnapshot:
        """The page as text, with uids; kept as `last_snapshot`.

        Args:
            verbose: as `TextSnapshot.take`.
            target: return only the lines of this element and what is in it: a uid, a range (``e12-e40``), a selector.
                The address of that element is whole.

        Raises:
            ElementNotFound, ElementAmbiguous, InvalidInput: `target` is not shown in the page, or names no one element.
        """
        part = await self._part(verbose, target)
        if target is None or is_range(target):
            return part
        located = await locate(self.page, target)
        address = one_line(await address_of(located.frame, located.number))
        return TextSnapshot(with_address(part.text, address), part.frames, part.problems)

    async def _part(self, verbose: bool, target: str | None) -> TextSnapshot:
        self.page.raise_if_unusable()
        await self.page.host.refresh()  # the title in its first line
        whole = self.last_snapshot = await TextSnapshot.take(self.page, verbose=verbose)
        self._seen[verbose] = (self.page.main_frame.document_key, whole)
        self._successors.remember(whole)
        if target is None:
            return whole
        return TextSnapshot(part_of(whole.text, await self._uid_for(target)), whole.frames, whole.problems)

    async def snapshot_difference(
        self, *, verbose: bool = False, target: str | None = None
    ) -> SnapshotDifference | None:
        """Take a snapshot and say what has changed since the last one of this kind; None when there was none, or when
        it was of another document.

        Raises:
            As `snapshot`.
        """
        document, before = self._seen.get(verbose, (None, None))
        if before is None or document != self.page.main_frame.document_key:
            return None
        now = await self._part(verbose, target)
        text = before.text
        if target is not None:
            try:
                text = part_of(text, await self._uid_for(target))
            except ElementNotFound:
                text = text.split("\n", 1)[0]  # it has come since
        return compare(text, now.text)

    async def outline(
        self,
        *,
        target: str | None = None,
        max_lines: int | None = None,
        max_tokens: int | None = None,
        max_chars: int | None = None,
        depth: int | None = None,
    ) -> Outline:
        """The page in a tenth of its snapshot's lines; see `OutlineOptions`. Errors as `snapshot`."""
        snapshot = await self.snapshot(target=target)
        options = OutlineOptions(max_lines or MAX_LINES, max_tokens, max_chars, depth)
        smart = SmartOutline(options)
        text = await asyncio.to_thread(smart.generate, snapshot)
        return Outline(text, smart.stats)

    async def search(
        self, pattern: str, *, ignore_case: bool = False, context: int = 0, max_results: int | None = None
    ) -> SearchResult:
        """The lines of the page's snapshot that match a regular expression; see `search_text`. Errors as `snapshot`."""
        snapshot = await self.snapshot()
        return await search_text(
            snapshot.text, pattern, ignore_case=ignore_case, context=context, max_results=max_results or MAX_RESULTS
        )

    async def _uid_for(self, target: str) -> str:
        """The uid of a target, or the range that it is."""
        if is_range(target):
            return target
        return f"e{(await locate(self.page, target)).number}"

    async def uid_selected_in_devtools(self) -> str | None:
        """The uid, as in ``e12``, of the element that a person has selected in the page's DevTools window; None when
        there is none, or the last snapshot did not show it."""
        node = (await self.page.host.devtools.selection(self.page)).backend_node_id
        if node is None:
            return None
        try:
            number = await TextSnapshot.uid_of(self.page, node)
        except PagelensError as error:
            log.info("the element selected in DevTools of page %d can't be found: %s", self.id, error)
            return None
        return None if number is None else f"e{number}"

    async def screenshot(
        self,
        *,
        format: ImageFormat = "png",
        quality: int | None = None,
        full_page: bool = False,
        target: str | None = None,
    ) -> Screenshot:
        """One picture of the viewport, all of the page, or an element; `quality` from 0 to 100 for jpeg and webp."""
        self.page.raise_if_unusable()
        return await screenshots.screenshot(
            self.page, format=format, quality=quality, full_page=full_page, target=target
        )

    async def screenshots(
        self,
        *,
        format: ImageFormat | None = None,
        quality: int | None = None,
        full_page: bool = False,
        target: str | None = None,
        to_file: bool = False,
    ) -> list[Screenshot]:
        """Pictures for a reader, all of a tall page in several; or one for a file. The user's options hold.

        Args:
            format, quality: the user's when None; a quality is passed over for png.
        """
        self.page.raise_if_unusable()
        options = self._options
        chosen = format or cast("ImageFormat", options.screenshot_format or "png")
        limits = screenshots.FILE if to_file else screenshots.INLINE
        if quality is None:
            quality = options.screenshot_quality
        async with self._naming_successors():
            return await screenshots.screenshots(
                self.page,
                format=chosen,
                quality=None if chosen == "png" else quality,
                full_page=full_page,
                target=target,
                limits=limits.at_most(options.screenshot_max_width, options.screenshot_max_height),
            )

    async def frame_of(self, target: str) -> Frame | None:
        """The sub frame that an element is in: its navigations are waited for. None for the main frame."""
        if len(self.page.frames) == 1:
            return None
        async with self._naming_successors():
            element = await self.page.element(target)
        await element.release()
        return None if element.frame.is_main else element.frame

    async def act(self, depth: Depth, action: Callable[[], Awaitable[T]], frame: Frame | None = None) -> Done[T]:
        """Do something and wait for what it causes, also when that overtakes the action itself."""
        report: T | None = None
        lost: DocumentReplaced | None = None
        self.page.raise_if_unusable()
        async with self._naming_successors(), self.page.acting(depth, frame) as effect:
            try:
                report = await action()
            except DialogOpen:
                if effect.dialog is None:
                    raise  # it was there before
            except PageClosed:
                pass  # by the action: a page that was closed before never gets this far
            except DocumentReplaced as error:
                lost = error
        return Done(report, effect, lost)

    @asynccontextmanager
    async def _naming_successors(self) -> AsyncIterator[None]:
        """An element that is gone may have been drawn anew: its error says as what."""
        try:
            yield
        except ElementGone as error:
            raise await self._successors.explained(error) from error
