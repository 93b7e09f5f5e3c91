"""JavaScript in the page."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from pydantic import Field

from pagelens.tools.definition import FileUse, PageToolRequest, ToolParams, define_page_tool

if TYPE_CHECKING:
    from pagelens.context.mcp_context import McpContext
    from pagelens.response.mcp_response import McpResponse

__all__ = ["evaluate_script"]


class EvaluateScriptParams(ToolParams):
    function: str = Field(
        description="JavaScript function, e.g. `() => document.title` or `async (el) => el.innerText`."
    )
    args: list[str] | None = Field(
        default=None, description="Elements to pass to the function: uids, or css=/text= selectors."
    )
    dialogAction: str | None = Field(
        default=None,
        description="Answer to dialogs that it opens: accept, dismiss, or the text for a prompt. "
        "Default: they stay open and are reported.",
    )
    filePath: str | None = Field(default=None, description="Write the result to this file instead of the reply.")
    format: Literal["function", "script"] | None = Field(
        default=None, description="script: run the text as statements; the last value is the result."
    )


@define_page_tool(
    name="evaluate_script",
    title="Evaluate script",
    category="debugging",
    description="Runs JavaScript in the page and returns its value, promises awaited. "
    "Values JSON has no word for (undefined, NaN, Map, nodes…) are shown readably.",
    read_only=False,
    params=EvaluateScriptParams,
    # Scripts of one page already interleave wherever they await: holding one back for another gains nothing.
    lock="read",
    blocked_by_dialog=True,
    conditions=("javascript_evaluation",),
    verify_files={"filePath": FileUse("write", (".json", ".txt", ".md", ".csv", ".html"), own=(".json",))},
)
async def evaluate_script(
    request: PageToolRequest[EvaluateScriptParams], response: McpResponse, context: McpContext
) -> None:
    params = request.params
    path = request.paths.get("filePath")
    done = await request.page.evaluate(
        params.function,
        kind=params.format or "function",
        args=params.args or (),
        dialog_action=params.dialogAction,
        large=path is not None,
    )
    response.attach_effect(done.effect)
    if done.lost is not None:
        raise done.lost
    if done.report is None:
        response.append_line("The script has not returned yet: the dialog that it opened holds the page.")
    else:
        response.attach_result(
            done.report.text,
            note=done.report.note,
            file_path=path,
            is_string=done.report.value_type == "string" and not done.report.truncated,
        )
