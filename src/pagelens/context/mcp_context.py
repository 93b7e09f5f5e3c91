"""One agent's view of the browser: its pages, which one is selected, what it must be told.

Several contexts may share a browser: in one process (a host), or each in a process of its own (attached to the same
Chrome). All see all pages, as in a browser with several people before it: a page can be named by its id whoever opened
it. What is an agent's own is its selection, its notices and the numbers of its records; and nobody's selection moves
because of what another one does, unless the selected page itself is closed. An agent that comes second to a browser
that we started begins with a blank page of its own; one that is attached to a user's browser begins with the page
that the user has in front.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from pagelens.browser.tabs import page_in_front
from pagelens.collectors.body_store import BodyStore
from pagelens.collectors.ids import IdCounter
from pagelens.collectors.worker_consoles import WorkerConsoles
from pagelens.context.kept_files import KeptFiles
from pagelens.context.mcp_page import McpPage
from pagelens.context.tracing import TraceStore
from pagelens.core.files import FilePolicy
from pagelens.core.options import Options
from pagelens.errors import PageNotFound, RecordNotFound

if TYPE_CHECKING:
    from pagelens.analysis.heap import SnapshotStore
    from pagelens.analysis.heap.warming import Warming
    from pagelens.browser.host import BrowserHost
    from pagelens.browser.page import Page
    from pagelens.collectors.network_request import NetworkRequest

__all__ = ["McpContext", "Notice"]


NoticeKind = Literal["browser", "reconnected", "selection"]


@dataclass(frozen=True, slots=True)
class Notice:
    """Something the agent must be told with the next reply, whatever that reply is about."""

    kind: NoticeKind
    text: str


class McpContext:
    """Pages, selection, notices and policies of one agent. Several may share a host; none closes it.

    Make it before the host starts its browser: collectors must be there before a page's first word.

    Attributes:
        host: the browser.
        options: what the user chose.
        file_policy: which files tools may read and write.
        reqids, msgids: the one counter of network requests, of console messages.
        worker_consoles: what service and shared workers have said.
        bodies: where bodies of responses go that Chrome would drop.
        traces: performance traces that were recorded or read.
        selected_id: the page that tools use when none is named; None while no page is open.
    """

    def __init__(self, host: BrowserHost, options: Options) -> None:
        self.host = host
        self.options = options
        self.file_policy = FilePolicy.of(options)
        self._forget_files = host.files.add(self.file_policy)
        self._kept_files = KeptFiles(self.file_policy)
        self.reqids = IdCounter()
        self.msgids = IdCounter()
        self.worker_consoles = WorkerConsoles(host.workers, self.msgids)
        self.bodies = BodyStore()
        self.traces = TraceStore()
        self.selected_id: int | None = None
        self._pages: dict[int, McpPage] = {}
        self._notices: list[Notice] = []
        self._fell_from: tuple[int, str] | None = None
        self._starting = asyncio.Lock()
        self._told_notes = False
        self._generation = 0
        # Pages that this agent opened or selected, and their popups, oldest first.
        self._own: dict[int, None] = {}
        self._is_closed = False
        self._warming: Warming | None = None
        host.users += 1
        for page in host.pages.values():
            # What these have said so far went unheard: they were there before this context.
            self._page_created(page)
            self._pages[page.id].catch_up()
        self._disconnect: Callable[[], None] = host.page_created.connect(self._page_created)

    def close(self) -> None:
        """Take no more pages in. The host lives on. Idempotent."""
        if not self._is_closed:
            self._is_closed = True
            self.host.users -= 1
        self._disconnect()
        self._forget_files()
        self._kept_files.close()
        self.traces.clear()
        self.__dict__.pop("heap", None)
        if self._warming is not None:
            self._warming.close()
        self.worker_consoles.close()
        self.bodies.close()

    @cached_property
    def heap(self) -> SnapshotStore:
        """Heap snapshots that stay loaded between questions."""
        from pagelens.analysis.heap import SnapshotStore

        return SnapshotStore()

    # -- pages ---------------------------------------------------------------------------------------

    def pages(self) -> list[McpPage]:
        """All open pages, oldest first."""
        return list(self._pages.values())

    def page(self, page_id: int) -> McpPage:
        """The page with this id.

        Raises:
            PageNotFound: there never was one.
            PageClosed: it was closed.
        """
        found = self._pages.get(page_id)
        return found if found is not None else self._pages[self.host.page(page_id).id]

    def current_page(self) -> McpPage | None:
        """The selected page, None while no page is open."""
        return self._pages.get(self.selected_id) if self.selected_id is not None else None

    def selected_page(self) -> McpPage:
        """The selected page.

        Raises:
            PageNotFound: no page is open (`ensure_browser` opens one).
        """
        page = self.current_page()
        if page is None:
            raise PageNotFound("No page is open.", "Call new_page.")
        return page

    def select(self, page_id: int) -> McpPage:
        """Make a page the selected one; raises as `page`."""
        page = self.page(page_id)
        self._settle_on(page.id)
        self._fell_from = None
        return page

    async def new_page(self, *, background: bool = False, isolated_context: str | None = None) -> McpPage:
        """Open a blank page and select it; see `BrowserHost.new_page`."""
        page = await self.host.new_page(background=background, isolated_context=isolated_context)
        return self.select(page.id)

    async def close_page(self, page_id: int) -> McpPage:
        """Close a page, opening a blank one first when it is the last; returns the page selected then."""
        page = self.page(page_id)
        if len(self._pages) == 1:
            # First the new one: Chrome may end with its last window.
            await self.new_page()
        fell_from = self._fell_from
        await page.page.close()
        await self._choose()
        self._fell_from = fell_from  # the caller says it in its own words
        return self.selected_page()

    # -- records -------------------------------------------------------------------------------------

    async def request(self, reqid: int | None, page: McpPage) -> tuple[McpPage, NetworkRequest]:
        """A recorded request and its page: of this id, on whatever page it is; None: the one selected in the DevTools
        window of `page`.

        Raises:
            RecordNotFound, RecordGone: see `PageCollector.lookup`; or none is selected.
        """
        if reqid is None:
            request_id = (await self.host.devtools.selection(page.page)).request_id
            found = page.network.find(lambda request: request.request_id == request_id) if request_id else None
            if found is None:
                raise RecordNotFound(
                    "No request is selected in a DevTools window of the page.",
                    "Give a reqid; list_network_requests shows them.",
                )
            return page, found
        owner = self._pages.get(self.reqids.owner(reqid) or page.id, page)
        return owner, owner.network.lookup(reqid)

    # -- browser -------------------------------------------------------------------------------------

    async def ensure_browser(self) -> None:
        """Have a browser, and a page of it selected: started or attached to at the first call, again after a loss.

        DevTools windows that were opened or closed since the last call are noticed.

        Raises:
            BrowserError: it can't be found, started or reached; the message says why and what to do.
        """
        async with self._starting:
            lost_because = self.host.lost_because
            await self.host.ensure_running()
            if not self._told_notes:
                self._told_notes = True
                self._notices += [Notice("browser", note) for note in self.host.notes]
            # Whoever of those who share the browser brought it back: each is told once.
            again = self._generation not in (0, self.host.generation)
            self._generation = self.host.generation
            await self._choose()
            if self._warming is None and self.options.categories.get("memory"):
                # Not before Chrome is there, and never instead of what somebody waits for.
                from pagelens.analysis.heap.warming import Warming

                self._warming = await asyncio.to_thread(Warming)
            if again:
                self._tell_return(lost_because)
            await self.host.devtools.notice()

    async def ready(self, page: McpPage, *, answering: bool = True) -> None:
        """Be able to work on a page; see `pagelens.browser.page.Page.ready`."""
        await page.page.ready(answering=answering)

    async def _choose(self) -> None:
        """Have a page selected."""
        if self.current_page() is not None:
            return
        chosen: Page | None = None
        if self.options.is_attaching:
            chosen = await page_in_front(self.host) or next(iter(self.host.pages.values()), None)
        elif self._is_alone:
            chosen = next(iter(self.host.pages.values()), None)
        if self.current_page() is None:
            self._settle_on((chosen or await self.host.new_page()).id)

    def _settle_on(self, page_id: int) -> None:
        self.selected_id = page_id
        self._own[page_id] = None

    def _tell_return(self, lost_because: str | None) -> None:
        lost, self._fell_from = self._fell_from, None
        if self.options.is_attaching:
            why = f" ({lost_because})" if lost_because else ""
            gone = f" Page {lost[0]}, which was selected, is gone: {lost[1]}." if lost else ""
            text = (
                f"The connection to Chrome was lost{why} and made again: pages that are still open keep their ids; "
                f"what happened meanwhile was not recorded.{gone} Page {self.selected_id} is selected now."
            )
        else:
            was = f" (page {lost[0]} was selected: {lost[1]})" if lost else ""
            text = (
                f"Chrome had ended and was started again: all earlier pages and uids are gone{was}. "
                f"Page {self.selected_id}, blank, is selected now."
            )
        self._notices.append(Notice("reconnected", text))

    # -- notices -------------------------------------------------------------------------------------

    def drain_notices(self) -> list[Notice]:
        """What was not said yet; it counts as said now."""
        notices, self._notices = self._notices, []
        if self._fell_from is not None and self.selected_id is not None:
            now = self._pages[self.selected_id]
            text = f"Page {self._fell_from[0]} closed; page {now.id} is selected now: {now.printable_url}"
            notices.append(Notice("selection", text))
            self._fell_from = None
        return notices

    # -- files ---------------------------------------------------------------------------------------

    async def write_file(self, path: Path | str, data: bytes) -> Path:
        """Write a file where the policy allows it, off the event loop; returns the resolved path.

        Raises:
            PathNotAllowed, FileFailed: see `FilePolicy.write_bytes`.
        """
        return await asyncio.to_thread(self.file_policy.write_bytes, path, data)

    async def keep_file(self, name: str, data: bytes) -> Path:
        """Write a file that nobody named, e.g. what a reply has no room for; returns its path. It is there until
        `close`, or until many more have been kept.

        Raises:
            FileFailed: it can't be written.
        """
        return await self._kept_files.keep(name, data)

    # -- told by the host ----------------------------------------------------------------------------

    def _page_created(self, page: Page) -> None:
        mcp_page = McpPage(
            page,
            self.options,
            reqids=self.reqids,
            msgids=self.msgids,
            bodies=self.bodies,
            worker_consoles=self.worker_consoles,
        )
        self._pages[page.id] = mcp_page
        page.closed_signal.connect(lambda reason: self._page_closed(page.id))
        if page.opener is not None and page.opener.id in self._own:
            self._own[page.id] = None
        if self.selected_id is None and self._is_alone:
            self._settle_on(page.id)

    @property
    def _is_alone(self) -> bool:
        """Whether all pages may be taken to be this agent's."""
        return self.host.users == 1 and not self.options.is_attaching

    @property
    def is_one_of_several(self) -> bool:
        """Whether "the selected page" may not be the one that a caller has in mind: another agent uses the same
        browser, or there are isolated contexts."""
        return self.host.users > 1 or any(page.page.context_name is not None for page in self._pages.values())

    def _page_closed(self, page_id: int) -> None:
        page = self._pages.pop(page_id, None)
        if page is None:
            return
        page.dispose()
        self._own.pop(page_id, None)
        if page_id != self.selected_id:
            return
        # Several may close one after the other: what counts is the page the agent knew.
        self._fell_from = self._fell_from or (page_id, page.printable_url)
        opener = page.opener_id
        if opener is not None and opener in self._pages:
            self.selected_id = opener
        else:
            self.selected_id = next(iter(self._pages if self._is_alone else self._own), None)
