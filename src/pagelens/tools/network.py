"""What the page requested, and what it got."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from pydantic import Field

from pagelens.collectors.request_filter import RequestFilter
from pagelens.tools.definition import FileUse, PageToolRequest, ToolParams, define_page_tool

if TYPE_CHECKING:
    from pagelens.context.mcp_context import McpContext
    from pagelens.response.mcp_response import McpResponse

__all__ = ["export_har", "get_network_request", "list_network_requests", "list_websocket_messages"]

ResourceType = Literal[
    "document",
    "stylesheet",
    "image",
    "media",
    "font",
    "script",
    "texttrack",
    "xhr",
    "fetch",
    "prefetch",
    "eventsource",
    "websocket",
    "manifest",
    "signedexchange",
    "ping",
    "cspviolationreport",
    "preflight",
    "fedcm",
    "other",
]


class ListNetworkRequestsParams(ToolParams):
    pageSize: int | None = Field(default=None, gt=0, description="Requests a page; default 20.")
    pageIdx: int | None = Field(default=None, ge=0, description="Page to show, from 0.")
    resourceTypes: list[ResourceType] | None = Field(default=None, description="Only these types.")
    urlPattern: str | None = Field(default=None, description="Only URLs that contain this; * stands for anything.")
    status: str | None = Field(
        default=None, description="Only these: 404, 4xx, 400-499, failed, pending; or several with commas."
    )
    includePreservedRequests: bool = Field(
        default=False, description="Also those of the last navigations before the current one."
    )


@define_page_tool(
    name="list_network_requests",
    title="List requests",
    category="network",
    description="Lists the requests of the page since its navigation, with reqid, method, URL and status.",
    read_only=True,
    params=ListNetworkRequestsParams,
)
async def list_network_requests(
    request: PageToolRequest[ListNetworkRequestsParams], response: McpResponse, context: McpContext
) -> None:
    params = request.params
    response.include_network_requests(
        page_size=params.pageSize,
        page_idx=params.pageIdx,
        filter=RequestFilter(params.resourceTypes or (), params.urlPattern, params.status),
        include_preserved=params.includePreservedRequests,
    )
    response.attach_devtools_data()


class GetNetworkRequestParams(ToolParams):
    reqid: int | None = Field(default=None, description="Default: the request selected in the page's DevTools window.")
    requestFilePath: str | None = Field(default=None, description="Write the body that was sent to this file.")
    responseFilePath: str | None = Field(default=None, description="Write the body that was received to this file.")
    bodyOffset: int = Field(default=0, ge=0, description="Where to start in long bodies, in characters.")
    bodyLimit: int = Field(default=10_000, ge=0, le=50_000, description="Characters shown of a body.")


@define_page_tool(
    name="get_network_request",
    title="Get request",
    category="network",
    description="Shows one request in full: headers as sent and received, timing, who asked for it, redirects, bodies. "
    "Also those of earlier navigations and other pages, while they are kept.",
    read_only=False,  # file paths write
    params=GetNetworkRequestParams,
    lock="read",
    needs_answer=False,
    verify_files={
        "requestFilePath": FileUse("write", own=[".network-request"]),
        "responseFilePath": FileUse("write", own=[".network-response"]),
    },
)
async def get_network_request(
    request: PageToolRequest[GetNetworkRequestParams], response: McpResponse, context: McpContext
) -> None:
    params = request.params
    response.attach_network_request(
        params.reqid,
        request_path=request.paths.get("requestFilePath"),
        response_path=request.paths.get("responseFilePath"),
        body_offset=params.bodyOffset,
        body_limit=params.bodyLimit,
    )


class ListWebSocketMessagesParams(ToolParams):
    reqid: int | None = Field(default=None, description="A WebSocket or event stream. Default: list which there are.")
    number: int | None = Field(default=None, gt=0, description="Only this message, whole.")
    direction: Literal["sent", "received"] | None = Field(default=None, description="Only these.")
    filter: str | None = Field(default=None, description="Only messages that contain this text.")
    pageSize: int | None = Field(default=None, gt=0, description="Messages a page; default 20.")
    pageIdx: int | None = Field(default=None, ge=0, description="Page to show, from 0.")


@define_page_tool(
    name="list_websocket_messages",
    title="List WebSocket messages",
    category="network",
    description="Lists the messages of a WebSocket or event stream, oldest first; or which of them the page has.",
    read_only=True,
    params=ListWebSocketMessagesParams,
    needs_answer=False,
)
async def list_websocket_messages(
    request: PageToolRequest[ListWebSocketMessagesParams], response: McpResponse, context: McpContext
) -> None:
    params = request.params
    response.include_websocket_messages(
        reqid=params.reqid,
        number=params.number,
        direction=params.direction,
        text=params.filter,
        page_size=params.pageSize,
        page_idx=params.pageIdx,
    )


class ExportHarParams(ToolParams):
    filePath: str = Field(description="The file to write; .har is added.")
    includeBodies: bool = Field(default=False, description="With the bodies of requests and responses.")
    currentPageOnly: bool = Field(default=False, description="Leave out the navigations before the current one.")


@define_page_tool(
    name="export_har",
    title="Export HAR",
    category="network",
    description="Writes the requests that are kept of the page to a HAR 1.2 file, which other tools open.",
    read_only=False,
    params=ExportHarParams,
    lock="read",
    needs_answer=False,
    verify_files={"filePath": FileUse("write", ".har")},
)
async def export_har(request: PageToolRequest[ExportHarParams], response: McpResponse, context: McpContext) -> None:
    params = request.params
    response.export_har(request.paths["filePath"], bodies=params.includeBodies, preserved=not params.currentPageOnly)
