"""What changed between two snapshots of one page: lines that came, went, or say something else, under their path."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Hashable
from dataclasses import dataclass

from pagelens.core.safe_text import shortened
from pagelens.snapshot.part import indent_of, parents, path_lines

__all__ = ["SnapshotDifference", "compare"]

_UID = re.compile(r" *uid=(e\d+) (.*)")
#: Where an element is, not what it is.
_PLACE = re.compile(r" (?:offscreen|scrollable=[a-z,]+)(?= |$)")
#: Characters of a line above what changed, and of what a line was.
_PATH = 120
_WAS = 200


@dataclass(frozen=True, slots=True)
class SnapshotDifference:
    """What changed.

    Attributes:
        lines: marked with ``+`` (came), ``-`` (went) and ``~`` (says something else now, and what it said); the lines
            that they are below in the page without a mark.
        added, removed, changed: how many of each.
    """

    lines: tuple[str, ...]
    added: int
    removed: int
    changed: int

    @property
    def text(self) -> str:
        """A line of numbers, then `lines`."""
        if not self.lines:
            return "Nothing has changed since the last snapshot."
        return "\n".join(
            [
                f"{self.added} added, {self.removed} removed, {self.changed} changed since the last snapshot:",
                *self.lines,
            ]
        )


class _Side:
    """One snapshot: each line has a key by which it is found in the other one."""

    def __init__(self, text: str) -> None:
        self.lines = text.split("\n")
        self.above = parents(self.lines)
        self.keys: list[Hashable] = []
        seen: Counter[Hashable] = Counter()
        inside = self._first_uids()
        for number, line in enumerate(self.lines):
            found = _UID.fullmatch(line)
            key: Hashable
            if number == 0 and line.startswith("page "):
                key = "page"
            elif found is not None:
                key = found[1]
            else:
                # A text is the same one when it says the same under the same element, as often as before; what holds
                # elements, when the first of them is the same.
                said = (self.holder(number), line.lstrip(" "), inside.get(number, ""))
                seen[said] += 1
                key = (*said, seen[said])
            self.keys.append(key)
        self.place = {key: number for number, key in enumerate(self.keys)}

    def _first_uids(self) -> dict[int, str]:
        """Of lines that hold elements, the uid of the first."""
        found: dict[int, str] = {}
        for number in range(len(self.lines) - 1, 0, -1):
            own = _UID.fullmatch(self.lines[number])
            uid = own[1] if own is not None else found.get(number)
            if uid is not None:
                found[self.above[number]] = uid
        return found

    def holder(self, number: int) -> Hashable:
        """The key of the line above."""
        return self.keys[self.above[number]] if self.above[number] >= 0 else None


def compare(before: str, now: str) -> SnapshotDifference:
    """Compare the texts of two snapshots. Elements are the same that have the same uid."""
    old, new = _Side(before), _Side(now)
    went: dict[Hashable, list[int]] = {}
    removed = 0
    for number, key in enumerate(old.keys):
        if key not in new.place:
            removed += 1
            went.setdefault(old.holder(number), []).append(number)
    shown: dict[int, list[str]] = {}
    added = changed = 0
    for number, key in enumerate(new.keys):
        line = new.lines[number]
        here = old.place.get(key)
        if here is None:
            added += 1
            shown[number] = [f"+ {line}"]
        elif _said(old.lines[here]) != _said(line):
            changed += 1
            was = re.sub(r"^uid=\S+ ", "", old.lines[here].lstrip(" "))
            shown[number] = [f"~ {line} (was: {shortened(was, _WAS)})"]
    top: list[str] = []
    for holder in list(went):
        if holder is None:
            top += _subtrees(old, went, None, -1)
        elif (place := new.place.get(holder)) is not None:
            under = _subtrees(old, went, holder, indent_of(new.lines[place]))
            shown.setdefault(place, []).extend(under)
    return SnapshotDifference(tuple(top + _with_paths(new, shown)), added, removed, changed)


def _said(line: str) -> str:
    """A line without what scrolling changes."""
    body = line.lstrip(" ")
    return _PLACE.sub("", body) if body.startswith("uid=") else body


def _subtrees(old: _Side, went: dict[Hashable, list[int]], holder: Hashable, indent: int) -> list[str]:
    """What went from below `holder`, with what went below that."""
    lines: list[str] = []
    stack = [(number, indent + 2 if holder is not None else 0) for number in reversed(went.get(holder, ()))]
    while stack:
        number, level = stack.pop()
        lines.append("- " + " " * level + old.lines[number].lstrip(" "))
        stack += [(below, level + 2) for below in reversed(went.get(old.keys[number], ()))]
    return lines


def _with_paths(new: _Side, shown: dict[int, list[str]]) -> list[str]:
    printed: dict[int, list[str]] = {}
    for number in sorted(shown):
        for place in path_lines(new.above, number):
            printed.setdefault(place, [_plain(new.lines[place])])
        marked = shown[number]
        # What went from below a line that is as it was: the line itself comes first.
        printed[number] = marked if marked[0][0] in "+~" else [_plain(new.lines[number]), *marked]
    return [line for number in sorted(printed) for line in printed[number]]


def _plain(line: str) -> str:
    return "  " + shortened(line, _PATH)
