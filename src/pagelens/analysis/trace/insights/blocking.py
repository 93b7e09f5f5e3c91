"""Requests that held up the first paint, and chains of requests that had to wait for one another."""

from __future__ import annotations

from pagelens.analysis.trace.insights.base import Insight, View, origin_of, rounded
from pagelens.analysis.trace.network import Request

__all__ = ["network_dependency_tree", "render_blocking"]

_IMPORTANT = frozenset({"VeryHigh", "High", "Medium"})
_NOT_CRITICAL = frozenset({"Image", "XHR", "Fetch", "EventSource"})
#: More preconnected origins than this take time from one another.
_MANY_PRECONNECTS = 4
#: Chrome keeps an unused connection so long; an estimate below the second is not worth a hint.
_PRECONNECT_WINDOW, _WORTH_IT, _MOST_HINTS = 15_000_000, 50_000, 4


def render_blocking(view: View) -> Insight:
    navigation, first_paint = view.navigation, view.paints.first
    if navigation is None or first_paint is None:
        return Insight("RenderBlocking", "pass")
    found = [
        request
        for request in view.all_requests
        if request.frame == view.frames.main
        and request.is_blocking
        and request.finish <= first_paint.ts
        and _blocks(request)
        and view.frames.navigation_at(request.ts) is navigation
    ]
    if not found:
        return Insight("RenderBlocking", "pass", {"requests": []})
    found.sort(key=lambda request: -request.dur)
    rows = [{"url": request.url, "id": request.id, "ms": request.dur / 1000} for request in found]
    saved = rounded(_waited(view, found) / 1000)
    is_text = view.lcp is not None and view.lcp.request is None
    savings = {"FCP": saved, "LCP": saved if is_text else 0}
    return Insight("RenderBlocking", "fail", {"requests": rows}, savings, basis="estimate")


def _blocks(request: Request) -> bool:
    if request.render_blocking != "in_body_parser_blocking":
        return True
    return request.priority == "VeryHigh" or (request.type == "Script" and request.priority == "High")


def _waited(view: View, requests: list[Request]) -> float:
    """The time, once the document was there, in which requests were under way that the first paint waited for."""
    covered = view.document.finish if view.document else view.begin
    waited = 0.0
    for request in sorted(requests, key=lambda request: request.ts):
        waited += max(0.0, request.finish - max(request.ts, covered))
        covered = max(covered, request.finish)
    return waited


def network_dependency_tree(view: View) -> Insight:
    document = view.document
    if document is None:
        return Insight("NetworkDependencyTree", "pass")
    requests = [request for request in view.all_requests if view.begin <= request.ts < view.end]
    by_url: dict[str, list[Request]] = {}
    for request in requests:
        by_url.setdefault(request.url, []).append(request)
    longest: list[Request] = []
    latency = 0.0
    members: set[str] = set()
    lengths: list[int] = []
    for request in requests:
        chain = _chain(view, document, request, by_url)
        if chain is None:
            continue
        members.add(request.id)
        lengths.append(len(chain))
        if request.end - chain[-1].ts > latency:
            latency, longest = request.end - chain[-1].ts, chain
    # DevTools sees each hop of a redirected document as a link of the chain.
    failed = bool(document.redirects) or any(length >= 2 for length in lengths)
    figures = {
        "maxLatencyMs": latency / 1000,
        "requests": len(members),
        "longestChain": [
            {"url": one.url, "id": one.id, "endMs": (one.end - document.ts) / 1000} for one in reversed(longest)
        ],
        **_preconnects(view, document),
    }
    return Insight("NetworkDependencyTree", "fail" if failed else "pass", figures)


def _chain(view: View, document: Request, request: Request, by_url: dict[str, list[Request]]) -> list[Request] | None:
    """The requests from one up to the document; None when not all of them are critical."""
    chain = [request]
    while True:
        last = chain[-1]
        if not _is_critical(view, document, last):
            return None
        if last is document:
            return chain
        parent = _parent(document, last, by_url)
        if parent in chain:
            return chain
        chain.append(parent)


def _is_critical(view: View, document: Request, request: Request) -> bool:
    if request is document:
        return True
    if request.is_preload or request.type in _NOT_CRITICAL or request.mime.startswith("image/"):
        return False
    if request.type == "Document" and request.frame != view.frames.main:
        return False
    if not request.initiator.url and not (request.stack and request.stack[0].url):
        return False
    return request.priority in _IMPORTANT or request.is_blocking


def _parent(document: Request, request: Request, by_url: dict[str, list[Request]]) -> Request:
    urls = [request.initiator.url] if request.initiator.url else []
    if request.initiator.type == "script" or not urls:
        urls = [frame.url for frame in request.stack if frame.url] or urls
    earlier = [one for one in by_url.get(urls[0], ()) if one.ts <= request.ts and one is not request] if urls else []
    return earlier[0] if len(earlier) == 1 else document


def _preconnects(view: View, document: Request) -> dict[str, object]:
    used = {origin_of(request.url) for request in view.requests}
    hinted = {
        origin_of(event.args.data.url)
        for event in view.of("LinkPreconnect")
        if event.args.data.frame == view.frames.main
    }
    candidates: dict[str, float] = {}
    for request in view.requests:
        timing, origin = request.timing, origin_of(request.url)
        if timing is None or timing.connectStart < 0 or origin == origin_of(document.url) or origin in hinted:
            continue
        if request.ts - document.finish > _PRECONNECT_WINDOW or not (request.is_blocking or _is_lcp(view, request)):
            continue
        begun = timing.dnsStart if timing.dnsStart >= 0 else timing.connectStart
        saved = min((timing.connectEnd - begun) * 1000, request.ts - document.finish)
        if saved >= _WORTH_IT:
            candidates[origin] = max(candidates.get(origin, 0.0), saved)
    best = sorted(candidates.items(), key=lambda row: -row[1])[:_MOST_HINTS]
    return {
        "preconnected": [{"origin": origin, "unused": origin not in used} for origin in sorted(hinted)],
        "tooManyPreconnects": len(hinted) > _MANY_PRECONNECTS,
        "preconnectCandidates": [{"origin": origin, "ms": saved / 1000} for origin, saved in best],
    }


def _is_lcp(view: View, request: Request) -> bool:
    return view.lcp is not None and view.lcp.request is request
