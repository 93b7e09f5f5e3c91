"""Waiting for what a page is about to show, say or do."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pydantic import Field

from pagelens.browser.waiting import WAIT, Condition, ElementState
from pagelens.core.deadlines import TOOL_MARGIN
from pagelens.core.options import Options
from pagelens.tools.definition import PageToolRequest, ToolDefinition, ToolParams, define_page_tool, tool_factory

if TYPE_CHECKING:
    from pagelens.context.mcp_context import McpContext
    from pagelens.response.mcp_response import McpResponse

__all__ = ["wait_for"]


#: Nobody waits longer, whatever was asked for. Seconds.
LONGEST = 3600.0


class WaitForParams(ToolParams):
    text: list[str] | None = Field(default=None, min_length=1, description="Any one of these texts is visible.")
    textGone: list[str] | None = Field(default=None, min_length=1, description="None of these texts is visible.")
    uid: str | None = Field(default=None, description="This element (uid, css=… or text=…) is in `state`.")
    state: ElementState | None = Field(default=None, description="Default: visible.")
    url: str | None = Field(default=None, description="Part of the page's address, or all of it with * for anything.")
    request: str | None = Field(
        default=None, description="A request to this address (as in url) has ended since the page began to load."
    )
    timeout: int | None = Field(default=None, description="Most ms to wait; 0: default, 10000.")
    includeSnapshot: bool | None = Field(default=None, description="Add a snapshot of the page afterwards.")


class WaitForParamsWithFunction(WaitForParams):
    function: str | None = Field(default=None, description="This JavaScript returns something true: () => isReady.")


def _seconds(params: WaitForParams) -> float:
    """0 and less mean the default, as in chrome-devtools-mcp."""
    return min(params.timeout, round(LONGEST * 1000)) / 1000 if params.timeout and params.timeout > 0 else WAIT


async def _wait_for(request: PageToolRequest[WaitForParams], response: McpResponse, context: McpContext) -> None:
    params = request.params
    condition = Condition(
        text=tuple(params.text or ()),
        text_gone=tuple(params.textGone or ()),
        target=params.uid,
        state=params.state,
        url=params.url,
        request=params.request,
        function=params.function if isinstance(params, WaitForParamsWithFunction) else None,
    )
    response.include_snapshot(bool(params.includeSnapshot))
    response.attach_wait(await request.page.wait_for(condition, timeout=_seconds(params)))


@tool_factory
def wait_for(options: Options) -> ToolDefinition:
    return define_page_tool(
        name="wait_for",
        title="Wait for",
        category="navigation",
        description="Waits until all that is given holds at once, in any frame. Returns as soon as it does; "
        "if it does not, says what is there instead.",
        read_only=True,
        params=WaitForParamsWithFunction if options.javascript_evaluation else WaitForParams,
        blocked_by_dialog=True,
        deadline=lambda params: _seconds(params) + TOOL_MARGIN,
    )(_wait_for)
