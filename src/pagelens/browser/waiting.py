"""Wait until a page shows, says or does something.

What can be seen in a document is watched inside it (`pagelens.browser.watching`): the answer comes in the frame in
which it became true, and nothing is polled over the protocol. Addresses and requests are known here without asking
the page. A function of the caller's is called by the page itself, in each of its frames.

Several conditions must all hold at the same time: each is waited for in turn, then all are looked at once more.
"""

from __future__ import annotations

import asyncio
import difflib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from pagelens.browser.element import split_target
from pagelens.browser.wait_parts import FunctionPart, Part, RequestPart, UrlPart
from pagelens.browser.watching import DocumentWatch, Sight
from pagelens.core.safe_text import one_line, quoted, shortened
from pagelens.errors import (
    DialogOpen,
    ElementGone,
    ElementNotFound,
    FrameGone,
    InvalidInput,
    PageClosed,
    PageCrashed,
    WaitTimeout,
)

if TYPE_CHECKING:
    from pagelens.browser.page import Page

__all__ = ["WAIT", "Condition", "ElementState", "WaitReport", "wait_for"]

ElementState = Literal["visible", "hidden", "enabled", "disabled", "attached", "gone"]

#: How long to wait when the caller does not say. Seconds.
WAIT = 10.0


@dataclass(frozen=True, slots=True)
class Condition:
    """What to wait for. Of what is given, all must hold at the same time; something must be given.

    Attributes:
        text: one of these texts is visible somewhere in the page, in any case, white space folded; also as what a
            control holds or an image is called.
        text_gone: none of these is visible any more.
        target: an element, by uid (``e12``) or selector (``css=…``, ``text=…``), is in `state`. With a selector, one of
            its elements is; for ``hidden`` and ``gone``, none is otherwise.
        state: ``visible``, ``hidden`` (or not there), ``enabled`` (and visible), ``disabled``, ``attached`` (visible or
            not), ``gone``.
        url: the page's address contains this; with ``*`` for any characters, all of it must match.
        request: a request whose address matches (as in `url`) has ended, since the document began to load.
        function: JavaScript that returns something truthy, in the page's own world and main frame:
            ``() => window.isReady``, may be async. One that throws has not come true yet.
    """

    text: tuple[str, ...] = ()
    text_gone: tuple[str, ...] = ()
    target: str | None = None
    state: ElementState | None = None
    url: str | None = None
    request: str | None = None
    function: str | None = None


@dataclass(frozen=True, slots=True)
class WaitReport:
    """What came true.

    Attributes:
        found: what was found and where, a sentence for each condition, safe to print.
        uids: the elements that show it, as far as there are: ``e12``.
        text: which of the texts it was, None when none was waited for.
        waited_ms: how long it took.
    """

    found: tuple[str, ...]
    uids: tuple[str, ...]
    text: str | None
    waited_ms: int


async def wait_for(page: Page, condition: Condition, timeout: float = WAIT) -> WaitReport:
    """Wait until `condition` holds; returns as soon as it does, at once when it does already.

    Args:
        timeout: seconds.

    Raises:
        WaitTimeout: it has not come true in time; the message says what is there instead.
        InvalidInput: nothing to wait for, or something that can't be.
        ElementGone: the element of a uid has left the page, so that it will be in no other state.
        ElementNotFound: the uid was never given out. ScriptFailed: the function does not compile.
        DialogOpen, PageCrashed, PageClosed: the wait ended early, because nothing more can be seen.
    """
    loop = asyncio.get_running_loop()
    started = loop.time()
    page.raise_if_unusable()
    parts = _parts(page, condition)
    try:
        found = await _all(parts, started + timeout)
    except _TimeUp as late:
        raise WaitTimeout(
            f"Waited {_spell(timeout)} for {late.part.what} in vain. {await late.part.instead()}".rstrip(),
            "If it may still come, wait again with a longer timeout; take_snapshot shows the page.",
        ) from None
    except (DialogOpen, PageClosed, PageCrashed) as error:
        what = " and ".join(part.what for part in parts)
        spent = _spell(loop.time() - started)
        raise type(error)(f"The wait for {what} ended after {spent}. {error.message}", error.hint) from error
    text = next((part.text for part in parts if isinstance(part, _Seen) and part.text is not None), None)
    uids = [uid for part in parts if isinstance(part, _Seen) and (uid := part.uid) is not None]
    return WaitReport(tuple(found), tuple(uids), text, round((loop.time() - started) * 1000))


class _TimeUp(Exception):
    def __init__(self, part: Part) -> None:
        self.part = part


async def _all(parts: list[Part], end: float) -> list[str]:
    loop = asyncio.get_running_loop()
    while True:
        found = []
        for part in parts:
            sentence = await part.wait(max(end - loop.time(), 0))
            if sentence is None:
                raise _TimeUp(part)
            found.append(sentence)
        if len(parts) == 1:
            return found
        for part in parts:
            if await part.wait(0) is None:
                if loop.time() >= end:
                    raise _TimeUp(part)
                break  # it was true, and is no more
        else:
            return found


def _parts(page: Page, condition: Condition) -> list[Part]:
    """Those that cost nothing first: what is seen of an old document would say little about the new one."""
    for texts in (condition.text, condition.text_gone):
        if any(not text.strip() for text in texts):
            raise InvalidInput("An empty text is found everywhere.", "Give the words to wait for.")
    if condition.state is not None and condition.target is None:
        raise InvalidInput("state is given without an element.", "Give its uid or selector too.")
    parts: list[Part] = []
    if condition.url is not None:
        parts.append(UrlPart(page, condition.url))
    if condition.request is not None:
        parts.append(RequestPart(page, condition.request))
    if condition.text_gone:
        spec = {"kind": "text_gone", "texts": list(condition.text_gone)}
        what = f"{_texts(condition.text_gone)} to be gone"
        parts.append(_Seen(DocumentWatch(page, spec, everywhere=True), what, list(condition.text_gone)))
    if condition.target is not None:
        parts.append(_element(page, condition.target, condition.state or "visible"))
    if condition.text:
        spec = {"kind": "text", "texts": list(condition.text)}
        watch = DocumentWatch(page, spec, everywhere=False)
        parts.append(_Seen(watch, _texts(condition.text), list(condition.text)))
    if condition.function is not None:
        parts.append(FunctionPart(page, condition.function))
    if not parts:
        raise InvalidInput(
            "There is nothing to wait for.", "Give text, textGone, uid (with state), url, request or function."
        )
    return parts


def _element(page: Page, target: str, state: ElementState) -> Part:
    kind, value = split_target(target)
    is_negative = state in ("hidden", "gone")
    label = one_line(target.strip())
    what = f"{shortened(label, 200)} to be {state}"
    if kind != "uid":
        selected = {"kind": "css" if kind == "css" else "words", "value": value, "state": state}
        return _Seen(DocumentWatch(page, selected, everywhere=is_negative), what, [value] if kind == "text" else [])
    number = int(value)
    owner = page.host.uids.owner(number)
    if owner is None:
        raise ElementNotFound(f"No element has had the uid e{number}.", "Call take_snapshot for the uids there are.")
    if owner.page_id != page.id:
        raise ElementNotFound(
            f"uid e{number} belongs to page {owner.page_id}, not to page {page.id}.", f"Pass pageId {owner.page_id}."
        )
    spec: dict[str, Any] = {"kind": "uid", "number": number, "state": state}
    frame = page.frames.get(owner.frame_id)
    if frame is None or frame.loader_id != owner.loader_id:
        if not is_negative:
            raise (FrameGone if frame is None else ElementGone)(
                f"The element e{number} is gone with its document: it can't come to be {state}.",
                "Take a new snapshot, or wait for a css= or text= selector.",
            )
        return _Known(f"e{number} was already gone with its document.")
    return _Seen(DocumentWatch(page, spec, everywhere=is_negative, only=frame), what, [])


class _Known(Part):
    """Something that holds for ever."""

    async def wait(self, seconds: float) -> str | None:
        return self.what

    async def instead(self) -> str:
        return ""


class _Seen(Part):
    """Something that is watched in the page's documents.

    Attributes:
        text: the text that was found, None before or when none was waited for.
        uid: the element that was found, None when there is none.
    """

    def __init__(self, watch: DocumentWatch, what: str, texts: list[str]) -> None:
        super().__init__(what)
        self._watch = watch
        self._texts = texts
        self.text: str | None = None
        self.uid: str | None = None

    async def wait(self, seconds: float) -> str | None:
        sight = await self._watch.wait(seconds)
        if sight is None:
            return None
        return self._sentence(sight)

    def _sentence(self, sight: Sight) -> str:
        condition = self._watch.condition
        if condition["kind"] == "text_gone":
            return f"{_texts(self._texts)} {'was not there' if sight.at_once else 'is gone'}."
        self.uid = f"e{sight.number}" if sight.number else None
        where = f"{f'uid={self.uid} ' if self.uid else ''}{one_line(sight.words)}"
        if condition["kind"] == "text":
            self.text = self._texts[sight.index]
            return f"{quoted(self.text)} {'was there already' if sight.at_once else 'appeared'}: {where}."
        label, _, state = self.what.rpartition(" to be ")
        now = "was already" if sight.at_once else "is now"
        return f"{label} {now} {state}{f': {where}' if where else ''}."

    async def instead(self) -> str:
        said = await self._watch.instead()
        if not said:
            return "The page could not say what it shows: it does not answer."
        if "hidden" in said:
            hidden = said["hidden"]
            return f"It is in the page, but hidden: {_named(hidden)}: {one_line(hidden['why'])}."
        if "element" in said:
            element = said["element"]
            return f"{_named(element)} is {one_line(element['state'])}."
        lines = [one_line(line) for line in said.get("lines", [])]
        if self._watch.condition["kind"] in ("uid", "css"):
            return "There is no such element."
        if not lines:
            return "The page shows no text at all."
        if near := _nearest(self._texts, lines):
            return f"The nearest text that is visible: {quoted(shortened(near, 200))}."
        return f"The page begins with {quoted(shortened(' · '.join(lines), 160))}."


def _named(element: dict[str, Any]) -> str:
    uid = f"uid=e{element['uid']} " if element["uid"] else ""
    return f"{uid}{one_line(element['words'])}"


def _nearest(texts: list[str], lines: list[str]) -> str | None:
    by_lower = {line.lower(): line for line in reversed(lines)}
    for text in texts:
        if near := difflib.get_close_matches(one_line(text).lower(), by_lower, n=1):
            return by_lower[near[0]]
    return None


def _texts(texts: tuple[str, ...] | list[str]) -> str:
    shown = [quoted(shortened(text, 100)) for text in texts[:5]]
    more = f" or {len(texts) - 5} more" if len(texts) > 5 else ""
    return f"the text {' or '.join(shown)}{more}"


def _spell(seconds: float) -> str:
    return f"{seconds * 1000:.0f} ms" if seconds < 1 else f"{seconds:.3g} s"
