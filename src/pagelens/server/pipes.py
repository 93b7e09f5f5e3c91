"""Standard input and output, read and written without ever holding up the event loop or the end of the process.

Neither file is switched to non-blocking: that would be seen by everyone who shares it, a shell's terminal for one.
Reading waits for the event loop to say that there is something; where it can't (files, Windows), and for writing more
than is sure to fit, a daemon thread does it: a thread that hangs in the operating system doesn't keep a process alive.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import queue
import select
import sys
import threading
from collections import deque
from collections.abc import AsyncIterator

__all__ = ["SURE_TO_FIT", "LineReader", "LineWriter", "claim_standard_streams", "is_ready"]

log = logging.getLogger(__name__)

CHUNK = 1 << 18
#: A line longer than this is dropped: nobody sends that, and memory is not endless. Bytes.
LONGEST_LINE = 64 << 20
#: Lines that may wait to be handled before reading stops for a while.
MOST_WAITING = 256
#: A pipe that is ready for writing takes this much without blocking (POSIX PIPE_BUF is at least 512; Linux has 4096).
SURE_TO_FIT = getattr(select, "PIPE_BUF", 512)


def claim_standard_streams() -> tuple[int, int]:
    """Take stdin and stdout for the protocol alone; returns descriptors for reading and for writing.

    From now on descriptor 0 is empty and 1 goes to stderr: a stray `print`, a library or a child process can
    neither read a client's message nor break into a reply.

    Raises:
        OSError: one of them is not open.
    """
    reading, writing = _duplicate(0), _duplicate(1)
    null = os.open(os.devnull, os.O_RDWR)
    os.dup2(null, 0)
    try:
        os.dup2(2, 1)
    except OSError:  # no stderr either
        os.dup2(null, 1)
    os.close(null)
    return reading, writing


def is_ready(descriptor: int) -> bool:
    """Whether `SURE_TO_FIT` bytes can be written now without blocking; False where nobody can tell (Windows)."""
    if sys.platform == "win32":
        return False
    poll = select.poll()
    poll.register(descriptor, select.POLLOUT)
    return bool(poll.poll(0))


def _duplicate(descriptor: int) -> int:
    """A private copy, above the standard ones and not inherited by children."""
    copies = [os.dup(descriptor)]
    while copies[-1] <= 2:
        copies.append(os.dup(descriptor))
    for low in copies[:-1]:
        os.close(low)
    return copies[-1]


class LineReader:
    """Lines from a descriptor: ``async for line in reader``. Ends with the file, or when `close` is called.

    A line is without its newline; None stands for one that was longer than `LONGEST_LINE`.
    """

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._loop = asyncio.get_running_loop()
        self._lines: deque[bytes | None] = deque()
        self._parts: list[bytes] = []
        self._size = 0
        self._is_ended = False
        self._is_reading = False
        self._changed = asyncio.Event()
        self._closed = asyncio.Event()
        self._may_read = threading.Event()
        self._uses_thread = False
        self._start()

    def close(self) -> None:
        """As if the file ended here; what was not handed out yet is dropped."""
        self._lines.clear()
        self._parts.clear()
        self._end()
        self._closed.set()

    async def wait_closed(self) -> None:
        """Wait until `close` is called; the file's own end is not that."""
        await self._closed.wait()

    async def __aiter__(self) -> AsyncIterator[bytes | None]:
        while True:
            while self._lines:
                line = self._lines.popleft()
                if not self._is_reading and not self._is_ended and len(self._lines) < MOST_WAITING // 2:
                    self._resume()
                yield line
            if self._is_ended:
                return
            self._changed.clear()
            await self._changed.wait()

    # -- reading -------------------------------------------------------------------------------------

    def _start(self) -> None:
        try:
            self._resume()
        except (NotImplementedError, PermissionError, ValueError):
            # epoll takes no regular files; Windows' loop takes no pipes here.
            self._uses_thread = True
            self._resume()
            threading.Thread(target=self._read_in_thread, name="pagelens-stdin", daemon=True).start()

    def _resume(self) -> None:
        if self._uses_thread:
            self._may_read.set()
        else:
            self._loop.add_reader(self._descriptor, self._readable)
        self._is_reading = True

    def _pause(self) -> None:
        if self._uses_thread:
            self._may_read.clear()
        elif self._is_reading:
            self._loop.remove_reader(self._descriptor)
        self._is_reading = False

    def _readable(self) -> None:
        try:
            self._feed(os.read(self._descriptor, CHUNK))
        except BlockingIOError:
            pass  # somebody else made it non-blocking; the loop will call again
        except OSError as error:
            log.info("reading from the client failed: %s", error)
            self._feed(b"")

    def _read_in_thread(self) -> None:
        while self._may_read.wait():
            try:
                chunk = os.read(self._descriptor, CHUNK)
            except OSError:
                chunk = b""
            try:
                self._loop.call_soon_threadsafe(self._feed, chunk)
            except RuntimeError:
                return  # the loop is closed
            if not chunk:
                return

    def _feed(self, chunk: bytes) -> None:
        if self._is_ended:
            return
        if not chunk:
            if self._parts:
                self._add(b"")  # a last line without a newline
            self._end()
            return
        *complete, rest = chunk.split(b"\n")
        for part in complete:
            self._add(part)
        if rest:
            self._size += len(rest)
            if self._size <= LONGEST_LINE:
                self._parts.append(rest)
            else:
                self._parts = [b""]
        if len(self._lines) >= MOST_WAITING:
            self._pause()
        self._changed.set()

    def _add(self, last: bytes) -> None:
        self._size += len(last)
        self._lines.append(b"".join([*self._parts, last]) if self._size <= LONGEST_LINE else None)
        self._parts.clear()
        self._size = 0

    def _end(self) -> None:
        if not self._is_ended:
            self._pause()
            self._is_ended = True
            self._changed.set()


class LineWriter:
    """Writes whole lines to a descriptor, one after the other."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._jobs: queue.SimpleQueue[tuple[bytes, asyncio.Future[None]]] = queue.SimpleQueue()
        self._thread: threading.Thread | None = None

    async def write(self, data: bytes) -> None:
        """Write all of `data`. Not to be called again before it is done.

        Raises:
            OSError: the other side is gone.
        """
        if len(data) <= SURE_TO_FIT and is_ready(self._descriptor):
            os.write(self._descriptor, data)
            return
        if self._thread is None:
            self._thread = threading.Thread(target=self._write_in_thread, name="pagelens-stdout", daemon=True)
            self._thread.start()
        done: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._jobs.put((data, done))
        await done

    def _write_in_thread(self) -> None:
        while True:
            data, done = self._jobs.get()
            failure: OSError | None = None
            left = memoryview(data)
            try:
                while left:
                    try:
                        left = left[os.write(self._descriptor, left) :]
                    except BlockingIOError:  # somebody else made it non-blocking
                        select.select([], [self._descriptor], [])
            except OSError as error:
                failure = error
            with contextlib.suppress(RuntimeError):  # the loop is closed: nobody waits any more
                done.get_loop().call_soon_threadsafe(_settle, done, failure)


def _settle(done: asyncio.Future[None], failure: OSError | None) -> None:
    if done.done():
        return  # the waiter was cancelled
    if failure is None:
        done.set_result(None)
    else:
        done.set_exception(failure)
