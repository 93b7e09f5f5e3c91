"""``initialize`` answered before the SDK is there: the same words as the SDK's, and only where it would say them."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from typing import Any

import anyio
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mcp.shared.message import SessionMessage
from mcp_types import JSONRPCError, JSONRPCResponse
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS

from pagelens.core.options import Options
from pagelens.server.app import create_server
from pagelens.server.greeting import HANDSHAKE_VERSIONS, greeting
from pagelens.server.wire import decode, encode

CLIENT = {"name": "agent", "version": "1"}


def hello(**changes: Any) -> dict[str, Any]:
    params = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": CLIENT, **changes}
    return {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params}


async def _ask_the_sdk(line: bytes) -> dict[str, Any]:
    """What the SDK answers to a first line."""
    server = create_server(Options(), lambda: pytest.fail("a context is not needed"))
    to_server, server_reads = anyio.create_memory_object_stream[SessionMessage | Exception](1)
    server_writes, from_server = anyio.create_memory_object_stream[SessionMessage](1)
    running = asyncio.create_task(server.run(server_reads, server_writes, server.create_initialization_options()))
    try:
        (message,) = decode(line)
        await to_server.send(SessionMessage(message))
        with anyio.fail_after(30):
            answer = await from_server.receive()
    finally:
        to_server.close()
        await running
        from_server.close()
    assert isinstance(answer.message, JSONRPCResponse | JSONRPCError)
    said: dict[str, Any] = json.loads(encode(answer.message))
    return said


def ask_the_sdk(line: bytes) -> dict[str, Any]:
    with asyncio.Runner() as runner:
        return runner.run(_ask_the_sdk(line))


def test_every_version_with_a_handshake_is_known() -> None:
    assert HANDSHAKE_VERSIONS == HANDSHAKE_PROTOCOL_VERSIONS


@pytest.mark.parametrize("version", HANDSHAKE_VERSIONS)
@pytest.mark.parametrize("request_id", [0, -7, "a-1"])
def test_the_answer_is_the_sdks(version: str, request_id: int | str) -> None:
    line = json.dumps({**hello(protocolVersion=version), "id": request_id}).encode()
    found = greeting(line)
    assert found is not None
    assert found.request_id == request_id
    assert json.loads(found.answer) == ask_the_sdk(line) == ask_the_sdk(found.request)


@pytest.mark.parametrize(
    "capabilities",
    [
        {"roots": {"listChanged": True}, "sampling": {}, "elicitation": {}},
        {"sampling": {"context": {}, "tools": {}}, "elicitation": {"form": {}, "url": {}}},
        {"tasks": {"list": {}, "cancel": {}, "requests": {"sampling": {"createMessage": {}}}}},
        {"extensions": {"io.modelcontextprotocol/ui": {"mimeTypes": ["text/html"]}}, "experimental": {"x": {"y": 1}}},
    ],
)
def test_what_clients_can_is_no_hindrance(capabilities: dict[str, Any]) -> None:
    line = json.dumps(hello(capabilities=capabilities, clientInfo={**CLIENT, "title": "Agent"})).encode()
    found = greeting(line)
    assert found is not None
    assert json.loads(found.answer) == ask_the_sdk(line)


@pytest.mark.parametrize(
    "line",
    [
        b"",
        b"nonsense",
        b"\xff{}",
        b"[" * 100_000,
        b"[]",
        json.dumps([hello()]).encode(),
        json.dumps({**hello(), "id": None}).encode(),
        json.dumps({**hello(), "id": True}).encode(),
        json.dumps({**hello(), "id": 1.5}).encode(),
        json.dumps({**hello(), "id": "\ud800"}).encode(),
        json.dumps({**hello(), "method": "ping"}).encode(),
        json.dumps({**hello(), "jsonrpc": "1.0"}).encode(),
        json.dumps({**hello(), "params": []}).encode(),
        json.dumps(hello(protocolVersion="2031-01-01")).encode(),
        json.dumps(hello(protocolVersion=["2025-06-18"])).encode(),
        json.dumps(hello(_meta={"progressToken": 1})).encode(),
        json.dumps(hello(clientInfo={"name": "agent"})).encode(),
        json.dumps(hello(clientInfo={**CLIENT, "name": "\ud800"})).encode(),
        json.dumps(hello(capabilities={"roots": True})).encode(),
        json.dumps(hello(capabilities={"roots": {"listChanged": "yes"}})).encode(),
        json.dumps(hello(capabilities={"experimental": {"x": float("nan")}})).encode(),
        b'{"jsonrpc":"2.0","id":NaN,"method":"initialize","params":{}}',
    ],
    ids=lambda line: line.decode("utf-8", "replace")[:60],
)
def test_everything_else_is_the_sdks_to_judge(line: bytes) -> None:
    assert greeting(line) is None


_json = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 3) | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from(["listChanged", "form", "x"]), inner),
    max_leaves=5,
)
_capabilities = st.dictionaries(
    st.sampled_from(["roots", "sampling", "elicitation", "tasks", "experimental", "extensions", "other"]),
    _json | st.just({}),
    max_size=3,
)
_client = st.dictionaries(
    st.sampled_from(["name", "version", "title", "websiteUrl", "icons", "x"]), st.text(max_size=4) | _json, max_size=5
)


@settings(max_examples=250, derandomize=True, deadline=None)
@given(
    capabilities=_capabilities,
    client=st.just(CLIENT) | st.builds(lambda more: {**CLIENT, **more}, _client) | _client,
    version=st.sampled_from([*HANDSHAKE_VERSIONS, "", "2026-07-28"]),
)
def test_never_another_answer_than_the_sdks(capabilities: Any, client: Any, version: str) -> None:
    line = json.dumps(hello(capabilities=capabilities, clientInfo=client, protocolVersion=version)).encode()
    found = greeting(line)
    if found is not None:
        assert json.loads(found.answer) == ask_the_sdk(found.request)


def test_it_needs_nothing_that_takes_time_to_import() -> None:
    program = (
        "import sys; import pagelens.server.stdio\n"
        "print([name for name in ('mcp', 'mcp_types', 'pydantic', 'anyio', 'msgspec', 'pagelens.tools', "
        "'pagelens.browser') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
