"""One request as it was recorded: what a list needs at hand, the rest decoded when asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from pagelens.cdp.messages import decode_body

if TYPE_CHECKING:
    from pagelens.cdp.session import Session
    from pagelens.collectors.stream_messages import StreamMessages

__all__ = ["CacheKind", "NetworkRequest", "Outcome", "RequestSource"]

RequestSource = Literal["page", "iframe", "worker", "service_worker", "shared_worker"]
CacheKind = Literal["memory", "disk", "prefetch"]
#: `pending`: no answer yet. `receiving`: answered, but the body has not come to its end, or the page has not
#: read it to its end. `open`: a stream that is connected. `unfinished`: what asked for it went away first.
#: `redirected`: answered with another address. `aborted`: given up by the page. `blocked`: not allowed out,
#: or its response not allowed in. `download`: it became one.
Outcome = Literal[
    "pending", "receiving", "open", "unfinished", "redirected", "finished", "failed", "aborted", "blocked", "download"
]


class NetworkRequest:
    """One request, or one hop of a redirect chain.

    Attributes:
        id: ours, unique in the session.
        request_id: Chrome's; all hops of a redirect chain share it.
        session: where a body can be asked for: the session that told of the response, else of the request.
        source: who asked: the page and its same-process frames, a frame in another process, a worker of the page, or
            a worker of its origin: what such a one asks for is recorded on each page that it belongs to.
        url: with its fragment; ``data:`` URLs are cut to their first characters.
        url_length: characters of the whole URL.
        resource_type: in lower case, e.g. ``document``, ``fetch``, ``xhr``, ``preflight``, ``websocket``.
        loader_id, frame_id: the document that asked; empty for preflights and workers.
        is_main_document: it was sent to navigate the page's main frame.
        initiator_type: ``parser``, ``script``, ``preload``, ``preflight``, ``other``…
        has_body: whether it carried a body.
        started, ended: seconds on Chrome's monotonic clock; `ended` None while it has no end.
        wall_time: when it started, seconds since 1970.
        redirected_from, redirected_to: the neighbouring hops.
        from_cache, from_service_worker: where the response came from, when not from the network.
        error_text: ``net::ERR_…``, or Chrome's words for a WebSocket; empty when it did not fail.
        blocked_reason, cors_error: why it was blocked, e.g. ``inspector``, ``mixed-content``; the CORS rule.
        left_behind: why no end will come; empty otherwise.
        is_forgotten: whether the collector has let it go.
        rule: the request rule that was used on it: its number and what it does (`pagelens.browser.request_rules`).
        messages: of a WebSocket or an event stream, what went over it; None for anything else.
        body_bytes, encoded_bytes: size of the body as decoded so far, and of all that was received on the wire.
    """

    __slots__ = (
        "_response_event",
        "_response_extra",
        "_response_status",
        "_sent_event",
        "_sent_extra",
        "_wire_status",
        "became_download",
        "blocked_reason",
        "body_bytes",
        "canceled",
        "cors_error",
        "encoded_bytes",
        "ended",
        "error_text",
        "expects_extra",
        "frame_id",
        "from_cache",
        "from_service_worker",
        "has_body",
        "id",
        "initiator_type",
        "is_forgotten",
        "is_main_document",
        "left_behind",
        "loader_id",
        "messages",
        "method",
        "page_id",
        "preflight_for",
        "redirected_from",
        "redirected_to",
        "request_id",
        "resource_type",
        "rule",
        "session",
        "source",
        "started",
        "state",
        "url",
        "url_length",
        "wall_time",
        "weight",
    )

    def __init__(
        self,
        number: int,
        page_id: int,
        request_id: str,
        session: Session,
        source: RequestSource,
        url: str,
        method: str,
        resource_type: str,
    ) -> None:
        self.id = number
        self.page_id = page_id
        self.request_id = request_id
        self.session = session
        self.source = source
        self.url = url
        self.url_length = len(url)
        self.method = method
        self.resource_type = resource_type
        self.loader_id = ""
        self.frame_id = ""
        self.is_main_document = False
        self.is_forgotten = False
        self.rule: tuple[int, str] | None = None
        self.messages: StreamMessages | None = None
        self.initiator_type = "other"
        self.preflight_for = ""
        self.has_body = False
        self.started = 0.0
        self.wall_time = 0.0
        self.ended: float | None = None
        self.state: Literal["pending", "redirected", "finished", "failed"] = "pending"
        self.redirected_from: NetworkRequest | None = None
        self.redirected_to: NetworkRequest | None = None
        self.from_cache: CacheKind | None = None
        self.from_service_worker = False
        self.error_text = ""
        self.canceled = False
        self.blocked_reason = ""
        self.cors_error = ""
        self.became_download = False
        self.left_behind = ""
        self.body_bytes = 0
        self.encoded_bytes: int | None = None
        self.expects_extra: bool | None = None
        self.weight = 0
        self._response_status: int | None = None
        self._wire_status: int | None = None
        # Events as they came, JSON. The response of a redirect is a member of the next hop's request event.
        self._sent_event = b""
        self._sent_extra = b""
        self._response_event = b""
        self._response_extra = b""

    def __repr__(self) -> str:
        return f"<NetworkRequest {self.id} {self.method} {self.url[:80]} {self.status or ''} {self.outcome}>"

    # -- for lists -----------------------------------------------------------------------------------

    @property
    def status(self) -> int | None:
        """HTTP status as the server sent it: 304 for a revalidated response, also when CORS then hid it."""
        return self._wire_status or self._response_status

    @property
    def outcome(self) -> Outcome:
        """How it ended, or that it has not."""
        if self.state == "redirected":
            return "redirected"
        if self.state == "finished":
            return "finished"
        if self.state == "pending":
            if self.left_behind:
                return "unfinished"
            if self._response_status is None:
                return "pending"
            return "open" if self.resource_type in ("eventsource", "websocket") else "receiving"
        if self.blocked_reason or self.cors_error:
            return "blocked"
        if self.became_download:
            return "download"
        if self.canceled:
            # A document that answers "nothing to show" is aborted by definition; the server did its part.
            return "finished" if self.status in (204, 205) else "aborted"
        return "failed"

    @property
    def duration(self) -> float | None:
        """Seconds from start to end; None while it has no end."""
        return None if self.ended is None else max(self.ended - self.started, 0.0)

    @property
    def redirect_chain(self) -> list[NetworkRequest]:
        """The hops before this one, first hop first; hops that are no longer kept are in it too."""
        hops = []
        hop = self.redirected_from
        while hop is not None:
            hops.append(hop)
            hop = hop.redirected_from
        hops.reverse()
        return hops

    # -- for details ---------------------------------------------------------------------------------

    @property
    def has_raw_request_headers(self) -> bool:
        """Whether `request_headers` are those that went over the wire, cookies included."""
        return bool(self._sent_extra)

    @property
    def has_raw_response_headers(self) -> bool:
        """Whether `response_headers` are those that came over the wire, ``Set-Cookie`` included."""
        return bool(self._response_extra)

    def request_headers(self) -> dict[str, str]:
        """Headers of the request: as sent if Chrome told, else those the page set."""
        if self._sent_extra:
            return _headers(decode_body(self._sent_extra))
        return _headers(self.sent().get("request", {}))

    def response_headers(self) -> dict[str, str]:
        """Headers of the response: as received if Chrome told, else those the page may see. Repeated ones
        are joined by newlines."""
        if self._response_extra:
            return _headers(decode_body(self._response_extra))
        return _headers(self.response())

    def sent(self) -> dict[str, Any]:
        """The params of ``Network.requestWillBeSent`` (``webSocketWillSendHandshakeRequest`` for a socket).
        Of a very large event the body and most of the stack trace are left out."""
        return decode_body(self._sent_event)

    def response(self) -> dict[str, Any]:
        """``Network.Response`` of the protocol: timing, remote address, protocol, security…; empty when none came."""
        event = decode_body(self._response_event)
        found = event.get("redirectResponse" if self.state == "redirected" else "response", {})
        return found if isinstance(found, dict) else {}

    def initiator(self) -> dict[str, Any]:
        """``Network.Initiator`` of the protocol: who asked, with a stack trace for scripts."""
        found = self.sent().get("initiator", {})
        return found if isinstance(found, dict) else {}

    @property
    def sent_event(self) -> bytes:
        """The params of the event that `sent` decodes, as they came."""
        return self._sent_event

    def post_data(self) -> str | None:
        """The request's body when it is small text; None when there is none or it must be asked for."""
        found = self.sent().get("request", {}).get("postData")
        return found if isinstance(found, str) else None

    @property
    def mime_type(self) -> str:
        """Media type of the response, as Chrome understood it; empty when there is none."""
        return str(self.response().get("mimeType", ""))

    @property
    def charset(self) -> str:
        """Charset of the response, in lower case; empty when neither header nor Chrome says."""
        response = self.response()
        found = str(response.get("charset", ""))
        if not found:
            for name, value in _headers(response).items():
                if name.lower() == "content-type":
                    _, _, found = value.lower().partition("charset=")
        return found.split(";")[0].strip(" \"'").lower()

    @property
    def priority(self) -> str:
        """Chrome's priority when it was sent (``VeryHigh``, ``Low``…); empty for sockets."""
        return str(self.sent().get("request", {}).get("initialPriority", ""))

    def timing(self) -> dict[str, float]:
        """Where its time went: milliseconds of each phase that took place, in order.

        ``queued`` (before it was its turn), ``dns``, ``connect``, ``tls``, ``workerStart`` and ``worker`` (a service
        worker's), ``send``, ``wait`` (to the first byte), ``receive``.
        """
        timing = self.response().get("timing")
        if not isinstance(timing, dict):
            return {}

        def at(name: str) -> float:
            return float(timing.get(name, -1))

        found: dict[str, float] = {}
        phases = {
            "dns": ("dnsStart", "dnsEnd"),
            "connect": ("connectStart", "connectEnd"),
            "tls": ("sslStart", "sslEnd"),
            "workerStart": ("workerStart", "workerReady"),
            "worker": ("workerFetchStart", "workerRespondWithSettled"),
            "send": ("sendStart", "sendEnd"),
            "wait": ("sendEnd", "receiveHeadersEnd"),
        }
        first = min((at(start) for start, _ in phases.values() if at(start) >= 0), default=0.0)
        requested = float(timing.get("requestTime", 0.0))
        queued = (requested - self.started) * 1000 + first if self.started else first
        if queued > 0:
            found["queued"] = queued
        for name, (start, end) in phases.items():
            if at(start) >= 0 and at(end) >= at(start):
                found[name] = at(end) - at(start)
        if self.ended is not None and at("receiveHeadersEnd") >= 0:
            found["receive"] = max((self.ended - requested) * 1000 - at("receiveHeadersEnd"), 0.0)
        return {name: round(value, 3) for name, value in found.items()}


def _headers(holder: dict[str, Any]) -> dict[str, str]:
    headers = holder.get("headers", {})
    return {str(name): str(value) for name, value in headers.items()} if isinstance(headers, dict) else {}
