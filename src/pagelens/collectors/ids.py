"""Numbers for what the collectors record: one counter for each kind, for the whole session."""

from __future__ import annotations

from bisect import bisect_right

__all__ = ["IdCounter"]


class IdCounter:
    """Gives out 1, 2, 3… to the records of all pages, and remembers which page each belongs to.

    A number is never given twice, so an id names one thing for as long as the session lives. Owners
    are kept as runs of consecutive numbers: a page that logs a million lines costs one entry.
    """

    #: Runs remembered. Beyond it the older half is forgotten: those ids still never come back.
    MAX_RUNS = 100_000

    def __init__(self) -> None:
        self._next = 1
        self._run_starts: list[int] = []
        self._run_owners: list[int] = []
        self._ended: set[int] = set()

    def next(self, page_id: int) -> int:
        """A new number, owned by the page."""
        number = self._next
        self._next = number + 1
        if not self._run_owners or self._run_owners[-1] != page_id:
            if len(self._run_starts) >= self.MAX_RUNS:
                del self._run_starts[: self.MAX_RUNS // 2]
                del self._run_owners[: self.MAX_RUNS // 2]
            self._run_starts.append(number)
            self._run_owners.append(page_id)
        return number

    @property
    def upcoming(self) -> int:
        """The number that will be given out next."""
        return self._next

    def was_given(self, number: int) -> bool:
        """Whether this number has been given out."""
        return 0 < number < self._next

    def owner(self, number: int) -> int | None:
        """The page that a number was given to; None when it never was, or so long ago that it is forgotten."""
        if not self.was_given(number):
            return None
        run = bisect_right(self._run_starts, number) - 1
        return self._run_owners[run] if run >= 0 else None

    def end(self, page_id: int) -> None:
        """The page was closed: it takes no more numbers."""
        self._ended.add(page_id)

    def has_ended(self, page_id: int) -> bool:
        """Whether the page was closed."""
        return page_id in self._ended
