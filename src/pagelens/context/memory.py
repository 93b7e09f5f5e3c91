"""Heap snapshots of pages: taken, and three of them compared around an action that may leak."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from pagelens.browser.evaluation import release_helpers
from pagelens.browser.heap import SnapshotProgress, take_heap_snapshot
from pagelens.errors import DialogOpen

if TYPE_CHECKING:
    from pagelens.analysis.heap import HeapSnapshot, Statement
    from pagelens.analysis.heap.leaks import Leak
    from pagelens.context.mcp_page import McpPage
    from pagelens.core.progress import Tell

__all__ = ["LeakReport", "find_memory_leaks", "script_action", "take_snapshot", "told"]

#: How often the action is done between two snapshots when nobody says.
REPEATS = 5
_ROUNDS = 3


@dataclass(frozen=True, slots=True)
class LeakReport:
    """What `find_memory_leaks` found.

    Attributes:
        leaks: those that retain most first.
        repeats: how often the action was done between two snapshots.
        sizes: bytes of the heap in the three snapshots.
        released: how many objects of old console messages were let go of: these are text from now on.
    """

    leaks: tuple[Leak, ...]
    repeats: int
    sizes: tuple[int, int, int]
    released: int


async def take_snapshot(page: McpPage, file: BinaryIO, tell: Tell) -> int:
    """Write a heap snapshot of a page to a file; returns its bytes. Raises as `take_heap_snapshot`."""

    def progress(now: SnapshotProgress) -> None:
        tell(*told(now))

    return await take_heap_snapshot(page.page, file, progress)


def told(now: SnapshotProgress) -> tuple[float, float, str]:
    """How far Chrome is, as a message of progress."""
    if now.written:
        return now.total, max(now.total, 1), f"{now.written / 1e6:,.1f} MB written"
    return now.done, max(now.total, 1), f"{now.done:,} of {now.total:,} objects looked at"


async def find_memory_leaks(
    page: McpPage,
    action: Callable[[], Awaitable[object]],
    *,
    repeats: int = REPEATS,
    tell: Tell = lambda done, total, message: None,
) -> LeakReport:
    """Do something again and again, and find what grows each time.

    It is done `repeats` times to have made what is made only once, and as often between the first and second and the
    second and third of three snapshots. Objects that we and the console hold are let go of before each.

    Args:
        action: what may leak.

    Raises:
        What `action` raises; FileFailed, CommandTimeout, ExtraMissing: a snapshot could not be taken or read.
    """
    from pagelens.analysis.heap import HeapSnapshot
    from pagelens.analysis.heap.leaks import find_leaks

    steps = 2 * _ROUNDS + 1
    released = 0
    snapshots: list[HeapSnapshot] = []
    with tempfile.TemporaryDirectory(prefix="pagelens-leaks-") as folder:
        for number in range(_ROUNDS):
            for time in range(repeats):
                tell(2 * number + time / repeats, steps, f"round {number + 1} of {_ROUNDS}, time {time + 1}")
                await action()
            released += await _let_go(page)
            path = Path(folder) / f"{number}.heapsnapshot"

            def progress(now: SnapshotProgress, at: int = number) -> None:
                tell(2 * at + 1, steps, f"snapshot {at + 1}: {told(now)[2]}")

            with path.open("wb") as file:
                # Numbers as objects, which are new in each snapshot, would only be in the way.
                await take_heap_snapshot(page.page, file, progress, numbers=False)

            def loading(statement: Statement, at: int = number) -> None:
                tell(2 * at + 1 + statement.done, steps, f"snapshot {at + 1}: {statement}")

            snapshots.append(await HeapSnapshot.load_async(path, progress=loading))
            path.unlink()
    tell(steps - 1, steps, "comparing")
    leaks = await asyncio.to_thread(find_leaks, snapshots, repeats)
    totals = [snapshot.statistics().total for snapshot in snapshots]
    return LeakReport(tuple(leaks), repeats, (totals[0], totals[1], totals[2]), released)


def script_action(page: McpPage, source: str) -> Callable[[], Awaitable[None]]:
    """Running a script in the page, as an action for `find_memory_leaks`."""

    async def run() -> None:
        done = await page.evaluate(source)
        if done.lost is not None:
            raise done.lost
        if done.report is None:
            raise DialogOpen(
                "The action opened a dialog, which holds the page.",
                "Call handle_dialog; then give a script that opens none.",
            )

    return run


async def _let_go(page: McpPage) -> int:
    """Let go of what keeps objects of the page alive for us: console messages, helpers. Returns how many were held."""
    count = page.console.objects.release_all()
    release_helpers(page.page)
    # Chrome itself keeps the arguments of the last thousand messages for whoever asks.
    await page.page.guarded(page.page.session.post("Runtime.discardConsoleEntries"))
    await page.page.guarded(page.page.session.post("HeapProfiler.collectGarbage"))
    return count
