"""The requests of a page."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from pagelens.collectors.request_filter import RequestFilter
from pagelens.response.formatters.network import NetworkFormatter, NetworkRow, url_text
from pagelens.response.formatters.tables import request_table, shared_origin, under
from pagelens.response.listing import Listing, table
from pagelens.response.order import Order
from pagelens.response.output import Output
from pagelens.response.pagination import ListPage, paginate

if TYPE_CHECKING:
    from pagelens.collectors.network_request import NetworkRequest
    from pagelens.context.mcp_context import McpContext

__all__ = ["NetworkListSection", "navigation_headings"]

#: A request and how many navigations ago it was made.
_Item = tuple[int, "NetworkRequest"]

#: The note on the request that is selected in the page's DevTools window.
SELECTED = "[selected in DevTools]"


class NetworkListSection:
    """One line a request, oldest first, a page of the list at a time. Fetches no bodies."""

    key: ClassVar[str] = "list of requests"

    def __init__(self) -> None:
        self._page: ListPage[_Item] | None = None
        self._recorded = 0
        self._navigations: list[str] = []
        self._preserved = False
        self._note: str | None = None
        self._filter = RequestFilter()
        self._selected: str | None = None

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
        self._filter = wanted.filter
        if self._filter:
            items = [item for item in items if self._filter.matches(item[1])]
        self._note = page.network.cap_note(self._preserved)
        if order.devtools:
            self._selected = (await context.host.devtools.selection(page.page)).request_id
        self._page = paginate(items, wanted.page_size, wanted.page_idx)

    def render(self, out: Output) -> None:
        page = self._page
        if page is None:
            return
        out.heading("Network requests")
        if self._note:
            out.line(self._note)
        if not self._recorded:
            out.line("No requests.")
        elif not page.total:
            out.line(f"None of {self._recorded} requests matches: {self._filter}.")
        out.items(Listing(key="networkRequests", page=page, text=self._text, data=self._data, json=self._json))

    def _text(self, items: Sequence[_Item]) -> list[str]:
        headings = navigation_headings(self._navigations, [index for index, _ in items]) if self._preserved else {}
        return request_table([self._row(request) for _, request in items], headings)

    def _data(self, items: Sequence[_Item]) -> dict[str, Any]:
        rows = [self._row(request) for _, request in items]
        origin = shared_origin(rows)
        found = [{**under(row, origin), **self._ago(index)} for row, (index, _) in zip(rows, items, strict=True)]
        return table("networkRequests", found, urlsFromSlashAreUnder=origin or None)

    def _json(self, items: Sequence[_Item]) -> list[dict[str, Any]]:
        return [
            {
                **NetworkFormatter(request).to_json(),
                **self._ago(index),
                **({"selectedInDevTools": True} if self._is_selected(request) else {}),
            }
            for index, request in items
        ]

    def _row(self, request: NetworkRequest) -> NetworkRow:
        row = NetworkFormatter(request).to_row()
        if self._is_selected(request):
            row["note"] = f"{row['note']} {SELECTED}" if row["note"] else SELECTED
        return row

    def _is_selected(self, request: NetworkRequest) -> bool:
        # Hops of a redirect share the id; DevTools shows the last one by it.
        return request.request_id == self._selected and request.redirected_to is None

    def _ago(self, index: int) -> dict[str, int]:
        return {"navigationsAgo": index} if self._preserved else {}


def navigation_headings(urls: Sequence[str], indexes: Sequence[int]) -> dict[int, str]:
    """The lines above what each navigation has recorded, by the place of its first item.

    Args:
        urls: of the navigations, newest first.
        indexes: the navigation of each item.
    """
    starts = [place for place, index in enumerate(indexes) if place == 0 or index != indexes[place - 1]]
    return {place: navigation_line(urls, indexes[place]) for place in starts}


def navigation_line(urls: Sequence[str], index: int) -> str:
    """The line above what one navigation has recorded; `urls` newest first."""
    if index == 0:
        return f"Current page {url_text(urls[0])}:" if urls[0] else "Current page:"
    return f"Earlier page {url_text(urls[index])}:" if urls[index] else "Before the first navigation:"
