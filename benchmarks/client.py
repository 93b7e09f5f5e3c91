"""A lean MCP client over stdio, which adds next to nothing to what it measures (0.05 ms a call)."""

from __future__ import annotations

import asyncio
import contextlib
import os
import time
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
import psutil  # type: ignore[import-untyped]

from benchmarks.usage import Usage, browser_and_server, usage_of

__all__ = ["FAILURES", "Client", "ToolFailed", "image_size", "text_of"]

HELLO = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "benchmark", "version": "1"}}
_PASSED_ON = ("PATH", "HOME", "LANG")


class ToolFailed(Exception):
    """A tool answered with an error, or the server with none at all."""


#: An error of any of these is the measured one's, and told in the report; anything else is a fault of the benchmark.
FAILURES = (ToolFailed, KeyError, RuntimeError, TimeoutError)


class Client:
    """One server process and the messages to and from it.

    `initialized_after`, `last_seconds` are seconds; `bytes_in` counts what the server has sent.
    """

    def __init__(self, name: str, command: Sequence[str], cwd: str) -> None:
        self.name = name
        self.command = list(command)
        self.cwd = cwd
        self.initialized_after = 0.0
        self.last_seconds = 0.0
        self.bytes_in = 0
        self._number = 0
        self._waiting: dict[int, asyncio.Future[tuple[dict[str, Any], float]]] = {}

    async def start(self) -> Client:
        """Start the server and shake hands."""
        env = {name: os.environ[name] for name in _PASSED_ON if name in os.environ}
        started = time.perf_counter()
        self.process = await asyncio.create_subprocess_exec(
            *self.command,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,
            env={**env, "CI": "1"},
            cwd=self.cwd,
            limit=1 << 28,
        )
        self._reading = asyncio.create_task(self._read())
        self.hello = await self.request("initialize", HELLO)
        self.initialized_after = time.perf_counter() - started
        self._send({"jsonrpc": "2.0", "method": "notifications/initialized"})
        return self

    async def request(self, method: str, params: Mapping[str, Any] | None = None, limit: float = 120) -> dict[str, Any]:
        """Ask, and wait for the answer; `last_seconds` says how long that took.

        Raises:
            ToolFailed: a protocol error, or the server has ended.
            TimeoutError: no answer within `limit` seconds.
        """
        self._number += 1
        future = self._waiting[self._number] = asyncio.get_running_loop().create_future()
        asked = time.perf_counter()
        self._send({"jsonrpc": "2.0", "id": self._number, "method": method, "params": dict(params or {})})
        async with asyncio.timeout(limit):
            message, answered = await future
        self.last_seconds = answered - asked
        if "error" in message:
            raise ToolFailed(f"{self.name} {method}: {str(message['error'])[:500]}")
        result: dict[str, Any] = message["result"]
        return result

    async def call(self, tool: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """Call a tool.

        Raises:
            ToolFailed: it answered with an error.
        """
        result = await self.request("tools/call", {"name": tool, "arguments": arguments})
        if result.get("isError"):
            raise ToolFailed(f"{self.name} {tool} {str(arguments)[:200]}: {text_of(result)[:500]}")
        return result

    def usage(self) -> Usage:
        """What the server's processes have used until now; the browser's are counted apart."""
        return usage_of(self.process.pid)

    async def close(self) -> None:
        """End the server by closing its input; what outlives that is killed, together with its browser."""
        server, browser = browser_and_server(self.process.pid)
        assert self.process.stdin is not None
        self.process.stdin.close()
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(10):
                await self.process.wait()
        for process in browser + server:
            with contextlib.suppress(psutil.Error):
                process.kill()
        await self.process.wait()
        self._reading.cancel()

    def _send(self, message: Mapping[str, Any]) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(msgspec.json.encode(message) + b"\n")

    async def _read(self) -> None:
        assert self.process.stdout is not None
        while line := await self.process.stdout.readline():
            now = time.perf_counter()
            self.bytes_in += len(line)
            message = msgspec.json.decode(line)
            if "method" in message:
                if "id" in message:  # a request of the server's
                    self._send({"jsonrpc": "2.0", "id": message["id"], "error": {"code": -32601, "message": "no"}})
                continue
            future = self._waiting.pop(message.get("id"), None)
            if future is not None and not future.done():
                future.set_result((message, now))
        for future in self._waiting.values():
            if not future.done():
                future.set_exception(ToolFailed(f"{self.name} has ended"))


def text_of(result: Mapping[str, Any]) -> str:
    """All text of a tool's result."""
    return "\n".join(block["text"] for block in result.get("content", []) if block.get("type") == "text")


def image_size(result: Mapping[str, Any]) -> int:
    """Characters of base64 of all images of a tool's result."""
    return sum(len(block["data"]) for block in result.get("content", []) if block.get("type") == "image")
