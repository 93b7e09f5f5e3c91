"""The list of pages."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, NotRequired, TypedDict

from pagelens.core.safe_text import one_line, quoted, shortened
from pagelens.response.listing import Listing, Row, table
from pagelens.response.order import Order
from pagelens.response.output import Output
from pagelens.response.pagination import ListPage, paginate

if TYPE_CHECKING:
    from pagelens.context.mcp_context import McpContext
    from pagelens.context.mcp_page import McpPage

__all__ = ["PageJson", "PagesSection"]

#: Characters of a URL (think of `data:`) and of a title in the list.
URL_CHARS = 300
TITLE_CHARS = 80


class PageJson(TypedDict):
    """One page of the `pages` key."""

    id: int
    url: str
    title: str
    selected: bool
    opener: NotRequired[int]
    loading: NotRequired[bool]
    crashed: NotRequired[bool]
    dialog: NotRequired[bool]
    devtools: NotRequired[bool]
    isolatedContext: NotRequired[str]


class PagesSection:
    """One line a page, from what the browser knows: no page is asked anything."""

    key: ClassVar[str] = "list of pages"

    def __init__(self) -> None:
        self._page: ListPage[PageJson] = paginate([], always=False)

    def wanted(self, order: Order) -> bool:
        return order.pages is not None

    async def compute(self, order: Order, context: McpContext) -> None:
        assert order.pages is not None
        if context.host.is_running:
            await context.host.refresh()
        pages = [_described(page, page.id == context.selected_id) for page in context.pages()]
        self._page = paginate(pages, order.pages.page_size, order.pages.page_idx, always=False)

    def render(self, out: Output) -> None:
        out.heading("Pages")
        if not self._page.total:
            out.line("None.")
        out.items(
            Listing(
                key="pages",
                page=self._page,
                text=lambda pages: [_line(page) for page in pages],
                data=lambda pages: table("pages", [_row(page) for page in pages]),
                json=list,
            )
        )


def _described(page: McpPage, selected: bool) -> PageJson:
    found: PageJson = {
        "id": page.id,
        "url": shortened(one_line(page.url), URL_CHARS),
        "title": shortened(one_line(page.title), TITLE_CHARS),
        "selected": selected,
    }
    if page.opener_id is not None:
        found["opener"] = page.opener_id
    if page.is_loading:
        found["loading"] = True
    if page.is_crashed:
        found["crashed"] = True
    if page.dialog is not None:
        found["dialog"] = True
    if page.page.has_devtools:
        found["devtools"] = True
    if page.page.context_name is not None:
        found["isolatedContext"] = one_line(page.page.context_name)
    return found


def _line(page: PageJson) -> str:
    marks = _marks(page)
    title = f" {quoted(page['title'])}" if page["title"] else ""
    return f"{page['id']}: {page['url']}{title}" + (f" [{', '.join(marks)}]" if marks else "")


def _row(page: PageJson) -> Row:
    return {
        "id": page["id"],
        "url": page["url"],
        "title": page["title"] or None,
        "note": ", ".join(_marks(page)) or None,
    }


def _marks(page: PageJson) -> list[str]:
    marks = []
    if page["selected"]:
        marks.append("selected")
    if "opener" in page:
        marks.append(f"opened by {page['opener']}")
    if "isolatedContext" in page:
        marks.append(f"isolated context {quoted(page['isolatedContext'])}")
    if "loading" in page:
        marks.append("loading")
    if "crashed" in page:
        marks.append("crashed: reload it or close it")
    if "dialog" in page:
        marks.append("dialog open: handle_dialog")
    if "devtools" in page:
        marks.append("DevTools open")
    return marks
