"""Reads the text of lists back, as a program would that goes by what `pagelens.response.formatters.tables` promises."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

__all__ = ["read_messages", "read_requests"]

_CELL = r'("(?:[^"\\]|\\.)*"|[^ "][^ ]*)'
_REQUEST = re.compile(rf"(\d+) {_CELL} {_CELL} (\d+|-) {_CELL}(?: (.*))?")
_MESSAGE = re.compile(rf"(\d+) (\w+)(?:\(([^ )]*)\))?(?:@{_CELL})?(?: (.*))?")
_HEADING = re.compile(r"(?:Current|Earlier) page.*:|Before the first navigation:")


def read_requests(text: str) -> list[dict[str, Any]]:
    """The requests of a list."""
    title, lines = _parts(text, "reqid ")
    origin = title.partition("; URLs from / on are under ")[2]
    found = []
    for line in lines:
        match = _REQUEST.fullmatch(line)
        assert match is not None, line
        url = _text(match[3])
        found.append(
            {
                "reqid": int(match[1]),
                "method": _text(match[2]),
                "url": origin + url if url.startswith("/") else url,
                "status": None if match[4] == "-" else int(match[4]),
                "type": _text(match[5]),
                "note": match[6],
            }
        )
    return found


def read_messages(text: str) -> list[dict[str, Any]]:
    """The messages of a list."""
    found = []
    above = ""
    for line in _parts(text, "msgid ")[1]:
        match = _MESSAGE.fullmatch(line)
        assert match is not None, line
        above = above if match[4] is None else _text(match[4])
        found.append(
            {"msgid": int(match[1]), "type": match[2], "source": above, "text": match[5] or "", "note": match[3]}
        )
    return found


def _parts(text: str, title: str) -> tuple[str, Iterator[str]]:
    lines = iter(text.split("\n"))
    for line in lines:
        if line.startswith(title):
            return line, (line for line in lines if not _HEADING.fullmatch(line))
    raise AssertionError(f"no list in {text!r}")


def _text(cell: str) -> str:
    if cell == "-":
        return ""
    return re.sub(r"\\(.)", r"\1", cell[1:-1]) if cell.startswith('"') else cell
