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
        self._late: list[PageToolResult] = []

    def wanted(self, order: Order) -> bool:
        return True

    async def compute(self, order: Order, context: McpContext) -> None:
        self._result = order.tool_result
        if context.options.webmcp:
            self._late = [result for page in context.pages() for result in page.tools.take_late()]

    def render(self, out: Output) -> None:
        if self._result is not None:
            formatter = ToolResultFormatter(self._result)
            for line in formatter.lines():
                out.line(line)
            out.json["toolResult"] = formatter.to_json()
            out.failed = self._result.status in ("Error", "Canceled")
        for late in self._late:
            for line in ToolResultFormatter(late).lines():
                out.line(line)
        if self._late:
            out.json["lateToolResults"] = [ToolResultFormatter(late).to_json() for late in self._late]
