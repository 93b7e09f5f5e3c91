"""Progress of work that says more than anybody wants to hear."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

__all__ = ["Tell", "telling"]

log = logging.getLogger(__name__)

#: ``tell(done, total, message)``; costs nothing and waits for nothing.
Tell = Callable[[float, float, str], None]


@asynccontextmanager
async def telling(progress: Callable[..., Awaitable[None]]) -> AsyncIterator[Tell]:
    """Pass on what is told meanwhile to ``await progress(done, total, message)``: the newest, one after the other.

    What is done never goes backwards, and a little forwards with each message.
    """
    newest: list[tuple[float, float, str]] = []
    there = asyncio.Event()

    def tell(done: float, total: float, message: str) -> None:
        newest[:] = [(done, total, message)]
        there.set()

    async def pass_on() -> None:
        last = 0.0
        while True:
            await there.wait()
            there.clear()
            done, total, message = newest[0]
            last = max(done, last + 1e-6)
            await progress(last, max(total, last), message)

    passing = asyncio.create_task(pass_on(), name="progress")
    try:
        yield tell
    finally:
        # A failure of whoever listens is no failure of the work.
        passing.cancel()
        await asyncio.wait([passing])
        if not passing.cancelled() and (error := passing.exception()) is not None:
            log.info("progress could not be told: %s", error)
