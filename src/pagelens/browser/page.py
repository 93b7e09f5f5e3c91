"""A page: one tab or window, with its frames, workers, dialogs and what it is loading."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

from pagelens.browser import navigation, settle
from pagelens.browser.dialogs import Dialog
from pagelens.browser.downloads import Download
from pagelens.browser.effect import Effect
from pagelens.browser.element import Element, find_element
from pagelens.browser.emulation import PageEmulation
from pagelens.browser.frame import Frame
from pagelens.browser.guard import Guard
from pagelens.browser.loading import LoadTracker
from pagelens.browser.navigation import NavigationResult
from pagelens.browser.page_dialogs import BeforeUnload, PageDialogs
from pagelens.browser.page_frames import Navigated, PageFrames
from pagelens.browser.page_news import PageNews
from pagelens.browser.page_sessions import AttachedSession, PageSessions
from pagelens.browser.request_rules import RequestRules
from pagelens.browser.settle import Depth
from pagelens.browser.webmcp import WebMCP
from pagelens.cdp.session import Reply, Session
from pagelens.core.deadlines import COMMAND, NAVIGATION
from pagelens.core.safe_text import one_line, shortened
from pagelens.core.signals import Signal
from pagelens.errors import (
    CommandTimeout,
    ConnectionLost,
    DeadlineExceeded,
    DialogOpen,
    PageClosed,
    PageCrashed,
    PageUnresponsive,
    ProtocolError,
)

if TYPE_CHECKING:
    from pagelens.browser.host import BrowserHost

__all__ = ["Page"]

#: A page whose script does not yield for this long is taken to be in an endless loop when it must navigate. Seconds.
STUCK = 0.5
#: How often Chrome is asked to close a page, and how long it is given each time. Seconds.
CLOSE_ATTEMPTS = 10
CLOSE_AGAIN = 1.0
#: How long a page that was there before we were may take for its first answer. Seconds.
ANSWER = 3.0


class Page:
    """A page, made by `BrowserHost` when Chrome announces its target.

    Attributes:
        id: our number for it, never used again while the host lives.
        target_id: Chrome's id.
        session: the page's own session; frames in other processes have others.
        host: the browser it lives in.
        opener: the page that opened it, if any.
        frames: every live frame by id.
        loads: what is loading.
        tree, dialogs, news, guard: the parts that follow its frames, its dialogs, what happened unwatched, and how
            long to wait for it.
        emulation: what it is made to believe.
        requests: what becomes of its requests.
        webmcp: the tools that it offers to agents, one registry for all who use the page.
        is_crashed: whether its renderer died and was not revived.
        closed: why it is gone, None while it lives.
        is_asleep: nothing is attached to it: it is known from the browser's list only. Only in a browser that somebody
            else started; `ready` ends it.
        was_running: whether it was there before we were attached, so that it may be in any state.
        has_devtools: whether a person has DevTools open on it, as of `DevToolsWindows.notice`.
        watchers: the actions that are being watched now.
        opened_for: the address that its opener asked for; None while that is not known.
    """

    def __init__(
        self,
        host: BrowserHost,
        page_id: int,
        session: Session,
        info: dict[str, Any],
        opener: Page | None,
        *,
        is_asleep: bool = False,
    ) -> None:
        self.host = host
        self.id = page_id
        self.session = session
        self.target_id: str = info["targetId"]
        self.opener = opener
        self.tree = PageFrames(self, self.target_id, session)
        self.main_frame = self.tree.main
        self.frames = self.tree.by_id
        self.loads = LoadTracker()
        self.dialogs = PageDialogs(self)
        self.news = PageNews(self)
        self.guard = Guard(self)
        self.is_crashed = False
        self.closed: str | None = None
        self.is_asleep = is_asleep
        self.was_running = is_asleep
        self._was_found_dead = False
        self.has_devtools = False
        self.watchers: list[Effect] = []
        self._info = info
        self._sessions = PageSessions(self)
        self._ready: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self.opened_for: str | None = None if opener else ""

        self.session_attached: Signal[AttachedSession] = Signal("session_attached")
        self.navigated: Signal[Navigated] = Signal("navigated")
        self.dialog_opened: Signal[Dialog] = Signal("dialog_opened")
        self.dialog_closed: Signal[Dialog] = Signal("dialog_closed")
        self.popup_opened: Signal[Page] = Signal("popup_opened")
        self.download_changed: Signal[Download] = Signal("download_changed")
        self.crashed: Signal[None] = Signal("crashed")
        self.closed_signal: Signal[str] = Signal("closed")
        self.frame_detached: Signal[Frame] = Signal("frame_detached")
        self.emulation = PageEmulation(self)
        self.requests = RequestRules(self)
        self.webmcp = WebMCP(self)

    def __repr__(self) -> str:
        return f"<Page {self.id} {self.url[:80]}>"

    @property
    def url(self) -> str:
        """The main document's address; never asks the page."""
        return self.main_frame.url or str(self._info.get("url", ""))

    @property
    def title(self) -> str:
        """The title as Chrome last announced it, raw; never asks the page."""
        title = str(self._info.get("title", ""))
        # A document without a title is announced with its address in place of one.
        return "" if title in (self.url, self.url.partition("://")[2].rstrip("/")) else title

    @property
    def context_id(self) -> str:
        """Chrome's id of the browser context that it belongs to."""
        return str(self._info.get("browserContextId", ""))

    @property
    def context_name(self) -> str | None:
        """The isolated context that it belongs to: the name we gave it, or a short id; None in the default one."""
        return self.host.contexts.name(self.context_id)

    @property
    def is_loading(self) -> bool:
        """Whether the main document has not reached its load event; False while that is not known."""
        if self.is_asleep or self.is_crashed or (self.was_running and not self._ready.done()):
            return False
        load = self.loads.of(self.main_frame.id)
        if self.url in ("", "about:blank"):
            # The page that Chrome starts with has loaded before anyone could listen.
            return load.is_under_way
        return load.is_under_way or "load" not in load.milestones

    # -- doing ---------------------------------------------------------------------------------------

    async def ready(self, *, answering: bool = True) -> None:
        """Be attached to the page, and know that it answers: the first step of all that is done with a page.

        Args:
            answering: whether a page that does not answer is an error. It is none for what may bring it back.

        Raises:
            PageUnresponsive: it was there before we were, and gives no answer within `ANSWER` seconds.
            PageClosed, ConnectionLost: it, or its browser, is gone.
        """
        if self.is_asleep:
            await self.host.wake(self)
        if not self.was_running:
            return await self.wait_initialised()
        if await self.loads.wait(self._knows_its_state, ANSWER if answering else STUCK) or not answering:
            return None
        raise PageUnresponsive(
            f"Page {self.id} was open before pagelens attached to it, and does not answer: its script is in a loop, or "
            "a dialog was open already, which only its window or the program that saw it open can answer.",
            "navigate_page may bring it back, to another site more likely than to the same; close_page always works. "
            "The other pages are not affected.",
        )

    def _knows_its_state(self) -> bool:
        return self._ready.done() or self.is_crashed or self.dialog is not None or self.is_asleep

    async def wait_initialised(self) -> None:
        """Wait until every observer of the page is in place; returns at once for a page that is gone.

        Raises:
            CommandTimeout: the page did not answer.
        """
        if not self._ready.done():
            await self.loads.wait(self._ready.done, COMMAND)
        if not self._ready.done():
            raise CommandTimeout(
                f"Page {self.id} did not answer when pagelens attached to it.", "Close it, or work on another page."
            )

    @property
    def knows_its_address(self) -> bool:
        """Whether a new page has committed the document it was opened for."""
        committed = self.loads.of(self.main_frame.id).committed_at > 0 and self.main_frame.url != "about:blank"
        return committed or self.opened_for in ("", "about:blank")

    async def navigate(
        self,
        url: str,
        *,
        timeout: float = NAVIGATION,
        before_unload: BeforeUnload = "accept",
        ignore_cache: bool = False,
        init_script: str | None = None,
    ) -> NavigationResult:
        """Load `url`; see `pagelens.browser.navigation.navigate`."""
        return await navigation.navigate(
            self,
            url,
            timeout=timeout,
            before_unload=before_unload,
            ignore_cache=ignore_cache,
            init_script=init_script,
        )

    async def reload(
        self,
        *,
        timeout: float = NAVIGATION,
        ignore_cache: bool = False,
        before_unload: BeforeUnload = "accept",
        init_script: str | None = None,
    ) -> NavigationResult:
        """Load the current document again."""
        return await navigation.reload(
            self, timeout=timeout, ignore_cache=ignore_cache, before_unload=before_unload, init_script=init_script
        )

    async def go_back(self, *, timeout: float = NAVIGATION, before_unload: BeforeUnload = "accept") -> NavigationResult:
        """One step back in the page's history."""
        return await navigation.history_step(self, -1, timeout=timeout, before_unload=before_unload)

    async def go_forward(
        self, *, timeout: float = NAVIGATION, before_unload: BeforeUnload = "accept"
    ) -> NavigationResult:
        """One step forward in the page's history."""
        return await navigation.history_step(self, +1, timeout=timeout, before_unload=before_unload)

    @asynccontextmanager
    async def acting(self, depth: Depth, frame: Frame | None = None) -> AsyncIterator[Effect]:
        """Do something in the body; on leaving, wait for what it caused and describe it.

        Args:
            depth: ``input`` for the mouse, ``keys`` for keys, ``script`` for evaluate and fill (no frame is waited for,
                and nothing looked at in the document).
            frame: the frame acted on, when it is not the main one: its navigations are waited for too.

        Yields:
            The `Effect`; complete once the context has been left. When the body raises, nothing is waited for.
        """
        async with settle.acting(self, depth, frame) as effect:
            yield effect

    async def element(self, target: str) -> Element:
        """The element of a uid (``e12``) or selector (``css=…``, ``text=…``); see `find_element`."""
        return await find_element(self, target)

    @property
    def dialog(self) -> Dialog | None:
        """The dialog that is open now."""
        return self.dialogs.open

    @property
    def held_by(self) -> Dialog | None:
        """The open dialog, unless somebody is about to answer it."""
        return self.dialogs.holding

    async def handle_dialog(self, accept: bool, text: str | None = None) -> Dialog:
        """Accept or dismiss the open dialog; see `PageDialogs.handle`."""
        return await self.dialogs.handle(accept, text)

    async def close(self) -> None:
        """Close the page without asking its beforeunload handlers.

        Raises:
            DeadlineExceeded: Chrome did not close it.
        """
        asked = 0
        while self.closed is None:
            if asked == CLOSE_ATTEMPTS:
                raise DeadlineExceeded(
                    f"Chrome did not close page {self.id}, asked {asked} times.",
                    "Call close_page again; a page that never closes ends with the browser.",
                )
            asked += 1
            try:
                await self.host.root.send("Target.closeTarget", {"targetId": self.target_id})
            except ProtocolError as error:
                if "No target with given id" not in error.protocol_message:
                    raise
            # A document that takes over just now never hears of it, though Chrome has said yes: ask once more.
            await self.loads.wait(lambda: self.closed is not None, CLOSE_AGAIN)

    async def bring_to_front(self) -> None:
        """Make it the active tab of its window and raise the window. The browser does it: the page is not asked."""
        try:
            await self.host.root.send("Target.activateTarget", {"targetId": self.target_id})
        except ProtocolError:
            self.raise_if_unusable()
            raise

    async def is_responsive(self, timeout: float = STUCK) -> bool:
        """Whether the page's main thread answers within `timeout` seconds."""
        probe = self.session.post("Runtime.evaluate", {"expression": "0"})
        probe.on_done(self.loads.touch)
        return await self.loads.wait(lambda: probe.done, timeout) and not probe.failed

    def end_script(self, session: Session | None = None) -> None:
        """End whatever script the page is running; does nothing to a page that runs none."""
        (session or self.session).post("Runtime.terminateExecution")

    async def guarded(
        self, reply: Reply, timeout: float = COMMAND, *, session: Session | None = None
    ) -> dict[str, Any]:
        """Wait for a command that needs the page's main thread.

        Args:
            reply: the command, already written.
            timeout: seconds; then the script that keeps it waiting is ended.
            session: where it was sent, when not to the page's own session.

        Raises:
            DialogOpen: a dialog is open or opens: the answer comes only after it is handled.
            PageCrashed, PageClosed: the page died; ProtocolError: Chrome refused the command.
            CommandTimeout: no answer in time.
        """
        return await self.guard.wait(reply, timeout, session)

    # -- state in words ------------------------------------------------------------------------------

    def raise_if_unusable(self) -> None:
        """Raise `PageClosed` or `PageCrashed` when nothing can be asked of the page."""
        if self.closed is not None:
            raise self.closed_error()
        if self.is_crashed:
            raise PageCrashed(self.crash_words())

    def closed_error(self) -> PageClosed:
        """The error for a page that is gone."""
        return PageClosed(f"Page {self.id} is closed ({self.closed}).", "Call list_pages to see the open ones.")

    def crash_words(self) -> str:
        """What to say about a crashed page."""
        if self._was_found_dead:
            return (
                f"Page {self.id} has no process: it crashed, or Chrome discarded it to save memory. "
                "Navigate or reload it to bring it back."
            )
        return f"Page {self.id} crashed: its process ended. Navigate or reload it to bring it back."

    def dialog_error(self) -> DialogOpen:
        """The error for a command that can't be answered while a dialog is open."""
        return self.dialogs.error()

    def take_news(self) -> list[str]:
        """What happened unwatched since the last call, in words; forgets it."""
        return self.news.take()

    @staticmethod
    def printable(url: str) -> str:
        return shortened(one_line(url), 300)

    # -- told by the host ----------------------------------------------------------------------------

    def attached(self, session: Session, *, waiting: bool = False) -> None:
        """There is a session for a page that slept: wake up. One that is `waiting` has not run its first script yet."""
        self.session = self.main_frame.session = session
        self.was_running = not waiting
        self.is_asleep = False
        self.start()
        self.loads.touch()

    def introduce(self, listener: Callable[[AttachedSession], None]) -> None:
        """Show a listener of `session_attached` that came late the sessions there are.

        It hears what happens in them from now on.
        """
        self._sessions.introduce(listener)

    def bypass_cache(self) -> Callable[[], None]:
        """Load everything anew in all frames and workers until the function that is returned is called."""
        return self._sessions.bypass_cache()

    def fall_asleep(self, reason: str) -> None:
        """The connection is lost, and the page may live on. What is known of its documents is forgotten."""
        if self.closed is not None:
            return
        connection = self.session.connection
        absent = connection.absent_session(target_id=self.target_id, target_type="page", why="it was lost")
        self.is_asleep = self.was_running = True
        self.guard.interrupt(ConnectionLost(f"The connection to Chrome was lost ({reason}).", "Try again."))
        self._end_of_renderer()
        self.tree.forget_documents()
        self.loads.forget_documents()
        self._sessions.forget()
        self.session = self.main_frame.session = absent
        self.is_crashed = False
        if self._ready.done():
            self._ready = asyncio.get_running_loop().create_future()

    def start(self) -> None:
        """Write the initialisation of the page's own session. Called once, by the host."""
        url = str(self._info.get("url", ""))
        self._sessions.attach(
            AttachedSession(self.session, "page", self.main_frame.id, url, was_running=self.was_running)
        )

    def info_changed(self, info: dict[str, Any]) -> None:
        """Chrome announced another address or title."""
        self._info = info

    def note_download(self, download: Download) -> None:
        """A download of this page began or went on."""
        self.download_changed.emit(download)
        for effect in self.watchers:
            if download not in effect.downloads:
                effect.downloads.append(download)
        if not self.watchers and download.state == "completed":
            self.news.add(f"Download complete: {download.path}")
        self.loads.touch()

    def crash(self) -> None:
        """The page's renderer died."""
        if self.is_crashed or self.closed is not None:
            return
        self.is_crashed = True
        self._was_found_dead = self.was_running and not self._ready.done()
        self._end_of_renderer()
        self.session.fail(lambda _: PageCrashed(self.crash_words()))
        self.guard.interrupt(PageCrashed(self.crash_words()))
        if not self.watchers and not self._was_found_dead:
            self.news.add(self.crash_words())
        self.crashed.emit(None)

    def gone(self, reason: str) -> None:
        """The page was closed, or its browser ended."""
        if self.closed is not None:
            return
        self.closed = reason
        self.initialised()
        self._end_of_renderer()
        self.guard.interrupt(self.closed_error())
        self.main_frame._detach()
        self.closed_signal.emit(reason)

    def session_crashed(self, session: Session) -> None:
        """A session of the page says that its process died."""
        if session is not self.session:
            self.tree.session_crashed(session)
            self.news.add("A frame of the page crashed; reload the page to bring it back.")
        elif self.was_running and not self._ready.done():
            self.crash()  # dead before we came: nobody else says so; else the host hears of it too, once

    def revived(self) -> None:
        """The page has a process again."""
        self.is_crashed = False
        if self._was_found_dead:
            self._was_found_dead = False
            self._sessions.repeat()
        self.loads.touch()

    def initialised(self) -> None:
        """Every observer is in place."""
        if not self._ready.done():
            self._ready.set_result(None)
            self.loads.touch()

    def tell_navigated(self, event: Navigated, *, is_news: bool) -> None:
        """A frame shows something else."""
        # The first document of a popup has no address: that it is there is no navigation.
        if event.is_main and is_news and event.url and not self.watchers:
            self.news.add(f"The page navigated by itself to {self.printable(event.url)}.")
        self.navigated.emit(event)

    def _end_of_renderer(self) -> None:
        self.dialogs.document_gone()
        self.tree.renderer_gone()
        self.loads.forget_all()
