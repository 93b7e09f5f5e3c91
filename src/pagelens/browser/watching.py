"""Conditions that are watched inside a page's documents: what is visible, what state elements are in."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from pagelens.browser.input import HIDDEN_WHY, NAMED
from pagelens.browser.world import JsFunction
from pagelens.core.safe_text import one_line
from pagelens.errors import (
    DocumentReplaced,
    ElementGone,
    FrameGone,
    InvalidInput,
    PageCrashed,
    PagelensError,
)

if TYPE_CHECKING:
    from pagelens.browser.frame import Frame
    from pagelens.browser.page import Page

__all__ = ["DocumentWatch", "Sight"]

OPEN_ROOTS = JsFunction("pagelens.browser", "js/open_roots.js")
IS_SHOWN = JsFunction("pagelens.browser", "js/is_shown.js")
FIND_TEXT = JsFunction("pagelens.browser", "js/find_text.js", needs=(OPEN_ROOTS, IS_SHOWN))
WAIT_CHECK = JsFunction("pagelens.browser", "js/wait_check.js", needs=(FIND_TEXT, NAMED, HIDDEN_WHY))
WAIT_WATCH = JsFunction("pagelens.browser", "js/wait_watch.js", needs=(WAIT_CHECK,))
WAIT_INSTEAD = JsFunction("pagelens.browser", "js/wait_instead.js", needs=(FIND_TEXT, NAMED, HIDDEN_WHY))

#: A look takes this long at most in a page that is not busy. Seconds.
LOOK = 0.5
#: Watches end by our own clock: a page's script that keeps it busy is not ended for them. Seconds.
_NEVER = 1e6
#: Uids handed to a document that has none left for what is found.
_FEW_UIDS = 16
#: Between two documents of a frame, Chrome says so at each try: not more often than this. Seconds.
_RETRY = 0.05

_tokens = itertools.count(1)


class Sight:
    """What made a condition true.

    Attributes:
        frame: where; None when it is about what is not there.
        index: which of several texts it was.
        number: the element's uid number, 0 when it has none.
        words: the element in words, raw.
        at_once: it was so from the first look.
    """

    def __init__(self, frame: Frame | None, result: dict[str, Any], *, at_once: bool) -> None:
        self.frame = frame
        self.index: int = result.get("index", 0)
        self.number: int = result.get("uid", 0)
        self.words: str = result.get("words", "")
        self.at_once = at_once


class DocumentWatch:
    """Watches a condition (see ``js/wait_check.js``) in the documents of a page.

    Args:
        condition: for the page side.
        everywhere: it must hold in all frames (something is gone), not in one of them.
        only: the one frame it is about; its document must stay the same. All frames when None.
    """

    def __init__(self, page: Page, condition: dict[str, Any], *, everywhere: bool, only: Frame | None = None) -> None:
        self._page = page
        self.condition = condition
        self._everywhere = everywhere
        self._only = only
        self._loader_id = only.loader_id if only is not None else ""
        self._answers: dict[Frame, dict[str, Any]] = {}
        self._over: set[Frame] = set()
        self._failure: PagelensError | None = None

    async def wait(self, seconds: float) -> Sight | None:
        """Wait until it holds, None when it has not in time.

        Raises:
            DialogOpen, PageCrashed, PageClosed: the page can't be watched any more.
            InvalidInput: a selector that is none. ElementGone: the element can't come to the state any more.
        """
        loop = asyncio.get_running_loop()
        loads = self._page.loads
        end = loop.time() + seconds
        token = f"{next(_tokens)}"
        while True:
            self._answers, self._over, self._failure = {}, set(), None
            tasks: dict[Frame, asyncio.Task[None]] = {}
            async with asyncio.TaskGroup() as group:
                try:
                    is_late = False
                    while not self._is_decided and not is_late:
                        for frame in self._frames():
                            if frame not in tasks:
                                tasks[frame] = group.create_task(self._in_frame(frame, token, end))
                        changed = self._changes(len(tasks))
                        is_late = not await loads.wait(changed, max(end - loop.time(), 0) + LOOK)
                        is_late = is_late or self._over.issuperset(self._frames())
                finally:
                    for frame, task in tasks.items():
                        if not task.done():
                            task.cancel()
                            self._end(frame, token)
            if self._failure is not None:
                raise self._failure
            if not self._is_decided:
                return None
            if not self._everywhere or len(self._answers) < 2 or await self._holds_everywhere():
                return self._sight()
            if loop.time() > end:
                return None

    async def instead(self) -> dict[str, Any]:
        """What is there instead (``js/wait_instead.js``), of the frame that says most; empty when none can say."""
        found: dict[str, Any] = {}
        for frame in self._frames():
            if frame.world_context is None:
                continue  # it could not be looked at before
            try:
                async with asyncio.timeout(LOOK):
                    said = await frame.call(WAIT_INSTEAD, self.condition, timeout=_NEVER)
                    if (said.get("hidden") or said.get("element") or {}).get("uid") == 0:
                        await frame.give_uids(_FEW_UIDS)
                        said = await frame.call(WAIT_INSTEAD, self.condition, timeout=_NEVER)
            except (TimeoutError, PagelensError):
                continue
            if "lines" not in said:
                return dict(said)
            found.setdefault("lines", []).extend(said["lines"])
        return found

    def _frames(self) -> list[Frame]:
        if self._only is not None:
            return [] if self._only.is_detached else [self._only]
        return self._page.main_frame.subtree()

    @property
    def _is_decided(self) -> bool:
        if self._failure is not None:
            return True
        if not self._everywhere:
            return any(self._answers.values())
        # An answer holds for the document that gave it: a frame that has navigated is asked anew by its watch.
        return all(self._answers.get(frame) is not None for frame in self._frames())

    def _changes(self, watched: int) -> Callable[[], bool]:
        return lambda: self._is_decided or len(self._frames()) > watched or self._over.issuperset(self._frames())

    def _sight(self) -> Sight:
        at_once = all(answer.get("firstLook", True) for answer in self._answers.values())
        for frame, answer in self._answers.items():
            if "words" in answer:
                return Sight(frame, answer, at_once=bool(answer.get("firstLook")))
        return Sight(None, {}, at_once=at_once)

    async def _holds_everywhere(self) -> bool:
        """Each frame has said so at some moment: look at all of them at one."""
        for frame in self._frames():
            try:
                if await frame.call(WAIT_CHECK, self.condition) is None:
                    return False
            except (FrameGone, PageCrashed):
                continue
            except DocumentReplaced:
                return False
        return True

    async def _in_frame(self, frame: Frame, token: str, end: float) -> None:
        """Watch one frame through its documents until it has answered."""
        try:
            answer = await self._answer(frame, token, end)
        except PagelensError as error:
            if isinstance(error, PageCrashed) and frame.is_crashed and not frame.is_main:
                answer = {}  # nothing of it is to be seen
            else:
                self._failure = self._failure or error
                answer = None
        if answer is not None and "error" in answer:
            self._failure = InvalidInput(f"This is not a valid selector: {one_line(answer['error'])}")
        elif answer is not None and "isGone" in answer:
            self._failure = self._gone()
        elif answer is None:
            self._over.add(frame)
        else:
            self._answers[frame] = answer
        self._page.loads.touch()

    async def _answer(self, frame: Frame, token: str, end: float) -> dict[str, Any] | None:
        loop = asyncio.get_running_loop()
        loads = self._page.loads
        navigated = False
        while True:
            if self._only is not None and (frame.is_detached or frame.loader_id != self._loader_id):
                return {} if self._everywhere else {"isGone": True}
            try:
                if frame.world_context is None:
                    made = frame.create_world()
                    await frame.guarded(made, _NEVER)
                    frame.world_made(made)
                left = max(end - loop.time(), 0) * 1000
                answer: dict[str, Any] | None = await frame.call(
                    WAIT_WATCH, token, self.condition, left, timeout=_NEVER
                )
                if answer is not None and answer.get("uid") == 0:
                    await frame.give_uids(_FEW_UIDS)
                    answer = {**answer, **(await frame.call(WAIT_CHECK, self.condition) or {})}
                if answer is not None and navigated:
                    answer["firstLook"] = False
                return answer
            except FrameGone:
                return {}
            except DocumentReplaced:
                navigated = True
                serial = loads.serial
                await loads.wait(lambda: loads.serial != serial, _RETRY)  # noqa: B023

    def _gone(self) -> ElementGone:
        return ElementGone(
            f"The element e{self.condition['number']} is gone: it can't come to be {self.condition['state']}.",
            "The page may have drawn it anew: wait for a css= or text= selector, or take a new snapshot.",
        )

    def _end(self, frame: Frame, token: str) -> None:
        context = frame.world_context
        if context is not None:
            expression = f"globalThis.__pagelens?.waits?.get('{token}')?.()"
            frame.session.post("Runtime.evaluate", {"expression": expression, "contextId": context})
