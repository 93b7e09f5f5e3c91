"""The document itself: how fast it came, its character set, its viewport."""

from __future__ import annotations

import re

from pagelens.analysis.trace.insights.base import Insight, View, rounded
from pagelens.analysis.trace.network import Request

__all__ = ["character_set", "document_latency", "viewport"]

#: Milliseconds: a server that takes longer is slow; what a fast one takes.
SLOW_SERVER = 600
FAST_SERVER = 100
#: Compression that would gain fewer bytes is not asked for.
LEAST_GAIN = 1_400

_ENCODINGS = frozenset({"gzip", "br", "deflate", "zstd"})
_ENCODING_HEADERS = ("content-encoding", "x-content-encoding-over-network", "x-original-content-encoding")
#: The part that compression takes away, by type.
_GAINS = {
    "text/css": 0.8,
    "text/html": 0.67,
    "text/javascript": 0.67,
    **dict.fromkeys(
        (
            "text/plain",
            "text/xml",
            "application/json",
            "application/javascript",
            "application/xhtml+xml",
            "application/xml",
            "image/svg+xml",
        ),
        0.5,
    ),
}
_CHARSET = re.compile(r"charset\s*=\s*[a-zA-Z0-9\-_:.()]{2,}", re.IGNORECASE)
#: Milliseconds: an input delay from here on, of an interaction from here on, may be the wait for a double tap.
_TAP_DELAY, _SLOW_TAP, _MOST_TAP = 50, 200, 300


def document_latency(view: View) -> Insight:
    document = view.document
    if document is None or document.timing is None:
        return Insight("DocumentLatency", "pass")
    timing = document.timing
    begun = timing.receiveHeadersEnd if timing.receiveHeadersStart is None else timing.receiveHeadersStart
    response = rounded(begun - timing.sendEnd)
    redirect = rounded(document.redirect_time / 1000)
    gain = 0 if _is_compressed(document) else rounded(document.decoded * _GAINS.get(document.mime, 0))
    gain = gain if gain >= LEAST_GAIN else 0
    slow = response > SLOW_SERVER
    saved = (max(response - FAST_SERVER, 0) if slow else 0) + redirect
    figures = {
        "serverResponseMs": response,
        "redirectMs": redirect,
        "redirects": list(document.redirects),
        "uncompressedBytes": gain,
    }
    failed = slow or redirect != 0 or gain != 0
    return Insight(
        "DocumentLatency", "fail" if failed else "pass", figures, {"FCP": saved, "LCP": saved}, wasted_bytes=gain
    )


def _is_compressed(request: Request) -> bool:
    return any(
        header.name.lower() in _ENCODING_HEADERS and header.value in _ENCODINGS for header in request.headers or ()
    )


def character_set(view: View) -> Insight:
    document = view.document
    if document is None or document.timing is None:
        return Insight("CharacterSet", "pass")
    in_header = bool(_CHARSET.search(document.header("content-type") or ""))
    checked = [
        event.args.data.disposition
        for event in view.recording.of("MetaCharsetCheck")
        if event.args.data is not None
        and event.args.data.frame == view.frames.main
        and view.frames.navigation_at(event.ts) is view.navigation
    ]
    where = checked[-1] if checked else None
    declared = in_header or where == "found-in-first-1024-bytes"
    return Insight("CharacterSet", "pass" if declared else "fail", {"httpCharset": in_header, "metaCharset": where})


def viewport(view: View) -> Insight:
    main = view.frames.main
    tag = next((event for event in view.of("ParseMetaViewport") if event.args.data.frame == main), None)
    commits = [
        event
        for event in view.of("BeginCommitCompositorFrame")
        if event.args.frame == main and not (tag is not None and event.ts < tag.ts)
    ]
    optimized = all(event.args.is_mobile_optimized for event in commits)
    figures = {"mobileOptimized": optimized if commits else None, "content": tag.args.data.content if tag else None}
    if optimized:
        return Insight("Viewport", "pass", figures)
    delays = [
        one.parts["inputDelay"] / 1000
        for one in view.interactions
        if one.is_pointer and one.dur / 1000 > _SLOW_TAP and one.parts["inputDelay"] / 1000 >= _TAP_DELAY
    ]
    return Insight("Viewport", "fail", figures, {"INP": rounded(min(max(delays, default=0), _MOST_TAP))})
