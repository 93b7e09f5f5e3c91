"""Choose from lists that pages draw themselves: ARIA comboboxes, list boxes, and buttons that open one.

As a person does it: the list is opened by a click, its options are waited for, the one that is meant is clicked, and
what the control shows then is compared with it. A field that suggests while one types has its text by then.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pagelens.browser.element import Element
from pagelens.browser.input import click_element, deliver
from pagelens.browser.keyboard import down_params, find_key, up_params
from pagelens.browser.world import JsFunction
from pagelens.core.deadlines import COMMAND
from pagelens.errors import ElementGone, ElementHidden, ElementMoving

if TYPE_CHECKING:
    from pagelens.browser.frame import Frame

__all__ = ["POPUP_MARK", "choose"]

POPUP_MARK = JsFunction("pagelens.browser", "js/popup_mark.js")
MATCH_CHOICE = JsFunction("pagelens.browser", "js/match_choice.js")
POPUP_OPTIONS = JsFunction("pagelens.browser", "js/popup_options.js")
POPUP_WAIT = JsFunction("pagelens.browser", "js/popup_wait.js", needs=(POPUP_OPTIONS, MATCH_CHOICE))
POPUP_CHOICE = JsFunction("pagelens.browser", "js/popup_choice.js")
POPUP_TARGET = JsFunction("pagelens.browser", "js/popup_target.js")
POPUP_RESULT = JsFunction("pagelens.browser", "js/popup_result.js", needs=(POPUP_OPTIONS,))
POPUP_CLOSED = JsFunction("pagelens.browser", "js/popup_closed.js", needs=(POPUP_OPTIONS,))

#: How long a list may take to show its options, and how long suggestions are waited for. Milliseconds.
OPENS = 1500
SUGGESTS = 700
#: How long a list may take to fade away. Milliseconds.
CLOSES = 600
#: A list that is drawn anew under the mouse is tried again so often.
TRIES = 3


async def choose(control: Element, wanted: list[str], kind: str) -> dict[str, Any]:
    """Choose from the list of the control that ``js/fill.js`` has just prepared.

    Args:
        control: it.
        wanted: labels or values of options.
        kind: ``dropdown``: it opens a list when it is clicked; ``listbox``: it is one; ``popup``: a field with the
            text in it.

    Returns:
        ``{done, value, differs}`` when something was chosen; else ``{why, hint, offered}``, the list closed again
        unless it is one of suggestions.

    Raises:
        ElementError: what is to be clicked can't be.
    """
    frame = control.frame
    if kind == "dropdown":
        await _click(frame, POPUP_TARGET, control.label)
    limit = SUGGESTS if kind == "popup" else OPENS
    for attempt in range(TRIES):
        found: dict[str, Any] = await frame.call(POPUP_WAIT, wanted, kind == "popup", limit, timeout=COMMAND)
        if found["found"] < 0:
            if kind == "dropdown":
                await _escape(frame)
                await frame.call(POPUP_CLOSED, CLOSES)
            return {"why": "it was taken away", "hint": "Take a new snapshot.", **found}
        try:
            for nth in range(found["found"]):
                await _click(frame, POPUP_CHOICE, f"the option of {control.label}", nth)
            break
        except (ElementGone, ElementHidden, ElementMoving):
            # The list was drawn anew at this moment, as many are while they are filtered.
            if attempt == TRIES - 1:
                raise
    result: dict[str, Any] = await frame.call(POPUP_RESULT, found["labels"])
    if kind != "listbox" and (found["several"] or not await frame.call(POPUP_CLOSED, CLOSES)):
        await _escape(frame)
        await frame.call(POPUP_CLOSED, CLOSES)
    return result


async def _click(frame: Frame, which: JsFunction, label: str, *args: Any) -> None:
    object_id = await frame.call_for_object(which, *args)
    if object_id is None:
        return  # the read-back tells
    element = Element(frame, object_id, label)
    try:
        await click_element(element)
    finally:
        await element.release()


async def _escape(frame: Frame) -> None:
    key = find_key("Escape")
    keys = [("Input.dispatchKeyEvent", down_params(key, 0)), ("Input.dispatchKeyEvent", up_params(key, 0))]
    await deliver(frame, keys, COMMAND)
