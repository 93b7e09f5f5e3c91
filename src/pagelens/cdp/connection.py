"""One connection to a browser, multiplexed into flat sessions."""

from __future__ import annotations

import asyncio
import itertools
import logging
from collections.abc import Callable, Iterable
from typing import Any

from pagelens.cdp.messages import Envelope, decode_envelope, encode_command
from pagelens.cdp.session import Session
from pagelens.cdp.transport import Transport
from pagelens.errors import ConnectionLost

__all__ = ["Connection", "Inspector"]

log = logging.getLogger(__name__)

#: Sees every outgoing command (method, params) before it is written; raises to refuse it. Tests use it
#: to hold every name we send against the protocol that the running browser serves.
Inspector = Callable[[str, dict[str, Any]], None]


class Connection:
    """Commands out, replies and events in, over one `Transport`.

    Messages are handled in the order of their arrival. The reader never waits for anyone.

    Attributes:
        root: the browser's own session; every other one is attached through it.
        lost: why the connection ended, None while it lives.
    """

    #: Set by tests for all connections of the process.
    inspector: Inspector | None = None

    def __init__(self, transport: Transport) -> None:
        self._transport = transport
        self._ids = itertools.count(1)
        self._sessions: dict[str, Session] = {}
        self._waiting: dict[int, tuple[Session, str, asyncio.Future[bytes]]] = {}
        self._lost_callbacks: list[Callable[[str], None]] = []
        self.lost: str | None = None
        self.root = Session(self, "", target_id="", target_type="browser")
        self._sessions[""] = self.root

    async def start(self) -> None:
        """Begin to read."""
        await self._transport.start(self._received, self._connection_lost)

    def on_lost(self, callback: Callable[[str], None]) -> None:
        """Call `callback` with the reason once the connection has ended."""
        self._lost_callbacks.append(callback)

    def session(self, session_id: str) -> Session | None:
        """The live session of this id."""
        return self._sessions.get(session_id)

    def open_session(self, session_id: str, *, target_id: str, target_type: str) -> Session:
        """Register a session that Chrome has announced (``Target.attachedToTarget``)."""
        session = Session(self, session_id, target_id=target_id, target_type=target_type)
        self._sessions[session_id] = session
        return session

    def absent_session(self, *, target_id: str, target_type: str, why: str) -> Session:
        """A session that stands in for one that is not there: commands to it fail, saying `why`."""
        session = Session(self, "", target_id=target_id, target_type=target_type)
        session.closed = why
        return session

    def close_session(self, session_id: str, reason: str) -> None:
        """Forget a session; its waiting commands fail at once with `reason`."""
        session = self._sessions.pop(session_id, None)
        if session is not None:
            session._closed_by(reason)

    async def close(self) -> None:
        """End the connection; all that waits fails with `ConnectionLost`."""
        await self._transport.close()
        self._connection_lost("closed by us")

    # -- for Session ---------------------------------------------------------------------------------

    def _post(self, session: Session, method: str, params: dict[str, Any]) -> asyncio.Future[bytes]:
        future: asyncio.Future[bytes] = asyncio.get_running_loop().create_future()
        if self.lost is not None:
            future.set_exception(
                ConnectionLost(f"{method} can't be sent: the connection to Chrome is lost ({self.lost}).")
            )
            return future
        message_id = next(self._ids)
        data = self._command(message_id, session, method, params)
        self._waiting[message_id] = (session, method, future)
        # A caller who gives up (timeout, cancellation) leaves nothing behind; a late reply is dropped.
        future.add_done_callback(lambda _: self._waiting.pop(message_id, None))
        self._transport.send(data)
        return future

    def _tell(self, session: Session, method: str, many: Iterable[dict[str, Any]]) -> None:
        if self.lost is None:
            # Their answers find nobody waiting, and are dropped.
            self._transport.send_all([self._command(next(self._ids), session, method, params) for params in many])

    @staticmethod
    def _command(message_id: int, session: Session, method: str, params: dict[str, Any]) -> bytes:
        if Connection.inspector is not None:
            Connection.inspector(method, params)
        message: dict[str, Any] = {"id": message_id, "method": method, "params": params}
        if session.id:
            message["sessionId"] = session.id
        return encode_command(message)

    def _fail_waiting(self, session: Session, error: Callable[[str], Exception]) -> None:
        for owner, method, future in list(self._waiting.values()):
            if owner is session and not future.done():
                future.set_exception(error(method))

    # -- from the transport --------------------------------------------------------------------------

    def _received(self, data: bytes) -> None:
        envelope = decode_envelope(data)
        if envelope.id is not None:
            self._reply(envelope)
        elif envelope.method:
            session = self._sessions.get(envelope.sessionId)
            if session is not None:
                session._event(envelope.method, envelope.params)
        elif envelope.error is not None:
            # Malformed JSON is answered without an id: our own fault, and nobody's to wait for.
            log.error("Chrome could not read a message: %s", envelope.error.message)

    def _reply(self, envelope: Envelope) -> None:
        waiting = self._waiting.pop(envelope.id or 0, None)
        if waiting is None:
            return
        session, method, future = waiting
        if future.done():
            return
        if envelope.error is not None:
            future.set_exception(session._error(method, envelope.error))
        else:
            future.set_result(bytes(envelope.result))

    def _connection_lost(self, reason: str) -> None:
        if self.lost is not None:
            return
        self.lost = reason
        for _, method, future in list(self._waiting.values()):
            if not future.done():
                future.set_exception(ConnectionLost(f"Chrome went away before it answered {method} ({reason})."))
        sessions = list(self._sessions.values())
        self._sessions.clear()
        for session in sessions:
            session._closed_by(reason)
        for callback in self._lost_callbacks:
            try:
                callback(reason)
            except Exception:
                log.exception("a listener for the end of the connection failed")
