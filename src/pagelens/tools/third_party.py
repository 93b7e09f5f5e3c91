"""Tools for developers that a page offers itself: by the discovery event, and those of WebMCP marked for debugging."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pydantic import Field

from pagelens.tools.definition import PageToolRequest, ToolParams, define_page_tool

if TYPE_CHECKING:
    from pagelens.context.mcp_context import McpContext
    from pagelens.response.mcp_response import McpResponse

__all__ = ["execute_3p_developer_tool", "list_3p_developer_tools"]


@define_page_tool(
    name="list_3p_developer_tools",
    title="List developer tools of the page",
    category="third-party",
    description="Lists the developer tools that the page itself offers: those it answers to the event "
    "devtoolstooldiscovery, and WebMCP tools marked for debugging.",
    read_only=True,
)
async def list_3p_developer_tools(
    request: PageToolRequest[ToolParams], response: McpResponse, context: McpContext
) -> None:
    response.include_third_party_tools()


class Execute3pDeveloperToolParams(ToolParams):
    toolName: str = Field(description="Its name; group/name where groups share one.")
    params: str | None = Field(
        default=None, description='JSON object of what its schema asks for; an element is {"uid": "e12"}.'
    )


@define_page_tool(
    name="execute_3p_developer_tool",
    title="Run developer tool of the page",
    category="third-party",
    description="Runs one of the developer tools that the page itself offers; elements in its result are uids.",
    read_only=False,
    params=Execute3pDeveloperToolParams,
    blocked_by_dialog=True,
)
async def execute_3p_developer_tool(
    request: PageToolRequest[Execute3pDeveloperToolParams], response: McpResponse, context: McpContext
) -> None:
    params = request.params
    done = await request.page.tools.execute_third_party(params.toolName, params.params)
    response.attach_effect(done.effect)
    if done.lost is not None:
        raise done.lost
    if done.report is None:
        response.append_line(
            "The page's tool has not returned yet: the dialog that it opened holds the page. "
            "What it returns after that is not told."
        )
    else:
        response.attach_tool_result(done.report)
