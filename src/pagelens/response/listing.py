"""Items of which a reply shows as many as fit: a list, a snapshot's lines."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Generic, TypeVar

from pagelens.response.encoding import Encoder
from pagelens.response.pagination import ListPage

__all__ = ["Listing", "Row", "table"]

T = TypeVar("T")

#: One item as data: every value a JSON scalar.
Row = dict[str, Any]


class Listing(Generic[T]):
    """What a section shows of many items, in whichever form the user chose.

    Args:
        key: the JSON key, and the name of the list in encoded text.
        page: the items that were asked for.
        text: lines for some of the items. May say once what they share.
        data: the same for `Encoder`: see `table`.
        json: the same for the structured reply.
        go_on: for lists that are not paged: how the reader gets what follows the first so many items. The reply says it
            when not all are shown.
        is_paged: the tool takes ``pageSize`` and ``pageIdx``: what does not fit is on the next page. Else it goes to a
            file.

    Attributes:
        page: the items that are shown.
        whole: those that were asked for.
    """

    def __init__(
        self,
        *,
        key: str,
        page: ListPage[T],
        text: Callable[[Sequence[T]], list[str]],
        data: Callable[[Sequence[T]], dict[str, Any]],
        json: Callable[[Sequence[T]], Any],
        is_paged: bool = True,
        go_on: Callable[[int], str] | None = None,
    ) -> None:
        self.key = key
        self.page = self.whole = page
        self.is_paged = is_paged
        self.go_on = go_on
        self._text = text
        self._data = data
        self._json = json
        self._shown: tuple[ListPage[T], Encoder | None, list[str]] | None = None

    def shorten(self, size: int) -> None:
        """Show at most so many items: no more fit."""
        self.page = self.page.shorter(size)

    def lines(self, encoder: Encoder | None) -> list[str]:
        """The text: which part is shown, then the items, encoded if the user wants that."""
        if self._shown is None or self._shown[0] is not self.page or self._shown[1] is not encoder:
            self._shown = (self.page, encoder, self._lines(encoder))
        return self._shown[2]

    def whole_lines(self) -> list[str]:
        """Plain lines for all items that were asked for."""
        return self._text(self.whole.items)

    def _lines(self, encoder: Encoder | None) -> list[str]:
        about = self.page.lines() if self.is_paged else []
        items = self.page.items
        if not items:
            return about
        rest = []
        if self.go_on is not None and self._left:
            rest = [f"… {self._left} more lines: cursor {self.go_on(self.page.end)}"]
        if encoder is None:
            return about + self._text(items) + rest
        encoded = encoder.encode(self._data(items))
        if encoded is None:
            return [*about, f"(Plain text: {encoder.name} can't hold this exactly.)", *self._text(items), *rest]
        return about + encoded.split("\n") + rest

    @property
    def _left(self) -> int:
        """How many items follow those shown."""
        return self.page.total - self.page.end

    def json(self) -> dict[str, Any]:
        """The keys of the structured reply."""
        found = {self.key: self._json(self.page.items)}
        if self.is_paged and self.page.is_paged:
            found["pagination"] = self.page.to_json()
        if self.go_on is not None and self._left:
            found[f"{self.key}Cursor"] = self.go_on(self.page.end)
        return found


def table(key: str, rows: Sequence[Row], **about: Any) -> dict[str, Any]:
    """Rows as a table for the encoders: every row with the same columns, None where it has no value.

    A column without any value is left out; so is `about`, facts for all rows, where it is None.
    """
    columns = list(dict.fromkeys(column for row in rows for column, value in row.items() if value is not None))
    found = {name: value for name, value in about.items() if value is not None}
    found[key] = [{column: row.get(column) for column in columns} for row in rows]
    return found
