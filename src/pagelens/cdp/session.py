"""A session: commands to one target and its events."""

from __future__ import annotations

import asyncio
import inspect
import logging
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from pagelens.cdp.messages import ErrorBody, decode_body
from pagelens.core.deadlines import COMMAND
from pagelens.errors import CommandTimeout, PagelensError, ProtocolError, SessionClosed

if TYPE_CHECKING:
    import msgspec

    from pagelens.cdp.connection import Connection

__all__ = ["EventHandler", "Reply", "Session"]

log = logging.getLogger(__name__)

#: Gets an event's params. A plain function runs in the reader, in order, and must be quick; a coroutine
#: function gets its events one after another in a task of its own.
EventHandler = Callable[[dict[str, Any]], object]


class Reply:
    """A command that has been written; its answer can be awaited later, or never.

    Awaiting gives the decoded result. Use it to write several commands at once and then wait for all::

        replies = [session.post("Page.enable"), session.post("Runtime.enable")]
        for reply in replies:
            await reply.within(5)
    """

    __slots__ = ("_future", "_session", "method")

    def __init__(self, session: Session, method: str, future: asyncio.Future[bytes]) -> None:
        self._session = session
        self._future = future
        self.method = method
        # An answer that nobody waits for may be an error: that is the caller's choice, not a leak.
        future.add_done_callback(_retrieve)

    async def raw(self, timeout: float = COMMAND) -> bytes:
        """The undecoded ``result``, waited for at most `timeout` seconds.

        Raises:
            CommandTimeout: no answer in time.
            ProtocolError: Chrome refused; `SessionClosed` when the target went away meanwhile.
            ConnectionLost: Chrome is gone.
        """
        try:
            async with asyncio.timeout(timeout) as scope:
                return await self._future
        except TimeoutError:
            if not scope.expired():
                raise
            raise CommandTimeout(
                f"Chrome did not answer {self.method} within {timeout:g} s.",
                "The page may be busy (an endless script), blocked by a dialog, or still being navigated.",
            ) from None

    async def within(self, timeout: float = COMMAND) -> dict[str, Any]:
        """The decoded ``result``; see `raw`."""
        return decode_body(await self.raw(timeout))

    def __await__(self) -> Any:
        return self.within().__await__()

    async def ended(self, timeout: float = COMMAND) -> None:
        """Wait for the answer or an error, at most `timeout` seconds, and look at neither.

        Raises:
            CommandTimeout: none came in time.
        """
        try:
            await self.raw(timeout)
        except CommandTimeout:
            raise
        except PagelensError:
            pass  # it is an answer, too

    @property
    def done(self) -> bool:
        """Whether the answer (or an error) is here."""
        return self._future.done()

    @property
    def failed(self) -> bool:
        """Whether it ended with an error."""
        return self._future.done() and (self._future.cancelled() or self._future.exception() is not None)

    def result(self) -> dict[str, Any]:
        """The decoded ``result`` of a command that is done; raises what it failed with."""
        return decode_body(self._future.result())

    def on_done(self, callback: Callable[[], object]) -> None:
        """Call back when the answer (or an error) has come."""
        self._future.add_done_callback(lambda _: callback())


def _retrieve(future: asyncio.Future[bytes]) -> None:
    if not future.cancelled():
        future.exception()


class Session:
    """One flat session.

    Attributes:
        id: Chrome's session id; empty for the browser's own session.
        target_id: the target it is attached to.
        target_type: ``page``, ``iframe``, ``worker``, ``service_worker``, ``shared_worker``, ``browser``…
        closed: why it ended, None while it lives.
    """

    def __init__(self, connection: Connection, session_id: str, *, target_id: str, target_type: str) -> None:
        self.connection = connection
        self.id = session_id
        self.target_id = target_id
        self.target_type = target_type
        self.closed: str | None = None
        self._handlers: dict[str, list[Callable[[dict[str, Any]], None]]] = {}
        self._raw_handlers: dict[str, list[Callable[[bytes], None]]] = {}
        self._on_closed: list[Callable[[str], None]] = []
        self._failure: PagelensError | None = None

    def __repr__(self) -> str:
        return f"<Session {self.target_type} {self.target_id[:8]}{' closed' if self.closed else ''}>"

    # -- commands ------------------------------------------------------------------------------------

    def post(self, method: str, params: dict[str, Any] | None = None) -> Reply:
        """Write a command now and return its `Reply` without waiting."""
        # With the connection gone, that is the reason, and ConnectionLost says it.
        if self.connection.lost is None and (self.closed is not None or self._failure is not None):
            future: asyncio.Future[bytes] = asyncio.get_running_loop().create_future()
            future.set_exception(self._failure or SessionClosed(method, self.closed or ""))
            return Reply(self, method, future)
        return Reply(self, method, self.connection._post(self, method, params or {}))

    def tell(self, method: str, params: Iterable[dict[str, Any]]) -> None:
        """Write one command with each of these parameters, in one go; nobody will know how they ended.

        For many at once, where a `Reply` each would cost more than the commands.
        """
        if self.closed is None and self._failure is None:
            self.connection._tell(self, method, params)

    async def send(
        self, method: str, params: dict[str, Any] | None = None, *, timeout: float = COMMAND
    ) -> dict[str, Any]:
        """Send a command and wait for its decoded result; errors as in `Reply.raw`."""
        return await self.post(method, params).within(timeout)

    def fail(self, error: Callable[[str], PagelensError]) -> None:
        """Fail all that waits for this session now, e.g. because its renderer crashed. `error` gets the method."""
        self.connection._fail_waiting(self, error)

    def _error(self, method: str, error: ErrorBody) -> ProtocolError:
        message = f"{error.message} ({error.data})" if error.data else error.message
        if error.code == -32001:
            return SessionClosed(method, message)
        return ProtocolError(method, error.code, message)

    # -- events --------------------------------------------------------------------------------------

    def on(self, method: str, handler: EventHandler) -> Callable[[], None]:
        """Subscribe to an event; returns the function that ends the subscription.

        Events of one session arrive in the order Chrome sent them. An exception in a handler is logged
        and costs no other handler its event.
        """
        deliver = _Queued(handler) if inspect.iscoroutinefunction(handler) else _guarded(method, handler)
        self._handlers.setdefault(method, []).append(deliver)

        def off() -> None:
            handlers = self._handlers.get(method)
            if handlers and deliver in handlers:
                handlers.remove(deliver)
                if not handlers:
                    del self._handlers[method]

        return off

    def on_raw(self, method: str, handler: Callable[[bytes], None]) -> Callable[[], None]:
        """As `on`, but `handler` gets the event's params undecoded (JSON): for recorders that need a few
        members of many events now, and the rest later or never. Called before the decoded handlers."""
        handlers = self._raw_handlers.setdefault(method, [])
        handlers.append(handler)

        def off() -> None:
            if handler in handlers:
                handlers.remove(handler)

        return off

    def on_closed(self, callback: Callable[[str], None]) -> None:
        """Call `callback` with the reason when the session has ended (at once if it already has)."""
        if self.closed is not None:
            callback(self.closed)
        else:
            self._on_closed.append(callback)

    def _event(self, method: str, params: bytes | msgspec.Raw) -> None:
        raw_handlers = self._raw_handlers.get(method)
        if raw_handlers:
            data = bytes(params)
            for raw_handler in tuple(raw_handlers):
                try:
                    raw_handler(data)
                except Exception:
                    log.exception("a listener for %s failed", method)
        handlers = self._handlers.get(method)
        if handlers:
            body = decode_body(params)
            for handler in tuple(handlers):
                handler(body)

    def _closed_by(self, reason: str) -> None:
        if self.closed is not None:
            return
        self.closed = reason
        self.fail(lambda method: SessionClosed(method, reason))
        for callback in self._on_closed:
            try:
                callback(reason)
            except Exception:
                log.exception("a listener for the end of %r failed", self)
        self._handlers.clear()
        self._raw_handlers.clear()
        self._on_closed.clear()


def _guarded(method: str, handler: EventHandler) -> Callable[[dict[str, Any]], None]:
    def deliver(params: dict[str, Any]) -> None:
        try:
            handler(params)
        except Exception:
            log.exception("a listener for %s failed", method)

    return deliver


class _Queued:
    """Runs a coroutine handler for one event after another, off the reader."""

    def __init__(self, handler: EventHandler) -> None:
        self._handler = handler
        self._queue: list[dict[str, Any]] = []
        self._task: asyncio.Task[None] | None = None

    def __call__(self, params: dict[str, Any]) -> None:
        self._queue.append(params)
        if self._task is None:
            self._task = asyncio.get_running_loop().create_task(self._drain())

    async def _drain(self) -> None:
        try:
            while self._queue:
                params = self._queue.pop(0)
                try:
                    result = self._handler(params)
                    if inspect.isawaitable(result):
                        await result
                except Exception:
                    log.exception("an asynchronous listener failed")
        finally:
            self._task = None
