"""First and largest paints of each navigation, and the time to the first byte."""

from __future__ import annotations

from dataclasses import dataclass

from pagelens.analysis.trace.frames import Frames, Navigation
from pagelens.analysis.trace.network import Request
from pagelens.analysis.trace.recording import Event, Recording
from pagelens.analysis.trace.schema import PaintData

__all__ = ["Lcp", "Paints", "find_paints", "lcp_of"]


@dataclass(slots=True)
class Paints:
    """The paints of one navigation."""

    first: Event | None = None
    contentful: Event | None = None
    largest: Event | None = None


@dataclass(frozen=True, slots=True)
class Lcp:
    """The largest contentful paint and its parts; microseconds since the navigation began.

    Attributes:
        ts: of the paint, on Chrome's clock.
        time: since the navigation began.
        element: as Chrome names it, e.g. ``IMG id='hero'``.
        node_id: its backend node id.
        request: of its image; None for text, and for images that needed none.
        parts: ``ttfb``, ``loadDelay``, ``loadDuration``, ``renderDelay``; empty when the document's times are unknown.
    """

    ts: float
    time: float
    element: str
    node_id: int
    is_lazy: bool
    request: Request | None
    parts: dict[str, float]


def find_paints(recording: Recording, frames: Frames) -> dict[str, Paints]:
    """The paints by navigation."""
    found: dict[str, Paints] = {}
    for event in recording.of("firstPaint", "firstContentfulPaint", "largestContentfulPaint::Candidate"):
        data = event.args.data
        if data.navigationId not in frames.by_id or event.pid not in frames.processes.get(event.args.frame, ()):
            continue
        paints = found.setdefault(data.navigationId, Paints())
        if event.name == "firstPaint":
            paints.first = event
        elif event.name == "firstContentfulPaint":
            paints.contentful = event
        elif paints.largest is None or paints.largest.args.data.candidateIndex < data.candidateIndex:
            paints.largest = event
    return found


def lcp_of(
    navigation: Navigation, paints: Paints, document: Request | None, requests: list[Request], recording: Recording
) -> Lcp | None:
    """The largest contentful paint of a navigation; None when it has none."""
    event = paints.largest
    if event is None:
        return None
    data: PaintData = event.args.data
    request = _image(navigation, event, requests, recording) if document and document.timing else None
    parts: dict[str, float] = {}
    first_byte = document.first_byte if document else None
    if first_byte is not None:
        parts["ttfb"] = first_byte - navigation.ts
        if request is not None:
            parts["loadDelay"] = request.ts - first_byte
            parts["loadDuration"] = request.finish - request.ts
            parts["renderDelay"] = event.ts - request.finish
        else:
            parts["renderDelay"] = event.ts - first_byte
    return Lcp(
        event.ts, event.ts - navigation.ts, data.nodeName, data.nodeId, data.loadingAttr == "lazy", request, parts
    )


def _image(navigation: Navigation, event: Event, requests: list[Request], recording: Recording) -> Request | None:
    painted = None
    for candidate in recording.of("LargestImagePaint::Candidate"):
        image = candidate.args.data
        if image is not None and candidate.pid == event.pid and image.DOMNodeId == event.args.data.nodeId:
            painted = candidate
    if painted is None:
        return None
    url = painted.args.data.imageUrl
    for request in requests:
        if navigation.ts <= request.ts < painted.ts and (request.url == url or url in request.redirects):
            return request
    return None
