"""The requests of a trace: each put together from its events, with the times DevTools shows."""

from __future__ import annotations

from dataclasses import dataclass, field

from pagelens.analysis.trace.recording import Event, Recording
from pagelens.analysis.trace.schema import CallFrame, Header, Initiator, RequestData, Timing

__all__ = ["NOT_BLOCKING", "Request", "find_requests"]

#: What Chrome calls requests that hold up no painting.
NOT_BLOCKING = frozenset({"non_blocking", "dynamically_injected_non_blocking", "potentially_blocking"})
_SCHEMES = ("blob:", "file:", "filesystem:", "http:", "https:")
_REPEATED = frozenset({"ResourceWillSendRequest", "ResourceSendRequest", "PreloadRenderBlockingStatusChange"})


@dataclass(slots=True)
class Request:
    """A request; times in microseconds of Chrome's clock.

    Attributes:
        ts, dur: from the first event to the last.
        finish: when its last byte had come.
        queueing, stalled, waiting, download: its phases.
        redirects: the addresses it was redirected from.
        redirect_time: how long these took.
        encoded, decoded: bytes over the network, and unpacked.
    """

    id: str
    url: str
    ts: float
    dur: float
    finish: float
    queueing: float
    stalled: float
    waiting: float
    download: float
    download_start: float
    send_start: float
    redirects: tuple[str, ...]
    redirect_time: float
    render_blocking: str
    frame: str
    type: str
    method: str
    initial_priority: str
    priority: str
    fetch_priority: str
    status: int
    mime: str
    protocol: str
    encoded: float
    decoded: float
    is_preload: bool
    from_cache: bool
    from_memory: bool
    from_service_worker: bool
    failed: bool
    initiator: Initiator = field(default_factory=Initiator)
    stack: tuple[CallFrame, ...] = ()
    headers: list[Header] | None = None
    timing: Timing | None = None

    @property
    def end(self) -> float:
        return self.ts + self.dur

    @property
    def is_blocking(self) -> bool:
        return self.render_blocking not in NOT_BLOCKING

    def header(self, name: str) -> str | None:
        """A response header; None when there is none."""
        return ", ".join(one.value for one in self.headers or () if one.name.lower() == name) or None

    @property
    def first_byte(self) -> float | None:
        """When the first byte of the answer came."""
        if self.timing is None:
            return None
        begun = self.timing.receiveHeadersStart
        return self.timing.requestTime * 1e6 + (self.timing.receiveHeadersEnd if begun is None else begun) * 1000


class _Events:
    def __init__(self) -> None:
        self.many: dict[str, list[Event]] = {}
        self.last: dict[str, Event] = {}


def find_requests(recording: Recording) -> list[Request]:
    """All requests that Chrome sent, in the order of their first events."""
    grouped: dict[str, _Events] = {}
    for event in recording.of(
        "ResourceWillSendRequest",
        "ResourceSendRequest",
        "ResourceReceiveResponse",
        "ResourceFinish",
        "ResourceMarkAsCached",
        "ResourceChangePriority",
        "PreloadRenderBlockingStatusChange",
    ):
        of_one = grouped.setdefault(event.args.data.requestId, _Events())
        if event.name in _REPEATED:
            of_one.many.setdefault(event.name, []).append(event)
        else:
            of_one.last[event.name] = event
    return [made for id_, of_one in grouped.items() if (made := _request(id_, of_one)) is not None]


def _request(id_: str, events: _Events) -> Request | None:
    sent = events.many.get("ResourceSendRequest")
    if not sent:
        return None
    last: RequestData = sent[-1].args.data
    if last.url.startswith("data:") or not sent[0].args.data.url.startswith(_SCHEMES):
        return None
    will = events.many.get("ResourceWillSendRequest")
    answer = events.last.get("ResourceReceiveResponse")
    answered: RequestData = answer.args.data if answer else RequestData(id_)
    ended = events.last.get("ResourceFinish")
    done: RequestData = ended.args.data if ended else RequestData(id_)
    from_memory = "ResourceMarkAsCached" in events.last
    timing = None if from_memory else answered.timing
    start = will[0].ts if will else sent[0].ts
    redirected = will[-1].ts if will else sent[-1].ts
    end = ended.ts if ended else redirected
    finish = done.finishTime * 1e6 if done.finishTime else end
    changed = events.many.get("PreloadRenderBlockingStatusChange")
    blocking = (changed[-1].args.data.renderBlocking if changed else "") or last.renderBlocking or "non_blocking"
    priority = events.last.get("ResourceChangePriority")
    if timing is not None:
        base = timing.requestTime * 1e6
        download_start = base + timing.receiveHeadersEnd * 1000
        queueing = max(0.0, base - redirected)
        waiting = (timing.receiveHeadersEnd - timing.sendEnd) * 1000
        download = (finish or download_start) - download_start
        stalled = _first_positive(
            timing.dnsStart * 1000,
            timing.connectStart * 1000,
            timing.sendStart * 1000,
            answer.ts - redirected if answer else 0,
        )
        send_start = base + timing.sendStart * 1000
    else:
        queueing = waiting = 0.0
        download_start = send_start = start
        download = end - answer.ts if answer else 0.0
        stalled = answer.ts - start if answer else 0.0
    return Request(
        id=id_,
        url=last.url,
        ts=start,
        dur=end - start,
        finish=finish,
        queueing=queueing,
        stalled=stalled,
        waiting=waiting,
        download=download,
        download_start=download_start,
        send_start=send_start,
        redirects=tuple(event.args.data.url for event in sent[:-1]),
        redirect_time=redirected - start,
        render_blocking=blocking,
        frame=last.frame,
        type=last.resourceType or "Other",
        method=last.requestMethod,
        initial_priority=last.priority,
        priority=priority.args.data.priority if priority else last.priority,
        fetch_priority=last.fetchPriorityHint,
        status=int(answered.statusCode),
        mime=answered.mimeType,
        protocol=answered.protocol,
        encoded=done.encodedDataLength,
        decoded=done.decodedBodyLength,
        is_preload=last.isLinkPreload,
        from_cache=answered.fromCache,
        from_memory=from_memory,
        from_service_worker=answered.fromServiceWorker,
        failed=done.didFail,
        initiator=last.initiator or Initiator(),
        stack=tuple(last.stackTrace or ()),
        headers=answered.headers,
        timing=timing,
    )


def _first_positive(*values: float) -> float:
    return next((value for value in values if value > 0), 0.0)
