"""What a page is loading: navigations of its frames and requests in flight, as one small state machine.

Chrome reports a navigation as a train of events whose order varies by kind (``docs/cdp`` facts: link and
form navigations are announced before the reply to the mouse event, history moves only when they start,
``javascript:`` links are announced and withdrawn, a 204 or a download starts and stops without a new
document, a bfcache restore never fires a load event). `LoadTracker` folds these events into plain state;
those who wait state what they wait for as a predicate over it. Nobody waits for one event by name.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import msgspec

from pagelens.cdp.messages import event_decoder
from pagelens.cdp.session import Session

__all__ = ["Ended", "FrameLoad", "InFlight", "LoadTracker"]

#: Requests of these types are no sign of a page still loading: they may stay open for ever, or nothing
#: in the page waits for them (``Other`` is the icon).
_IDLE_TYPES = frozenset({"EventSource", "WebSocket", "Ping", "Preflight", "CSPViolationReport", "Prefetch", "Other"})
#: A timer-driven navigation (meta refresh) with a longer delay than this is not "about to happen". Seconds.
_SOON = 0.05
#: So many ended requests are remembered.
_ENDED = 500
_GIVEN_UP = "net::ERR_ABORTED"


# Of the four network events only these members are decoded: there may be thousands of them.
class _Url(msgspec.Struct, gc=False):
    url: str
    status: int = 0


class _Request(msgspec.Struct, gc=False):
    requestId: str
    request: _Url
    loaderId: str = ""
    frameId: str = ""
    type: str = "Other"
    redirectResponse: _Url | None = None


class _Response(msgspec.Struct, gc=False):
    requestId: str
    type: str
    response: _Url
    loaderId: str = ""


class _End(msgspec.Struct, gc=False):
    requestId: str
    type: str = ""
    errorText: str = ""


_decode_request = event_decoder(_Request)
_decode_response = event_decoder(_Response)
_decode_end = event_decoder(_End)


@dataclass(slots=True)
class InFlight:
    """A request without an end so far.

    Attributes:
        answered_at: loop time of the response's headers. Chrome reports no end before the page has read the body,
            which it may never do.
        status: of the response, 0 before it.
    """

    url: str
    type: str
    frame_id: str
    loader_id: str
    serial: int
    session_id: str
    answered_at: float | None = None
    status: int = 0

    @property
    def counts(self) -> bool:
        """Whether a page with this request open is still loading."""
        return self.type not in _IDLE_TYPES and not self.url.startswith(("data:", "blob:"))


@dataclass(frozen=True, slots=True)
class Ended:
    """A request that has come to its end.

    Attributes:
        status: HTTP status, 0 when there was no response.
        failure: the ``net::`` error, empty when it did not fail.
        serial: of its beginning.
        ended_at: loop time.
    """

    url: str
    status: int
    failure: str
    serial: int
    ended_at: float
    type: str = ""


@dataclass(slots=True)
class FrameLoad:
    """The navigation state of one frame. All ``*_at`` are serial numbers of the tracker; 0 means never.

    Attributes:
        loader_id: the document that is there.
        milestones: lifecycle names reached by it: ``DOMContentLoaded``, ``load``, ``networkIdle``…
        requested_at, requested_url: the renderer announced a navigation of this frame.
        cleared_at: an announced navigation was withdrawn, or passed on to the browser process.
        started_at, started_loader, started_url: the browser began one (history moves and reloads too).
        committed_at, committed_kind: a new document, ``document``, ``bfcache`` or ``error``.
        moved_at, moved_url: a same-document navigation.
        stopped_at: the frame stopped loading.
    """

    loader_id: str = ""
    milestones: set[str] = field(default_factory=set)
    requested_at: int = 0
    requested_url: str = ""
    cleared_at: int = 0
    started_at: int = 0
    started_loader: str = ""
    started_url: str = ""
    committed_at: int = 0
    committed_kind: str = "document"
    moved_at: int = 0
    moved_url: str = ""
    stopped_at: int = 0

    @property
    def is_under_way(self) -> bool:
        """Whether a cross-document navigation has begun and neither committed nor ended."""
        return self.started_at > max(self.committed_at, self.stopped_at)

    def news_since(self, serial: int) -> bool:
        """Whether a navigation was announced, begun or made since then."""
        return max(self.requested_at, self.started_at, self.committed_at, self.moved_at) > serial


class LoadTracker:
    """Follows all frames of one page.

    Attributes:
        serial: grows with every event; take it as a mark before an action.
        in_flight: requests without an end, by request id. A request may begin in one session and end in
            another: a worker's script and the document of a frame that gets a process of its own do.
        ended: the last requests that ended, oldest first.
        active_at: loop time of the last request that began or ended.
        status: HTTP status of documents by loader id, the last hop's.
        failure: ``net::`` error of document requests by loader id.
    """

    def __init__(self) -> None:
        self.serial = 0
        self.frames: dict[str, FrameLoad] = {}
        self.in_flight: dict[str, InFlight] = {}
        self.ended: deque[Ended] = deque(maxlen=_ENDED)
        self.active_at = 0.0
        self.status: dict[str, int] = {}
        self.failure: dict[str, str] = {}
        self._waiters: set[asyncio.Future[None]] = set()

    def of(self, frame_id: str) -> FrameLoad:
        """The state of a frame, made when it is new."""
        load = self.frames.get(frame_id)
        if load is None:
            load = self.frames[frame_id] = FrameLoad()
        return load

    def touch(self) -> int:
        """Something changed: wake those who wait. Returns the new serial."""
        self.serial += 1
        if self._waiters:
            for waiter in self._waiters:
                if not waiter.done():
                    waiter.set_result(None)
        return self.serial

    async def wait(self, condition: Callable[[], bool], timeout: float) -> bool:
        """Wait until `condition` holds, at most `timeout` seconds; returns whether it does."""
        loop = asyncio.get_running_loop()
        end = loop.time() + timeout
        while not condition():
            left = end - loop.time()
            if left <= 0:
                return False
            waiter: asyncio.Future[None] = loop.create_future()
            self._waiters.add(waiter)
            timer = loop.call_later(left, lambda w=waiter: w.done() or w.set_result(None))  # type: ignore[misc]
            try:
                await waiter
            finally:
                timer.cancel()
                self._waiters.discard(waiter)
        return True

    def pending(self, since: int = 0, *, types: frozenset[str] | None = None) -> list[InFlight]:
        """Requests in flight that count as loading, begun after `since`, of `types` when given."""
        return [
            r for r in self.in_flight.values() if r.serial > since and r.counts and (types is None or r.type in types)
        ]

    def had_since(self, since: int, types: frozenset[str]) -> bool:
        """Whether a request of these types begun after `since` has been answered."""
        return any(r.serial > since and r.type in types for r in self.ended) or any(
            r.serial > since and r.type in types and r.answered_at is not None for r in self.in_flight.values()
        )

    def failed_since(self, since: int, types: frozenset[str]) -> list[tuple[str, str]]:
        """The requests of these types begun after `since` that have failed: address, and status or ``net::`` error.

        Those that the page gave up itself have not.
        """
        failed = [
            (r.url, r.failure or str(r.status))
            for r in self.ended
            if r.serial > since and r.type in types and (r.status >= 400 or r.failure) and r.failure != _GIVEN_UP
        ]
        # Chrome tells of no end before the page has read the body.
        unread = [r for r in self.in_flight.values() if r.serial > since and r.type in types and r.status >= 400]
        return failed + [(r.url, str(r.status)) for r in unread]

    # -- events --------------------------------------------------------------------------------------

    def listen(self, session: Session) -> None:
        """Subscribe to a session of the page: its own, or that of a frame in another process."""
        on = session.on
        on("Page.frameScheduledNavigation", self._scheduled)
        on("Page.frameRequestedNavigation", self._requested)
        on("Page.frameClearedScheduledNavigation", self._cleared)
        on("Page.frameStartedNavigating", self._started)
        on("Page.frameStoppedLoading", self._stopped)
        on("Page.lifecycleEvent", self._lifecycle)
        self.listen_network(session)

    def listen_network(self, session: Session) -> None:
        """Subscribe to the requests of a session (workers have nothing else)."""
        on = session.on_raw
        on("Network.requestWillBeSent", lambda data: self._request(session.id, _decode_request(data)))
        on("Network.responseReceived", lambda data: self._response(session.id, _decode_response(data)))
        on("Network.loadingFinished", lambda data: self._request_ended(_decode_end(data)))
        on("Network.loadingFailed", lambda data: self._request_failed(_decode_end(data)))
        session.on_closed(lambda _: self._session_closed(session.id))

    def navigated(self, frame_id: str, loader_id: str, kind: str) -> None:
        """A frame has a new document (told by `Page`, which has updated its frames)."""
        load = self.of(frame_id)
        load.committed_at = self.touch()
        load.committed_kind = kind
        if load.loader_id != loader_id:
            load.loader_id = loader_id
            load.milestones = set()
        if kind == "bfcache":
            load.milestones |= {"DOMContentLoaded", "load"}
        # What the former document had in flight is nobody's business any more; Chrome does not always say so.
        self._drop(lambda r: r.frame_id == frame_id and r.loader_id != loader_id)

    def moved_within(self, frame_id: str, url: str) -> None:
        """A frame navigated within its document."""
        load = self.of(frame_id)
        load.moved_at = self.touch()
        load.moved_url = url

    def frame_gone(self, frame_id: str) -> None:
        """A frame was removed."""
        self.frames.pop(frame_id, None)
        self._drop(lambda r: r.frame_id == frame_id)
        self.touch()

    def forget_all(self) -> None:
        """The renderer died: nothing is in flight any more."""
        self.in_flight.clear()
        for load in self.frames.values():
            load.stopped_at = self.serial + 1
        self.touch()

    def forget_documents(self) -> None:
        """Nobody told for a while what happened: whatever was known may be wrong now."""
        self.frames.clear()
        self.in_flight.clear()
        self.touch()

    def _scheduled(self, p: dict[str, Any]) -> None:
        if p.get("delay", 0) <= _SOON:
            self._announced(p["frameId"], p["url"])

    def _requested(self, p: dict[str, Any]) -> None:
        if p.get("disposition", "currentTab") == "currentTab":
            self._announced(p["frameId"], p["url"])

    def _announced(self, frame_id: str, url: str) -> None:
        load = self.of(frame_id)
        load.requested_at = self.touch()
        load.requested_url = url

    def _cleared(self, p: dict[str, Any]) -> None:
        load = self.of(p["frameId"])
        load.cleared_at = self.touch()

    def _started(self, p: dict[str, Any]) -> None:
        if p.get("navigationType") in ("sameDocument", "historySameDocument"):
            return
        load = self.of(p["frameId"])
        load.started_at = self.touch()
        load.started_loader = p["loaderId"]
        load.started_url = p["url"]

    def _stopped(self, p: dict[str, Any]) -> None:
        load = self.of(p["frameId"])
        load.stopped_at = self.touch()

    def _lifecycle(self, p: dict[str, Any]) -> None:
        load = self.of(p["frameId"])
        is_first = p["name"] == "init" or not load.loader_id
        if is_first and load.loader_id != p["loaderId"]:
            # "init" comes with the commit, sometimes a moment before Page.frameNavigated. Who attaches to a page
            # that is there already is told what it has reached, without an "init".
            load.loader_id = p["loaderId"]
            load.milestones = set()
        if p["name"] != "init" and p["loaderId"] == load.loader_id:
            load.milestones.add(p["name"])
        self.touch()

    def _request(self, session_id: str, event: _Request) -> None:
        serial = self.touch()
        self.active_at = asyncio.get_running_loop().time()
        hop = self.in_flight.get(event.requestId)
        if hop is not None and event.redirectResponse is not None:
            self.ended.append(Ended(hop.url, event.redirectResponse.status, "", hop.serial, self.active_at))
        self.in_flight[event.requestId] = InFlight(
            event.request.url, event.type, event.frameId, event.loaderId, serial, session_id
        )

    def _response(self, session_id: str, event: _Response) -> None:
        request = self.in_flight.get(event.requestId)
        if request is not None:
            request.session_id = session_id
            request.answered_at = asyncio.get_running_loop().time()
            request.status = event.response.status
            self.touch()
        if event.type == "Document" and event.response.url.startswith("http"):
            self.status[event.loaderId] = event.response.status
            self._bound(self.status)

    def _request_ended(self, event: _End) -> None:
        request = self.in_flight.pop(event.requestId, None)
        if request is not None:
            self.active_at = asyncio.get_running_loop().time()
            self.ended.append(
                Ended(request.url, request.status, event.errorText, request.serial, self.active_at, request.type)
            )
            self.touch()

    def _request_failed(self, event: _End) -> None:
        if event.type == "Document":
            self.failure[event.requestId] = event.errorText
            self._bound(self.failure)
        self._request_ended(event)

    def _session_closed(self, session_id: str) -> None:
        self._drop(lambda r: r.session_id == session_id)
        self.touch()

    def _drop(self, gone: Callable[[InFlight], bool]) -> None:
        for key in [k for k, r in self.in_flight.items() if gone(r)]:
            del self.in_flight[key]

    @staticmethod
    def _bound(record: dict[str, Any]) -> None:
        while len(record) > 200:
            del record[next(iter(record))]
