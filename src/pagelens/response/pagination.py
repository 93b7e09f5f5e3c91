"""A long list shown a page at a time. `pageIdx` counts from 0, prose counts from 1."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
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
        items: those on this page.
        index: which page this is, from 0.
        pages: how many there are; an empty list has one.
        start: index of the first item in the whole list.
        total: items in the whole list.
        invalid: the page asked for does not exist, this is the first one.
    """

    items: Sequence[T]
    index: int
    pages: int
    start: int
    total: int
    invalid: bool

    @property
    def end(self) -> int:
        """Index after the last item."""
        return self.start + len(self.items)

    def lines(self) -> list[str]:
        """What the reader must know about the part shown: nothing for an empty list."""
        found = []
        if self.invalid:
            found.append("There is no such page; the first one is shown.")
        if self.total:
            text = f"Showing {self.start + 1}-{self.end} of {self.total} (page {self.index + 1} of {self.pages})."
            if self.index + 1 < self.pages:
                text += f" Next: pageIdx {self.index + 1}."
            if self.index:
                text += f" Previous: pageIdx {self.index - 1}."
            found.append(text)
        return found

    def to_json(self) -> PaginationJson:
        """The `pagination` key of the structured reply."""
        return {
            "currentPage": self.index,
            "totalPages": self.pages,
            "hasNextPage": self.index + 1 < self.pages,
            "hasPreviousPage": self.index > 0,
            "startIndex": self.start,
            "endIndex": self.end,
            "invalidPage": self.invalid,
        }


def paginate(items: Sequence[T], page_size: int | None = None, page_idx: int | None = None) -> ListPage[T]:
    """The page `page_idx` (from 0; None: the first) of `items` with `page_size` items a page.

    A page that does not exist falls back to the first and says so.
    """
    size = page_size if page_size and page_size > 0 else DEFAULT_PAGE_SIZE
    pages = max(1, -(-len(items) // size))
    index = page_idx or 0
    invalid = not 0 <= index < pages
    if invalid:
        index = 0
    start = index * size
    return ListPage(items[start : start + size], index, pages, start, len(items), invalid)
