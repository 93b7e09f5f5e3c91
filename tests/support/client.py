"""Clients for the server, as an agent's program would have them.

`McpClient` is the SDK's own client over stdio, in either protocol era. `RawClient` writes lines itself, for what no
decent client would send. Both start a server process of their own, bound every wait, and end it with its browser.
"""

from __future__ import annotations

import asyncio
import base64
import itertools
import json
import os
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, TextIO

import mcp_types
import psutil
from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp_types.version import LATEST_HANDSHAKE_VERSION, LATEST_MODERN_VERSION

__all__ = ["ATTACHING", "ERAS", "SERVER", "Era", "McpClient", "RawClient", "Reply", "ServerProcess", "gone"]

Era = Literal["initialize", "discover"]
#: How a client gets to know the server: the handshake, or the newer discovery without one.
ERAS: tuple[Era, ...] = ("initialize", "discover")

#: What the tests start, without arguments of their own.
SERVER = ("-m", "pagelens", "--headless", "--isolated")

#: The same, for a browser that runs already.
ATTACHING = ("-m", "pagelens")

#: Nothing the server does may take longer without an explicit timeout (50 s), plus its browser's start.
BOUND = 75.0


@dataclass(frozen=True, slots=True, repr=False)
class Reply:
    """What a tool answered.

    Attributes:
        text: all text blocks, joined by newlines.
        images: the image blocks as (bytes, MIME type).
        structured: the structured content, {} when there is none.
        seconds: how long it took.
    """

    text: str
    is_error: bool
    images: list[tuple[bytes, str]] = field(default_factory=list)
    structured: dict[str, Any] = field(default_factory=dict)
    seconds: float = 0.0

    def __contains__(self, words: str) -> bool:
        return words in self.text

    def __str__(self) -> str:
        text = self.text if len(self.text) < 4000 else f"{self.text[:3000]}\n[…]\n{self.text[-900:]}"
        return f"{'ERROR ' if self.is_error else ''}after {self.seconds:.2f} s:\n{text}"

    __repr__ = __str__

    def uid(self, words: str) -> str:
        """The uid on the first line that has all these words (space separated) in this order."""
        wanted = words.split()
        for line in self.text.splitlines():
            line = line.strip()
            start = line.find("uid=")
            if start < 0:
                continue
            at = start
            for word in wanted:
                at = line.find(word, at)
                if at < 0:
                    break
                at += len(word)
            else:
                return line[start + 4 :].split()[0]
        raise AssertionError(f"no line with {words!r} and a uid in {self}")


@dataclass(slots=True)
class ServerProcess:
    """The process of a server under test, and all that it started."""

    process: psutil.Process
    log: Path

    @property
    def pid(self) -> int:
        return self.process.pid

    def browsers(self) -> list[psutil.Process]:
        """Its browser processes, main one first."""
        found = []
        for child in self.process.children(recursive=True):
            try:
                if "chrom" in child.name().lower():
                    found.append(child)
            except psutil.NoSuchProcess:
                continue
        return found

    def stderr(self) -> str:
        return _text(self.log)


async def gone(processes: list[psutil.Process], *, within: float = 10) -> list[psutil.Process]:
    """Those of `processes` that still run after this time; waits no longer than needed."""

    def alive() -> list[psutil.Process]:
        return [each for each in processes if each.is_running() and each.status() != psutil.STATUS_ZOMBIE]

    def survivors() -> list[psutil.Process]:
        end = time.monotonic() + within
        while time.monotonic() < end:
            try:
                if not alive():
                    return []
            except psutil.NoSuchProcess:
                continue
            time.sleep(0.02)
        return alive()

    return await asyncio.to_thread(survivors)


def _environment(extra: Mapping[str, str] | None) -> dict[str, str]:
    """The tests' own environment, so that configured browsers and coverage reach the server too."""
    return {**os.environ, "PYTHONUNBUFFERED": "1", **(extra or {})}


class McpClient:
    """The SDK's client, with a server of its own.

    The SDK's scopes belong to the task that opened them, fixtures may be torn down by another one: a task of ours
    holds the connection. ::

        async with McpClient(era="discover") as client:
            reply = await client.call("navigate_page", url=site.url("/"))
    """

    def __init__(
        self,
        *arguments: str,
        era: Era = "initialize",
        env: Mapping[str, str] | None = None,
        cwd: Path | None = None,
        roots: list[Path] | None = None,
        server: Sequence[str] = SERVER,
    ) -> None:
        self.era = era
        self.roots = roots
        self._arguments = [*server, *arguments]
        self._env = env
        self._cwd = cwd
        self._stop = asyncio.Event()
        self._ready: asyncio.Future[Client] = asyncio.get_running_loop().create_future()
        self._task: asyncio.Task[None] | None = None
        self._told: list[str] = []
        self._telling = asyncio.Event()
        self.client: Client
        self.server: ServerProcess

    async def __aenter__(self) -> McpClient:
        self._task = asyncio.create_task(self._hold())
        async with asyncio.timeout(30):
            self.client = await self._ready
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        """Close the server's standard input, as a client that quits does; waits for its end."""
        self._stop.set()
        if self._task is not None:
            async with asyncio.timeout(30):
                await asyncio.gather(self._task, return_exceptions=True)

    async def call(self, tool: str, arguments: Mapping[str, Any] | None = None, /, **more: Any) -> Reply:
        """Call a tool; a reply later than any promise of the server fails the test."""
        started = time.monotonic()
        async with asyncio.timeout(BOUND):
            result = await self.client.call_tool(tool, {**(arguments or {}), **more})
        return _reply(result, time.monotonic() - started)

    async def tools(self) -> dict[str, mcp_types.Tool]:
        """What ``tools/list`` serves, by name."""
        async with asyncio.timeout(BOUND):
            return {tool.name: tool for tool in (await self.client.list_tools()).tools}

    async def told(self, method: str) -> None:
        """Wait for a notification of the server that nobody has waited for, e.g. ``notifications/progress``."""
        async with asyncio.timeout(BOUND):
            while method not in self._told:
                self._telling.clear()
                await self._telling.wait()
        self._told.remove(method)

    async def ok(self, tool: str, arguments: Mapping[str, Any] | None = None, /, **more: Any) -> Reply:
        """`call` that must not be an error."""
        reply = await self.call(tool, arguments, **more)
        assert not reply.is_error, f"{tool} failed {reply}\n--- stderr ---\n{self.server.stderr()[-3000:]}"
        return reply

    async def snapshot(self, **more: Any) -> Reply:
        return await self.ok("take_snapshot", **more)

    async def evaluate(self, function: str, **more: Any) -> Reply:
        return await self.ok("evaluate_script", function=function, **more)

    async def _hold(self) -> None:
        before = {child.pid for child in psutil.Process().children()}
        parameters = StdioServerParameters(
            command=sys.executable, args=self._arguments, env=_environment(self._env), cwd=self._cwd
        )
        with _log_file() as (log, path):
            try:
                await self._connected(parameters, log, before, path)
            except BaseException as error:
                if self._ready.done():
                    raise
                self._ready.set_exception(RuntimeError(f"no server: {error!r}\n--- stderr ---\n{_text(path)}"))

    async def _connected(self, parameters: StdioServerParameters, log: TextIO, before: set[int], path: Path) -> None:
        async with Client(
            stdio_client(parameters, errlog=log),
            mode="legacy" if self.era == "initialize" else "auto",
            list_roots_callback=self._list_roots if self.roots is not None else None,
            message_handler=self._hear,
            client_info=mcp_types.Implementation(name="pagelens tests", version="1"),
        ) as client:
            self.server = ServerProcess(_new_child(before, self._arguments), path)
            expected = LATEST_HANDSHAKE_VERSION if self.era == "initialize" else LATEST_MODERN_VERSION
            assert client.protocol_version == expected, f"{client.protocol_version} in the era of {self.era}"
            self._ready.set_result(client)
            await self._stop.wait()

    async def _hear(self, message: Any) -> None:
        self._told.append(getattr(message, "method", ""))
        self._telling.set()

    async def _list_roots(self, _context: Any) -> mcp_types.ListRootsResult:
        return mcp_types.ListRootsResult(roots=[mcp_types.Root(uri=root.as_uri()) for root in self.roots or ()])


@contextmanager
def _log_file() -> Iterator[tuple[TextIO, Path]]:
    """A file for a server's standard error, removed with the client."""
    descriptor, name = tempfile.mkstemp(prefix="pagelens-server-", suffix=".log")
    with os.fdopen(descriptor, "w") as log:
        yield log, Path(name)
    Path(name).unlink(missing_ok=True)


def _text(path: Path) -> str:
    return path.read_text("utf-8", "replace")


def _new_child(before: set[int], arguments: list[str]) -> psutil.Process:
    """The child that this client started: other tests' servers run beside it."""
    for child in psutil.Process().children():
        try:
            if child.pid not in before and child.cmdline()[-len(arguments) :] == arguments:
                return child
        except psutil.NoSuchProcess:
            continue
    raise RuntimeError("the server's process can't be found")


def _reply(result: mcp_types.CallToolResult, seconds: float) -> Reply:
    texts = [block.text for block in result.content if isinstance(block, mcp_types.TextContent)]
    images = [
        (base64.b64decode(block.data), block.mime_type)
        for block in result.content
        if isinstance(block, mcp_types.ImageContent)
    ]
    return Reply("\n".join(texts), bool(result.is_error), images, result.structured_content or {}, seconds)


class RawClient:
    """Lines in, lines out. Nothing is checked on our side.

    ::

        async with RawClient(era="initialize") as client:
            answer = await client.request("tools/call", {"name": "no_such_tool", "arguments": 7})
    """

    def __init__(
        self,
        *arguments: str,
        era: Era = "initialize",
        env: Mapping[str, str] | None = None,
        capabilities: Mapping[str, Any] | None = None,
    ) -> None:
        self.era = era
        self.capabilities = dict(capabilities or {})
        self._arguments = [*SERVER, *arguments]
        self._env = env
        self._ids = itertools.count(1)
        self._waiting: dict[Any, asyncio.Future[dict[str, Any]]] = {}
        self._reader: asyncio.Task[None] | None = None
        self._open = ExitStack()
        #: Messages of the server that are no answer: notifications, requests, errors without an id.
        self.others: list[dict[str, Any]] = []
        self.process: asyncio.subprocess.Process
        self.server: ServerProcess

    async def __aenter__(self) -> RawClient:
        log, path = self._open.enter_context(_log_file())
        self.process = await asyncio.create_subprocess_exec(
            sys.executable,
            *self._arguments,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=log,
            env=_environment(self._env),
            limit=1 << 28,
        )
        self.server = ServerProcess(psutil.Process(self.process.pid), path)
        self._reader = asyncio.create_task(self._read())
        try:
            if self.era == "initialize":
                hello = {
                    "protocolVersion": LATEST_HANDSHAKE_VERSION,
                    "capabilities": self.capabilities,
                    "clientInfo": _CLIENT,
                }
                await self.request("initialize", hello)
                self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
            else:
                await self.request("server/discover")
        except BaseException:
            await self.close()
            raise
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        """End the server, politely first; its browser goes with it."""
        browsers = self.server.browsers() if self.server.process.is_running() else []
        assert self.process.stdin is not None
        self.process.stdin.close()
        try:
            await asyncio.wait_for(self.process.wait(), 10)
        except TimeoutError:
            self.process.kill()
            await self.process.wait()
        for browser in await gone(browsers):
            browser.kill()
        if self._reader is not None:
            self._reader.cancel()
        self._open.close()

    def line(self, line: bytes) -> None:
        """Write one line as it is."""
        assert self.process.stdin is not None
        self.process.stdin.write(line + b"\n")

    def send(self, message: Any) -> None:
        """Write one message. Lone surrogates go out as ``\\ud800`` escapes."""
        self.line(json.dumps(message).encode("ascii"))

    def post(self, method: str, params: Any = None) -> tuple[int, asyncio.Future[dict[str, Any]]]:
        """Write a request; returns its id and the future of its answer."""
        number = next(self._ids)
        future: asyncio.Future[dict[str, Any]] = asyncio.get_running_loop().create_future()
        self._waiting[number] = future
        message = {"jsonrpc": "2.0", "id": number, "method": method, "params": self._stamped(params)}
        self.send(message)
        return number, future

    async def request(self, method: str, params: Any = None, *, timeout: float = BOUND) -> dict[str, Any]:
        """The whole answer of a request, with its ``result`` or its ``error``."""
        _, future = self.post(method, params)
        return await asyncio.wait_for(future, timeout)

    async def call(self, tool: Any, arguments: Any = None, /, **more: Any) -> Reply:
        """Call a tool; the answer must be a result, not a protocol error."""
        started = time.monotonic()
        given = {**arguments, **more} if isinstance(arguments, dict) else (more if arguments is None else arguments)
        answer = await self.request("tools/call", {"name": tool, "arguments": given})
        assert "result" in answer, f"{tool}: {answer}"
        result = answer["result"]
        texts = [block["text"] for block in result["content"] if block["type"] == "text"]
        return Reply("\n".join(texts), bool(result.get("isError")), seconds=time.monotonic() - started)

    def _stamped(self, params: Any) -> Any:
        """In the newer era every request says who asks, and in which version."""
        if self.era == "initialize" or not isinstance(params, dict | None):
            return params if params is not None else {}
        stamp = {
            mcp_types.PROTOCOL_VERSION_META_KEY: LATEST_MODERN_VERSION,
            mcp_types.CLIENT_INFO_META_KEY: _CLIENT,
            mcp_types.CLIENT_CAPABILITIES_META_KEY: self.capabilities,
        }
        given = dict(params or {})
        return {**given, "_meta": {**stamp, **given.get("_meta", {})}}

    async def _read(self) -> None:
        assert self.process.stdout is not None
        while line := await self.process.stdout.readline():
            message = json.loads(line)
            future = self._waiting.pop(message.get("id"), None) if "method" not in message else None
            if future is None:
                self.others.append(message)
            elif not future.done():
                future.set_result(message)
        for future in self._waiting.values():
            if not future.done():
                future.set_exception(EOFError("the server closed its output"))


_CLIENT = {"name": "pagelens tests", "version": "1"}
