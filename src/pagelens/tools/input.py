"""Acting on the page: click, fill, keys."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pydantic import Field

from pagelens.core.safe_text import one_line
from pagelens.tools.definition import PageToolRequest, ToolParams, define_page_tool

if TYPE_CHECKING:
    from pagelens.context.mcp_context import McpContext
    from pagelens.context.mcp_page import Done
    from pagelens.response.mcp_response import McpResponse

__all__ = ["click", "fill", "press_key"]

_UID = "uid from the snapshot (e12), or a css=/text= selector that matches one element."
_SNAPSHOT = "Add a snapshot of the page afterwards."


def _element(request: PageToolRequest[ClickParams] | PageToolRequest[FillParams], done: Done[Any]) -> str:
    """What to call the element: as the action does, or as the caller did when the action could not report."""
    return str(done.report.label) if done.report is not None else one_line(request.params.uid)


class ClickParams(ToolParams):
    uid: str = Field(description=_UID)
    dblClick: bool | None = Field(default=None, description="Double click.")
    includeSnapshot: bool | None = Field(default=None, description=_SNAPSHOT)


class FillParams(ToolParams):
    uid: str = Field(description=_UID)
    value: str = Field(description="Text to enter; option to choose; true or false for a checkbox.")
    includeSnapshot: bool | None = Field(default=None, description=_SNAPSHOT)


class PressKeyParams(ToolParams):
    key: str = Field(description="Key or combination: Enter, Control+A, Control+Shift+R.")
    includeSnapshot: bool | None = Field(default=None, description=_SNAPSHOT)


@define_page_tool(
    name="click",
    title="Click",
    category="input",
    description="Clicks an element and says what happened. A covered element is an error that names what covers it.",
    read_only=False,
    params=ClickParams,
    blocked_by_dialog=True,
)
async def click(request: PageToolRequest[ClickParams], response: McpResponse, context: McpContext) -> None:
    double = bool(request.params.dblClick)
    done = await request.page.click(request.params.uid, count=2 if double else 1)
    response.attach_effect(done.effect, say_none=True)
    if done.lost is not None:
        raise done.lost
    if done.report is not None and done.report.via == "selection":
        response.append_line(f"Selected the option {done.report.label}.")
    else:
        by_label = ", through its label" if done.report is not None and done.report.via == "label" else ""
        response.append_line(f"{'Double-clicked' if double else 'Clicked'} {_element(request, done)}{by_label}.")
    response.include_snapshot(bool(request.params.includeSnapshot))


@define_page_tool(
    name="fill",
    title="Fill",
    category="input",
    description="Sets the value of an input, textarea, select, checkbox or editable element, and reads it back.",
    read_only=False,
    params=FillParams,
    blocked_by_dialog=True,
)
async def fill(request: PageToolRequest[FillParams], response: McpResponse, context: McpContext) -> None:
    done = await request.page.fill(request.params.uid, request.params.value)
    response.attach_effect(done.effect)
    if done.lost is not None:
        raise done.lost
    report = done.report
    if report is not None:
        report.raise_if_differs()
    read_back = "" if report is not None and report.is_verified else " It could not be read back."
    response.append_line(f"Filled {_element(request, done)}.{read_back}")
    response.include_snapshot(bool(request.params.includeSnapshot))


@define_page_tool(
    name="press_key",
    title="Press key",
    category="input",
    description="Presses a key or key combination where the focus is. For text use fill.",
    read_only=False,
    params=PressKeyParams,
    blocked_by_dialog=True,
)
async def press_key(request: PageToolRequest[PressKeyParams], response: McpResponse, context: McpContext) -> None:
    done = await request.page.press_key(request.params.key)
    response.attach_effect(done.effect, say_none=True)
    if done.lost is not None:
        raise done.lost
    response.append_line(f"Pressed {one_line(request.params.key)}.")
    response.include_snapshot(bool(request.params.includeSnapshot))
