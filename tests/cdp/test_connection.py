"""The connection: order, deadlines, ends. Over a transport of the test, so that Chrome's side can be played."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from pagelens.cdp.connection import Connection
from pagelens.cdp.session import Session
from pagelens.cdp.transport import PipeTransport
from pagelens.errors import CommandTimeout, ConnectionLost, PageCrashed, ProtocolError, SessionClosed
from tests.support.protocol import Watch


class Played:
    """A transport whose other end is the test."""

    def __init__(self) -> None:
        self.sent: list[dict[str, Any]] = []
        self.on_message: Callable[[bytes], None] = lambda _: None
        self.on_lost: Callable[[str], None] = lambda _: None

    async def start(self, on_message: Callable[[bytes], None], on_lost: Callable[[str], None]) -> None:
        self.on_message, self.on_lost = on_message, on_lost

    def send(self, message: bytes) -> None:
        self.sent.append(json.loads(message))

    def send_all(self, messages: Sequence[bytes]) -> None:
        for message in messages:
            self.send(message)

    async def close(self) -> None:
        self.on_lost("closed")

    def say(self, **message: Any) -> None:
        self.on_message(json.dumps(message).encode())


@pytest.fixture
async def played(protocol_watch: Watch) -> Any:
    with protocol_watch.unchecked():
        transport = Played()
        connection = Connection(transport)
        await connection.start()
        session = connection.open_session("S", target_id="T", target_type="page")
        yield transport, connection, session
        await connection.close()


async def test_replies_find_their_commands_in_any_order(played: tuple[Played, Connection, Session]) -> None:
    transport, connection, session = played
    first, second = session.post("A.one", {"x": 1}), connection.root.post("A.two")
    assert [(m["method"], m.get("sessionId"), m["params"]) for m in transport.sent] == [
        ("A.one", "S", {"x": 1}),
        ("A.two", None, {}),
    ]
    transport.say(id=transport.sent[1]["id"], result={"b": 2})
    transport.say(id=transport.sent[0]["id"], sessionId="S", result={"a": 1})
    assert await first == {"a": 1}
    assert await second == {"b": 2}
    assert not connection._waiting


async def test_what_is_told_is_answered_to_nobody(played: tuple[Played, Connection, Session]) -> None:
    transport, connection, session = played
    session.tell("A.one", ({"x": number} for number in range(3)))
    assert [(m["method"], m["sessionId"], m["params"]) for m in transport.sent] == [
        ("A.one", "S", {"x": number}) for number in range(3)
    ]
    assert not connection._waiting
    transport.say(id=transport.sent[1]["id"], sessionId="S", error={"code": 1, "message": "gone"})
    later = session.post("A.two")
    transport.say(id=transport.sent[3]["id"], sessionId="S", result={})
    assert await later == {}
    connection.close_session("S", "gone")
    session.tell("A.one", [{}])
    assert len(transport.sent) == 4


async def test_refusals_carry_chromes_words(played: tuple[Played, Connection, Session]) -> None:
    transport, _, session = played
    reply = session.post("A.b")
    transport.say(id=transport.sent[0]["id"], error={"code": -32602, "message": "Invalid parameters", "data": "x"})
    with pytest.raises(ProtocolError, match=r"Chrome refused A\.b: Invalid parameters \(x\)") as caught:
        await reply
    assert caught.value.protocol_code == -32602


async def test_a_deadline_leaves_nothing_behind(played: tuple[Played, Connection, Session]) -> None:
    transport, connection, session = played
    with pytest.raises(CommandTimeout, match=r"did not answer A\.b within 0\.05 s"):
        await session.send("A.b", timeout=0.05)
    assert not connection._waiting
    transport.say(id=transport.sent[0]["id"], result={})  # too late: dropped


async def test_events_keep_their_order_and_listeners_their_faults(
    played: tuple[Played, Connection, Session], caplog: pytest.LogCaptureFixture
) -> None:
    transport, _, session = played
    seen: list[int] = []

    def fails(_: dict[str, Any]) -> None:
        raise RuntimeError("listener fault")

    session.on("A.e", fails)
    off = session.on("A.e", lambda p: seen.append(p["n"]))
    for n in range(100):
        transport.say(method="A.e", sessionId="S", params={"n": n})
    assert seen == list(range(100))
    assert "listener fault" in caplog.text
    off()
    off()
    transport.say(method="A.e", sessionId="S", params={"n": 100})
    assert len(seen) == 100


async def test_a_slow_listener_blocks_nobody(played: tuple[Played, Connection, Session]) -> None:
    transport, _, session = played
    slow: list[int] = []
    go, done = asyncio.Event(), asyncio.Event()

    async def listen(p: dict[str, Any]) -> None:
        await go.wait()
        slow.append(p["n"])
        if p["n"] == 4:
            done.set()

    quick: list[int] = []
    session.on("A.e", listen)
    session.on("A.e", lambda p: quick.append(p["n"]))
    for n in range(5):
        transport.say(method="A.e", sessionId="S", params={"n": n})
    assert (quick, slow) == ([0, 1, 2, 3, 4], [])
    reply = session.post("A.b")
    transport.say(id=transport.sent[0]["id"], result={})
    assert await reply == {}
    go.set()
    async with asyncio.timeout(5):
        await done.wait()
    assert slow == [0, 1, 2, 3, 4]


async def test_a_closed_session_fails_what_waits_and_what_comes(played: tuple[Played, Connection, Session]) -> None:
    _, connection, session = played
    reasons: list[str] = []
    session.on_closed(reasons.append)
    waiting, other = session.post("A.b"), connection.root.post("A.c")
    connection.close_session("S", "tab closed")
    with pytest.raises(SessionClosed, match="tab closed"):
        await waiting
    with pytest.raises(SessionClosed, match="tab closed"):
        await session.send("A.d")
    assert reasons == ["tab closed"]
    assert not other.done


async def test_a_crash_fails_what_waits_but_not_what_comes(played: tuple[Played, Connection, Session]) -> None:
    transport, _, session = played
    waiting = session.post("A.b")
    session.fail(lambda method: PageCrashed(f"crashed at {method}"))
    with pytest.raises(PageCrashed, match=r"crashed at A\.b"):
        await waiting
    revived = session.post("A.c")
    transport.say(id=transport.sent[-1]["id"], result={"ok": True})
    assert await revived == {"ok": True}


async def test_a_lost_connection_fails_everything(played: tuple[Played, Connection, Session]) -> None:
    transport, connection, session = played
    lost: list[str] = []
    connection.on_lost(lost.append)
    waiting = session.post("A.b")
    transport.on_lost("gone")
    transport.on_lost("gone again")
    with pytest.raises(ConnectionLost, match=r"before it answered A\.b \(gone\)"):
        await waiting
    with pytest.raises((ConnectionLost, SessionClosed)):
        await session.send("A.c")
    with pytest.raises((ConnectionLost, SessionClosed)):
        await connection.root.send("A.d")
    assert lost == ["gone"]


async def test_a_message_that_is_none_costs_nothing(
    played: tuple[Played, Connection, Session], protocol_watch: Watch
) -> None:
    _, _, _ = played
    read_fd, write_fd = os.pipe()
    back_read, back_write = os.pipe()
    transport = PipeTransport(read_fd, back_write)
    got: list[bytes] = []

    def take(message: bytes) -> None:
        if message == b"bad":
            raise ValueError("bad message")
        got.append(message)

    lost = asyncio.get_running_loop().create_future()
    await transport.start(take, lost.set_result)
    big = b"x" * 300_000
    loop = asyncio.get_running_loop()

    def write() -> None:
        for piece in (b"on", b"e\0bad\0", big[:100_000], big[100_000:] + b"\0two\0thr", b"ee\0"):
            os.write(write_fd, piece)
        os.close(write_fd)

    await loop.run_in_executor(None, write)
    async with asyncio.timeout(5):
        await lost
    assert got == [b"one", big, b"two", b"three"]
    await transport.close()
    os.close(back_read)
