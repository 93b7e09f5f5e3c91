"""Fill all fields of a form in one pass, none of them when one can't be filled.

All fields are found and checked first, with one call to each frame. Then the page side (``js/fill_form.js``) fills one
after the other in a single call, as far as a script can: it returns early where a switch has to be clicked, an editor
typed into or a list opened, and goes on after that. A field that the page refuses does not stop the others; a dialog or
a new document does.

Nothing here waits for what it causes: callers wrap it in ``page.acting("script")``.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from pagelens.browser.element import NODE_OF, Element, Located, locate
from pagelens.browser.fill import FILL, FILL_CHECK, FillReport, finish, time_for
from pagelens.browser.input import problem
from pagelens.browser.world import JsFunction
from pagelens.errors import (
    DialogOpen,
    DocumentReplaced,
    ElementError,
    FillFailed,
    FrameGone,
    InvalidInput,
    PagelensError,
)

if TYPE_CHECKING:
    from pagelens.browser.frame import Frame
    from pagelens.browser.page import Page

__all__ = ["FieldReport", "FormReport", "fill_form"]

FILL_FORM_CHECK = JsFunction("pagelens.browser", "js/fill_form_check.js", needs=(FILL_CHECK,))
FILL_FORM = JsFunction("pagelens.browser", "js/fill_form.js", needs=(FILL,))

#: So many fields that can't be filled are named.
_NAMED = 10


@dataclass(frozen=True)
class FieldReport:
    """What became of one field: `report`, or the `error` that kept it from being filled; neither when its turn did not
    come, or what it holds is not known (`FormReport.stopped` says why)."""

    label: str
    report: FillReport | None = None
    error: PagelensError | None = None

    @property
    def failure(self) -> str:
        """Why it does not hold what was asked for; empty when it does, or nothing is known."""
        if self.error is not None:
            return str(self.error)
        try:
            if self.report is not None:
                self.report.raise_if_differs()
        except FillFailed as error:
            return error.message
        return ""


@dataclass(frozen=True)
class FormReport:
    """What became of a form.

    Attributes:
        fields: one for each that was given, in that order.
        stopped: why the last of them were not filled, or are not known to be; empty when all had their turn.
    """

    fields: list[FieldReport] = field(default_factory=list)
    stopped: str = ""

    @property
    def filled(self) -> int:
        """How many fields hold what was asked for, as far as is known."""
        return sum(one.report is not None and not one.failure for one in self.fields)

    def raise_if_failed(self) -> None:
        """Raise `FillFailed` when a field does not hold what was asked for, or its turn did not come."""
        failed = [one.failure for one in self.fields if one.failure]
        if not failed and not self.stopped:
            return
        total = len(self.fields)
        words = [*failed[:_NAMED], *([f"and {len(failed) - _NAMED} more"] if len(failed) > _NAMED else [])]
        if self.stopped:
            words.append(self.stopped)
        raise FillFailed(
            f"{self.filled} of {total} fields hold what they should. " + " ".join(words),
            "Take a snapshot and fill the others again, each with what the page accepts.",
        )


async def fill_form(page: Page, fields: Sequence[tuple[str, str]]) -> FormReport:
    """Fill several controls.

    Args:
        fields: uid or selector, and value, for each; as for `pagelens.browser.fill.fill`.

    Raises:
        InvalidInput: there are none, or one is given twice.
        FillFailed, ElementError: at least one can't be filled, so none was. With a single one, the error is its own.
        DialogOpen, PageCrashed, PageClosed, CommandTimeout: the page could not be asked.
    """
    if not fields:
        raise InvalidInput("There is no field to fill.", "Give elements, each with uid and value.")
    located = await _found(page, fields)
    values = [value for _, value in fields]
    await _check(located, values)
    return await _fill(located, values)


# -- before ------------------------------------------------------------------------------------------------


async def _found(page: Page, fields: Sequence[tuple[str, str]]) -> list[Located]:
    results = await asyncio.gather(*(locate(page, target) for target, _ in fields), return_exceptions=True)
    wrong: list[PagelensError] = []
    located: list[Located] = []
    for result in results:
        if isinstance(result, Located):
            located.append(result)
        elif isinstance(result, ElementError | InvalidInput):
            wrong.append(result)
        else:
            raise result
    numbers = [one.number for one in located]
    for one in dict.fromkeys(one for one in located if numbers.count(one.number) > 1):
        wrong.append(InvalidInput(f"{one.label} is given more than once.", "Give each field one value."))
    _refuse(wrong, len(fields))
    return located


async def _check(located: Sequence[Located], values: Sequence[str]) -> None:
    """Raise when one of them can't be filled with its value."""
    frames = list(dict.fromkeys(one.frame for one in located))

    async def ask(frame: Frame) -> list[tuple[int, dict[str, Any]]]:
        indices = [index for index, one in enumerate(located) if one.frame is frame]
        numbers = [located[index].number for index in indices]
        wanted = [values[index] for index in indices]
        found = await frame.call(FILL_FORM_CHECK, numbers, wanted, timeout=time_for("".join(wanted)))
        return [(index, wrong) for index, wrong in zip(indices, found, strict=True) if wrong]

    answers = await asyncio.gather(*map(ask, frames))
    wrong = sorted((entry for answer in answers for entry in answer), key=lambda entry: entry[0])
    _refuse([problem(located[index].label, plan, "filled") for index, plan in wrong], len(values))


def _refuse(wrong: Sequence[PagelensError], total: int) -> None:
    if not wrong:
        return
    later = "If filling other fields makes it possible, fill those in a call before."
    if len(wrong) == 1:
        raise type(wrong[0])(f"Nothing was filled. {wrong[0].message}", f"{wrong[0].hint} {later}".strip())
    words = [str(error) for error in wrong[:_NAMED]]
    if len(wrong) > _NAMED:
        words.append(f"And {len(wrong) - _NAMED} more.")
    raise FillFailed(f"Nothing was filled: {len(wrong)} of {total} fields can't be. " + " ".join(words), later)


# -- doing -------------------------------------------------------------------------------------------------


async def _fill(located: Sequence[Located], values: Sequence[str]) -> FormReport:
    fields = [FieldReport(one.label) for one in located]
    labels = [one.label for one in located]
    at = 0
    while at < len(located):
        frame = located[at].frame
        end = at + 1
        while end < len(located) and located[end].frame is frame:
            end += 1
        some = values[at:end]
        numbers = [one.number for one in located[at:end]]
        try:
            outcomes = await frame.call(FILL_FORM, numbers, some, timeout=time_for("".join(some)))
            end = at + len(outcomes)
            for outcome in outcomes:
                fields[at] = await _finished(located[at], values[at], outcome)
                at += 1
        except DialogOpen:
            return FormReport(fields, _stopped("a dialog opened", labels[at:end], labels[end:]))
        except (DocumentReplaced, FrameGone):
            return FormReport(fields, _stopped("the document was replaced", labels[at:end], labels[end:]))
        if at < len(located) and frame.page.dialog is not None:
            return FormReport(fields, _stopped("a dialog opened", [], labels[at:]))
    return FormReport(fields)


async def _finished(one: Located, value: str, outcome: dict[str, Any]) -> FieldReport:
    try:
        object_id = None
        if not outcome.get("problem") and (not outcome.get("done") or outcome.get("differs")):
            object_id = await one.frame.call_for_object(NODE_OF, one.number)
        element = Element(one.frame, object_id or "", one.label)
        try:
            return FieldReport(one.label, await finish(element, value, outcome))
        finally:
            if object_id is not None:
                await element.release()
    except FrameGone:
        raise
    except ElementError as error:
        return FieldReport(one.label, error=error)


def _stopped(what: str, unknown: Sequence[str], rest: Sequence[str]) -> str:
    words = []
    if unknown:
        words.append(f"While {_span(unknown)} {'was' if len(unknown) == 1 else 'were'} being filled, {what}.")
        words.append("What is in there is not known.")
    if rest:
        words.append(f"{_span(rest)} {'was' if len(rest) == 1 else 'were'} not filled{'' if unknown else f': {what}'}.")
    return " ".join(words)


def _span(labels: Sequence[str]) -> str:
    return labels[0] if len(labels) == 1 else f"{labels[0]} to {labels[-1]} ({len(labels)} fields)"
