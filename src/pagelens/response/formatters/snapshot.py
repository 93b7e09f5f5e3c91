"""A snapshot as lines, and as rows of a table."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from pagelens.snapshot.text_snapshot import ROLE_WORDS

__all__ = ["SnapshotFormatter"]

_LINE = re.compile(r'( *)(?:uid=(\S+) )?(\S+)(?: "((?:[^"\\]|\\.)*)")?(?: (.*))?')
#: An address of more characters is not said again in the same snapshot.
_SHORT_ADDRESS = 12
#: After the element that is selected in the page's DevTools window.
SELECTED = "[selected in DevTools]"


class SnapshotFormatter:
    """Shows a snapshot.

    Args:
        text: of `pagelens.snapshot.text_snapshot.TextSnapshot`.
        selected: the uid of the element selected in DevTools, e.g. ``e12``.

        repeats: also addresses that were said before: else an element that leads where an earlier one does has none.

    Attributes:
        lines: the text, the selected element marked.
    """

    def __init__(self, text: str, selected: str | None = None, *, repeats: bool = False) -> None:
        self.lines = text.split("\n")
        if not repeats:
            self.lines = _said_once(self.lines)
        if selected is not None:
            marked = re.compile(rf" *uid={re.escape(selected)} ")
            self.lines = [f"{line} {SELECTED}" if marked.match(line) else line for line in self.lines]

    @staticmethod
    def to_string(lines: Sequence[str]) -> str:
        """Some of the lines as text."""
        return "\n".join(lines)

    @staticmethod
    def to_rows(lines: Sequence[str]) -> list[dict[str, Any]]:
        """Some of the lines as rows: depth in the tree, uid, role and name of an element, and the rest of its line.

        A bare text of the page has neither uid nor role: it is the rest.
        """
        return [_row(line) for line in lines]


def _said_once(lines: Sequence[str]) -> list[str]:
    """The lines without addresses that an earlier one has: a picture, a title and a button often lead to one place."""
    said: set[str] = set()
    kept = []
    for line in lines:
        head, _, last = line.rpartition(" ")
        # No name or value ends like an address: their quotes do. What is cut may lead elsewhere.
        if len(last) > _SHORT_ADDRESS and last[0] in "/.#?hm" and last[-1] not in '"…' and line.lstrip()[:5] == "uid=e":
            if last in said:
                line = head
            said.add(last)
        kept.append(line)
    return kept


def _row(line: str) -> dict[str, Any]:
    found = _LINE.fullmatch(line)
    indent = len(line) - len(line.lstrip(" "))
    if found is None or not (found[2] or found[3] in ROLE_WORDS or found[3] == "unread"):
        return {"depth": indent // 2, "uid": None, "role": None, "name": None, "more": line[indent:]}
    name = None if found[4] is None else re.sub(r"\\(.)", r"\1", found[4])
    return {"depth": indent // 2, "uid": found[2], "role": found[3], "name": name, "more": found[5]}
