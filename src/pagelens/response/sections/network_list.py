"""The requests of a page."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from pagelens.response.formatters.network import NetworkFormatter, url_text
from pagelens.response.order import Order
from pagelens.response.output import Output
from pagelens.response.pagination import ListPage, paginate

if TYPE_CHECKING:
    from pagelens.collectors.network_request import NetworkRequest
    from pagelens.context.mcp_context import McpContext

__all__ = ["NetworkListSection"]


class NetworkListSection:
    """One line a request, oldest first, a page of the list at a time. Fetches no bodies."""

    key: ClassVar[str] = "list of requests"

    def __init__(self) -> None:
        self._page: ListPage[tuple[int, NetworkRequest]] | None = None
        self._recorded = 0
        self._navigations: list[str] = []
        self._preserved = False
        self._note: str | None = None

    def wanted(self, order: Order) -> bool:
        return order.network_list is not None

    async def compute(self, order: Order, context: McpContext) -> None:
        wanted = order.network_list
        page = order.page or context.current_page()
        if wanted is None or page is None:
            return
        navigations = page.network.navigations
        self._navigations = [navigation.url for navigation in navigations]
        self._preserved = wanted.include_preserved
        shown = range(len(navigations) - 1, -1, -1) if self._preserved else (0,)
        items = [(index, request) for index in shown for request in navigations[index].items]
        self._recorded = len(items)
        types = {name.lower() for name in wanted.resource_types}
        if types:
            items = [item for item in items if item[1].resource_type in types]
        self._note = page.network.cap_note(self._preserved)
        self._page = paginate(items, wanted.page_size, wanted.page_idx)

    def render(self, out: Output) -> None:
        page = self._page
        if page is None:
            return
        out.heading("Network requests")
        for line in page.lines():
            out.line(line)
        if self._note:
            out.line(self._note)
        if not page.total:
            out.line(f"None of {self._recorded} requests is of these types." if self._recorded else "No requests.")
        before = None
        for index, request in page.items:
            if self._preserved and index != before:
                out.line(navigation_line(self._navigations, index))
                before = index
            out.line(NetworkFormatter(request).to_string())
        out.json["networkRequests"] = [
            {**NetworkFormatter(request).to_json(), **({"navigationsAgo": index} if self._preserved else {})}
            for index, request in page.items
        ]
        out.json["pagination"] = page.to_json()


def navigation_line(urls: list[str], index: int) -> str:
    """The line above what one navigation has recorded; `urls` newest first."""
    if index == 0:
        return f"Current page {url_text(urls[0])}:" if urls[0] else "Current page:"
    return f"Earlier page {url_text(urls[index])}:" if urls[index] else "Before the first navigation:"
