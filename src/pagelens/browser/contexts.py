"""Browser contexts: groups of pages with cookies and storage of their own."""

from __future__ import annotations

import asyncio
import logging
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pagelens.browser.host import BrowserHost

__all__ = ["Contexts"]

log = logging.getLogger(__name__)

#: Characters of Chrome's id that stand for a context that somebody else made.
SHORT_ID = 8


class Contexts:
    """The contexts of one browser. Ours have names; those of others are known by the start of Chrome's id.

    A context that we made goes with its last page. What others made stays.
    """

    def __init__(self, host: BrowserHost) -> None:
        self._host = host
        self._default: str | None = None
        self._listed: set[str] = set()
        self._named: dict[str, str] = {}
        self._opening: Counter[str] = Counter()
        self._making = asyncio.Lock()

    async def learn(self) -> None:
        """Ask the browser which of its contexts is the default one. Called at each start and attachment."""
        found = await self._host.root.send("Target.getBrowserContexts")
        self._default = found.get("defaultBrowserContextId")
        self._listed = set(found["browserContextIds"])

    def forget(self) -> None:
        """The browser ended: its contexts are gone."""
        self._named.clear()
        self._listed.clear()

    def name(self, context_id: str) -> str | None:
        """What to call a context; None for the default one."""
        for name, known in self._named.items():
            if known == context_id:
                return name
        if not context_id or context_id == self._default:
            return None
        # A Chrome that does not say which one is the default lists the others.
        if self._default is None and context_id not in self._listed:
            return None
        return context_id[:SHORT_ID]

    def is_ours(self, context_id: str) -> bool:
        """Whether nobody else keeps pages in it: we made it, or its browser."""
        return not self._host.options.is_attaching or context_id in self._named.values()

    @asynccontextmanager
    async def opening(self, name: str) -> AsyncIterator[str]:
        """The id of the context `name`, made if there is none. It lasts as long as this does, and as its pages do.

        `name` may also be the short id of a context that somebody else made and that has a page.
        """
        async with self._making:
            context_id = self._find(name) or await self._make(name)
            self._opening[context_id] += 1
        try:
            yield context_id
        finally:
            self._opening[context_id] -= 1
            self.page_gone(context_id)

    def page_gone(self, context_id: str) -> None:
        """A page of this context is gone: end the context if it is ours and that was the last."""
        name = next((name for name, known in self._named.items() if known == context_id), None)
        if name is None or self._opening[context_id] > 0 or not self._host.is_running:
            return
        if any(page.context_id == context_id for page in self._host.pages.values()):
            return
        del self._named[name]
        del self._opening[context_id]
        self._host.root.post("Target.disposeBrowserContext", {"browserContextId": context_id})

    def _find(self, name: str) -> str | None:
        if name in self._named:
            return self._named[name]
        return next((page.context_id for page in self._host.pages.values() if page.context_name == name), None)

    async def _make(self, name: str) -> str:
        host = self._host
        made = await host.root.send("Target.createBrowserContext", {"disposeOnDetach": False})
        context_id: str = made["browserContextId"]
        self._named[name] = context_id
        # Where downloads go is chosen for each context; this one is ours, whoever's the browser is.
        await host.root.send(
            "Browser.setDownloadBehavior", {**host.downloads.behavior(), "browserContextId": context_id}
        )
        return context_id
