"""Give a page a document of the caller's own making."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from pagelens.browser.follow import interrupted
from pagelens.browser.navigation import NavigationResult
from pagelens.browser.settle import acting
from pagelens.browser.world import JsFunction
from pagelens.core.deadlines import COMMAND, NAVIGATION
from pagelens.errors import DialogOpen

if TYPE_CHECKING:
    from pagelens.browser.page import Page

__all__ = ["set_content"]

#: Requests that make a document; what its scripts fetch is another matter.
_PARTS = frozenset({"Document", "Stylesheet", "Image", "Media", "Font", "Script"})

LOADED = JsFunction("pagelens.browser", "js/loaded.js")


async def set_content(page: Page, html: str, *, timeout: float = NAVIGATION) -> NavigationResult:
    """Replace the main document's content (CDP ``Page.setDocumentContent``); its address stays what it was.

    Args:
        html: the whole document. Its scripts run.
        timeout: seconds; then what is still loading is told.

    Returns:
        ``loaded``; ``usable`` when something still loads; ``dialog`` when one opened meanwhile.

    Raises:
        DialogOpen, PageCrashed, PageClosed, CommandTimeout: the page can't take it now.
    """
    loop = asyncio.get_running_loop()
    started = loop.time()
    mark = page.loads.serial
    frame = page.main_frame
    loaded = False
    page.raise_if_unusable()

    def missing() -> list[str]:
        return [request.url for request in page.loads.pending(mark, types=_PARTS)]

    async with acting(page, "script", None) as effect:
        try:
            reply = page.session.post("Page.setDocumentContent", {"frameId": frame.id, "html": html})
            await frame.guarded(reply, max(timeout, COMMAND))
            left = max(timeout - (loop.time() - started), 0)
            complete = bool(await frame.call(LOADED, round(left * 1000), timeout=left + COMMAND))
            # This way of making a document does not hold back its load event for pictures and frames.
            left = max(timeout - (loop.time() - started), 0)
            await page.loads.wait(lambda: not missing() or interrupted(page), left)
            loaded = complete and not missing()
        except DialogOpen:
            if effect.dialog is None:
                raise  # it was there before
    return NavigationResult(
        "dialog" if page.held_by else "loaded" if loaded else "usable",
        page.url,
        pending=missing(),
        dialog=page.held_by,
        new_pages=list(effect.new_pages),
        waited_ms=round((loop.time() - started) * 1000),
    )
