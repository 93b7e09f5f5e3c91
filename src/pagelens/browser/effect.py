"""What an action did to its page, as far as it could be seen."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from pagelens.browser.changes import Changes
from pagelens.browser.dialogs import Dialog
from pagelens.browser.downloads import Download

if TYPE_CHECKING:
    from pagelens.browser.page import Page

__all__ = ["Effect"]


@dataclass(eq=False)
class Effect:
    """Filled while an action is watched and settled; complete once `Page.acting` has been left.

    Attributes:
        navigated_to: the new document's address, when the main frame got one.
        http_status: its status, None when it did not come by HTTP.
        navigation_error: the ``net::`` error when the new document is Chrome's error page.
        no_content: the server answered the navigation with nothing to show (204, 205).
        same_document_url: the new address after a same-document navigation.
        frame_navigated_to: the new document's address in the sub frame that was acted on.
        new_pages: pages that this page opened meanwhile.
        dialog: the last dialog that opened; it is still open unless its `outcome` says otherwise.
        downloads: files that began to download.
        still_loading: addresses that the new document still waits for.
        is_unfinished: the new document was not usable when the time was up.
        closed, crashed: the page did so.
        waited_ms: how long the settling took.
        changes: what changed in the document that was acted on: controls, focus, what the page said.
        failed_requests: requests that the action began and that failed, each with its status or ``net::`` error.
        earlier: what had happened before the action, unwatched, in words.
    """

    navigated_to: str | None = None
    http_status: int | None = None
    navigation_error: str | None = None
    no_content: bool = False
    same_document_url: str | None = None
    frame_navigated_to: str | None = None
    new_pages: list[Page] = field(default_factory=list)
    dialog: Dialog | None = None
    downloads: list[Download] = field(default_factory=list)
    still_loading: list[str] = field(default_factory=list)
    is_unfinished: bool = False
    closed: bool = False
    crashed: bool = False
    waited_ms: int = 0
    changes: Changes = field(default_factory=Changes)
    failed_requests: list[tuple[str, str]] = field(default_factory=list)
    earlier: list[str] = field(default_factory=list)

    @property
    def nothing_seen(self) -> bool:
        """Whether none of the above happened."""
        return not (
            self.navigated_to
            or self.no_content
            or self.same_document_url
            or self.frame_navigated_to
            or self.new_pages
            or self.dialog
            or self.downloads
            or self.closed
            or self.crashed
            or self.changes
            or self.failed_requests
        )
