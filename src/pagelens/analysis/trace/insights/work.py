"""What the main thread had to do: large updates, forced reflow, costly selectors."""

from __future__ import annotations

from bisect import bisect_left
from itertools import islice

from pagelens.analysis.trace.calls import SCRIPT
from pagelens.analysis.trace.insights.base import Insight, View
from pagelens.analysis.trace.recording import LARGE_UPDATE, Slice

__all__ = ["dom_size", "forced_reflow", "slow_css_selector"]

#: An update is large from so many objects or elements on.
_MANY_DIRTY, _MANY_ELEMENTS = 100, 300
#: Forced layout and style in one task that makes an insight; a selector that does. Microseconds.
_MUCH_REFLOW = 30_000
_SLOW_SELECTOR = 500

_MOST_ROWS = 20


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
    if view.main_thread is None:
        return Insight("ForcedReflow", "pass")
    total, events = 0.0, 0
    by_place: dict[tuple[str, str, int, int], float] = {}
    outermost: dict[tuple[str, str, int, int], float] = {}
    for slice_, call in _forced(view):
        ts, dur = slice_.ts, -slice_.minus_dur
        if not view.spans(ts, dur):
            continue
        total += dur
        events += 1
        called = view.recording.calls.get((*view.main_thread, call)) if call is not None else None
        if called is not None:
            top = (called.functionName, called.url, called.lineNumber, called.columnNumber)
            outermost[top] = outermost.get(top, 0.0) + dur
        running = view.samples.function_at(ts) if view.samples is not None else None
        if running is not None and running.url:
            place = (running.functionName, running.url, running.lineNumber + 1, running.columnNumber + 1)
        elif called is not None:
            place = (called.functionName, called.url, called.lineNumber, called.columnNumber)
        else:
            place = ("", "", 0, 0)
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


def _forced(view: View) -> list[tuple[Slice, float | None]]:
    """Layout and style inside of scripts, of tasks that have much of it; each with the begin of its outermost call."""
    assert view.main_thread is not None
    found: list[tuple[Slice, float | None]] = []
    task: list[tuple[Slice, float | None]] = []
    open_: list[float] = []
    #: Of each script that runs: its end, and when the outermost call above it began.
    scripts: list[tuple[float, float | None]] = []

    def close() -> None:
        if sum(-slice_.minus_dur for slice_, _ in task) >= _MUCH_REFLOW:
            found.extend(task)
        task.clear()

    slices = view.recording.slices.get(view.main_thread, [])
    at = bisect_left(slices, (view.begin,))
    while at and slices[at - 1].name != "RunTask":
        at -= 1
    for slice_ in islice(slices, max(at - 1, 0), None):
        ts, minus_dur, name = slice_
        if ts > view.end:
            break
        while open_ and ts > open_[-1]:
            open_.pop()
        while scripts and ts > scripts[-1][0]:
            scripts.pop()
        open_.append(ts - minus_dur)
        if name in SCRIPT or name[:2] in ("v8", "V8"):
            call = scripts[-1][1] if scripts else None
            if call is None and name in ("FunctionCall", "EvaluateScript"):
                call = ts
            scripts.append((ts - minus_dur, call))
        if scripts and name in ("Layout", "UpdateLayoutTree"):
            task.append((slice_, scripts[-1][1]))
        elif len(open_) == 1:
            close()
    close()
    return found


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
