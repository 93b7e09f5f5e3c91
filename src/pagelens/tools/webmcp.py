"""Tools that a page offers to agents by WebMCP."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pydantic import Field

from pagelens.tools.definition import PageToolRequest, ToolParams, define_page_tool

if TYPE_CHECKING:
    from pagelens.context.mcp_context import McpContext
    from pagelens.response.mcp_response import McpResponse

__all__ = ["execute_webmcp_tool", "list_webmcp_tools"]


@define_page_tool(
    name="list_webmcp_tools",
    title="List tools of the page",
    category="webmcp",
    description="Lists the WebMCP tools that the page offers (list_3p_developer_tools has those for debugging).",
    read_only=True,
    needs_answer=False,
)
async def list_webmcp_tools(request: PageToolRequest[ToolParams], response: McpResponse, context: McpContext) -> None:
    response.include_webmcp_tools()


class ExecuteWebmcpToolParams(ToolParams):
    toolName: str = Field(description="Its name, as listed.")
    input: str | None = Field(default=None, description="JSON object of what its schema asks for.")
    frame: str | None = Field(default=None, description="Which frame's, where several offer it.")
    cancel: bool = Field(default=False, description="Cancel its calls that wait, instead of making one.")


@define_page_tool(
    name="execute_webmcp_tool",
    title="Run tool of the page",
    category="webmcp",
    description="Runs a WebMCP tool that the page offers. A form that does not submit itself is filled and left to you "
    "to submit or cancel.",
    read_only=False,
    params=ExecuteWebmcpToolParams,
    lock="read",  # calls of a page's tools don't wait for each other
    blocked_by_dialog=True,
)
async def execute_webmcp_tool(
    request: PageToolRequest[ExecuteWebmcpToolParams], response: McpResponse, context: McpContext
) -> None:
    params, tools = request.params, request.page.tools
    if params.cancel:
        count = await tools.cancel_webmcp(params.toolName, params.frame)
        response.append_line(f"{count} waiting {'call was' if count == 1 else 'calls were'} cancelled.")
        return
    done = await tools.execute_webmcp(params.toolName, params.input, params.frame)
    response.attach_effect(done.effect)
    if done.lost is not None:
        raise done.lost
    if done.report is not None:
        response.attach_tool_result(done.report)
