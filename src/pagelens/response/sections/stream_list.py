"""What went over a WebSocket or an event stream."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from pagelens.response.formatters.network import NetworkFormatter
from pagelens.response.formatters.stream import StreamFormatter
from pagelens.response.order import Order
from pagelens.response.output import Output
from pagelens.response.pagination import ListPage, paginate

if TYPE_CHECKING:
    from pagelens.collectors.network_request import NetworkRequest
    from pagelens.collectors.stream_messages import StreamMessage
    from pagelens.context.mcp_context import McpContext

__all__ = ["StreamListSection"]


class StreamListSection:
    """The messages of one socket a page at a time, or which sockets there are."""

    key: ClassVar[str] = "list of messages"

    def __init__(self) -> None:
        self._sockets: list[NetworkRequest] = []
        self._request: NetworkRequest | None = None
        self._page: ListPage[StreamMessage] | None = None
        self._whole = False
        self._filter = ""

    def wanted(self, order: Order) -> bool:
        return order.stream_list is not None

    async def compute(self, order: Order, context: McpContext) -> None:
        wanted = order.stream_list
        page = order.page or context.current_page()
        assert wanted is not None
        assert page is not None
        if wanted.reqid is None:
            self._sockets = [r for r in page.network.get_data(True) if r.messages is not None]
            return
        _, self._request = await context.request(wanted.reqid, page)
        kept = self._request.messages.kept if self._request.messages is not None else []
        if wanted.number is not None:
            self._whole = True
            kept = [message for message in kept if message.number == wanted.number]
        if wanted.direction is not None:
            kept = [message for message in kept if message.direction == wanted.direction]
        if wanted.text:
            self._filter = wanted.text
            needle = wanted.text.lower()
            kept = [message for message in kept if needle in message.text.lower()]
        self._page = paginate(kept, wanted.page_size, wanted.page_idx)

    def render(self, out: Output) -> None:
        if self._request is None:
            self._render_sockets(out)
            return
        assert self._page is not None
        request, messages = self._request, self._request.messages
        out.heading(f"Messages of reqid={request.id}")
        out.line(NetworkFormatter(request).to_string())
        if messages is None:
            out.line("It has no messages: it is neither a WebSocket nor an event stream with events.")
        else:
            out.line(
                f"{messages.total:,} messages; {messages.sent_bytes:,} bytes sent, "
                f"{messages.received_bytes:,} received."
            )
            if messages.dropped:
                out.line(f"The first {messages.dropped:,} are no longer kept.")
            for line in self._page.lines():
                out.line(line)
            if messages.total and not self._page.total:
                out.line("None of those kept matches.")
        found: list[Any] = []
        for message in self._page.items:
            formatter = StreamFormatter(message, request.started, whole=self._whole)
            out.block(formatter.to_string())
            found.append(formatter.to_json())
        out.json["webSocketMessages"] = found
        out.json["pagination"] = self._page.to_json()

    def _render_sockets(self, out: Output) -> None:
        out.heading("WebSockets and event streams")
        if not self._sockets:
            out.line("The page has opened none that are kept.")
        found = []
        for request in self._sockets:
            assert request.messages is not None
            out.line(f"{NetworkFormatter(request).to_string()}, {request.messages.total:,} messages")
            found.append({**NetworkFormatter(request).to_json(), "messages": request.messages.total})
        out.json["webSockets"] = found
