"""One live element, and how a uid or a selector leads to it."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from pagelens.browser.uids import UIDS
from pagelens.browser.world import JsFunction
from pagelens.core.deadlines import COMMAND
from pagelens.core.safe_text import one_line, quoted, shortened
from pagelens.errors import (
    DocumentReplaced,
    ElementAmbiguous,
    ElementGone,
    ElementNotFound,
    FrameGone,
    InvalidInput,
    PagelensError,
)

if TYPE_CHECKING:
    from pagelens.browser.frame import Frame
    from pagelens.browser.page import Page

__all__ = ["NODE_OF", "Element", "Located", "find_element", "find_elements", "locate", "split_target"]

NODE_OF = JsFunction("pagelens.browser", "js/node_of.js", needs=(UIDS,))
UID_OF = JsFunction("pagelens.browser", "js/uid_of.js", needs=(UIDS,))
QUERY = JsFunction("pagelens.browser", "js/query.js", needs=(UIDS,))
QUERIED = JsFunction("pagelens.browser", "js/queried.js")

_UID = re.compile(r"(?:uid=)?e(\d{1,15})")
_SELECTOR = re.compile(r"(css|text)=(.+)", re.DOTALL)
#: So many candidates of an ambiguous selector are listed.
CANDIDATES = 6
#: So many matches of a selector in one frame are returned at most.
MOST = 10_000


@dataclass(frozen=True, slots=True)
class Located:
    """Where an element is, known by its uid only: `label` is what to call it in messages."""

    frame: Frame
    number: int
    label: str


class Element:
    """A DOM element, held by reference in our isolated world until `release`.

    Attributes:
        page, frame: where it lives.
        object_id: its remote object in our isolated world of `frame`.
        label: what to call it in messages: ``uid=e12``, or the selector that found it.
    """

    def __init__(self, frame: Frame, object_id: str, label: str) -> None:
        self.page = frame.page
        self.frame = frame
        self.object_id = object_id
        self.label = label

    def __repr__(self) -> str:
        return f"<Element {self.label} in {self.frame!r}>"

    async def call(self, function: JsFunction, *args: Any, timeout: float = COMMAND) -> Any:
        """Run a page-side function with this element as its first argument; see `Frame.call`."""
        return await self.frame.call_on(function, self.object_id, *args, timeout=timeout)

    async def uid_number(self) -> int:
        """The number of its uid (12 for ``e12``), given to it now when it had none."""
        number: int = await self.call(UID_OF)
        if number == 0:
            await self.frame.give_uids(CANDIDATES)
            number = await self.call(UID_OF)
        return number

    async def main_world_object(self) -> str:
        """A remote object id of the same node in the page's own world, for the caller to release.

        Raises:
            DocumentReplaced: the document went away meanwhile.
        """
        session = self.frame.session
        node = await self.frame.guarded(session.post("DOM.describeNode", {"objectId": self.object_id}))
        context = self.frame.main_context
        if context is None:
            raise DocumentReplaced("The page is between two documents.", "Try again.")
        resolved = await self.frame.guarded(
            session.post(
                "DOM.resolveNode", {"backendNodeId": node["node"]["backendNodeId"], "executionContextId": context}
            )
        )
        object_id: str = resolved["object"]["objectId"]
        return object_id

    async def release(self) -> None:
        """Let the page forget that we hold the element. Never fails: a vanished document has forgotten it."""
        self.frame.session.post("Runtime.releaseObject", {"objectId": self.object_id})


async def find_element(page: Page, target: str, *, frames: Sequence[Frame] | None = None) -> Element:
    """The live element that `target` names.

    Args:
        target: a uid from a snapshot (``e12``), or a selector (``css=…``, ``text=…``) that matches exactly one
            element in all frames of the page, open shadow roots included.
        frames: where a selector is looked for; all frames of the page when None.

    Raises:
        InvalidInput: `target` is neither.
        ElementNotFound: the uid was never given out or belongs to another page, or nothing matches.
        ElementGone: the element, or its document, is no longer there. FrameGone: its frame is not.
        ElementAmbiguous: the selector matches several; they are listed with uids.
    """
    kind, value = split_target(target)
    if kind == "uid":
        return await _by_uid(page, int(value))
    return await _by_selector(frames or page.main_frame.subtree(), kind, value)


def split_target(target: str) -> tuple[Literal["uid", "css", "text"], str]:
    """What kind of name an element was given, and the name: the number of a uid, a CSS selector, a text.

    Raises:
        InvalidInput: it is none of them.
    """
    target = target.strip()
    if match := _UID.fullmatch(target):
        return "uid", match[1]
    if match := _SELECTOR.fullmatch(target):
        return ("css" if match[1] == "css" else "text"), match[2].strip()
    raise _no_name(target)


async def find_elements(page: Page, selector: str, *, frames: Sequence[Frame] | None = None) -> list[tuple[Frame, int]]:
    """The frame and uid number of every element that a selector matches now, frame by frame, in document order.

    Raises:
        InvalidInput: `selector` is none.
        PageCrashed, PageClosed, DialogOpen, CommandTimeout: the page could not be asked. A sub frame that does not
            answer counts as one without a match.
    """
    match = _SELECTOR.fullmatch(selector.strip())
    if match is None:
        raise _no_name(selector)
    hits = await _matches(frames or page.main_frame.subtree(), match[1], match[2].strip(), limit=MOST)
    return [(frame, number) for frame, _, shown in hits for number, _ in shown]


def _no_name(target: str) -> InvalidInput:
    return InvalidInput(
        f"{quoted(target[:100])} names no element.",
        "Give a uid from take_snapshot (e12), or a selector: css=button.save or text=Save.",
    )


async def locate(page: Page, target: str) -> Located:
    """The frame and uid number of the one element that `target` names, without asking for it when it is a uid.

    Whether the element of a uid is still there is for the caller to find out, in the page.

    Raises:
        InvalidInput, ElementNotFound, ElementAmbiguous, ElementGone, FrameGone: as `find_element`.
    """
    kind, value = split_target(target)
    if kind == "uid":
        return Located(_frame_of_uid(page, int(value)), int(value), f"e{int(value)}")
    frame, number = await _only_match(page.main_frame.subtree(), kind, value)
    return Located(frame, number, _label(kind, value))


def _frame_of_uid(page: Page, number: int) -> Frame:
    """The frame whose present document has given out a uid."""
    owner = page.host.uids.owner(number)
    if owner is None:
        raise ElementNotFound(f"No element has had the uid e{number}.", "Call take_snapshot for the uids there are.")
    if owner.page_id != page.id:
        raise ElementNotFound(
            f"uid e{number} belongs to page {owner.page_id}, not to page {page.id}.",
            f"Pass pageId {owner.page_id}, or take a snapshot of page {page.id}.",
        )
    frame = page.frames.get(owner.frame_id)
    if frame is None:
        raise FrameGone(f"The frame of uid e{number} is no longer in the page.", "Take a new snapshot.")
    if frame.loader_id != owner.loader_id:
        raise _document_gone(frame, number)
    return frame


def _document_gone(frame: Frame, number: int) -> ElementGone:
    return ElementGone(
        f"The element e{number} is gone: its {'page' if frame.is_main else 'frame'} has navigated since"
        f" (now {one_line(frame.url)[:200]}).",
        "Take a new snapshot.",
    )


async def _by_uid(page: Page, number: int) -> Element:
    frame = _frame_of_uid(page, number)
    try:
        object_id = await frame.call_for_object(NODE_OF, number)
    except DocumentReplaced as error:
        raise _document_gone(frame, number) from error
    if object_id is None:
        raise ElementGone(
            f"The element e{number} is gone: it was removed from the page.",
            "The page may have drawn it anew: take a new snapshot.",
        )
    return Element(frame, object_id, f"e{number}")


async def _by_selector(frames: Sequence[Frame], kind: str, value: str) -> Element:
    label = _label(kind, value)
    frame, _ = await _only_match(frames, kind, value)
    object_id = await frame.call_for_object(QUERIED)
    if object_id is None:
        raise ElementGone(f"The element of {quoted(label)} was removed at this moment.", "Try again.")
    return Element(frame, object_id, label)


async def _only_match(frames: Sequence[Frame], kind: str, value: str) -> tuple[Frame, int]:
    """The one match of a selector, by its frame and uid number."""
    label = _label(kind, value)
    hits = await _matches(frames, kind, value, limit=CANDIDATES)
    total = sum(count for _, count, _ in hits)
    if total == 0:
        raise ElementNotFound(f"No element matches {quoted(label)}.", "Call take_snapshot to see what is there.")
    if total > 1:
        lines = [f"uid=e{number} {one_line(words)}" for _, _, shown in hits for number, words in shown][:CANDIDATES]
        more = f" and {total - len(lines)} more" if total > len(lines) else ""
        raise ElementAmbiguous(
            f"{quoted(label)} matches {total} elements: {'; '.join(lines)}{more}.", "Use one of these uids."
        )
    frame, _, shown = hits[0]
    return frame, shown[0][0]


def _label(kind: str, value: str) -> str:
    return shortened(f"{kind}={one_line(value)}", 200)


async def _matches(
    frames: Sequence[Frame], kind: str, value: str, *, limit: int
) -> list[tuple[Frame, int, list[tuple[int, str]]]]:
    """For each frame with matches: how many there are, and uid number and words of the first `limit`."""
    results = await asyncio.gather(*(_query(frame, kind, value, limit) for frame in frames), return_exceptions=True)
    hits: list[tuple[Frame, int, list[tuple[int, str]]]] = []
    for frame, result in zip(frames, results, strict=True):
        if isinstance(result, BaseException):
            # A frame that went away or does not answer holds no match; the one that was asked first must answer.
            if frame is frames[0] or not isinstance(result, PagelensError):
                raise result
            continue
        if "error" in result:
            label = _label(kind, value)
            raise InvalidInput(f"{quoted(label)} is not a valid selector: {one_line(result['error'])}")
        if result["total"]:
            hits.append((frame, result["total"], [(number, words) for number, words in result["shown"]]))
    return hits


async def _query(frame: Frame, kind: str, value: str, limit: int) -> dict[str, Any]:
    result: dict[str, Any] = await frame.call(QUERY, kind, value, limit)
    if any(number == 0 for number, _ in result.get("shown", [])):
        await frame.give_uids(len(result["shown"]))
        result = await frame.call(QUERY, kind, value, limit)
    return result
