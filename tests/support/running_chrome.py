"""A Chrome that somebody else has started, with a debugging port, and what may stand between it and us."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import signal
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from websockets.asyncio.client import ClientConnection, connect

from pagelens.browser.find import find_browser
from pagelens.core.options import Options

__all__ = ["Holder", "Relay", "RunningChrome"]


class RunningChrome:
    """A browser process of its own, on a throwaway profile. ::

        async with RunningChrome() as chrome:
            options = Options(browser_url=chrome.url)

    Attributes:
        port: where it listens on 127.0.0.1.
        path: of its browser WebSocket.
        profile: its profile directory, with the port file.
    """

    def __init__(self, *arguments: str) -> None:
        self._arguments = arguments
        self.profile = Path(tempfile.mkdtemp(prefix="pagelens-running-"))
        self.port = 0
        self.path = ""
        self.process: asyncio.subprocess.Process

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def endpoint(self) -> str:
        return f"ws://127.0.0.1:{self.port}{self.path}"

    async def __aenter__(self) -> RunningChrome:
        arguments = [
            "--headless",
            "--remote-debugging-port=0",
            f"--user-data-dir={self.profile}",
            "--no-first-run",
            "--disable-background-networking",
            "--disable-gpu",
            "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost, EXCLUDE *.localhost",
            *self._arguments,
        ]
        if os.geteuid() == 0:
            arguments.append("--no-sandbox")
        self.process = await asyncio.create_subprocess_exec(
            str(find_browser(Options()).path),
            *arguments,
            "about:blank",
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.DEVNULL,
            stderr=asyncio.subprocess.DEVNULL,
            start_new_session=True,
        )
        try:
            await asyncio.to_thread(self._wait_for_port)
        except BaseException:
            await self.close()
            raise
        return self

    def _wait_for_port(self) -> None:
        file = self.profile / "DevToolsActivePort"
        end = time.monotonic() + 30
        while time.monotonic() < end:
            with suppress(OSError):
                lines = file.read_text().split("\n")
                if len(lines) == 2:
                    self.port, self.path = int(lines[0]), lines[1]
                    return
            time.sleep(0.02)  # Chrome announces the port by this file and nothing else
        raise RuntimeError("Chrome opened no debugging port")

    async def __aexit__(self, *_: object) -> None:
        await self.close()
        for _ in range(20):  # its helpers write until they have noticed
            shutil.rmtree(self.profile, ignore_errors=True)
            if not self.profile.exists():
                return
            await asyncio.sleep(0.1)

    async def close(self) -> None:
        """Kill it, as a crash would; the profile stays until the end."""
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self.process.pid, signal.SIGKILL)  # its helpers too: it has a session of its own
        await self.process.wait()

    def is_running(self) -> bool:
        return self.process.returncode is None


class Holder:
    """Another program at the same Chrome: opens pages, and holds dialogs open. Plain CDP, nothing of ours."""

    def __init__(self, chrome: RunningChrome) -> None:
        self._chrome = chrome
        self._ids = iter(range(1, 1_000_000))
        self._waiting: dict[int, asyncio.Future[dict[str, Any]]] = {}
        self._events: list[dict[str, Any]] = []
        self._changed = asyncio.Event()
        self._socket: ClientConnection
        self._reader: asyncio.Task[None]

    async def __aenter__(self) -> Holder:
        self._socket = await connect(self._chrome.endpoint, max_size=None, compression=None, proxy=None)
        self._reader = asyncio.create_task(self._read())
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._socket.close()
        self._reader.cancel()
        await asyncio.gather(self._reader, return_exceptions=True)

    async def _read(self) -> None:
        async for text in self._socket:
            message = json.loads(text)
            if "id" in message:
                future = self._waiting.pop(message["id"])
                if not future.done():
                    future.set_result(message)
            else:
                self._events.append(message)
                self._changed.set()

    async def post(
        self, method: str, params: dict[str, Any] | None = None, session: str = ""
    ) -> asyncio.Future[dict[str, Any]]:
        """Send a command and go on."""
        number = next(self._ids)
        message: dict[str, Any] = {"id": number, "method": method, "params": params or {}}
        if session:
            message["sessionId"] = session
        future: asyncio.Future[dict[str, Any]] = asyncio.get_running_loop().create_future()
        self._waiting[number] = future
        await self._socket.send(json.dumps(message))
        return future

    async def send(self, method: str, params: dict[str, Any] | None = None, session: str = "") -> dict[str, Any]:
        """Send a command and wait for its result."""
        async with asyncio.timeout(20):
            answer = await (await self.post(method, params, session))
        assert "result" in answer, answer
        result: dict[str, Any] = answer["result"]
        return result

    async def event(self, matches: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
        """The first event, past or to come, that matches."""
        async with asyncio.timeout(20):
            while True:
                self._changed.clear()
                for event in self._events:
                    if matches(event):
                        return event
                await self._changed.wait()

    async def open(self, url: str, **more: Any) -> str:
        """Open a tab; returns its target id."""
        return str((await self.send("Target.createTarget", {"url": url, "background": True, **more}))["targetId"])

    async def attach(self, target_id: str) -> str:
        """Attach to a target; returns the session id."""
        return str((await self.send("Target.attachToTarget", {"targetId": target_id, "flatten": True}))["sessionId"])

    async def evaluate(self, session: str, expression: str) -> Any:
        """The value of an expression in a page."""
        answer = await self.send(
            "Runtime.evaluate",
            {"expression": expression, "returnByValue": True, "awaitPromise": True, "userGesture": True},
            session,
        )
        return answer["result"].get("value")

    async def targets(self) -> dict[str, dict[str, Any]]:
        """All page targets, by id."""
        found = (await self.send("Target.getTargets", {"filter": [{"type": "page"}]}))["targetInfos"]
        return {info["targetId"]: info for info in found}


class Relay:
    """A TCP relay on a port of its own: forwards, stops forwarding without a word, or refuses.

    Attributes:
        to: the port on this machine that new connections are forwarded to.
        heard: the first bytes of each connection, as the server saw them.
    """

    def __init__(self, port: int) -> None:
        self.to = port
        self._server: asyncio.Server
        self._writers: set[asyncio.StreamWriter] = set()
        self._flowing = asyncio.Event()
        self._flowing.set()
        self.heard: list[bytes] = []
        self.port = 0

    async def __aenter__(self) -> Relay:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        self.port = self._server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(self, *_: object) -> None:
        self.flow()
        self.cut()
        self._server.close()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def stall(self) -> None:
        """Forward nothing from now on."""
        self._flowing.clear()

    def flow(self) -> None:
        """Forward again."""
        self._flowing.set()

    def cut(self) -> None:
        """End all connections."""
        for writer in list(self._writers):
            writer.transport.abort()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            far_reader, far_writer = await asyncio.open_connection("127.0.0.1", self.to)
        except OSError:
            writer.transport.abort()
            return
        self._writers |= {writer, far_writer}
        first = True

        async def pump(source: asyncio.StreamReader, sink: asyncio.StreamWriter, outward: bool) -> None:
            nonlocal first
            with suppress(OSError):
                while data := await source.read(1 << 16):
                    if outward and first:
                        self.heard.append(data)
                        first = False
                    await self._flowing.wait()
                    sink.write(data)
                    await sink.drain()
            sink.close()

        try:
            async with asyncio.TaskGroup() as group:
                group.create_task(pump(reader, far_writer, True))
                group.create_task(pump(far_reader, writer, False))
        finally:
            self._writers -= {writer, far_writer}
