"""The insights of a trace in words: one line for the summary, all there is to know when it is asked for."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from pagelens.core.safe_text import one_line, shortened
from pagelens.response.formatters.trace_words import TraceWords, ms, size_text

if TYPE_CHECKING:
    from pagelens.analysis.trace import Insight, PageLoad
    from pagelens.analysis.trace.recording import Event

__all__ = ["by_urgency", "gain_text", "headline", "insight_lines", "shifts_of"]

#: Rows of an insight; more are counted.
MAX_ROWS = 15
#: What a headline names by name.
_NAMED = 2

Figures = Mapping[str, Any]


@dataclass(frozen=True)
class _Teller:
    """How an insight is told.

    Attributes:
        headline: what was found, in one line.
        rows: the lines below it.
        advice: what to do about it.
    """

    headline: Callable[[Figures, TraceWords], str]
    rows: Callable[[Figures, TraceWords], list[str]]
    advice: str


def headline(insight: Insight, words: TraceWords) -> str:
    """What was found, in one line."""
    teller = _TELLERS.get(insight.name)
    return teller.headline(insight.figures, words) if teller is not None else ""


def insight_lines(insight: Insight, words: TraceWords) -> list[str]:
    """All there is to say of an insight."""
    teller = _TELLERS.get(insight.name)
    if teller is None:
        return [f"{key}: {shortened(one_line(str(value)), 300)}" for key, value in insight.figures.items()]
    if insight.state == "pass":
        said = teller.headline(insight.figures, words) if insight.figures else ""
        return [f"Nothing to do: {said}." if said else "Nothing to do."]
    lines = [teller.headline(insight.figures, words)]
    rows = teller.rows(insight.figures, words)
    lines += [f"- {row}" for row in rows[:MAX_ROWS]]
    if len(rows) > MAX_ROWS:
        lines.append(f"- and {len(rows) - MAX_ROWS} more")
    gain = gain_text(insight)
    if gain:
        why = "" if insight.basis == "observed" else ", by our simple estimate: DevTools would simulate the load"
        lines.append(f"Mending it may save {gain}{why}.")
    lines.append(teller.advice)
    return lines


def gain_text(insight: Insight) -> str:
    """What mending it may save: ``FCP 570 ms, 1.2 MB``; estimates are marked with ``~``."""
    about = "" if insight.basis == "observed" else "~"
    by_time: dict[int, list[str]] = {}
    for metric, saved in insight.savings.items():
        if saved:
            by_time.setdefault(saved, []).append(metric)
    parts = [f"{about}{ms(saved)} of {' and '.join(metrics)}" for saved, metrics in by_time.items()]
    if insight.wasted_bytes and insight.wasted_bytes >= 1:
        parts.append(f"{about}{size_text(insight.wasted_bytes)}")
    return ", ".join(parts)


def by_urgency(load: PageLoad) -> list[Insight]:
    """The insights that have something to say, what may gain most first: by the score that Lighthouse would give for
    it, then by the time and the bytes that may be saved."""
    found = [insight for insight in load.insights.values() if insight.state != "pass"]
    return sorted(found, key=lambda insight: _urgency(insight, load), reverse=True)


def _urgency(insight: Insight, load: PageLoad) -> tuple[bool, float, float, float]:
    from pagelens.analysis.trace.insights.ranking import score

    figures = insight.figures
    saved = {metric: float(value) for metric, value in insight.savings.items()}
    if insight.name == "CLSCulprits":
        saved["CLS"] = float(figures.get("worstScore", 0.0))
    elif insight.name == "ForcedReflow":
        saved["TBT"] = float(figures.get("totalMs", 0.0))
    elif insight.name == "LCPBreakdown" and load.lcp_ms:
        saved["LCP"] = max(load.lcp_ms - 2_500, 0)
    elif insight.name == "INPBreakdown" and load.inp_ms:
        saved["INP"] = max(load.inp_ms - 200, 0)
    now = {"LCP": load.lcp_ms, "INP": load.inp_ms, "CLS": load.cls}
    gain = sum(
        score(metric, max(value - saved[metric], 0.0)) - score(metric, value)
        for metric, value in now.items()
        if value is not None and saved.get(metric)
    )
    times = [value for metric, value in saved.items() if metric != "CLS"]
    return insight.state == "fail", round(gain, 3), max(times, default=0.0), insight.wasted_bytes or 0


# -- each of them --------------------------------------------------------------------------------------


def _list(texts: Sequence[str], named: int = _NAMED) -> str:
    more = f" and {len(texts) - named} more" if len(texts) > named else ""
    return ", ".join(texts[:named]) + more


def _text(value: object, limit: int = 60) -> str:
    return shortened(one_line(str(value)), limit)


def _request(row: Figures, w: TraceWords) -> str:
    return w.request(row.get("url", ""), row.get("id", ""))


def _count(number: int, noun: str, plural: str = "") -> str:
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"


_LCP_PARTS = {
    "ttfb": "until the document's first byte (ttfb)",
    "loadDelay": "until the image was asked for (loadDelay)",
    "loadDuration": "loading the image (loadDuration)",
    "renderDelay": "until it was painted (renderDelay)",
}
_INP_PARTS = {
    "inputDelay": "until a handler ran (inputDelay)",
    "processing": "in handlers (processing)",
    "presentation": "until the next frame (presentation)",
}


def _largest(parts: Mapping[str, float], names: Mapping[str, str]) -> str:
    name = max(parts, key=lambda part: parts[part], default="")
    return f"{ms(parts[name])} of it {names.get(name, name)}" if name else ""


def _part_rows(parts: Mapping[str, float], names: Mapping[str, str]) -> list[str]:
    whole = sum(parts.values()) or 1
    return [f"{ms(time)} ({time / whole:.0%}) {names.get(name, name)}" for name, time in parts.items()]


def _lcp_breakdown(f: Figures, w: TraceWords) -> str:
    element = w.node(f.get("nodeId", 0), f.get("element", ""))
    return (
        f"the largest paint, {element}, came after {ms(f.get('lcpMs', 0))}: {_largest(f.get('parts', {}), _LCP_PARTS)}"
    )


def _lcp_rows(f: Figures, w: TraceWords) -> list[str]:
    rows = _part_rows(f.get("parts", {}), _LCP_PARTS)
    request = w.load.lcp.request if w.load.lcp is not None else None
    if request is not None:
        rows.append(
            f"the image: {w.request(request.url, request.id)}, {size_text(request.encoded)}, "
            f"priority {request.priority or 'unknown'}, asked for by {request.initiator.type or 'other'}"
        )
    return rows


_CHECKS = {
    "priorityHinted": "it lacks fetchpriority=high",
    "requestDiscoverable": "the document's HTML does not name it",
    "eagerlyLoaded": "it is loaded lazily",
}


def _lcp_discovery(f: Figures, w: TraceWords) -> str:
    missing = [_CHECKS[name] for name, is_met in f.get("checks", {}).items() if not is_met and name in _CHECKS]
    image = w.load.lcp.request if w.load.lcp is not None else None
    named = w.request(image.url, image.id) if image is not None else w.url(f.get("request", ""))
    return f"the image of the largest paint, {named}, was found late: {', '.join(missing)}" if missing else named


def _inp(f: Figures, w: TraceWords) -> str:
    on = w.node(f.get("nodeId", 0))
    said = f"{f.get('type', 'an interaction')}{f' on {on}' if on else ''} took {ms(f.get('inpMs', 0))}: "
    said += _largest(f.get("parts", {}), _INP_PARTS)
    function = f.get("function")
    return said + (f"; most in {w.function(function)}, {ms(function.get('ownMs', 0))}" if function else "")


def _cause(cause: Figures, w: TraceWords) -> str:
    kind = cause.get("kind")
    if kind == "font":
        return f"font {w.url(cause.get('url', ''))} came late"
    if kind == "unsizedImage":
        node = w.node(cause.get("nodeId", 0), cause.get("node", ""))
        return f"image without width and height: {node} {w.url(cause.get('url', ''))}"
    if kind == "animation":
        what = ", ".join(map(str, cause.get("properties", []))) or "a property that moves layout"
        return f"animation {one_line(str(cause.get('name', '')))} of {one_line(what)}"
    return "a frame was put in" if kind == "iframe" else one_line(str(kind))


def _cls(f: Figures, w: TraceWords) -> str:
    if not f.get("shifts"):
        return "nothing jumped"
    causes = [_cause(cause, w) for cause in f.get("culprits", [])]
    rows = _worst_shifts(w)
    what = _list(rows[0].moved) if rows else ""
    said = f"score {f.get('worstScore', 0):.3f} from {ms(f.get('atMs', 0))} on, {_count(f['shifts'], 'shift')} in all"
    if what:
        said += f"; the largest moved {what}"
    return said + (
        f"; {_list(causes, 2)}" if causes else "; no font, image or frame is known to cause it: content put in above"
    )


def _cls_rows(f: Figures, w: TraceWords) -> list[str]:
    rows = []
    for row, shift in zip(f.get("worst", []), _worst_shifts(w), strict=False):
        moved = _list(shift.moved, 4) or "unknown elements"
        causes = "; ".join(_cause(cause, w) for cause in row.get("causes", []))
        rows.append(
            f"{row.get('score', 0):.3f} at {ms(row.get('atMs', 0))}: {moved}" + (f" ({causes})" if causes else "")
        )
    return rows


class Shift(NamedTuple):
    """A layout shift: milliseconds since the navigation began, its score, the elements that it moved in words."""

    at_ms: float
    score: float
    moved: list[str]


def _worst_shifts(words: TraceWords) -> list[Shift]:
    worst = max(words.load.windows, key=lambda window: window.score, default=None)
    return shifts_of(worst.shifts, words) if worst is not None else []


def shifts_of(events: Sequence[Event], words: TraceWords) -> list[Shift]:
    """Shifts in words, the largest first."""
    rows = []
    for event in sorted(events, key=lambda event: -event.args.data.weighted_score_delta):
        # Frames in other processes count their elements by themselves: a number of theirs names another one here.
        is_own = event.args.frame == words.names.frame
        moved = [words.node(node.node_id if is_own else 0, node.debug_name) for node in event.args.data.impacted_nodes]
        rows.append(Shift((event.ts - words.load.begin) / 1000, event.args.data.weighted_score_delta, moved))
    return rows


def _requests(f: Figures, w: TraceWords, key: str = "requests") -> list[str]:
    return [_request(row, w) for row in f.get(key, [])]


def _timed_requests(f: Figures, w: TraceWords) -> list[str]:
    return [f"{_request(row, w)} {ms(row.get('ms', 0))}" for row in f.get("requests", [])]


def _render_blocking(f: Figures, w: TraceWords) -> str:
    rows = _timed_requests(f, w)
    verb = "holds" if len(rows) == 1 else "hold"
    return (
        f"{_count(len(rows), 'request')} {verb} up the first paint: {_list(rows)}"
        if rows
        else "nothing holds up the first paint"
    )


def _chain(f: Figures, w: TraceWords) -> str:
    chain = f.get("longestChain", [])
    if not chain:
        return "no request waits for another"
    said = f"the longest chain of requests, {len(chain)} one after the other, takes {ms(f.get('maxLatencyMs', 0))}"
    return f"{said} and ends with {_request(chain[-1], w)}"


def _chain_rows(f: Figures, w: TraceWords) -> list[str]:
    rows = [
        f"{'  ' * at}{_request(row, w)} until {ms(row.get('endMs', 0))}"
        for at, row in enumerate(f.get("longestChain", []))
    ]
    rows += [
        f"preconnect to {one_line(str(row.get('origin', '')))} may save {ms(row.get('ms', 0))}"
        for row in f.get("preconnectCandidates", [])
    ]
    rows += [
        f"preconnect to {one_line(str(row.get('origin', '')))} is not used"
        for row in f.get("preconnected", [])
        if row.get("unused")
    ]
    if f.get("tooManyPreconnects"):
        rows.append("more than 4 origins are connected to in advance: they take time from one another")
    return rows


_IMAGE_ADVICE = {
    "video": "a video instead of a GIF",
    "modernFormat": "WebP or AVIF",
    "compression": "more compression",
    "responsiveSize": "the size it is shown in",
}


def _images(f: Figures, w: TraceWords) -> str:
    rows = f.get("images", [])
    named = [f"{_request(row, w)} {size_text(row.get('savedBytes', 0))}" for row in rows]
    verb = "is" if len(rows) == 1 else "are"
    return (
        f"{_count(len(rows), 'image')} {verb} larger than need be: {_list(named)}"
        if rows
        else "images are small enough"
    )


def _image_rows(f: Figures, w: TraceWords) -> list[str]:
    rows = []
    for row in f.get("images", []):
        file, shown = row.get("file", [0, 0]), row.get("shown", [0, 0])
        advice = ", ".join(f"{_IMAGE_ADVICE.get(name, name)} {size_text(size)}" for name, size in row["advice"].items())
        rows.append(
            f"{_request(row, w)}, {size_text(row.get('bytes', 0))}: {file[0]:g}x{file[1]:g} shown as "
            f"{shown[0]:.0f}x{shown[1]:.0f}; {advice}"
        )
    return rows


def _document(f: Figures, w: TraceWords) -> str:
    said = [f"the server answered after {ms(f.get('serverResponseMs', 0))}"]
    if f.get("redirectMs"):
        said.append(f"{_count(len(f.get('redirects', [])), 'redirect')} took {ms(f['redirectMs'])}")
    if f.get("uncompressedBytes"):
        said.append(f"it is not compressed, which would save {size_text(f['uncompressedBytes'])}")
    return "; ".join(said)


def _redirects(f: Figures, w: TraceWords) -> list[str]:
    # A trace has the origins only.
    known = [f"reqid={reqid} {w.url(url)}" for reqid, url in w.names.redirects] or map(w.url, f.get("redirects", []))
    return [f"redirected from {hop}" for hop in known]


def _fonts(f: Figures, w: TraceWords) -> str:
    rows = [f"{_request(row, w)} {ms(row.get('ms', 0))}" for row in f.get("fonts", [])]
    return f"text is invisible until its font is there: {_list(rows)}" if rows else "no font hides text"


def _font_rows(f: Figures, w: TraceWords) -> list[str]:
    return [
        f"{_text(row.get('name', ''))} font-display: {row.get('display')}, {_request(row, w)} {ms(row.get('ms', 0))}"
        for row in f.get("fonts", [])
    ]


def _viewport(f: Figures, w: TraceWords) -> str:
    content = f.get("content")
    return (
        (
            f"the viewport is not made for phones: {shortened(one_line(str(content)), 80)}"
            if content
            else "there is no meta viewport"
        )
        if f.get("mobileOptimized") is False
        else "the viewport is made for phones"
    )


def _dom(f: Figures, w: TraceWords) -> str:
    said = f"{f['elements']:,} elements" if "elements" in f else "size unknown"
    updates = f.get("updates", [])
    if updates:
        first = updates[0]
        said += (
            f"; {_count(len(updates), 'large update')}, the longest {ms(first.get('ms', 0))} of {first.get('kind')} "
            f"for {first.get('n', 0):,}"
        )
    return said


def _dom_rows(f: Figures, w: TraceWords) -> list[str]:
    rows = []
    for key, what in (
        ("depth", "the deepest element is {} levels down"),
        ("children", "the most children of one are {}"),
    ):
        if key in f:
            node = w.node(f[key].get("nodeId", 0), str(f[key].get("node", "")))
            rows.append(f"{what.format(format(f[key].get('value', 0), ','))}: {node}")
    rows += [
        f"{row.get('kind')} {ms(row.get('ms', 0))}: {row.get('n', 0):,} of {row.get('of', 0):,}"
        for row in f.get("updates", [])
    ]
    return rows


def _parties(f: Figures, w: TraceWords) -> str:
    rows = [row for row in f.get("parties", []) if not row.get("firstParty")]
    named = [f"{_text(row.get('name', ''))} {_party(row)}" for row in rows]
    return _list(named) if named else "nothing comes from elsewhere"


def _party_rows(f: Figures, w: TraceWords) -> list[str]:
    return [
        f"{_text(row.get('name', ''))}{' (the page itself)' if row.get('firstParty') else ''}: {_party(row)}"
        for row in f.get("parties", [])
    ]


def _party(row: Figures) -> str:
    return f"{ms(row.get('mainThreadMs', 0))} of the main thread, {size_text(row.get('transferBytes', 0))}"


def _duplicates(f: Figures, w: TraceWords) -> str:
    rows = [
        f"{shortened(one_line(str(row.get('module', ''))), 60)} {size_text(row.get('wastedBytes', 0))}"
        for row in f.get("modules", [])
    ]
    if rows:
        return f"{_count(len(rows), 'module')} sent more than once: {_list(rows)}"
    return (
        "no module is sent twice"
        if f.get("mappedScripts")
        else "no script has a source map, so none could be looked into"
    )


def _duplicate_rows(f: Figures, w: TraceWords) -> list[str]:
    return [
        f"{_text(row.get('module', ''), 80)}: {size_text(row.get('wastedBytes', 0))}, in "
        f"{_list([w.url(url) for url in row.get('scripts', [])], 4)}"
        for row in f.get("modules", [])
    ]


def _selectors(f: Figures, w: TraceWords) -> str:
    if not f.get("recorded"):
        return "not recorded: performance_start_trace with selectorStats: true records them"
    rows = _selector_rows(f, w)
    return f"the slowest selector: {rows[0]}" if rows else "no selector took long"


def _selector_rows(f: Figures, w: TraceWords) -> list[str]:
    return [
        f"{_text(row.get('selector', ''), 80)} {ms(row.get('ms', 0))}, tried {row.get('attempts', 0):,.0f} times, "
        f"met {row.get('matches', 0):,.0f} times"
        for row in f.get("selectors", [])
    ]


def _reflow(f: Figures, w: TraceWords) -> str:
    if not f.get("events"):
        return "no script forces layout"
    rows = _reflow_rows(f, w)
    return f"scripts force layout {_count(f['events'], 'time')}, {ms(f.get('totalMs', 0))}" + (
        f", most in {rows[0]}" if rows else ""
    )


def _reflow_rows(f: Figures, w: TraceWords) -> list[str]:
    return [f"{w.function(row)} {ms(row.get('ms', 0))}" for row in f.get("places", [])]


def _ttl(seconds: float) -> str:
    for unit, length in (("days", 86_400), ("h", 3_600), ("min", 60)):
        if seconds >= 2 * length:
            return f"{seconds / length:.0f} {unit}"
    return f"{seconds:.0f} s"


def _cached(f: Figures, w: TraceWords) -> list[str]:
    return [f"{_request(row, w)} {_ttl(row.get('ttlSeconds', 0))}" for row in f.get("requests", [])]


def _cache(f: Figures, w: TraceWords) -> str:
    rows = _cached(f, w)
    return (
        f"{_count(len(rows), 'file')} may be kept for a short time only: {_list(rows)}"
        if rows
        else "files are kept long enough"
    )


def _charset(f: Figures, w: TraceWords) -> str:
    return (
        "no charset in the Content-Type header or in the first 1,024 bytes"
        if not f.get("httpCharset") and f.get("metaCharset") != "found-in-first-1024-bytes"
        else "the charset is declared early"
    )


def _http(f: Figures, w: TraceWords) -> str:
    rows = _requests(f, w)
    return (
        f"{_count(len(rows), 'request')} by HTTP/1: {_list(rows)}"
        if rows
        else "no server with many files speaks HTTP/1"
    )


def _legacy(f: Figures, w: TraceWords) -> str:
    rows = f.get("scripts", [])
    named = [f"{w.url(row.get('url', ''))} {size_text(row.get('wastedBytes', 0))}" for row in rows]
    return f"code for browsers of long ago in {_list(named)}" if rows else "no code for browsers of long ago"


def _legacy_rows(f: Figures, w: TraceWords) -> list[str]:
    rows = []
    for row in f.get("scripts", []):
        what = [one_line(str(name)) for name in row.get("polyfills", [])]
        what += [f"{one_line(str(name))} x{count}" for name, count in row.get("transforms", {}).items()]
        rows.append(f"{w.url(row.get('url', ''))} {size_text(row.get('wastedBytes', 0))}: {_list(what, 12)}")
    return rows


def _none(f: Figures, w: TraceWords) -> list[str]:
    return []


_TELLERS: dict[str, _Teller] = {
    "LCPBreakdown": _Teller(
        _lcp_breakdown,
        _lcp_rows,
        "Look at its largest part: DocumentLatency for ttfb, LCPDiscovery for loadDelay, ImageDelivery for "
        "loadDuration, RenderBlocking and long tasks for renderDelay.",
    ),
    "LCPDiscovery": _Teller(
        _lcp_discovery,
        _none,
        "Put the image into the HTML (or preload it), with fetchpriority=high and without loading=lazy.",
    ),
    "INPBreakdown": _Teller(
        _inp,
        lambda f, w: _part_rows(f.get("parts", {}), _INP_PARTS),
        "Show the effect first, do the rest in pieces after the next frame. performance_query with show: functions and "
        "the interaction's time tells what ran.",
    ),
    "CLSCulprits": _Teller(
        _cls,
        _cls_rows,
        "Give images and frames a size, keep room for what comes late, preload fonts or give fallbacks the same "
        "metrics, animate transform only.",
    ),
    "RenderBlocking": _Teller(
        _render_blocking,
        _timed_requests,
        "Load scripts with defer or async, put the styles of the first view into the HTML and load the others later.",
    ),
    "NetworkDependencyTree": _Teller(
        _chain, _chain_rows, "Name late files in the HTML or preload them, and do without redirects and @import."
    ),
    "ImageDelivery": _Teller(
        _images, _image_rows, "Serve images in the size in which they are shown and in a modern format."
    ),
    "DocumentLatency": _Teller(
        _document,
        _redirects,
        "Link to the final address, answer from a cache, send the beginning early, compress text.",
    ),
    "FontDisplay": _Teller(_fonts, _font_rows, "font-display: swap or optional shows the text at once."),
    "Viewport": _Teller(
        _viewport,
        _none,
        'Without <meta name="viewport" content="width=device-width"> phones wait for a second tap.',
    ),
    "DOMSize": _Teller(_dom, _dom_rows, "Show less at a time: pages, virtual lists, content-visibility."),
    "ThirdParties": _Teller(_parties, _party_rows, "Load what is not needed at once later, or not at all."),
    "DuplicatedJavaScript": _Teller(_duplicates, _duplicate_rows, "Have the bundler share these modules."),
    "SlowCSSSelector": _Teller(_selectors, _selector_rows, "Replace them with a class of their own."),
    "ForcedReflow": _Teller(
        _reflow,
        _reflow_rows,
        "Read sizes and positions before anything is written, or in a frame of their own; not in turn in a loop.",
    ),
    "Cache": _Teller(
        _cache,
        _cached,
        "Let files with a version in their name be kept for a year: Cache-Control: max-age=31536000.",
    ),
    "CharacterSet": _Teller(
        _charset, _none, "Send Content-Type: text/html; charset=utf-8, or <meta charset=utf-8> first in the head."
    ),
    "ModernHTTP": _Teller(_http, _requests, "Serve them by HTTP/2 or 3, under which none waits for a free connection."),
    "LegacyJavaScript": _Teller(_legacy, _legacy_rows, "Build for browsers of today."),
}
