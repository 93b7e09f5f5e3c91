"""Downloads: where they go, how far they are, which page began them."""

from __future__ import annotations

import logging
import secrets
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from pagelens.cdp.session import Session

if TYPE_CHECKING:
    from pagelens.browser.host import BrowserHost
    from pagelens.browser.page import Page

__all__ = ["Download", "Downloads"]

log = logging.getLogger(__name__)


@dataclass(eq=False)
class Download:
    """A file that a page sent to be saved.

    Attributes:
        guid: Chrome's id of it.
        url: where it comes from.
        suggested_name: the file name that the server or page proposed.
        path: where it is, once complete.
        state: as Chrome reports it.
        received, total: bytes; `total` is 0 while unknown.
        page: the page that began it; None when that can't be told.
    """

    guid: str
    url: str
    suggested_name: str
    page: Page | None
    path: Path | None = None
    state: Literal["inProgress", "completed", "canceled"] = "inProgress"
    received: int = 0
    total: int = 0


class Downloads:
    """All downloads of one browser. Files are saved by Chrome under a number and named when complete."""

    def __init__(self, host: BrowserHost) -> None:
        self._host = host
        self._by_guid: dict[str, Download] = {}
        self._directory: Path | None = None

    @property
    def directory(self) -> Path:
        """Where files go, in the temp directory. Chrome makes it for the first file; we never remove it."""
        if self._directory is None:
            # Not made here: a browser that downloads nothing leaves nothing behind, however it ends.
            self._directory = Path(tempfile.gettempdir()) / f"pagelens-downloads-{secrets.token_hex(8)}"
        return self._directory

    def behavior(self) -> dict[str, Any]:
        """Parameters for ``Browser.setDownloadBehavior``."""
        return {"behavior": "allowAndName", "downloadPath": str(self.directory), "eventsEnabled": True}

    def listen(self, root: Session) -> None:
        """Subscribe to the browser's session."""
        root.on("Browser.downloadWillBegin", self._begun)
        root.on("Browser.downloadProgress", self._progress)

    def remove_empty_directory(self) -> None:
        """At the end: a directory whose files were all taken away is not left behind."""
        if self._directory is not None:
            try:
                self._directory.rmdir()
            except OSError:
                pass  # it holds files that the user asked for, or was never made

    def _begun(self, p: dict[str, Any]) -> None:
        page = self._host.page_of_frame(p["frameId"])
        download = Download(p["guid"], p["url"], p["suggestedFilename"], page)
        self._by_guid[download.guid] = download
        if page is not None:
            page.note_download(download)

    def _progress(self, p: dict[str, Any]) -> None:
        download = self._by_guid.get(p["guid"])
        if download is None:
            return
        download.state = p["state"]
        download.received = int(p["receivedBytes"])
        download.total = int(p["totalBytes"])
        if download.state == "completed" and download.path is None:
            download.path = self._named(Path(p.get("filePath") or self.directory / download.guid), download)
        if download.state != "inProgress":
            del self._by_guid[download.guid]
        if download.page is not None:
            download.page.note_download(download)

    def _named(self, saved: Path, download: Download) -> Path:
        """Give a complete file its proposed name, made unique; it keeps its number when that fails."""
        if saved.name != download.guid:
            return saved  # Chrome has named it: a browser that is not ours saves where its user wants
        name = Path(download.suggested_name.replace("\\", "/")).name or "download"
        target = saved.with_name(name)
        counter = 1
        while target.exists():
            target = saved.with_name(f"{Path(name).stem} ({counter}){Path(name).suffix}")
            counter += 1
        try:
            return saved.rename(target)
        except OSError as error:
            log.warning("the download %s stays named %s: %s", name, saved.name, error)
            return saved
