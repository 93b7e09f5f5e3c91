"""How long anything may take. The one place for such numbers."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable
from contextlib import asynccontextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import TypeVar

from pagelens.errors import DeadlineExceeded

__all__ = [
    "BROWSER_START",
    "COMMAND",
    "DIALOG_GRACE",
    "HIGHEST",
    "LOCK",
    "LONGEST",
    "MOST_PATIENCE",
    "NAVIGATION",
    "REPLY",
    "SHUTDOWN",
    "SNAPSHOT_SILENCE",
    "SNAPSHOT_WORK",
    "TOOL",
    "TOOL_MARGIN",
    "Limits",
    "deadline",
    "limits",
    "patient",
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
#: Seconds for working out a reply after a tool's handler has ended: a snapshot, lists.
REPLY = 15.0
#: Nothing waits longer than this without an explicit timeout.
HIGHEST = 50.0
#: And with one, nothing waits longer than this, whatever was asked for.
LONGEST = 3600.0
#: A tool that is given a timeout gets this many seconds on top, for its own work around the wait.
TOOL_MARGIN = 10.0
#: After a dialog opened, how long a command's own answer is still waited for.
DIALOG_GRACE = 0.05
#: A page that is throttled may take so many times as long, at most (`pagelens.browser.emulated.Emulated.patience`).
MOST_PATIENCE = 10.0
#: Who waits longer for a throttled page leaves the deadline around it this many seconds, to tell how it went.
_TELLING = 5.0

T = TypeVar("T")

#: When the innermost `deadline` ends, in the loop's time.
_end: ContextVar[float | None] = ContextVar("end of the deadline", default=None)


@dataclass(frozen=True, slots=True)
class Limits:
    """Seconds that a tool call and a navigation in it may take when the caller names no timeout."""

    tool: float
    navigation: float


def limits(patience: float, *, has_progress: bool) -> Limits:
    """The deadlines of a tool call on a page that may take `patience` times as long as usual.

    Beyond `HIGHEST` in all, reply included, only a caller waits who hears of progress meanwhile.
    """
    highest = HIGHEST * (patience if has_progress else 1)
    tool = min(TOOL * patience, highest - REPLY)
    return Limits(tool, max(NAVIGATION, min(NAVIGATION * patience, tool - _TELLING)))


def patient(seconds: float, patience: float) -> float:
    """A usual deadline for a page that may take `patience` times as long: no timeout that a caller named.

    It is never shorter than usual, and grows only as far as the `deadline` around it allows; `HIGHEST` without one.
    """
    if patience <= 1:
        return seconds
    end = _end.get()
    most = HIGHEST if end is None else end - asyncio.get_running_loop().time() - _TELLING
    return max(seconds, min(seconds * patience, most))


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
    end, around = asyncio.get_running_loop().time() + seconds, _end.get()
    token = _end.set(end if around is None else min(end, around))
    try:
        async with asyncio.timeout(seconds) as scope:
            yield
    except TimeoutError:
        if not scope.expired():
            raise  # somebody else's timeout passing through
        raise DeadlineExceeded(f"{what} took longer than {seconds:g} s and was ended.", hint) from None
    finally:
        _end.reset(token)


async def within(seconds: float, awaitable: Awaitable[T], what: str, hint: str = "") -> T:
    """Await one thing for at most `seconds`; see `deadline`."""
    async with deadline(seconds, what, hint):
        return await awaitable
