"""Bodies of requests and responses: they stay in Chrome until somebody asks, and what Chrome would drop goes to disk.

What Chrome keeps (Chromium 156, measured):

- Response bodies live in a buffer of the page (``enableDurableMessages``), over navigations and the end of the frame or
  worker that asked for them: the page's own session gives them all. When the buffer is full the oldest are dropped.
  So a body is fetched only once the ones after it come near to filling the buffer, which most pages never do.
- Bodies of requests are gone with their document. Those that came with the event are in the record; large ones are put
  on disk, and those that Chrome did not send along (blobs, forms with files) are fetched at once.
- Those of a service or shared worker are fetched at once: Chrome ends itself (Chromium 156) when it is asked for one
  after the worker has stopped.
- A response that is still arriving can be had as far as it has come (``Network.streamResourceContent``).
"""

from __future__ import annotations

import asyncio
import base64
import logging
from collections import deque
from dataclasses import dataclass
from typing import TYPE_CHECKING

import msgspec

from pagelens.browser.page_sessions import BODY_BUFFER
from pagelens.cdp.messages import decode_body
from pagelens.collectors.body_store import BodyStore, StoredBody
from pagelens.core.deadlines import TOOL
from pagelens.errors import ConnectionLost, PagelensError, ProtocolError, RecordGone, SessionClosed

if TYPE_CHECKING:
    from pagelens.browser.page import Page
    from pagelens.cdp.session import Reply, Session
    from pagelens.collectors.network_request import NetworkRequest

__all__ = ["Bodies", "Body"]

log = logging.getLogger(__name__)

#: A body is rescued when it and those after it are so many bytes. The next one may be as large as Chrome takes.
RESCUE_AFTER = BODY_BUFFER * 3 // 8
#: Bodies that are fetched for the disk at the same time: each is in memory for a moment.
RESCUES_AT_ONCE = 2
#: Bytes kept of a response that is still arriving, per page.
STREAM_LIMIT = 16 * 1024 * 1024
#: Methods and statuses whose responses have no body by definition.
_BODYLESS_STATUS = (204, 205)
#: How long after its end a worker may take to have a body at hand. Seconds.
SETTLES = 0.2
#: Who can't be asked later on.
WORKERS = ("service_worker", "shared_worker")


class _Entry(msgspec.Struct, gc=False):
    bytes: str | None = None


class _SentRequest(msgspec.Struct, gc=False):
    hasPostData: bool = False
    postDataEntries: list[_Entry] = []


class _Sent(msgspec.Struct, gc=False):
    request: _SentRequest = msgspec.field(default_factory=_SentRequest)


_decode_sent = msgspec.json.Decoder(_Sent).decode


@dataclass(frozen=True, slots=True)
class Body:
    """A body, decompressed.

    Attributes:
        data: its bytes. Of a text that Chrome gave as text they are in the charset its headers name.
        is_complete: whether it is all of it; the rest of an incomplete one is still to come, or never came.
    """

    data: bytes
    is_complete: bool = True


def inline_body(raw_event: bytes) -> bytes | None:
    """The body that a ``Network.requestWillBeSent`` event carries; None when it is not, or not wholly, in it."""
    try:
        request = _decode_sent(raw_event).request
    except (msgspec.DecodeError, UnicodeDecodeError):
        sent = decode_body(raw_event).get("request", {})
        request = msgspec.convert(
            {"hasPostData": sent.get("hasPostData", False), "postDataEntries": sent.get("postDataEntries", [])},
            _SentRequest,
        )
    entries = request.postDataEntries
    if not entries or any(entry.bytes is None for entry in entries):
        return None
    return b"".join(base64.b64decode(entry.bytes or "") for entry in entries)


class Bodies:
    """The bodies of one page's requests.

    Args:
        page: the page, whose own session gives bodies of its frames and workers too.
        store: where bodies go that Chrome would drop; shared by the pages of an agent.
    """

    def __init__(self, page: Page, store: BodyStore | None = None) -> None:
        self._page = page
        self._store = store or BodyStore()
        # Those that have ended and are in Chrome only, oldest first, each with the bytes that had come before it.
        self._in_chrome: deque[tuple[NetworkRequest, int]] = deque()
        self._arrived = 0
        self._waiting: deque[NetworkRequest] = deque()
        self._rescues: dict[int, Reply] = {}
        # Of workers, asked for too early: they are asked for once more.
        self._empty: set[int] = set()
        self._responses: dict[int, StoredBody] = {}
        self._requests: dict[int, StoredBody] = {}
        self._fetching: dict[int, Reply] = {}
        self._streams: dict[str, bytearray] = {}
        self._streamed = 0

    # -- asked for -----------------------------------------------------------------------------------

    async def response_body(self, request: NetworkRequest, *, timeout: float = TOOL) -> Body:
        """The body of a response, decompressed (CDP ``Network.getResponseBody``).

        Raises:
            RecordGone: there is none, with the reason.
            ConnectionLost, CommandTimeout: Chrome did not answer.
        """
        name = f"reqid={request.id}"
        if request.state == "redirected":
            following = request.redirected_to
            raise RecordGone(
                f"The response of {name} is a redirect; Chrome keeps no body of those.",
                f"The next hop is reqid={following.id}." if following is not None else "",
            )
        if request.resource_type == "websocket":
            raise RecordGone(
                f"{name} is a WebSocket: it has messages, and no body.", "list_websocket_messages has them."
            )
        if request.id in self._empty:
            await asyncio.sleep(SETTLES)
        rescue = self._rescues.get(request.id)
        if rescue is not None:
            await rescue.ended(timeout)
            await asyncio.sleep(0)  # its callback has put the body away
        stored = self._responses.get(request.id)
        if stored is not None:
            data = await asyncio.to_thread(self._store.get, stored)
            if data == b"" and request.source in WORKERS and _promises_body(request):
                raise RecordGone(
                    f"There is no body of {name}: the worker passed it on without reading it.",
                    "The page's request for the same address has it.",
                )
            if data is not None:
                return Body(data)
            raise RecordGone(
                f"The body of {name} is no longer kept: {self._store.limit // 2**20:,} MB of bodies are kept on disk, "
                "and newer ones have taken its place.",
                "Load it again.",
            )
        if request.status in _BODYLESS_STATUS or (request.method == "HEAD" and request.status is not None):
            return Body(b"")
        if request.state == "pending" and not request.left_behind:
            return await self._arriving(request, timeout)
        if request.source in WORKERS:
            raise RecordGone(f"There is no body of {name}: {self._why_none(request)}.", "Load it again.")
        try:
            reply = await self._session_for(request).send(
                "Network.getResponseBody", {"requestId": request.request_id}, timeout=timeout
            )
        except ProtocolError as error:
            raise RecordGone(
                f"There is no body of {name}: {self._why_none(request, error)}.", "Load it again."
            ) from error
        return Body(await asyncio.to_thread(_decoded, reply, request), request.outcome == "finished")

    async def request_body(self, request: NetworkRequest, *, timeout: float = TOOL) -> Body | None:
        """The body that a request carried; None when it carried none.

        Raises:
            RecordGone: it had one, which is not kept; with the reason.
        """
        if not request.has_body:
            return None
        fetching = self._fetching.get(request.id)
        if fetching is not None:
            await fetching.ended(timeout)
            await asyncio.sleep(0)  # its callback has put the body away
        stored = self._requests.get(request.id)
        if stored is not None:
            data = await asyncio.to_thread(self._store.get, stored)
            if data is not None:
                return Body(data)
        else:
            data = inline_body(request.sent_event)
            if data is not None:
                return Body(data)
        raise RecordGone(
            f"The body that reqid={request.id} sent is not kept: "
            + ("newer bodies have taken its place on disk." if stored is not None else "Chrome did not give it."),
            "Let the page send it again.",
        )

    # -- told by the collector -----------------------------------------------------------------------

    def sent(self, request: NetworkRequest, raw_event: bytes, *, is_cut: bool) -> None:
        """A request was sent; `is_cut`: its body is too large to stay in the record."""
        if not request.has_body:
            return
        body = inline_body(raw_event)
        if body is None:
            reply = request.session.post("Network.getRequestPostData", {"requestId": request.request_id})
            self._fetching[request.id] = reply
            reply.on_done(lambda: self._fetched(request))
        elif is_cut:
            self._put(self._requests, request, body)

    def ended(self, request: NetworkRequest) -> None:
        """A request has ended: its body is in Chrome, if it has one."""
        self._forget_stream(request.request_id)
        size = max(request.body_bytes, request.encoded_bytes or 0)
        if request.source in WORKERS:
            # What it passes on to a page it is not told the size of.
            if request.outcome == "finished":
                self._rescue(request)
            return
        if size and request.outcome == "finished":
            self._in_chrome.append((request, self._arrived))
        self._arrived += size
        while self._in_chrome and self._arrived - self._in_chrome[0][1] >= RESCUE_AFTER:
            oldest, _ = self._in_chrome.popleft()
            self._waiting.append(oldest)
        self._rescue_next()

    def data(self, request_id: str, more: str) -> None:
        """A piece (base64) of a response that is being streamed to us."""
        stream = self._streams.get(request_id)
        if stream is not None and self._streamed < STREAM_LIMIT:
            piece = base64.b64decode(more)
            self._streamed += len(piece)
            stream += piece

    def forget(self, request: NetworkRequest) -> None:
        """A request is no longer kept."""
        self._responses.pop(request.id, None)
        self._requests.pop(request.id, None)
        self._fetching.pop(request.id, None)
        self._forget_stream(request.request_id)
        while self._in_chrome and self._in_chrome[0][0].is_forgotten:
            self._in_chrome.popleft()

    # -- kept from being lost ------------------------------------------------------------------------

    def _rescue_next(self) -> None:
        while self._waiting and len(self._rescues) < RESCUES_AT_ONCE:
            request = self._waiting.popleft()
            if not (request.is_forgotten or request.id in self._responses or self._page.closed is not None):
                self._rescue(request)

    def _rescue(self, request: NetworkRequest, *, again: bool = False) -> None:
        reply = self._session_for(request).post("Network.getResponseBody", {"requestId": request.request_id})
        self._rescues[request.id] = reply
        reply.on_done(lambda: self._rescued(request, reply, again))

    def _rescued(self, request: NetworkRequest, reply: Reply, again: bool) -> None:
        self._rescues.pop(request.id, None)
        try:
            body = reply.result()
        except ConnectionLost:
            return
        except PagelensError as error:
            # Who asks for it hears why.
            log.debug("the body of %r could not be rescued: %s", request, error)
        else:
            data = _decoded(body, request)
            if not data and not again and request.source in WORKERS and _promises_body(request):
                # Told of its end, a worker may not have put the body away yet.
                self._empty.add(request.id)
                asyncio.get_running_loop().call_later(SETTLES, self._rescue_once_more, request)
            elif not request.is_forgotten:
                self._put(self._responses, request, data)
        self._rescue_next()

    def _rescue_once_more(self, request: NetworkRequest) -> None:
        if not request.is_forgotten and request.session.closed is None:
            self._rescue(request, again=True)
        self._empty.discard(request.id)

    def _fetched(self, request: NetworkRequest) -> None:
        reply = self._fetching.pop(request.id, None)
        if reply is None or request.is_forgotten:
            return
        try:
            answer = reply.result()
        except PagelensError as error:
            log.debug("the body that %r sent could not be had: %s", request, error)
            return
        data = answer.get("postData", "")
        self._put(
            self._requests,
            request,
            base64.b64decode(data) if answer.get("base64Encoded") else data.encode("utf-8", "surrogatepass"),
        )

    def _put(self, where: dict[int, StoredBody], request: NetworkRequest, data: bytes) -> None:
        try:
            stored = self._store.put(data)
        except OSError as error:
            log.warning("a body can't be kept on disk: %s", error)
            return
        if stored is not None:
            where[request.id] = stored

    # -- arriving ------------------------------------------------------------------------------------

    async def _arriving(self, request: NetworkRequest, timeout: float) -> Body:
        name = f"reqid={request.id}"
        if request.status is None:
            raise RecordGone(f"There is no body of {name} yet: it has not been answered.", "Ask again later.")
        stream = self._streams.get(request.request_id)
        if stream is None:
            stream = self._streams[request.request_id] = bytearray()
            try:
                begun = await request.session.send(
                    "Network.streamResourceContent", {"requestId": request.request_id}, timeout=timeout
                )
            except ProtocolError as error:
                self._streams.pop(request.request_id, None)
                raise RecordGone(
                    f"The body of {name} is still arriving, and Chrome does not show what has come: "
                    f"{error.protocol_message}.",
                    "Ask again when it has ended.",
                ) from error
            first = base64.b64decode(begun.get("bufferedData", ""))
            self._streamed += len(first)
            stream[:0] = first
        return Body(bytes(stream), is_complete=False)

    def _forget_stream(self, request_id: str) -> None:
        stream = self._streams.pop(request_id, None)
        if stream is not None:
            self._streamed -= len(stream)

    # -- words ---------------------------------------------------------------------------------------

    def _session_for(self, request: NetworkRequest) -> Session:
        """Who can be asked: the frame or worker while it lives, then the page."""
        return request.session if request.session.closed is None else self._page.session

    @staticmethod
    def _why_none(request: NetworkRequest, error: ProtocolError | None = None) -> str:
        if isinstance(error, SessionClosed):
            return "its page is gone"
        outcome = request.outcome
        if outcome in ("failed", "aborted", "blocked"):
            how = {"failed": "failed", "aborted": "was given up by the page", "blocked": "was blocked"}[outcome]
            return f"the request {how}{f' ({request.error_text})' if request.error_text else ''}"
        if outcome == "download":
            return "it became a download, which is a file"
        if outcome == "unfinished":
            return f"its end was not recorded ({request.left_behind})"
        if error is None:
            return "its worker stopped before it could be had"
        if "evicted" in error.protocol_message:
            return f"Chrome keeps {BODY_BUFFER // 2**20} MB of bodies for a page, and newer ones have taken its place"
        if request.resource_type == "preflight":
            return "it is a preflight"
        return f"Chrome has none ({error.protocol_message})"


def _promises_body(request: NetworkRequest) -> bool:
    headers = {name.lower(): value for name, value in request.response_headers().items()}
    return headers.get("content-length", "0") != "0" or "transfer-encoding" in headers


def _decoded(reply: dict[str, object], request: NetworkRequest) -> bytes:
    body = str(reply["body"])
    if reply["base64Encoded"]:
        return base64.b64decode(body)
    charset = request.charset
    if charset and charset not in ("utf-8", "utf8"):
        # Chrome has decoded it: back to the bytes of the server, where that leads there.
        try:
            return body.encode(charset)
        except (LookupError, UnicodeEncodeError):
            pass  # an unknown charset, or text that was not in it: UTF-8 holds it all
    return body.encode("utf-8", "surrogatepass")
