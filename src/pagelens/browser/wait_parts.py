"""Conditions that are seen from here: addresses, requests, and functions of the caller's."""

from __future__ import annotations

import asyncio
import re
from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any

from pagelens.browser.evaluation import FUNCTION, raise_if_failed
from pagelens.browser.follow import interrupted
from pagelens.browser.loading import Ended
from pagelens.browser.world import JsFunction
from pagelens.core.safe_text import one_line, quoted, shortened
from pagelens.errors import DocumentReplaced, InvalidInput

if TYPE_CHECKING:
    from pagelens.browser.page import Page

__all__ = ["FunctionPart", "Part", "RequestPart", "UrlPart", "address_pattern"]

POLL_FUNCTION = JsFunction("pagelens.browser", "js/poll_function.js")

#: A request that was answered counts as ended when its body takes longer than this: a page that does not read a body
#: never gets its end. Seconds.
BODY = 0.5
#: The page looks for so long at a time before it reports; then it is told to go on. Seconds.
ROUND = 0.5
#: After a page's timers have failed to end a round in this time, they are not relied on. Seconds.
PATIENCE = 1.5
#: Between two calls from here, for such a page. Seconds.
PAUSE = 0.1
_NEVER = 1e6


class Part(ABC):
    """One condition.

    Attributes:
        what: what is waited for, in words.
    """

    def __init__(self, what: str) -> None:
        self.what = what

    @abstractmethod
    async def wait(self, seconds: float) -> str | None:
        """Wait until it holds and say so in a sentence; None when it has not in time. 0 is one look."""

    @abstractmethod
    async def instead(self) -> str:
        """What is there instead, in a sentence or two."""


def address_pattern(text: str) -> re.Pattern[str]:
    """Matches addresses that contain `text`; with ``*`` for any characters in it, all of the address must match.

    Raises:
        InvalidInput: it is empty.
    """
    if not text.strip():
        raise InvalidInput("An empty address is part of every address.", "Give a part of it, or a pattern with *.")
    parts = [re.escape(part) for part in text.strip().split("*")]
    return re.compile(parts[0] if len(parts) == 1 else f"\\A{'.*'.join(parts)}\\Z", re.DOTALL)


def _raise_if_interrupted(page: Page) -> None:
    page.raise_if_unusable()
    if page.held_by is not None:
        raise page.dialog_error()


def _printable(url: str) -> str:
    return shortened(one_line(url), 300)


class UrlPart(Part):
    """The page's address."""

    def __init__(self, page: Page, url: str) -> None:
        super().__init__(f"an address like {quoted(shortened(url, 200))}")
        self._page = page
        self._pattern = address_pattern(url)

    async def wait(self, seconds: float) -> str | None:
        page = self._page
        at_once = self._holds()
        if await page.loads.wait(lambda: self._holds() or interrupted(page), seconds) and self._holds():
            return f"The address {'was already' if at_once else 'is now'} {_printable(page.url)}."
        _raise_if_interrupted(page)
        return None

    async def instead(self) -> str:
        load = self._page.loads.of(self._page.main_frame.id)
        under_way = f" and is on its way to {_printable(load.started_url)}" if load.is_under_way else ""
        return f"The page is at {_printable(self._page.url)}{under_way}."

    def _holds(self) -> bool:
        return self._pattern.search(self._page.url) is not None


class RequestPart(Part):
    """A request that has ended since the document began to load."""

    def __init__(self, page: Page, request: str) -> None:
        super().__init__(f"a request like {quoted(shortened(request, 200))}")
        self._page = page
        self._pattern = address_pattern(request)
        self._started = asyncio.get_running_loop().time()

    async def wait(self, seconds: float) -> str | None:
        loop = asyncio.get_running_loop()
        page = self._page
        end = loop.time() + seconds
        while True:
            sentence = self._ended() or self._answered()
            if sentence is not None:
                return sentence
            _raise_if_interrupted(page)
            now = loop.time()
            if now >= end:
                return None
            # An answered request that stays open comes to count by time alone.
            until = min([end, *(r.answered_at + BODY for r in self._open() if r.answered_at is not None)])
            serial = page.loads.serial
            await page.loads.wait(lambda: page.loads.serial != serial, max(until - now, 0.001))  # noqa: B023

    async def instead(self) -> str:
        waiting = self._open()
        if not waiting:
            return "No such request was sent since the page began to load."
        return f"{_printable(waiting[-1].url)} was sent and has no answer yet."

    @property
    def _mark(self) -> int:
        return self._page.loads.of(self._page.main_frame.id).started_at

    def _ended(self) -> str | None:
        for ended in reversed(self._page.loads.ended):
            if ended.serial > self._mark and self._pattern.search(ended.url):
                return f"The request {_printable(ended.url)} {self._outcome(ended)}."
        return None

    def _outcome(self, ended: Ended) -> str:
        how = f"failed ({ended.failure})" if ended.failure else f"ended with {ended.status}"
        before = self._started - ended.ended_at
        return f"had {how} {before:.1f} s before this call" if before > 0 else how

    def _answered(self) -> str | None:
        now = asyncio.get_running_loop().time()
        for request in self._open():
            if request.answered_at is not None and now >= request.answered_at + BODY:
                return f"The request {_printable(request.url)} was answered with {request.status} and stays open."
        return None

    def _open(self) -> list[Any]:
        return [r for r in self._page.loads.in_flight.values() if r.serial > self._mark and self._pattern.search(r.url)]


class FunctionPart(Part):
    """A predicate of the caller's, which the page calls itself in each of its frames."""

    def __init__(self, page: Page, source: str) -> None:
        super().__init__(f"the function {quoted(shortened(source, 100))} to return something true")
        self._page = page
        body = source.strip().rstrip(";")
        self._source = f"(\n{body}\n)" if FUNCTION.match(body) else f"(() => (\n{body}\n))"
        self._last: dict[str, Any] | None = None
        self._is_running = False

    async def wait(self, seconds: float) -> str | None:
        try:
            async with asyncio.timeout(seconds + ROUND):
                return await self._poll(asyncio.get_running_loop().time() + seconds)
        except TimeoutError:
            if self._is_running and not await self._page.is_responsive():
                self._page.end_script()
                self._last = {"threw": "nothing: it did not come to an end, and was ended"}
            return None

    async def _poll(self, end: float) -> str | None:
        loop = asyncio.get_running_loop()
        trusts_timers = True
        while True:
            left = max(end - loop.time(), 0)
            try:
                answer = await self._look(min(ROUND, left) if trusts_timers else 0, PATIENCE if trusts_timers else None)
            except TimeoutError:
                # Its clocks are at the page's mercy, too; or the promise of the function is still open.
                trusts_timers = False
                continue
            except DocumentReplaced:
                loads = self._page.loads
                serial = loads.serial
                await loads.wait(lambda: loads.serial != serial, PAUSE)  # noqa: B023
                continue
            self._last = answer
            if answer["holds"]:
                return f"The function returned {one_line(answer['value'])}."
            if loop.time() >= end:
                return None
            if not trusts_timers:
                await asyncio.sleep(max(min(PAUSE, end - loop.time()), 0))

    async def instead(self) -> str:
        if self._last is None:
            return "It has not returned."
        if "threw" in self._last:
            return f"It threw {one_line(self._last['threw'])}."
        return f"It returned {one_line(self._last['value'])}."

    async def _look(self, seconds: float, patience: float | None) -> dict[str, Any]:
        """Let the page call the function for so long; raises TimeoutError for a page at leisure that does not answer.

        The page's scripts are not ended for us: whoever waits has a clock of his own.
        """
        frame = self._page.main_frame
        session = frame.session
        if frame.main_context is None:
            # Comes with the document's own context.
            made = frame.create_world()
            await frame.guarded(made, _NEVER)
            frame.world_made(made)
        context = frame.main_context
        if context is None:
            raise DocumentReplaced("The page is between two documents.", "Try again.")
        compiled = await frame.guarded(
            session.post("Runtime.evaluate", {"expression": self._source, "contextId": context, "silent": True}), _NEVER
        )
        raise_if_failed(compiled, 1)
        predicate = compiled["result"].get("objectId")
        if predicate is None or compiled["result"]["type"] != "function":
            raise InvalidInput("What is to be waited for is no function.", "Write it as () => …")
        reply = session.post(
            "Runtime.callFunctionOn",
            {
                "functionDeclaration": f"function(ms){{return (\n{POLL_FUNCTION.source}\n)(this,ms)}}",
                "objectId": predicate,
                "arguments": [{"value": round(seconds * 1000)}],
                "awaitPromise": True,
                "returnByValue": True,
            },
        )
        session.post("Runtime.releaseObject", {"objectId": predicate})
        self._is_running = True
        try:
            async with asyncio.timeout(patience) as scope:
                answer = await frame.guarded(reply, _NEVER)
        except TimeoutError:
            if not scope.expired() or await self._page.is_responsive():
                raise
            answer = await frame.guarded(reply, _NEVER)
        self._is_running = False
        value: dict[str, Any] = answer["result"]["value"]
        return value
