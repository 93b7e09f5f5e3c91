"""A page without a browser, for what needs exact events in an exact order."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

from pagelens.browser.network_rules import NetworkRules
from pagelens.core.options import Options
from pagelens.core.signals import Signal


class FakeReply:
    """An answer that never comes."""

    def on_done(self, callback: Callable[[], object]) -> None:
        pass


@dataclass(eq=False)
class FakeSession:
    """Takes subscriptions, delivers what the test emits, notes what is posted."""

    id: str = "s1"
    target_id: str = "t1"
    target_type: str = "page"
    closed: str | None = None
    posted: list[tuple[str, dict[str, Any]]] = field(default_factory=list)
    raw: dict[str, list[Callable[[bytes], None]]] = field(default_factory=dict)
    ends: list[Callable[[str], None]] = field(default_factory=list)
    answered: list[Callable[[], object]] = field(default_factory=list)

    def on_raw(self, method: str, handler: Callable[[bytes], None]) -> None:
        self.raw.setdefault(method, []).append(handler)

    def on_closed(self, callback: Callable[[str], None]) -> None:
        self.ends.append(callback)

    def post(self, method: str, params: dict[str, Any]) -> FakeReply:
        self.posted.append((method, params))
        return FakeReply()

    def tell(self, method: str, params: Iterable[dict[str, Any]]) -> None:
        self.posted += [(method, one) for one in params]

    def emit(self, method: str, /, **params: Any) -> None:
        for handler in self.raw.get(method, []):
            handler(json.dumps(params).encode())

    def end(self, reason: str = "gone") -> None:
        self.closed = reason
        for callback in self.ends:
            callback(reason)


class FakePage:
    """The signals that collectors connect to."""

    def __init__(self, number: int = 1) -> None:
        self.id = number
        self.was_running = False
        self.main_frame = SimpleNamespace(id="main")
        self.host = SimpleNamespace(
            rules=NetworkRules(Options()), workers=SimpleNamespace(started=Signal[Any]("started"))
        )
        self.requests = SimpleNamespace(applied=Signal[Any]("applied"))
        self.session_attached: Signal[Any] = Signal("session_attached")
        self.navigated: Signal[Any] = Signal("navigated")
        self.closed_signal: Signal[str] = Signal("closed")
        self.crashed: Signal[None] = Signal("crashed")
        self.download_changed: Signal[Any] = Signal("download_changed")

    def attach(self, kind: str = "page", url: str = "", *, was_running: bool = False, **names: str) -> FakeSession:
        """A session that begins; what `AttachedSession.answered` holds is in its `answered`."""
        session = FakeSession(**names, target_type=kind)
        self.session_attached.emit(
            SimpleNamespace(
                session=session,
                kind=kind,
                frame_id="main" if kind == "page" else None,
                url=url,
                init=[],
                was_running=was_running,
                answered=session.answered,
            )
        )
        return session

    def navigate(self, loader: str, url: str = "http://x/", kind: str = "document", *, main: bool = True) -> None:
        frame = self.main_frame if main else SimpleNamespace(id="child")
        self.navigated.emit(SimpleNamespace(frame=frame, url=url, loader_id=loader, kind=kind, is_main=main))


def sent(session: FakeSession, request_id: str, url: str = "http://x/a", *, loader: str = "L0", **more: Any) -> None:
    """Emit ``Network.requestWillBeSent``."""
    request = {"url": url, "method": "GET", "headers": {}, **more.pop("request", {})}
    session.emit(
        "Network.requestWillBeSent",
        requestId=request_id,
        loaderId=loader,
        request=request,
        timestamp=more.pop("timestamp", 1.0),
        wallTime=1700000000.0,
        initiator=more.pop("initiator", {"type": "other"}),
        type=more.pop("type", "Fetch"),
        frameId=more.pop("frame", "main"),
        **more,
    )
