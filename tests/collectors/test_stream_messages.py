"""What goes over sockets and event streams is kept, numbered and bounded."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator

import pytest

from pagelens.collectors import stream_messages
from pagelens.collectors.stream_messages import StreamMessages
from tests.collectors.conftest import Recorder
from tests.support.site import Response, Site
from tests.support.socket_server import SocketServer


@pytest.fixture(scope="module")
def echo() -> Iterator[SocketServer]:
    with SocketServer() as server:
        yield server


async def test_a_socket(recorder: Recorder, site: Site, echo: SocketServer) -> None:
    await recorder.page.navigate(site.url("/blank"))
    await recorder.run(f"""(async () => {{
        const socket = globalThis.socket = new WebSocket('{echo.url}');
        socket.binaryType = 'arraybuffer';
        await new Promise(done => socket.onopen = done);
        const send = data => new Promise(done => {{ socket.onmessage = done; socket.send(data) }});
        await send('hällo 🎈');
        await send(new Uint8Array([0, 1, 254, 255]));
        await send(JSON.stringify({{op: 'x'.repeat(70_000)}}));
        await send('lone \\ud800 surrogate');
        socket.send('bye');
        await new Promise(done => socket.onclose = done);
    }})()""")
    socket = await recorder.until(lambda: recorder.network.find(lambda r: r.resource_type == "websocket" and r.ended))
    assert (socket.status, socket.outcome) == (101, "finished")
    messages = socket.messages
    assert messages is not None
    assert [(m.number, m.direction, m.kind) for m in messages.kept] == [
        (1, "sent", "text"), (2, "received", "text"), (3, "sent", "binary"), (4, "received", "binary"),
        (5, "sent", "text"), (6, "received", "text"), (7, "sent", "text"), (8, "received", "text"), (9, "sent", "text"),
    ]  # fmt: skip
    expected = [m if isinstance(m, bytes) else m.encode() for m in echo.received]
    assert [m.data for m in messages.kept if m.direction == "sent"] == expected
    assert [m.size for m in messages.kept if m.direction == "sent"] == [len(data) for data in expected]
    assert messages.sent_bytes == sum(len(data) for data in expected)
    assert messages.received_bytes == sum(len(data) for data in expected[:-1])
    times = [m.time for m in messages.kept]
    assert times == sorted(times)
    assert times[0] >= socket.started


async def test_events(recorder: Recorder, site: Site) -> None:
    body = "data: one\n\nevent: named\nid: 7\ndata: two\ndata: lines\n\n: a comment\n\ndata: ünï\n\n"
    site.route("/stream-events", lambda _: Response(body, content_type="text/event-stream"))
    await recorder.page.navigate(site.url("/blank"))
    await recorder.run("""(async () => {
        const source = new EventSource('/stream-events');
        await new Promise(done => source.onerror = done);
        source.close();
    })()""")
    stream = recorder.requests("/stream-events")[0]
    messages = stream.messages
    assert messages is not None
    assert [(m.kind, m.event_name, m.event_id, m.text) for m in messages.kept] == [
        ("event", "message", "", "one"),
        ("event", "named", "7", "two\nlines"),
        ("event", "message", "7", "ünï"),
    ]


def frame(text: str, opcode: int = 1) -> bytes:
    return json.dumps({"timestamp": 1.0, "response": {"opcode": opcode, "payloadData": text}}).encode()


def test_many_are_bounded_by_number(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stream_messages, "MAX_MESSAGES", 10)
    messages = StreamMessages()
    weight = sum(messages.add_frame("sent", frame(str(n))) for n in range(25))
    assert [m.text for m in messages.kept] == [str(n) for n in range(15, 25)]
    assert [m.number for m in messages.kept] == list(range(16, 26))
    assert (messages.total, messages.dropped) == (25, 15)
    assert weight == messages.weight


def test_many_are_bounded_by_weight(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stream_messages, "MAX_WEIGHT", 10_000)
    messages = StreamMessages()
    weight = sum(messages.add_frame("received", frame("x" * 3_000)) for _ in range(10))
    assert len(messages) == 3
    assert weight == messages.weight <= 10_000
    assert messages.received_bytes == 30_000


def test_a_very_long_one_is_its_beginning(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stream_messages, "BIG_MESSAGE", 1_000)
    messages = StreamMessages()
    messages.add_frame("sent", frame(base64.b64encode(b"y" * 6_000).decode(), opcode=2))
    (message,) = messages.kept
    assert message.is_cut
    assert message.size == 6_000
    assert message.data == b"y" * 750
