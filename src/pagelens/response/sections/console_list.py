"""The console of a page."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from pagelens.response.formatters.console import ConsoleFormatter, FoldedMessage, fold
from pagelens.response.order import Order
from pagelens.response.output import Output
from pagelens.response.pagination import ListPage, paginate
from pagelens.response.sections.network_list import navigation_line

if TYPE_CHECKING:
    from pagelens.context.mcp_context import McpContext

__all__ = ["ConsoleListSection"]


class ConsoleListSection:
    """One line a message, oldest first, repeats folded, a page of the list at a time."""

    key: ClassVar[str] = "list of console messages"

    def __init__(self) -> None:
        self._page: ListPage[tuple[int, FoldedMessage]] | None = None
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
        for line in page.lines():
            out.line(line)
        if self._note:
            out.line(self._note)
        if not page.total:
            out.line(f"None of {self._recorded} messages is of these types." if self._recorded else "No messages.")
        before = None
        for index, folded in page.items:
            if self._preserved and index != before:
                out.line(navigation_line(self._navigations, index))
                before = index
            out.line(ConsoleFormatter(folded.message, folded.count).to_string())
        out.json["consoleMessages"] = [
            {
                **ConsoleFormatter(folded.message, folded.count).to_json(),
                **({"navigationsAgo": index} if self._preserved else {}),
            }
            for index, folded in page.items
        ]
        out.json["pagination"] = page.to_json()
