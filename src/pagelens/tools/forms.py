"""Forms: all fields at once, files."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pydantic import ConfigDict, Field

from pagelens.core.safe_text import one_line, quoted
from pagelens.tools.definition import PageToolRequest, ToolParams, define_page_tool

if TYPE_CHECKING:
    from pagelens.context.mcp_context import McpContext
    from pagelens.response.mcp_response import McpResponse

__all__ = ["fill_form", "upload_file"]

_SNAPSHOT = "Add a snapshot afterwards."


def _no_word_of_more(schema: dict[str, Any]) -> None:
    """That nothing else is taken is said by the refusal; in the schema it is a word for nothing."""
    schema.pop("additionalProperties", None)


class FormField(ToolParams):
    """One field of a form."""

    model_config = ConfigDict(json_schema_extra=_no_word_of_more)

    uid: str = Field(description="uid or css=/text= selector.")
    value: str = Field(description="As for fill.")


class FillFormParams(ToolParams):
    elements: list[FormField] = Field(description="The fields, in order.")
    includeSnapshot: bool | None = Field(default=None, description=_SNAPSHOT)


class UploadFileParams(ToolParams):
    uid: str = Field(description="File input (may be hidden), its label, or a button that opens a file chooser.")
    filePaths: list[str] = Field(min_length=1, description="Files to give it.")
    includeSnapshot: bool | None = Field(default=None, description=_SNAPSHOT)


@define_page_tool(
    name="fill_form",
    title="Fill form",
    category="input",
    description="Fills several fields at once. All are checked first: none is filled when one can't be.",
    read_only=False,
    params=FillFormParams,
    blocked_by_dialog=True,
)
async def fill_form(request: PageToolRequest[FillFormParams], response: McpResponse, context: McpContext) -> None:
    done = await request.page.fill_form([(field.uid, field.value) for field in request.params.elements])
    response.attach_effect(done.effect)
    if done.lost is not None:
        raise done.lost
    response.include_snapshot(bool(request.params.includeSnapshot))
    if done.report is None:
        response.append_line("The form was being filled when that happened: what its fields hold is not known.")
    else:
        response.attach_form(done.report)
        done.report.raise_if_failed()


@define_page_tool(
    name="upload_file",
    title="Upload files",
    category="input",
    description="Gives files to a file input, or to the file chooser that a button opens.",
    read_only=False,
    params=UploadFileParams,
    blocked_by_dialog=True,
)
async def upload_file(request: PageToolRequest[UploadFileParams], response: McpResponse, context: McpContext) -> None:
    paths = [context.file_policy.check_read(path) for path in request.params.filePaths]
    done = await request.page.upload(request.params.uid, paths)
    response.attach_effect(done.effect)
    if done.lost is not None:
        raise done.lost
    report = done.report
    if report is None or report.names is None:
        response.append_line(f"Gave {len(paths)} files; what became of them could not be read.")
    else:
        names = ", ".join(quoted(one_line(name)) for name in report.names) or "no file any more: the page took it away"
        through = ", through its file chooser" if report.via_chooser else ""
        response.append_line(f"{one_line(report.label)} holds {names}{through}.")
    response.include_snapshot(bool(request.params.includeSnapshot))
