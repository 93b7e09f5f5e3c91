"""Waiting for what a page is about to show, say or do."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pydantic import Field

from pagelens.browser.waiting import WAIT, Condition, ElementState
from pagelens.core.deadlines import TOOL_MARGIN, seconds_of
from pagelens.core.options import Options
from pagelens.tools.definition import PageToolRequest, ToolDefinition, ToolParams, define_page_tool, tool_factory

if TYPE_CHECKING:
    from pagelens.context.mcp_context import McpContext
    from pagelens.response.mcp_response import McpResponse

__all__ = ["wait_for"]


class WaitForParams(ToolParams):
    text: list[str] | None = Field(default=None, min_length=1, description="One of these texts is visible.")
    textGone: list[str] | None = Field(default=None, min_length=1, description="None of these is.")
    uid: str | None = Field(default=None, description="This element (uid, css=, text=) is in `state`.")
    state: ElementState | None = Field(default=None, description="Default: visible.")
    url: str | None = Field(default=None, description="Part of the address, or all of it with *.")
    request: str | None = Field(default=None, description="A request (as url) has ended since the page began to load.")
    timeout: int | None = Field(default=None, description="ms; default 10000.")
    includeSnapshot: bool | None = Field(default=None, description="Add a snapshot afterwards.")


class WaitForParamsWithFunction(WaitForParams):
    function: str | None = Field(default=None, description="This returns something true: () => isReady.")


def _seconds(params: WaitForParams) -> float:
    return seconds_of(params.timeout, WAIT)


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
    response.attach_wait(await request.page.wait_for(condition, timeout=seconds_of(params.timeout, 0) or None))


@tool_factory
def wait_for(options: Options) -> ToolDefinition:
    return define_page_tool(
        name="wait_for",
        title="Wait for",
        category="navigation",
        description="Waits until all that is given holds at once, in any frame; in vain, says what is there instead.",
        read_only=True,
        params=WaitForParamsWithFunction if options.javascript_evaluation else WaitForParams,
        blocked_by_dialog=True,
        deadline=lambda params: _seconds(params) + TOOL_MARGIN,
    )(_wait_for)
