"""What the page logged."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from pydantic import Field

from pagelens.tools.definition import PageToolRequest, ToolParams, define_page_tool

if TYPE_CHECKING:
    from pagelens.context.mcp_context import McpContext
    from pagelens.response.mcp_response import McpResponse

__all__ = ["get_console_message", "list_console_messages"]

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
    includeStackTraces: bool = Field(default=False, description="With stack traces.")
    serviceWorkerId: str | None = Field(default=None, description="Only this worker's: id from list_pages.")
    filter: str | None = Field(default=None, description="Only those with this text in message or script URL.")


class GetConsoleMessageParams(ToolParams):
    msgid: int = Field(description="Id from list_console_messages.")


@define_page_tool(
    name="list_console_messages",
    title="List console messages",
    category="debugging",
    description="Lists what page, workers and Chrome (issue: a problem it found) said since navigation, with msgid.",
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
        text=params.filter or "",
        stack_traces=params.includeStackTraces,
        worker_id=params.serviceWorkerId,
    )


@define_page_tool(
    name="get_console_message",
    title="Get console message",
    category="debugging",
    description="Shows a console message in full: objects, stack trace, causes; what an issue means.",
    read_only=True,
    params=GetConsoleMessageParams,
)
async def get_console_message(
    request: PageToolRequest[GetConsoleMessageParams], response: McpResponse, context: McpContext
) -> None:
    response.attach_console_message(request.params.msgid)
