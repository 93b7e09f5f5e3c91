"""What happened on a page while no action was watched, and the popups it opened."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pagelens.cdp.session import Session

if TYPE_CHECKING:
    from pagelens.browser.page import Page

__all__ = ["POPUP_LIMIT", "PageNews"]

#: Popups one page may keep open; more are closed and said.
POPUP_LIMIT = 20
#: News that nobody asked for yet is kept up to this many lines.
NEWS_LIMIT = 20


class PageNews:
    """Kept in words until the next reply takes it.

    Attributes:
        unreported: the lines.
        refused_popups: how many popups over the limit were closed since the last reply.
    """

    def __init__(self, page: Page) -> None:
        self._page = page
        self.unreported: list[str] = []
        self.refused_popups = 0
        self._windows_opened: list[str] = []

    def listen(self, session: Session) -> None:
        """Subscribe to a session of the page that has documents."""
        session.on("Page.windowOpen", self._window_open)

    def add(self, words: str) -> None:
        """Keep something that happened while nobody watched, for the next reply."""
        if words not in self.unreported:
            self.unreported.append(words)
            del self.unreported[:-NEWS_LIMIT]

    def take(self) -> list[str]:
        """What happened unwatched since the last call, in words; forgets it."""
        news, self.unreported = self.unreported, []
        if self.refused_popups:
            news.append(
                f"{self.refused_popups} more popups were closed: a page may keep {POPUP_LIMIT} of its own open."
            )
            self.refused_popups = 0
        return news

    def popup(self, newcomer: Page) -> None:
        """The page opened another one."""
        page = self._page
        self._name_popups()
        page.popup_opened.emit(newcomer)
        for effect in page.watchers:
            effect.new_pages.append(newcomer)
        if not page.watchers:
            self.add(f"The page opened a new page (page {newcomer.id}).")
        page.loads.touch()

    def _window_open(self, p: dict[str, Any]) -> None:
        # Comes before or after the new page's target, whose own address is empty at first.
        self._windows_opened.append(p["url"])
        self._name_popups()

    def _name_popups(self) -> None:
        nameless = [page for page in self._popups() if page.opened_for is None]
        for page in nameless[: len(self._windows_opened)]:
            page.opened_for = self._windows_opened.pop(0)
            page.loads.touch()

    def may_open_popup(self) -> bool:
        """Whether one more popup is within the limit; counts those that are not."""
        if len(self._popups()) < POPUP_LIMIT:
            return True
        self.refused_popups += 1
        return False

    def _popups(self) -> list[Page]:
        return [page for page in self._page.host.pages.values() if page.opener is self._page]
