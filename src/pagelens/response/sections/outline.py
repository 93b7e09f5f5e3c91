"""The page's outline."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from pagelens.response.order import Order
from pagelens.response.output import Output

if TYPE_CHECKING:
    from pagelens.context.mcp_context import McpContext
    from pagelens.snapshot.outline import Outline

__all__ = ["OutlineSection"]


class OutlineSection:
    """An outline. It was made to fit into a reply: what is not printed stands in ranges."""

    key: ClassVar[str] = "outline"

    def __init__(self) -> None:
        self._outline: Outline | None = None

    def wanted(self, order: Order) -> bool:
        return order.outline is not None

    async def compute(self, order: Order, context: McpContext) -> None:
        self._outline = order.outline

    def render(self, out: Output) -> None:
        assert self._outline is not None
        head, _, rest = self._outline.text.partition("\n")
        stats = self._outline.stats
        out.heading(head)
        out.block(rest)
        out.json["outline"] = rest
        out.json["outlineStats"] = {"raw": stats.raw, "shrunk": stats.shrunk, "folded": stats.folded}
