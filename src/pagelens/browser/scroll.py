"""Scrolling: with the wheel, as a person would, or to an element."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from pagelens.browser.input import FEW_UIDS, FLAT_PARENTS, HIDDEN_WHY, NAMED, call_on_owner, deliver, points_of, problem
from pagelens.browser.world import JsFunction
from pagelens.core.deadlines import COMMAND
from pagelens.core.safe_text import one_line
from pagelens.errors import (
    DialogOpen,
    DocumentReplaced,
    ElementCovered,
    ElementError,
    InvalidInput,
    PageClosed,
    PageCrashed,
)

if TYPE_CHECKING:
    from pagelens.browser.element import Element
    from pagelens.browser.frame import Frame
    from pagelens.browser.page import Page

__all__ = ["ScrollReport", "scroll_by", "scroll_to"]

SCROLL_STATE = JsFunction("pagelens.browser", "js/scroll_state.js")
SCROLL_PLAN = JsFunction("pagelens.browser", "js/scroll_plan.js", needs=(FLAT_PARENTS, NAMED, HIDDEN_WHY, SCROLL_STATE))
SCROLL_REST = JsFunction("pagelens.browser", "js/scroll_rest.js", needs=(SCROLL_STATE,))
SCROLL_TO = JsFunction("pagelens.browser", "js/scroll_to.js", needs=(FLAT_PARENTS, NAMED, HIDDEN_WHY, SCROLL_STATE))
SCROLL_INTO_VIEW = JsFunction("pagelens.browser", "js/scroll_into_view.js")

#: Wheels have been turned at most so far, CSS pixels: enough for the longest page.
FARTHEST = 10_000_000


@dataclass(frozen=True, slots=True)
class ScrollReport:
    """Where scrolling has led.

    Attributes:
        scroller: what scrolled, as messages call it; empty when nothing there scrolls that way.
        moved: by so much, CSS pixels to the right and down.
        at, start, end: where it is now, and between what it can be.
        how: ``wheel``; ``none`` when it was at its end already and the wheel was left alone; ``element`` when an
            element was scrolled to.
        target: the element that is in view now, as messages call it; empty when none was meant.
        is_whole: whether all of that element is in the frame's viewport.
    """

    scroller: str
    moved: tuple[int, int] = (0, 0)
    at: tuple[int, int] = (0, 0)
    start: tuple[int, int] = (0, 0)
    end: tuple[int, int] = (0, 0)
    how: Literal["wheel", "none", "element"] = "wheel"
    target: str = ""
    is_whole: bool = True

    @property
    def ends(self) -> list[str]:
        """The ends that it has reached: ``top``, ``bottom``, ``left``, ``right``; of a direction that scrolls only."""
        names = (("left", "right"), ("top", "bottom"))
        reached = []
        for axis in (1, 0):
            if self.end[axis] - self.start[axis] < 1:
                continue
            if self.at[axis] <= self.start[axis] + 1:
                reached.append(names[axis][0])
            if self.at[axis] >= self.end[axis] - 1:
                reached.append(names[axis][1])
        return reached


async def scroll_by(page: Page, target: str | None, dx: float, dy: float, *, timeout: float = COMMAND) -> ScrollReport:
    """Turn the wheel over an element, or over the page, and wait until what scrolls has come to rest.

    Args:
        target: uid or selector; None: the page. What scrolls is the element, else what scrolls inside or around it.
        dx, dy: CSS pixels to the right and down; negative ones to the left and up.

    Raises:
        InvalidInput: both are 0, or too large.
        ElementCovered, ElementHidden, ElementGone: the mouse can't get there.
        ElementNotFound, ElementAmbiguous, FrameGone: `target` names no single element.
        CommandTimeout: a script did not come to an end, and was ended.
        DialogOpen, PageCrashed, PageClosed: the page could not be asked.
    """
    if not (dx or dy) or max(abs(dx), abs(dy)) > FARTHEST:
        raise InvalidInput(
            f"Scrolling by {dx:g},{dy:g} is not possible.",
            f"Give pixels, not 0, up to {FARTHEST}; or an element alone.",
        )
    element = None if target is None else await page.element(target)
    try:
        frame = page.main_frame if element is None else element.frame
        plan = await _plan(frame, element, dx, dy)
        if plan.get("problem") and element is not None:
            raise problem(element.label, plan, "scrolled")
        before = _report(plan, "none")
        if plan["canMove"] is False and not plan["isHarmless"]:
            return before
        if plan["canMove"] is None and element is None:
            return before
        if plan.get("why"):
            what = before.scroller or (element.label if element else "The page")
            raise ElementCovered(
                f"{what} can't be scrolled: {plan['why']}.",
                "Close or move what is in the way first.",
            )
        x, y = plan["x"], plan["y"]
        if element is not None:
            x, y = (await points_of(element, x, y))[0]
        wheel = {"x": x, "y": y, "pointerType": "mouse"}
        events = [
            ("Input.dispatchMouseEvent", {"type": "mouseMoved", **wheel}),
            ("Input.dispatchMouseEvent", {"type": "mouseWheel", **wheel, "deltaX": dx, "deltaY": dy}),
        ]
        if not await deliver(frame, events, timeout):
            return before
        try:
            rest = await frame.call(SCROLL_REST, timeout=timeout)
        except (DialogOpen, DocumentReplaced, PageClosed, PageCrashed, ElementError):
            return before  # the scrolling had that effect: nothing more can be known
        if rest is None:
            return ScrollReport("")
        after = _report({**plan, **rest}, "wheel")
        moved = (after.at[0] - before.at[0], after.at[1] - before.at[1])
        return ScrollReport(after.scroller, moved, after.at, after.start, after.end)
    finally:
        if element is not None:
            await element.release()


async def scroll_to(page: Page, target: str) -> ScrollReport:
    """Bring an element into view, in everything that scrolls around it, the frames it is in included.

    Raises:
        ElementHidden, ElementGone: it is not rendered.
        ElementNotFound, ElementAmbiguous, FrameGone, InvalidInput: `target` names no single element.
        DialogOpen, PageCrashed, PageClosed, CommandTimeout: the page could not be asked.
    """
    element = await page.element(target)
    try:
        found = await element.call(SCROLL_TO)
        if (found.get("name") or {}).get("uid") == 0:
            await element.frame.give_uids(FEW_UIDS)
            found = await element.call(SCROLL_TO)
        if found.get("problem"):
            raise problem(element.label, found, "scrolled to")
        frame = element.frame
        x, y, width, height = found["box"]
        while (parent := frame.parent) is not None:
            # Its middle first, then the frames around it: each shall show that part of the one inside.
            x, y = await call_on_owner(frame, parent, SCROLL_INTO_VIEW, x + width / 2, y + height / 2)
            width = height = 0
            frame = parent
        report = _report(found, "element")
        return ScrollReport(
            report.scroller, (0, 0), report.at, report.start, report.end, "element", element.label, found["isWhole"]
        )
    finally:
        await element.release()


async def _plan(frame: Frame, element: Element | None, dx: float, dy: float) -> dict[str, Any]:
    async def ask() -> dict[str, Any]:
        plan: dict[str, Any]
        if element is None:
            plan = await frame.call(SCROLL_PLAN, None, dx, dy)
        else:
            plan = await element.call(SCROLL_PLAN, dx, dy)
        return plan

    plan = await ask()
    if (plan.get("name") or {}).get("uid") == 0:
        await frame.give_uids(FEW_UIDS)
        plan = await ask()
    return plan


def _report(state: dict[str, Any], how: Literal["wheel", "none", "element"]) -> ScrollReport:
    if "at" not in state:
        return ScrollReport("", how=how)
    name = state["name"]
    scroller = f"uid=e{name['uid']} {one_line(name['words'])}" if name else "the page"
    at, start, end = ((round(state[key][0]), round(state[key][1])) for key in ("at", "from", "to"))
    return ScrollReport(scroller, (0, 0), at, start, end, how)
