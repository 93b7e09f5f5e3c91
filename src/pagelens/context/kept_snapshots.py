"""Snapshots that are read piece by piece: what a cursor names stays what it was, whatever the page does meanwhile."""

from __future__ import annotations

import re

from pagelens.errors import InvalidInput
from pagelens.snapshot.text_snapshot import TextSnapshot

__all__ = ["KeptSnapshots"]

#: So many are kept of a page.
_MOST = 4
_CURSOR = re.compile(r"s(\d+)\.(\d+)")


class KeptSnapshots:
    """The last few snapshots of a page that were shown, by number.

    A cursor, ``s3.200``, is what follows the first 200 lines of number 3.
    """

    def __init__(self) -> None:
        self._kept: dict[int, TextSnapshot] = {}
        self._count = 0

    def keep(self, snapshot: TextSnapshot) -> int:
        """Keep one; returns its number."""
        self._count += 1
        self._kept[self._count] = snapshot
        self._kept.pop(self._count - _MOST, None)
        return self._count

    def at(self, cursor: str) -> tuple[int, int]:
        """The number of the snapshot that a cursor is of, and how many of its lines come before.

        Raises:
            InvalidInput: that is no cursor, or its snapshot is no longer kept.
        """
        found = _CURSOR.fullmatch(cursor.strip())
        if found is None:
            raise InvalidInput(f"{cursor!r} is no cursor.", "A cursor looks like s3.200; a long snapshot names it.")
        number, line = int(found[1]), int(found[2])
        if number not in self._kept or line >= self._kept[number].line_count:
            raise InvalidInput(
                f"There is nothing at the cursor {cursor}: only the last {_MOST} snapshots of a page are kept.",
                "Take a new snapshot.",
            )
        return number, line

    def __getitem__(self, number: int) -> TextSnapshot:
        return self._kept[number]

    def clear(self) -> None:
        """Keep none."""
        self._kept.clear()
