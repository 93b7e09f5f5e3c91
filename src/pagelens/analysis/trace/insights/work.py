"""What the main thread had to do: large updates, forced reflow, costly selectors."""

from __future__ import annotations

from pagelens.analysis.trace.insights.base import Insight, View
from pagelens.analysis.trace.recording import LARGE_UPDATE

__all__ = ["dom_size", "forced_reflow", "slow_css_selector"]

#: An update is large from so many objects or elements on.
_MANY_DIRTY, _MANY_ELEMENTS = 100, 300
#: Forced layout and style in one task that makes an insight; a selector that does. Microseconds.
_MUCH_REFLOW = 30_000
_SLOW_SELECTOR = 500

_MOST_ROWS = 20
_REFLOW = frozenset({"Layout", "UpdateLayoutTree"})


def dom_size(view: View) -> Insight:
    layouts, recalcs, largest = [], [], None
    for event in view.of("Layout"):
        begin = event.args.beginData
        if (
            _here(view, event.pid, event.tid)
            and event.dur >= LARGE_UPDATE
            and begin
            and begin.dirtyObjects > _MANY_DIRTY
        ):
            layouts.append(
                {"kind": "layout", "ms": event.dur / 1000, "of": begin.totalObjects, "n": begin.dirtyObjects}
            )
    for event in view.of("UpdateLayoutTree"):
        count = event.args.elementCount
        if _here(view, event.pid, event.tid) and event.dur >= LARGE_UPDATE and count > _MANY_ELEMENTS:
            recalcs.append({"kind": "style", "ms": event.dur / 1000, "of": count, "n": count})
    for event in view.recording.of("DOMStats"):
        data = event.args.data
        if data.frame == view.frames.main and view.spans(event.ts, 0.5):
            if view.navigation is not None and event.pid != view.navigation.pid:
                continue
            if largest is None or data.totalElements > largest.totalElements:
                largest = data
    figures: dict[str, object] = {
        "layouts": len(layouts),
        "recalcs": len(recalcs),
        "updates": sorted([*layouts, *recalcs], key=lambda row: -float(str(row["ms"])))[:_MOST_ROWS],
    }
    if largest is not None:
        figures["elements"] = largest.totalElements
        if largest.maxDepth is not None:
            figures["depth"] = {"value": largest.maxDepth.depth, "node": largest.maxDepth.nodeName}
        if largest.maxChildren is not None:
            figures["children"] = {"value": largest.maxChildren.numChildren, "node": largest.maxChildren.nodeName}
    return Insight("DOMSize", "informative" if layouts or recalcs else "pass", figures)


def _here(view: View, pid: int, tid: int) -> bool:
    if view.navigation is not None:
        # The thread is what DevTools compares: a process that follows may have another id.
        return tid == view.navigation.tid
    return view.main_thread == (pid, tid)


def forced_reflow(view: View) -> Insight:
    if view.main_thread is None or view.calls is None:
        return Insight("ForcedReflow", "pass")
    total, events = 0.0, 0
    by_place: dict[tuple[str, str, int, int], float] = {}
    outermost: dict[tuple[str, str, int, int], float] = {}
    for task in view.calls.forced(_REFLOW, view.begin, view.end):
        if sum(one.dur for one in task) < _MUCH_REFLOW:
            continue
        for ts, dur, function, entry in task:
            if not view.spans(ts, dur):
                continue
            total += dur
            events += 1
            called = view.recording.calls.get((*view.main_thread, entry)) if entry is not None else None
            place = ("", "", 0, 0)
            if called is not None:
                place = (called.functionName, called.url, called.lineNumber, called.columnNumber)
                outermost[place] = outermost.get(place, 0.0) + dur
            if function is not None:
                place = (function.name, function.url, function.line, function.column)
            by_place[place] = by_place.get(place, 0.0) + dur
    if not events:
        return Insight("ForcedReflow", "pass", {"totalMs": 0, "events": 0})
    figures = {
        "totalMs": total / 1000,
        "events": events,
        "function": next(iter(_places(outermost)), None),
        "places": _places(by_place)[:_MOST_ROWS],
    }
    return Insight("ForcedReflow", "fail", figures)


def _places(times: dict[tuple[str, str, int, int], float]) -> list[dict[str, object]]:
    return [
        {"name": name or "(anonymous)", "url": url, "line": max(line, 0), "column": max(column, 0), "ms": time / 1000}
        for (name, url, line, column), time in sorted(times.items(), key=lambda row: -row[1])
    ]


def slow_css_selector(view: View) -> Insight:
    """Only traces that were recorded with selector statistics know."""
    times: dict[tuple[str, str], list[float]] = {}
    events = view.of("SelectorStats")
    for event in events:
        for timing in event.args.selector_stats.selector_timings:
            row = times.setdefault((timing.selector, timing.style_sheet_id), [0.0, 0.0, 0.0])
            row[0] += timing.elapsed
            row[1] += timing.match_attempts
            row[2] += timing.match_count
    rows = [
        {"selector": selector, "styleSheet": sheet, "ms": row[0] / 1000, "attempts": row[1], "matches": row[2]}
        for (selector, sheet), row in sorted(times.items(), key=lambda item: -item[1][0])
    ]
    slow = any(row[0] >= _SLOW_SELECTOR for row in times.values())
    figures = {"recorded": bool(events), "selectors": rows[:_MOST_ROWS]}
    return Insight("SlowCSSSelector", "informative" if slow else "pass", figures)
