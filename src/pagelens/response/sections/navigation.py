"""How a navigation that the tool made ended."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from pagelens.response.formatters.effects import (
    address,
    download_json,
    download_line,
    new_page_json,
    new_page_line,
    pending_line,
    with_status,
)
from pagelens.response.order import NavigationOrder, Order
from pagelens.response.output import Output

if TYPE_CHECKING:
    from pagelens.browser.navigation import NavigationResult
    from pagelens.context.mcp_context import McpContext

__all__ = ["NavigationSection"]


class NavigationSection:
    """Each outcome in its own true words: an HTTP error, a download or a dialog is no failure."""

    key: ClassVar[str] = "navigation"

    def __init__(self) -> None:
        self._order: NavigationOrder | None = None

    def wanted(self, order: Order) -> bool:
        return order.navigation is not None

    async def compute(self, order: Order, context: McpContext) -> None:
        self._order = order.navigation

    def render(self, out: Output) -> None:
        if self._order is None:
            return
        result = self._order.result
        out.line(_sentence(result, self._order.verb))
        if result.status in (401, 407):
            who = "server" if result.status == 401 else "proxy"
            out.line(
                f"If the {who} wants user and password, the user can give them with --http-credentials when starting "
                "pagelens."
            )
        if result.pending and result.dialog is None:  # behind a dialog everything stands still
            out.line(pending_line(result.pending))
        for page in result.new_pages:
            out.line(new_page_line(page))
        out.json["navigation"] = _json(result)


def _sentence(result: NavigationResult, verb: str) -> str:
    place = with_status(result.url, result.status)
    match result.outcome:
        case "download":
            began = download_line(result.download) if result.download else "A download began."
            return f"The address is a file, not a page. {began} The page still shows {address(result.url)}."
        case "no_content":
            return f"The server answered {result.status}, nothing to show: the page still shows {address(result.url)}."
        case "same_document":
            return f"{verb} {place}, within the same document."
        case "bfcache":
            return f"{verb} {place}, restored as it was left."
        case "dialog":
            return f"{verb} {place}; a dialog opened meanwhile and holds the page."
        case "loading":
            return f"{verb} {place}; after {result.waited_ms} ms its DOM is not complete yet, but it can be used."
        case _:
            return f"{verb} {place}."


def _json(result: NavigationResult) -> dict[str, Any]:
    found: dict[str, Any] = {"outcome": result.outcome, "url": address(result.url)}
    if result.status is not None:
        found["status"] = result.status
    if result.pending:
        found["stillLoading"] = [address(url) for url in result.pending]
    if result.download is not None:
        found["download"] = download_json(result.download)
    if result.new_pages:
        found["newPages"] = [new_page_json(page) for page in result.new_pages]
    return found
