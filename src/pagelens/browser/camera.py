"""How Chrome is brought to give a picture of a page: in time, and of hidden tabs, too."""

from __future__ import annotations

import asyncio
import base64
import struct
from typing import TYPE_CHECKING, Any

from pagelens.browser.tabs import bring_tab_to_front, tab_before
from pagelens.errors import CommandTimeout, ProtocolError, ScreenshotFailed

if TYPE_CHECKING:
    from pagelens.browser.page import Page
    from pagelens.cdp.session import Reply

__all__ = ["Camera", "image_size"]

#: A tab behind another one often gives no picture at all. A page that shares its window is brought to the front
#: after the first of these, any other page that is not busy after the second. Seconds.
GLANCE = 0.4
PATIENCE = 2.0


class Camera:
    """Takes pictures of one page until its time is up.

    Attributes:
        note: what had to be done for them, for the reader; may be empty.
    """

    def __init__(self, page: Page, timeout: float) -> None:
        self._page = page
        self._loop = asyncio.get_running_loop()
        self._timeout = timeout
        self._end = self._loop.time() + timeout
        self.note = ""
        self._former_tab: str | None = None

    async def capture(self, params: dict[str, Any]) -> bytes:
        """One picture (CDP ``Page.captureScreenshot``).

        Raises:
            ScreenshotFailed, DialogOpen, PageCrashed, PageClosed: there is none.
        """
        page = self._page
        reply = self._shoot(params)
        if not await self._seen(reply) and self._is_alive() and await page.is_responsive():
            # It works but is not drawn: a tab behind another one. In front, the first order is served too, or the next.
            if page.host.options.is_attaching:
                self._former_tab = self._former_tab or await tab_before(page)
            await page.bring_to_front()
            self.note = "The page was behind another one and was brought to the front for its picture."
            again = self._shoot(params)
            await self._there(PATIENCE, reply, again)
            reply = again if again.done and not again.failed else reply
        try:
            result = await page.guarded(reply, max(self._end - self._loop.time(), 0.01))
        except CommandTimeout as error:
            raise ScreenshotFailed(
                f"Chrome gave no picture of the page within {self._timeout:g} s; a script that kept it busy was ended.",
                "Try again; if it fails again, reload the page or call take_snapshot.",
            ) from error
        except ProtocolError as error:
            raise ScreenshotFailed(
                f"Chrome could not take a picture of the page: {error.protocol_message}.",
                "Try again; if it fails again, reload the page or call take_snapshot.",
            ) from error
        return base64.b64decode(result["data"])

    async def put_back(self) -> None:
        """In a browser that somebody uses, the tab that was in front is there again."""
        former, self._former_tab = self._former_tab, None
        if former is not None and await bring_tab_to_front(self._page.host, former):
            self.note = "The page was behind another tab: it was brought to the front for its picture, and put back."

    async def _seen(self, reply: Reply) -> bool:
        if await self._there(GLANCE, reply):
            return True
        return False if await self._shares_window() else await self._there(PATIENCE - GLANCE, reply)

    async def _shares_window(self) -> bool:
        """Whether another page is a tab of the same window, and so may hide this one."""
        host = self._page.host
        windows = {
            other: host.root.post("Browser.getWindowForTarget", {"targetId": other.target_id})
            for other in host.pages.values()
        }
        found: dict[Page, int] = {}
        for other, reply in windows.items():
            try:
                found[other] = (await reply)["windowId"]
            except ProtocolError:
                continue  # it was closed at this moment
        return list(found.values()).count(found.get(self._page, -1)) > 1

    def _shoot(self, params: dict[str, Any]) -> Reply:
        reply = self._page.session.post("Page.captureScreenshot", params)
        reply.on_done(self._page.loads.touch)
        return reply

    def _is_alive(self) -> bool:
        return self._page.dialog is None and not self._page.is_crashed and self._page.closed is None

    async def _there(self, patience: float, *replies: Reply) -> bool:
        """Wait for the first of several answers; ends early when none can come."""
        left = min(patience, self._end - self._loop.time())
        await self._page.loads.wait(lambda: any(r.done for r in replies) or not self._is_alive(), left)
        return any(reply.done for reply in replies)


def image_size(data: bytes) -> tuple[int, int]:
    """Width and height of a PNG, JPEG or WebP file, from its header.

    Raises:
        ScreenshotFailed: it is none of these.
    """
    if data.startswith(b"\x89PNG"):
        width, height = struct.unpack(">II", data[16:24])
        return width, height
    if data.startswith(b"\xff\xd8"):
        at = 2
        while at + 9 < len(data):
            marker, length = data[at + 1], int.from_bytes(data[at + 2 : at + 4], "big")
            # Start-of-frame markers, without the tables that share their range.
            if 0xC0 <= marker <= 0xCF and marker not in (0xC4, 0xC8, 0xCC):
                height, width = struct.unpack(">HH", data[at + 5 : at + 9])
                return width, height
            at += 2 + length
    if data[8:12] == b"WEBP":
        kind = data[12:16]
        if kind == b"VP8 ":
            width, height = struct.unpack("<HH", data[26:30])
            return width & 0x3FFF, height & 0x3FFF
        if kind == b"VP8L":
            bits = int.from_bytes(data[21:25], "little")
            return (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1
        if kind == b"VP8X":
            return int.from_bytes(data[24:27], "little") + 1, int.from_bytes(data[27:30], "little") + 1
    raise ScreenshotFailed("Chrome's picture is in no known format.", "Try again, or choose another format.")
