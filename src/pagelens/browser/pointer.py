"""The pointer without a click: hovering and dragging."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from pagelens.browser.input import LANDING, NAMED, REST, TRIES, aim, deliver, moving, points_of, problem
from pagelens.browser.press_watch import PressWatch
from pagelens.browser.world import JsFunction
from pagelens.core.deadlines import COMMAND
from pagelens.errors import (
    DialogOpen,
    DocumentReplaced,
    DropRefused,
    ElementError,
    InvalidInput,
    PageClosed,
    PageCrashed,
)

if TYPE_CHECKING:
    from pagelens.browser.element import Element
    from pagelens.browser.page import Page
    from pagelens.cdp.session import Session

__all__ = ["DragReport", "drag", "hover"]

BOX = JsFunction("pagelens.browser", "js/box.js")
DRAG_SOURCE = JsFunction("pagelens.browser", "js/drag_source.js")
DRAG_WATCH = JsFunction("pagelens.browser", "js/drag_watch.js")
DRAG_OUTCOME = JsFunction("pagelens.browser", "js/drag_outcome.js")
DRAG_REVEAL = JsFunction("pagelens.browser", "js/drag_reveal.js")
HOVER_WATCH = JsFunction("pagelens.browser", "js/hover_watch.js", needs=(LANDING, NAMED))
HOVERED = JsFunction("pagelens.browser", "js/hovered.js")

#: Chrome tells of a drag that it would begin within this time after the move that begins it. Seconds.
BEGINS = 0.3
#: A drop reaches a frame of another process a moment after it was made. Milliseconds.
DROP_ARRIVES = 300
#: The way is made in so many moves, each in a frame of its own: scripts follow the pointer by them.
STEPS = 6
#: A list that makes room takes no moves for a moment (Sortable: 30 ms); a person's hand rests longer. Seconds.
MAKES_ROOM = 0.05
#: So often the mouse goes after a target that the drag itself moves.
FOLLOWS = 6
#: Moves smaller than this begin no drag, in Chrome (4 px) and in most libraries. CSS pixels.
THRESHOLD = 6.0

_TO_LAND = {"rest": REST, "still": False, "token": "", "disabledToo": True}


@dataclass(frozen=True, slots=True)
class DragReport:
    """How a drag was done.

    Attributes:
        source, target: the elements, as messages call them.
        kind: ``native``: the browser's own drag and drop, the target has taken the drop; ``pointer``: the mouse was
            pressed, moved and released, and what the page made of that is its own affair.
    """

    source: str
    target: str
    kind: Literal["native", "pointer"]


async def hover(page: Page, target: str, *, timeout: float = COMMAND) -> str:
    """Move the mouse over an element, where it stays; returns what to call the element.

    What the mouse leaves or enters may move the element from under it (a menu that closes): then it follows.

    Raises:
        ElementMoving: it was somewhere else each time.
        ElementGone, ElementHidden, ElementCovered: it can't be hovered over. A disabled element can.
        ElementNotFound, ElementAmbiguous, FrameGone, InvalidInput: `target` names no single element.
        CommandTimeout: a script that the move started did not come to an end, and was ended.
        DialogOpen, PageCrashed, PageClosed: the page could not be asked.
    """
    element = await page.element(target)
    try:
        found: dict[str, Any] = {}
        for attempt in range(TRIES):
            plan = await aim(element, {**_TO_LAND, "still": attempt > 0}, "hovered over")
            if plan.get("problem"):
                raise problem(
                    element.label, {"problem": "hidden", "why": "it is an option of a closed list"}, "hovered over"
                )
            (x, y), _ = await points_of(element, plan["x"], plan["y"])
            await element.call(HOVER_WATCH)
            move = {"type": "mouseMoved", "x": x, "y": y, "pointerType": "mouse"}
            if not await deliver(element.frame, [("Input.dispatchMouseEvent", move)], timeout):
                return element.label
            try:
                found = await element.call(HOVERED)
            except (DialogOpen, DocumentReplaced, PageClosed, PageCrashed, ElementError):
                return element.label  # the hovering had that effect: nothing more can be known
            if found["lands"]:
                return element.label
        raise moving(element.label, found["coverer"], "move")
    finally:
        await element.release()


async def drag(page: Page, source: str, target: str, *, timeout: float = COMMAND) -> DragReport:
    """Drag one element onto another: press in the middle of the one, release in the middle of the other.

    Works for the browser's own drag and drop (also between the frames of a page) and for what pages do themselves with
    pointer or mouse events.

    Raises:
        DropRefused: the browser dragged it, but the target did not take the drop.
        ElementMoving: it was somewhere else each time the mouse was about to be pressed.
        ElementGone, ElementHidden, ElementDisabled, ElementCovered: one of them can't be reached.
        ElementNotFound, ElementAmbiguous, FrameGone, InvalidInput: a target names no single element.
        CommandTimeout: a script did not come to an end, and was ended.
        DialogOpen, PageCrashed, PageClosed: the page could not be asked.
    """
    held = await page.element(source)
    try:
        onto = await page.element(target)
        try:
            return await _Drag(page, held, onto, timeout).run()
        finally:
            await onto.release()
    finally:
        await held.release()


#: Where what is dragged and its target are drawn, as ``js/box.js`` tells.
_Boxes = tuple[list[float] | None, list[float] | None]


class _Drag:
    """One drag, with what must be put back after it."""

    def __init__(self, page: Page, held: Element, onto: Element, timeout: float) -> None:
        self._page = page
        self._held = held
        self._onto = onto
        self._timeout = timeout
        # Chrome takes a drag's input in the page's own session and coordinates, whatever process a frame is in.
        self._session: Session = page.session
        self._is_in_one_process = held.frame.session is onto.frame.session
        self._data: dict[str, Any] | None = None

    async def run(self) -> DragReport:
        off = self._session.on("Input.dragIntercepted", self._intercepted)
        watch = PressWatch(self._held.frame)
        try:
            for attempt in range(TRIES):
                start, end, where = await self._aim(still=attempt > 0)
                if not await self._mouse("mouseMoved", start):
                    return await self._report(was_whole=False)
                before = start
                # What the mouse has left or entered with that may have moved it (a menu that closed): aim once more,
                # from where it is now. The press is watched: should it hit something else, nobody gets it.
                start = await self._point(self._held, await self._plan(self._held, disabled=False, token=watch.token))
                if attempt == 0:
                    await self._onto.frame.call(DRAG_WATCH)
                    await self._session.send("Input.setInterceptDrags", {"enabled": True})
                native = await self._held.call(DRAG_SOURCE) == "native"
                watch.lands = None
                kinds = ["mousePressed"] if start == before else ["mouseMoved", "mousePressed"]
                is_held = await self._mouse(kinds, start)
                if not is_held or await watch.verdict() is not False:
                    return await self._carry(start, end, where, native=native, is_held=is_held)
                await self._mouse("mouseReleased", start)
                await watch.disarm()
            raise moving(self._held.label, watch.coverer, "press")
        finally:
            watch.end()
            off()
            self._session.post("Input.setInterceptDrags", {"enabled": False})

    async def _aim(self, *, still: bool) -> tuple[tuple[float, float], tuple[float, float] | None, list[float] | None]:
        """Where to press, where to release (None: they are never in view together), and the box to release in."""
        start = await self._point(self._held, await self._plan(self._held, disabled=False, still=still))
        box = await self._held.call(BOX)
        end: tuple[float, float] | None = await self._point(self._onto, await self._plan(self._onto, disabled=True))
        where: list[float] | None = await self._onto.call(BOX)
        if await self._held.call(BOX) != box:
            # The way to the other one scrolled: go back; if that scrolls again, they are never in view together.
            start = await self._point(self._held, await self._plan(self._held, disabled=False))
            if await self._onto.call(BOX) != where:
                end = None
        return start, end, where

    async def _carry(
        self,
        start: tuple[float, float],
        end: tuple[float, float] | None,
        where: list[float] | None,
        *,
        native: bool,
        is_held: bool,
    ) -> DragReport:
        at = start
        try:
            if is_held:
                for nth in (1, 2):
                    at = _toward(start, end, THRESHOLD * nth)
                    is_held = is_held and await self._mouse("mouseMoved", at)
                if native and is_held:
                    await self._page.loads.wait(lambda: self._data is not None, BEGINS)
            if is_held and (end is None or await self._onto.call(BOX) != where):
                # What is dragged may have left a gap, or room was made for it.
                end = await self._revealed("nearest" if end else "center")
            if end is not None:
                # A frame of another process must be entered first, and anew by a move that begins inside it.
                steps = STEPS if self._data is None or self._is_in_one_process else 1
                before = await self._boxes() if is_held else None
                way = [_between(at, end, step / steps) for step in range(1, steps + 1)]
                # Once more at the end: what follows the pointer one move behind has arrived, too.
                for n, point in enumerate([*way, end]):
                    is_held = is_held and await self._move(point, first=n == 0)
                    at = point
                if before is not None and is_held:
                    at, is_held = await self._follow(at, before)
            if self._data is not None and is_held:
                await self._dispatch("drop", at)
        finally:
            await self._mouse("mouseReleased", at)
        return await self._report(was_whole=is_held)

    async def _follow(self, at: tuple[float, float], before: _Boxes) -> tuple[tuple[float, float], bool]:
        """Stay over the target while things make room for what is dragged; until that lies in the target's place.

        `before` are the boxes before the way. Returns where the mouse is in the end, and whether it still holds.
        """
        has_changed = False
        try:
            for _ in range(FOLLOWS):
                now = await self._boxes()
                held, onto = now
                has_changed = has_changed or now != before
                if now == before or onto is None:
                    break
                middle = await self._revealed("nearest")
                if held is not None and self._held.frame is self._onto.frame:
                    # Where what is dragged lies, beside the target.
                    shift = [held[i] + held[i + 2] / 2 - onto[i] - onto[i + 2] / 2 for i in (0, 1)]
                    if _is_within(at, (middle[0] + shift[0], middle[1] + shift[1]), held):
                        break
                way = [at] if _is_within(at, middle, onto) else [_between(at, middle, 0.5), middle]
                before = now
                await asyncio.sleep(MAKES_ROOM)
                for point in way:
                    if not await self._move(point, first=False):
                        return point, False
                    at = point
            # Something else may be under the pointer now: it is entered by one move, and agrees to a drop at the next.
            for _ in range(2 if has_changed else 0):
                if not await self._move(at, first=False):
                    return at, False
        except (DialogOpen, DocumentReplaced, PageClosed, PageCrashed, ElementError):
            pass  # the drag had that effect; the mouse is released all the same
        return at, True

    async def _boxes(self) -> _Boxes:
        held, onto = await asyncio.gather(self._held.call(BOX), self._onto.call(BOX))
        return held, onto

    async def _report(self, *, was_whole: bool) -> DragReport:
        report = DragReport(self._held.label, self._onto.label, "pointer" if self._data is None else "native")
        try:
            dropped = await self._onto.frame.call(DRAG_OUTCOME, DROP_ARRIVES if self._data is not None else 0)
        except (DialogOpen, DocumentReplaced, PageClosed, PageCrashed, ElementError):
            return report  # the drag had that effect: nothing more can be known
        if self._data is not None and not dropped and was_whole:
            raise DropRefused(
                f"{self._held.label} was dragged to {self._onto.label}, which did not take it: no drop came of it.",
                "Perhaps another element takes the drop: one that is larger, or appears while something is dragged.",
            )
        return report

    # -- where -----------------------------------------------------------------------------------------

    async def _plan(self, element: Element, *, disabled: bool, still: bool = False, token: str = "") -> dict[str, Any]:
        done = "dropped on" if disabled else "dragged"
        plan = await aim(element, {"rest": REST, "still": still, "token": token, "disabledToo": disabled}, done)
        if plan.get("problem"):
            raise InvalidInput(f"{element.label} is an option of a closed list and can't be {done}.")
        return plan

    async def _point(self, element: Element, plan: dict[str, Any]) -> tuple[float, float]:
        return (await points_of(element, plan["x"], plan["y"]))[1]

    async def _revealed(self, block: Literal["center", "nearest"]) -> tuple[float, float]:
        """Where the target is once it is in view, with the mouse held down; what is dragged may lie above it."""
        x, y = await self._onto.call(DRAG_REVEAL, block)
        return (await points_of(self._onto, x, y, covered=True))[1]

    # -- doing -----------------------------------------------------------------------------------------

    def _intercepted(self, event: dict[str, Any]) -> None:
        self._data = event["data"]
        self._page.loads.touch()

    async def _move(self, point: tuple[float, float], *, first: bool) -> bool:
        if self._data is None:
            return await self._mouse("mouseMoved", point)
        return (not first or await self._dispatch("dragEnter", point)) and await self._dispatch("dragOver", point)

    async def _mouse(self, kinds: str | Sequence[str], point: tuple[float, float]) -> bool:
        events = []
        for kind in [kinds] if isinstance(kinds, str) else kinds:
            event: dict[str, Any] = {"type": kind, "x": point[0], "y": point[1], "pointerType": "mouse"}
            if kind == "mouseMoved":
                event |= {"button": "left", "buttons": 1} if self._is_down else {}
            else:
                self._is_down = kind == "mousePressed"
                event |= {"button": "left", "buttons": int(self._is_down), "clickCount": 1}
            events.append(("Input.dispatchMouseEvent", event))
        return await deliver(self._page.main_frame, events, self._timeout)

    async def _dispatch(self, kind: str, point: tuple[float, float]) -> bool:
        event = {"type": kind, "x": point[0], "y": point[1], "data": self._data}
        return await deliver(self._page.main_frame, [("Input.dispatchDragEvent", event)], self._timeout)

    _is_down = False


def _is_within(point: tuple[float, float], middle: tuple[float, float], box: Sequence[float]) -> bool:
    """Whether a point lies in a box of that size around `middle`."""
    return abs(point[0] - middle[0]) <= box[2] / 2 and abs(point[1] - middle[1]) <= box[3] / 2


def _between(one: tuple[float, float], other: tuple[float, float], part: float) -> tuple[float, float]:
    return one[0] + (other[0] - one[0]) * part, one[1] + (other[1] - one[1]) * part


def _toward(start: tuple[float, float], end: tuple[float, float] | None, distance: float) -> tuple[float, float]:
    """A point so far from `start` on the way to `end`; downwards when that is not known."""
    if end is None:
        return start[0], start[1] + distance
    length = ((end[0] - start[0]) ** 2 + (end[1] - start[1]) ** 2) ** 0.5
    return _between(start, end, min(distance / length, 1)) if length else start
