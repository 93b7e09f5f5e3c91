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
from collections.abc import AsyncIterator, Coroutine, Iterator
from concurrent.futures import Future
from dataclasses import dataclass
from types import FrameType
from typing import TYPE_CHECKING, Any

from pagelens.core.deadlines import SHUTDOWN
from pagelens.core.options import Options
from pagelens.server.greeting import Greeting, greeting
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
        imports = _Imports()
        asyncio.run(_main(options, reading, writing, end, imports))
    logging.shutdown()
    if imports.is_alive():
        # The end came first. Python would stop the thread in the middle of compiled code that does not bear it.
        os._exit(0)
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


async def _main(options: Options, reading: int, writing: int, end: _End, imports: _Imports) -> None:
    browser = _Browser(options)
    reader, writer = LineReader(reading), LineWriter(writing)
    end.attach(reader)
    try:
        imports.start()
        opening = await _open(reader, writer, options)
        if opening is None or not await _first(asyncio.wrap_future(imports.done), reader.wait_closed()):
            return

        from pagelens.server.app import create_server

        await serve(create_server(options, browser.context), reader, writer, opening)
    finally:
        end.wish()  # from here on the timer watches
        await browser.close()


class _Imports(threading.Thread):
    """Imports the SDK and what of ours stands on it, while the event loop listens to the client.

    Without the garbage collector: that makes a million objects, none of them garbage.
    """

    def __init__(self) -> None:
        super().__init__(name="pagelens-imports", daemon=True)
        self.done: Future[None] = Future()

    def run(self) -> None:
        """Called by the thread."""
        gc.disable()
        try:
            import pagelens.server.app
            import pagelens.server.wire  # noqa: F401
        except BaseException as error:
            self.done.set_exception(error)
        else:
            self.done.set_result(None)
        finally:
            gc.freeze()
            gc.enable()


async def _first(wanted: asyncio.Future[None], other: Coroutine[Any, Any, None]) -> bool:
    """Wait for one of the two; whether `wanted` is done."""
    async with asyncio.TaskGroup() as group:
        waiting = group.create_task(other)
        await asyncio.wait((wanted, waiting), return_when=asyncio.FIRST_COMPLETED)
        waiting.cancel()
    if wanted.done():
        wanted.result()
    return wanted.done()


@dataclass(frozen=True)
class Opening:
    """A client's first line, and the answer that it has got already, if any."""

    line: bytes | None
    greeting: Greeting | None


async def _open(reader: LineReader, writer: LineWriter, options: Options) -> Opening | None:
    """Wait for the client's first line and answer it, if that can be done without the SDK; None at the end."""
    async for line in reader:
        found = None if line is None else greeting(line, slim=options.slim, tools_change=options.webmcp_passthrough)
        if found is not None:
            try:
                await writer.write(found.answer)
            except OSError as error:  # its end will be read next
                log.info("the client no longer reads: %s", error)
        return Opening(line, found)
    return None


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


async def serve(server: Server[Any], reader: LineReader, writer: LineWriter, opening: Opening | None = None) -> None:
    """Run `server` for the client behind `reader` and `writer`, until one of them ends.

    Args:
        opening: what was read before.
    """
    import anyio
    from mcp.shared.message import SessionMessage

    from pagelens.server.app import initialization_options

    to_server, server_reads = anyio.create_memory_object_stream[SessionMessage | Exception](0)
    server_writes, from_server = anyio.create_memory_object_stream[SessionMessage](0)
    async with asyncio.TaskGroup() as group:
        group.create_task(_read(_lines(reader, opening), to_server, server_writes.clone()))
        answered = opening.greeting if opening is not None else None
        writing = group.create_task(_write(from_server, writer, reader, answered))
        try:
            await server.run(server_reads, server_writes, initialization_options(server))
        finally:
            reader.close()
            # A client that no longer reads must not keep us.
            asyncio.get_running_loop().call_later(LAST_WORDS, writing.cancel)


async def _lines(reader: LineReader, opening: Opening | None) -> AsyncIterator[bytes | None]:
    """The client's lines from the first one on."""
    if opening is not None:
        yield opening.line if opening.greeting is None else opening.greeting.request
    async for line in reader:
        yield line


async def _read(
    lines: AsyncIterator[bytes | None],
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
            async for line in lines:
                if line is None:
                    await replies.send(SessionMessage(refusal(None, PARSE_ERROR, "This line is too long.")))
                    continue
                for message in decode(line):
                    stream = replies if isinstance(message, Refusal) else to_server
                    await stream.send(SessionMessage(message))
        except (anyio.BrokenResourceError, anyio.ClosedResourceError):
            log.debug("the server stopped reading before the client stopped writing")


async def _write(
    from_server: MemoryObjectReceiveStream[SessionMessage],
    writer: LineWriter,
    reader: LineReader,
    answered: Greeting | None,
) -> None:
    """Take the server's messages to the client. One that is gone ends the reading side as well.

    Args:
        answered: what the server is about to answer once more.
    """
    from pagelens.server.wire import encode, is_answer_to

    is_gone = False
    async with from_server:
        async for item in from_server:
            if is_gone:
                continue  # the server learns of the end by its own side; until then its words go nowhere
            if answered is not None and is_answer_to(item.message, answered.request_id):
                answered = None
                continue
            try:
                await writer.write(encode(item.message))
            except OSError as error:
                log.info("the client no longer reads: %s", error)
                is_gone = True
                reader.close()
