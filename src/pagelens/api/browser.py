"""The browser, as the library's users have it."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING
from weakref import WeakValueDictionary

from pagelens.api.browser_context import BrowserContext
from pagelens.api.events import Emitter, Handler
from pagelens.api.page import Page
from pagelens.api.tasks import Tasks
from pagelens.collectors.ids import IdCounter
from pagelens.collectors.worker_consoles import WorkerConsoles
from pagelens.context.mcp_page import McpPage

if TYPE_CHECKING:
    from pagelens.browser.host import BrowserHost
    from pagelens.browser.page import Page as EnginePage

__all__ = ["Browser"]

#: Events of a browser; their payloads are listed in docs/library.md.
BROWSER_EVENTS = ("page", "disconnected")

#: So many pages are opened at a time. Each starts a process; twenty at once keep each other from their first answer.
OPENING = 4


class Browser:
    """A running Chrome. Made by `pagelens.launch` and `pagelens.connect`."""

    def __init__(self, host: BrowserHost) -> None:
        self._host = host
        self._tasks = Tasks()
        self._events = Emitter("A browser", BROWSER_EVENTS, self._tasks)
        self._reqids = IdCounter()
        self._msgids = IdCounter()
        self._worker_consoles = WorkerConsoles(host.workers, self._msgids)
        self._pages: dict[int, Page] = {}
        # Reports may still speak of them.
        self._closed_pages: WeakValueDictionary[int, Page] = WeakValueDictionary()
        self._default = BrowserContext(self, None, "")
        self._contexts: dict[str, BrowserContext] = {}
        self._numbers = itertools.count(1)
        self._opening = asyncio.Semaphore(OPENING)
        self._disconnect = host.page_created.connect(self._page_created)

    def __repr__(self) -> str:
        return f"<Browser {self.version or 'not running'} {len(self._pages)} pages>"

    @property
    def version(self) -> str:
        """E.g. ``Chrome/156.0.8078.108``."""
        return self._host.product

    @property
    def is_connected(self) -> bool:
        """Whether the browser is there."""
        return self._host.is_running

    @property
    def notes(self) -> list[str]:
        """What was decided on the caller's behalf when it was started, one sentence each."""
        return list(self._host.notes)

    @property
    def pages(self) -> list[Page]:
        """All open pages, oldest first. A browser that was just launched has one, blank."""
        return list(self._pages.values())

    @property
    def contexts(self) -> list[BrowserContext]:
        """The default context, then those with pages or made by `new_context`."""
        for page in self._host.pages.values():
            self._context_of(page)
        return [self._default, *self._contexts.values()]

    async def new_page(self) -> Page:
        """Open a blank page in the default context; whatever it loads next is recorded from the start.

        Raises:
            ConnectionLost: the browser is gone.
        """
        return await self._default.new_page()

    async def new_context(self) -> BrowserContext:
        """Make a context: its pages share cookies, storage and cache with no others.

        Raises:
            ConnectionLost: the browser is gone.
        """
        name = f"context-{next(self._numbers)}"
        context = BrowserContext(self, name, "")
        # Held open until it is closed, whatever becomes of its pages.
        context._id = await context._held.enter_async_context(self._host.contexts.opening(name)) or ""
        self._contexts[context._id] = context
        return context

    async def close(self) -> None:
        """End a browser that was launched, let go of one that was connected to. Idempotent."""
        self._disconnect()
        self._worker_consoles.close()
        await self._tasks.close()
        await self._host.close()

    # -- events --------------------------------------------------------------------------------------

    def on(self, event: str, handler: Handler) -> Callable[[], None]:
        """Call `handler` with each payload of ``page`` or ``disconnected``; see `Page.on`."""
        return self._events.on(event, handler)

    def once(self, event: str, handler: Handler) -> Callable[[], None]:
        """As `on`, for the next event only."""
        return self._events.on(event, handler, once=True)

    def off(self, event: str, handler: Handler) -> None:
        """End what `on` or `once` began with the same handler."""
        self._events.off(event, handler)

    # -- for the library's other classes -------------------------------------------------------------

    def _page_of(self, page: EnginePage) -> Page:
        return self._pages.get(page.id) or self._closed_pages.get(page.id) or self._wrapped(page)

    def _pages_of(self, pages: Iterable[EnginePage]) -> list[Page]:
        return [self._page_of(page) for page in pages]

    def _wrapped(self, page: EnginePage) -> Page:
        return Page(
            self,
            McpPage(
                page,
                self._host.options,
                reqids=self._reqids,
                msgids=self._msgids,
                worker_consoles=self._worker_consoles,
            ),
        )

    def _context_of(self, page: EnginePage) -> BrowserContext:
        name = page.context_name
        if name is None:
            return self._default
        context = self._contexts.get(page.context_id)
        if context is None:
            context = self._contexts[page.context_id] = BrowserContext(self, name, page.context_id)
        return context

    def _context_closed(self, context: BrowserContext) -> None:
        self._contexts.pop(context._id, None)

    # -- told by the host ----------------------------------------------------------------------------

    def _connected(self) -> None:
        """The host runs now."""
        self._host.root.connection.on_lost(lambda reason: self._events.emit("disconnected", reason))

    def _page_created(self, engine: EnginePage) -> None:
        page = self._pages[engine.id] = self._wrapped(engine)
        engine.closed_signal.connect(lambda _: self._page_closed(page))
        self._events.emit("page", page)

    def _page_closed(self, page: Page) -> None:
        page._mcp.dispose()
        del self._pages[page.id]
        self._closed_pages[page.id] = page
