"""The WebSocket transport: sizes, order, ends, and a connection that has silently died. The other side is played."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

import pytest
from websockets.asyncio.server import ServerConnection, serve

from pagelens.cdp.websocket import WebSocketTransport, is_loopback
from pagelens.errors import ConnectionLost
from tests.support.running_chrome import Relay

Behaviour = Callable[[ServerConnection], Awaitable[None]]


class Ears:
    """What a transport tells."""

    def __init__(self) -> None:
        self.messages: asyncio.Queue[bytes] = asyncio.Queue()
        self.lost: asyncio.Future[str] = asyncio.get_running_loop().create_future()

    async def message(self) -> bytes:
        async with asyncio.timeout(20):
            return await self.messages.get()

    async def end(self) -> str:
        async with asyncio.timeout(20):
            return await self.lost


@asynccontextmanager
async def served(behaviour: Behaviour) -> AsyncIterator[int]:
    async with serve(behaviour, "127.0.0.1", 0, max_size=None, compression="deflate") as server:
        yield next(iter(server.sockets)).getsockname()[1]


async def started(transport: WebSocketTransport) -> Ears:
    ears = Ears()
    await transport.start(ears.messages.put_nowait, ears.lost.set_result)
    return ears


async def echo(socket: ServerConnection) -> None:
    async for message in socket:
        await socket.send(message)


async def test_messages_come_back_whole_and_in_order_whatever_their_size() -> None:
    async with served(echo) as port:
        transport = WebSocketTransport(f"ws://127.0.0.1:{port}/")
        ears = await started(transport)
        sent = [b"a", b"x" * 30_000_000, b"{}", "ü€😀".encode(), b"\\ud800", *(b"%d" % n for n in range(200))]
        for message in sent:
            transport.send(message)
        assert [await ears.message() for _ in sent] == sent
        await transport.close()
        await transport.close()


async def test_a_message_sent_in_pieces_arrives_as_one() -> None:
    async def behaviour(socket: ServerConnection) -> None:
        await socket.send(["one ", "two ", "three"])
        await socket.wait_closed()

    async with served(behaviour) as port:
        transport = WebSocketTransport(f"ws://127.0.0.1:{port}/")
        assert await (await started(transport)).message() == b"one two three"
        await transport.close()


async def test_a_message_that_cant_be_handled_costs_no_other() -> None:
    async with served(echo) as port:
        transport = WebSocketTransport(f"ws://127.0.0.1:{port}/")
        heard: asyncio.Queue[bytes] = asyncio.Queue()

        def on_message(message: bytes) -> None:
            if message == b"bad":
                raise RuntimeError("no")
            heard.put_nowait(message)

        await transport.start(on_message, lambda _: None)
        transport.send(b"bad")
        transport.send(b"good")
        async with asyncio.timeout(20):
            assert await heard.get() == b"good"
        await transport.close()


async def test_own_headers_and_no_compression() -> None:
    seen: list[dict[str, str]] = []

    async def behaviour(socket: ServerConnection) -> None:
        assert socket.request is not None
        seen.append({name.lower(): value for name, value in socket.request.headers.raw_items()})
        await socket.wait_closed()

    async with served(behaviour) as port:
        transport = WebSocketTransport(f"ws://127.0.0.1:{port}/", headers={"Authorization": "Bearer x", "X-Two": "2"})
        await started(transport)
        await transport.close()
    (headers,) = seen
    assert headers["authorization"] == "Bearer x"
    assert headers["x-two"] == "2"
    assert "sec-websocket-extensions" not in headers
    assert "origin" not in headers


async def test_the_end_is_told_once_with_its_reason_after_the_last_message() -> None:
    async def behaviour(socket: ServerConnection) -> None:
        await socket.send("last words")
        await socket.close(1001, "going away")

    async with served(behaviour) as port:
        transport = WebSocketTransport(f"ws://127.0.0.1:{port}/")
        ears = await started(transport)
        assert await ears.message() == b"last words"
        assert await ears.end() == "the other side closed it (code 1001: going away)"
        transport.send(b"too late")
        await transport.close()


async def test_a_cut_line_is_an_end() -> None:
    async with served(echo) as port, Relay(port) as relay:
        transport = WebSocketTransport(f"ws://127.0.0.1:{relay.port}/")
        ears = await started(transport)
        relay.cut()
        assert "closed it without a word" in await ears.end() or "broke" in await ears.end()
        await transport.close()


async def test_a_line_that_stops_forwarding_is_noticed() -> None:
    async with served(echo) as port, Relay(port) as relay:
        transport = WebSocketTransport(f"ws://127.0.0.1:{relay.port}/", ping_after=0.1, ping_deadline=0.2)
        ears = await started(transport)
        transport.send(b"a")
        assert await ears.message() == b"a"
        relay.stall()
        assert "not even an answer to a ping" in await ears.end()
        await transport.close()


async def test_a_quiet_line_that_answers_pings_is_kept() -> None:
    pinged = asyncio.Event()

    class Counting(ServerConnection):
        count = 0

        def data_received(self, data: bytes) -> None:
            super().data_received(data)
            self.count += 1
            if self.count > 4:  # the opening, and pings: nothing else is sent
                pinged.set()

    async def behaviour(socket: ServerConnection) -> None:
        await socket.wait_closed()

    async with serve(behaviour, "127.0.0.1", 0, create_connection=Counting) as server:
        port = next(iter(server.sockets)).getsockname()[1]
        transport = WebSocketTransport(f"ws://127.0.0.1:{port}/", ping_after=0.02, ping_deadline=0.5)
        ears = await started(transport)
        async with asyncio.timeout(30):
            await pinged.wait()
        assert not ears.lost.done()
        await transport.close()


async def test_a_large_message_on_a_slow_line_is_life() -> None:
    """Longer under way than silence and deadline together; its bytes count, though no pong can overtake them."""
    size = 400_000

    async def drip(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        far_reader, far_writer = await asyncio.open_connection("127.0.0.1", port)

        async def forth() -> None:
            while data := await reader.read(1 << 16):
                far_writer.write(data)

        async def back() -> None:
            while data := await far_reader.read(10_000):
                writer.write(data)
                await writer.drain()
                await asyncio.sleep(0.02)

        async with asyncio.TaskGroup() as group:
            ends = [group.create_task(forth()), group.create_task(back())]
            await asyncio.wait(ends, return_when=asyncio.FIRST_COMPLETED)
            for each in ends:
                each.cancel()
            far_writer.close()
            writer.close()

    async with served(echo) as port, await asyncio.start_server(drip, "127.0.0.1", 0) as slow:
        transport = WebSocketTransport(
            f"ws://127.0.0.1:{slow.sockets[0].getsockname()[1]}/", ping_after=0.1, ping_deadline=0.25
        )
        ears = await started(transport)
        transport.send(b"x" * size)
        assert len(await ears.message()) == size
        assert not ears.lost.done()
        await transport.close()


async def test_nobody_there() -> None:
    async with Relay(1) as relay:
        port = relay.port
    with pytest.raises(ConnectionLost) as caught:
        await started(WebSocketTransport(f"ws://127.0.0.1:{port}/"))
    assert "refused" in caught.value.message.lower() or "connect" in caught.value.message.lower()


async def test_somebody_who_says_nothing() -> None:
    async def mute(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read()
        writer.close()

    async with await asyncio.start_server(mute, "127.0.0.1", 0) as server:
        port = server.sockets[0].getsockname()[1]
        with pytest.raises(ConnectionLost, match=r"no answer to the WebSocket's opening within 0\.2 s"):
            await started(WebSocketTransport(f"ws://127.0.0.1:{port}/", opening=0.2))


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (b"HTTP/1.1 403 Forbidden\r\nContent-Length: 9\r\n\r\nno\x1b[31m wa", "HTTP 403"),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", "HTTP 200"),
        (b"SSH-2.0-OpenSSH_9.2\r\n", "did not receive a valid HTTP response"),
        (b"", "did not receive a valid HTTP response"),
    ],
)
async def test_somebody_else_there(answer: bytes, words: str) -> None:
    async def other(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(answer)
        writer.close()

    async with await asyncio.start_server(other, "127.0.0.1", 0) as server:
        port = server.sockets[0].getsockname()[1]
        with pytest.raises(ConnectionLost) as caught:
            await started(WebSocketTransport(f"ws://127.0.0.1:{port}/"))
    assert words in caught.value.message
    assert "\x1b" not in caught.value.message


async def test_proxies_of_the_environment_are_not_asked_for_this_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "https_proxy", "all_proxy", "ws_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
        monkeypatch.setenv(name.upper(), "http://127.0.0.1:9")
    monkeypatch.delenv("no_proxy", raising=False)
    monkeypatch.delenv("NO_PROXY", raising=False)
    async with served(echo) as port:
        for host in ("127.0.0.1", "localhost"):
            transport = WebSocketTransport(f"ws://{host}:{port}/")
            ears = await started(transport)
            transport.send(b"here")
            assert await ears.message() == b"here"
            await transport.close()


@pytest.mark.parametrize(
    ("host", "expected"),
    [
        ("127.0.0.1", True),
        ("127.9.9.9", True),
        ("::1", True),
        ("[::1]", True),
        ("localhost", True),
        ("LOCALHOST.", True),
        ("a.localhost", True),
        ("localhost.evil.test", False),
        ("10.0.0.1", False),
        ("", False),
    ],
)
def test_loopback(host: str, expected: bool) -> None:
    assert is_loopback(host) is expected
