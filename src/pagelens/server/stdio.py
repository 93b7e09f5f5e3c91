"""pagelens as an MCP server on standard input and output: its start, its end, and what may come between.

However it ends (the client closes stdin or vanishes, SIGTERM, SIGINT, SIGHUP), it ends in one way: reading stops, the
SDK cancels the calls that run, Chrome is closed, the process exits with 0. If that hangs, a timer ends the process, and
with it Chrome's pipe and so Chrome.
"""

from __future__ import annotations

import asyncio
import contextlib
import gc
import logging
import os
import signal
import sys
import threading
from collections.abc import Iterator
from types import FrameType
from typing import TYPE_CHECKING, Any

from pagelens.core.deadlines import SHUTDOWN
from pagelens.core.options import Options
from pagelens.server.pipes import LineReader, LineWriter, claim_standard_streams

if TYPE_CHECKING:
    from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
    from mcp.server.lowlevel import Server
    from mcp.shared.message import SessionMessage

    from pagelens.browser.host import BrowserHost
    from pagelens.context.mcp_context import McpContext

__all__ = ["run", "serve"]

log = logging.getLogger(__name__)

#: Seconds from the wish to end until the process is ended by force.
LAST_RESORT = SHUTDOWN + 9.0
#: Seconds for the last replies to leave, once nothing more will come.
LAST_WORDS = 1.0

_ENDING_SIGNALS = [
    getattr(signal, name) for name in ("SIGTERM", "SIGINT", "SIGHUP", "SIGBREAK") if hasattr(signal, name)
]


def run(options: Options) -> int:
    """Serve one client until it or a signal ends it; returns the exit code.

    Log lines go where `pagelens.server.logs.configure_logging` has sent them. What prevents the start is said on
    stderr, with exit code 1.
    """
    if sys.stdin is not None and sys.stdin.isatty():
        print(
            "pagelens speaks MCP: it now waits for a client's messages on standard input. "
            "Ctrl-C ends it; `pagelens --help` says more.",
            file=sys.stderr,
        )
    try:
        reading, writing = claim_standard_streams()
    except OSError as error:
        print(f"pagelens: standard input and output must both be open: {error}", file=sys.stderr)
        return 1
    end = _End()
    with end.on_signals():
        with _quick_imports():
            import pagelens.server.app
            import pagelens.server.wire  # noqa: F401
        asyncio.run(_main(options, reading, writing, end))
    logging.shutdown()
    return 0


class _End:
    """The wish to end: can be uttered by a signal at any moment, also before there is an event loop."""

    def __init__(self) -> None:
        self.is_wished = False
        self._loop: asyncio.AbstractEventLoop | None = None
        self._reader: LineReader | None = None
        self._timer: threading.Timer | None = None

    def attach(self, reader: LineReader) -> None:
        """From now on a wish closes `reader`."""
        self._loop, self._reader = asyncio.get_running_loop(), reader
        if self.is_wished:
            reader.close()

    def wish(self) -> None:
        """End, and by force if that takes too long."""
        if self.is_wished:
            return
        self.is_wished = True
        self._timer = threading.Timer(LAST_RESORT, _end_by_force)
        self._timer.daemon = True
        self._timer.start()
        if self._loop is not None and self._reader is not None:
            with contextlib.suppress(RuntimeError):  # the loop has just closed: it ended by itself
                self._loop.call_soon_threadsafe(self._reader.close)

    @contextlib.contextmanager
    def on_signals(self) -> Iterator[None]:
        """Take the process's ending signals as a wish."""

        def handle(number: int, frame: FrameType | None) -> None:
            log.info("ending because of %s", signal.Signals(number).name)
            self.wish()

        before = {number: signal.signal(number, handle) for number in _ENDING_SIGNALS}
        try:
            yield
        finally:
            if self._timer is not None:
                self._timer.cancel()
            for number, handler in before.items():
                signal.signal(number, handler)


def _end_by_force() -> None:
    log.error("the end took longer than %g s: ended by force", LAST_RESORT)
    os._exit(1)


@contextlib.contextmanager
def _quick_imports() -> Iterator[None]:
    """Without the garbage collector: the SDK makes a million objects, none of them garbage."""
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.enable()


async def _main(options: Options, reading: int, writing: int, end: _End) -> None:
    from pagelens.server.app import create_server

    browser = _Browser(options)
    server = create_server(options, browser.context)
    reader = LineReader(reading)
    end.attach(reader)
    try:
        await serve(server, reader, LineWriter(writing))
    finally:
        end.wish()  # from here on the timer watches
        await browser.close()


class _Browser:
    """The one host and context of this process, made when the first tool is called."""

    def __init__(self, options: Options) -> None:
        self._options = options
        self._host: BrowserHost | None = None
        self._context: McpContext | None = None

    def context(self) -> McpContext:
        if self._context is None:
            from pagelens.browser.host import BrowserHost
            from pagelens.context.mcp_context import McpContext

            self._host = BrowserHost(self._options)
            self._context = McpContext(self._host, self._options)
        return self._context

    async def close(self) -> None:
        if self._context is not None:
            self._context.close()
        if self._host is not None:
            await self._host.close()


async def serve(server: Server[Any], reader: LineReader, writer: LineWriter) -> None:
    """Run `server` for the client behind `reader` and `writer`, until one of them ends."""
    import anyio
    from mcp.shared.message import SessionMessage

    to_server, server_reads = anyio.create_memory_object_stream[SessionMessage | Exception](0)
    server_writes, from_server = anyio.create_memory_object_stream[SessionMessage](0)
    async with asyncio.TaskGroup() as group:
        group.create_task(_read(reader, to_server, server_writes.clone()))
        writing = group.create_task(_write(from_server, writer, reader))
        try:
            await server.run(server_reads, server_writes, server.create_initialization_options())
        finally:
            reader.close()
            # A client that no longer reads must not keep us.
            asyncio.get_running_loop().call_later(LAST_WORDS, writing.cancel)


async def _read(
    reader: LineReader,
    to_server: MemoryObjectSendStream[SessionMessage | Exception],
    replies: MemoryObjectSendStream[SessionMessage],
) -> None:
    """Take the client's lines to the server; answer those that are no messages."""
    import anyio
    from mcp.shared.message import SessionMessage
    from mcp_types import PARSE_ERROR

    from pagelens.server.wire import Refusal, decode, refusal

    async with to_server, replies:
        try:
            async for line in reader:
                if line is None:
                    await replies.send(SessionMessage(refusal(None, PARSE_ERROR, "This line is too long.")))
                    continue
                for message in decode(line):
                    stream = replies if isinstance(message, Refusal) else to_server
                    await stream.send(SessionMessage(message))
        except (anyio.BrokenResourceError, anyio.ClosedResourceError):
            log.debug("the server stopped reading before the client stopped writing")


async def _write(
    from_server: MemoryObjectReceiveStream[SessionMessage], writer: LineWriter, reader: LineReader
) -> None:
    """Take the server's messages to the client. One that is gone ends the reading side as well."""
    from pagelens.server.wire import encode

    is_gone = False
    async with from_server:
        async for item in from_server:
            if is_gone:
                continue  # the server learns of the end by its own side; until then its words go nowhere
            try:
                await writer.write(encode(item.message))
            except OSError as error:
                log.info("the client no longer reads: %s", error)
                is_gone = True
                reader.close()
