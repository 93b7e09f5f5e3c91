"""The console of a page."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from pagelens.response.formatters.console import ConsoleFormatter, FoldedMessage, fold
from pagelens.response.formatters.tables import message_table
from pagelens.response.listing import Listing, Row, table
from pagelens.response.order import Order
from pagelens.response.output import Output
from pagelens.response.pagination import ListPage, paginate
from pagelens.response.sections.network_list import navigation_headings

if TYPE_CHECKING:
    from pagelens.context.mcp_context import McpContext

__all__ = ["ConsoleListSection"]

#: A message and how many navigations ago it was said.
_Item = tuple[int, FoldedMessage]


class ConsoleListSection:
    """One line a message, oldest first, repeats folded, a page of the list at a time."""

    key: ClassVar[str] = "list of console messages"

    def __init__(self) -> None:
        self._page: ListPage[_Item] | None = None
        self._recorded = 0
        self._navigations: list[str] = []
        self._preserved = False
        self._note: str | None = None

    def wanted(self, order: Order) -> bool:
        return order.console_list is not None

    async def compute(self, order: Order, context: McpContext) -> None:
        wanted = order.console_list
        page = order.page or context.current_page()
        if wanted is None or page is None:
            return
        navigations = page.console.navigations
        self._navigations = [navigation.url for navigation in navigations]
        self._preserved = wanted.include_preserved
        shown = range(len(navigations) - 1, -1, -1) if self._preserved else (0,)
        self._recorded = sum(len(navigations[index].items) for index in shown)
        types = set(wanted.types)
        # Folded before it is cut into pages, each navigation by itself.
        items = [
            (index, folded)
            for index in shown
            for folded in fold(m for m in navigations[index].items if not types or m.type in types)
        ]
        self._note = page.console.cap_note(self._preserved)
        self._page = paginate(items, wanted.page_size, wanted.page_idx)

    def render(self, out: Output) -> None:
        page = self._page
        if page is None:
            return
        out.heading("Console messages")
        if self._note:
            out.line(self._note)
        if not page.total:
            out.line(f"None of {self._recorded} messages is of these types." if self._recorded else "No messages.")
        out.items(
            Listing(
                key="consoleMessages",
                page=page,
                text=self._text,
                data=self._data,
                json=lambda items: [{**_formatter(folded).to_json(), **self._ago(index)} for index, folded in items],
            )
        )

    def _text(self, items: Sequence[_Item]) -> list[str]:
        headings = navigation_headings(self._navigations, [index for index, _ in items]) if self._preserved else {}
        return message_table([_formatter(folded).to_row() for _, folded in items], headings)

    def _data(self, items: Sequence[_Item]) -> dict[str, Any]:
        rows: list[Row] = [{**_formatter(folded).to_row(), **self._ago(index)} for index, folded in items]
        for row in rows:
            row["source"] = row["source"] or None
        return table("consoleMessages", rows)

    def _ago(self, index: int) -> dict[str, int]:
        return {"navigationsAgo": index} if self._preserved else {}


def _formatter(folded: FoldedMessage) -> ConsoleFormatter:
    return ConsoleFormatter(folded.message, folded.count)
