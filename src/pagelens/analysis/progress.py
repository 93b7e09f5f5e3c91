"""What a long analysis says while it runs, and how it is stopped."""

from __future__ import annotations

import asyncio
import contextlib
import re
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from pagelens.errors import AnalysisCancelled

__all__ = ["Job", "Progress", "Statement", "in_thread", "peak_memory"]

_Found = TypeVar("_Found")

#: Seconds between two statements at least.
_PAUSE = 0.2


@dataclass(frozen=True, slots=True)
class Statement:
    """One message of progress.

    Attributes:
        text: what is being done, e.g. ``edges: 120 of 166 MB read``.
        done: the part of the work that is done, 0 to 1, as far as can be told.
        seconds: time since the beginning.
        memory: bytes of memory that the process takes at its most so far; 0 where the system does not say.
    """

    text: str
    done: float
    seconds: float
    memory: int

    def __str__(self) -> str:
        memory = f", {self.memory / 1e6:,.0f} MB of memory" if self.memory else ""
        return f"{self.text} ({self.seconds:.1f} s{memory})"


Progress = Callable[[Statement], None]


class Job:
    """One analysis: tells its caller how far it is, and stops when it is told to.

    Args:
        progress: called from the thread that works; what it raises ends the analysis.
        cancelled: set to stop; it takes effect within a second or two, between two steps.
    """

    def __init__(self, progress: Progress | None = None, cancelled: threading.Event | None = None) -> None:
        self._progress = progress
        self._cancelled = cancelled
        self._begin = time.monotonic()
        self._next = 0.0

    def check(self) -> None:
        """Raise when the caller has given up."""
        if self._cancelled is not None and self._cancelled.is_set():
            raise AnalysisCancelled("The analysis was cancelled.")

    def step(self, text: str, done: float, *, always: bool = True) -> None:
        """Begin a step: the caller hears of it (if not ``always``, then only after a pause).

        Raises:
            AnalysisCancelled: the caller has given up.
        """
        self.check()
        if self._progress is None:
            return
        seconds = time.monotonic() - self._begin
        if always or seconds >= self._next:
            self._next = seconds + _PAUSE
            self._progress(Statement(text, done, seconds, peak_memory()))


async def in_thread(
    work: Callable[[Progress | None, threading.Event], _Found], progress: Progress | None = None
) -> _Found:
    """Do an analysis in a thread; a task that is cancelled stops it.

    Args:
        work: takes what its progress is told to, and what is set when it is to stop.
        progress: called on the event loop.
    """
    loop = asyncio.get_running_loop()
    cancelled = threading.Event()
    tell: Progress | None = None
    if progress is not None:
        heard = progress

        def tell(statement: Statement) -> None:
            loop.call_soon_threadsafe(heard, statement)

    task = asyncio.create_task(asyncio.to_thread(work, tell, cancelled))
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        # The thread holds memory until it stops: nobody is told that it is over before it is.
        cancelled.set()
        await asyncio.wait([task])
        if not task.cancelled():
            task.exception()
        raise


def peak_memory() -> int:
    """The most bytes that this process has had in memory; 0 where that can't be told.

    Linux counts in ``ru_maxrss`` what the parent had when it started this one: ``VmHWM`` is the program's own.
    """
    with contextlib.suppress(OSError):
        if own := re.search(r"^VmHWM:\s+(\d+)", Path("/proc/self/status").read_text("ascii", "replace"), re.MULTILINE):
            return int(own[1]) * 1024
    try:
        import resource
    except ImportError:  # Windows
        return 0
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024
