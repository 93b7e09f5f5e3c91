"""One line that says that a page offers tools."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, ClassVar

from pagelens.core.safe_text import one_line, shortened
from pagelens.errors import PagelensError
from pagelens.response.order import Order
from pagelens.response.output import Output

if TYPE_CHECKING:
    from pagelens.context.mcp_context import McpContext
    from pagelens.context.mcp_page import McpPage

__all__ = ["PageToolsSection"]

log = logging.getLogger(__name__)

#: So many names are told, each with so many characters.
MOST = 10
NAME_CHARS = 60


class PageToolsSection:
    """Only for agents that have the tools to use them."""

    key: ClassVar[str] = "page tools"

    def __init__(self) -> None:
        self._names: list[str] = []
        self._listens = False

    def wanted(self, order: Order) -> bool:
        return order.page_tools

    async def compute(self, order: Order, context: McpContext) -> None:
        page = order.page or context.current_page()
        if page is None or page.dialog is not None:
            return
        on = context.options.categories
        if not (on.get("webmcp") or on.get("third-party")):
            return
        try:
            if await page.tools.settled() and on.get("third-party"):
                self._listens = bool(page.tools.debugging_groups()) or await page.tools.listens()
        except PagelensError as error:
            log.info("page %d could not be asked for its tools: %s", page.id, error)
        if on.get("webmcp"):
            self._names = _names(page)

    def render(self, out: Output) -> None:
        if self._names:
            count = len(self._names)
            shown = ", ".join(self._names[:MOST]) + (f" and {count - MOST} more" if count > MOST else "")
            out.line(f"This page offers {count} {'tool' if count == 1 else 'tools'}: {shown} (list_webmcp_tools).")
            out.json["pageTools"] = self._names
        if self._listens:
            out.line("This page offers developer tools (list_3p_developer_tools).")
            out.json["hasDeveloperTools"] = True


def _names(page: McpPage) -> list[str]:
    return [shortened(one_line(tool.name), NAME_CHARS) for tool in page.tools.webmcp_tools()]
