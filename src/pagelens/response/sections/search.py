"""What of the page as text matches a pattern."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from pagelens.response.order import Order
from pagelens.response.output import Output

if TYPE_CHECKING:
    from pagelens.context.mcp_context import McpContext
    from pagelens.snapshot.search import SearchResult

__all__ = ["SearchSection"]


class SearchSection:
    """The matches under what they are in."""

    key: ClassVar[str] = "search"

    def __init__(self) -> None:
        self._result: SearchResult | None = None

    def wanted(self, order: Order) -> bool:
        return order.search is not None

    async def compute(self, order: Order, context: McpContext) -> None:
        self._result = order.search

    def render(self, out: Output) -> None:
        result = self._result
        assert result is not None
        out.block(result.text)
        out.json["search"] = {
            "total": result.total,
            "shown": result.shown,
            "searchedLines": result.searched,
            "uids": list(result.uids),
            "lines": list(result.lines),
        }
