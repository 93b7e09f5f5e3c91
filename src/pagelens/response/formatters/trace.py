"""Performance traces in words and in JSON: the summary, one insight, and lists of what happened."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NotRequired, TypedDict

from pagelens.analysis.trace.ratings import RATINGS, rating
from pagelens.core.safe_text import one_line, shortened
from pagelens.response.formatters.trace_insights import by_urgency, gain_text, headline, insight_lines, shifts_of
from pagelens.response.formatters.trace_words import TraceWords, ms, nodes_in, places_in, size_text

if TYPE_CHECKING:
    from pagelens.analysis.trace import FunctionTime, Insight, PageLoad
    from pagelens.collectors.source_mapper import Place
    from pagelens.context.tracing import PageTrace
    from pagelens.response.listing import Row

__all__ = [
    "SHOWS",
    "Rows",
    "TraceInsightJson",
    "TraceSummaryJson",
    "asked_nodes",
    "asked_places",
    "insight_json",
    "insight_text",
    "rows_of",
    "summary_json",
    "summary_lines",
]

#: What `rows_of` can show.
SHOWS = ("functions", "activities", "longTasks", "requests", "shifts", "interactions")
#: Insights that the summary tells in a line each; navigations that are told beside the last one.
FIXES = 8
MAX_LOADS = 5
_URL = 200
#: A buffer that is fuller than this may have been full.
_NEARLY_FULL = 0.9


class MetricsJson(TypedDict):
    """The metrics of a navigation, milliseconds; None for what there is not. `id` is what ``insightSetId`` takes."""

    id: str
    url: str
    fcp_ms: float | None
    lcp_ms: float | None
    cls: float
    inp_ms: float | None
    ttfb_ms: float | None
    tbt_ms: float | None
    ratings: dict[str, str]
    insights: dict[str, str]


class TraceSummaryJson(TypedDict):
    """A trace. `fixes` are names of insights of the last navigation, what may gain most first; `mainThread` is its
    milliseconds by kind of work; `cold` and the rest are missing where they are not known."""

    navigations: list[MetricsJson]
    fixes: list[str]
    mainThread: dict[str, float]
    longTasks: int
    requests: int
    transferBytes: float
    filePath: NotRequired[str]
    requestedUrl: NotRequired[str]
    cold: NotRequired[bool]
    quiet: NotRequired[bool]
    seconds: NotRequired[float]
    cpuThrottlingRate: NotRequired[float]
    networkConditions: NotRequired[str]
    dataLoss: NotRequired[bool]


class TraceInsightJson(TypedDict):
    """An insight. `figures` are those of `pagelens.analysis.trace`, with `uid`, `reqid` and `original` beside what they
    name; `basis` is ``observed`` or ``estimate``."""

    insightSetId: str
    insightName: str
    state: str
    figures: dict[str, Any]
    savings: dict[str, int]
    basis: str
    wastedBytes: NotRequired[float]


# -- the summary ---------------------------------------------------------------------------------------


def asked_nodes(load: PageLoad, insights: Sequence[Insight]) -> list[int]:
    """Chrome's numbers of the elements that these insights, and the metrics, speak of."""
    found = [node for insight in insights for node in nodes_in(insight.figures)]
    found += [
        shift_node.node_id
        for window in load.windows
        for event in window.shifts[:5]
        for shift_node in event.args.data.impacted_nodes
    ]
    found += [one.node_id for one in load.interactions[:10]]
    return ([load.lcp.node_id] if load.lcp is not None else []) + found


def asked_places(load: PageLoad, insights: Sequence[Insight]) -> list[Place]:
    """The places in scripts that these insights, and the summary, speak of."""
    found = [place for insight in insights for place in places_in(insight.figures)]
    return found + [(row.url, row.line, row.column) for row in load.functions()[:1] if row.line]


def summary_lines(trace: PageTrace, load: PageLoad, words: TraceWords) -> list[str]:
    """What a trace shows at first: metrics, what to mend first, where the time went, how to ask for more."""
    lines = [_what(trace, load), *_notes(trace), *_metrics(load, words)]
    urgent = by_urgency(load)
    told = [insight for insight in urgent if insight.state == "fail"][:FIXES]
    fixes = []
    for insight in told:
        gain = gain_text(insight)
        fixes.append(f"{insight.name}: {headline(insight, words)}" + (f". May save {gain}" if gain else ""))
    if blocked := _blocked(load, words):
        # No insight of DevTools' speaks of them.
        fixes.insert(0 if rating("tbt_ms", load.tbt_ms or 0) == "poor" else len(fixes), blocked)
    if fixes:
        lines.append("Mend first (~ is an estimate):")
        lines += [f"{at}. {fix}" for at, fix in enumerate(fixes, 1)]
    others = [insight.name for insight in urgent if insight not in told]
    if others:
        lines.append(f"{'Also look at' if fixes else 'Nothing fails; to look at'}: {', '.join(others)}")
    elif not fixes:
        lines.append("Nothing is to be mended.")
    lines += _time(load, words)
    lines += _other_loads(trace, load)
    lines.append(
        "More: performance_analyze_insight with insightSetId and insightName; performance_query shows functions, "
        "activities, longTasks, requests, shifts, interactions."
    )
    return lines


def summary_json(trace: PageTrace, load: PageLoad) -> TraceSummaryJson:
    """The same as data."""
    found = trace.conditions
    data: TraceSummaryJson = {
        "navigations": [_metrics_json(one) for one in trace.trace.navigations],
        "fixes": [insight.name for insight in by_urgency(load)],
        "mainThread": {kind: round(time, 1) for kind, time in _kinds(load)},
        "longTasks": len(load.long_tasks),
        "requests": len(load.requests),
        "transferBytes": sum(request.encoded for request in load.requests),
    }
    if trace.path is not None:
        data["filePath"] = one_line(str(trace.path))
    if trace.page_id is not None:
        if found.asked_url:
            data["requestedUrl"] = one_line(found.asked_url)
        if found.cold is not None:
            data["cold"] = found.cold
        if found.is_quiet is not None:
            data["quiet"] = found.is_quiet
        data["seconds"] = round(found.seconds, 3)
        data["cpuThrottlingRate"] = found.cpu_rate
        if found.network is not None:
            data["networkConditions"] = found.network
        data["dataLoss"] = found.data_loss
    return data


def _what(trace: PageTrace, load: PageLoad) -> str:
    found = trace.conditions
    url = shortened(one_line(load.url), _URL)
    said = [f"insightSetId {load.id}: {url}"]
    if found.asked_url and found.asked_url.partition("#")[0] != load.url.partition("#")[0]:
        said.append(f"asked for as {shortened(one_line(found.asked_url), _URL)}")
    if found.cold is not None:
        said.append("cold cache" if found.cold else "warm cache")
    if found.cpu_rate != 1:
        said.append(f"CPU {found.cpu_rate:g}x slower")
    if found.network is not None:
        said.append(f"network {found.network}")
    seconds = found.seconds or (trace.trace.end - trace.trace.begin) / 1e6
    said.append(f"{seconds:.1f} s recorded")
    return ", ".join(said)


def _notes(trace: PageTrace) -> list[str]:
    found = trace.conditions
    lines = []
    if found.note:
        lines.append(found.note)
    if found.is_quiet is False:
        lines.append("The page did not come to rest in time: what it did later is not in the trace.")
    if found.data_loss:
        lines.append("Chrome's memory for the trace was full: the end is missing. Record a shorter time.")
    if trace.trace.skipped_count:
        lines.append(f"{trace.trace.skipped_count:,} events of the trace are damaged and were left out.")
    return lines


_PARTS = ("ttfb", "loadDelay", "loadDuration", "renderDelay", "inputDelay", "processing", "presentation")


def _parts(parts: dict[str, float]) -> str:
    return ", ".join(f"{name} {parts[name] / 1000:,.0f}" for name in _PARTS if name in parts)


def _metrics(load: PageLoad, words: TraceWords) -> list[str]:
    lines = []
    if load.lcp_ms is not None and load.lcp is not None:
        request = load.lcp.request
        named = words.node(load.lcp.node_id, load.lcp.element)
        named += f", {words.request(request.url, request.id)}" if request is not None else ""
        parts = _parts(load.lcp.parts)
        lines.append(f"{_metric('lcp_ms', load)} ({named}{f'; {parts} ms' if parts else ''})")
    if load.inp_ms is not None:
        worst = load.interactions[0]
        on = words.node(worst.node_id)
        lines.append(f"{_metric('inp_ms', load)} ({worst.type}{f' on {on}' if on else ''}; {_parts(worst.parts)} ms)")
    rest = [_metric(name, load) for name in ("fcp_ms", "ttfb_ms", "tbt_ms", "cls") if getattr(load, name) is not None]
    return [*lines, "; ".join(rest)]


def _metric(name: str, load: PageLoad) -> str:
    value = getattr(load, name)
    shown = f"{value:.3f}".rstrip("0").rstrip(".") if name == "cls" else ms(value)
    return f"{name.removesuffix('_ms').upper()} {shown} {rating(name, value)}"


def _kinds(load: PageLoad) -> list[tuple[str, float]]:
    """Milliseconds of the main thread by kind of work, the most first."""
    kinds: dict[str, float] = {}
    for row in load.activities():
        kinds[row.kind] = kinds.get(row.kind, 0.0) + row.own_ms
    return sorted(kinds.items(), key=lambda item: -item[1])


def _blocked(load: PageLoad, words: TraceWords) -> str:
    """What long tasks did to the page; empty when that is in order."""
    if load.tbt_ms is None or rating("tbt_ms", load.tbt_ms) == "good":
        return ""
    return f"Long tasks: {_long(load)}, hold up the page for {ms(load.tbt_ms)} in all{_most(load, words)}"


def _long(load: PageLoad) -> str:
    longest = max(load.long_tasks, key=lambda task: task.dur)
    count = len(load.long_tasks)
    return (
        f"{count:,} task{'s' if count > 1 else ''} over 50 ms, the longest {ms(longest.dur / 1000)} at "
        f"{ms((longest.ts - load.begin) / 1000)}"
    )


def _most(load: PageLoad, words: TraceWords) -> str:
    top = next((row for row in load.functions() if row.own_ms >= 5), None)
    return f"; most in {_function(top, words)}, {ms(top.own_ms)}" if top is not None else ""


def _time(load: PageLoad, words: TraceWords) -> list[str]:
    kinds = _kinds(load)
    lines = []
    if kinds:
        said = f"Main thread {ms(sum(time for _, time in kinds))}: "
        said += ", ".join(f"{kind} {time:,.0f}" for kind, time in kinds)
        if not _blocked(load, words):  # else it was said above
            said += (f"; {_long(load)}" if load.long_tasks else "") + _most(load, words)
        lines.append(said)
    if load.requests:
        size = sum(request.encoded for request in load.requests)
        slowest = max(load.requests, key=lambda request: request.dur)
        cached = sum(request.from_cache or request.from_memory for request in load.requests)
        lines.append(
            f"Network: {len(load.requests):,} request{'s' if len(load.requests) > 1 else ''}, {size_text(size)}"
            + (f", {cached:,} from the cache" if cached else "")
            + f"; the longest {words.request(slowest.url, slowest.id)}, {ms(slowest.dur / 1000)}"
        )
    return lines


def _other_loads(trace: PageTrace, load: PageLoad) -> list[str]:
    others = [one for one in trace.trace.navigations if one is not load]
    lines = []
    for one in others[-MAX_LOADS:]:
        known = [_metric(name, one) for name in ("lcp_ms", "inp_ms", "cls") if getattr(one, name) is not None]
        lines.append(f"insightSetId {one.id}: {shortened(one_line(one.url), 100)}: {'; '.join(known)}")
    if len(others) > MAX_LOADS:
        lines.insert(0, f"{len(others) - MAX_LOADS} earlier navigations are not shown; their ids are like those below.")
    return lines


def _metrics_json(load: PageLoad) -> MetricsJson:
    return {
        "id": load.id,
        "url": one_line(load.url),
        "fcp_ms": load.fcp_ms,
        "lcp_ms": load.lcp_ms,
        "cls": load.cls,
        "inp_ms": load.inp_ms,
        "ttfb_ms": load.ttfb_ms,
        "tbt_ms": load.tbt_ms,
        "ratings": {name: rating(name, value) for name in RATINGS if (value := getattr(load, name)) is not None},
        "insights": {name: insight.state for name, insight in load.insights.items()},
    }


# -- one insight ---------------------------------------------------------------------------------------


def insight_text(load: PageLoad, insight: Insight, words: TraceWords) -> list[str]:
    """All there is to say of an insight."""
    return [
        f"{insight.name} of {load.id}, {shortened(one_line(load.url), _URL)}: {insight.state}",
        *insight_lines(insight, words),
    ]


def insight_json(load: PageLoad, insight: Insight, words: TraceWords) -> TraceInsightJson:
    """The same as data."""
    data: TraceInsightJson = {
        "insightSetId": load.id,
        "insightName": insight.name,
        "state": insight.state,
        "figures": words.ids(insight.figures),
        "savings": dict(insight.savings),
        "basis": insight.basis,
    }
    if insight.wasted_bytes is not None:
        data["wastedBytes"] = round(insight.wasted_bytes)
    return data


# -- lists ---------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Rows:
    """What happened, as rows.

    Attributes:
        key: its key in JSON.
        title: what it is.
        items: the rows, in their order.
        row: an item as data. Names are looked up when it is shown.
        places: what is to be looked up in source maps for an item.
        nodes: what is to be looked up in the page.
    """

    key: str
    title: str
    items: list[Any]
    row: Callable[[Any, TraceWords], Row]
    places: Callable[[Any], list[Place]] = lambda item: []
    nodes: Callable[[Any], list[int]] = lambda item: []


def rows_of(load: PageLoad, show: str, begin_ms: float | None = None, end_ms: float | None = None) -> Rows:
    """A list of what happened in a navigation, or in a part of it.

    Args:
        show: one of `SHOWS`.
        begin_ms, end_ms: milliseconds since the navigation began.
    """
    begin = load.begin if begin_ms is None else load.begin + begin_ms * 1000
    end = load.end if end_ms is None else load.begin + end_ms * 1000
    return _SHOWN[show](load, begin, end)


def _at(load: PageLoad, ts: float) -> float:
    return round((ts - load.begin) / 1000, 1)


def _functions(load: PageLoad, begin: float, end: float) -> Rows:
    def row(item: Any, words: TraceWords) -> Row:
        return {
            "ownMs": round(item.own_ms, 1),
            "totalMs": round(item.total_ms, 1),
            "function": _function(item, words),
        }

    items = [item for item in load.functions(begin, end) if item.total_ms >= 0.05]
    return Rows(
        "traceFunctions", "Functions, by their own time", items, row, lambda item: [(item.url, item.line, item.column)]
    )


def _activities(load: PageLoad, begin: float, end: float) -> Rows:
    def row(item: Any, words: TraceWords) -> Row:
        return {
            "ownMs": round(item.own_ms, 1),
            "totalMs": round(item.total_ms, 1),
            "count": item.count,
            "kind": item.kind,
            "activity": one_line(item.name),
        }

    items = [item for item in load.activities(begin, end) if item.total_ms >= 0.05]
    return Rows("traceActivities", "The main thread's work, by its own time", items, row)


def _long_tasks(load: PageLoad, begin: float, end: float) -> Rows:
    def row(item: Any, words: TraceWords) -> Row:
        behind = load.behind(item.ts, item.end)
        top = behind.function if behind is not None else None
        return {
            "atMs": _at(load, item.ts),
            "ms": round(item.dur / 1000, 1),
            "mostly": f"{one_line(behind.activity)} {behind.activity_ms:,.0f} ms"
            if behind and behind.activity
            else None,
            "function": f"{_function(top, words)} {top.own_ms:,.0f} ms" if top is not None else None,
        }

    def places(item: Any) -> list[Place]:
        behind = load.behind(item.ts, item.end)
        top = behind.function if behind is not None else None
        return [(top.url, top.line, top.column)] if top is not None else []

    items = sorted(
        (task for task in load.long_tasks if task.ts <= end and begin < task.end), key=lambda task: -task.dur
    )
    return Rows("traceLongTasks", "Tasks over 50 ms, the longest first", items, row, places)


def _function(row: FunctionTime, words: TraceWords) -> str:
    return words.function({"name": row.name, "url": row.url, "line": row.line, "column": row.column})


def _requests(load: PageLoad, begin: float, end: float) -> Rows:
    def row(item: Any, words: TraceWords) -> Row:
        return {
            "reqid": words.names.reqids.get(item.id),
            "atMs": _at(load, item.ts),
            "ms": round(item.dur / 1000, 1),
            "queuedMs": round((item.queueing + item.stalled) / 1000, 1),
            "waitMs": round(item.waiting / 1000, 1),
            "downloadMs": round(item.download / 1000, 1),
            "bytes": round(item.encoded),
            "status": item.status or None,
            "type": item.type,
            "priority": item.priority or None,
            "blocking": True if item.is_blocking else None,
            "cached": True if item.from_cache or item.from_memory else None,
            "url": words.url(item.url),
        }

    items = sorted(
        (request for request in load.requests if request.ts <= end and begin < request.end),
        key=lambda request: -request.dur,
    )
    return Rows("traceRequests", "Requests, the longest first", items, row)


def _shifts(load: PageLoad, begin: float, end: float) -> Rows:
    def row(item: Any, words: TraceWords) -> Row:
        shown = shifts_of([item], words)[0]
        return {"atMs": round(shown.at_ms, 1), "score": round(shown.score, 4), "moved": ", ".join(shown.moved) or None}

    items = sorted(
        (event for window in load.windows for event in window.shifts if begin <= event.ts <= end),
        key=lambda event: -event.args.data.weighted_score_delta,
    )
    return Rows(
        "traceShifts",
        "Layout shifts, the largest first",
        items,
        row,
        nodes=lambda event: [node.node_id for node in event.args.data.impacted_nodes],
    )


def _interactions(load: PageLoad, begin: float, end: float) -> Rows:
    def row(item: Any, words: TraceWords) -> Row:
        return {
            "atMs": _at(load, item.ts),
            "ms": round(item.dur / 1000, 1),
            **{f"{name}Ms": round(time / 1000, 1) for name, time in item.parts.items()},
            "type": one_line(item.type),
            "element": words.node(item.node_id) or None,
        }

    items = [one for one in load.interactions if one.ts <= end and begin < one.end]
    return Rows("traceInteractions", "Interactions, the slowest first", items, row, nodes=lambda item: [item.node_id])


_SHOWN: dict[str, Callable[[PageLoad, float, float], Rows]] = {
    "functions": _functions,
    "activities": _activities,
    "longTasks": _long_tasks,
    "requests": _requests,
    "shifts": _shifts,
    "interactions": _interactions,
}
