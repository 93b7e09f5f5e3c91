"""``pagelens trace``: performance traces in the terminal."""

from __future__ import annotations

import argparse
import json
import shutil
import sys
from collections.abc import Sequence
from typing import Any, NoReturn

from pagelens.analysis.trace import FunctionTime, Insight, PageLoad, Trace
from pagelens.analysis.trace.ratings import RATINGS, rating
from pagelens.core.safe_text import json_safe, one_line, shortened
from pagelens.errors import InvalidInput

__all__ = ["trace"]

_DESCRIPTION = """\
Explain a performance trace of a page in Chrome (.json or .json.gz, as DevTools writes it): metrics, what to mend first,
where the time went. No browser is needed.
"""

_LABELS = {
    "fcp_ms": "first contentful paint",
    "lcp_ms": "largest contentful paint",
    "cls": "layout shifts (CLS)",
    "inp_ms": "slowest interaction (INP)",
    "ttfb_ms": "first byte",
    "tbt_ms": "blocked (TBT)",
}


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise InvalidInput(f"{message[:1].upper()}{message[1:]}.", f"See: {self.prog} --help")


def trace(arguments: Sequence[str]) -> int:
    """Run ``pagelens trace …``; returns the exit code.

    Raises:
        InvalidInput: a command line that can't be right.
        FileFailed, BadTrace: as the analysis.
    """
    parser = _Parser("pagelens trace", description=_DESCRIPTION)
    parser.add_argument("file", metavar="FILE")
    parser.add_argument("--json", action="store_true", help="metrics and states of insights as JSON")
    parser.add_argument("--top", type=_count, default=5, metavar="N", help="most rows of a table (default: 5; 0: all)")
    parser.add_argument(
        "--report", metavar="OUT.html", help="write a page to look at: filmstrip, waterfall, flame chart"
    )
    given = parser.parse_args(list(arguments))
    found = _load(given.file)
    if given.report is not None:
        size = found.save_report(given.report)
        print(f"{one_line(given.report)} written, {size / 1e6:.1f} MB: open it in a browser.", file=sys.stderr)
    if given.json:
        print(json.dumps({"navigations": [_data(load) for load in found.navigations]}, indent=2))
        return 0
    skipped = f", {found.skipped_count:,} of them damaged" if found.skipped_count else ""
    print(f"{found.event_count:,} events{skipped}, {(found.end - found.begin) / 1e6:.1f} s")
    for load in found.navigations:
        _show(load, given.top or 10**9)
    return 0


def _load(file: str) -> Trace:
    if not sys.stderr.isatty():
        return Trace.load(file)

    def tell(statement: object) -> None:
        sys.stderr.write(f"\r\x1b[K{statement}")
        sys.stderr.flush()

    try:
        return Trace.load(file, progress=tell)
    finally:
        sys.stderr.write("\r\x1b[K")


def _count(text: str) -> int:
    if not (text.isascii() and text.isdigit()):
        raise argparse.ArgumentTypeError(f"{one_line(text)!r} is no number")
    return int(text)


def _data(load: PageLoad) -> dict[str, Any]:
    return {
        "id": load.id,
        "url": json_safe(load.url),
        **{name: getattr(load, name) for name in RATINGS},
        "insights": {name: insight.state for name, insight in load.insights.items()},
    }


# -- tables --------------------------------------------------------------------------------------------


def _show(load: PageLoad, top: int) -> None:
    print(f"\n{load.id}  {_cut(load.url, 100)}")
    rows = []
    for name in RATINGS:
        value = getattr(load, name)
        if value is not None:
            shown = f"{value:.3f}" if name == "cls" else f"{value:,.0f} ms"
            rows.append((_LABELS[name], shown, rating(name, value), _more(load, name)))
    _table(rows)
    insights = sorted(load.insights.values(), key=_urgency)
    failed = [(one.name, one.state, _gain(one)) for one in insights if one.state != "pass"]
    if failed:
        print("\nto look at, what may gain most first:")
        _table(failed)
    work = [
        (f"{row.own_ms:,.1f} ms", f"{row.total_ms:,.1f} ms", f"{row.count:,}", row.kind, row.name)
        for row in load.activities()
        if row.name != "RunTask"
    ][:top]
    if work:
        print("\nthe main thread's work:")
        _table([("own", "with all in it", "times", "kind", "name"), *work])
    functions = [
        (f"{row.own_ms:,.1f} ms", f"{row.total_ms:,.1f} ms", row.name, _place(row)) for row in load.functions()[:top]
    ]
    if functions:
        print("\nits functions:")
        _table([("own", "with all in it", "name", "place"), *functions])
    if load.requests:
        print(f"\nrequests ({len(load.requests):,} in all), the longest first:")
        slowest = sorted(load.requests, key=lambda request: -request.dur)[:top]
        _table(
            [
                (f"{one.dur / 1000:,.0f} ms", f"{one.encoded:,.0f} B", str(one.status or "-"), one.type, one.url)
                for one in slowest
            ]
        )


def _place(row: FunctionTime) -> str:
    return f"{row.url}:{row.line}" if row.url and row.line else row.url


def _more(load: PageLoad, name: str) -> str:
    if name == "lcp_ms" and load.lcp is not None:
        parts = ", ".join(f"{part} {time / 1000:,.0f}" for part, time in load.lcp.parts.items())
        return f"{load.lcp.element}{f': {parts} ms' if parts else ''}"
    if name == "inp_ms" and load.interactions:
        parts = ", ".join(f"{part} {time / 1000:,.0f}" for part, time in load.interactions[0].parts.items())
        return f"{load.interactions[0].type}: {parts} ms"
    if name == "tbt_ms":
        return f"{len(load.long_tasks):,} tasks over 50 ms" if load.long_tasks else ""
    return ""


def _urgency(insight: Insight) -> tuple[bool, int, float]:
    return (insight.state != "fail", -max(insight.savings.values(), default=0), -(insight.wasted_bytes or 0))


def _gain(insight: Insight) -> str:
    word = "" if insight.basis == "observed" else " (estimate)"
    parts = [f"{metric} {saved:,} ms{word}" for metric, saved in insight.savings.items() if saved]
    if insight.wasted_bytes:
        parts.append(f"{insight.wasted_bytes:,.0f} B too many{word}")
    return ", ".join(parts)


def _table(rows: Sequence[Sequence[str]]) -> None:
    """Columns of the widths they need; all text comes from a page and is cut to the terminal."""
    cells = [[_cut(text, 60) for text in row[:-1]] + [row[-1]] for row in rows]
    widths = [max(len(row[at]) for row in cells) for at in range(len(cells[0]) - 1)]
    room = max(shutil.get_terminal_size((140, 25)).columns - sum(widths) - 2 * len(widths), 20)
    for row in cells:
        line = [
            text.rjust(width) if text[:1].isdigit() else text.ljust(width)
            for text, width in zip(row, widths, strict=False)
        ]
        print("  ".join([*line, _cut(row[-1], room)]).rstrip())


def _cut(text: str, width: int) -> str:
    return shortened(one_line(text), width)
