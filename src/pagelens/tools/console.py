"""What the page logged."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from pydantic import Field

from pagelens.tools.definition import PageToolRequest, ToolParams, define_page_tool

if TYPE_CHECKING:
    from pagelens.context.mcp_context import McpContext
    from pagelens.response.mcp_response import McpResponse

__all__ = ["list_console_messages"]

MessageType = Literal[
    "log",
    "debug",
    "info",
    "error",
    "warn",
    "dir",
    "dirxml",
    "table",
    "trace",
    "clear",
    "startGroup",
    "startGroupCollapsed",
    "endGroup",
    "assert",
    "profile",
    "profileEnd",
    "count",
    "timeEnd",
    "verbose",
    "issue",
]


class ListConsoleMessagesParams(ToolParams):
    pageSize: int | None = Field(default=None, gt=0, description="Messages a page; default 20.")
    pageIdx: int | None = Field(default=None, ge=0, description="Page to show, from 0.")
    types: list[MessageType] | None = Field(default=None, description="Only these types.")
    includePreservedMessages: bool = Field(
        default=False, description="Also those of the last navigations before the current one."
    )


@define_page_tool(
    name="list_console_messages",
    title="List console messages",
    category="debugging",
    description="Lists console messages and uncaught errors of the page since its navigation, with msgid.",
    read_only=True,
    params=ListConsoleMessagesParams,
)
async def list_console_messages(
    request: PageToolRequest[ListConsoleMessagesParams], response: McpResponse, context: McpContext
) -> None:
    params = request.params
    response.include_console_data(
        page_size=params.pageSize,
        page_idx=params.pageIdx,
        types=params.types or (),
        include_preserved=params.includePreservedMessages,
    )
