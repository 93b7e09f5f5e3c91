"""Hears what sessions say in their consoles, and makes records of it.

Facts about the events (Chromium 156, seen):

- A worker's messages come in the worker's own session, and a second time as ``Log.entryAdded`` of source ``worker`` in
  the page's: the second is dropped when the first is listened to.
- Strings are not cut: one message may have megabytes.
- Every object among the arguments stays alive in the page until it is released (`RemoteObjects`).
- A rejection that is handled late is reported, then revoked.
- Content scripts speak in the page's session, in contexts of their own with the extension's origin and name; those that
  run in the page's own world are told by where they come from. Uncaught errors name no context.
- Whoever enables ``Runtime`` and ``Log`` in what runs already is told all that V8 and the log still have, one after
  the other: each with its own time, and objects without previews.
"""

from __future__ import annotations

import asyncio
from collections import defaultdict, deque
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from pagelens.cdp.messages import decode_body, event_decoder
from pagelens.collectors.console_message import ConsoleMessage, Extension, MessageOrigin, MessageSource
from pagelens.collectors.remote_objects import RemoteObjects
from pagelens.core.safe_text import json_safe
from pagelens.errors import CommandTimeout, PagelensError

if TYPE_CHECKING:
    from pagelens.cdp.session import Reply, Session

__all__ = ["ConsoleListener"]

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
#: Execution contexts remembered for one session, extensions for all.
MAX_CONTEXTS = 1_000
MAX_EXTENSIONS = 200
#: Messages from before that are put in order of their times; V8 keeps 1,000 of a page, the log as many.
MAX_BACKLOG = 5_000

_TYPES = {"warning": "warn"}
_PREVIEWS = "pagelens-previews"
_EXTENSION = "chrome-extension://"
_EXTENSION_BYTES = _EXTENSION.encode()


class _Object(msgspec.Struct, gc=False):
    objectId: str = ""


class _Call(msgspec.Struct, gc=False):
    """``Runtime.consoleAPICalled``."""

    type: str = "log"
    timestamp: float = 0.0
    executionContextId: int = 0
    args: list[_Object] = []


class _Details(msgspec.Struct, gc=False):
    exceptionId: int = 0
    executionContextId: int = 0
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


class _AuxData(msgspec.Struct, gc=False):
    isDefault: bool = True
    frameId: str = ""


class _Context(msgspec.Struct, gc=False):
    id: int = 0
    origin: str = ""
    name: str = ""
    auxData: _AuxData = msgspec.field(default_factory=_AuxData)


class _ContextCreated(msgspec.Struct, gc=False):
    """``Runtime.executionContextCreated``."""

    context: _Context


class _ContextDestroyed(msgspec.Struct, gc=False):
    """``Runtime.executionContextDestroyed``."""

    executionContextId: int = 0


_decode_call = event_decoder(_Call)
_decode_exception = event_decoder(_Exception)
_decode_revoked = event_decoder(_Revoked)
_decode_entry = event_decoder(_EntryAdded)
_decode_created = event_decoder(_ContextCreated)
_decode_destroyed = event_decoder(_ContextDestroyed)


class _Said(NamedTuple):
    """One event, as far as it was looked at."""

    origin: MessageOrigin
    kind: str
    timestamp: float
    raw: bytes
    objects: tuple[str, ...]
    context_id: int = 0
    exception_id: int = 0
    #: For an entry of the log that speaks of a worker: which.
    worker: str | None = None


class ConsoleListener:
    """Makes records of what sessions say.

    Args:
        owner: `ConsoleMessage.page_id` of the records.
        next_id: gives a new record its number.
        collect: takes a new record.
        recorded: all records that are kept; what a session tells again after a lost connection is among them.

    Attributes:
        objects: remote objects that the records refer to.
        asked: commands that will tell more of them.
    """

    def __init__(
        self,
        owner: int,
        next_id: Callable[[], int],
        collect: Callable[[ConsoleMessage], None],
        recorded: Callable[[], Iterable[ConsoleMessage]],
    ) -> None:
        self.owner = owner
        self.next_id = next_id
        self.collect = collect
        self.recorded = recorded
        self.objects = RemoteObjects()
        self.exceptions: dict[tuple[str, int], ConsoleMessage] = {}
        self.extensions: dict[str, Extension] = {}
        self.asked: set[Reply] = set()
        self._workers: dict[str, None] = {}

    async def settle(self, timeout: float) -> None:
        """Wait until what was said before we came is known in full, at most `timeout` seconds."""
        end = asyncio.get_running_loop().time() + timeout
        for reply in list(self.asked):
            try:
                await reply.within(max(end - asyncio.get_running_loop().time(), 0))
            except CommandTimeout:
                self.asked.clear()  # it is shown as far as it is known, and not waited for again
                return
            except PagelensError:
                continue  # that object is gone

    def watch(
        self, session: Session, source: MessageSource, url: str = "", *, worker_id: str = "", was_running: bool = False
    ) -> Callable[[], None] | None:
        """Listen to a session whose ``Runtime`` and ``Log`` are about to be enabled.

        Args:
            source, url, worker_id: of its records.
            was_running: it will tell what was said before. That is put in order of time and recorded when the function
                that is returned is called: once both have been enabled.
        """
        if source == "worker":
            self._workers[session.target_id] = None
            if len(self._workers) > MAX_WORKERS:
                del self._workers[next(iter(self._workers))]
        voice = _Voice(self, session, source, url, worker_id, was_running)
        session.on_raw("Runtime.consoleAPICalled", voice.called)
        session.on_raw("Runtime.exceptionThrown", voice.thrown)
        session.on_raw("Runtime.exceptionRevoked", voice.revoked)
        session.on_raw("Runtime.executionContextCreated", voice.context_created)
        session.on_raw("Runtime.executionContextDestroyed", voice.context_destroyed)
        session.on_raw("Runtime.executionContextsCleared", voice.contexts_cleared)
        session.on_raw("Log.entryAdded", voice.entry)
        session.on_closed(voice.closed)
        return voice.tell_backlog if was_running else None

    def is_echo(self, worker: str) -> bool:
        """Whether what the page's log says of this worker is heard from the worker itself."""
        return worker in self._workers

    def extension(self, extension_id: str, name: str = "") -> Extension:
        """An extension by its id, with the name that it was met by."""
        known = self.extensions.get(extension_id)
        if known is None or (name and known.name != name):
            known = self.extensions[extension_id] = Extension(extension_id, name or (known.name if known else ""))
            if len(self.extensions) > MAX_EXTENSIONS:
                del self.extensions[next(iter(self.extensions))]
        return known

    def forgotten(self, message: ConsoleMessage) -> None:
        """A record is no longer kept."""
        if message.object_ids:
            self.objects.release(message.session, message.object_ids)
        if message.exception_id:
            self.exceptions.pop((message.session.id, message.exception_id), None)


class _Voice:
    """What one session says."""

    def __init__(
        self,
        listener: ConsoleListener,
        session: Session,
        source: MessageSource,
        url: str,
        worker_id: str,
        was_running: bool,
    ) -> None:
        self._listener = listener
        self._session = session
        self._source = source
        self._url = url
        self._worker_id = worker_id
        self._is_document = source in ("page", "iframe")
        self._is_extensions_own = False
        #: The frame of each execution context, and the extension whose content script runs there.
        self._contexts: dict[int, tuple[str, Extension | None]] = {}
        self._backlog: list[_Said] | None = [] if was_running else None
        self._revoked: list[int] = []

    # -- events --------------------------------------------------------------------------------------

    def called(self, raw: bytes) -> None:
        event = _decode_call(raw)
        objects = tuple([arg.objectId for arg in event.args if arg.objectId])
        kind = _TYPES.get(event.type, event.type)
        self._say(_Said("call", kind, event.timestamp, raw, objects, event.executionContextId))

    def thrown(self, raw: bytes) -> None:
        event = _decode_exception(raw)
        details = event.exceptionDetails
        objects = (details.exception.objectId,) if details.exception and details.exception.objectId else ()
        self._say(
            _Said("exception", "error", event.timestamp, raw, objects, details.executionContextId, details.exceptionId)
        )

    def revoked(self, raw: bytes) -> None:
        exception_id = _decode_revoked(raw).exceptionId
        if self._backlog is not None:
            self._revoked.append(exception_id)
        self._revoke(exception_id)

    def entry(self, raw: bytes) -> None:
        entry = _decode_entry(raw).entry
        kind = _TYPES.get(entry.level, entry.level)
        objects = tuple([arg.objectId for arg in entry.args if arg.objectId])
        worker = entry.workerId if entry.source == "worker" else None
        self._say(_Said("log", kind, entry.timestamp, raw, objects, worker=worker))

    def context_created(self, raw: bytes) -> None:
        context = _decode_created(raw).context
        extension: Extension | None = None
        if context.origin.startswith(_EXTENSION):
            extension_id = context.origin[len(_EXTENSION) :].partition("/")[0]
            if context.auxData.isDefault:
                self._is_extensions_own = True
            else:
                extension = self._listener.extension(extension_id, context.name)
        self._contexts[context.id] = (context.auxData.frameId, extension)
        if len(self._contexts) > MAX_CONTEXTS:
            del self._contexts[next(iter(self._contexts))]

    def context_destroyed(self, raw: bytes) -> None:
        self._contexts.pop(_decode_destroyed(raw).executionContextId, None)

    def contexts_cleared(self, _: bytes) -> None:
        self._contexts.clear()
        self._is_extensions_own = False
        self._listener.objects.forget(self._session)

    def closed(self, _: str) -> None:
        self.tell_backlog()
        self._contexts.clear()
        self._listener.objects.forget(self._session)

    # -- records -------------------------------------------------------------------------------------

    def _say(self, said: _Said) -> None:
        if self._backlog is None:
            self._record(said)
            return
        self._backlog.append(said)
        if len(self._backlog) > MAX_BACKLOG:
            self.tell_backlog()

    def tell_backlog(self) -> None:
        """Record what had been said before, in the order of its times, without what is recorded already."""
        backlog, self._backlog = self._backlog, None
        if not backlog:
            return
        known: defaultdict[tuple[str, str, float], deque[ConsoleMessage]] = defaultdict(deque)
        for message in self._listener.recorded():
            known[message.origin, message.type, message.timestamp].append(message)
        for said in sorted(backlog, key=lambda said: said.timestamp):
            again = known.get((said.origin, said.kind, said.timestamp))
            if again:
                self._tell_again(again.popleft(), said)
            else:
                self._record(said)
        for exception_id in self._revoked:
            self._revoke(exception_id)
        self._revoked.clear()
        self._ask_previews()

    def _ask_previews(self) -> None:
        """Have previews of the objects that the newest messages speak of, as those of new messages have."""
        listener, session = self._listener, self._session
        if session.closed is not None:
            return
        waiting = [
            (message, object_id)
            for message in listener.recorded()
            if message.session is session
            for object_id in message.object_ids
            if listener.objects.is_alive(session, object_id)
        ]
        for message, object_id in waiting:
            reply = session.post(
                "Runtime.callFunctionOn",
                {
                    "objectId": object_id,
                    "functionDeclaration": "function(){return this}",
                    "generatePreview": True,
                    "objectGroup": _PREVIEWS,
                },
            )
            listener.asked.add(reply)
            reply.on_done(lambda reply=reply, message=message, known=object_id: self._preview(reply, message, known))  # type: ignore[misc]

    def _preview(self, reply: Reply, message: ConsoleMessage, object_id: str) -> None:
        self._listener.asked.discard(reply)
        if not reply.failed:
            preview = reply.result().get("result", {}).get("preview")
            if isinstance(preview, dict):
                message.add_previews({object_id: preview})
        if not self._listener.asked and self._session.closed is None:
            self._session.tell("Runtime.releaseObjectGroup", [{"objectGroup": _PREVIEWS}])

    def _tell_again(self, message: ConsoleMessage, said: _Said) -> None:
        self._listener.forgotten(message)
        raw, _ = _shorter(said.raw)
        message.renew(self._session, raw, said.objects)
        self._keep(message, said)

    def _record(self, said: _Said) -> None:
        listener, source = self._listener, self._source
        if said.worker is not None:
            if listener.is_echo(said.worker):
                return
            source = "worker"
        raw, lost = _shorter(said.raw)
        frame_id, extension = self._contexts.get(said.context_id, ("", None))
        if extension is None and self._is_document and _EXTENSION_BYTES in said.raw and said.origin != "log":
            extension = self._script_of(said)
        message = ConsoleMessage(
            listener.next_id(),
            listener.owner,
            self._session,
            "content_script" if extension is not None else source,
            self._url,
            said.origin,
            said.kind,
            said.timestamp,
            raw,
            lost,
        )
        message.worker_id = self._worker_id
        message.extension = extension
        message.frame_id = frame_id
        message.weight = BASE_WEIGHT + len(raw)
        listener.collect(message)
        self._keep(message, said)

    def _keep(self, message: ConsoleMessage, said: _Said) -> None:
        if said.objects:
            message.object_ids = said.objects
            self._listener.objects.hold(self._session, said.objects)
        if said.exception_id:
            message.exception_id = said.exception_id
            self._listener.exceptions[self._session.id, said.exception_id] = message

    def _script_of(self, said: _Said) -> Extension | None:
        """The extension whose script said it, by where the script comes from; None for the extension's own pages."""
        if self._is_extensions_own:
            return None
        event = decode_body(said.raw)
        holder = event.get("exceptionDetails", {}) if said.origin == "exception" else event
        frames = holder.get("stackTrace", {}).get("callFrames", [])
        url = str(frames[0].get("url", "") if frames else holder.get("url", ""))
        if not url.startswith(_EXTENSION):
            return None
        return self._listener.extension(url[len(_EXTENSION) :].partition("/")[0])

    def _revoke(self, exception_id: int) -> None:
        message = self._listener.exceptions.pop((self._session.id, exception_id), None)
        if message is not None:
            message.handled_later = True


def _shorter(raw: bytes) -> tuple[bytes, int]:
    """An event with its long strings and stacks cut if it is very large, and how many characters that cost."""
    if len(raw) <= BIG_EVENT:
        return raw, 0
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
