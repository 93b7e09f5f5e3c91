"""A long list shown a page at a time. `pageIdx` counts from 0, prose counts from 1."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Generic, TypedDict, TypeVar

__all__ = ["DEFAULT_PAGE_SIZE", "ListPage", "PaginationJson", "paginate"]

#: Items a page when the caller names no size.
DEFAULT_PAGE_SIZE = 20

T = TypeVar("T")


class PaginationJson(TypedDict):
    """The `pagination` key. `startIndex` is inclusive, `endIndex` exclusive, both from 0."""

    currentPage: int
    totalPages: int
    hasNextPage: bool
    hasPreviousPage: bool
    startIndex: int
    endIndex: int
    invalidPage: bool


@dataclass(frozen=True, slots=True)
class ListPage(Generic[T]):
    """One page of a list.

    Attributes:
        everything: the whole list.
        start: index of the first item shown.
        size: items a page.
        invalid: the page asked for does not exist, this is the first one.
        is_paged: somebody wanted pages; else the list is simply shown, and pages are not spoken of.
        is_cut: the size is not what was asked for, but what fits.
    """

    everything: Sequence[T]
    start: int
    size: int
    invalid: bool = False
    is_paged: bool = True
    is_cut: bool = False

    @property
    def items(self) -> Sequence[T]:
        """The items shown."""
        return self.everything[self.start : self.end]

    @property
    def total(self) -> int:
        """Items in the whole list."""
        return len(self.everything)

    @property
    def end(self) -> int:
        """Index after the last item shown."""
        return min(self.start + self.size, self.total)

    @property
    def index(self) -> int:
        """Which page this is, from 0."""
        return self.start // self.size

    @property
    def pages(self) -> int:
        """How many pages there are; an empty list has one."""
        return max(1, -(-self.total // self.size))

    def shorter(self, size: int) -> ListPage[T]:
        """The same start with at most `size` items a page: what was asked for does not fit."""
        return replace(self, size=max(1, min(size, self.size - 1)), is_paged=True, is_cut=True)

    def lines(self) -> list[str]:
        """What the reader must know about the part shown: nothing for an empty list, or one that is shown whole
        without anybody having asked for pages."""
        if not self.is_paged:
            return []
        found = []
        if self.invalid:
            found.append("There is no such page; the first one is shown.")
        if self.total:
            # A page that starts between two pages of the size that fits has no number of its own.
            place = f" (page {self.index + 1} of {self.pages})" if self.start % self.size == 0 else ""
            named = f"pageSize {self.size}, " if self.is_cut else ""
            why = ": no more fit" if self.is_cut else ""
            text = f"Showing {self.start + 1}-{self.end} of {self.total}{place}{why}."
            if self.end < self.total:
                # The next page begins with the first item not shown, or a little before it.
                text += f" Next: {named}pageIdx {self.end // self.size}."
            if self.start:
                text += f" Previous: {named}pageIdx {(self.start - 1) // self.size}."
            found.append(text)
        return found

    def to_json(self) -> PaginationJson:
        """The `pagination` key of the structured reply."""
        return {
            "currentPage": self.index,
            "totalPages": self.pages,
            "hasNextPage": self.end < self.total,
            "hasPreviousPage": self.start > 0,
            "startIndex": self.start,
            "endIndex": self.end,
            "invalidPage": self.invalid,
        }


def paginate(
    items: Sequence[T], page_size: int | None = None, page_idx: int | None = None, *, always: bool = True
) -> ListPage[T]:
    """The page `page_idx` (from 0; None: the first) of `items` with `page_size` items a page.

    A page that does not exist falls back to the first and says so.

    Args:
        always: the list is paged also when nobody asks, by `DEFAULT_PAGE_SIZE`; else all of it is one page then.
    """
    if not always and page_size is None and page_idx is None:
        return ListPage(items, 0, max(1, len(items)), is_paged=False)
    size = page_size if page_size and page_size > 0 else DEFAULT_PAGE_SIZE
    pages = max(1, -(-len(items) // size))
    index = page_idx or 0
    invalid = not 0 <= index < pages
    return ListPage(items, 0 if invalid else index * size, size, invalid)
