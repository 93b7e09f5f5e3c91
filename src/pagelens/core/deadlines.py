"""How long anything may take. The one place for such numbers."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable
from contextlib import asynccontextmanager
from typing import TypeVar

from pagelens.errors import DeadlineExceeded

__all__ = [
    "BROWSER_START",
    "COMMAND",
    "DIALOG_GRACE",
    "HIGHEST",
    "LOCK",
    "LONGEST",
    "NAVIGATION",
    "SHUTDOWN",
    "SNAPSHOT_SILENCE",
    "SNAPSHOT_WORK",
    "TOOL",
    "TOOL_MARGIN",
    "deadline",
    "seconds_of",
    "within",
]

#: Seconds for one CDP command.
COMMAND = 10.0
#: Seconds for one tool call without a timeout of its own.
TOOL = 30.0
#: Seconds for a navigation; then the page is described as it is, with what is still pending.
NAVIGATION = 15.0
#: Seconds that a call waits for another call to release the page.
LOCK = 20.0
#: Seconds for Chrome to start and answer its first command.
BROWSER_START = 25.0
#: Seconds for Chrome to end by itself before it is killed.
SHUTDOWN = 3.0
#: Seconds that a frame may be silent before a snapshot goes on without it.
SNAPSHOT_SILENCE = 5.0
#: Seconds that reading a frame that does answer may take.
SNAPSHOT_WORK = 20.0
#: Nothing waits longer than this without an explicit timeout.
HIGHEST = 50.0
#: And with one, nothing waits longer than this, whatever was asked for.
LONGEST = 3600.0
#: A tool that is given a timeout gets this many seconds on top, for its own work around the wait.
TOOL_MARGIN = 10.0
#: After a dialog opened, how long a command's own answer is still waited for.
DIALOG_GRACE = 0.05

T = TypeVar("T")


def seconds_of(milliseconds: float | None, default: float) -> float:
    """A caller's timeout in seconds: `default` for none, 0 and less, as in chrome-devtools-mcp; at most `LONGEST`.

    A whole number of any size will do, also one that no float can hold.
    """
    if milliseconds is None or milliseconds <= 0:
        return default
    return min(milliseconds, LONGEST * 1000) / 1000


@asynccontextmanager
async def deadline(seconds: float, what: str, hint: str = "") -> AsyncIterator[None]:
    """Run the body for at most `seconds`.

    Raises:
        DeadlineExceeded: "`what` took longer than N s", when the time is up.
    """
    try:
        async with asyncio.timeout(seconds) as scope:
            yield
    except TimeoutError:
        if not scope.expired():
            raise  # somebody else's timeout passing through
        raise DeadlineExceeded(f"{what} took longer than {seconds:g} s and was ended.", hint) from None


async def within(seconds: float, awaitable: Awaitable[T], what: str, hint: str = "") -> T:
    """Await one thing for at most `seconds`; see `deadline`."""
    async with deadline(seconds, what, hint):
        return await awaitable
