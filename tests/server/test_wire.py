"""Lines and messages: any bytes decode to something, any message encodes to one line."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mcp_types import JSONRPCMessage, JSONRPCNotification, JSONRPCRequest, JSONRPCResponse

from pagelens.server import pipes
from pagelens.server.pipes import LineReader, LineWriter
from pagelens.server.wire import Refusal, decode, encode


def _one(text: str) -> JSONRPCMessage:
    (message,) = decode(text.encode())
    return message


def test_plain_messages() -> None:
    request = _one('{"jsonrpc": "2.0", "id": 1, "method": "ping"}')
    assert isinstance(request, JSONRPCRequest)
    assert request.id == 1
    assert isinstance(_one('{"jsonrpc": "2.0", "method": "x", "params": {"a": 1}}'), JSONRPCNotification)
    assert isinstance(_one('\ufeff{"jsonrpc": "2.0", "id": "a", "result": {}}'), JSONRPCResponse)


def test_a_lone_surrogate_arrives_as_it_was_sent() -> None:
    request = _one('{"jsonrpc": "2.0", "id": 1, "method": "m", "params": {"text": "a\\ud800b", "\\udc00": 1}}')
    assert isinstance(request, Refusal | JSONRPCRequest)
    request = _one('{"jsonrpc": "2.0", "id": 1, "method": "m", "params": {"text": "a\\ud800b"}}')
    assert isinstance(request, JSONRPCRequest)
    assert request.params == {"text": "a\ud800b"}


@pytest.mark.parametrize(
    ("line", "number", "code"),
    [
        ("nonsense", None, -32700),
        ("{", None, -32700),
        ("[]", None, -32600),
        ("3", None, -32600),
        ('{"id": 4, "method": "m"}', 4, -32600),
        ('{"jsonrpc": "2.0", "id": true, "method": 1}', None, -32600),
        ('{"jsonrpc": "2.0", "id": "x", "method": "m", "params": [1]}', "x", -32600),
    ],
)
def test_what_is_no_message_gets_an_answer_with_its_id(line: str, number: Any, code: int) -> None:
    answer = _one(line)
    assert isinstance(answer, Refusal)
    assert (answer.id, answer.error.code) == (number, code)
    assert json.loads(encode(answer))["error"]["code"] == code


def test_blank_lines_are_no_messages() -> None:
    assert decode(b"") == decode(b" \r") == []


@settings(max_examples=300, derandomize=True, deadline=None)
@given(st.binary(max_size=80) | st.text(alphabet='{}[]",:\\ud80012 "jsonrpc2.0id', max_size=80).map(str.encode))
def test_any_line_decodes(line: bytes) -> None:
    for message in decode(line):
        encode(message)


@settings(max_examples=200, derandomize=True, deadline=None)
@given(st.recursive(st.text(st.characters(exclude_categories=())) | st.integers() | st.none(), st.lists, max_leaves=8))
def test_any_result_encodes_to_one_line(value: Any) -> None:
    line = encode(JSONRPCResponse(jsonrpc="2.0", id=1, result={"value": value}))
    assert line.count(b"\n") == 1
    assert json.loads(line)["id"] == 1


def test_what_can_not_be_encoded_is_answered_as_an_error() -> None:
    loop: list[Any] = []
    loop.append(loop)
    assert json.loads(encode(JSONRPCResponse(jsonrpc="2.0", id=3, result={"value": loop})))["error"]["code"] == -32603


# -- pipes ---------------------------------------------------------------------------------------------


@pytest.fixture
def pipe() -> Iterator[tuple[int, int]]:
    reading, writing = os.pipe()
    yield reading, writing
    for descriptor in (reading, writing):
        try:
            os.close(descriptor)
        except OSError:
            pass  # the test closed it


async def _all(reader: LineReader) -> list[bytes | None]:
    async with asyncio.timeout(10):
        return [line async for line in reader]


async def test_lines_in_any_pieces(pipe: tuple[int, int]) -> None:
    reader = LineReader(pipe[0])
    for piece in (b"one\ntw", b"o", b"\n\nlast"):
        os.write(pipe[1], piece)
        await asyncio.sleep(0)
    os.close(pipe[1])
    assert await _all(reader) == [b"one", b"two", b"", b"last"]


async def test_a_line_too_long_is_dropped_and_the_next_is_read(
    pipe: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pipes, "LONGEST_LINE", 10)
    monkeypatch.setattr(pipes, "CHUNK", 4)
    reader = LineReader(pipe[0])
    os.write(pipe[1], b"x" * 50 + b"\nshort\n" + b"y" * 11 + b"\n")
    os.close(pipe[1])
    assert await _all(reader) == [None, b"short", None]


async def test_reading_pauses_when_nobody_handles_lines_and_goes_on(
    pipe: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pipes, "MOST_WAITING", 4)
    monkeypatch.setattr(pipes, "CHUNK", 8)
    reader = LineReader(pipe[0])
    lines = [str(number).encode() for number in range(100)]
    os.write(pipe[1], b"\n".join(lines))
    os.close(pipe[1])
    for _ in range(50):
        await asyncio.sleep(0)
    assert len(reader._lines) < 10
    assert await _all(reader) == lines


async def test_close_ends_the_lines(pipe: tuple[int, int]) -> None:
    reader = LineReader(pipe[0])
    task = asyncio.create_task(_all(reader))
    await asyncio.sleep(0)
    reader.close()
    assert await task == []


async def test_more_than_a_pipe_holds_is_written_in_order_without_blocking(pipe: tuple[int, int]) -> None:
    writer = LineWriter(pipe[1])
    reader = LineReader(pipe[0])
    lines = [bytes([65 + number]) * size for number, size in enumerate((10, 1_000_000, 3, 500_000))]

    async def write() -> None:
        for line in lines:
            await writer.write(line + b"\n")
        os.close(pipe[1])

    async with asyncio.TaskGroup() as group:
        group.create_task(write())
        received = group.create_task(_all(reader))
    assert received.result() == lines


async def test_writing_to_nobody_is_an_error(pipe: tuple[int, int]) -> None:
    os.close(pipe[0])
    writer = LineWriter(pipe[1])
    with pytest.raises(BrokenPipeError):
        await writer.write(b"small\n")
    with pytest.raises(BrokenPipeError):
        await writer.write(b"x" * 1_000_000)
