"""Set what a form control holds, the way the control and its page expect, and read back what became of it.

Text goes in as keyboard input, so that every framework hears of it; dates, colours and the like, which take
no typed text, through the setter of their class with the events a person causes; switches by a click.
Nothing here waits for what it causes: callers wrap it in ``page.acting("script")``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pagelens.browser.input import CHOOSE_OPTION, HIDDEN_WHY, NAMED, click_element, problem
from pagelens.browser.world import JsFunction
from pagelens.core.deadlines import COMMAND
from pagelens.core.safe_text import quoted, shortened
from pagelens.errors import DialogOpen, FillFailed

if TYPE_CHECKING:
    from pagelens.browser.element import Element
    from pagelens.browser.page import Page

__all__ = ["FillReport", "fill"]

FILL_RESULT = JsFunction("pagelens.browser", "js/fill_result.js")
FILL = JsFunction("pagelens.browser", "js/fill.js", needs=(FILL_RESULT, HIDDEN_WHY, NAMED, CHOOSE_OPTION))

#: More time for long text: characters a second that Chrome takes at the very least.
_RATE = 20_000
#: Ways to say that a switch is to be off; the page side knows the same.
_OFF = frozenset({"false", "off", "no", "unchecked", "0"})


@dataclass(frozen=True)
class FillReport:
    """What became of a value.

    Attributes:
        label: the element, as messages call it.
        value_after: what the control holds now: text, ``true`` or ``false``, the label of a choice. Raw page text.
        differs: whether that is not what was asked for: the page changed it (a mask, a limit) or refused it.
        is_verified: False when it could not be read back, because a dialog opened meanwhile.
    """

    label: str
    value_after: str
    differs: bool
    is_verified: bool = True

    def raise_if_differs(self) -> None:
        """Raise `FillFailed` when the control does not hold what was asked for."""
        if self.differs:
            raise FillFailed(
                f"{self.label} was filled, but holds {quoted(shortened(self.value_after, 200))} now: "
                "the page changed the value or refused it.",
                "If that is the value in another form, go on; else enter one that the page accepts.",
            )


async def fill(page: Page, target: str, value: str) -> FillReport:
    """Replace what a control holds by `value`.

    Args:
        target: uid or selector of an input, textarea, select, editable element, or a label of one.
        value: the text; ``true``/``false`` for check boxes, radio buttons and switches; a label or value of a
            select's options (in any case, or a unique beginning); ``YYYY-MM-DD`` and the like for dates.

    Raises:
        FillFailed: the control can't take this value: the message says what it takes, for a select its choices.
        ElementDisabled: it is disabled or read-only. ElementHidden, ElementGone, ElementCovered: as for clicks.
        ElementNotFound, ElementAmbiguous, FrameGone, InvalidInput: `target` names no single element.
        DialogOpen, PageCrashed, PageClosed, CommandTimeout: the page could not be asked.
    """
    element = await page.element(target)
    try:
        return await _fill(element, value)
    finally:
        await element.release()


async def _fill(element: Element, value: str) -> FillReport:
    frame = element.frame
    timeout = COMMAND + len(value) / _RATE
    wanted = value
    try:
        plan: dict[str, Any] = await element.call(FILL, value, timeout=timeout)
        if plan.get("problem"):
            raise problem(element.label, plan, "filled")
        if plan.get("done"):
            return _report(element, plan)
        if plan.get("click"):
            wanted = "false" if value.strip().lower() in _OFF else "true"
            await click_element(element)
        else:
            await frame.guarded(frame.session.post("Input.insertText", {"text": value}), timeout)
        return _report(element, await frame.call(FILL_RESULT, wanted, timeout=timeout))
    except DialogOpen:
        # The page reacted with a dialog: the value was set, but can't be read before the dialog is handled.
        return FillReport(element.label, wanted, differs=False, is_verified=False)


def _report(element: Element, result: dict[str, Any]) -> FillReport:
    return FillReport(element.label, result["value"], result["differs"])
