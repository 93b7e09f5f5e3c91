"""One thing the console shows: a call of the page's, an uncaught error, or an entry of the browser's log."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from pagelens.cdp.messages import decode_body, encode_body
from pagelens.collectors.console_text import expanded, remote_text

if TYPE_CHECKING:
    from pagelens.cdp.session import Session

__all__ = [
    "ConsoleMessage",
    "Extension",
    "MessageOrigin",
    "MessageSource",
    "StackFrame",
    "UncaughtError",
    "stack_frames",
]

#: A `console.…` call; an error or rejection nobody caught; what the browser itself has to say; a DevTools issue.
MessageOrigin = Literal["call", "exception", "log", "issue"]
MessageSource = Literal["page", "iframe", "worker", "service_worker", "shared_worker", "content_script"]

#: Placeholders that V8 puts in place of missing arguments.
_EMPTY_CALLS = {
    "console.assert": "Assertion failed",
    "console.clear": "Console was cleared",
    "console.groupEnd": "",
    "console.group": "",
    "console.groupCollapsed": "",
}


@dataclass(frozen=True, slots=True)
class StackFrame:
    """One call of a stack. `line` and `column` count from 1."""

    function: str
    url: str
    line: int
    column: int


@dataclass(frozen=True, slots=True)
class Extension:
    """A browser extension; `name` is empty when it is not known."""

    id: str
    name: str


@dataclass(frozen=True, slots=True)
class UncaughtError:
    """An error or rejection that nobody caught.

    Attributes:
        in_promise: it was a rejection.
        name: the error's class; empty when something else was thrown.
        thrown: what was thrown, as text, with its cause, without its stack.
        handled_later: a handler was added after it had been reported.
    """

    in_promise: bool
    name: str
    thrown: str
    handled_later: bool


class ConsoleMessage:
    """One message. The event it came in is decoded when its text is first asked for.

    Attributes:
        id: ours, unique in the session.
        type: ``log``, ``info``, ``debug``, ``warn``, ``error``, ``verbose``, ``table``, ``trace``, ``dir``,
            ``assert``, ``count``, ``timeEnd``, ``startGroup``, ``endGroup``, ``clear``, ``issue``…
        origin: a console call, an uncaught error, the browser's log, or an issue that Chrome found.
        page_id: whose page it is; of a service or shared worker minus its number.
        source: the page and its same-process frames, a frame in another process, a worker of the page's own, a service
            or shared worker, or a script that an extension runs in the page.
        source_url: the script of the worker or address of the frame, as far as known; empty for the page.
        worker_id: of a service or shared worker; else empty.
        extension: whose content script it is; None for anything else.
        frame_id: the frame that it was said in, as far as known; else empty.
        timestamp: milliseconds since 1970.
        session: where its objects live.
        object_ids: remote objects it refers to; at most the newest of a page are alive.
        exception_id: Chrome's number of an uncaught error in its session; 0 for anything else.
        handled_later: for a rejection: a handler was added after it had been reported.
    """

    __slots__ = (
        "_args",
        "_event",
        "_location",
        "_lost",
        "_text",
        "exception_id",
        "extension",
        "frame_id",
        "handled_later",
        "id",
        "object_ids",
        "origin",
        "page_id",
        "session",
        "source",
        "source_url",
        "timestamp",
        "type",
        "weight",
        "worker_id",
    )

    def __init__(
        self,
        number: int,
        page_id: int,
        session: Session,
        source: MessageSource,
        source_url: str,
        origin: MessageOrigin,
        kind: str,
        timestamp: float,
        event: bytes,
        lost: int = 0,
    ) -> None:
        self.id = number
        self.page_id = page_id
        self.session = session
        self.source = source
        self.source_url = source_url
        self.origin = origin
        self.type = kind
        self.timestamp = timestamp
        self.object_ids: tuple[str, ...] = ()
        self.exception_id = 0
        self.handled_later = False
        self.weight = 0
        self.worker_id = ""
        self.extension: Extension | None = None
        self.frame_id = ""
        self._event = event
        self._lost = lost
        self._text: str | None = None
        self._location: tuple[str, int, int] = ("", 0, 0)
        self._args = 0

    def __repr__(self) -> str:
        return f"<ConsoleMessage {self.id} {self.type} {self.text[:80]!r}>"

    @property
    def text(self) -> str:
        """What the console would show, raw page text: format strings filled in, objects as short previews."""
        return self._decoded()

    @property
    def text_length(self) -> int:
        """Characters of the whole text; more than ``len(text)`` when a very long argument was cut on arrival."""
        return len(self._decoded()) + self._lost

    @property
    def location(self) -> tuple[str, int, int]:
        """Where it came from: URL, line and column, counted from 1; 0 when unknown."""
        self._decoded()
        return self._location

    @property
    def url(self) -> str:
        """URL of the script, or of the resource that the browser speaks of; empty when unknown."""
        return self.location[0]

    @property
    def line(self) -> int:
        """Line, counted from 1; 0 when unknown."""
        return self.location[1]

    @property
    def column(self) -> int:
        """Column, counted from 1; 0 when unknown."""
        return self.location[2]

    @property
    def args_count(self) -> int:
        """How many arguments the call had."""
        self._decoded()
        return self._args

    @property
    def fold_key(self) -> tuple[object, ...]:
        """Equal for messages that the console would show as one with a count."""
        return (
            self.type,
            self.text,
            self.args_count,
            self.origin,
            self.source,
            self.source_url,
            self.worker_id,
            self.location,
        )

    def args(self) -> list[dict[str, Any]]:
        """The arguments as ``Runtime.RemoteObject``; the thrown value for an uncaught error."""
        event = self.event()
        if self.origin == "call":
            return list(event.get("args", []))
        exception = event.get("exceptionDetails", {}).get("exception")
        return [exception] if isinstance(exception, dict) else []

    def stack(self) -> list[StackFrame]:
        """Its stack trace, innermost call first, asynchronous parents appended; empty when there is none."""
        event = self.event()
        holder = {"exception": event.get("exceptionDetails", {}), "log": event.get("entry", {})}.get(self.origin, event)
        return stack_frames(holder.get("stackTrace"))

    def places(self, calls: int = 0) -> list[tuple[str, int, int]]:
        """Where it came from and the innermost `calls` of its stack: URL, line and column, as `StackFrame` has them."""
        found = [self.location] if self.line else []
        if calls:
            found += [(frame.url, frame.line, frame.column) for frame in self.stack()[:calls]]
        return found

    @property
    def error(self) -> UncaughtError | None:
        """The uncaught error, when it is one."""
        if self.origin != "exception":
            return None
        details = self.event().get("exceptionDetails", {})
        exception = details.get("exception", {})
        return UncaughtError(
            in_promise="promise" in str(details.get("text", "")),
            name=str(exception.get("className", "")) if exception.get("subtype") == "error" else "",
            thrown=remote_text(exception) if exception else "",
            handled_later=self.handled_later,
        )

    @property
    def request_id(self) -> str:
        """Chrome's id of the request that the browser's log speaks of; empty when it speaks of none."""
        return str(self.event().get("entry", {}).get("networkRequestId", "")) if self.origin == "log" else ""

    @property
    def log_source(self) -> str:
        """What the browser's log entry is about: ``network``, ``security``, ``deprecation``…; else empty."""
        return str(self.event().get("entry", {}).get("source", "")) if self.origin == "log" else ""

    def event(self) -> dict[str, Any]:
        """The params of the event it came in."""
        return decode_body(self._event)

    def add_previews(self, previews: dict[str, dict[str, Any]]) -> None:
        """Chrome tells what was said long ago without previews of its objects: here they are, by object id."""
        event = self.event()
        holders = [*event.get("args", []), event.get("exceptionDetails", {}).get("exception")]
        for holder in holders:
            if isinstance(holder, dict) and (preview := previews.get(holder.get("objectId", ""))) is not None:
                holder["preview"] = preview
        self._event = encode_body(event)
        self._text = None

    def renew(self, session: Session, event: bytes, object_ids: tuple[str, ...]) -> None:
        """Another session has told of it once more: its objects can be reached there now."""
        self.session = session
        self.object_ids = object_ids
        self._event = event

    def _decoded(self) -> str:
        if self._text is None:
            event = self.event()
            if self.origin == "call":
                self._read_call(event)
            elif self.origin == "exception":
                self._read_exception(event.get("exceptionDetails", {}))
            else:
                self._read_entry(event.get("entry", {}))
        return self._text or ""

    def _read_call(self, event: dict[str, Any]) -> None:
        args = event.get("args", [])
        self._args = len(args)
        text = expanded(args)
        if len(args) == 1 and text in _EMPTY_CALLS:
            text = _EMPTY_CALLS[text]
        elif self.type == "assert":
            text = f"Assertion failed: {text}"
        self._text = text
        self._location = _top_frame(event)

    def _read_exception(self, details: dict[str, Any]) -> None:
        exception = details.get("exception")
        text = str(details.get("text", "Uncaught"))
        if isinstance(exception, dict):
            self._args = 1
            text = f"{text} {remote_text(exception)}"
        self._text = text
        url, line, column = _top_frame(details)
        if not url:
            url = str(details.get("url", ""))
            line, column = int(details.get("lineNumber", -1)) + 1, int(details.get("columnNumber", -1)) + 1
        self._location = (url, line, column)

    def _read_entry(self, entry: dict[str, Any]) -> None:
        self._args = len(entry.get("args", []))
        self._text = str(entry.get("text", ""))
        url, line, column = _top_frame(entry)
        if not url:
            url, line = str(entry.get("url", "")), int(entry.get("lineNumber", -1)) + 1
        self._location = (url, line, column)


def stack_frames(trace: Any) -> list[StackFrame]:
    """The calls of a ``Runtime.StackTrace``, innermost first, asynchronous parents appended."""
    frames: list[StackFrame] = []
    while isinstance(trace, dict):
        frames += [
            StackFrame(
                str(frame.get("functionName", "")),
                str(frame.get("url", "")),
                int(frame.get("lineNumber", -1)) + 1,
                int(frame.get("columnNumber", -1)) + 1,
            )
            for frame in trace.get("callFrames", [])
        ]
        trace = trace.get("parent")
    return frames


def _top_frame(holder: dict[str, Any]) -> tuple[str, int, int]:
    frames = holder.get("stackTrace", {}).get("callFrames", [])
    if not frames:
        return ("", 0, 0)
    frame = frames[0]
    return (str(frame.get("url", "")), int(frame.get("lineNumber", -1)) + 1, int(frame.get("columnNumber", -1)) + 1)
