"""Messages to and from a Chrome that listens on a port, over a WebSocket."""

from __future__ import annotations

import asyncio
import contextlib
import ipaddress
import logging
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from pagelens.core.safe_text import one_line, shortened
from pagelens.errors import ConnectionLost

if TYPE_CHECKING:
    from websockets.asyncio.client import ClientConnection

__all__ = ["OPENING", "WebSocketTransport", "is_loopback"]

log = logging.getLogger(__name__)

#: Seconds for the opening handshake.
OPENING = 10.0
#: After so many silent seconds the other side is asked for a sign of life, and has so many more to give one.
PING_AFTER = 20.0
PING_DEADLINE = 10.0
#: Seconds for the closing handshake; then the connection is cut.
CLOSING = 1.0


class WebSocketTransport:
    """Chrome's ``ws://…/devtools/browser/…``: one text frame a message, of any size, uncompressed.

    A connection whose other side has silently gone (a tunnel that stopped, a laptop that slept) is noticed: a
    connection on which nothing arrives is asked for a pong. Any byte counts as life, so a large message on a slow
    line is none the worse.

    Args:
        url: ``ws://`` or ``wss://``.
        headers: sent with the opening request, beside the usual ones.
        opening: seconds for the opening handshake.
        ping_after: seconds of silence before a ping.
        ping_deadline: seconds after a ping until the connection is given up.
    """

    def __init__(
        self,
        url: str,
        *,
        headers: Mapping[str, str] | None = None,
        opening: float = OPENING,
        ping_after: float = PING_AFTER,
        ping_deadline: float = PING_DEADLINE,
    ) -> None:
        self.url = url
        self._headers = dict(headers or {})
        self._opening = opening
        self._ping_after = ping_after
        self._ping_deadline = ping_deadline
        self._socket: ClientConnection | None = None
        self._outgoing: asyncio.Queue[bytes] = asyncio.Queue()
        self._heard_at = 0.0
        self._lost: str | None = None
        self._on_lost: Callable[[str], None] = lambda _: None
        # Owned by us: they end with the connection, or are cancelled in close().
        self._tasks: set[asyncio.Task[None]] = set()

    async def start(self, on_message: Callable[[bytes], None], on_lost: Callable[[str], None]) -> None:
        """Open the connection and begin to read.

        Raises:
            ConnectionLost: it could not be opened; the message says why.
        """
        from websockets.asyncio.client import ClientConnection, connect
        from websockets.exceptions import InvalidHandshake, InvalidURI

        heard = self._heard

        class Listening(ClientConnection):
            def data_received(self, data: bytes) -> None:
                heard()
                super().data_received(data)

        try:
            self._socket = await connect(
                self.url,
                create_connection=Listening,
                additional_headers=self._headers,
                max_size=None,
                # No message waits in a queue for its reader: the reader never waits for anyone.
                max_queue=None,
                compression=None,
                ping_interval=None,
                open_timeout=self._opening,
                close_timeout=CLOSING,
                proxy=None if is_loopback(urlsplit(self.url).hostname or "") else True,
            )
        except (OSError, TimeoutError, InvalidHandshake, InvalidURI, ValueError, EOFError) as error:
            raise ConnectionLost(_why(error, self._opening)) from error
        self._on_lost = on_lost
        self._heard()
        for work in (self._read(self._socket, on_message), self._write(self._socket), self._watch(self._socket)):
            self._tasks.add(asyncio.get_running_loop().create_task(work, name="websocket"))

    def send(self, message: bytes) -> None:
        if self._socket is not None and self._lost is None:
            self._outgoing.put_nowait(message)

    def send_all(self, messages: Sequence[bytes]) -> None:
        for message in messages:
            self.send(message)

    async def close(self) -> None:
        socket, self._socket = self._socket, None
        if socket is None:
            return
        self._lost = self._lost or "closed by us"
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(CLOSING * 2):
                await socket.close()
        socket.transport.abort()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        self._tasks.clear()

    # -- the three tasks -----------------------------------------------------------------------------

    async def _read(self, socket: ClientConnection, on_message: Callable[[bytes], None]) -> None:
        from websockets.exceptions import ConnectionClosed

        try:
            while True:
                message = await socket.recv(decode=False)
                try:
                    on_message(message)
                except Exception:
                    log.exception("a message from Chrome could not be handled (%d bytes)", len(message))
        except ConnectionClosed as error:
            self._end(_closed_words(error))

    async def _write(self, socket: ClientConnection) -> None:
        from websockets.exceptions import ConnectionClosed

        try:
            while True:
                await socket.send(await self._outgoing.get(), text=True)
        except ConnectionClosed:
            pass  # the reader says it, after the last message

    async def _watch(self, socket: ClientConnection) -> None:
        from websockets.exceptions import ConnectionClosed

        loop = asyncio.get_running_loop()
        while True:
            silent = loop.time() - self._heard_at
            if silent < self._ping_after:
                await asyncio.sleep(self._ping_after - silent)
                continue
            asked_at = loop.time()
            unsent = _unsent(socket)
            try:
                async with asyncio.timeout(self._ping_deadline):
                    await socket.ping()
            except TimeoutError:
                pass
            except ConnectionClosed:
                return  # the reader says it
            await asyncio.sleep(max(asked_at + self._ping_deadline - loop.time(), 0))
            if _unsent(socket) < unsent:
                self._heard()  # a large message of ours is still on its way, and moving
            if self._heard_at < asked_at:
                seconds = loop.time() - self._heard_at
                self._end(f"nothing came from its side for {seconds:.0f} s, not even an answer to a ping")
                socket.transport.abort()
                return

    def _heard(self) -> None:
        self._heard_at = asyncio.get_running_loop().time()

    def _end(self, reason: str) -> None:
        if self._lost is None:
            self._lost = reason
            self._on_lost(reason)


def _unsent(socket: ClientConnection) -> int:
    """Bytes that the other side has not taken yet."""
    return socket.transport.get_write_buffer_size()


def is_loopback(host: str) -> bool:
    """Whether a host name or address can only mean this machine. No name is looked up."""
    name = host.strip("[]").rstrip(".").lower()
    if name == "localhost" or name.endswith(".localhost"):
        return True
    try:
        return ipaddress.ip_address(name).is_loopback
    except ValueError:
        return False


def _closed_words(error: Any) -> str:
    """Why an open connection ended."""
    if error.rcvd is not None:
        reason = f": {shortened(one_line(error.rcvd.reason), 200)}" if error.rcvd.reason else ""
        return f"the other side closed it (code {int(error.rcvd.code)}{reason})"
    return f"it broke: {error.__cause__}" if error.__cause__ else "the other side closed it without a word"


def _why(error: Exception, opening: float) -> str:
    """Why a connection could not be opened, in a few words."""
    response = getattr(error, "response", None)
    if response is not None:
        body = shortened(one_line(bytes(response.body or b"").decode("utf-8", "replace")), 200)
        return f"the WebSocket was refused: HTTP {response.status_code}" + (f", {body}" if body else "")
    if isinstance(error, TimeoutError):
        return f"no answer to the WebSocket's opening within {opening:g} s"
    if isinstance(error, OSError) and error.strerror:
        return error.strerror
    return shortened(one_line(str(error) or type(error).__name__), 200)
