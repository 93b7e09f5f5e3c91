"""Acting on the page: click, hover, drag, fill, keys."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

from pydantic import Field

from pagelens.browser.input import MouseButton
from pagelens.core.safe_text import one_line, quoted, shortened
from pagelens.response.sections.form import choices
from pagelens.tools.definition import PageToolRequest, ToolParams, define_page_tool

if TYPE_CHECKING:
    from pagelens.context.mcp_context import McpContext
    from pagelens.response.mcp_response import McpResponse

__all__ = ["Modifier", "click", "click_verb", "drag", "fill", "hover", "press_key", "type_text"]

_UID = "uid from the snapshot (e12), or a css=/text= selector."
_SNAPSHOT = "Add a snapshot afterwards."

Modifier = Literal["Control", "Shift", "Alt", "Meta"]

#: Characters of what a field holds, after something was typed into it.
_SHOWN = 200


def _named(target: str) -> str:
    """What the agent called an element, when nothing better is known."""
    return shortened(one_line(target), _SHOWN)


def click_verb(button: MouseButton | None, is_double: bool, modifiers: Sequence[Modifier] | None) -> str:
    """What a click was, at the beginning of a sentence: `Right-clicked, with Control held,`."""
    which = "" if button in (None, "left") else f"{button}-"
    verb = f"{which}{'double-' if is_double else ''}clicked".capitalize()
    return f"{verb}, with {'+'.join(modifiers)} held," if modifiers else verb


class ClickParams(ToolParams):
    uid: str = Field(description=_UID)
    dblClick: bool | None = Field(default=None, description="Double click.")
    button: MouseButton | None = Field(default=None, description="Default: left.")
    modifiers: list[Modifier] | None = Field(default=None, description="Keys held meanwhile.")
    includeSnapshot: bool | None = Field(default=None, description=_SNAPSHOT)


class HoverParams(ToolParams):
    uid: str = Field(description=_UID)
    includeSnapshot: bool | None = Field(default=None, description=_SNAPSHOT)


class DragParams(ToolParams):
    from_uid: str = Field(description="The element: uid or css=/text= selector.")
    to_uid: str = Field(description="Where to drop it.")
    includeSnapshot: bool | None = Field(default=None, description=_SNAPSHOT)


class FillParams(ToolParams):
    uid: str = Field(description=_UID)
    value: str = Field(description="Text to enter; option to choose (several: one a line); true or false for a box.")
    includeSnapshot: bool | None = Field(default=None, description=_SNAPSHOT)


class TypeTextParams(ToolParams):
    text: str = Field(description="Typed at the caret; line breaks are Enter.")
    submitKey: str | None = Field(default=None, description="Key to press after it: Enter.")


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
    params = request.params
    done = await request.page.click(
        params.uid,
        button=params.button or "left",
        count=2 if params.dblClick else 1,
        modifiers=params.modifiers or (),
    )
    response.attach_effect(done.effect, say_none=True)
    if done.lost is not None:
        raise done.lost
    verb = click_verb(params.button, bool(params.dblClick), params.modifiers)
    report = done.report
    if report is None:
        response.append_line(f"{verb} {_named(params.uid)}.")
    elif report.via == "selection":
        response.append_line(f"Selected the option {report.label}: its list takes no click on it.")
    elif not report.is_confirmed:
        response.append_line(
            f"The mouse was pressed on {report.label}, but no press was seen to arrive there: "
            "the page may have taken it at its window. Check the effect."
        )
    else:
        response.append_line(f"{verb} {report.label}{', through its label' if report.via == 'label' else ''}.")
    response.include_snapshot(bool(params.includeSnapshot))


@define_page_tool(
    name="hover",
    title="Hover",
    category="input",
    description="Moves the mouse over an element, where it stays: for menus and tooltips.",
    read_only=False,
    params=HoverParams,
    blocked_by_dialog=True,
)
async def hover(request: PageToolRequest[HoverParams], response: McpResponse, context: McpContext) -> None:
    done = await request.page.hover(request.params.uid)
    response.attach_effect(done.effect)
    if done.lost is not None:
        raise done.lost
    response.append_line(f"The mouse is over {done.report or _named(request.params.uid)}.")
    response.include_snapshot(bool(request.params.includeSnapshot))


@define_page_tool(
    name="drag",
    title="Drag",
    category="input",
    description="Drags an element onto another one. A drop that is not taken is an error.",
    read_only=False,
    params=DragParams,
    blocked_by_dialog=True,
)
async def drag(request: PageToolRequest[DragParams], response: McpResponse, context: McpContext) -> None:
    done = await request.page.drag(request.params.from_uid, request.params.to_uid)
    native = done.report is not None and done.report.kind == "native"
    response.attach_effect(done.effect, say_none=not native)
    if done.lost is not None:
        raise done.lost
    if done.report is None:
        response.append_line(f"Dragged {_named(request.params.from_uid)} to {_named(request.params.to_uid)}.")
    else:
        how = "which took the drop" if native else "with the mouse pressed; what the page made of it is not known here"
        response.append_line(f"Dragged {done.report.source} to {done.report.target}, {how}.")
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
    label = report.label if report is not None else _named(request.params.uid)
    more = ""
    if report is not None and report.is_reformatted:
        more = f" The page shows it as {quoted(shortened(report.value_after, _SHOWN))}."
    elif report is not None and report.offered:
        more = f" It holds the text and none of the choices that its list offers: {choices(report.offered)}."
    response.append_line(f"Filled {label}.{more}{read_back}")
    response.include_snapshot(bool(request.params.includeSnapshot))


@define_page_tool(
    name="press_key",
    title="Press key",
    category="input",
    description="Presses a key or key combination where the focus is. For text use fill or type_text.",
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


@define_page_tool(
    name="type_text",
    title="Type text",
    category="input",
    description="Types into the element that has the focus, adding to what is there; fill replaces it.",
    read_only=False,
    params=TypeTextParams,
    blocked_by_dialog=True,
)
async def type_text(request: PageToolRequest[TypeTextParams], response: McpResponse, context: McpContext) -> None:
    params = request.params
    done = await request.page.type_text(params.text, submit_key=params.submitKey)
    response.attach_effect(done.effect, say_none=params.submitKey is not None)
    if done.lost is not None:
        raise done.lost
    then = f", then pressed {one_line(params.submitKey)}" if params.submitKey is not None else ""
    report = done.report
    if report is None:
        response.append_line(f"Typed {len(params.text)} characters{then}.")
        return
    how = "Typed" if report.as_keys else "Put in, without key events,"
    now = ""
    if report.is_changed is False and params.text:
        now = " Its text is the same as before: the page did not take what was typed."
    elif report.value_after is not None:
        now = f" It held {quoted(shortened(report.value_after, _SHOWN))} then."
    words = f"uid={report.uid} {one_line(report.words)}"
    response.append_line(f"{how} {len(params.text)} characters into {words}{then}.{now}")
