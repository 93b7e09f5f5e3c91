"""A page: one tab or window, with its frames, workers, dialogs and what it is loading."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from pagelens.browser import navigation, settle
from pagelens.browser.dialogs import Dialog
from pagelens.browser.downloads import Download
from pagelens.browser.effect import Effect
from pagelens.browser.element import Element, find_element
from pagelens.browser.frame import Frame
from pagelens.browser.loading import LoadTracker
from pagelens.browser.navigation import BeforeUnload, NavigationResult
from pagelens.browser.settle import Depth
from pagelens.cdp.session import Reply, Session
from pagelens.core.deadlines import COMMAND, DIALOG_GRACE, NAVIGATION
from pagelens.core.safe_text import one_line, shortened
from pagelens.core.signals import Signal
from pagelens.errors import (
    CommandTimeout,
    ConnectionLost,
    DialogOpen,
    NoDialog,
    PageClosed,
    PageCrashed,
    PagelensError,
    PageUnresponsive,
    ProtocolError,
    SessionClosed,
)

if TYPE_CHECKING:
    from pagelens.browser.host import BrowserHost

__all__ = ["AttachedSession", "Navigated", "Page"]

log = logging.getLogger(__name__)

#: Response bodies stay in Chrome, across navigations, up to these many bytes in all and for one resource.
BODY_BUFFER = 128 * 1024 * 1024
BODY_LIMIT = 64 * 1024 * 1024
#: Popups one page may keep open; more are closed and said.
POPUP_LIMIT = 20
#: News that nobody asked for yet is kept up to this many lines.
NEWS_LIMIT = 20
#: A page whose script does not yield for this long is taken to be in an endless loop when it must navigate. Seconds.
STUCK = 0.5
#: How long a page that was there before we were may take for its first answer. Seconds.
ANSWER = 3.0

SessionKind = Literal["page", "iframe", "worker"]
NavigatedKind = Literal["document", "same_document", "bfcache", "error"]


@dataclass(eq=False)
class AttachedSession:
    """A session that is about to start: the page's own, a frame in another process, or a worker.

    Listeners subscribe to `session` and add commands to `init`; all of it is written before the target
    runs its first script.

    Attributes:
        frame_id: the frame, None for workers.
        url: what the target shows or runs, as far as it is known; often empty at this moment.
    """

    session: Session
    kind: SessionKind
    frame_id: str | None
    url: str
    init: list[tuple[str, dict[str, Any]]] = field(default_factory=list)


@dataclass(frozen=True)
class Navigated:
    """A frame shows something else: a new document, or another place in the same one."""

    frame: Frame
    url: str
    loader_id: str
    kind: NavigatedKind

    @property
    def is_main(self) -> bool:
        """Whether it was the page's main frame."""
        return self.frame.is_main


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
        dialog: the dialog that is open now.
        is_crashed: whether its renderer died and was not revived.
        closed: why it is gone, None while it lives.
        is_asleep: nothing is attached to it: it is known from the browser's list only. Only in a browser that somebody
            else started; `ready` ends it.
        was_running: whether it was there before we were attached, so that it may be in any state.
        before_unload: what to answer a ``beforeunload`` dialog while a navigation is ordered, None otherwise.
        stayed: whether the last ordered navigation was refused by such a dialog.
        is_asking_to_stay: whether such a dialog has been answered and is about to close.
        watchers: the actions that are being watched now.
        unreported: what happened while no action was watched, in words, for the next reply.
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
        self.main_frame = Frame(self, self.target_id, None, session)
        self.frames: dict[str, Frame] = {self.main_frame.id: self.main_frame}
        self.loads = LoadTracker()
        self.dialog: Dialog | None = None
        self.is_crashed = False
        self.closed: str | None = None
        self.is_asleep = is_asleep
        self.was_running = is_asleep
        self._was_found_dead = False
        self.unreported: list[str] = []
        self.before_unload: BeforeUnload | None = None
        self.stayed = False
        self.is_asking_to_stay = False
        self.watchers: list[Effect] = []
        self._info = info
        self._sessions: dict[str, Session] = {}
        self._ready: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._interrupts: set[asyncio.Future[PagelensError]] = set()
        self._refused_popups = 0
        self._opened_for: str | None = None if opener else ""
        self._windows_opened: list[str] = []

        self.session_attached: Signal[AttachedSession] = Signal("session_attached")
        self.navigated: Signal[Navigated] = Signal("navigated")
        self.dialog_opened: Signal[Dialog] = Signal("dialog_opened")
        self.dialog_closed: Signal[Dialog] = Signal("dialog_closed")
        self.popup_opened: Signal[Page] = Signal("popup_opened")
        self.download_changed: Signal[Download] = Signal("download_changed")
        self.crashed: Signal[None] = Signal("crashed")
        self.closed_signal: Signal[str] = Signal("closed")
        self.frame_detached: Signal[Frame] = Signal("frame_detached")

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
        if self.is_asleep or self.is_crashed or not self._ready.done():
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
        return committed or self._opened_for in ("", "about:blank")

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
            depth: ``input`` for clicks and keys, ``script`` for evaluate and fill (no frame is waited for).
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
    def held_by(self) -> Dialog | None:
        """The open dialog, unless somebody is about to answer it."""
        return None if self.dialog is None or self.dialog.is_attended else self.dialog

    def leave_dialog(self, dialog: Dialog) -> None:
        """Who was about to answer `dialog` has not done so: if it is still open, it holds the page from now on."""
        dialog.is_attended = False
        if self.dialog is dialog:
            self._interrupt(self.dialog_error())

    async def handle_dialog(self, accept: bool, text: str | None = None) -> Dialog:
        """Accept or dismiss the open dialog.

        Args:
            text: what to enter into a prompt before accepting; its default value when None.

        Raises:
            NoDialog: none is open.
        """
        dialog = self.dialog
        if dialog is None:
            raise NoDialog(f"Page {self.id} has no open dialog.", "Nothing needs to be handled.")
        params: dict[str, Any] = {"accept": accept}
        if accept and dialog.type == "prompt":
            params["promptText"] = dialog.default_value if text is None else text
        try:
            await dialog.session.send("Page.handleJavaScriptDialog", params)
        except ProtocolError as error:
            if "No dialog is showing" not in error.protocol_message and not isinstance(error, SessionClosed):
                raise
            self._dialog_over(dialog, "gone")
            raise NoDialog("The dialog had already been closed.", "Nothing needs to be handled.") from error
        # The event that closes it follows the reply; whoever comes next must not meet a closed dialog.
        self._dialog_over(dialog, "accepted" if accept else "dismissed")
        return dialog

    async def close(self) -> None:
        """Close the page without asking its beforeunload handlers."""
        if self.closed is None:
            try:
                await self.host.root.send("Target.closeTarget", {"targetId": self.target_id})
            except ProtocolError as error:
                if "No target with given id" not in error.protocol_message:
                    raise
            await self.loads.wait(lambda: self.closed is not None, COMMAND)

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
        if self.is_crashed and (session or self.session) is self.session:
            # Chrome keeps such commands for the page's next life, and answers none before.
            raise PageCrashed(self.crash_words())
        if self.held_by is not None and not reply.done:
            # Some commands are answered all the same: give them a moment.
            await self._wait_reply(reply, DIALOG_GRACE)
            if not reply.done:
                raise self.dialog_error()
        elif not reply.done:
            interrupt: asyncio.Future[PagelensError] = asyncio.get_running_loop().create_future()
            self._interrupts.add(interrupt)
            try:
                await self._wait_reply(reply, timeout, interrupt)
                if not reply.done and interrupt.done():
                    raise interrupt.result()
            finally:
                self._interrupts.discard(interrupt)
                interrupt.cancel()
        if not reply.done:
            if self.dialog is not None:
                raise self.dialog_error()  # whoever was to answer it took too long
            self.end_script(session)
            raise CommandTimeout(*self._timeout_words(timeout))
        try:
            return reply.result()
        except SessionClosed as error:
            if self.closed is not None:
                raise self.closed_error() from error
            if self.is_crashed:
                raise PageCrashed(self.crash_words()) from error
            raise

    @staticmethod
    async def _wait_reply(reply: Reply, timeout: float, interrupt: asyncio.Future[PagelensError] | None = None) -> None:
        loop = asyncio.get_running_loop()
        done: asyncio.Future[None] = loop.create_future()

        def finish(*_: object) -> None:
            if not done.done():
                done.set_result(None)

        reply.on_done(finish)
        if interrupt is not None:
            interrupt.add_done_callback(finish)
        timer = loop.call_later(timeout, finish)
        try:
            await done
        finally:
            timer.cancel()

    def _timeout_words(self, timeout: float) -> tuple[str, str]:
        load = self.loads.of(self.main_frame.id)
        if load.is_under_way:
            return (
                f"The page did not answer within {timeout:g} s: it is navigating to "
                f"{self._printable(load.started_url)}, which has not answered yet.",
                "Try again later, or navigate elsewhere.",
            )
        return (
            f"The page did not answer within {timeout:g} s: its script was busy, so it was ended.",
            "The page may work again now; if it does not, reload it.",
        )

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
        words = self.dialog.words() if self.dialog else "a dialog"
        return DialogOpen(
            f"Page {self.id} is held by an open dialog: {words}.", "Call handle_dialog to accept or dismiss it."
        )

    def add_news(self, words: str) -> None:
        """Keep something that happened while nobody watched, for the next reply."""
        if words not in self.unreported:
            self.unreported.append(words)
            del self.unreported[:-NEWS_LIMIT]

    def take_news(self) -> list[str]:
        """What happened unwatched since the last call, in words; forgets it."""
        news, self.unreported = self.unreported, []
        if self._refused_popups:
            news.append(
                f"{self._refused_popups} more popups were closed: a page may keep {POPUP_LIMIT} of its own open."
            )
            self._refused_popups = 0
        return news

    @staticmethod
    def _printable(url: str) -> str:
        return shortened(one_line(url), 300)

    # -- told by the host ----------------------------------------------------------------------------

    def attached(self, session: Session) -> None:
        """There is a session for a page that slept: wake up."""
        self.session = self.main_frame.session = session
        self.is_asleep = False
        self.start()
        self.loads.touch()

    def fall_asleep(self, reason: str) -> None:
        """The connection is lost, and the page may live on. What is known of its documents is forgotten."""
        if self.closed is not None:
            return
        connection = self.session.connection
        absent = connection.absent_session(target_id=self.target_id, target_type="page", why="it was lost")
        self.is_asleep = self.was_running = True
        self._interrupt(ConnectionLost(f"The connection to Chrome was lost ({reason}).", "Try again."))
        self._end_of_renderer(reason)
        for child in list(self.main_frame.children):
            self._remove(child)
        self._sessions.clear()
        self.session = self.main_frame.session = absent
        self.is_crashed = False
        if self._ready.done():
            self._ready = asyncio.get_running_loop().create_future()

    def start(self) -> None:
        """Write the initialisation of the page's own session. Called once, by the host."""
        self._attach(AttachedSession(self.session, "page", self.main_frame.id, str(self._info.get("url", ""))))

    def info_changed(self, info: dict[str, Any]) -> None:
        """Chrome announced another address or title."""
        self._info = info

    def popup(self, page: Page) -> None:
        """This page opened another one."""
        self._name_popups()
        self.popup_opened.emit(page)
        for effect in self.watchers:
            effect.new_pages.append(page)
        if not self.watchers:
            self.add_news(f"The page opened a new page (page {page.id}).")
        self.loads.touch()

    def _window_open(self, p: dict[str, Any]) -> None:
        # Comes before or after the new page's target, whose own address is empty at first.
        self._windows_opened.append(p["url"])
        self._name_popups()

    def _name_popups(self) -> None:
        nameless = [page for page in self.host.pages.values() if page.opener is self and page._opened_for is None]
        for page in nameless[: len(self._windows_opened)]:
            page._opened_for = self._windows_opened.pop(0)
            page.loads.touch()

    def may_open_popup(self) -> bool:
        """Whether one more popup is within the limit; counts those that are not."""
        mine = sum(1 for page in self.host.pages.values() if page.opener is self)
        if mine < POPUP_LIMIT:
            return True
        self._refused_popups += 1
        return False

    def note_download(self, download: Download) -> None:
        """A download of this page began or went on."""
        self.download_changed.emit(download)
        for effect in self.watchers:
            if download not in effect.downloads:
                effect.downloads.append(download)
        if not self.watchers and download.state == "completed":
            self.add_news(f"Download complete: {download.path}")
        self.loads.touch()

    def crash(self) -> None:
        """The page's renderer died."""
        if self.is_crashed or self.closed is not None:
            return
        self.is_crashed = True
        self._was_found_dead = self.was_running and not self._ready.done()
        self._end_of_renderer("its process crashed")
        self.session.fail(lambda _: PageCrashed(self.crash_words()))
        self._interrupt(PageCrashed(self.crash_words()))
        if not self.watchers and not self._was_found_dead:
            self.add_news(self.crash_words())
        self.crashed.emit(None)

    def gone(self, reason: str) -> None:
        """The page was closed, or its browser ended."""
        if self.closed is not None:
            return
        self.closed = reason
        self._initialised()
        self._end_of_renderer(reason)
        self._interrupt(self.closed_error())
        self.main_frame._detach()
        self.closed_signal.emit(reason)

    def _end_of_renderer(self, reason: str) -> None:
        if self.dialog is not None:
            self._dialog_over(self.dialog, "gone")
        for frame in self.frames.values():
            frame._contexts_cleared()
        self.loads.forget_all()

    def _interrupt(self, error: PagelensError) -> None:
        for interrupt in self._interrupts:
            if not interrupt.done():
                interrupt.set_result(error)
        self.loads.touch()

    # -- sessions ------------------------------------------------------------------------------------

    def _attach(self, attached: AttachedSession) -> None:
        session = attached.session
        self._sessions[session.id] = session
        session.on("Target.attachedToTarget", self._child_attached)
        session.on("Target.detachedFromTarget", self._child_detached)
        init: list[tuple[str, dict[str, Any]]] = [("Runtime.enable", {})]
        if attached.kind == "worker":
            self.loads.listen_network(session)
        else:
            self._listen_document(session)
            init += [
                ("Page.enable", {}),
                ("Inspector.enable", {}),
                ("Page.setLifecycleEventsEnabled", {"enabled": True}),
                # A hidden page behaves as if it were in front: its frames are drawn and its input works.
                ("Emulation.setFocusEmulationEnabled", {"enabled": True}),
            ]
        init += [
            (
                "Network.enable",
                {
                    "enableDurableMessages": True,
                    "maxTotalBufferSize": BODY_BUFFER,
                    "maxResourceBufferSize": BODY_LIMIT,
                },
            ),
            ("Target.setAutoAttach", self.host.auto_attach(root=False)),
        ]
        self.session_attached.emit(attached)
        # Written without awaiting: a paused target answers nothing until the last of these lets it run.
        replies = [session.post(method, params) for method, params in [*init, *attached.init]]
        replies.append(session.post("Runtime.runIfWaitingForDebugger"))
        if attached.kind == "page":
            tree = session.post("Page.getFrameTree")
            tree.on_done(lambda: self._frame_tree(tree, session))
            replies.append(tree)
        for reply in replies:
            reply.on_done(lambda reply=reply: self._init_answered(reply, attached))  # type: ignore[misc]
        if attached.kind == "page":
            replies[-1].on_done(self._initialised)

    def _initialised(self) -> None:
        if not self._ready.done():
            self._ready.set_result(None)
            self.loads.touch()

    def _init_answered(self, reply: Reply, attached: AttachedSession) -> None:
        if reply.failed and attached.session.closed is None and self.closed is None and not self.is_crashed:
            try:
                reply.result()
            except PagelensError as error:
                # Workers lack some domains; anything else would blind us, so it must be seen.
                level = logging.DEBUG if attached.kind == "worker" else logging.WARNING
                log.log(level, "initialising %s of page %d: %s", attached.kind, self.id, error)

    def _child_attached(self, p: dict[str, Any]) -> None:
        info = p["targetInfo"]
        kind = info["type"]
        session = self.session.connection.open_session(p["sessionId"], target_id=info["targetId"], target_type=kind)
        if kind == "iframe":
            frame = self._frame(info["targetId"], info.get("parentFrameId"), session)
            frame.session = session
            frame._contexts_cleared()
            self._attach(AttachedSession(session, "iframe", frame.id, info["url"]))
        elif kind in ("worker", "shared_worker", "worklet", "audio_worklet"):
            self._attach(AttachedSession(session, "worker", None, info["url"]))
        else:
            session.post("Runtime.runIfWaitingForDebugger")

    def _child_detached(self, p: dict[str, Any]) -> None:
        session = self._sessions.pop(p["sessionId"], None)
        self.session.connection.close_session(p["sessionId"], "its target was closed")
        if session is None:
            return
        for frame in list(self.frames.values()):
            # A frame that moved back into its parent's process has been given that session already.
            if frame.session is session and frame.parent is not None:
                frame.session = frame.parent.session
                frame._contexts_cleared()

    # -- documents -----------------------------------------------------------------------------------

    def _listen_document(self, session: Session) -> None:
        on = session.on
        on("Page.frameAttached", lambda p: self._frame(p["frameId"], p["parentFrameId"], session))
        on("Page.frameDetached", self._frame_detached)
        on("Page.frameNavigated", lambda p: self._frame_navigated(session, p))
        on("Page.navigatedWithinDocument", self._moved_within)
        on("Page.windowOpen", self._window_open)
        on("Page.javascriptDialogOpening", lambda p: self._dialog_opening(session, p))
        on("Page.javascriptDialogClosed", self._dialog_closed)
        on("Runtime.executionContextCreated", self._context_created)
        on("Runtime.executionContextDestroyed", lambda p: self._context_destroyed(session, p["executionContextId"]))
        on("Runtime.executionContextsCleared", lambda _: self._contexts_cleared(session))
        on("Inspector.targetCrashed", lambda _: self._session_crashed(session))
        on("Inspector.targetReloadedAfterCrash", lambda _: self._revived())
        self.loads.listen(session)

    def _frame(self, frame_id: str, parent_id: str | None, session: Session) -> Frame:
        frame = self.frames.get(frame_id)
        if frame is None:
            parent = self.frames.get(parent_id or "", self.main_frame)
            frame = self.frames[frame_id] = Frame(self, frame_id, parent, session)
        return frame

    def _frame_tree(self, reply: Reply, session: Session) -> None:
        if reply.failed:
            return

        def merge(tree: dict[str, Any]) -> None:
            described = tree["frame"]
            frame = self._frame(described["id"], described.get("parentId"), session)
            if not frame.url:
                frame.url = described["url"] + described.get("urlFragment", "")
                frame.name = described.get("name", "")
                frame.loader_id = described["loaderId"]
            load = self.loads.of(frame.id)
            load.loader_id = load.loader_id or described["loaderId"]
            for child in tree.get("childFrames", []):
                merge(child)

        merge(reply.result()["frameTree"])

    def _frame_detached(self, p: dict[str, Any]) -> None:
        frame = self.frames.get(p["frameId"])
        if frame is not None and p.get("reason") != "swap" and not frame.is_main:
            self._remove(frame)

    def _remove(self, frame: Frame) -> None:
        for gone in frame._detach():
            self.frames.pop(gone.id, None)
            self.loads.frame_gone(gone.id)
            self.frame_detached.emit(gone)

    def _frame_navigated(self, session: Session, p: dict[str, Any]) -> None:
        described = p["frame"]
        if described.get("parentId") is None and described["id"] != self.main_frame.id and session is self.session:
            # The main frame was exchanged for one that had been prepared elsewhere (prerendering).
            self.frames.pop(self.main_frame.id, None)
            self.main_frame.id = described["id"]
            self.frames[described["id"]] = self.main_frame
        frame = self._frame(described["id"], described.get("parentId"), session)
        frame.session = session
        frame.is_crashed = False
        for child in list(frame.children):
            self._remove(child)
        is_restore = p.get("type") == "BackForwardCacheRestore"
        kind: NavigatedKind = "bfcache" if is_restore else "error" if described.get("unreachableUrl") else "document"
        # A new page that gets the address it was opened for is no news.
        is_news = frame.url not in ("", "about:blank")
        frame.url = (described.get("unreachableUrl") or described["url"]) + described.get("urlFragment", "")
        frame.name = described.get("name", "")
        frame.loader_id = described["loaderId"]
        if frame.is_main:
            self.is_crashed = False
            if self.dialog is not None and self.dialog.session is session:
                self._dialog_over(self.dialog, "gone")
        if is_restore:
            # Its frames come back without being announced.
            tree = session.post("Page.getFrameTree")
            tree.on_done(lambda: self._frame_tree(tree, session))
        self.loads.navigated(frame.id, frame.loader_id, kind)
        self._tell_navigated(Navigated(frame, frame.url, frame.loader_id, kind), is_news=is_news)

    def _moved_within(self, p: dict[str, Any]) -> None:
        frame = self.frames.get(p["frameId"])
        if frame is not None:
            frame.url = p["url"]
            self.loads.moved_within(frame.id, frame.url)
            self._tell_navigated(Navigated(frame, frame.url, frame.loader_id, "same_document"), is_news=False)

    def _tell_navigated(self, event: Navigated, *, is_news: bool) -> None:
        if event.is_main and is_news and not self.watchers:
            self.add_news(f"The page navigated by itself to {self._printable(event.url)}.")
        self.navigated.emit(event)

    def _context_created(self, p: dict[str, Any]) -> None:
        context = p["context"]
        frame = self.frames.get(context.get("auxData", {}).get("frameId", ""))
        if frame is not None:
            frame._context_created(context)

    def _context_destroyed(self, session: Session, context_id: int) -> None:
        for frame in self.frames.values():
            if frame.session is session:
                frame._context_destroyed(context_id)

    def _contexts_cleared(self, session: Session) -> None:
        for frame in self.frames.values():
            if frame.session is session:
                frame._contexts_cleared()

    def _session_crashed(self, session: Session) -> None:
        if session is self.session:
            self.crash()  # a page that was dead before we came says so only here
            return
        session.fail(lambda _: Frame.crash_error())
        for frame in self.frames.values():
            if frame.session is session:
                frame.is_crashed = True
                frame._contexts_cleared()
        self.add_news("A frame of the page crashed; reload the page to bring it back.")

    def _revived(self) -> None:
        self.is_crashed = False
        self.loads.touch()

    # -- dialogs -------------------------------------------------------------------------------------

    def _dialog_opening(self, session: Session, p: dict[str, Any]) -> None:
        dialog = Dialog(p["type"], p["message"], p.get("defaultPrompt", ""), p["url"], session)
        if dialog.type == "beforeunload" and self.before_unload is not None:
            accept = self.before_unload == "accept"
            self.stayed = not accept
            self.is_asking_to_stay = True
            self.loads.touch()
            session.post("Page.handleJavaScriptDialog", {"accept": accept})
            return
        self.dialog = dialog
        self.dialog_opened.emit(dialog)
        for effect in self.watchers:
            effect.dialog = dialog
        if not dialog.is_attended:
            self._interrupt(self.dialog_error())

    def _dialog_closed(self, p: dict[str, Any]) -> None:
        if self.is_asking_to_stay:
            self.is_asking_to_stay = False
            self.loads.touch()
        if self.dialog is not None:
            self._dialog_over(self.dialog, "accepted" if p["result"] else "dismissed")

    def _dialog_over(self, dialog: Dialog, outcome: str) -> None:
        if dialog.outcome is not None:
            return
        dialog.close(outcome)
        if self.dialog is dialog:
            self.dialog = None
        self.dialog_closed.emit(dialog)
        self.loads.touch()
