"""Browser contexts: groups of pages with cookies and storage of their own."""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack
from types import TracebackType
from typing import TYPE_CHECKING, Self

from pagelens.errors import InvalidInput

if TYPE_CHECKING:
    from pagelens.api.browser import Browser
    from pagelens.api.page import Page

__all__ = ["BrowserContext"]


class BrowserContext:
    """Pages that share cookies, storage and cache with each other and with no others.

    Made by `Browser.new_context`; ``async with await browser.new_context() as context`` closes it at the end.

    Attributes:
        browser: the browser it belongs to.
        name: what tools and messages call it; None for the browser's default context.
    """

    def __init__(self, browser: Browser, name: str | None, context_id: str) -> None:
        self.browser = browser
        self.name = name
        self._id = context_id
        self._held = AsyncExitStack()
        self._is_closed = False

    def __repr__(self) -> str:
        return f"<BrowserContext {self.name or 'default'}>"

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    @property
    def pages(self) -> list[Page]:
        """Its open pages, oldest first."""
        return [page for page in self.browser.pages if page.context is self]

    async def new_page(self) -> Page:
        """Open a blank page in it.

        Raises:
            InvalidInput: it is closed. ConnectionLost: the browser is gone.
        """
        if self._is_closed:
            raise InvalidInput(f"The context {self.name!r} is closed.", "Make another one.")
        async with self.browser._opening:
            return self.browser._page_of(await self.browser._host.new_page(isolated_context=self.name))

    async def close(self) -> None:
        """Close its pages; its cookies and storage are gone. Idempotent.

        Raises:
            InvalidInput: it is the default context, which goes with the browser.
        """
        if self.name is None:
            raise InvalidInput("The default context can't be closed.", "Close its pages, or the browser.")
        if self._is_closed:
            return
        self._is_closed = True
        await asyncio.gather(*(page.close() for page in self.pages))
        await self._held.aclose()
        self.browser._context_closed(self)
