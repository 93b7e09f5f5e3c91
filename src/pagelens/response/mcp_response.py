"""The reply of a tool: it is told what to show, works it out late and presents it in one fixed order."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from pagelens.collectors.request_filter import RequestFilter
from pagelens.core.safe_text import one_line, shortened
from pagelens.errors import PagelensError
from pagelens.response.budget import fit
from pagelens.response.encoding import Encoder, encoder_for
from pagelens.response.order import (
    ConsoleListOrder,
    EffectOrder,
    HarOrder,
    HeapOrder,
    ImageOrder,
    NavigationOrder,
    NetworkDetailOrder,
    NetworkListOrder,
    Order,
    PagesOrder,
    ResultOrder,
    SnapshotOrder,
    StepOrder,
    StreamListOrder,
    TraceOrder,
)
from pagelens.response.output import Output
from pagelens.response.section import Section
from pagelens.response.sections import SECTIONS

if TYPE_CHECKING:
    from pagelens.analysis.heap import HeapSnapshot
    from pagelens.browser.effect import Effect
    from pagelens.browser.fill_form import FormReport
    from pagelens.browser.navigation import NavigationResult
    from pagelens.browser.screenshot import Screenshot
    from pagelens.browser.waiting import WaitReport
    from pagelens.context.mcp_context import McpContext
    from pagelens.context.mcp_page import McpPage
    from pagelens.context.memory import LeakReport
    from pagelens.context.page_tools import PageToolResult
    from pagelens.context.tracing import PageTrace
    from pagelens.snapshot.difference import SnapshotDifference
    from pagelens.snapshot.outline import Outline
    from pagelens.snapshot.search import SearchResult
    from pagelens.snapshot.text_snapshot import TextSnapshot

__all__ = ["McpResponse", "RenderedResponse"]

log = logging.getLogger(__name__)

#: Characters of the reason why a section could not be shown.
FAILURE_CHARS = 1_000


@dataclass(frozen=True, slots=True)
class RenderedResponse:
    """A finished reply, knowing nothing of MCP.

    Attributes:
        text: the one text block.
        images: pictures after it: (bytes, media type).
        structured: the JSON twin of the text.
        is_error: what the tool promised did not happen, or a part could not be shown.
    """

    text: str
    images: list[tuple[bytes, str]] = field(default_factory=list)
    structured: dict[str, Any] = field(default_factory=dict)
    is_error: bool = False


class McpResponse:
    """Declaring costs nothing: a handler orders, `handle` computes what was ordered and only that.

    The order of declaring never changes the order of presenting. Passing `on=False` withdraws.
    """

    sections: ClassVar[Sequence[type[Section]]] = SECTIONS

    def __init__(self) -> None:
        self.order = Order()

    def for_page(self, page: McpPage, *, name_it: bool = False, has_progress: bool = False) -> None:
        """Say which page the reply is about; `name_it` tells the reader too. `has_progress` as in `Order`.

        What happened on it unwatched before this call is taken up now, so that it isn't mixed with what the call does.
        """
        self.order.page = page
        self.order.name_page = name_it
        self.order.has_progress = has_progress
        self.order.news += page.take_news()

    def append_line(self, text: str) -> None:
        """Add one line of the tool's own. Page text in it must be safe already."""
        self.order.lines.append(text)

    def attach_result(
        self, text: str, *, note: str = "", file_path: Path | None = None, is_string: bool = False
    ) -> None:
        """Show the value that a script returned, or write it to `file_path`; `note` tells what it lacks.

        `is_string`: `text` is a whole string in JSON, of which a file gets what it says.
        """
        self.order.result = ResultOrder(text, note, file_path, is_string)

    def attach_image(
        self, data: bytes, mime: str, caption: str, *, note: str = "", file_path: Path | None = None
    ) -> None:
        """Show a picture after the text, or write it to `file_path`; `caption` describes it in a few words."""
        self.order.images.append(ImageOrder(data, mime, caption, note, file_path))

    def attach_screenshot(self, shot: Screenshot, *, file_path: Path | None = None) -> None:
        """Show a screenshot and its measures, or write it to `file_path`."""
        caption = "Screenshot"
        if shot.subject != "viewport":
            caption += f" of {'all of the page' if shot.subject == 'page' else one_line(shot.subject)}"
        if shot.parts > 1:
            caption += f", part {shot.part} of {shot.parts}"
        caption += f", {shot.width}x{shot.height} px"
        if shot.scale != 1:
            caption += f", {shot.scale:g} px a CSS px"
        if shot.x or shot.y:
            caption += f", its corner at {shot.x:g},{shot.y:g} of the viewport"
        self.order.images.append(
            ImageOrder(shot.data, shot.mime, caption, shot.note, file_path, (shot.scale, shot.x, shot.y))
        )

    def attach_navigation(self, result: NavigationResult, verb: str = "Navigated to") -> None:
        """Say how a navigation that the tool made ended."""
        self.order.navigation = NavigationOrder(result, verb)

    def attach_wait(self, report: WaitReport) -> None:
        """Say what came true of what the tool waited for."""
        self.order.wait = report

    def attach_form(self, report: FormReport) -> None:
        """Say what became of the fields of a form."""
        self.order.form = report

    def attach_step(self, tool: str, response: McpResponse, error: BaseException | None = None) -> None:
        """Say what one of several actions, the next one, did: what `response` was told to show, or why it failed."""
        self.order.steps.append(StepOrder(len(self.order.steps) + 1, tool, response.order, error))

    def attach_effect(self, effect: Effect, *, say_none: bool = False) -> None:
        """Say what an action did; with `say_none` also that nothing was observed."""
        self.order.effects.append(EffectOrder(effect, say_none))

    def include_pages(self, on: bool = True, *, page_size: int | None = None, page_idx: int | None = None) -> None:
        """List the pages; all of them unless a page of the list is asked for."""
        self.order.pages = PagesOrder(page_size, page_idx) if on else None

    def include_workers(self, on: bool = True) -> None:
        """List the service and shared workers."""
        self.order.workers = on

    def include_snapshot(
        self,
        on: bool = True,
        *,
        verbose: bool = False,
        file_path: Path | None = None,
        cursor: str | None = None,
        max_tokens: int | None = None,
    ) -> None:
        """Show the page as text with uids, or write that to `file_path`.

        With `cursor` what follows in one that was shown, with `max_tokens` about so many tokens of it.
        """
        order = SnapshotOrder(verbose, file_path, cursor=cursor, max_tokens=max_tokens)
        self.order.snapshot = order if on else None

    def attach_snapshot(
        self, taken: TextSnapshot | SnapshotDifference, *, file_path: Path | None = None, max_tokens: int | None = None
    ) -> None:
        """Show a snapshot that was taken, or what has changed in it, or write that to `file_path`."""
        self.order.snapshot = SnapshotOrder(file_path=file_path, taken=taken, max_tokens=max_tokens)

    def attach_outline(self, outline: Outline) -> None:
        """Show a page's outline."""
        self.order.outline = outline

    def attach_search(self, result: SearchResult) -> None:
        """Show what a search found."""
        self.order.search = result

    def include_network_requests(
        self,
        on: bool = True,
        *,
        page_size: int | None = None,
        page_idx: int | None = None,
        filter: RequestFilter | None = None,
        include_preserved: bool = False,
    ) -> None:
        """List the page's requests; see `NetworkListOrder`."""
        self.order.network_list = (
            NetworkListOrder(page_size, page_idx, filter or RequestFilter(), include_preserved) if on else None
        )

    def attach_network_request(
        self,
        reqid: int | None,
        *,
        request_path: Path | None = None,
        response_path: Path | None = None,
        body_offset: int = 0,
        body_limit: int = 10_000,
    ) -> None:
        """Show one request in full, or with None the one selected in DevTools; see `NetworkDetailOrder`."""
        self.order.network_detail = NetworkDetailOrder(reqid, request_path, response_path, body_offset, body_limit)

    def export_har(self, file_path: Path, *, bodies: bool = False, preserved: bool = True) -> None:
        """Write the page's requests to an HTTP archive; see `HarOrder`."""
        self.order.har = HarOrder(file_path, bodies, preserved)

    def attach_heap(
        self,
        view: str,
        snapshots: Sequence[HeapSnapshot],
        *,
        page_size: int | None = None,
        page_idx: int | None = None,
        **given: Any,
    ) -> None:
        """Answer a question about heap snapshots; see `HeapOrder`."""
        self.order.heap = HeapOrder(view, snapshots, given, page_size, page_idx)

    def attach_leaks(self, report: LeakReport) -> None:
        """Say what grew each time."""
        self.order.leaks = report

    def attach_trace(self, trace: PageTrace, set_id: str | None = None) -> None:
        """Show the summary of a performance trace, of its last navigation unless another is named."""
        self.order.trace = TraceOrder(trace, set_id)

    def attach_trace_insight(self, trace: PageTrace, set_id: str, name: str) -> None:
        """Show one insight of a performance trace in full."""
        self.order.trace = TraceOrder(trace, set_id, name)

    def attach_trace_rows(
        self,
        trace: PageTrace,
        show: str,
        set_id: str | None = None,
        *,
        begin_ms: float | None = None,
        end_ms: float | None = None,
        page_size: int | None = None,
        page_idx: int | None = None,
    ) -> None:
        """List what happened in a performance trace; see `TraceOrder`."""
        self.order.trace = TraceOrder(
            trace,
            set_id,
            show=show,
            begin_ms=begin_ms,
            end_ms=end_ms,
            page_size=page_size,
            page_idx=page_idx,
        )

    def include_websocket_messages(
        self,
        on: bool = True,
        *,
        reqid: int | None = None,
        number: int | None = None,
        direction: str | None = None,
        text: str | None = None,
        page_size: int | None = None,
        page_idx: int | None = None,
    ) -> None:
        """List the messages of a WebSocket or event stream, or which of them there are; see `StreamListOrder`."""
        self.order.stream_list = StreamListOrder(reqid, number, direction, text, page_size, page_idx) if on else None

    def include_console_data(
        self,
        on: bool = True,
        *,
        page_size: int | None = None,
        page_idx: int | None = None,
        types: Sequence[str] = (),
        include_preserved: bool = False,
        text: str = "",
        stack_traces: bool = False,
        worker_id: str | None = None,
    ) -> None:
        """List the page's console messages; see `ConsoleListOrder`."""
        self.order.console_list = (
            ConsoleListOrder(page_size, page_idx, types, include_preserved, text, stack_traces, worker_id)
            if on
            else None
        )

    def attach_console_message(self, msgid: int | None) -> None:
        """Show one console message in full; None withdraws."""
        self.order.console_detail = msgid

    def attach_devtools_data(self, on: bool = True) -> None:
        """Mark in the snapshot and in the list of requests what a person has selected in the page's DevTools window."""
        self.order.devtools = on

    def attach_tool_result(self, result: PageToolResult) -> None:
        """Say what came of calling a tool that the page offers."""
        self.order.tool_result = result

    def include_third_party_tools(self, on: bool = True) -> None:
        """List the tools that the page offers by the older discovery, and its WebMCP tools for debugging."""
        self.order.third_party_tools = on

    def include_webmcp_tools(self, on: bool = True) -> None:
        """List the tools that the page offers by WebMCP."""
        self.order.webmcp_tools = on

    def mention_page_tools(self, on: bool = True) -> None:
        """Say in one line whether the page offers tools, to agents that can use them."""
        self.order.page_tools = on

    def set_error(self, error: BaseException) -> None:
        """The tool failed. What was declared before is still shown, the error last."""
        self.order.error = error

    async def handle(self, context: McpContext) -> RenderedResponse:
        """Compute what was ordered, then write text and JSON in the fixed order.

        A section that fails says so in its place and costs no other; the reply is then an error.
        """
        present = [section for section in (make() for make in self.sections) if section.wanted(self.order)]
        failures: dict[int, Exception] = {}
        for index, section in enumerate(present):
            try:
                await section.compute(self.order, context)
            except Exception as error:
                failures[index] = _noted(section, error)

        options = context.options
        outputs = self.format(present, failures, encoder_for(options.data_format))
        await fit(outputs, options.max_reply_chars, with_json=options.structured_content, keep=context.keep_file)
        whole = Output()
        for out in outputs:
            whole.add(out)
        is_error = whole.failed or self.order.error is not None
        return RenderedResponse(whole.text, whole.images, whole.json, is_error)

    def format(
        self, sections: Sequence[Section], failures: Mapping[int, Exception], encoder: Encoder | None
    ) -> list[Output]:
        """Text and JSON of each section, side by side; of a failed one, why."""
        outputs = []
        for index, section in enumerate(sections):
            out = Output(section.key, encoder)
            failure = failures.get(index)
            if failure is None:
                try:
                    section.render(out)
                except Exception as error:
                    failure = _noted(section, error)
            outputs.append(out if failure is None else _failed(section, failure))
        return outputs


def _noted(section: Section, error: Exception) -> Exception:
    """Log what is our own fault with its traceback; errors for the reader speak for themselves."""
    if not isinstance(error, PagelensError):
        log.error("the %s section failed", section.key, exc_info=error)
    return error


def _failed(section: Section, error: Exception) -> Output:
    out = Output(section.key)
    out.is_kept = True
    reason = str(error) if isinstance(error, PagelensError) else f"{type(error).__name__}: {error}"
    out.line(f"Could not show the {section.key}: {shortened(one_line(reason), FAILURE_CHARS)}")
    out.json["failedSections"] = [section.key]
    out.failed = True
    return out
