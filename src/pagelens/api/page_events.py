"""Which events a page has, and where in the engine they come from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pagelens.api.console import ConsoleMessage
from pagelens.api.download import Download
from pagelens.api.network import Request, Response

if TYPE_CHECKING:
    from pagelens.api.events import Emitter
    from pagelens.api.frame import Frame
    from pagelens.api.page import Page
    from pagelens.browser.downloads import Download as EngineDownload
    from pagelens.browser.page_frames import Navigated, NavigatedKind
    from pagelens.collectors.console_message import ConsoleMessage as ConsoleRecord

__all__ = ["PAGE_EVENTS", "FrameNavigated", "relay"]

#: Events of a page; their payloads are listed in docs/library.md.
PAGE_EVENTS = (
    "console",
    "uncaughterror",
    "issue",
    "request",
    "response",
    "requestfinished",
    "dialog",
    "popup",
    "download",
    "framenavigated",
    "crash",
    "close",
)


@dataclass(frozen=True, slots=True)
class FrameNavigated:
    """A frame shows something else.

    Attributes:
        frame: which; `Frame.is_main` tells the page's own.
        url: what it shows now.
        kind: a new ``document``, ``same_document``, ``bfcache`` (restored as it was left) or ``error`` (Chrome's page).
    """

    frame: Frame
    url: str
    kind: NavigatedKind


def relay(page: Page, events: Emitter) -> None:
    """Emit the page's events, except ``dialog``, which has a desk of its own."""
    engine, network, console = page._engine, page._mcp.network, page._mcp.console
    known: set[str] = set()

    def said(record: ConsoleRecord) -> None:
        name = {"exception": "uncaughterror", "issue": "issue"}.get(record.origin, "console")
        events.emit(name, ConsoleMessage(page, record))

    def navigated(event: Navigated) -> None:
        events.emit("framenavigated", FrameNavigated(page._frame(event.frame), event.url, event.kind))

    def downloading(download: EngineDownload) -> None:
        if download.guid not in known:
            known.add(download.guid)
            events.emit("download", Download(page, download))

    console.collected.connect(said)
    network.collected.connect(lambda record: events.emit("request", Request(page, record)))
    network.answered.connect(lambda record: events.emit("response", Response(Request(page, record))))
    network.finished.connect(lambda record: events.emit("requestfinished", Request(page, record)))
    engine.navigated.connect(navigated)
    engine.download_changed.connect(downloading)
    engine.popup_opened.connect(lambda popup: events.emit("popup", page.browser._page_of(popup)))
    engine.crashed.connect(lambda _: events.emit("crash", page))
    engine.closed_signal.connect(lambda _: events.emit("close", page))
