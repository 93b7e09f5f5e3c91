"""Ways to carry messages to and from Chrome. A transport knows bytes and their ends, nothing else."""

from __future__ import annotations

import asyncio
import logging
import os
from collections.abc import Callable, Sequence
from typing import Protocol

__all__ = ["PipeTransport", "Transport"]

log = logging.getLogger(__name__)

#: Waking up for a message costs more than handling it. While Chrome says so much within this time, and nobody has
#: written for a while, who might be waiting for an answer, the pipe is left alone for a moment after each read, so that
#: what is said in that moment comes together. Seconds.
BUSY_MESSAGES = 50
BUSY_TIME = 0.1
UNWRITTEN = 0.05
REST = 0.01
#: Bytes of a read that was worth waking up for: more is on its way, and who sends it should not wait.
MUCH = 16 * 1024


class Transport(Protocol):
    """Carries whole messages. `start` is called once, before anything else."""

    async def start(self, on_message: Callable[[bytes], None], on_lost: Callable[[str], None]) -> None:
        """Begin to read. `on_message` gets each message in order; `on_lost` is called once, with the reason."""

    def send(self, message: bytes) -> None:
        """Queue one message; never blocks, and does nothing once the connection is lost."""

    def send_all(self, messages: Sequence[bytes]) -> None:
        """Queue several messages at once, as cheaply as can be."""

    async def close(self) -> None:
        """End both directions. Idempotent."""


class PipeTransport:
    """Chrome's ``--remote-debugging-pipe``: NUL-terminated messages over two pipes.

    The pipe dies with either process, so a Chrome started this way can't outlive us, and no other
    program can reach it. POSIX only.

    Args:
        read_fd: where Chrome's messages arrive. Owned from now on.
        write_fd: where ours go. Owned from now on.
    """

    def __init__(self, read_fd: int, write_fd: int) -> None:
        self._read_fd = read_fd
        self._write_fd = write_fd
        self._reader: asyncio.ReadTransport | None = None
        self._writer: asyncio.WriteTransport | None = None
        self._framed: _NulFramed | None = None
        self._unwritten: list[bytes] = []

    async def start(self, on_message: Callable[[bytes], None], on_lost: Callable[[str], None]) -> None:
        loop = asyncio.get_running_loop()
        self._writer, _ = await loop.connect_write_pipe(
            asyncio.streams.FlowControlMixin, os.fdopen(self._write_fd, "wb", 0)
        )
        self._reader, self._framed = await loop.connect_read_pipe(
            lambda: _NulFramed(on_message, on_lost, loop), os.fdopen(self._read_fd, "rb", 0)
        )

    def send(self, message: bytes) -> None:
        self.send_all((message,))

    def send_all(self, messages: Sequence[bytes]) -> None:
        if self._writer is None or self._writer.is_closing() or not messages:
            return
        # What is sent in one go of the loop is written in one: each write costs a call to the system, and wakes Chrome.
        if not self._unwritten:
            asyncio.get_running_loop().call_soon(self._write)
        self._unwritten += messages

    def _write(self) -> None:
        messages, self._unwritten = self._unwritten, []
        if self._writer is not None and not self._writer.is_closing():
            if self._framed is not None:
                self._framed.written_at = self._framed.now()
            self._writer.write(b"\0".join([*messages, b""]))

    async def close(self) -> None:
        # Our write end first: Chrome takes its end of file as the order to quit.
        if self._writer is not None and not self._writer.is_closing():  # asyncio's abort() fails on a broken pipe
            self._writer.abort()
        if self._reader is not None:
            self._reader.close()


class _NulFramed(asyncio.Protocol):
    """Cuts the byte stream at NUL bytes, without scanning any byte twice; rests while it is flooded.

    Attributes:
        written_at: when the other direction was last used, as of `now`.
    """

    def __init__(
        self, on_message: Callable[[bytes], None], on_lost: Callable[[str], None], loop: asyncio.AbstractEventLoop
    ) -> None:
        self._on_message = on_message
        self._on_lost = on_lost
        self._loop = loop
        self.now = loop.time
        self.written_at = 0.0
        self._transport: asyncio.ReadTransport | None = None
        self._counted_since = 0.0
        self._messages = 0
        self._is_busy = False
        self._buffer = bytearray()
        self._scanned = 0

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.ReadTransport)
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        buffer = self._buffer
        buffer += data
        messages = []
        start = 0
        while (end := buffer.find(b"\0", max(start, self._scanned))) >= 0:
            messages.append(bytes(memoryview(buffer)[start:end]))
            start = end + 1
        # Taken off before delivery: a message that can't be handled must not be met again.
        if start:
            del buffer[:start]
        self._scanned = len(buffer)
        self._rest_if_busy(len(data), len(messages))
        for message in messages:
            try:
                self._on_message(message)
            except Exception:
                log.exception("a message from Chrome could not be handled (%d bytes)", len(message))

    def _rest_if_busy(self, size: int, messages: int) -> None:
        now = self.now()
        if now - self._counted_since > BUSY_TIME:
            self._is_busy = self._messages > BUSY_MESSAGES
            self._counted_since, self._messages = now, 0
        self._messages += messages
        if self._is_busy and size < MUCH and now - self.written_at > UNWRITTEN and self._transport is not None:
            self._transport.pause_reading()
            self._loop.call_later(REST, self._resume)

    def _resume(self) -> None:
        if self._transport is not None and not self._transport.is_closing():
            self._transport.resume_reading()

    def connection_lost(self, exc: Exception | None) -> None:
        self._on_lost(str(exc) if exc else "Chrome closed the connection")
