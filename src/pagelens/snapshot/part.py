"""Pieces of a snapshot's text: a subtree, the ancestors of a line."""

from __future__ import annotations

import re
from collections.abc import Sequence

from pagelens.errors import ElementNotFound, InvalidInput

__all__ = ["indent_of", "is_range", "parents", "part_of", "path_lines", "with_address"]

_UID = re.compile(r"e\d+")
#: A line up to its address: uid, role, name, states.
_BEFORE_ADDRESS = re.compile(
    r' *uid=e\d+ [\w-]+(?: "(?:[^"\\]|\\.)*")?(?: [a-z]+(?:="(?:[^"\\]|\\.)*"|=[^\s"]+)?(?![^\s]))*'
)
_RANGE = re.compile(r"(e\d+)(?:-|…|\.\.\.)(e\d+)")


def is_range(text: str) -> bool:
    """Whether it is a range of uids: ``e12-e40``."""
    return _RANGE.fullmatch(text.strip().removeprefix("[").removesuffix("]")) is not None


def part_of(text: str, uid: str) -> str:
    """The header of a snapshot, and of its lines an element's and all below it.

    Args:
        text: of a snapshot.
        uid: ``e12``; or ``e12-e40``: from the one to the end of the other, in the order of the page.

    Raises:
        InvalidInput: that is no uid. ElementNotFound: the snapshot has no such line.
    """
    uid = uid.strip().removeprefix("[").removesuffix("]")
    header, *lines = text.split("\n")
    between = _RANGE.fullmatch(uid)
    if between is None and _UID.fullmatch(uid) is None:
        raise InvalidInput(f"{uid!r} is no uid of a snapshot.", "A uid looks like e12, a range like e12-e40.")
    first, last = between.groups() if between else (uid, uid)
    start, other = _line_of(lines, first), _line_of(lines, last)
    start, other = min(start, other), max(start, other)
    end = _end(lines, other)
    shift = min(indent_of(line) for line in lines[start:end])
    return "\n".join([header, *(line[shift:] for line in lines[start:end])])


def with_address(text: str, address: str) -> str:
    """A part of a snapshot with the whole address in its first line of an element, in place of one that is cut."""
    if address == "":
        return text
    header, line, *lines = text.split("\n")
    found = _BEFORE_ADDRESS.match(line)
    if found is None:
        return text
    return "\n".join([header, f"{found[0]} {address}", *lines])


def _line_of(lines: Sequence[str], uid: str) -> int:
    mark = f"uid={uid} "
    for number, line in enumerate(lines):
        if line.lstrip(" ").startswith(mark):
            return number
    raise ElementNotFound(
        f"{uid} is not in the snapshot.", "It may be gone or hidden; a snapshot of the whole page shows what is there."
    )


def _end(lines: Sequence[str], start: int) -> int:
    level = indent_of(lines[start])
    end = start + 1
    while end < len(lines) and indent_of(lines[end]) > level:
        end += 1
    return end


def indent_of(line: str) -> int:
    """Spaces before a line."""
    return len(line) - len(line.lstrip(" "))


def parents(lines: Sequence[str]) -> list[int]:
    """For each line the number of the line it is below; -1 at the top."""
    found: list[int] = []
    path: list[int] = []
    for number, line in enumerate(lines):
        indent = indent_of(line)
        while path and indent_of(lines[path[-1]]) >= indent:
            path.pop()
        found.append(path[-1] if path else -1)
        path.append(number)
    return found


def path_lines(above: Sequence[int], number: int) -> list[int]:
    """The lines above one, from the top down; `above` of `parents`."""
    path: list[int] = []
    while (number := above[number]) >= 0:
        path.append(number)
    return path[::-1]
