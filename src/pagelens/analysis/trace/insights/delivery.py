"""How files are delivered: images, fonts, cache lifetimes, versions of HTTP."""

from __future__ import annotations

import math
import re

from pagelens.analysis.trace.insights.base import STATIC, Insight, View, host_of, origin_of, rounded
from pagelens.analysis.trace.network import Request
from pagelens.analysis.trace.schema import ImageData

__all__ = ["cache", "font_display", "image_delivery", "modern_http"]

#: Bytes: a larger GIF should be a video; less than this is no saving; for images that adapt already, less than this.
LARGE_GIF = 102_400
LEAST_SAVING = 4_096
LEAST_ADAPTIVE_SAVING = 12_288
#: Bytes of a file for each of its pixels that a modern format does not exceed.
MODERN_BYTES = 2 / 12

#: How long files stay of use, by tenths of all of them, in hours.
_LIFETIMES = (0, 0.2, 1, 3, 8, 12, 24, 48, 72, 168, 8760, math.inf)
_CERTAIN_HIT = 0.925
_LONG_TTL = 30 * 86_400
_FOREVER = 2**53
_NOT_CACHEABLE = frozenset({"must-revalidate", "no-cache", "no-store", "private"})
_LOCAL = frozenset({"blob", "data", "intent", "file", "filesystem", "chrome-extension"})
_OLD_HTTP = re.compile(r"HTTP/[01][.\d]?", re.IGNORECASE)
_INVISIBLE_TEXT = frozenset({"block", "fallback", "auto"})
_MANY_REQUESTS = 6


def image_delivery(view: View) -> Insight:
    painted: dict[str, list[ImageData]] = {}
    for event in view.of("PaintImage"):
        if event.args.data.url:
            painted.setdefault(event.args.data.url, []).append(event.args.data)
    rows, wasted = [], 0.0
    lcp_saving = 0
    scale = _scale(view)
    for request in view.requests:
        paints = painted.get(request.redirects[0] if request.redirects else request.url)
        if request.type != "Image" or request.mime == "image/svg+xml" or not paints:
            continue
        largest = paints[0]
        for paint in paints[1:]:
            if largest.width * largest.height <= paint.width * paint.height:
                largest = paint
        advice, saved = _image(request, largest, scale)
        if not any(size > LEAST_SAVING for size in advice.values()):
            continue
        wasted += saved
        rows.append(
            {
                "url": request.url,
                "id": request.id,
                "bytes": min(request.decoded, request.encoded),
                "savedBytes": saved,
                "advice": advice,
                "file": [largest.srcWidth, largest.srcHeight],
                "shown": [largest.width * scale, largest.height * scale],
            }
        )
        if view.lcp is not None and view.lcp.request is request and request.encoded:
            lcp_saving = rounded(max(request.download, 0) / 1000 * min(saved / request.encoded, 1))
    rows.sort(key=lambda row: -float(str(row["savedBytes"])))
    return Insight(
        "ImageDelivery",
        "fail" if rows else "pass",
        {"images": rows},
        {"LCP": lcp_saving} if rows else {},
        wasted_bytes=wasted,
        basis="estimate",
    )


def _scale(view: View) -> float:
    """Under an emulated screen, images are painted in pixels of the real one: what makes them the emulated one's."""
    host = view.recording.host_dpr
    screens = view.recording.of("PaintTimingVisualizer::Viewport")
    emulated = screens[0].args.data.dpr if screens else None
    return emulated / host if host and emulated else 1.0


def _image(request: Request, paint: ImageData, scale: float) -> tuple[dict[str, float], float]:
    """What would make an image smaller, each with the bytes it saves; and the bytes that all of it saves."""
    pixels = paint.srcWidth * paint.srcHeight
    if pixels <= 0:
        return {}, 0
    size = min(request.decoded, request.encoded)
    advice: dict[str, float] = {}
    by_format = 0.0
    if request.mime == "image/gif":
        if size > LARGE_GIF:
            by_format = rounded(size * (rounded(29.1 * math.log10(request.decoded) - 100.7) / 100))
            advice["video"] = by_format
    elif size / pixels > MODERN_BYTES:
        by_format = size - rounded(MODERN_BYTES * pixels)
        is_modern = request.mime in ("image/webp", "image/avif")
        advice["compression" if is_modern else "modernFormat"] = by_format
    saved = by_format
    unseen = 1 - (paint.width * paint.height * scale**2) / pixels
    if unseen > 0 and not paint.isCSS:
        by_size = rounded(unseen * size)
        if not (paint.isPicture or paint.srcsetAttribute) or by_size > LEAST_ADAPTIVE_SAVING:
            advice["responsiveSize"] = by_size
            saved += rounded(unseen * (size - by_format))
    return advice, saved


def font_display(view: View) -> Insight:
    by_id = {request.id: request for request in view.all_requests}
    names = {event.args.url: event.args.name for event in view.recording.of("RemoteFontLoaded")}
    rows = []
    for event in view.recording.of("BeginRemoteFontLoad"):
        request = by_id.get(f"{event.pid}.{event.args.id}")
        if request is None or event.args.display not in _INVISIBLE_TEXT or not view.spans(event.ts, 0.5):
            continue
        wasted = min(math.floor((request.finish - request.send_start) / 1000 / 5) * 5, 3_000)
        if wasted > 0:
            rows.append(
                {
                    "url": request.url,
                    "id": request.id,
                    "name": names.get(request.url, ""),
                    "display": event.args.display,
                    "ms": wasted,
                }
            )
    rows.sort(key=lambda row: -int(row["ms"]))
    return Insight(
        "FontDisplay", "fail" if rows else "pass", {"fonts": rows}, {"FCP": int(rows[0]["ms"])} if rows else {}
    )


def cache(view: View) -> Insight:
    rows, wasted = [], 0.0
    for request in view.requests:
        if request.headers is None or request.status not in (200, 203, 206) or request.type not in STATIC:
            continue
        if request.protocol in _LOCAL:
            continue
        ttl = _ttl(request)
        if ttl is None or ttl >= _LONG_TTL:
            continue
        hits = _hit_probability(ttl)
        if hits > _CERTAIN_HIT:
            continue
        waste = (1 - hits) * request.encoded
        wasted += waste
        rows.append({"url": request.url, "id": request.id, "ttlSeconds": ttl, "wastedBytes": waste})
    rows.sort(key=lambda row: -float(str(row["wastedBytes"])))
    return Insight("Cache", "fail" if rows else "pass", {"requests": rows}, wasted_bytes=wasted, basis="estimate")


def _ttl(request: Request) -> int | None:
    """How many seconds a file may be kept, 0 when nothing is said; None when it is meant not to be kept."""
    control = request.header("cache-control")
    if not control and "no-cache" in (request.header("pragma") or ""):
        return None
    directives: dict[str, str] = {}
    for part in (control or "").split(","):
        name, _, value = part.strip().partition("=")
        directives[name] = value
    if not _NOT_CACHEABLE.isdisjoint(directives):
        return None
    if "max-age" not in directives:
        return 0
    digits = re.match(r"[0-9]{1,15}", directives["max-age"])
    if digits is None:
        return 0
    return int(digits[0]) or None


def _hit_probability(seconds: float) -> float:
    hours = seconds / 3600
    at = next(index for index, limit in enumerate(_LIFETIMES) if limit >= hours)
    if at == len(_LIFETIMES) - 1:
        return 1
    if at == 0:
        return 0
    return (at - 1) / 10 + (hours - _LIFETIMES[at - 1]) * 0.1 / (_LIFETIMES[at] - _LIFETIMES[at - 1])


def modern_http(view: View) -> Insight:
    groups: dict[str, int] = {}
    for request in view.requests:
        host = host_of(request.url)
        if request.type in STATIC and host not in ("localhost", "127.0.0.1") and not host.endswith(".localhost"):
            groups[origin_of(request.url)] = groups.get(origin_of(request.url), 0) + 1
    found: dict[str, Request] = {}
    for request in view.requests:
        if request.from_service_worker or not _OLD_HTTP.search(request.protocol):
            continue
        if groups.get(origin_of(request.url), 0) >= _MANY_REQUESTS:
            found.setdefault(request.url, request)
    rows = [{"url": one.url, "id": one.id, "protocol": one.protocol} for one in found.values()]
    # Under HTTP/2 no request waits for a free connection.
    queued = [one.stalled for one in found.values() if view.lcp is not None and one is view.lcp.request]
    savings = {"LCP": rounded(max(queued) / 1000)} if queued else {}
    return Insight("ModernHTTP", "fail" if rows else "pass", {"requests": rows}, savings, basis="estimate")
