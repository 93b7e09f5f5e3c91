"""What is found out about one console message when somebody asks for all of it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from pagelens.browser.describe import Describer, node_uids
from pagelens.collectors.issues import IssueMessage
from pagelens.errors import PagelensError, RecordGone

if TYPE_CHECKING:
    from pagelens.analysis.source_maps import Mapped
    from pagelens.browser.frame import Frame
    from pagelens.browser.page import Page
    from pagelens.collectors.console_message import ConsoleMessage
    from pagelens.collectors.source_mapper import Place
    from pagelens.context.mcp_page import McpPage

__all__ = ["ConsoleDetails", "console_details"]

#: Characters and levels of one object.
VALUE_CHARS = 20_000
VALUE_DEPTH = 20
#: Objects that are described, nodes that are looked for.
MAX_VALUES = 20
MAX_NODES = 30
#: Calls of a stack that are looked up in source maps.
STACK_CALLS = 50
#: Where the causes of an error begin in its text.
_CAUSE = "\n  caused by "


@dataclass(slots=True)
class ConsoleDetails:
    """What a record itself does not hold.

    Attributes:
        values: in full, what the arguments (or the error that was thrown) are now, by their places.
        causes: of the errors among them, from the outermost in, by their places; lines may follow each other.
        notes: why an argument is shown as it was when it was said, or only in part, by their places: sentences.
        request: the reqid of what the browser's log speaks of.
        requests: the reqids of requests that an issue speaks of, by Chrome's ids.
        uids: the uid numbers of nodes that it speaks of, by session and Chrome's numbers.
        navigations_ago: how many documents ago it was said.
        sources: where places in scripts come from, for its own place and its stack.
        source_map_problem: why the map of its script is not used.
    """

    values: dict[int, str] = field(default_factory=dict)
    causes: dict[int, str] = field(default_factory=dict)
    notes: dict[int, str] = field(default_factory=dict)
    request: int | None = None
    requests: dict[str, int] = field(default_factory=dict)
    uids: dict[tuple[str, int], int] = field(default_factory=dict)
    navigations_ago: int = 0
    sources: dict[Place, Mapped] = field(default_factory=dict)
    source_map_problem: str | None = None


async def console_details(page: McpPage, message: ConsoleMessage) -> ConsoleDetails:
    """Find out all that there is to know about a message. Never raises for a page that does not answer."""
    found = ConsoleDetails()
    found.navigations_ago = next(
        (ago for ago, kept in enumerate(page.console.navigations) if kept.begun <= message.id), 0
    )
    if not isinstance(message, IssueMessage):
        found.sources = await page.sources.locate(message.places(STACK_CALLS))
        found.source_map_problem = page.sources.problem(message.url)
    if isinstance(message, IssueMessage):
        await _of_issue(page, message, found)
    else:
        if message.request_id:
            found.request = _reqid(page, message.request_id)
        await _values(page, message, found)
    return found


async def _of_issue(page: McpPage, message: IssueMessage, found: ConsoleDetails) -> None:
    nodes: dict[tuple[Any, str], list[int]] = {}
    for occurrence in message.issue.occurrences:
        if occurrence.request_id and (reqid := _reqid(page, occurrence.request_id)) is not None:
            found.requests[occurrence.request_id] = reqid
        if occurrence.node and page.console.is_current(occurrence):
            nodes.setdefault((occurrence.session, occurrence.frame_id), []).append(occurrence.node)
    for (session, frame_id), numbers in nodes.items():
        if page.page.dialog is not None:
            return
        try:
            uids = await node_uids(page.page, session, numbers[:MAX_NODES], frame_id)
        except PagelensError:
            return  # the page does not answer: its nodes are shown without uids
        found.uids |= {(session.id, node): uid for node, uid in uids.items()}


def _reqid(page: McpPage, request_id: str) -> int | None:
    request = page.network.find(lambda request: request.request_id == request_id)
    return request.id if request is not None else None


async def _values(page: McpPage, message: ConsoleMessage, found: ConsoleDetails) -> None:
    objects = [
        (place, arg)
        for place, arg in enumerate(message.args())
        if arg.get("objectId") and arg.get("type") in ("object", "function") and arg.get("subtype") != "promise"
    ]
    describer: Describer | None = None
    why = ""
    for number, (place, arg) in enumerate(objects):
        if number >= MAX_VALUES:
            found.notes[place] = f"Only {MAX_VALUES} objects of a message are read."
            continue
        object_id: str = arg["objectId"]
        held = page.console.holder(message)
        if not held.is_alive(message.session, object_id):
            found.notes[place] = _gone(page, message, found, held.limit)
            continue
        if why:
            found.notes[place] = why
            continue
        describer = describer or Describer(None if message.worker_id else page.page, message.session)
        is_error = arg.get("subtype") == "error"
        try:
            value = await describer.describe(
                object_id,
                _frame(page.page, message),
                max_chars=VALUE_CHARS,
                max_depth=VALUE_DEPTH,
                as_error=is_error and arg.get("className") != "AggregateError",
            )
        except RecordGone:
            found.notes[place] = "As it was when it was said: it is gone, most likely with its document."
        except PagelensError as error:
            # The same for all of them, and each would have to be waited for.
            why = found.notes[place] = f"As it was when it was said: it can't be read now. {error.message}"
        else:
            text, has_cause, causes = (
                value.text.partition(_CAUSE) if value.value_type == "thrown" else (value.text, "", "")
            )
            found.values[place] = text
            if has_cause:
                found.causes[place] = causes
            if value.truncated:
                found.notes[place] = f"Cut at {VALUE_CHARS:,} characters or {VALUE_DEPTH} levels (marked …)."


def _frame(page: Page, message: ConsoleMessage) -> Frame | None:
    """The frame whose elements a value may hold; none for those of content scripts' worlds of other frames."""
    if message.worker_id:
        return None
    known = page.frames.get(message.frame_id)
    if known is not None:
        return known
    of_session = [frame for frame in page.frames.values() if frame.session is message.session]
    return of_session[0] if len(of_session) == 1 else None


def _gone(page: McpPage, message: ConsoleMessage, found: ConsoleDetails, limit: int) -> str:
    if found.navigations_ago and not message.worker_id:
        why = "its document is gone"
    elif message.session.closed is not None:
        why = f"its {message.source.replace('_', ' ')} is gone"
    else:
        why = f"its document is gone, or it was let go (the objects of the newest messages are held, {limit} of them)"
    return f"As it was when it was said: {why}."
