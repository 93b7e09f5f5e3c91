"""Set what a form control holds, the way the control and its page expect, and read back what became of it.

Text goes in with the events of typing, trusted ones, so that every framework hears of it; dates, colours and the
like, which take no typed text, through the setter of their class with the events a person causes; editors by
selecting all and typing over it, else by pasting; switches, and the options of lists that pages draw themselves, by
clicks (`pagelens.browser.combobox`). What one call to the page can do, is done by it: ``js/fill.js``.

Nothing here waits for what it causes: callers wrap it in ``page.acting("script")``.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from pagelens.browser.combobox import POPUP_MARK, choose
from pagelens.browser.input import HIDDEN_WHY, NAMED, click_element, deliver, problem
from pagelens.browser.keyboard import down_params, modifier_bits, parse, strokes, up_params
from pagelens.browser.world import JsFunction
from pagelens.core.deadlines import COMMAND
from pagelens.core.safe_text import quoted, shortened
from pagelens.errors import DialogOpen, FillFailed

if TYPE_CHECKING:
    from pagelens.browser.element import Element
    from pagelens.browser.page import Page

__all__ = ["FILL", "FILL_CHECK", "FillReport", "FillValue", "fill", "finish", "time_for", "value_text"]

#: What a program may give for a value.
FillValue = str | bool | float | Sequence[str]

IS_SWITCH = JsFunction("pagelens.browser", "js/is_switch.js")
SWITCH_STATE = JsFunction("pagelens.browser", "js/switch_state.js")
NEXT_TASK = JsFunction("pagelens.browser", "js/next_task.js")
MATCH_CHOICE = JsFunction("pagelens.browser", "js/match_choice.js")
SEVERAL_VALUES = JsFunction("pagelens.browser", "js/several_values.js")
FILL_TEXT = JsFunction("pagelens.browser", "js/fill_text.js")
FILL_RESULT = JsFunction("pagelens.browser", "js/fill_result.js", needs=(IS_SWITCH, SWITCH_STATE))
FILL_PASTE = JsFunction("pagelens.browser", "js/fill_paste.js", needs=(NEXT_TASK,))
FILL_CHECK = JsFunction(
    "pagelens.browser",
    "js/fill_check.js",
    needs=(HIDDEN_WHY, NAMED, IS_SWITCH, SWITCH_STATE, MATCH_CHOICE, SEVERAL_VALUES),
)
FILL = JsFunction("pagelens.browser", "js/fill.js", needs=(FILL_CHECK, FILL_TEXT, FILL_RESULT, NEXT_TASK, POPUP_MARK))

#: More time for long text: characters a second that Chrome takes at the very least.
_RATE = 20_000
#: Up to so many characters are typed key by key into a field that made something else of them at first.
_KEYED = 100
_SELECT_ALL = "Meta+a" if sys.platform == "darwin" else "Control+a"


@dataclass(frozen=True)
class FillReport:
    """What became of a value.

    Attributes:
        label: the element, as messages call it.
        value_after: what the control holds now: text, ``true`` or ``false``, the label of a choice. Raw page text.
        differs: whether that is not what was asked for: the page changed it (a mask, a limit) or refused it.
        is_verified: False when it could not be read back, because a dialog opened meanwhile, or an editor shows only
            a part of what it holds.
        is_reformatted: it differs by nothing but separators that the page put between the characters.
        offered: what the list of a combobox offers besides, when the text was none of it. Raw page text.
    """

    label: str
    value_after: str
    differs: bool
    is_verified: bool = True
    is_reformatted: bool = False
    offered: tuple[str, ...] = ()

    def raise_if_differs(self) -> None:
        """Raise `FillFailed` when the control does not hold what was asked for, in whatever form."""
        if self.differs and not self.is_reformatted:
            raise FillFailed(
                f"{self.label} was filled, but holds {quoted(shortened(self.value_after, 200))} now: "
                "the page changed the value or refused it.",
                "If that is the value in another form, go on; else enter one that the page accepts.",
            )


def value_text(value: FillValue) -> str:
    """A value of a program as `fill` takes it: True as ``true``, several choices as a JSON list."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return value
    if isinstance(value, int | float):
        return str(value)
    return json.dumps(list(value), ensure_ascii=False)


async def fill(page: Page, target: str, value: str) -> FillReport:
    """Replace what a control holds by `value`.

    Args:
        target: uid or selector of an input, textarea, select, editable element, combobox, or a label of one.
        value: the text; ``true``/``false`` for check boxes, radio buttons and switches; a label or value of a
            list's options (in any case, or a unique beginning), several as a JSON list or one a line where a list
            takes several; ``YYYY-MM-DD`` and the like for dates.

    Raises:
        FillFailed: the control can't take this value: the message says what it takes, for a list its choices.
        ElementDisabled: it is disabled or read-only. ElementHidden, ElementGone, ElementCovered: as for clicks.
        ElementNotFound, ElementAmbiguous, FrameGone, InvalidInput: `target` names no single element.
        DialogOpen, PageCrashed, PageClosed, CommandTimeout: the page could not be asked.
    """
    element = await page.element(target)
    try:
        try:
            outcome: dict[str, Any] = await element.call(FILL, value, timeout=time_for(value))
        except DialogOpen:
            return _unread(element.label, value)
        return await finish(element, value, outcome)
    finally:
        await element.release()


def time_for(value: str) -> float:
    """Seconds that entering this text may take."""
    return COMMAND + len(value) / _RATE


async def finish(element: Element, value: str, outcome: dict[str, Any]) -> FillReport:
    """Do by hand what ``js/fill.js`` has left to do, and report; see `fill`.

    Raises:
        ElementError: it could not be done, or the script said already that it can't be.
    """
    label = element.label
    if outcome.get("problem"):
        raise problem(label, outcome, "filled")
    try:
        if outcome.get("click"):
            return await _switch(element, outcome["click"], is_mixed=outcome["mixed"])
        if outcome.get("list"):
            return await _choose(element, value, outcome["list"])
        if outcome.get("keys"):
            return await _edit(element, value, outcome)
        if _is_masked(value, outcome):
            outcome = await _by_key(element, value)
        return _report(label, outcome)
    except DialogOpen:
        # The page reacted with a dialog: the value was set, but can't be read before the dialog is handled.
        return _unread(label, value)


# -- by hand -----------------------------------------------------------------------------------------------


async def _switch(element: Element, wanted: str, *, is_mixed: bool) -> FillReport:
    await click_element(element)
    outcome: dict[str, Any] = await element.frame.call(FILL_RESULT, wanted)
    if outcome["differs"] and is_mixed and not outcome.get("gone"):
        # One that was neither on nor off has come to be the other one.
        await click_element(element)
        outcome = await element.frame.call(FILL_RESULT, wanted)
    return _report(element.label, outcome)


async def _choose(element: Element, value: str, kind: str) -> FillReport:
    frame = element.frame
    wanted = await frame.call(SEVERAL_VALUES, value) if kind != "popup" else [value]
    result = await choose(element, wanted, kind)
    if result.get("done"):
        return _report(element.label, result)
    if kind != "popup":
        raise problem(element.label, {"problem": "unfit", **result}, "filled")
    report = _report(element.label, await frame.call(FILL_RESULT, value))
    return replace(report, offered=tuple(result["offered"]))


async def _edit(element: Element, value: str, plan: dict[str, Any]) -> FillReport:
    """Replace all that an editor holds: it has the focus."""
    frame = element.frame
    timeout = time_for(value)
    everything = _press(_SELECT_ALL)
    if plan.get("paste"):
        await deliver(frame, everything, timeout)
        await frame.call(FILL_PASTE, value, timeout=timeout)
    elif value == "":
        await deliver(frame, [*everything, *_press("Delete")], timeout)
    else:
        await deliver(frame, [*everything, ("Input.insertText", {"text": value})], timeout)
    if plan.get("proxy"):
        return FillReport(element.label, value, differs=False, is_verified=False)
    outcome = await frame.call(FILL_RESULT, value, timeout=timeout)
    if outcome["differs"] and value != "" and not plan.get("paste") and not outcome.get("gone"):
        await deliver(frame, everything, timeout)
        await frame.call(FILL_PASTE, value, timeout=timeout)
        outcome = await frame.call(FILL_RESULT, value, timeout=timeout)
    return _report(element.label, outcome)


def _is_masked(value: str, outcome: dict[str, Any]) -> bool:
    """Whether typing it key by key may do better: some masks listen to keys only."""
    return bool(
        outcome.get("differs")
        and "reformatted" in outcome
        and not outcome["reformatted"]
        and not outcome["cut"]
        and 0 < len(value) <= _KEYED
        and "\n" not in value
        and outcome["value"].casefold() != value.casefold()
    )


async def _by_key(element: Element, value: str) -> dict[str, Any]:
    frame = element.frame
    await deliver(frame, [*_press(_SELECT_ALL), *_press("Delete"), *strokes(value)], COMMAND)
    outcome: dict[str, Any] = await frame.call(FILL_RESULT, value)
    return outcome


def _press(combination: str) -> list[tuple[str, dict[str, Any]]]:
    wanted = parse(combination)
    bits = 0
    events = []
    for modifier in wanted.modifiers:
        bits |= modifier_bits([modifier.key])
        events.append(down_params(modifier, bits))
    events += [down_params(wanted.key, bits), up_params(wanted.key, bits)]
    for modifier in reversed(wanted.modifiers):
        bits &= ~modifier_bits([modifier.key])
        events.append(up_params(modifier, bits))
    return [("Input.dispatchKeyEvent", event) for event in events]


# -- what is said ------------------------------------------------------------------------------------------


def _report(label: str, result: dict[str, Any]) -> FillReport:
    return FillReport(
        label,
        result["value"],
        result["differs"],
        is_verified=not result.get("partly"),
        is_reformatted=bool(result.get("reformatted")),
    )


def _unread(label: str, value: str) -> FillReport:
    return FillReport(label, value, differs=False, is_verified=False)
