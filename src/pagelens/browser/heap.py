"""Heap snapshots of a page, written as they come."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, BinaryIO
from weakref import WeakKeyDictionary

import msgspec

from pagelens.cdp.messages import event_decoder
from pagelens.errors import CommandTimeout, FileFailed

if TYPE_CHECKING:
    from pagelens.browser.page import Page
    from pagelens.cdp.session import Reply, Session

__all__ = ["SILENCE", "SnapshotProgress", "take_heap_snapshot"]

#: Seconds that Chrome may say nothing: it collects garbage, then walks the heap, and tells how far it is.
SILENCE = 30.0


class _Chunk(msgspec.Struct):
    chunk: str


class _Progress(msgspec.Struct):
    done: int
    total: int


_decode_chunk = event_decoder(_Chunk)
#: The last snapshot that each session was asked for: Chrome sends all of one that nobody waits for any more.
_last: WeakKeyDictionary[Session, Reply] = WeakKeyDictionary()
_decode_progress = event_decoder(_Progress)


@dataclass(frozen=True, slots=True)
class SnapshotProgress:
    """How far Chrome is: ``done`` of ``total`` objects looked at, ``written`` bytes in the file."""

    done: int
    total: int
    written: int


async def take_heap_snapshot(
    page: Page,
    file: BinaryIO,
    progress: Callable[[SnapshotProgress], object] = lambda _: None,
    *,
    numbers: bool = True,
) -> int:
    """Collect garbage and write all that lives in the page's JavaScript heap to `file`; returns its bytes.

    It is the heap of the page's main frame and of all frames in its process. Nothing of it is kept in memory here.
    (CDP: ``HeapProfiler.takeHeapSnapshot``.)

    Args:
        progress: called now and then.
        numbers: with the values of numbers (`HeapSnapshot.analyze_contexts` needs them).

    Raises:
        CommandTimeout: Chrome fell silent for `SILENCE` seconds.
        FileFailed: the file can't be written.
        DialogOpen, PageCrashed, PageClosed: the page can't be asked.
    """
    page.raise_if_unusable()
    if (before := _last.get(page.session)) is not None:
        await before.ended(SILENCE)
    writer = _Writer(page.session, file, progress)
    try:
        # Ids of objects are remembered from here on: the same object has the same id in later snapshots.
        await page.guarded(page.session.post("HeapProfiler.enable"))
        options = {"reportProgress": True, "captureNumericValue": numbers}
        reply = page.session.post("HeapProfiler.takeHeapSnapshot", options)
        _last[page.session] = reply
        await writer.until(reply)
    finally:
        writer.close()
    return writer.written


class _Writer:
    """Puts the pieces of a snapshot into a file in the order in which they arrive."""

    def __init__(self, session: Session, file: BinaryIO, progress: Callable[[SnapshotProgress], object]) -> None:
        self._file = file
        self._progress = progress
        self._done = self._total = 0
        self._failure: OSError | None = None
        self._signs = 0
        self.written = 0
        self._off = [
            session.on_raw("HeapProfiler.addHeapSnapshotChunk", self._chunk),
            session.on_raw("HeapProfiler.reportHeapSnapshotProgress", self._told),
        ]

    def close(self) -> None:
        for off in self._off:
            off()

    async def until(self, reply: Reply) -> None:
        """Wait for the end, as long as Chrome gives signs of life."""
        # Not `Reply.raw` again and again: a wait that is given up gives up the answer.
        ended = asyncio.Event()
        reply.on_done(ended.set)
        while not ended.is_set():
            before = self._signs
            try:
                async with asyncio.timeout(SILENCE):
                    await ended.wait()
            except TimeoutError:
                if self._signs == before:
                    raise CommandTimeout(
                        f"Chrome said nothing of the heap snapshot for {SILENCE:g} s.", "Try again, or reload the page."
                    ) from None
        await reply.raw()
        if self._failure is not None:
            reason = self._failure.strerror or self._failure
            raise FileFailed(f"The heap snapshot could not be written: {reason}.") from self._failure

    def _chunk(self, raw: bytes) -> None:
        self._signs += 1
        if self._failure is not None:
            return
        data = _decode_chunk(raw).chunk.encode("utf-8", "surrogatepass")
        try:
            self._file.write(data)
        except OSError as error:
            self._failure = error
            return
        self.written += len(data)
        self._progress(SnapshotProgress(self._done, self._total, self.written))

    def _told(self, raw: bytes) -> None:
        self._signs += 1
        told = _decode_progress(raw)
        self._done, self._total = told.done, told.total
        self._progress(SnapshotProgress(self._done, self._total, self.written))
