"""The slim set: three tools, few words, for agents that pay dearly for a long list of tools."""

from __future__ import annotations

import re
import secrets
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from pydantic import Field

from pagelens.tools.definition import NoParams, PageToolRequest, ToolParams, define_page_tool

if TYPE_CHECKING:
    from pagelens.context.mcp_context import McpContext
    from pagelens.response.mcp_response import McpResponse

__all__ = ["evaluate", "navigate", "screenshot"]

_FUNCTION = re.compile(r"\s*(?:async\b\s*)?(?:function\b|\([^()]*\)\s*=>|[\w$]+\s*=>)")


class NavigateParams(ToolParams):
    url: str = Field(description="Address to load.")


class EvaluateParams(ToolParams):
    script: str = Field(description="JavaScript; the last value is the result. Or a function, which is called.")


@define_page_tool(
    name="navigate",
    title="Navigate",
    category="navigation",
    description="Loads a page.",
    read_only=False,
    params=NavigateParams,
    conditions=("slim",),
    needs_answer=False,
)
async def navigate(request: PageToolRequest[NavigateParams], response: McpResponse, context: McpContext) -> None:
    if request.page.dialog is not None:
        # No other tool of the set could.
        done = await request.page.handle_dialog(False)
        response.attach_effect(done.effect)
        if done.report is not None:
            response.append_line(f"Dismissed a dialog: {done.report.words()}.")
    response.attach_navigation(await request.page.navigate(request.params.url))


@define_page_tool(
    name="evaluate",
    title="Evaluate",
    category="debugging",
    description="Runs JavaScript in the page.",
    read_only=False,
    params=EvaluateParams,
    lock="read",
    blocked_by_dialog=True,
    conditions=("slim", "javascript_evaluation"),
)
async def evaluate(request: PageToolRequest[EvaluateParams], response: McpResponse, context: McpContext) -> None:
    script = request.params.script
    done = await request.page.evaluate(script, kind="function" if _FUNCTION.match(script) else "script")
    response.attach_effect(done.effect)
    if done.lost is not None:
        raise done.lost
    if done.report is not None:
        response.attach_result(done.report.text, note=done.report.note)


@define_page_tool(
    name="screenshot",
    title="Screenshot",
    category="debugging",
    description="Takes a picture of the page and writes it to a file.",
    read_only=False,
    params=NoParams,
    lock="read",
    blocked_by_dialog=True,
    conditions=("slim",),
)
async def screenshot(request: PageToolRequest[NoParams], response: McpResponse, context: McpContext) -> None:
    (shot,) = await request.page.screenshots(to_file=True)
    path = Path(tempfile.gettempdir()) / f"pagelens-{secrets.token_hex(4)}.{shot.mime.removeprefix('image/')}"
    response.attach_screenshot(shot, file_path=context.file_policy.check_write(path))
