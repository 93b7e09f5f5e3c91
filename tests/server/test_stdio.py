"""The stdio server as a process: both eras, clients that misbehave, every way to end."""

from __future__ import annotations

import asyncio
import json
import os
import shlex
import signal
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, TextIO

import mcp_types
import pytest
import pytest_asyncio
from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp_types.version import LATEST_HANDSHAKE_VERSION, LATEST_MODERN_VERSION

ROOT = Path(__file__).parents[2]
ARGUMENTS = ["-m", "tests.server.toy_server"]
ERAS = ["initialize", "discover"]


class Toy:
    """A toy server process and the raw bytes to and from it."""

    def __init__(self, process: asyncio.subprocess.Process, era: str) -> None:
        self.process = process
        self.era = era
        self._number = 0

    def line(self, data: bytes) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(data + b"\n")

    def message(self, method: str, params: dict[str, Any] | None = None, *, number: Any = None) -> dict[str, Any]:
        params = dict(params or {})
        if self.era == "discover" and number is not None:
            params["_meta"] = {
                mcp_types.PROTOCOL_VERSION_META_KEY: LATEST_MODERN_VERSION,
                mcp_types.CLIENT_INFO_META_KEY: {"name": "toy", "version": "1"},
                mcp_types.CLIENT_CAPABILITIES_META_KEY: {},
                **params.get("_meta", {}),
            }
        message: dict[str, Any] = {"jsonrpc": "2.0", "method": method, "params": params}
        return message if number is None else {**message, "id": number}

    def send(self, method: str, params: dict[str, Any] | None = None) -> int:
        self._number += 1
        self.line(json.dumps(self.message(method, params, number=self._number)).encode())
        return self._number

    def call(self, tool: Any, meta: dict[str, Any] | None = None, /, **arguments: Any) -> int:
        params: dict[str, Any] = {"name": tool, "arguments": arguments}
        return self.send("tools/call", {**params, "_meta": meta} if meta else params)

    async def receive(self) -> dict[str, Any]:
        assert self.process.stdout is not None
        async with asyncio.timeout(60):
            line = await self.process.stdout.readline()
        assert line, "the server closed its output"
        return json.loads(line)  # type: ignore[no-any-return]

    async def answer(self, number: Any) -> dict[str, Any]:
        """The next message, which must answer this request."""
        message = await self.receive()
        assert message["id"] == number, message
        return message

    async def text(self, number: int) -> str:
        result = (await self.answer(number))["result"]
        return "\n".join(block["text"] for block in result["content"])

    async def lives(self) -> None:
        assert await self.text(self.call("echo", text="still here")) == "still here"

    async def end(self) -> tuple[int, str]:
        """Exit code and stderr of a server that must end by itself."""
        async with asyncio.timeout(60):
            assert self.process.stderr is not None
            stderr = await self.process.stderr.read()
            return await self.process.wait(), stderr.decode()


@asynccontextmanager
async def toy(*flags: str, era: str | None = "initialize", **popen: Any) -> AsyncIterator[Toy]:
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        *ARGUMENTS,
        *flags,
        stdin=popen.pop("stdin", asyncio.subprocess.PIPE),
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        cwd=ROOT,
        limit=1 << 28,
        **popen,
    )
    client = Toy(process, era or "")
    try:
        if era == "initialize":
            hello = {"protocolVersion": LATEST_HANDSHAKE_VERSION, "capabilities": {"roots": {}}}
            answer = await client.answer(
                client.send("initialize", {**hello, "clientInfo": {"name": "t", "version": "1"}})
            )
            assert answer["result"]["serverInfo"]["name"] == "pagelens"
        elif era == "discover":
            answer = await client.answer(client.send("server/discover"))
            assert LATEST_MODERN_VERSION in answer["result"]["supportedVersions"]
        yield client
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()


@pytest.fixture(params=ERAS)
async def client(request: pytest.FixtureRequest) -> AsyncIterator[Toy]:
    """A server of the test's own, which it may end."""
    async with toy(era=request.param) as started:
        yield started


@pytest_asyncio.fixture(params=ERAS, scope="module", loop_scope="session")
async def shared(request: pytest.FixtureRequest) -> AsyncIterator[Toy]:
    """One server for all tests that leave it as it was."""
    async with toy(era=request.param) as started:
        yield started


@pytest.fixture
def quiet() -> Iterator[TextIO]:
    """Where a server's stderr goes that nobody looks at."""
    with open(os.devnull, "w") as nowhere:
        yield nowhere


# -- what a decent client does -------------------------------------------------------------------------


@pytest.mark.parametrize("era", ERAS)
async def test_the_sdk_client_lists_calls_and_sees_progress(era: str, quiet: TextIO) -> None:
    parameters = StdioServerParameters(command=sys.executable, args=ARGUMENTS, cwd=ROOT)
    heard: list[tuple[float, float | None, str | None]] = []

    async def progress(done: float, total: float | None, message: str | None) -> None:
        heard.append((done, total, message))

    async with (
        asyncio.timeout(30),
        Client(stdio_client(parameters, errlog=quiet), mode="legacy" if era == "initialize" else "auto") as sdk,
    ):
        expected = LATEST_HANDSHAKE_VERSION if era == "initialize" else LATEST_MODERN_VERSION
        assert sdk.protocol_version == expected
        assert "take_snapshot" in (sdk.instructions or "")
        tools = {tool.name: tool for tool in (await sdk.list_tools()).tools}
        assert "echo" in tools
        assert "hidden" not in tools
        assert tools["look"].input_schema["properties"]["pageId"]["type"] == "integer"
        result = await sdk.call_tool("echo", {"text": "hello"})
        assert result.content == [mcp_types.TextContent(type="text", text="hello")]
        assert not result.is_error
        await sdk.call_tool("step", {}, progress_callback=progress)
    assert heard == [(1, 3, "step 1"), (2, 3, "step 2"), (3, 3, "step 3")]


async def test_initialize_and_tools_list_start_no_browser_and_import_nothing_heavy(client: Toy) -> None:
    answer = await client.answer(client.send("tools/list"))
    assert {tool["name"] for tool in answer["result"]["tools"]} > {"echo", "look"}
    assert client.process.stdin is not None
    client.process.stdin.close()
    _, stderr = await client.end()
    assert "events: \n" in stderr
    assert "heavy: []" in stderr


async def test_json_comes_only_when_asked_for(shared: Toy) -> None:
    assert "structuredContent" not in (await shared.answer(shared.call("echo", text="x")))["result"]
    async with toy("--structured", era=shared.era) as structured:
        result = (await structured.answer(structured.call("echo", text="x")))["result"]
        assert result["structuredContent"] == {"message": "x"}


async def test_roots_are_asked_for_in_the_background_and_waited_for_by_nobody() -> None:
    async with toy() as client:
        client.line(json.dumps(client.message("notifications/initialized")).encode())
        request = await client.receive()
        assert request["method"] == "roots/list"
        await client.lives()  # it is not answered yet
        roots = {"roots": [{"uri": "file:///usr/share"}]}
        client.line(json.dumps({"jsonrpc": "2.0", "id": request["id"], "result": roots}).encode())
        await client.lives()
        assert client.process.stdin is not None
        client.process.stdin.close()
        _, stderr = await client.end()
        assert "/usr/share" in stderr


async def test_a_cancelled_request_stops_its_work_and_is_not_answered(client: Toy) -> None:
    number = client.call("poke", name="victim")
    await client.lives()
    client.line(json.dumps(client.message("notifications/cancelled", {"requestId": number})).encode())
    await client.lives()
    waiting = client.call("poke", name="next")  # the page is free again
    await client.lives()
    client.line(json.dumps(client.message("notifications/cancelled", {"requestId": waiting})).encode())
    await client.lives()
    assert client.process.stdin is not None
    client.process.stdin.close()
    _, stderr = await client.end()
    assert "victim begins" in stderr
    assert "victim cancelled" in stderr
    assert "next begins" in stderr
    assert "next cancelled" in stderr


async def test_what_tools_and_children_print_stays_out_of_the_protocol(shared: Toy) -> None:
    assert await shared.text(shared.call("stray")) == "printed"
    await shared.lives()


# -- what it must survive ------------------------------------------------------------------------------


async def test_nonsense_is_answered_and_costs_nothing_else(shared: Toy) -> None:
    shared.line(b"this is not JSON")
    assert (await shared.answer(None))["error"]["code"] == mcp_types.PARSE_ERROR
    shared.line(b'{"jsonrpc": "2.0", "id": 5, "method": 7}')
    assert (await shared.answer(5))["error"]["code"] == mcp_types.INVALID_REQUEST
    shared.line(b"[" * 100_000)
    assert (await shared.answer(None))["error"]["code"] == mcp_types.PARSE_ERROR
    shared.line(b"\xff\xfe\x00")
    assert (await shared.answer(None))["error"]["code"] == mcp_types.PARSE_ERROR
    shared.line(b"")
    shared.line(b"   ")
    shared.line(b'{"jsonrpc": "2.0", "id": 99, "result": {}}')  # an answer to nothing
    await shared.lives()


async def test_unknown_tools_and_wrong_types(shared: Toy) -> None:
    answer = await shared.answer(shared.call("ecko", text="x"))
    assert answer["result"]["isError"]
    assert "Did you mean echo?" in answer["result"]["content"][0]["text"]
    assert "Error (unknown_tool)" in answer["result"]["content"][0]["text"]
    assert "error" in await shared.answer(shared.call(7))
    assert "error" in await shared.answer(shared.send("tools/call", {"name": "echo", "arguments": "text"}))
    assert "error" in await shared.answer(shared.send("no/such/method"))
    await shared.lives()


async def test_ten_megabytes_of_argument_go_through(shared: Toy) -> None:
    text = await shared.text(shared.call("echo", text="x" * 10_000_000))
    assert len(text) == 10_000_000
    refused = (await shared.answer(shared.call("echo", text="x", **{"y" * 10_000_000: 1})))["result"]
    assert refused["isError"]
    assert len(refused["content"][0]["text"]) < 500


async def test_a_lone_surrogate_passes_both_ways(shared: Toy) -> None:
    message = shared.message("tools/call", {"name": "echo", "arguments": {"text": "x\ud800y"}}, number="a\udfffb")
    shared.line(json.dumps(message).encode("ascii"))
    answer = await shared.receive()
    assert answer["id"] == "a\ufffdb"  # no id that can be sent back is equal to this one
    message["id"] = 77
    shared.line(json.dumps(message).encode("ascii"))
    assert await shared.text(77) == "x\ufffdy"
    assert await shared.text(shared.call("mangle")) == "half a pair: \ufffd"
    await shared.lives()


async def test_a_batch_is_taken_apart(shared: Toy) -> None:
    batch = [shared.message("tools/call", {"name": "echo", "arguments": {"text": name}}, number=name) for name in "ab"]
    shared.line(json.dumps(batch).encode())
    assert {(await shared.receive())["id"], (await shared.receive())["id"]} == {"a", "b"}


async def test_a_client_that_does_not_read_does_not_stop_the_end() -> None:
    async with toy() as client:
        for _ in range(40):
            client.call("echo", text="x" * 1_000_000)  # far more than a pipe holds
        assert client.process.stdin is not None
        await client.process.stdin.drain()
        client.process.send_signal(signal.SIGTERM)
        code, stderr = await client.end()
        assert code == 0
        assert "closed" in stderr


# -- every way to end ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("era", "how"),
    [
        (None, "eof"),
        (None, "SIGTERM"),
        *((era, how) for era in ERAS for how in ("eof", "SIGTERM", "SIGHUP")),
        *(pytest.param(era, "SIGINT", marks=pytest.mark.long) for era in ERAS),
    ],
)
async def test_ends_cleanly_when_idle(how: str, era: str | None) -> None:
    async with toy(era=era) as client:
        if era is None:
            # Not even a first message: wait until it serves, which a bad line's answer shows.
            client.line(b"?")
            await client.answer(None)
        await _end(client, how)
        code, stderr = await client.end()
        assert code == 0, stderr
        assert "closed" in stderr
        assert "Traceback" not in stderr


@pytest.mark.parametrize("how", ["eof", "SIGTERM", pytest.param("SIGINT", marks=pytest.mark.long)])
async def test_ends_cleanly_in_the_middle_of_calls(how: str, client: Toy) -> None:
    client.call("poke", name="first")
    client.call("poke", name="waiting")
    await client.lives()
    await _end(client, how)
    code, stderr = await client.end()
    assert code == 0, stderr
    assert "first cancelled" in stderr
    assert "waiting begins" not in stderr
    assert "closed" in stderr
    assert "Traceback" not in stderr


async def test_a_client_that_vanishes_mid_call_ends_the_server(client: Toy) -> None:
    client.call("poke", name="first")
    await client.lives()
    transport: Any = client.process._transport  # type: ignore[attr-defined]
    transport.get_pipe_transport(1).close()
    assert client.process.stdout is not None
    async with asyncio.timeout(60):
        await client.process.stdout.read()  # ends when our side is really closed
    client.call("echo", text="nobody reads this")
    code, stderr = await client.end()
    assert code == 0, stderr
    assert "first cancelled" in stderr


async def test_an_end_that_hangs_is_forced() -> None:
    async with toy("--close-hangs") as client:
        client.process.send_signal(signal.SIGTERM)
        code, stderr = await client.end()
        assert code == 1
        assert "ended by force" in stderr


async def test_a_file_as_stdin_works(tmp_path: Path) -> None:
    messages = tmp_path / "messages"
    hello = {
        "protocolVersion": LATEST_HANDSHAKE_VERSION,
        "capabilities": {},
        "clientInfo": {"name": "t", "version": "1"},
    }
    first = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello}
    messages.write_text(json.dumps(first))  # no newline at its end
    with messages.open("rb") as stdin:
        async with toy(era=None, stdin=stdin) as client:
            assert (await client.answer(1))["result"]["serverInfo"]["name"] == "pagelens"
            code, _ = await client.end()
            assert code == 0


async def test_a_closed_stdin_is_said() -> None:
    python = shlex.quote(sys.executable)  # the checkout may lie in a folder with a space in its name
    process = await asyncio.create_subprocess_shell(
        f"exec {python} -m tests.server.toy_server <&-", cwd=ROOT, stderr=asyncio.subprocess.PIPE
    )
    _, stderr = await process.communicate()
    assert process.returncode == 1
    assert b"must both be open" in stderr


async def _end(client: Toy, how: str) -> None:
    assert client.process.stdin is not None
    if how == "eof":
        client.process.stdin.close()
    else:
        client.process.send_signal(getattr(signal, how))  # stdin stays open
