"""A trace as a page that a person can open: metrics, findings, filmstrip, waterfall, flame chart; one file, no others.

The page runs under a policy that lets it load nothing, from the disk or from the network. All that comes from the trace
is text in a block of JSON, and becomes text on the page.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import html
import json
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pagelens.analysis.trace.ratings import RATINGS, rating
from pagelens.core.safe_text import json_safe, one_line, shortened
from pagelens.errors import FileFailed

if TYPE_CHECKING:
    from pagelens.analysis.trace.insights import Insight
    from pagelens.analysis.trace.trace import PageLoad, Trace

__all__ = ["INSIGHTS", "Words", "html_report", "save_report"]

#: What is said of an insight, line by line; the first is its headline.
Words = Callable[["PageLoad", "Insight"], Sequence[str]]

_METRICS = {
    "fcp_ms": "First contentful paint",
    "lcp_ms": "Largest contentful paint",
    "cls": "Layout shifts (CLS)",
    "inp_ms": "Slowest interaction (INP)",
    "ttfb_ms": "First byte",
    "tbt_ms": "Blocked (TBT)",
}
#: What each insight is about.
INSIGHTS = {
    "INPBreakdown": "How long the slowest interaction took, part by part",
    "LCPBreakdown": "How long the largest paint took, part by part",
    "LCPDiscovery": "How early the image of the largest paint was found",
    "CLSCulprits": "What made the page jump",
    "RenderBlocking": "Requests that held up the first paint",
    "NetworkDependencyTree": "Requests that had to wait for one another",
    "ImageDelivery": "Images with more bytes than they need",
    "DocumentLatency": "How fast the document came: redirects, server, compression",
    "FontDisplay": "Text that was invisible until its font had come",
    "Viewport": "Whether the page is made for small screens",
    "DOMSize": "Layouts and styles of many elements at once",
    "ThirdParties": "What others' scripts and files cost",
    "DuplicatedJavaScript": "Modules that are in several scripts",
    "SlowCSSSelector": "Selectors that took long to match",
    "ForcedReflow": "Layouts that scripts forced",
    "Cache": "Files that could be kept longer",
    "CharacterSet": "Whether the document says its character set early",
    "ModernHTTP": "Requests by HTTP/1.1",
    "LegacyJavaScript": "Code for browsers of long ago",
}
_TEMPLATE = Path(__file__).with_name("report.html")
_PLACE = re.compile(r"\{\{(policy|title|data)\}\}")
#: What a page may hold and still be quick to look at, for each navigation.
_MOST_SPANS, _MOST_REQUESTS, _MOST_PICTURES, _MOST_ROWS = 15_000, 300, 14, 20
_MOST_TEXT = 300
#: Figures that are for programs.
_IDENTITIES = frozenset({"id", "nodeId", "styleSheet"})
_LATER_WORD = re.compile(r"(?<=[a-z])[A-Z]+")
_UNIT = re.compile(r" (?:ms|bytes|seconds)$")


def save_report(trace: Trace, path: Path, words: Words | None = None) -> int:
    """Write the report; returns its bytes.

    Raises:
        FileFailed: it can't be written.
    """
    data = html_report(trace, words)
    try:
        return path.write_bytes(data)
    except OSError as error:
        raise FileFailed(f"The report could not be written to {path}: {error.strerror or error}.") from error


def html_report(trace: Trace, words: Words | None = None) -> bytes:
    """The page.

    Args:
        words: what to say of an insight in place of its bare figures.
    """
    template = _TEMPLATE.read_text("utf-8")
    script = _between(template, "<script>", "</script>")
    style = _between(template, "<style>", "</style>")
    policy = f"default-src 'none'; img-src data:; script-src {_hashed(script)}; style-src {_hashed(style)}"
    loads = trace.navigations
    title = shortened(_text(loads[-1].url if loads else ""), 100)
    # The data end no script element, whatever is in them.
    data = json.dumps(json_safe(_data(trace, words)), separators=(",", ":"), allow_nan=False).replace("<", "\\u003c")
    values = {"policy": html.escape(policy), "title": html.escape(title), "data": data}
    # Names and texts alternate: what is put in is not searched for names again.
    parts = _PLACE.split(template)
    return "".join(values[part] if at % 2 else part for at, part in enumerate(parts)).encode("utf-8")


def _between(text: str, begin: str, end: str) -> str:
    return text.partition(begin)[2].partition(end)[0]


def _hashed(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def _text(value: str, most: int = _MOST_TEXT) -> str:
    return shortened(one_line(value), most)


# -- what is shown -------------------------------------------------------------------------------------


def _data(trace: Trace, words: Words | None) -> dict[str, Any]:
    return {
        "events": trace.event_count,
        "seconds": (trace.end - trace.begin) / 1e6,
        "loads": [_load(trace, load, words) for load in trace.navigations],
    }


def _load(trace: Trace, load: PageLoad, words: Words | None) -> dict[str, Any]:
    spans, labels = _spans(load)
    marks = [
        {"name": name.removesuffix("_ms").upper(), "at": value}
        for name in ("fcp_ms", "lcp_ms")
        if (value := getattr(load, name)) is not None
    ]
    return {
        "id": load.id,
        "url": _text(load.url),
        "ms": (load.end - load.begin) / 1000,
        "metrics": [_metric(load, name) for name in RATINGS if getattr(load, name) is not None],
        "findings": [_finding(load, insight, words) for insight in load.insights.values()],
        "pictures": _pictures(trace, load),
        "marks": marks,
        "kinds": _kinds(load),
        "functions": [
            [_text(row.name, 100), _place(row.url, row.line, row.column), row.own_ms, row.total_ms]
            for row in load.functions()[:_MOST_ROWS]
        ],
        "scripts": [[_text(row.url), row.own_ms, row.total_ms] for row in load.scripts()[:_MOST_ROWS]],
        "tasks": [_task(load, task.ts, task.end) for task in load.long_tasks[:_MOST_ROWS]],
        "taskCount": len(load.long_tasks),
        "shifts": [
            {"at": (shift.ts - load.begin) / 1000, "score": shift.args.data.weighted_score_delta}
            for window in load.windows
            for shift in window.shifts
        ][:_MOST_ROWS],
        "interactions": [
            {"at": (one.ts - load.begin) / 1000, "ms": one.dur / 1000, "type": _text(one.type, 40)}
            for one in load.interactions[:_MOST_ROWS]
        ],
        "requests": _requests(load),
        "requestCount": len(load.requests),
        "spans": spans,
        "labels": labels,
    }


def _metric(load: PageLoad, name: str) -> dict[str, Any]:
    value = getattr(load, name)
    more: list[str] = []
    if name == "lcp_ms" and load.lcp is not None:
        more = [
            _text(load.lcp.element, 80),
            *(f"{part} {time / 1000:,.0f} ms" for part, time in load.lcp.parts.items()),
        ]
    elif name == "inp_ms" and load.interactions:
        worst = load.interactions[0]
        more = [_text(worst.type, 40), *(f"{part} {time / 1000:,.0f} ms" for part, time in worst.parts.items())]
    elif name == "tbt_ms" and load.long_tasks:
        more = [f"{len(load.long_tasks):,} tasks over 50 ms"]
    elif name == "cls" and load.windows:
        more = [f"{sum(len(window.shifts) for window in load.windows):,} shifts"]
    return {
        "label": _METRICS[name],
        "value": f"{value:.3f}"
        if name == "cls"
        else f"{value:,.0f} ms"
        if value < 10_000
        else f"{value / 1000:,.1f} s",
        "rating": rating(name, value),
        "more": more,
    }


def _finding(load: PageLoad, insight: Insight, words: Words | None) -> dict[str, Any]:
    estimate = insight.basis == "estimate"
    gains = [f"{metric} {saved:,} ms" for metric, saved in insight.savings.items() if saved]
    if insight.wasted_bytes:
        gains.append(f"{insight.wasted_bytes / 1000:,.1f} kB")
    said = [_text(line, 600) for line in words(load, insight)] if words is not None else None
    return {
        "name": insight.name,
        "title": INSIGHTS.get(insight.name, ""),
        "state": insight.state,
        "gain": ", ".join(gains),
        "estimate": estimate and bool(gains),
        "lines": said,
        "figures": _figures(insight.figures) if said is None and insight.state != "pass" else [],
    }


def _figures(figures: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Figures as rows: a name with a value, or with a table."""
    rows: list[dict[str, Any]] = []
    for name, value in figures.items():
        if name in _IDENTITIES or value in (None, [], {}, ""):
            continue
        if isinstance(value, list) and all(isinstance(row, dict) for row in value):
            columns = [key for key in dict.fromkeys(key for row in value for key in row) if key not in _IDENTITIES]
            rows.append(
                {
                    "name": _named(name),
                    "columns": [_named(column) for column in columns],
                    "rows": [[_cell(column, row.get(column)) for column in columns] for row in value[:_MOST_ROWS]],
                    "more": max(len(value) - _MOST_ROWS, 0),
                }
            )
        else:
            rows.append({"name": _named(name), "value": _cell(name, value)})
    return rows


def _named(key: str) -> str:
    """``serverResponseMs`` as ``server response``."""
    name = _UNIT.sub("", _LATER_WORD.sub(lambda found: f" {found[0].lower()}", key))
    return {"ms": "time", "n": "updated"}.get(name, name)


def _cell(key: str, value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int | float):
        if not value:
            return "0"
        if key.lower().endswith("ms"):
            return f"{value:,.0f} ms" if value >= 10 else f"{value:,.1f} ms"
        if key.lower().endswith("bytes"):
            return f"{value / 1000:,.1f} kB"
        if key.endswith("Seconds"):
            return f"{value:,.0f} s"
        return f"{value:,.0f}" if value == int(value) else f"{value:,.3f}"
    if isinstance(value, dict):
        if {"name", "url", "line"} <= value.keys():
            return f"{_text(value['name'], 80)} {_place(value['url'], value['line'], value['column'])}".strip()
        known = {name: part for name, part in value.items() if name not in _IDENTITIES}
        in_ms = key == "parts"
        return _text(
            ", ".join(f"{_named(name)} {_cell('ms' if in_ms else name, part)}" for name, part in known.items())
        )
    if isinstance(value, list):
        return _text(", ".join(_cell(key, part) for part in value))
    return "" if value is None else _text(str(value))


def _pictures(trace: Trace, load: PageLoad) -> list[dict[str, Any]]:
    """Some of the screenshots, spread over the time in which the page was still changing."""
    taken = [(ts, data) for ts, data in trace.screenshots if load.begin <= ts <= load.end]
    changed = [one for at, one in enumerate(taken) if at == 0 or one[1] != taken[at - 1][1]]
    if len(changed) > _MOST_PICTURES:
        step = (len(changed) - 1) / (_MOST_PICTURES - 1)
        changed = [changed[round(number * step)] for number in range(_MOST_PICTURES)]
    return [
        {"at": (ts - load.begin) / 1000, "src": f"data:image/jpeg;base64,{data}"}
        for ts, data in changed
        if _is_jpeg(data)
    ]


def _is_jpeg(data: str) -> bool:
    """Whether it is what Chrome writes: the file may be anybody's."""
    try:
        return base64.b64decode(data, validate=True)[:3] == b"\xff\xd8\xff"
    except (binascii.Error, ValueError):
        return False


def _kinds(load: PageLoad) -> list[list[Any]]:
    times: dict[str, float] = {}
    for row in load.activities():
        times[row.kind] = times.get(row.kind, 0.0) + row.own_ms
    return [[kind, time] for kind, time in sorted(times.items(), key=lambda row: -row[1]) if time > 0]


def _task(load: PageLoad, begin: float, end: float) -> dict[str, Any]:
    behind = load.behind(begin, end)
    what = ""
    if behind is not None and behind.function is not None:
        function = behind.function
        what = f"{_text(function.name, 80)} {_place(function.url, function.line, function.column)}".strip()
    elif behind is not None:
        what = behind.activity
    return {"at": (begin - load.begin) / 1000, "ms": (end - begin) / 1000, "what": what}


def _place(url: str, line: int, column: int) -> str:
    return f"{_text(url)}{f':{line}:{column}' if line else ''}" if url else ""


def _requests(load: PageLoad) -> list[dict[str, Any]]:
    def at(time: float) -> float:
        return (time - load.begin) / 1000

    rows = []
    for one in load.requests[:_MOST_REQUESTS]:
        sent = max(one.send_start, one.ts) if one.timing is not None else one.ts
        answered = min(max(one.download_start, sent), one.end) if one.timing is not None else one.ts
        rows.append(
            {
                "url": _text(one.url, 1_000),
                "type": one.type,
                "status": "failed" if one.failed else str(one.status or "-"),
                "bytes": one.encoded,
                "priority": one.priority,
                "protocol": _text(one.protocol, 20),
                "cached": one.from_cache or one.from_memory,
                "blocking": one.is_blocking,
                "begin": at(one.ts),
                "sent": at(sent),
                "answered": at(answered),
                "end": at(one.end),
            }
        )
    return rows


def _spans(load: PageLoad) -> tuple[list[list[float]], list[list[Any]]]:
    """The main thread's work, and the names it refers to."""
    numbers: dict[Any, int] = {}
    rows = []
    for ts, dur, depth, label in load.spans(most=_MOST_SPANS):
        number = numbers.setdefault(label, len(numbers))
        rows.append([round((ts - load.begin) / 1000, 3), round(dur / 1000, 3), depth, number])
    labels = [[_text(label.name, 120), label.kind, _place(label.url, label.line, label.column)] for label in numbers]
    return rows, labels
