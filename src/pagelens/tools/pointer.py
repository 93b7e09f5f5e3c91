"""The pointer without an element to click: scrolling, and clicks at a place of a screenshot."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pydantic import Field

from pagelens.browser.scroll import ScrollReport
from pagelens.core.safe_text import one_line, shortened
from pagelens.errors import InvalidInput
from pagelens.tools.definition import PageToolRequest, ToolParams, define_page_tool
from pagelens.tools.input import click_verb

if TYPE_CHECKING:
    from pagelens.context.mcp_context import McpContext
    from pagelens.response.mcp_response import McpResponse

__all__ = ["click_at", "scroll"]

_SNAPSHOT = "Add a snapshot afterwards."


class ClickAtParams(ToolParams):
    x: float = Field(description="CSS pixels from the left: screenshot pixels divided by its scale.")
    y: float = Field(description="CSS pixels from the top.")
    dblClick: bool | None = Field(default=None, description="Double click.")
    includeSnapshot: bool | None = Field(default=None, description=_SNAPSHOT)


class ScrollParams(ToolParams):
    uid: str | None = Field(default=None, description="What to scroll, or to scroll to. Default: the page.")
    deltaY: float | None = Field(default=None, description="CSS pixels down, negative: up. Without any: to the uid.")
    deltaX: float | None = Field(default=None, description="To the right, negative: left.")
    includeSnapshot: bool | None = Field(default=None, description=_SNAPSHOT)


@define_page_tool(
    name="click_at",
    title="Click at a place",
    category="input",
    description="Clicks at a place of the viewport, for canvases and maps. For elements use click, which checks.",
    read_only=False,
    params=ClickAtParams,
    conditions=["vision"],
    blocked_by_dialog=True,
)
async def click_at(request: PageToolRequest[ClickAtParams], response: McpResponse, context: McpContext) -> None:
    params = request.params
    done = await request.page.click_at(params.x, params.y, count=2 if params.dblClick else 1)
    response.attach_effect(done.effect, say_none=True)
    if done.lost is not None:
        raise done.lost
    verb = click_verb(None, bool(params.dblClick), None)
    hit = "" if done.report is None else f": {done.report.hit or 'nothing is there'}"
    response.append_line(f"{verb} at {params.x:g},{params.y:g}{hit}.")
    response.include_snapshot(bool(params.includeSnapshot))


@define_page_tool(
    name="scroll",
    title="Scroll",
    category="input",
    description="Turns the wheel over the page or an element, or scrolls to an element; says where that is then.",
    read_only=False,
    params=ScrollParams,
    blocked_by_dialog=True,
)
async def scroll(request: PageToolRequest[ScrollParams], response: McpResponse, context: McpContext) -> None:
    params = request.params
    dx, dy = params.deltaX or 0, params.deltaY or 0
    if params.uid is None and not (dx or dy):
        raise InvalidInput("Neither an element nor a distance was given.", "Give uid, deltaY or deltaX.")
    done = await request.page.scroll(params.uid, dx, dy)
    response.attach_effect(done.effect)
    if done.lost is not None:
        raise done.lost
    if done.report is None:
        response.append_line(f"Scrolled {shortened(one_line(params.uid or 'the page'), 200)}.")
    else:
        for line in _lines(done.report, params.uid):
            response.append_line(line)
    response.include_snapshot(bool(params.includeSnapshot))


def _lines(report: ScrollReport, uid: str | None) -> list[str]:
    scroller = report.scroller
    if report.how == "element":
        whole = "is in view" if report.is_whole else "is in view in part: it is larger than the viewport"
        return [f"{report.target} {whole}.{_where(report)}"]
    if not scroller:
        over = shortened(one_line(uid), 200) if uid else "The page"
        if uid and report.how == "wheel":
            return [
                f"The wheel was turned over {over}; nothing there scrolls that way. What it did is the page's affair."
            ]
        return [f"{over[0].upper()}{over[1:]} does not scroll that way: all of it is shown."]
    named = f"{scroller[0].upper()}{scroller[1:]}"
    if report.how == "none":
        return [f"{named} is at its end already.{_where(report)}"]
    if report.moved == (0, 0):
        return [f"The wheel was turned, but {scroller} did not move: the page may take it itself.{_where(report)}"]
    x, y = report.moved
    words = [f"{abs(y)} px {'down' if y > 0 else 'up'}"] if y else []
    words += [f"{abs(x)} px to the {'right' if x > 0 else 'left'}"] if x else []
    return [f"Scrolled {scroller} {' and '.join(words)}.{_where(report)}"]


def _where(report: ScrollReport) -> str:
    """` It is at 300 of 1200 px down: not at an end.`"""
    if not report.scroller:
        return ""
    places = []
    for axis, words in ((1, "down"), (0, "to the right")):
        length = report.end[axis] - report.start[axis]
        if length >= 1:
            places.append(f"{report.at[axis] - report.start[axis]} of {length} px {words}")
    if not places:
        return ""
    reached = f"; {' and '.join(report.ends)} reached" if report.ends else ""
    who = "The page" if report.scroller == "the page" else report.scroller.partition(" ")[0]
    return f" {who} is at {', '.join(places)}{reached}."
