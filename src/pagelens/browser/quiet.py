"""Waiting until a page has done what it does by itself."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from pagelens.browser.follow import interrupted
from pagelens.browser.world import JsFunction
from pagelens.errors import DocumentReplaced, PageClosed, PagelensError

if TYPE_CHECKING:
    from pagelens.browser.page import Page

__all__ = ["MOST", "QUIET", "until_quiet"]

#: Nothing begins, ends, jumps or holds up the page for so long: it is quiet. Seconds.
QUIET = 2.0
#: A page that is never quiet is waited for so long. Seconds.
MOST = 10.0
#: Looks are no closer together than this, for they are work as well. Seconds.
_LOOK = 0.1

#: Types of requests whose answers scripts read, or leave unread.
_READ_BY_SCRIPTS = frozenset({"Fetch", "XHR"})

_QUIET_FOR = JsFunction("pagelens.browser", "js/quiet_for.js")


async def until_quiet(page: Page, *, quiet: float | None = None, most: float = MOST) -> bool:
    """Wait until for `quiet` seconds no request has begun, ended or been open, and the document has had no long task,
    layout shift or new largest paint; at most `most` seconds. Returns whether it is quiet.

    Args:
        quiet: `QUIET` when None.

    A page that can't be asked (a dialog holds it, it crashed) has nothing more to come: it counts as not quiet.

    Raises:
        PageClosed, ConnectionLost: it is gone.
    """
    quiet = QUIET if quiet is None else quiet
    loop = asyncio.get_running_loop()
    begun = loop.time()
    loads = page.loads
    while (left := begun + most - loop.time()) > 0:
        if page.closed is not None:
            raise page.closed_error()
        if interrupted(page):
            return False
        since = loop.time() - max(loads.active_at, begun)
        if _is_loading(page, quiet):
            await loads.wait(lambda: not _is_loading(page, quiet) or interrupted(page), min(left, quiet))
        elif since < quiet:
            await asyncio.sleep(min(quiet - since, left))
        elif await page.is_responsive(left):  # a long task must not be ended for the sake of a look
            try:
                still = float(await page.main_frame.call(_QUIET_FOR)) / 1000
            except DocumentReplaced:
                continue
            except PageClosed:
                raise
            except PagelensError:
                return False
            if still >= quiet:
                return True
            await asyncio.sleep(max(min(quiet - still, left), _LOOK))
    return False


def _is_loading(page: Page, quiet: float) -> bool:
    """Whether requests are open. Chrome reports no end of those whose answer a script leaves unread."""
    long_ago = asyncio.get_running_loop().time() - quiet
    return any(
        request.answered_at is None or request.answered_at > long_ago or request.type not in _READ_BY_SCRIPTS
        for request in page.loads.pending()
    )
