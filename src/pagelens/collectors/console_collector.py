"""Everything a page has said in its console, from its first script.

Facts about the events (Chromium 156, seen):

- A worker's messages come in the worker's own session, and a second time as ``Log.entryAdded`` of source
  ``worker`` in the page's: the second is dropped when the first is listened to.
- Strings are not cut: one message may have megabytes.
- Every object among the arguments stays alive in the page until it is released (`RemoteObjects`).
- A rejection that is handled late is reported, then revoked.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import msgspec

from pagelens.cdp.messages import decode_body, event_decoder
from pagelens.collectors.console_message import ConsoleMessage, MessageOrigin, MessageSource
from pagelens.collectors.page_collector import PageCollector
from pagelens.collectors.remote_objects import RemoteObjects
from pagelens.core.safe_text import json_safe

if TYPE_CHECKING:
    from pagelens.browser.page import Page
    from pagelens.browser.page_sessions import AttachedSession
    from pagelens.cdp.session import Session
    from pagelens.collectors.ids import IdCounter

__all__ = ["ConsoleCollector"]

#: A message above this size has its long strings cut. Bytes.
BIG_EVENT = 131_072
#: Characters kept of one string in such a message.
LONG_STRING = 50_000
#: Frames kept of a stack in such a message.
FRAMES_KEPT = 50
#: What a message costs beside its event, about. Bytes.
BASE_WEIGHT = 300
#: Workers remembered, to tell their messages from the page's echo of them.
MAX_WORKERS = 1_000

_TYPES = {"warning": "warn"}


class _Object(msgspec.Struct, gc=False):
    objectId: str = ""


class _Call(msgspec.Struct, gc=False):
    """``Runtime.consoleAPICalled``."""

    type: str = "log"
    timestamp: float = 0.0
    args: list[_Object] = []


class _Details(msgspec.Struct, gc=False):
    exceptionId: int = 0
    exception: _Object | None = None


class _Exception(msgspec.Struct, gc=False):
    """``Runtime.exceptionThrown``."""

    timestamp: float = 0.0
    exceptionDetails: _Details = msgspec.field(default_factory=_Details)


class _Revoked(msgspec.Struct, gc=False):
    """``Runtime.exceptionRevoked``."""

    exceptionId: int = 0


class _Entry(msgspec.Struct, gc=False):
    source: str = "other"
    level: str = "info"
    timestamp: float = 0.0
    workerId: str = ""
    args: list[_Object] = []


class _EntryAdded(msgspec.Struct, gc=False):
    """``Log.entryAdded``."""

    entry: _Entry


_decode_call = event_decoder(_Call)
_decode_exception = event_decoder(_Exception)
_decode_revoked = event_decoder(_Revoked)
_decode_entry = event_decoder(_EntryAdded)


class ConsoleCollector(PageCollector[ConsoleMessage]):
    """The console of one page: its frames in any process and its workers included, each told apart.

    ``Runtime`` is enabled by the initialisation of every session; ``Log`` is added to it here.
    """

    max_items: ClassVar[int] = 10_000
    max_weight: ClassVar[int] = 32_000_000
    id_name: ClassVar[str] = "msgid"
    noun: ClassVar[str] = "console message"
    list_tool: ClassVar[str] = "list_console_messages"

    def __init__(self, page: Page, ids: IdCounter) -> None:
        self.objects = RemoteObjects()
        self._workers: dict[str, None] = {}
        self._exceptions: dict[tuple[str, int], ConsoleMessage] = {}
        super().__init__(page, ids)

    def _watch(self, attached: AttachedSession) -> None:
        session, source = attached.session, attached.kind
        url = "" if source == "page" else attached.url
        if source == "worker":
            self._workers[session.target_id] = None
            if len(self._workers) > MAX_WORKERS:
                del self._workers[next(iter(self._workers))]
        attached.init.append(("Log.enable", {}))
        session.on_raw("Runtime.consoleAPICalled", lambda raw: self._called(session, source, url, raw))
        session.on_raw("Runtime.exceptionThrown", lambda raw: self._thrown(session, source, url, raw))
        session.on_raw("Runtime.exceptionRevoked", lambda raw: self._revoked(session, raw))
        session.on_raw("Runtime.executionContextsCleared", lambda raw: self.objects.forget(session))
        session.on_raw("Log.entryAdded", lambda raw: self._entry(session, source, url, raw))
        session.on_closed(lambda _: self.objects.forget(session))

    def _forgotten(self, item: ConsoleMessage) -> None:
        if item.object_ids:
            self.objects.release(item.session, item.object_ids)
        if item.exception_id:
            self._exceptions.pop((item.session.id, item.exception_id), None)

    def _called(self, session: Session, source: MessageSource, url: str, raw: bytes) -> None:
        event = _decode_call(raw)
        self._add(
            session,
            source,
            url,
            "call",
            _TYPES.get(event.type, event.type),
            event.timestamp,
            raw,
            tuple(arg.objectId for arg in event.args if arg.objectId),
        )

    def _thrown(self, session: Session, source: MessageSource, url: str, raw: bytes) -> None:
        event = _decode_exception(raw)
        details = event.exceptionDetails
        objects = (details.exception.objectId,) if details.exception and details.exception.objectId else ()
        message = self._add(session, source, url, "exception", "error", event.timestamp, raw, objects)
        message.exception_id = details.exceptionId
        self._exceptions[session.id, details.exceptionId] = message

    def _revoked(self, session: Session, raw: bytes) -> None:
        message = self._exceptions.pop((session.id, _decode_revoked(raw).exceptionId), None)
        if message is not None:
            message.handled_later = True

    def _entry(self, session: Session, source: MessageSource, url: str, raw: bytes) -> None:
        entry = _decode_entry(raw).entry
        if entry.source == "worker" and entry.workerId in self._workers:
            return
        self._add(
            session,
            source,
            url,
            "log",
            "warn" if entry.level == "warning" else entry.level,
            entry.timestamp,
            raw,
            tuple(arg.objectId for arg in entry.args if arg.objectId),
        )

    def _add(
        self,
        session: Session,
        source: MessageSource,
        url: str,
        origin: MessageOrigin,
        kind: str,
        timestamp: float,
        raw: bytes,
        objects: tuple[str, ...],
    ) -> ConsoleMessage:
        lost = 0
        if len(raw) > BIG_EVENT:
            raw, lost = _cut(raw)
        message = ConsoleMessage(
            self._next_id(), self.page_id, session, source, url, origin, kind, timestamp, raw, lost
        )
        message.object_ids = objects
        message.weight = BASE_WEIGHT + len(raw)
        self._collect(message)
        if objects:
            self.objects.hold(session, objects)
        return message


def _cut(raw: bytes) -> tuple[bytes, int]:
    """A very large event with its long strings and stacks cut, and how many characters of text that cost."""
    lost = 0

    def shorter(value: Any) -> Any:
        nonlocal lost
        if isinstance(value, str) and len(value) > LONG_STRING:
            lost += len(value) - LONG_STRING
            return value[:LONG_STRING]
        if isinstance(value, dict):
            return {
                key: shorter(member[:FRAMES_KEPT] if key == "callFrames" and isinstance(member, list) else member)
                for key, member in value.items()
            }
        if isinstance(value, list):
            return [shorter(member) for member in value]
        return value

    return msgspec.json.encode(json_safe(shorter(decode_body(raw)))), lost
