"""Who may work on a page, or on the browser, at the same time as whom.

On one page reads share; a write waits for everything that came before it and is waited for by everything that
comes after it: first in, first out. Pages don't wait for each other. The same lock under the browser's own key makes
browser-wide writes one at a time.

Asking for a place (`Locks.queue`) is synchronous, so calls stand in the order in which they arrived; only waiting for
the turn awaits. A place is given back exactly once, at any point, also while still waiting.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Hashable
from types import TracebackType
from typing import Literal

from pagelens.core.deadlines import LOCK
from pagelens.errors import LockTimeout

__all__ = ["BROWSER", "Locks", "Place"]

#: Key of the lock on the browser as a whole.
BROWSER = "browser"

Mode = Literal["read", "write"]


class Place:
    """One caller's place in the queue for a lock; also a context manager that gives it back."""

    def __init__(self, locks: Locks, key: Hashable, mode: Mode, holder: str, subject: str) -> None:
        loop = asyncio.get_running_loop()
        self.key = key
        self.mode = mode
        self.holder = holder
        self.subject = subject
        self._locks = locks
        self._turn: asyncio.Future[None] = loop.create_future()
        self._is_given_back = False
        self._clock = loop.time
        self._since = loop.time()

    @property
    def is_held(self) -> bool:
        """It is this caller's turn, and the place wasn't given back."""
        return self._turn.done() and not self._turn.cancelled() and not self._is_given_back

    async def turn(self, timeout: float = LOCK) -> None:
        """Wait until it is this caller's turn.

        Raises:
            LockTimeout: not within `timeout` seconds; names who holds the lock, and for how long. The place is
                given back.
        """
        if self._turn.done():
            return
        try:
            async with asyncio.timeout(timeout) as scope:
                # Shielded: a waiter that is cancelled must leave its future alone until `release` says so, else a
                # release elsewhere in between would grant a cancelled future.
                await asyncio.shield(self._turn)
        except TimeoutError:
            if not scope.expired():
                raise
            if self.is_held:
                return  # the turn came in the same instant
            ahead = self._locks.holders(self)
            self.release()
            raise LockTimeout(
                f"{self.subject} is busy: {ahead}. This call waited {timeout:g} s for it.",
                "Try again in a moment; list_pages, handle_dialog, select_page and close_page don't wait.",
            ) from None
        except BaseException:
            self.release()
            raise

    def release(self) -> None:
        """Give the place back and let the next ones in. Doing it again does nothing."""
        if not self._is_given_back:
            self._is_given_back = True
            self._turn.cancel()
            self._locks._leave(self)

    def grant(self) -> None:
        """It is this caller's turn now (called by `Locks`)."""
        self._since = self._clock()
        self._turn.set_result(None)

    def describe(self) -> str:
        """Who holds it and for how long: ``click, for 21 s``."""
        return f"{self.holder}, for {self._clock() - self._since:.0f} s"

    def __enter__(self) -> Place:
        return self

    def __exit__(
        self, exc_type: type[BaseException] | None, exc: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.release()


class Locks:
    """All locks of one server, by key. A key costs nothing while nobody uses it."""

    def __init__(self) -> None:
        self._queues: dict[Hashable, deque[Place]] = {}

    def queue(self, key: Hashable, mode: Mode, holder: str, subject: str) -> Place:
        """Stand in the queue for `key`, synchronously; then ``await place.turn()``.

        Args:
            holder: the tool's name, told to those who wait in vain.
            subject: what is locked, to start a sentence with: ``Page 3``.
        """
        place = Place(self, key, mode, holder, subject)
        self._queues.setdefault(key, deque()).append(place)
        self._grant(key)
        return place

    def holders(self, waiting: Place) -> str:
        """Those whose turn it is on the same key, in words."""
        return " and ".join(place.describe() for place in self._queues[waiting.key] if place.is_held)

    def __len__(self) -> int:
        """How many places are taken, held or waiting."""
        return sum(map(len, self._queues.values()))

    def _leave(self, place: Place) -> None:
        queue = self._queues[place.key]
        queue.remove(place)
        if queue:
            self._grant(place.key)
        else:
            del self._queues[place.key]

    def _grant(self, key: Hashable) -> None:
        """Let in the first place, and if it reads, the reads right behind it."""
        for index, place in enumerate(self._queues[key]):
            if place.mode == "write" and index > 0:
                return
            if not place.is_held:
                place.grant()
            if place.mode == "write":
                return
