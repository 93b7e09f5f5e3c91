"""What the page requested."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from pydantic import Field

from pagelens.tools.definition import PageToolRequest, ToolParams, define_page_tool

if TYPE_CHECKING:
    from pagelens.context.mcp_context import McpContext
    from pagelens.response.mcp_response import McpResponse

__all__ = ["list_network_requests"]

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
        resource_types=params.resourceTypes or (),
        include_preserved=params.includePreservedRequests,
    )
