"""What went over a WebSocket or an event stream."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

from pagelens.response.formatters.network import NetworkFormatter
from pagelens.response.formatters.stream import StreamFormatter
from pagelens.response.listing import Listing, table
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
        self._sockets: ListPage[NetworkRequest] = paginate([], always=False)
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
            sockets = [r for r in page.network.get_data(True) if r.messages is not None]
            self._sockets = paginate(sockets, wanted.page_size, wanted.page_idx, always=False)
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
            if messages.total and not self._page.total:
                out.line("None of those kept matches.")

        def shown(items: Sequence[StreamMessage]) -> list[StreamFormatter]:
            return [StreamFormatter(message, request.started, whole=self._whole) for message in items]

        out.items(
            Listing(
                key="webSocketMessages",
                page=self._page,
                text=lambda items: [line for each in shown(items) for line in each.to_string().split("\n")],
                data=lambda items: table("webSocketMessages", [{**each.to_json()} for each in shown(items)]),
                json=lambda items: [each.to_json() for each in shown(items)],
            )
        )

    def _render_sockets(self, out: Output) -> None:
        out.heading("WebSockets and event streams")
        if not self._sockets.total:
            out.line("The page has opened none that are kept.")
        out.items(
            Listing(
                key="webSockets",
                page=self._sockets,
                text=lambda items: [
                    f"{NetworkFormatter(request).to_string()}, {_messages(request):,} messages" for request in items
                ],
                data=lambda items: table(
                    "webSockets",
                    [{**NetworkFormatter(request).to_row(), "messages": _messages(request)} for request in items],
                ),
                json=lambda items: [
                    {**NetworkFormatter(request).to_json(), "messages": _messages(request)} for request in items
                ],
            )
        )


def _messages(request: NetworkRequest) -> int:
    return 0 if request.messages is None else request.messages.total
