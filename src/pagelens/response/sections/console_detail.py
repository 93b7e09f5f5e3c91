"""One console message in full."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from pagelens.context.console_details import console_details
from pagelens.response.formatters.issue import formatter_of
from pagelens.response.order import Order
from pagelens.response.output import Output

if TYPE_CHECKING:
    from pagelens.context.mcp_context import McpContext
    from pagelens.response.formatters.console import ConsoleFormatter
    from pagelens.response.formatters.issue import IssueFormatter

__all__ = ["ConsoleDetailSection"]


class ConsoleDetailSection:
    """What is recorded of a message, objects as they are now, an issue's requests and elements by our ids."""

    key: ClassVar[str] = "console message"

    def __init__(self) -> None:
        self._formatter: ConsoleFormatter | IssueFormatter | None = None
        self._ago = 0

    def wanted(self, order: Order) -> bool:
        return order.console_detail is not None

    async def compute(self, order: Order, context: McpContext) -> None:
        page = order.page or context.current_page()
        assert order.console_detail is not None
        assert page is not None
        message = page.console.lookup(order.console_detail)
        details = await console_details(page, message)
        self._ago = details.navigations_ago
        self._formatter = formatter_of(message, details=details)

    def render(self, out: Output) -> None:
        if self._formatter is None:
            return
        out.heading("Console message")
        if self._ago:
            out.line(f"Said {self._ago} navigation{'s' if self._ago > 1 else ''} ago.")
        out.block(self._formatter.to_string_detailed())
        out.json["consoleMessage"] = {
            **self._formatter.to_json_detailed(),
            **({"navigationsAgo": self._ago} if self._ago else {}),
        }
