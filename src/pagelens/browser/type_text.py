"""Type text where the focus is, as a person at the keyboard does."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pagelens.browser.element import Element
from pagelens.browser.input import NAMED, deliver, press_key
from pagelens.browser.keyboard import parse, strokes
from pagelens.browser.world import JsFunction
from pagelens.core.deadlines import COMMAND
from pagelens.core.safe_text import one_line
from pagelens.errors import DialogOpen, DocumentReplaced, ElementError, InvalidInput, NotEditable, PageClosed

if TYPE_CHECKING:
    from pagelens.browser.page import Page

__all__ = ["TypeReport", "type_text"]

FOCUSED = JsFunction("pagelens.browser", "js/focused.js")
TEXT_FIELD = JsFunction("pagelens.browser", "js/text_field.js", needs=(NAMED,))

#: Up to so many characters are typed key by key; longer text is put in at once, without the events of keys.
KEYED = 1000
#: Uids handed to a document that has none left for the focused element.
_FEW_UIDS = 16
#: More time for much text: characters a second that Chrome takes at the very least.
_RATE = 2_000


@dataclass(frozen=True, slots=True)
class TypeReport:
    """What became of typed text.

    Attributes:
        uid: the element that had the focus: ``e12``.
        words: it in words, raw page text.
        value_after: the text in it afterwards; None for passwords, and when it could not be read (the page navigated,
            a dialog opened).
        is_changed: whether its text is another one now; None when it could not be read.
        as_keys: whether each character came as a key.
    """

    uid: str
    words: str
    value_after: str | None
    is_changed: bool | None
    as_keys: bool


async def type_text(page: Page, text: str, *, submit_key: str | None = None) -> TypeReport:
    """Type `text` into the element that has the focus, where its caret is; then press `submit_key`.

    Args:
        text: line breaks are Enter; a field of one line takes none.
        submit_key: a key or combination, as for `press_key`.

    Raises:
        NotEditable: nothing that takes text has the focus; the message says what has.
        InvalidInput: `submit_key` names no key, or line breaks for a field of one line.
        DialogOpen, PageCrashed, PageClosed, CommandTimeout: the page could not be asked. A dialog or the end of the
            page that the text itself caused is no error.
    """
    if submit_key is not None:
        parse(submit_key)
    element, before = await _focused(page)
    try:
        lines = text.replace("\r\n", "\n").replace("\r", "\n")
        if before["isOneLine"] and "\n" in lines:
            raise InvalidInput(
                f"{element.label} has one line, and the text has several: each line break would submit it.",
                "Leave line breaks out; to submit, pass submitKey Enter.",
            )
        as_keys = len(lines) <= KEYED
        timeout = COMMAND + len(lines) / _RATE
        if as_keys:
            # Keys go where the focus is, also when it moves on meanwhile (codes with a field for each digit).
            whole = await deliver(page.main_frame, strokes(lines), timeout)
        else:
            whole = await deliver(element.frame, [("Input.insertText", {"text": lines})], timeout)
        after = await _read(element) if whole else None
        if submit_key is not None and whole:
            await press_key(page, submit_key)
        changed = after["value"] != before["value"] if after is not None else None
        shown = after["value"] if after is not None and not before["isSecret"] else None
        return TypeReport(element.label, before["words"], shown, changed, as_keys)
    finally:
        await element.release()


async def _focused(page: Page) -> tuple[Element, dict[str, Any]]:
    """The element that has the focus, in whatever frame, and what it makes of text."""
    frame = page.main_frame
    while True:
        object_id = await frame.call_for_object(FOCUSED)
        if object_id is None:
            raise NotEditable(
                "Nothing has the focus, so there is nowhere to type.",
                "Click the field first, or use fill with its uid.",
            )
        element = Element(frame, object_id, "the focused element")
        node = await frame.guarded(frame.session.post("DOM.describeNode", {"objectId": object_id}))
        inner = page.frames.get(node["node"].get("frameId", ""))
        if inner is None or inner is frame:
            break
        await element.release()
        frame = inner
    field = await element.call(TEXT_FIELD)
    if field["uid"] == 0:
        await frame.give_uids(_FEW_UIDS)
        field = await element.call(TEXT_FIELD)
    element.label = f"e{field['uid']}"
    if not field["takes"]:
        await element.release()
        raise NotEditable(
            f"The focus is on uid={element.label} {one_line(field['words'])}: {field['why']}.",
            "Click the field first, or use fill with its uid; keys alone: press_key.",
        )
    return element, field


async def _read(element: Element) -> dict[str, Any] | None:
    try:
        found: dict[str, Any] = await element.call(TEXT_FIELD)
    except (DialogOpen, DocumentReplaced, PageClosed, ElementError):
        return None  # the text had that effect
    return found
