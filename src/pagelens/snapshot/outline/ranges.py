"""Says in a few characters which uids are not printed: every uid is printed or in exactly one range."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence

from pagelens.snapshot.outline.node import ElementNode

__all__ = ["Span", "UidRanges"]

#: Lines of the snapshot, from and up to: what an element and all below it take up there.
Span = tuple[int, int]

#: In more pieces than this the order of the page is used.
_MOST_PIECES = 6


class UidRanges:
    """Writes ranges over the uids of one snapshot.

    ``[e310-e400, e412]`` stands for all numbers of the snapshot from 310 to 400, and 412. Where that would take many
    pieces (the page has changed, so that its numbers do not ascend), ``[e310…e412]`` stands for all elements from the
    one to the other in the order of the page.
    """

    def __init__(self, root: ElementNode) -> None:
        placed = [(node.line, int(node.ref[1:])) for node in root.walk() if node.ref]
        self._lines = [line for line, _ in placed]
        self._numbers = [number for _, number in placed]
        self._rank = {number: rank for rank, number in enumerate(sorted(set(self._numbers)))}

    def numbers(self, spans: Iterable[Span]) -> list[int]:
        """The uids in some lines of the snapshot, in the page's order."""
        found: list[int] = []
        for start, end in spans:
            found += self._numbers[bisect_left(self._lines, start) : bisect_left(self._lines, end)]
        return found

    def text(self, spans: Sequence[Span]) -> str:
        """``[e310-e400, e412]``; empty when there is no uid in these lines.

        `spans` that are not one stretch of the page are always written in numbers.
        """
        numbers = self.numbers(spans)
        if not numbers:
            return ""
        pieces = self._pieces(numbers)
        if len(pieces) > _MOST_PIECES and self._is_stretch(spans):
            return f"[e{numbers[0]}…e{numbers[-1]}]"
        return f"[{', '.join(pieces)}]"

    def _pieces(self, numbers: Sequence[int]) -> list[str]:
        pieces: list[str] = []
        ordered = sorted(numbers)
        start = before = ordered[0]
        for number in [*ordered[1:], None]:
            if number is not None and self._rank[number] == self._rank[before] + 1:
                before = number
                continue
            pieces.append(f"e{start}" if start == before else f"e{start}-e{before}")
            if number is not None:
                start = before = number
        return pieces

    def _is_stretch(self, spans: Sequence[Span]) -> bool:
        """Whether no other uid lies between the first and the last of these lines."""
        whole = (min(start for start, _ in spans), max(end for _, end in spans))
        return len(self.numbers([whole])) == len(self.numbers(spans))
