"""What happened to a page, in words and JSON: shared by the sections on actions and on navigations."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NotRequired, TypedDict

from pagelens.core.safe_text import one_line, quoted, shortened

if TYPE_CHECKING:
    from pagelens.browser.downloads import Download
    from pagelens.browser.page import Page

__all__ = [
    "DownloadJson",
    "NewPageJson",
    "address",
    "download_json",
    "download_line",
    "new_page_json",
    "new_page_line",
    "pending_line",
    "with_status",
]

#: Characters of an address in a sentence.
URL_CHARS = 200
#: Addresses named when a page is still loading; the rest is counted.
PENDING_NAMED = 3


class NewPageJson(TypedDict):
    """A page that an action opened."""

    id: int
    url: str


class DownloadJson(TypedDict):
    """A file that an action began to download; `path` once it is complete."""

    url: str
    suggestedName: str
    state: str
    receivedBytes: int
    totalBytes: int
    path: NotRequired[str]


def address(url: str) -> str:
    """An address, safe to print and not too long for a sentence."""
    return shortened(one_line(url), URL_CHARS)


def with_status(url: str, status: int | None) -> str:
    """`https://example.com/ (200)`; without a status when it did not come by HTTP."""
    return address(url) if status is None else f"{address(url)} ({status})"


def pending_line(pending: Sequence[str]) -> str:
    """`Still loading: 1 request (https://example.com/never.png).`"""
    named = ", ".join(address(url) for url in pending[:PENDING_NAMED])
    more = f", and {len(pending) - PENDING_NAMED} more" if len(pending) > PENDING_NAMED else ""
    return f"Still loading: {len(pending)} request{'s' if len(pending) != 1 else ''} ({named}{more})."


def new_page_line(page: Page) -> str:
    """`Opened page 4: https://example.com/. Pass pageId 4 to work on it.`"""
    if page.closed is not None:
        return f"Opened page {page.id}, which has closed already."
    return f"Opened page {page.id}: {address(page.url) or 'no address yet'}. Pass pageId {page.id} to work on it."


def new_page_json(page: Page) -> NewPageJson:
    """JSON twin of `new_page_line`."""
    return {"id": page.id, "url": address(page.url)}


def download_line(download: Download) -> str:
    """`Downloaded "a.zip" (12 bytes) to /tmp/…/a.zip.`, or how far it is."""
    name = quoted(shortened(download.suggested_name, 200))
    if download.state == "completed":
        where = f" to {one_line(str(download.path))}" if download.path else ""
        return f"Downloaded {name} ({download.received} bytes){where}."
    if download.state == "canceled":
        return f"Download of {name} was canceled."
    total = f" of {download.total}" if download.total else ""
    return (
        f"Download of {name} began ({download.received}{total} bytes so far); a later reply tells when it is complete."
    )


def download_json(download: Download) -> DownloadJson:
    """JSON twin of `download_line`."""
    found: DownloadJson = {
        "url": address(download.url),
        "suggestedName": one_line(download.suggested_name),
        "state": download.state,
        "receivedBytes": download.received,
        "totalBytes": download.total,
    }
    if download.path is not None:
        found["path"] = str(download.path)
    return found
