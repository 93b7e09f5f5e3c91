"""The pipe to Chrome: all that is said arrives, in order, also while it is left alone for moments."""

from __future__ import annotations

import asyncio
import os
import threading
import time
from collections.abc import Callable

import pytest

from pagelens.cdp import transport as module
from pagelens.cdp.transport import PipeTransport


class Reads:
    """Counts how often messages were read, and keeps them."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.messages: list[bytes] = []
        self.lost: list[str] = []
        self.count = 0
        original = module._NulFramed.data_received

        def counted(framed: module._NulFramed, data: bytes) -> None:
            self.count += 1
            original(framed, data)

        monkeypatch.setattr(module._NulFramed, "data_received", counted)


async def flooded(reads: Reads, say: list[bytes]) -> None:
    """Let another thread say all of it, what is short at some distance, and read until the end."""
    read_fd, their_write = os.pipe()
    their_read, write_fd = os.pipe()
    transport = PipeTransport(read_fd, write_fd)

    def talk() -> None:
        for message in say:
            os.write(their_write, message + b"\0")
            if len(message) < 10:
                time.sleep(0.0003)
        os.close(their_write)

    ended = asyncio.Event()

    def lost(reason: str) -> None:
        reads.lost.append(reason)
        ended.set()

    await transport.start(reads.messages.append, lost)
    thread = threading.Thread(target=talk)
    thread.start()
    async with asyncio.timeout(30):
        await ended.wait()
    thread.join()
    os.close(their_read)
    await transport.close()


async def test_a_flood_of_small_messages_is_read_in_few_goes(monkeypatch: pytest.MonkeyPatch) -> None:
    reads = Reads(monkeypatch)
    say = [b"%d" % number for number in range(3000)]
    await flooded(reads, say)
    assert reads.messages == say
    assert len(reads.lost) == 1
    assert reads.count < len(say) / 2


class Clock(asyncio.ReadTransport):
    """A loop's clock that stands still, and a pipe that notes when it is left alone."""

    def __init__(self) -> None:
        super().__init__()
        self.now = 100.0
        self.rests = 0

    def time(self) -> float:
        return self.now

    def call_later(self, delay: float, then: Callable[[], None]) -> None:
        self.now += delay
        then()

    def pause_reading(self) -> None:
        self.rests += 1

    def resume_reading(self) -> None:
        pass

    def is_closing(self) -> bool:
        return False


def test_large_messages_and_those_who_wait_for_an_answer_are_not_kept_waiting() -> None:
    """A rest after every read would make a recording of some hundred megabytes a matter of minutes."""
    clock = Clock()
    framed = module._NulFramed(lambda _: None, lambda _: None, clock)  # type: ignore[arg-type]
    framed.connection_made(clock)
    framed.data_received(b"small\0" * 60)
    clock.now += 0.2
    framed.data_received(b"small\0" * 60)
    assert clock.rests == 1  # many came in the time before
    framed.data_received(b"x" * module.MUCH + b"\0")
    assert clock.rests == 1
    framed.data_received(b"small\0")
    assert clock.rests == 2
    framed.written_at = clock.now
    framed.data_received(b"small\0")
    assert clock.rests == 2
    clock.now += 1
    framed.data_received(b"small\0")
    clock.now += 1
    framed.data_received(b"small\0")
    assert clock.rests == 3  # once more for what came before, then it was quiet
