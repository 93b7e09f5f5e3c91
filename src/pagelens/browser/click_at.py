"""Clicking at a place instead of an element: for canvases, maps and what has no element of its own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pagelens.browser.input import FEW_UIDS, NAMED, MouseButton, call_on_owner, deliver, gesture
from pagelens.browser.world import JsFunction
from pagelens.core.deadlines import COMMAND
from pagelens.core.safe_text import one_line
from pagelens.errors import InvalidInput

if TYPE_CHECKING:
    from pagelens.browser.frame import Frame
    from pagelens.browser.page import Page

__all__ = ["PointReport", "click_at", "frame_at"]

AT_POINT = JsFunction("pagelens.browser", "js/at_point.js", needs=(NAMED,))
INSIDE_FRAME = JsFunction("pagelens.browser", "js/inside_frame.js")


@dataclass(frozen=True, slots=True)
class PointReport:
    """Where a click at a place went.

    Attributes:
        x, y: the place, CSS pixels of what the page shows.
        hit: what was there, as messages call it; empty when there was nothing.
    """

    x: float
    y: float
    hit: str


async def click_at(
    page: Page,
    x: float,
    y: float,
    *,
    button: MouseButton = "left",
    count: int = 1,
    modifiers: Sequence[str] = (),
    timeout: float = COMMAND,
) -> PointReport:
    """Click at a place of what the page shows now.

    Args:
        x, y: CSS pixels from its upper left corner, frames included: a pixel of a screenshot divided by its scale.
        button, count, modifiers, timeout: as `click`.

    Raises:
        InvalidInput: the place is out of view, or a modifier is none.
        CommandTimeout: a script that the click started did not come to an end, and was ended.
        DialogOpen, PageCrashed, PageClosed, FrameGone: the page could not be asked.
    """
    frame, session_point, hit = await frame_at(page, x, y)
    await deliver(frame, gesture(*session_point, button=button, count=count, modifiers=modifiers), timeout)
    return PointReport(x, y, hit)


async def frame_at(page: Page, x: float, y: float) -> tuple[Frame, tuple[float, float], str]:
    """The innermost frame at a place of the page, the place in the coordinates of the frame's session, and what is
    there.

    Raises:
        InvalidInput: the place is out of view.
    """
    frame = page.main_frame
    inner = session_point = (x, y)
    while True:
        found = await _at(frame, *inner)
        if found is None:
            if frame.is_main:
                raise InvalidInput(
                    f"{x:g},{y:g} is not in view.", "Give CSS pixels of the viewport, as in a screenshot of it."
                )
            return frame, session_point, ""
        deeper = await _child_at(frame, *inner) if found["isFrame"] else None
        if deeper is None:
            name = found["named"]
            return frame, session_point, f"uid=e{name['uid']} {one_line(name['words'])}"
        frame, inner = deeper
        if frame.is_out_of_process:
            session_point = inner


async def _at(frame: Frame, x: float, y: float) -> dict[str, Any] | None:
    found: dict[str, Any] | None = await frame.call(AT_POINT, x, y)
    if found is not None and found["named"]["uid"] == 0:
        await frame.give_uids(FEW_UIDS)
        found = await frame.call(AT_POINT, x, y)
    return found


async def _child_at(frame: Frame, x: float, y: float) -> tuple[Frame, tuple[float, float]] | None:
    for child in list(frame.children):
        inside = await call_on_owner(child, frame, INSIDE_FRAME, x, y)
        if inside is not None:
            return child, (inside[0], inside[1])
    return None
