"""Mouse and keyboard: what a person's hand would do, checked before and while it is done.

A click first finds its point in one call to the page (``js/hit_test.js``); for an element in a frame each
frame around it is asked whether the point is visible there. Then the whole gesture is written at once:
moved, pressed, released. While it arrives, the page side tests once more what the press would hit, and
holds back a press that would hit something else (``js/guard_click.js``): what moved or opened under the
pointer is reported, never clicked by mistake. (Listeners that the page put on its window before the first
click still see such a press; those of its document and elements don't.)

Nothing here waits for what an action causes: callers wrap it in ``page.acting("input")``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from pagelens.browser.keyboard import (
    down_params,
    find_key,
    modifier_bits,
    needs_shift,
    parse,
    parse_modifiers,
    up_params,
)
from pagelens.browser.press_watch import PressWatch
from pagelens.browser.uids import UIDS
from pagelens.browser.world import JsFunction
from pagelens.core.deadlines import COMMAND
from pagelens.core.safe_text import one_line
from pagelens.errors import (
    DialogOpen,
    DocumentReplaced,
    ElementCovered,
    ElementDisabled,
    ElementError,
    ElementGone,
    ElementHidden,
    ElementMoving,
    ElementZeroSize,
    FillFailed,
    PageClosed,
)

if TYPE_CHECKING:
    from pagelens.browser.element import Element
    from pagelens.browser.frame import Frame
    from pagelens.browser.page import Page
    from pagelens.cdp.session import Reply

__all__ = [
    "CHOOSE_OPTION",
    "HIDDEN_WHY",
    "ClickReport",
    "MouseButton",
    "aim",
    "call_on_owner",
    "click",
    "click_element",
    "deliver",
    "gesture",
    "moving",
    "points_of",
    "press_key",
    "problem",
]

MouseButton = Literal["left", "right", "middle"]

FLAT_PARENTS = JsFunction("pagelens.browser", "js/flat_parents.js")
NAMED = JsFunction("pagelens.browser", "js/named.js", needs=(UIDS,))
LANDING = JsFunction("pagelens.browser", "js/landing.js", needs=(FLAT_PARENTS,))
HIDDEN_WHY = JsFunction("pagelens.browser", "js/hidden_why.js", needs=(FLAT_PARENTS, NAMED))
GUARD_CLICK = JsFunction("pagelens.browser", "js/guard_click.js", needs=(LANDING, NAMED))
HIT_TEST = JsFunction("pagelens.browser", "js/hit_test.js", needs=(LANDING, NAMED, HIDDEN_WHY, GUARD_CLICK))
FRAME_POINT = JsFunction("pagelens.browser", "js/frame_point.js", needs=(LANDING, NAMED, HIDDEN_WHY))
CHOOSE_OPTION = JsFunction("pagelens.browser", "js/choose_option.js", needs=(HIDDEN_WHY,))

#: How long an element that moves by script is waited for before its click is tried all the same, and again before each
#: further try. Milliseconds.
REST = 240
REST_AGAIN = 80
#: A press that would have hit something else is tried again so often, from the start.
TRIES = 3
#: Uids handed to a document that has none left for an element that is in the way.
FEW_UIDS = 16

_BUTTONS = {"left": 1, "right": 2, "middle": 4}


@dataclass(frozen=True)
class ClickReport:
    """How a click was done.

    Attributes:
        label: the element, as messages call it.
        via: ``element``; ``label`` when the control itself can't be seen and its label was clicked;
            ``selection`` when it was an option of a closed ``<select>``, which was selected.
        x, y: where, in CSS pixels of the viewport of the session that got the click; 0 for a selection.
        is_confirmed: whether the press was seen to arrive. False is rare: the page took it away from everybody
            at its window, or Chrome gave it to something outside the page.
    """

    label: str
    via: Literal["element", "label", "selection"]
    x: float = 0.0
    y: float = 0.0
    is_confirmed: bool = True


async def click(
    page: Page,
    target: str,
    *,
    button: MouseButton = "left",
    count: int = 1,
    modifiers: Sequence[str] = (),
    timeout: float = COMMAND,
) -> ClickReport:
    """Click an element.

    Args:
        target: uid or selector, see `Page.element`.
        button: which mouse button.
        count: 2 for a double click.
        modifiers: keys held meanwhile: ``Control``, ``Shift``, ``Alt``, ``Meta``.
        timeout: seconds that the page's handlers may take; then their script is ended.

    Raises:
        ElementGone, ElementHidden, ElementDisabled, ElementMoving, ElementCovered: it can't be clicked, with
            the reason; `ElementCovered` names what is in the way, with its uid. No element got a click.
        ElementNotFound, ElementAmbiguous, FrameGone, InvalidInput: `target` names no single element.
        CommandTimeout: a script that the click started did not come to an end, and was ended.
        DialogOpen, PageCrashed, PageClosed: the page could not be asked. A dialog or the end of the page that
            the click itself caused is no error.
    """
    element = await page.element(target)
    try:
        return await click_element(element, button=button, count=count, modifiers=modifiers, timeout=timeout)
    finally:
        await element.release()


async def click_element(
    element: Element,
    *,
    button: MouseButton = "left",
    count: int = 1,
    modifiers: Sequence[str] = (),
    timeout: float = COMMAND,
) -> ClickReport:
    """`click`, for an element at hand."""
    parse_modifiers(modifiers)
    watch = PressWatch(element.frame)
    plan: dict[str, Any] = {}
    try:
        for attempt in range(TRIES):
            rest = REST_AGAIN if attempt else REST
            plan = await aim(element, {"rest": rest, "still": attempt > 0, "token": watch.token})
            if plan.get("problem") == "option":
                return await _choose(element)
            x, y = (await points_of(element, plan["x"], plan["y"]))[0]
            events = gesture(x, y, button=button, count=count, modifiers=modifiers)
            watch.lands = None
            is_answered = await deliver(element.frame, events, timeout)
            if is_answered:
                await watch.verdict()
            if watch.lands is not False:
                confirmed = watch.lands is True or not is_answered
                return ClickReport(element.label, plan["via"], x, y, confirmed)
            await watch.disarm()
        raise moving(element.label, watch.coverer, "click")
    finally:
        watch.end()


async def press_key(page: Page, combination: str, *, timeout: float = COMMAND) -> None:
    """Press a key, or a combination such as ``Control+A``, where the focus is; see `keyboard.parse`.

    Raises:
        InvalidInput: `combination` names no key.
        CommandTimeout: a script that the key started did not come to an end, and was ended.
        DialogOpen, PageCrashed, PageClosed: the page could not be asked. A dialog or the end of the page that
            the key itself caused is no error.
    """
    wanted = parse(combination)
    if page.dialog is not None:
        raise page.dialog_error()
    page.raise_if_unusable()
    events: list[dict[str, Any]] = []
    bits = 0
    # "A" and "!" alone are typed as a person types them; in a shortcut only what is named is held.
    held = wanted.modifiers or ((find_key("Shift"),) if needs_shift(wanted.key) else ())
    for modifier in held:
        bits |= modifier_bits([modifier.key])
        events.append(down_params(modifier, bits))
    events.append(down_params(wanted.key, bits))
    events.append(up_params(wanted.key, bits))
    for modifier in reversed(held):
        bits &= ~modifier_bits([modifier.key])
        events.append(up_params(modifier, bits))
    # Chrome passes keys on to the frame that has the focus, also in another process. All is written at once, so a
    # modifier is released whatever the key does.
    await deliver(page.main_frame, [("Input.dispatchKeyEvent", event) for event in events], timeout)


# -- aiming ------------------------------------------------------------------------------------------------


async def aim(element: Element, options: dict[str, Any], done: str = "clicked") -> dict[str, Any]:
    """The point in the element's own frame (``js/hit_test.js``); raises what keeps it from being `done`."""
    plan: dict[str, Any] = await element.call(HIT_TEST, options)
    if _nameless(plan):
        await element.frame.give_uids(FEW_UIDS)
        plan = await element.call(HIT_TEST, options)
    if plan.get("problem") not in (None, "option"):
        raise problem(element.label, plan, done)
    return plan


async def points_of(
    element: Element, x: float, y: float, *, covered: bool = False
) -> tuple[tuple[float, float], tuple[float, float]]:
    """Carry a point up through the frames around the element, testing in each that it is visible.

    With `covered` something may lie above the frames: what is being dragged does.

    Returns it in the coordinates of the frame's session (those of the outermost frame in the same process), and in
    those of the page.
    """
    point: tuple[float, float] | None = None
    scale = 1.0
    frame = element.frame
    while (parent := frame.parent) is not None:
        if frame.is_out_of_process and point is None:
            point = (x, y)
        mapped = await _ask_parent(frame, parent, x, y, covered)
        if mapped.get("problem"):
            raise problem(element.label, mapped, "reached")
        x, y, scale = mapped["x"], mapped["y"], mapped["scale"]
        frame = parent
    if point is None:
        return (x, y), (x, y)
    # Where a page was pinched larger, Chrome multiplies what a frame's own session is given, but not the page's.
    return (point[0] / scale, point[1] / scale), (x, y)


async def _ask_parent(frame: Frame, parent: Frame, x: float, y: float, covered: bool) -> dict[str, Any]:
    mapped: dict[str, Any] = await call_on_owner(frame, parent, FRAME_POINT, x, y, covered)
    if _nameless(mapped):
        await parent.give_uids(FEW_UIDS)
        mapped = await call_on_owner(frame, parent, FRAME_POINT, x, y, covered)
    return mapped


async def call_on_owner(frame: Frame, parent: Frame, function: JsFunction, *args: Any) -> Any:
    """Run a page-side function with the element that holds `frame` in its `parent`; see `Frame.call_on`."""
    session = parent.session
    owner = await parent.guarded(session.post("DOM.getFrameOwner", {"frameId": frame.id}))
    node = await parent.guarded(
        session.post(
            "DOM.resolveNode",
            {"backendNodeId": owner["backendNodeId"], "executionContextId": await parent.isolated_context()},
        )
    )
    object_id = node["object"]["objectId"]
    try:
        return await parent.call_on(function, object_id, *args)
    finally:
        session.post("Runtime.releaseObject", {"objectId": object_id})


def _nameless(plan: dict[str, Any]) -> bool:
    coverer = plan.get("coverer")
    return coverer is not None and coverer["uid"] == 0


def _called(coverer: dict[str, Any] | None, before: str = "") -> str:
    if not coverer:
        return ""
    uid = f"uid=e{coverer['uid']} " if coverer["uid"] else ""
    return f"{before}{uid}{one_line(coverer['words'])}"


def problem(label: str, plan: dict[str, Any], done: str) -> ElementError:
    """The error for what the page side found wrong with an element that was to be `done` (``clicked``)."""
    why = one_line(plan.get("why") or "")
    because = f": {why}" if why else ""
    match plan["problem"]:
        case "gone":
            return ElementGone(
                f"{label} is gone: it was removed from the page.",
                "The page may have drawn it anew: take a new snapshot.",
            )
        case "hidden":
            return ElementHidden(
                f"{label} can't be {done}{because or ': it is not visible'}.",
                "Make it visible first (open its menu, tab or section), then take a new snapshot.",
            )
        case "size":
            return ElementZeroSize(
                f"{label} can't be {done}{because}.", "Act on what is visible around it: take a new snapshot."
            )
        case "disabled":
            return ElementDisabled(f"{label} is disabled{because}.", "Fill in or choose what the page wants first.")
        case "covered":
            coverer = plan["coverer"]
            words = f"{why} {_called(coverer)}" if why else f"{_called(coverer)} covers it and would get the click"
            return ElementCovered(
                f"{label} can't be {done}: {words}.",
                "Close or move what is in the way first, or click that instead.",
            )
        case _:
            return FillFailed(f"{label} can't be {done}{because}.", plan.get("hint", ""))


def moving(label: str, coverer: dict[str, Any] | None, what: str) -> ElementMoving:
    """The error for an element that was somewhere else each time the mouse was about to be pressed on it."""
    return ElementMoving(
        f"{label} moves: {TRIES} times something else was under the pointer at the moment of the {what}"
        f"{_called(coverer, ', the last time ')}. No element got a {what}.",
        "Wait until it is at rest"
        + (", or click it with evaluate_script: (el) => el.click()." if what == "click" else "."),
    )


async def _choose(option: Element) -> ClickReport:
    result = await option.call(CHOOSE_OPTION)
    if result.get("problem") == "group":
        raise ElementDisabled(
            f"{option.label} is a group of options and can't be chosen.", "Choose one of its options."
        )
    if result.get("problem"):
        raise problem(option.label, result, "chosen")
    return ClickReport(option.label, "selection")


# -- doing -------------------------------------------------------------------------------------------------


def gesture(
    x: float, y: float, *, button: MouseButton = "left", count: int = 1, modifiers: Sequence[str] = ()
) -> list[tuple[str, dict[str, Any]]]:
    """The commands of a whole click, to be written in one go: held keys are released whatever it does.

    Raises:
        InvalidInput: a modifier is none.
    """
    keys = parse_modifiers(modifiers)
    bits = 0
    held, released = [], []
    for key in keys:
        bits |= modifier_bits([key.key])
        held.append(("Input.dispatchKeyEvent", down_params(key, bits)))
    at = {"x": x, "y": y, "modifiers": bits, "pointerType": "mouse"}
    events: list[dict[str, Any]] = [{"type": "mouseMoved", **at}]
    for nth in range(1, count + 1):
        pressed = {**at, "button": button, "clickCount": nth}
        events.append({"type": "mousePressed", "buttons": _BUTTONS[button], **pressed})
        events.append({"type": "mouseReleased", "buttons": 0, **pressed})
    for key in reversed(keys):
        bits &= ~modifier_bits([key.key])
        released.append(("Input.dispatchKeyEvent", up_params(key, bits)))
    return [*held, *(("Input.dispatchMouseEvent", event) for event in events), *released]


async def deliver(frame: Frame, commands: Sequence[tuple[str, dict[str, Any]]], timeout: float) -> bool:
    """Write input events at once and wait until the page has handled them; returns whether it said so for all.

    Their answers stay out while a dialog that they opened is there, or when the page ended: both are effects
    of the input, which the caller's watch reports.
    """
    session = frame.session
    replies: list[Reply] = [session.post(method, params) for method, params in commands]
    for reply in replies:
        try:
            await frame.guarded(reply, timeout)
        except (DialogOpen, PageClosed, DocumentReplaced, ElementError):
            return False
    return True
