"""One request in full, with its bodies."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from pagelens.errors import RecordGone
from pagelens.response.formatters.body import BodyFormatter
from pagelens.response.formatters.network import NetworkFormatter, NetworkRequestDetailsJson
from pagelens.response.order import Order
from pagelens.response.output import Output

if TYPE_CHECKING:
    from pagelens.collectors.bodies import Body
    from pagelens.collectors.network_request import NetworkRequest
    from pagelens.context.mcp_context import McpContext
    from pagelens.context.mcp_page import McpPage

__all__ = ["NetworkDetailSection"]


class NetworkDetailSection:
    """What is recorded of a request, headers with what was really sent, bodies in part or in files."""

    key: ClassVar[str] = "request"

    def __init__(self) -> None:
        self._text = ""
        self._json: NetworkRequestDetailsJson | None = None
        self._page_line = ""
        self._failed = False

    def wanted(self, order: Order) -> bool:
        return order.network_detail is not None

    async def compute(self, order: Order, context: McpContext) -> None:
        wanted = order.network_detail
        page = order.page or context.current_page()
        assert wanted is not None
        assert page is not None
        owner, request = await context.request(wanted.reqid, page)
        if owner is not page:
            self._page_line = f"Recorded on page {owner.id} ({owner.printable_url})."
        redact = context.options.redact_network_headers
        preflight_for = None
        if request.preflight_for:
            sent_for = owner.network.find(lambda other: other.request_id == request.preflight_for)
            preflight_for = sent_for.id if sent_for is not None else None
        formatter = NetworkFormatter(
            request,
            redact_headers=redact,
            preflight_for=preflight_for,
            asked_by_worker=[other.id for other in owner.network.asked_by_worker(request)],
        )
        bodies = {
            "request_body": await self._request_body(
                owner, request, context, wanted.request_path, wanted.body_offset, wanted.body_limit
            ),
            "response_body": await self._response_body(
                owner, request, context, wanted.response_path, wanted.body_offset, wanted.body_limit
            ),
        }
        self._text = formatter.to_string_detailed(**bodies)
        self._json = formatter.to_json_detailed(**bodies)

    def render(self, out: Output) -> None:
        out.heading("Request")
        if self._page_line:
            out.line(self._page_line)
        out.block(self._text)
        out.json["networkRequest"] = self._json
        out.failed = self._failed

    async def _request_body(
        self, owner: McpPage, request: NetworkRequest, context: McpContext, path: Path | None, offset: int, limit: int
    ) -> BodyFormatter | None:
        body: Body | None = None
        missing = "none was sent"
        try:
            body = await owner.network.bodies.request_body(request)
        except RecordGone as error:
            missing = str(error)
        if body is None and path is None and not request.has_body:
            return None
        mime = next((v for n, v in request.request_headers().items() if n.lower() == "content-type"), "")
        return await self._shown(
            "Request body", body, missing, mime, "", context, path, offset, limit, "requestFilePath"
        )

    async def _response_body(
        self, owner: McpPage, request: NetworkRequest, context: McpContext, path: Path | None, offset: int, limit: int
    ) -> BodyFormatter | None:
        body: Body | None = None
        missing = ""
        try:
            body = await owner.network.bodies.response_body(request)
        except RecordGone as error:
            missing = str(error)
        if body is None and path is None and request.messages is not None:
            return None
        return await self._shown(
            "Response body", body, missing, request.mime_type, request.charset, context, path, offset, limit,
            "responseFilePath",
        )  # fmt: skip

    async def _shown(
        self,
        title: str,
        body: Body | None,
        missing: str,
        mime_type: str,
        charset: str,
        context: McpContext,
        path: Path | None,
        offset: int,
        limit: int,
        parameter: str,
    ) -> BodyFormatter:
        written: str | None = None
        if path is not None:
            if body is None:
                # The file was promised; nothing stands in its place.
                self._failed = True
                missing = f"not written to a file. {missing[:1].upper()}{missing[1:]}"
            else:
                written = str(await context.write_file(path, body.data))
        return BodyFormatter(
            title,
            body,
            missing=missing,
            mime_type=mime_type,
            charset=charset,
            offset=offset,
            limit=limit,
            file_path=written,
            parameter=parameter,
        )
