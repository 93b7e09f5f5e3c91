"""What came of calling a tool that a page offers: of this call, and of earlier ones that had to wait."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from pagelens.response.formatters.page_tools import ToolResultFormatter
from pagelens.response.order import Order
from pagelens.response.output import Output

if TYPE_CHECKING:
    from pagelens.context.mcp_context import McpContext
    from pagelens.context.page_tools import PageToolResult

__all__ = ["ToolResultSection"]


class ToolResultSection:
    """The output on a line, or in a fence when the page marks it as untrusted; a long one goes to a file."""

    key: ClassVar[str] = "tool result"

    def __init__(self) -> None:
        self._result: PageToolResult | None = None

    def wanted(self, order: Order) -> bool:
        return order.tool_result is not None

    async def compute(self, order: Order, context: McpContext) -> None:
        self._result = order.tool_result

    def render(self, out: Output) -> None:
        assert self._result is not None
        formatter = ToolResultFormatter(self._result)
        for line in formatter.lines():
            out.line(line)
        out.json["toolResult"] = formatter.to_json()
        out.failed = self._result.status in ("Error", "Canceled")
