"""What the reader must know before anything else: the browser was restarted, the selection moved."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from pagelens.core.safe_text import one_line, shortened
from pagelens.response.order import Order
from pagelens.response.output import Output

if TYPE_CHECKING:
    from pagelens.context.mcp_context import McpContext

__all__ = ["NoticesSection"]

#: Characters of one thing that happened while nobody watched.
NEWS_CHARS = 400


class NoticesSection:
    """Drains the context's notices at the last moment, so that what another section caused is in time."""

    key: ClassVar[str] = "notices"

    def __init__(self) -> None:
        self._context: McpContext | None = None
        self._page_used: str | None = None
        self._news: list[str] = []

    def wanted(self, order: Order) -> bool:
        return True

    async def compute(self, order: Order, context: McpContext) -> None:
        self._context = context
        limit = min(NEWS_CHARS, context.options.max_reply_chars // 50)
        self._news = [shortened(one_line(news), limit) for news in order.news]
        if order.name_page and order.page is not None:
            self._page_used = f"Page {order.page.id} was used: {order.page.printable_url}"

    def render(self, out: Output) -> None:
        if self._context is None:
            return
        out.is_kept = True
        notices = self._context.drain_notices()
        texts = [notice.text for notice in notices]
        texts += [f"Since the last call: {news}" for news in self._news]
        if self._page_used is not None:
            texts.append(self._page_used)
        for text in texts:
            out.line(text)
        if texts:
            out.json["notices"] = texts
        if any(notice.kind == "reconnected" for notice in notices):
            out.json["reconnected"] = True
