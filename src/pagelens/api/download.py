"""Files that pages send to be saved."""

from __future__ import annotations

import asyncio
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from pagelens.browser.downloads import Download as EngineDownload
from pagelens.errors import DeadlineExceeded, FileFailed, PageClosed

if TYPE_CHECKING:
    from pagelens.api.page import Page

__all__ = ["Download"]


class Download:
    """A download: it goes on by itself, into a directory of the browser's, under the name it proposes."""

    def __init__(self, page: Page, download: EngineDownload) -> None:
        self._page = page
        self._download = download

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Download) and other._download is self._download

    def __hash__(self) -> int:
        return hash(self._download)

    def __repr__(self) -> str:
        return f"<Download {self.suggested_name!r} {self.state} {self.received}/{self.total or '?'}>"

    @property
    def page(self) -> Page:
        """The page that began it."""
        return self._page

    @property
    def url(self) -> str:
        """Where it comes from."""
        return self._download.url

    @property
    def suggested_name(self) -> str:
        """The file name that the server or page proposed, raw."""
        return self._download.suggested_name

    @property
    def state(self) -> Literal["inProgress", "completed", "canceled"]:
        """How far it is; ``canceled`` also when the connection broke."""
        return self._download.state

    @property
    def received(self) -> int:
        """Bytes so far."""
        return self._download.received

    @property
    def total(self) -> int:
        """Bytes in all; 0 while unknown."""
        return self._download.total

    async def path(self, *, timeout: float = 30.0) -> Path:
        """Where the complete file is; waits for its end, at most `timeout` seconds.

        Raises:
            FileFailed: it was cancelled, or its connection broke.
            DeadlineExceeded: it is not complete in time; it goes on.
            PageClosed: the browser ended before.
        """
        engine = self._page._engine
        loop = asyncio.get_running_loop()
        changed = asyncio.Event()
        disconnect = [
            engine.download_changed.connect(lambda _: changed.set()),
            engine.closed_signal.connect(lambda _: changed.set()),
        ]
        end = loop.time() + timeout
        try:
            while self.state == "inProgress":
                if not engine.host.is_running:
                    raise PageClosed("The browser ended before the download was complete.")
                changed.clear()
                try:
                    async with asyncio.timeout_at(end):
                        await changed.wait()
                except TimeoutError:
                    raise DeadlineExceeded(
                        f"The download of {self.suggested_name!r} was not complete after {timeout:g} s: "
                        f"{self.received:,} of {self.total or 'unknown'} bytes are here.",
                        "It goes on: ask again, with a longer timeout.",
                    ) from None
        finally:
            for off in disconnect:
                off()
        if self.state == "canceled" or self._download.path is None:
            raise FileFailed(f"The download of {self.suggested_name!r} was cancelled or broke off.", "Start it again.")
        return self._download.path

    async def save_as(self, path: Path | str, *, timeout: float = 30.0) -> Path:
        """Wait for the complete file as `path` does, and copy it; missing directories are made.

        Raises:
            FileFailed: it can't be written there; and what `path` raises.
        """
        source = await self.path(timeout=timeout)

        def copy() -> Path:
            target = Path(path).expanduser().absolute()
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(source, target)
            return target

        try:
            return await asyncio.to_thread(copy)
        except OSError as error:
            raise FileFailed(f"The download can't be saved as {path}: {error.strerror or error}.") from error

    async def cancel(self) -> None:
        """End it, if it has not come to its end."""
        if self.state == "inProgress":
            await self._page._engine.host.root.send("Browser.cancelDownload", {"guid": self._download.guid})
