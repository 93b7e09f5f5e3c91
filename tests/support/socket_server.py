"""A WebSocket server on 127.0.0.1 that echoes, in a thread of its own."""

from __future__ import annotations

import asyncio
import threading
from typing import Self

from websockets.asyncio.server import Server, ServerConnection, serve

__all__ = ["SocketServer"]


class SocketServer:
    """Echoes each message; ``bye`` closes the connection with code 4001 and a reason.

    Attributes:
        url: ``ws://…``.
        received: what came in, oldest first.
    """

    def __init__(self) -> None:
        self.url = ""
        self.received: list[str | bytes] = []
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._server: Server | None = None

    def __enter__(self) -> Self:
        self._thread.start()
        self._server = asyncio.run_coroutine_threadsafe(self._start(), self._loop).result(10)
        port = next(iter(self._server.sockets)).getsockname()[1]
        self.url = f"ws://127.0.0.1:{port}/"
        return self

    def __exit__(self, *_: object) -> None:
        asyncio.run_coroutine_threadsafe(self._stop(), self._loop).result(10)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(10)
        self._loop.close()

    async def _start(self) -> Server:
        return await serve(self._talk, "127.0.0.1", 0, max_size=None)

    async def _stop(self) -> None:
        assert self._server is not None
        self._server.close()
        await self._server.wait_closed()

    async def _talk(self, connection: ServerConnection) -> None:
        async for message in connection:
            self.received.append(message)
            if message == "bye":
                await connection.close(4001, "said bye")
                return
            await connection.send(message)
