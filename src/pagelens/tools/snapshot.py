"""The page as text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pydantic import Field

from pagelens.tools.definition import FileUse, PageToolRequest, ToolParams, define_page_tool

if TYPE_CHECKING:
    from pagelens.context.mcp_context import McpContext
    from pagelens.response.mcp_response import McpResponse

__all__ = ["take_snapshot"]


class TakeSnapshotParams(ToolParams):
    verbose: bool | None = Field(default=None, description="Include elements without meaning of their own too.")
    filePath: str | None = Field(default=None, description="Write it to this file instead of the reply.")


@define_page_tool(
    name="take_snapshot",
    title="Take snapshot",
    category="debugging",
    description="Shows the page as text: every element with its uid, in all frames and shadow roots. "
    "Prefer it to a screenshot; take a new one after the page changed.",
    read_only=False,  # filePath writes
    params=TakeSnapshotParams,
    lock="read",
    blocked_by_dialog=True,
    verify_files={"filePath": FileUse("write", ".txt")},
)
async def take_snapshot(
    request: PageToolRequest[TakeSnapshotParams], response: McpResponse, context: McpContext
) -> None:
    response.include_snapshot(verbose=bool(request.params.verbose), file_path=request.paths.get("filePath"))
    response.attach_devtools_data()
