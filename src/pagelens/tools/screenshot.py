"""The page as a picture."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from pydantic import Field

from pagelens.tools.definition import FileUse, PageToolRequest, ToolParams, define_page_tool

if TYPE_CHECKING:
    from pagelens.context.mcp_context import McpContext
    from pagelens.response.mcp_response import McpResponse

__all__ = ["take_screenshot"]


class TakeScreenshotParams(ToolParams):
    format: Literal["png", "jpeg", "webp"] = Field(default="png", description="Image format.")
    quality: float | None = Field(default=None, ge=0, le=100, description="For jpeg and webp; higher is better.")
    filePath: str | None = Field(default=None, description="Write it to this file instead of the reply.")


def _extension(params: TakeScreenshotParams) -> list[str]:
    return [".jpg", ".jpeg"] if params.format == "jpeg" else [f".{params.format}"]


@define_page_tool(
    name="take_screenshot",
    title="Take screenshot",
    category="debugging",
    description="Takes a picture of what the page's viewport shows.",
    read_only=False,  # filePath writes
    params=TakeScreenshotParams,
    lock="read",
    blocked_by_dialog=True,
    verify_files={"filePath": FileUse("write", _extension)},
)
async def take_screenshot(
    request: PageToolRequest[TakeScreenshotParams], response: McpResponse, context: McpContext
) -> None:
    params = request.params
    # png has none: a value that came along is passed over, as the peer does.
    quality = round(params.quality) if params.quality is not None and params.format != "png" else None
    shot = await request.page.screenshot(format=params.format, quality=quality)
    response.attach_screenshot(shot, file_path=request.paths.get("filePath"))
