"""The tool's own lines."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from pagelens.response.order import Order
from pagelens.response.output import Output

if TYPE_CHECKING:
    from pagelens.context.mcp_context import McpContext

__all__ = ["LinesSection"]


class LinesSection:
    """What the handler said itself, in the order it said it."""

    key: ClassVar[str] = "message"

    def __init__(self) -> None:
        self._lines: list[str] = []

    def wanted(self, order: Order) -> bool:
        return bool(order.lines)

    async def compute(self, order: Order, context: McpContext) -> None:
        self._lines = order.lines

    def render(self, out: Output) -> None:
        for line in self._lines:
            out.line(line)
        out.json["message"] = "\n".join(self._lines)
