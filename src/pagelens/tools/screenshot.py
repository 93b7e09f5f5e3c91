"""The page as a picture."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pydantic import Field, create_model

from pagelens.browser.screenshot import ImageFormat
from pagelens.core.options import Options
from pagelens.tools.definition import (
    FileUse,
    PageToolRequest,
    ToolDefinition,
    ToolParams,
    define_page_tool,
    tool_factory,
)

if TYPE_CHECKING:
    from pagelens.context.mcp_context import McpContext
    from pagelens.response.mcp_response import McpResponse

__all__ = ["take_screenshot"]

#: Seconds for a tall page, which takes several pictures.
LIMIT = 45.0


class TakeScreenshotParams(ToolParams):
    format: ImageFormat = Field(default="png", description="Image format.")
    quality: float | None = Field(default=None, ge=0, le=100, description="For jpeg and webp.")
    fullPage: bool | None = Field(default=None, description="All of it, in parts if tall.")
    uid: str | None = Field(default=None, description="Only this: uid or selector.")
    filePath: str | None = Field(default=None, description="Write it to this file instead of the reply.")


def _extension(params: TakeScreenshotParams) -> list[str]:
    return [".jpg", ".jpeg"] if params.format == "jpeg" else [f".{params.format}"]


async def _take_screenshot(
    request: PageToolRequest[TakeScreenshotParams], response: McpResponse, context: McpContext
) -> None:
    params = request.params
    path = request.paths.get("filePath")
    shots = await request.page.screenshots(
        format=params.format,
        quality=None if params.quality is None else round(params.quality),
        full_page=bool(params.fullPage),
        target=params.uid,
        to_file=path is not None,
    )
    for shot in shots:
        response.attach_screenshot(shot, file_path=path)


@tool_factory
def take_screenshot(options: Options) -> ToolDefinition:
    params: type[TakeScreenshotParams] = TakeScreenshotParams
    if options.screenshot_format is not None:
        field: Any = Field(default=options.screenshot_format, description="Image format.")
        params = create_model(params.__name__, __base__=params, format=(ImageFormat, field))
    return define_page_tool(
        name="take_screenshot",
        title="Take screenshot",
        category="debugging",
        description="Takes a picture of the viewport, all of the page, or an element. A snapshot tells more.",
        read_only=False,  # filePath writes
        params=params,
        lock="read",
        blocked_by_dialog=True,
        verify_files={"filePath": FileUse("write", _extension)},
        deadline=lambda _: LIMIT,
    )(_take_screenshot)
