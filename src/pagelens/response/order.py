"""What a tool wants shown: filled by a handler, read by the sections. No input or output happens here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pagelens.collectors.request_filter import RequestFilter

if TYPE_CHECKING:
    from pagelens.analysis.heap import HeapSnapshot
    from pagelens.browser.effect import Effect
    from pagelens.browser.fill_form import FormReport
    from pagelens.browser.navigation import NavigationResult
    from pagelens.browser.waiting import WaitReport
    from pagelens.context.mcp_page import McpPage
    from pagelens.context.memory import LeakReport
    from pagelens.context.page_tools import PageToolResult
    from pagelens.context.tracing import PageTrace
    from pagelens.snapshot.difference import SnapshotDifference
    from pagelens.snapshot.outline import Outline
    from pagelens.snapshot.search import SearchResult
    from pagelens.snapshot.text_snapshot import TextSnapshot

__all__ = [
    "ConsoleListOrder",
    "EffectOrder",
    "HarOrder",
    "HeapOrder",
    "ImageOrder",
    "NavigationOrder",
    "NetworkDetailOrder",
    "NetworkListOrder",
    "Order",
    "PagesOrder",
    "ResultOrder",
    "SnapshotOrder",
    "StepOrder",
    "StreamListOrder",
    "TraceOrder",
]


@dataclass(frozen=True, slots=True)
class SnapshotOrder:
    """Show the page as text, or write it to `file_path` and say where.

    Attributes:
        taken: what was taken already: a part, or what has changed; None: all of the page, as it is at the end.
        cursor: go on with one that was shown, see `pagelens.context.kept_snapshots`.
        max_tokens: show about so many, and the cursor of the rest.
    """

    verbose: bool = False
    file_path: Path | None = None
    taken: TextSnapshot | SnapshotDifference | None = None
    cursor: str | None = None
    max_tokens: int | None = None


@dataclass(frozen=True, slots=True)
class ResultOrder:
    """A value that a script returned, as the page's serializer wrote it; `note` tells what it lacks.

    `is_string`: the value is a whole string, in JSON; a file gets what it says.
    """

    text: str
    note: str = ""
    file_path: Path | None = None
    is_string: bool = False


@dataclass(frozen=True, slots=True)
class ImageOrder:
    """A picture: a content block of its own, or a file when `file_path` is given.

    Attributes:
        caption: what it shows, without a final stop, e.g. `Screenshot, 1280x720 px`.
        note: what else the reader must know of it, in sentences.
        place: of a screenshot: pixels for one CSS pixel, and its corner in CSS pixels of the page's viewport.
    """

    data: bytes
    mime: str
    caption: str
    note: str = ""
    file_path: Path | None = None
    place: tuple[float, float, float] | None = None


@dataclass(frozen=True, slots=True)
class EffectOrder:
    """What an action did; `say_none` when the reader should hear that nothing was observed."""

    effect: Effect
    say_none: bool = False


@dataclass(slots=True)
class StepOrder:
    """One of several actions of a call: its number from 1, the tool, what that wants shown, and why it failed."""

    number: int
    tool: str
    order: Order
    error: BaseException | None = None


@dataclass(frozen=True, slots=True)
class NavigationOrder:
    """How a navigation that the tool itself asked for ended; `verb` starts the sentence."""

    result: NavigationResult
    verb: str = "Navigated to"


@dataclass(frozen=True, slots=True)
class PagesOrder:
    """The open pages, all of them unless a page of the list is asked for."""

    page_size: int | None = None
    page_idx: int | None = None


@dataclass(frozen=True, slots=True)
class NetworkListOrder:
    """The requests of the page. `page_size` None means the default size, `page_idx` counts from 0.

    Attributes:
        filter: which of them.
        include_preserved: also those of the navigations before the current one.
    """

    page_size: int | None = None
    page_idx: int | None = None
    filter: RequestFilter = field(default_factory=RequestFilter)
    include_preserved: bool = False


@dataclass(frozen=True, slots=True)
class NetworkDetailOrder:
    """One request in full.

    Attributes:
        reqid: None for the one that is selected in the page's DevTools window.
        request_path, response_path: write that body to this file.
        body_offset, body_limit: which part of a body is shown, in characters.
    """

    reqid: int | None
    request_path: Path | None = None
    response_path: Path | None = None
    body_offset: int = 0
    body_limit: int = 10_000


@dataclass(frozen=True, slots=True)
class HarOrder:
    """Write the page's requests to an HTTP archive.

    Attributes:
        bodies: with bodies.
        preserved: with the navigations before the current one.
    """

    file_path: Path
    bodies: bool = False
    preserved: bool = True


@dataclass(frozen=True, slots=True)
class HeapOrder:
    """Answer a question about heap snapshots.

    Attributes:
        view: which, a key of `pagelens.response.formatters.heap.VIEWS`.
        snapshots: one, or two to compare, the earlier first.
        given: the arguments of the view.
    """

    view: str
    snapshots: Sequence[HeapSnapshot]
    given: Mapping[str, Any] = field(default_factory=dict)
    page_size: int | None = None
    page_idx: int | None = None


@dataclass(frozen=True, slots=True)
class TraceOrder:
    """Show a performance trace: its summary, one insight, or with `show` a list of what happened.

    Attributes:
        set_id: which navigation; None for the last.
        insight: the name of an insight.
        show: one of `pagelens.response.formatters.trace.SHOWS`.
        begin_ms, end_ms: only what happened between, milliseconds since the navigation began.
    """

    trace: PageTrace
    set_id: str | None = None
    insight: str | None = None
    show: str | None = None
    begin_ms: float | None = None
    end_ms: float | None = None
    page_size: int | None = None
    page_idx: int | None = None


@dataclass(frozen=True, slots=True)
class StreamListOrder:
    """What went over a WebSocket or event stream; without `reqid`: which of them there are.

    Attributes:
        number: only this message, whole.
        direction: ``sent`` or ``received``.
        text: only messages that contain it, whatever the case.
    """

    reqid: int | None = None
    number: int | None = None
    direction: str | None = None
    text: str | None = None
    page_size: int | None = None
    page_idx: int | None = None


@dataclass(frozen=True, slots=True)
class ConsoleListOrder:
    """The console messages of the page; fields as in `NetworkListOrder`.

    Attributes:
        types: only these, e.g. `error`; all when there are none.
        text: only messages that contain it, or whose script's address does, whatever the case.
        stack_traces: with where they were said from.
        worker_id: those of this service or shared worker instead.
    """

    page_size: int | None = None
    page_idx: int | None = None
    types: Sequence[str] = ()
    include_preserved: bool = False
    text: str = ""
    stack_traces: bool = False
    worker_id: str | None = None


@dataclass(slots=True)
class Order:
    """Everything one reply was asked to hold. None and empty mean: not ordered.

    Attributes:
        page: the page that the reply is about, when it is about one.
        has_progress: the caller hears of progress, so that it may be kept waiting longer.
        name_page: say which page that is (the caller did not, and more than one could be meant).
        form: what became of the fields of a form.
        steps: what was done one after the other, each with what it wants shown.
        news: what had happened on the page, unwatched, before the call.
        console_detail: the msgid of a message to show in full.
        devtools: mark what a person has selected in the page's DevTools window.
        tool_result: what came of calling a tool that the page offers.
        third_party_tools: list the tools that the page offers by the older discovery.
        webmcp_tools: list those that it offers by WebMCP.
        page_tools: say in a line that there are some.
    """

    page: McpPage | None = None
    name_page: bool = False
    has_progress: bool = False
    news: list[str] = field(default_factory=list)
    lines: list[str] = field(default_factory=list)
    result: ResultOrder | None = None
    navigation: NavigationOrder | None = None
    wait: WaitReport | None = None
    form: FormReport | None = None
    steps: list[StepOrder] = field(default_factory=list)
    effects: list[EffectOrder] = field(default_factory=list)
    pages: PagesOrder | None = None
    workers: bool = False
    snapshot: SnapshotOrder | None = None
    outline: Outline | None = None
    search: SearchResult | None = None
    network_detail: NetworkDetailOrder | None = None
    network_list: NetworkListOrder | None = None
    stream_list: StreamListOrder | None = None
    har: HarOrder | None = None
    heap: HeapOrder | None = None
    leaks: LeakReport | None = None
    trace: TraceOrder | None = None
    console_list: ConsoleListOrder | None = None
    console_detail: int | None = None
    devtools: bool = False
    tool_result: PageToolResult | None = None
    third_party_tools: bool = False
    webmcp_tools: bool = False
    page_tools: bool = False
    images: list[ImageOrder] = field(default_factory=list)
    error: BaseException | None = None
