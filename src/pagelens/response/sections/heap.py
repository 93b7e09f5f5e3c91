"""A question about heap snapshots, answered."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from pagelens.response.formatters.heap import VIEWS, HeapView, leaks_view, table_lines
from pagelens.response.listing import Listing, Row, table
from pagelens.response.order import Order
from pagelens.response.output import Output
from pagelens.response.pagination import ListPage, paginate

if TYPE_CHECKING:
    from pagelens.context.mcp_context import McpContext

__all__ = ["HeapSection"]


class HeapSection:
    """Facts of a snapshot, a table of it, or what leaks."""

    key: ClassVar[str] = "heap"

    def __init__(self) -> None:
        self._view = HeapView("Heap")
        self._page: ListPage[Any] = paginate([], always=False)

    def wanted(self, order: Order) -> bool:
        return order.heap is not None or order.leaks is not None

    async def compute(self, order: Order, context: McpContext) -> None:
        if order.leaks is not None:
            self._view = leaks_view(order.leaks)
            self._page = paginate(self._view.items, always=False)
        elif order.heap is not None:
            wanted = order.heap
            # The first question of a kind works through all of a snapshot.
            self._view = await asyncio.to_thread(VIEWS[wanted.view], wanted.snapshots, **wanted.given)
            self._page = paginate(self._view.items, wanted.page_size, wanted.page_idx, always=self._view.is_paged)

    def render(self, out: Output) -> None:
        view = self._view
        out.heading(view.title)
        for line in view.lines:
            out.line(line)
        if view.facts:
            out.json["heapSnapshot"] = view.facts
        if view.key:
            out.items(
                Listing(
                    key=view.key,
                    page=self._page,
                    text=self._text,
                    data=lambda items: table(view.key, self._rows(items)),
                    json=self._json,
                    is_paged=view.is_paged,
                )
            )

    def _rows(self, items: Sequence[Any]) -> list[Row]:
        return [self._view.row(item) for item in items]

    def _text(self, items: Sequence[Any]) -> list[str]:
        rows = self._rows(items)
        return table_lines(rows) if self._view.text is None else self._view.text(rows)

    def _json(self, items: Sequence[Any]) -> list[Row]:
        return [{key: value for key, value in row.items() if value is not None} for row in self._rows(items)]
