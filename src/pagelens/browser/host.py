"""A live Chrome, started by us or by somebody else: its connection and its pages."""

from __future__ import annotations

import asyncio
import itertools
import logging
from contextlib import AsyncExitStack
from typing import Any

from pagelens.browser.arguments import HEADLESS_VIEWPORT
from pagelens.browser.attach import attach
from pagelens.browser.auth import Auth
from pagelens.browser.contexts import Contexts
from pagelens.browser.devtools_windows import DevToolsWindows
from pagelens.browser.downloads import Downloads
from pagelens.browser.file_access import FileAccess
from pagelens.browser.lazy_targets import LazyTargets
from pagelens.browser.live import LiveBrowser
from pagelens.browser.network_rules import NetworkRules
from pagelens.browser.page import Page
from pagelens.browser.permissions import Permissions
from pagelens.browser.process import launch
from pagelens.browser.uids import UidAllocator
from pagelens.browser.workers import WORKER_TYPES, Workers
from pagelens.browser.world import new_world_name
from pagelens.cdp.session import Session
from pagelens.core.options import Options
from pagelens.core.signals import Signal
from pagelens.errors import ConnectionLost, PageClosed, PageNotFound

__all__ = ["BrowserHost"]

log = logging.getLogger(__name__)

#: Targets that are no business of ours: Chrome's own surfaces, and the tab and browser targets around pages.
_ALWAYS_EXCLUDED = ("browser_ui", "browser", "tab")


class BrowserHost:
    """Holds the browser: starts it on first use, again after a loss, and ends it; or, when the options name one that
    runs already, attaches to it on first use, again after a loss, and lets go of it.

    Several contexts may share one host; none of them closes it.

    Attributes:
        options: what the user chose.
        generation: 0 before the first start, one more at each start or attachment.
        pages: live pages by id, in order of birth. Ids are never used again, also across restarts; a page keeps its
            id when a connection is lost and made again.
        workers: its service and shared workers.
        contexts: groups of pages with cookies and storage of their own.
        page_created: a page is about to be initialised: connect to its signals here.
        uids: the numbers of elements.
        users: how many contexts (`McpContext`) share it.
        world_name: of the isolated worlds that our page-side functions run in.
        downloads: files that pages sent to be saved.
        devtools: DevTools windows that a person has open.
        rules: what pages may load.
        has_webmcp: whether its pages can offer tools; None until a secure document was asked (`browser.webmcp`).
        files: which files they may load.
    """

    def __init__(self, options: Options) -> None:
        self.options = options
        self.generation = 0
        self.pages: dict[int, Page] = {}
        self.page_created: Signal[Page] = Signal("page_created")
        self.workers = Workers(self)
        self.uids = UidAllocator()
        self.users = 0
        self.world_name = new_world_name()
        self.downloads = Downloads(self)
        self.devtools = DevToolsWindows(self)
        self.rules = NetworkRules(options)
        self.page_created.connect(self.rules.watch)
        self._auth = Auth(options)
        self.page_created.connect(Permissions(self).watch)
        self.files = FileAccess()
        self.page_created.connect(self.files.watch)
        self._page_ids = itertools.count(1)
        self.contexts = Contexts(self)
        self.has_webmcp: bool | None = None
        self._browser: LiveBrowser | None = None
        self._lazy: LazyTargets | None = None
        self._starting = asyncio.Lock()
        self._by_target: dict[str, Page] = {}
        self._undecided: dict[str, Session] = {}
        self._closed_pages: dict[int, str] = {}
        self._is_closed = False

    # -- life ----------------------------------------------------------------------------------------

    @property
    def is_running(self) -> bool:
        """Whether Chrome is there and connected."""
        return self._browser is not None and self._browser.connection.lost is None

    @property
    def lost_because(self) -> str | None:
        """Why the last connection ended; None while there is one, and before the first."""
        return self._browser.connection.lost if self._browser is not None else None

    @property
    def product(self) -> str:
        """E.g. ``Chrome/156.0.8078.108``; empty before the first start."""
        return self._browser.product if self._browser else ""

    @property
    def is_headless(self) -> bool:
        """Whether the browser has no window, so that nobody could answer what it asks."""
        return self._browser is not None and self._browser.headless

    @property
    def notes(self) -> list[str]:
        """What was decided on the user's behalf at the last start, one sentence each."""
        return self._browser.notes if self._browser else []

    @property
    def root(self) -> Session:
        """The browser's own session.

        Raises:
            ConnectionLost: Chrome is not running.
        """
        if self._browser is None:
            raise ConnectionLost("Chrome is not running.", "The next call starts it.")
        return self._browser.connection.root

    async def ensure_running(self) -> bool:
        """Start Chrome if it is not running, or attach to it; calls at the same time do so once.

        Returns:
            Whether this call had to do it again after Chrome was lost.

        Raises:
            BrowserError: it can't be started or reached; see `pagelens.browser.process.launch` and
                `pagelens.browser.attach.attach`.
        """
        if self.is_running:
            return False
        async with self._starting:
            if self.is_running:
                return False
            if self._is_closed:
                raise ConnectionLost("The browser has been closed.", "Start pagelens again.")
            lost = self._browser
            if lost is not None:
                await lost.close()
            options = self.options
            browser: LiveBrowser = await attach(options) if options.is_attaching else await launch(options)
            self._browser = browser
            self.generation += 1
            try:
                await self._take_over(browser)
            except BaseException:
                await browser.close()
                raise
            return lost is not None

    async def close(self) -> None:
        """End Chrome, or let go of one that is not ours: its pages stay, also those that we opened.

        Idempotent; the host can't be started again.
        """
        self._is_closed = True
        async with self._starting:
            if self._browser is not None:
                await self._browser.close()
        for target_id in list(self._by_target):
            self.target_gone(target_id, "pagelens let go of it")
        self.downloads.remove_empty_directory()

    async def _take_over(self, browser: LiveBrowser) -> None:
        connection = browser.connection
        if connection.lost is not None:
            raise ConnectionLost(f"The connection to Chrome was lost at once ({connection.lost}).", "Try again.")
        connection.on_lost(self._lost)
        root = connection.root
        root.on("Target.detachedFromTarget", self._detached)
        root.on("Target.targetDestroyed", lambda p: self.target_gone(p["targetId"], "it was closed"))
        root.on("Target.targetCrashed", self._target_crashed)
        self.downloads.listen(root)
        self.devtools.listen(root)
        await self._auth.start(root)
        await self.contexts.learn()
        if not browser.owned:
            self._lazy = LazyTargets(self, root)
            await self._lazy.start()
            return
        root.on("Target.attachedToTarget", self._attached)
        root.on("Target.targetInfoChanged", self._info_changed)
        replies = [
            root.post("Target.setDiscoverTargets", {"discover": True, "filter": self.target_filter()}),
            root.post("Target.setAutoAttach", self.auto_attach(root=True)),
            root.post("Browser.setDownloadBehavior", self.downloads.behavior()),
        ]
        for reply in replies:
            await reply
        for number, page in enumerate(list(self.pages.values())):
            await page.wait_initialised()
            if not number:
                await self.rules.forget_cached(page)
            await self._fit(page)

    # -- pages ---------------------------------------------------------------------------------------

    async def new_page(self, *, background: bool = False, isolated_context: str | None = None) -> Page:
        """Open a page on about:blank, initialised: whatever it loads next is recorded from the start.

        Args:
            background: leave the page that is in front where it is.
            isolated_context: a name: pages of one name share cookies and storage, with no others. The context is
                made with its first page and ends with its last.
        """
        browser = self._browser
        params: dict[str, Any] = {"url": "about:blank", "background": background}
        if browser is not None and browser.headless:
            # A window of its own keeps every page visible, and so able to be photographed.
            params["newWindow"] = True
        async with AsyncExitStack() as held:
            if isolated_context is not None:
                params["browserContextId"] = await held.enter_async_context(self.contexts.opening(isolated_context))
            target_id = (await self.root.send("Target.createTarget", params))["targetId"]
            page = self._by_target.get(target_id)
            if page is None:
                # Announced before the reply, always; unless it has been closed within the same moment.
                raise PageClosed("The new page was closed before it could be used.", "Open another one.")
            await self.wake(page)
            await page.wait_initialised()
            if browser is not None and (browser.owned or browser.headless):
                await self._fit(page)
        return page

    async def wake(self, page: Page) -> None:
        """Attach to a page of a browser that is not ours, if that was not done yet; see `Page.ready`."""
        if page.is_asleep:
            if self._lazy is None or page.closed is not None:
                raise page.closed_error()
            await self._lazy.wake(page)

    def page(self, page_id: int) -> Page:
        """The live page of this id.

        Raises:
            PageClosed: there was one, and it is closed. PageNotFound: there never was.
        """
        page = self.pages.get(page_id)
        if page is not None:
            return page
        live = ", ".join(map(str, self.pages)) or "none"
        if page_id in self._closed_pages:
            raise PageClosed(f"Page {page_id} is closed ({self._closed_pages[page_id]}).", f"Open pages: {live}.")
        raise PageNotFound(f"There is no page {page_id}.", f"Open pages: {live}. Call list_pages to see them.")

    async def refresh(self) -> None:
        """Bring the pages' titles up to date. Chrome announces changes, but not a new document's first title.

        The browser process answers this: a page that is stuck delays nothing.
        """
        for info in (await self.root.send("Target.getTargets"))["targetInfos"]:
            page = self._by_target.get(info["targetId"])
            if page is not None:
                page.info_changed(info)

    def page_of_target(self, target_id: str) -> Page | None:
        """The live page of this target."""
        return self._by_target.get(target_id)

    def page_of_frame(self, frame_id: str) -> Page | None:
        """The page that holds a frame."""
        return next((page for page in self.pages.values() if frame_id in page.frames), None)

    def auto_attach(self, *, root: bool) -> dict[str, Any]:
        """Parameters for ``Target.setAutoAttach`` on the root or a page's session."""
        # A service worker attaches at the root; it would attach to each of its pages once more. Where the root attaches
        # to pages only, those of pages in use are taken when there are rules for them.
        at_root = self._browser is None or self._browser.owned or not self.rules.policy.has_rules
        return {
            "autoAttach": True,
            "waitForDebuggerOnStart": True,
            "flatten": True,
            "filter": self.target_filter() if root or not at_root else self.target_filter("service_worker"),
        }

    @staticmethod
    def target_filter(*more: str) -> list[dict[str, Any]]:
        """A filter for ``Target`` commands: no targets that are none of our business, and none of the types `more`."""
        return [*({"type": kind, "exclude": True} for kind in (*_ALWAYS_EXCLUDED, *more)), {}]

    async def _fit(self, page: Page) -> None:
        """Give the page the viewport that the user chose, or a usual one when nobody sees its window."""
        assert self._browser is not None
        size = self.options.viewport or (HEADLESS_VIEWPORT if self._browser.headless else None)
        if size is None or page.closed is not None:
            return
        width, height = size
        window = await self.root.send("Browser.getWindowForTarget", {"targetId": page.target_id})
        await self.root.send(
            "Browser.setContentsSize", {"windowId": window["windowId"], "width": width, "height": height}
        )

    # -- events --------------------------------------------------------------------------------------

    def _attached(self, p: dict[str, Any]) -> None:
        info = p["targetInfo"]
        kind: str = info["type"]
        session = self.root.connection.open_session(p["sessionId"], target_id=info["targetId"], target_type=kind)
        if kind == "page" and not info["url"].startswith("devtools://"):
            if not p["waitingForDebugger"] and self.rules.policy.refusal(info["url"]) is not None:
                # It was there before the rules.
                self.root.post("Target.detachFromTarget", {"sessionId": session.id})
            else:
                self._page_attached(session, info)
            return
        if kind in WORKER_TYPES:
            self.workers.attached(session, info, waiting=p["waitingForDebugger"])
            return
        if kind == "other":
            # Popups and side panels of extensions become pages a moment later.
            self._undecided[info["targetId"]] = session
        session.post("Runtime.runIfWaitingForDebugger")

    def _page_attached(self, session: Session, info: dict[str, Any]) -> None:
        opener = self._by_target.get(info.get("openerId", ""))
        if opener is not None and not self.admits_popup(opener, session, info["targetId"]):
            return
        page = self.add_page(session, info)
        page.start()
        if opener is not None:
            opener.news.popup(page)

    def admits_popup(self, opener: Page, session: Session, target_id: str) -> bool:
        """Whether `opener` may have one more popup; else it is closed."""
        if opener.news.may_open_popup():
            return True
        # Its opener's script waits for it to run, so it must run before it goes.
        session.post("Runtime.runIfWaitingForDebugger")
        self.root.post("Target.closeTarget", {"targetId": target_id})
        return False

    def add_page(self, session: Session | None, info: dict[str, Any]) -> Page:
        """Take a new page in; one without a session sleeps until it is used."""
        opener = self._by_target.get(info.get("openerId", ""))
        if session is None:
            absent = self.root.connection.absent_session(
                target_id=info["targetId"], target_type="page", why="the page is not in use yet"
            )
        page = Page(self, next(self._page_ids), session or absent, info, opener, is_asleep=session is None)
        self.pages[page.id] = page
        self._by_target[page.target_id] = page
        self.page_created.emit(page)
        return page

    def _info_changed(self, p: dict[str, Any]) -> None:
        info = p["targetInfo"]
        page = self._by_target.get(info["targetId"])
        if page is not None:
            page.info_changed(info)
        elif info["type"] == "page" and (session := self._undecided.pop(info["targetId"], None)) is not None:
            self._page_attached(session, info)

    def _detached(self, p: dict[str, Any]) -> None:
        session = self.root.connection.session(p["sessionId"])
        if session is not None:
            self.root.connection.close_session(p["sessionId"], "its target was closed")
            if session.target_type in WORKER_TYPES:
                self.workers.detached(session)
                return
            page = self._by_target.get(session.target_id)
            if page is None or page.session is session:
                self.target_gone(session.target_id, "it was closed")

    def target_gone(self, target_id: str, reason: str) -> None:
        """A target does not exist any more."""
        self.workers.gone(target_id)
        self._undecided.pop(target_id, None)
        page = self._by_target.pop(target_id, None)
        if page is not None:
            del self.pages[page.id]
            self._closed_pages[page.id] = reason
            page.gone(reason)
            self.contexts.page_gone(page.context_id)

    def _target_crashed(self, p: dict[str, Any]) -> None:
        page = self._by_target.get(p["targetId"])
        if page is not None:
            page.crash()

    def _lost(self, reason: str) -> None:
        if not self._is_closed:
            log.warning("the connection to Chrome is lost: %s", reason)
        self.workers.lost()
        self._undecided.clear()
        if self._browser is not None and not self._browser.owned:
            # The browser and its pages may well live on: whoever is still there at the next attachment keeps its id.
            for page in self.pages.values():
                page.fall_asleep(reason)
            return
        self.contexts.forget()
        for target_id in list(self._by_target):
            self.target_gone(target_id, "Chrome ended")
