"""The largest paint and the longest interaction, part by part; how early the paint's image was found."""

from __future__ import annotations

from pagelens.analysis.trace.insights.base import Insight, View

__all__ = ["inp_breakdown", "lcp_breakdown", "lcp_discovery"]

#: Up to these, Chrome rates the metrics as good. Microseconds.
GOOD_LCP = 2_500_000
GOOD_INP = 200_000


def lcp_breakdown(view: View) -> Insight:
    lcp = view.lcp
    if lcp is None or not lcp.parts:
        return Insight("LCPBreakdown", "pass")
    figures = {
        "lcpMs": lcp.time / 1000,
        "element": lcp.element,
        "nodeId": lcp.node_id,
        "request": lcp.request.url if lcp.request else None,
        "parts": {name: part / 1000 for name, part in lcp.parts.items()},
    }
    return Insight("LCPBreakdown", "informative" if lcp.time <= GOOD_LCP else "fail", figures)


def lcp_discovery(view: View) -> Insight:
    lcp, document = view.lcp, view.document
    if lcp is None or lcp.request is None or document is None:
        return Insight("LCPDiscovery", "pass")
    request = lcp.request
    by_document = request.initiator.type == "parser" and request.initiator.url == document.url
    checks = {
        "priorityHinted": request.fetch_priority == "high",
        "requestDiscoverable": request.is_preload or by_document,
        "eagerlyLoaded": not lcp.is_lazy or request.is_preload,
    }
    figures = {"request": request.url, "checks": checks}
    return Insight("LCPDiscovery", "pass" if all(checks.values()) else "fail", figures)


def inp_breakdown(view: View) -> Insight:
    if not view.interactions:
        return Insight("INPBreakdown", "pass")
    worst = view.interactions[0]
    figures: dict[str, object] = {
        "inpMs": worst.dur / 1000,
        "type": worst.type,
        "nodeId": worst.node_id,
        "parts": {name: part / 1000 for name, part in worst.parts.items()},
    }
    if view.calls is not None and view.main_thread == worst.thread:
        # What ran before the handlers may be what the user waited for.
        behind = view.calls.totals(worst.ts, worst.processing_end).behind()
        # The function that most was spent in, and the handler that all was spent under.
        for key, function in (("function", behind.function), ("handler", behind.entry)) if behind else ():
            if function is not None:
                figures[key] = {
                    "name": function.name,
                    "url": function.url,
                    "line": function.line,
                    "column": function.column,
                    "ownMs": function.own_ms,
                    "totalMs": function.total_ms,
                }
    return Insight("INPBreakdown", "informative" if worst.dur <= GOOD_INP else "fail", figures)
