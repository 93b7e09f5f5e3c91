r"""Lists of requests and of console messages in few words: what their lines share is said once, above them.

::

    reqid method URL status type; URLs from / on are under https://shop.example
    1 GET / 200 document
    2 POST /api/orders - fetch [pending]
    3 GET https://cdn.example/a.js 200 script (from disk cache)

    msgid type@source text; without @: the same source as above
    4 log@app.js:12:5 ready
    5 log ready again
    6 error(x3,worker)@worker.js:1:1 Uncaught TypeError: x is not a function

A method, URL or source that has a space in it or starts with a quote stands in double quotes, with ``\"`` and ``\\``
inside; an empty one is ``-``. What follows the type of a request, and the source of a message, goes on to the end.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence

from pagelens.response.formatters.console import ConsoleRow
from pagelens.response.formatters.network import NetworkRow

__all__ = ["message_table", "request_table", "shared_origin", "under"]

_ORIGIN = re.compile(r"[a-z][a-z0-9+.-]*://[^/?#\s\"]+(?=/)")
#: So many addresses make it worth while to say their origin apart.
_ENOUGH = 3


def shared_origin(rows: Sequence[NetworkRow]) -> str:
    """The origin of most of the requests, if it is worth saying it once for all; else empty."""
    if any(row["url"].startswith("/") for row in rows):
        return ""  # no address that a browser asks for; under an origin it would be another one
    origins = Counter(found[0] for row in rows if (found := _ORIGIN.match(row["url"])))
    origin, count = max(origins.items(), key=lambda item: len(item[0]) * item[1], default=("", 0))
    return origin if count >= _ENOUGH else ""


def under(row: NetworkRow, origin: str) -> NetworkRow:
    """The row with its URL from the path on, if it is one under `origin`."""
    if not origin or not row["url"].startswith(origin + "/"):
        return row
    return {**row, "url": row["url"][len(origin) :]}


def request_table(rows: Sequence[NetworkRow], headings: Mapping[int, str]) -> list[str]:
    """A line for each request under a line that says what is in it.

    Args:
        headings: lines to put above rows, by the rows' indexes.
    """
    origin = shared_origin(rows)
    lines = ["reqid method URL status type" + (f"; URLs from / on are under {origin}" if origin else "")]
    for index, row in enumerate(rows):
        if index in headings:
            lines.append(headings[index])
        url = _cell(under(row, origin)["url"])
        status = "-" if row["status"] is None else row["status"]
        note = f" {row['note']}" if row["note"] else ""
        lines.append(f"{row['reqid']} {_cell(row['method'])} {url} {status} {_cell(row['type'])}{note}")
    return lines


def message_table(rows: Sequence[ConsoleRow], headings: Mapping[int, str]) -> list[str]:
    """A line for each message under a line that says what is in it; arguments as for `request_table`.

    A source is said where it changes; below a heading always.
    """
    lines = []
    above: str | None = ""
    is_bare = False
    for index, row in enumerate(rows):
        if index in headings:
            lines.append(headings[index])
            above = None
        source = "" if row["source"] == above else f"@{_cell(row['source'])}"
        is_bare = is_bare or bool(above and not source)
        above = row["source"]
        note = f"({row['note']})" if row["note"] else ""
        lines.append(f"{row['msgid']} {row['type']}{note}{source} {row['text']}".rstrip(" "))
        if "stack" in row:
            lines.append(f"  stack: {row['stack']}")
    return ["msgid type@source text" + ("; without @: the same source as above" if is_bare else ""), *lines]


def _cell(text: str) -> str:
    """A text that ends at the next space."""
    if not text:
        return "-"
    if text != "-" and " " not in text and not text.startswith('"'):
        return text
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'
