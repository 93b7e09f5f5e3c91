"""Every request of a page, from the first byte it asked for.

Facts about the events (Chromium 156, seen):

- A request keeps one ``requestId`` across sessions: a worker's script is asked for in the page's session
  and answered in the worker's, the document of a cross-process frame likewise; a worker's ExtraInfo
  arrives in the page's session. So requests are found by ``requestId`` alone.
- The main document's ``requestId`` is its ``loaderId``. All hops of a redirect chain share one id.
- ``requestWillBeSentExtraInfo`` may precede ``requestWillBeSent``, ``responseReceivedExtraInfo`` may follow
  ``loadingFailed``. Within a chain they come in the order of hops; a hop that was answered from the cache
  has none, which is known only when the next hop starts.
- A revalidated response is reported as 200; only ExtraInfo has the 304. A response that CORS hides is told
  by ExtraInfo alone.
- What a service worker asks for comes in its own session only, under ids of its own, though a page's request may be
  the reason.
- Chrome's own error page reuses the failed document's id and loads ``data:`` images under its loader:
  neither is the site's doing, so they are not recorded.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import msgspec

from pagelens.browser.workers import WORKER_NETWORK_ENABLE, origin_of, origins_of
from pagelens.cdp.messages import decode_body, event_decoder
from pagelens.collectors.bodies import Bodies
from pagelens.collectors.network_events import (
    DataReceived,
    ExtraInfo,
    LoadingFailed,
    LoadingFinished,
    RequestWillBeSent,
    Response,
    ResponseReceived,
    ServedFromCache,
    WebSocketEvent,
)
from pagelens.collectors.network_request import NetworkRequest, RequestSource
from pagelens.collectors.page_collector import PageCollector
from pagelens.collectors.stream_messages import Direction, StreamMessages
from pagelens.core.safe_text import json_safe
from pagelens.core.signals import Signal

if TYPE_CHECKING:
    from pagelens.browser.downloads import Download
    from pagelens.browser.page import Page
    from pagelens.browser.page_frames import Navigated
    from pagelens.browser.page_sessions import AttachedSession
    from pagelens.browser.request_rules import AppliedRule
    from pagelens.browser.workers import Worker, WorkerSession
    from pagelens.cdp.session import Session
    from pagelens.collectors.body_store import BodyStore
    from pagelens.collectors.ids import IdCounter

__all__ = ["NetworkCollector"]

log = logging.getLogger(__name__)

#: A request or response event above this size is kept without its body, its ``data:`` URL and most of its stack. Bytes.
BIG_EVENT = 32_768
#: Characters kept of a ``data:`` URL, frames kept of a stack when an event is cut.
DATA_URL_KEPT = 200
FRAMES_KEPT = 20
#: What a request costs beside its events, about. Bytes.
BASE_WEIGHT = 700
#: ExtraInfo and rules that came before their request are kept for this many requests.
MAX_EARLY = 500

_decode_will_be_sent = event_decoder(RequestWillBeSent)
_decode_extra = event_decoder(ExtraInfo)
_decode_response = event_decoder(ResponseReceived)
_decode_data = event_decoder(DataReceived)
_decode_finished = event_decoder(LoadingFinished)
_decode_failed = event_decoder(LoadingFailed)
_decode_cached = event_decoder(ServedFromCache)
_decode_socket = event_decoder(WebSocketEvent)

_ExtraKind = Literal["sent", "response"]


class _Chain:
    """The hops that share one ``requestId``, and ExtraInfo that has no hop yet."""

    __slots__ = ("early", "hops")

    def __init__(self) -> None:
        self.hops: list[NetworkRequest] = []
        self.early: list[tuple[_ExtraKind, bytes, int]] = []

    def give(self, kind: _ExtraKind, raw: bytes, status: int) -> NetworkRequest | None:
        """Hand ExtraInfo to the first hop that may have it and has none."""
        for hop in self.hops:
            if hop.expects_extra is False:
                continue
            if kind == "sent" and not hop._sent_extra:
                hop._sent_extra = raw
                return hop
            if kind == "response" and not hop._response_extra:
                hop._response_extra = raw
                hop._wire_status = status or None
                return hop
        self.early.append((kind, raw, status))
        return None

    def add(self, hop: NetworkRequest) -> None:
        """A new last hop; what waited for one is given out again."""
        if self.hops:
            before = self.hops[-1]
            if before.expects_extra is False:
                # Taken for its own before this was known: it is the next hop's.
                if before._sent_extra:
                    self.early.append(("sent", before._sent_extra, 0))
                    before._sent_extra = b""
                if before._response_extra:
                    self.early.append(("response", before._response_extra, before._wire_status or 0))
                    before._response_extra = b""
                    before._wire_status = None
        self.hops.append(hop)
        early, self.early = self.early, []
        for kind, raw, status in early:
            self.give(kind, raw, status)


class NetworkCollector(PageCollector[NetworkRequest]):
    """The requests of one page: its own, its frames' in any process, its workers'.

    ``Network`` is enabled by the page's own initialisation; this class only listens.
    The request that navigated the page, its redirect hops and all requests after it move to the new
    navigation together.

    Attributes:
        answered: a response has come (its headers; the body follows), a redirect's too.
        finished: a request has ended, in whatever way `NetworkRequest.outcome` says.
        bodies: of these requests and their responses.
    """

    max_items: ClassVar[int] = 10_000
    max_weight: ClassVar[int] = 64_000_000
    id_name: ClassVar[str] = "reqid"
    noun: ClassVar[str] = "request"
    list_tool: ClassVar[str] = "list_network_requests"

    def __init__(self, page: Page, ids: IdCounter, store: BodyStore | None = None) -> None:
        self._page = page
        self.bodies = Bodies(page, store)
        self.answered: Signal[NetworkRequest] = Signal("answered")
        self.finished: Signal[NetworkRequest] = Signal("finished")
        self._chains: dict[str, _Chain] = {}
        self._early: dict[str, _Chain] = {}
        self._early_rules: dict[str, tuple[int, str]] = {}
        self._pending: dict[int, NetworkRequest] = {}
        self._error_loader = ""
        super().__init__(page, ids)
        self._disconnect += [
            page.crashed.connect(lambda _: self._leave_behind(lambda request: True, "the page crashed")),
            page.download_changed.connect(self._download_changed),
            page.host.workers.started.connect(self._worker_started),
            page.requests.applied.connect(self._rule_applied),
        ]

    @property
    def pending(self) -> list[NetworkRequest]:
        """Requests that have not ended, oldest first."""
        return [request for request in self._pending.values() if not request.left_behind]

    # -- sessions and navigations --------------------------------------------------------------------

    def catch_up(self, page: Page) -> None:
        super().catch_up(page)
        page.host.workers.introduce(self._worker_started)

    def _watch(self, attached: AttachedSession) -> None:
        self._listen(attached.session, attached.kind)

    def _worker_started(self, begun: WorkerSession) -> None:
        """A service or shared worker: it belongs to this page while the page is of its origin."""
        if WORKER_NETWORK_ENABLE not in begun.init:
            begun.init.append(WORKER_NETWORK_ENABLE)
        self._listen(begun.session, begun.worker.kind, begun.worker)

    def _belongs(self, worker: Worker) -> bool:
        """Whether a worker is of this page's origin, or of the one that it is being navigated to."""
        if self._closed or worker.context_id != self._page.context_id:
            return False
        document = next((r for r in reversed(self._pending.values()) if r.is_main_document), None)
        return worker.origin in origins_of(self._page) or (
            document is not None and origin_of(document.url) == worker.origin
        )

    def _listen(self, session: Session, source: RequestSource, worker: Worker | None = None) -> None:
        def on(event: str, handler: Callable[[bytes], None]) -> None:
            session.on_raw("Network." + event, handler)

        def sent(raw: bytes) -> None:
            if worker is None or self._belongs(worker):
                self._will_be_sent(session, source, raw)

        on("requestWillBeSent", sent)
        on("requestWillBeSentExtraInfo", lambda raw: self._extra("sent", raw))
        on("responseReceived", lambda raw: self._response_received(session, raw))
        on("responseReceivedExtraInfo", lambda raw: self._extra("response", raw))
        on("dataReceived", self._data_received)
        on("loadingFinished", lambda raw: self._loading_finished(session, raw))
        on("loadingFailed", self._loading_failed)
        on("requestServedFromCache", self._served_from_cache)
        on("webSocketCreated", lambda raw: self._socket_created(session, source, raw))
        on("webSocketWillSendHandshakeRequest", self._socket_handshake)
        on("webSocketHandshakeResponseReceived", self._socket_answered)
        on("webSocketFrameSent", lambda raw: self._socket_frame("sent", raw))
        on("webSocketFrameReceived", lambda raw: self._socket_frame("received", raw))
        on("webSocketFrameError", self._socket_failed)
        on("webSocketClosed", self._socket_closed)
        on("eventSourceMessageReceived", self._stream_event)
        if source != "page":
            session.on_closed(
                lambda _: self._leave_behind(
                    lambda request: request.session is session, f"its {source.replace('_', ' ')} is gone"
                )
            )

    def _boundary(self, navigated: Navigated) -> int | None:
        chain = self._chains.get(navigated.loader_id)
        if chain is None or navigated.kind == "bfcache":
            return None
        current = self._navigations[0].first_id
        first = chain.hops[0].id
        return first if current is not None and first >= current else None

    def _page_navigated(self, navigated: Navigated) -> None:
        super()._page_navigated(navigated)
        if not navigated.is_main or navigated.kind == "same_document":
            return
        self._error_loader = navigated.loader_id if navigated.kind == "error" else ""
        kept_from = self._navigations[0].first_id
        loader, frame = navigated.loader_id, navigated.frame.id
        self._leave_behind(
            lambda request: (
                (request.frame_id == frame and request.loader_id != loader)
                or kept_from is None
                or request.id < kept_from
            ),
            "the page navigated away",
        )

    def _leave_behind(self, which: Callable[[NetworkRequest], bool], reason: str) -> None:
        """Whoever would report the end of these requests is gone. Should it come all the same, it counts."""
        for request in list(self._pending.values()):
            if not request.left_behind and which(request):
                request.left_behind = reason
                self.finished.emit(request)

    def _rule_applied(self, applied: AppliedRule) -> None:
        """Told of by another process than the request itself: either may come first."""
        request = self._pending_request(applied.request_id)
        if request is not None and request.rule is None:
            request.rule = (applied.number, applied.action)
        else:
            self._early_rules[applied.request_id] = (applied.number, applied.action)
            if len(self._early_rules) > MAX_EARLY:
                del self._early_rules[next(iter(self._early_rules))]

    def asked_by_worker(self, request: NetworkRequest) -> list[NetworkRequest]:
        """What a service worker itself asked for while it answered a request, as far as it was the same address."""
        if not request.from_service_worker:
            return []
        end = request.ended if request.ended is not None else float("inf")
        return [
            other
            for other in self.get_data(True)
            if other.source == "service_worker" and other.url == request.url and request.started <= other.started <= end
        ]

    def _download_changed(self, download: Download) -> None:
        request = self.find(lambda request: request.resource_type == "document" and request.url == download.url)
        if request is not None and request.canceled:
            request.became_download = True

    def _is_protected(self, item: NetworkRequest) -> bool:
        return item.is_main_document

    def _forgotten(self, item: NetworkRequest) -> None:
        item.is_forgotten = True
        self._pending.pop(item.id, None)
        self.bodies.forget(item)
        chain = self._chains.get(item.request_id)
        if chain is not None and item in chain.hops:
            chain.hops.remove(item)
            if not chain.hops:
                del self._chains[item.request_id]

    def _page_closed(self) -> None:
        super()._page_closed()
        self._chains.clear()
        self._early.clear()

    # -- HTTP ----------------------------------------------------------------------------------------

    def _will_be_sent(self, session: Session, source: RequestSource, raw: bytes) -> None:
        event = _decode_will_be_sent(raw)
        if event.loaderId and event.loaderId == self._error_loader and event.request.url.startswith("data:"):
            return
        whole = raw
        if len(raw) > BIG_EVENT:
            raw = _cut(raw)
        chain = self._chains.get(event.requestId)
        before: NetworkRequest | None = None
        if chain is not None and event.redirectResponse is not None:
            before = chain.hops[-1]
            before.state = "redirected"
            before.ended = event.timestamp
            before.expects_extra = event.redirectHasExtraInfo
            before._response_event = raw
            _set_response(before, event.redirectResponse)
            self._pending.pop(before.id, None)
            self.answered.emit(before)
            self.finished.emit(before)
        elif chain is not None and chain.hops[-1].state == "pending":
            return  # told by a second session
        else:
            chain = self._chains[event.requestId] = self._early_chain(event.requestId)
        initiator = event.initiator
        kind = "preflight" if initiator.type == "preflight" else event.type.lower()
        request = NetworkRequest(
            self._next_id(),
            self.page_id,
            event.requestId,
            session,
            source,
            event.request.url,
            event.request.method,
            kind,
        )
        if event.request.urlFragment:
            request.url += event.request.urlFragment
            request.url_length = len(request.url)
        if request.url_length > DATA_URL_KEPT and request.url.startswith("data:"):
            request.url = request.url[:DATA_URL_KEPT]
        request.loader_id = event.loaderId
        request.frame_id = event.frameId
        request.is_main_document = (
            event.requestId == event.loaderId and event.frameId == self._page.main_frame.id and kind == "document"
        )
        request.initiator_type = initiator.type
        request.preflight_for = initiator.requestId
        request.has_body = event.request.hasPostData
        request.started = event.timestamp
        request.wall_time = event.wallTime
        request.redirected_from = before
        if before is not None:
            before.redirected_to = request
        request._sent_event = raw
        request.rule = self._early_rules.pop(event.requestId, None)
        chain.add(request)
        request.weight = (
            BASE_WEIGHT + len(request.url) + len(raw) + len(request._sent_extra) + len(request._response_extra)
        )
        self._pending[request.id] = request
        self.bodies.sent(request, whole, is_cut=raw is not whole)
        self._collect(request)

    def _extra(self, kind: _ExtraKind, raw: bytes) -> None:
        event = _decode_extra(raw)
        chain = self._chains.get(event.requestId)
        if chain is not None:
            hop = chain.give(kind, raw, event.statusCode)
            if hop is not None:
                self._add_weight(hop, len(raw))
            return
        chain = self._early.get(event.requestId)
        if chain is None:
            chain = self._early[event.requestId] = _Chain()
            if len(self._early) > MAX_EARLY:
                del self._early[next(iter(self._early))]
        chain.early.append((kind, raw, event.statusCode))

    def _response_received(self, session: Session, raw: bytes) -> None:
        event = _decode_response(raw)
        request = self._pending_request(event.requestId)
        if request is None:
            return
        if len(raw) > BIG_EVENT:
            raw = _cut(raw)
        request.session = session
        request.resource_type = event.type.lower()
        request.expects_extra = event.hasExtraInfo or None
        request._response_event = raw
        _set_response(request, event.response)
        self._add_weight(request, len(raw))
        self.answered.emit(request)

    def _data_received(self, raw: bytes) -> None:
        event = _decode_data(raw)
        request = self._pending_request(event.requestId)
        if request is not None:
            request.body_bytes += event.dataLength
            if event.data:
                self.bodies.data(event.requestId, event.data)

    def _loading_finished(self, session: Session, raw: bytes) -> None:
        event = _decode_finished(raw)
        request = self._pending_request(event.requestId)
        if request is not None:
            request.session = session
            request.state = "finished"
            request.ended = event.timestamp
            request.encoded_bytes = int(event.encodedDataLength)
            self._ended(request)

    def _loading_failed(self, raw: bytes) -> None:
        event = _decode_failed(raw)
        request = self._pending_request(event.requestId)
        if request is not None:
            request.state = "failed"
            request.ended = event.timestamp
            request.error_text = self._page.host.rules.explained(request.url, event.errorText)
            request.canceled = event.canceled
            request.blocked_reason = event.blockedReason
            if event.corsErrorStatus is not None:
                request.cors_error = event.corsErrorStatus.corsError
            self._ended(request)

    def _served_from_cache(self, raw: bytes) -> None:
        request = self._pending_request(_decode_cached(raw).requestId)
        if request is not None and not request.url.startswith("data:"):
            request.from_cache = "memory"

    # -- WebSocket -----------------------------------------------------------------------------------

    def _socket_created(self, session: Session, source: RequestSource, raw: bytes) -> None:
        event = _decode_socket(raw)
        if event.requestId in self._chains:
            return
        request = NetworkRequest(
            self._next_id(), self.page_id, event.requestId, session, source, event.url, "GET", "websocket"
        )
        request.initiator_type = "script"
        request.messages = StreamMessages()
        request._sent_event = raw
        request.weight = BASE_WEIGHT + len(request.url) + len(raw)
        chain = self._chains[event.requestId] = self._early_chain(event.requestId)
        chain.add(request)
        self._pending[request.id] = request
        self._collect(request)

    def _socket_handshake(self, raw: bytes) -> None:
        event = _decode_socket(raw)
        request = self._pending_request(event.requestId)
        if request is not None:
            request.started = event.timestamp
            request.wall_time = event.wallTime
            # The handshake has the headers, the creation the initiator: keep both in one event.
            merged = decode_body(request._sent_event) | decode_body(raw)
            request._sent_event = msgspec.json.encode(json_safe(merged))
            self._add_weight(request, len(raw))

    def _socket_answered(self, raw: bytes) -> None:
        event = _decode_socket(raw)
        request = self._pending_request(event.requestId)
        if request is not None:
            request._response_event = raw
            request._response_status = event.response.status if event.response else None
            self._add_weight(request, len(raw))
            self.answered.emit(request)

    def _socket_frame(self, direction: Direction, raw: bytes) -> None:
        request = self._pending_request(_decode_socket(raw).requestId)
        if request is not None and request.messages is not None:
            self._add_weight(request, request.messages.add_frame(direction, raw))

    def _stream_event(self, raw: bytes) -> None:
        request = self._pending_request(_decode_socket(raw).requestId)
        if request is not None:
            if request.messages is None:
                request.messages = StreamMessages()
            self._add_weight(request, request.messages.add_event(raw))

    def _socket_failed(self, raw: bytes) -> None:
        event = _decode_socket(raw)
        request = self._pending_request(event.requestId)
        if request is not None:
            request.error_text = event.errorMessage

    def _socket_closed(self, raw: bytes) -> None:
        event = _decode_socket(raw)
        request = self._pending_request(event.requestId)
        if request is not None:
            request.state = "failed" if request.error_text or request.status is None else "finished"
            request.ended = event.timestamp
            self._ended(request)

    # -- common --------------------------------------------------------------------------------------

    def _early_chain(self, request_id: str) -> _Chain:
        """The chain for a new request, with the ExtraInfo that came before it."""
        chain = self._early.pop(request_id, None)
        return _Chain() if chain is None else chain

    def _pending_request(self, request_id: str) -> NetworkRequest | None:
        chain = self._chains.get(request_id)
        if chain is None:
            return None
        request = chain.hops[-1]
        return request if request.state == "pending" else None

    def _ended(self, request: NetworkRequest) -> None:
        self._pending.pop(request.id, None)
        was_told, request.left_behind = bool(request.left_behind), ""
        self.bodies.ended(request)
        if not was_told:
            self.finished.emit(request)


def _set_response(request: NetworkRequest, response: Response) -> None:
    request._response_status = response.status or None
    request.from_service_worker = response.fromServiceWorker
    if response.fromDiskCache:
        request.from_cache = "disk"
    elif response.fromPrefetchCache:
        request.from_cache = "prefetch"


def _cut(raw: bytes) -> bytes:
    """A very large event without what makes it large."""
    event: dict[str, Any] = decode_body(raw)
    request = event.get("request", {})
    response = event.get("response", {})
    request.pop("postData", None)
    request.pop("postDataEntries", None)
    for holder, key in ((request, "url"), (response, "url"), (event, "documentURL")):
        if isinstance(holder.get(key), str) and holder[key].startswith("data:"):
            holder[key] = holder[key][:DATA_URL_KEPT]
    stack = event.get("initiator", {}).get("stack")
    if isinstance(stack, dict):
        stack.pop("parent", None)
        stack["callFrames"] = stack.get("callFrames", [])[:FRAMES_KEPT]
    return msgspec.json.encode(json_safe(event))
