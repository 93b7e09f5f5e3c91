"""Numbers for nodes: one counter a session, handed to documents in blocks.

A uid (``e12``) belongs to one DOM node for as long as that node lives in its document. The page side
(``js/uids.js``, in our isolated world) knows which node has which number; this side knows which
document a number was given to, so that a uid leads straight to its frame, or to the reason why not.
"""

from __future__ import annotations

from bisect import bisect_right
from typing import NamedTuple

from pagelens.browser.world import JsFunction

__all__ = ["GIVE_UIDS", "UIDS", "DocumentKey", "UidAllocator"]

#: Installs ``lib.uids``; see the file for its four methods.
UIDS = JsFunction("pagelens.browser", "js/uids.js", setup=True)

#: ``frame.call(GIVE_UIDS, numbers.start, numbers.stop - 1)`` hands a reserved range to a document.
GIVE_UIDS = JsFunction("pagelens.browser", "js/give_uids.js", needs=(UIDS,))


class DocumentKey(NamedTuple):
    """One document: a navigation gives the same frame another loader id."""

    page_id: int
    frame_id: str
    loader_id: str


class UidAllocator:
    """The session's one counter. A number is given out once and never again."""

    def __init__(self) -> None:
        self._next = 1
        # Parallel lists, ascending: block i starts at _starts[i] and reaches to the next block.
        self._starts: list[int] = []
        self._owners: list[DocumentKey] = []

    def reserve(self, count: int, owner: DocumentKey) -> range:
        """Take the next `count` numbers for a document.

        Raises:
            ValueError: `count` is not positive.
        """
        if count < 1:
            raise ValueError(f"can't reserve {count} uids")
        numbers = range(self._next, self._next + count)
        self._next = numbers.stop
        if not self._owners or self._owners[-1] != owner:
            self._starts.append(numbers.start)
            self._owners.append(owner)
        return numbers

    def owner(self, number: int) -> DocumentKey | None:
        """The document that `number` was given to, alive or not; None when it was never given out."""
        if not 1 <= number < self._next:
            return None
        return self._owners[bisect_right(self._starts, number) - 1]
