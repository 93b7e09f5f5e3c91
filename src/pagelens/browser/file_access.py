"""Pages loaded from files: they show what tools may read, and nothing else.

``Page.navigate`` is refused before Chrome opens anything. A page from a file can lead to other files by itself (links,
frames, scripts); pages from the web can't, Chrome sees to that. So requests for files are looked at in pages that have
been sent to one, and in the pages these open. Those pay with one more hop a request; others don't pay at all.

Chrome opens the file itself, a moment after the check: unlike for files that tools read, a link exchanged within that
moment is followed.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from pagelens.core.files import FilePolicy
from pagelens.core.urls import innermost
from pagelens.errors import FileFailed, PathNotAllowed

if TYPE_CHECKING:
    from pagelens.browser.page import Page
    from pagelens.browser.page_sessions import AttachedSession

__all__ = ["FileAccess"]


class FileAccess:
    """Which files the pages of one browser may load.

    Without any policy (a Python program that drives the browser by itself) all may be.
    """

    def __init__(self) -> None:
        self._policies: list[FilePolicy] = []
        self._guarded: set[int] = set()

    def add(self, policy: FilePolicy) -> Callable[[], None]:
        """Pages may load what this policy lets be read; returns the function that takes it back."""
        self._policies.append(policy)

        def remove() -> None:
            if policy in self._policies:
                self._policies.remove(policy)

        return remove

    def watch(self, page: Page) -> None:
        """Look after a new page."""
        page.session_attached.connect(lambda attached: self._attached(page, attached))
        page.closed_signal.connect(lambda _: self._guarded.discard(page.id))

    async def admit(self, page: Page, url: str) -> None:
        """Refuse an address of a file that may not be read; else make the page ready to show it.

        Raises:
            PathNotAllowed: it lies outside the allowed directories.
        """
        if innermost(url)[0] != "file" or not self._policies:
            return
        error = self.refusal(url)
        if error is not None:
            raise error
        if page.id not in self._guarded:
            self._guarded.add(page.id)
            await page.requests.guard_files(self.refusal)

    def refusal(self, url: str) -> PathNotAllowed | None:
        """Why a page may not load this file; None when it may, or when it is no file's address."""
        scheme, address = innermost(url)
        if scheme != "file":
            return None
        refusal = None
        for policy in self._policies:
            try:
                policy.check_read(address.partition("#")[0].partition("?")[0], directory=True)
            except PathNotAllowed as error:
                refusal = error
            except FileFailed:
                return None  # Chrome says it better: there is none, or it can't be read
            else:
                return None
        return refusal

    # -- events --------------------------------------------------------------------------------------

    def _attached(self, page: Page, attached: AttachedSession) -> None:
        if attached.kind == "page" and self._policies:
            from_file = page.opener is not None and page.opener.id in self._guarded
            if from_file or attached.url.lower().startswith("file:"):
                self._guarded.add(page.id)
                page.requests.will_guard_files(self.refusal)
