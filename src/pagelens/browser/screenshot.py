"""Pictures of what a page shows."""

from __future__ import annotations

import asyncio
import base64
import struct
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from pagelens.core.deadlines import COMMAND
from pagelens.errors import CommandTimeout, InvalidInput, ProtocolError, ScreenshotFailed

if TYPE_CHECKING:
    from pagelens.browser.page import Page
    from pagelens.cdp.session import Reply

__all__ = ["LONGEST_SIDE", "ImageFormat", "Screenshot", "image_size", "screenshot"]

ImageFormat = Literal["png", "jpeg", "webp"]

#: A picture is scaled down until its longer side has no more pixels than this: larger ones are refused by models.
LONGEST_SIDE = 2000
#: A tab behind another one often gives no picture at all. A page that shares its window is brought to the front
#: after the first of these, any other page that is not busy after the second. Seconds.
GLANCE = 0.4
PATIENCE = 2.0
#: How long the page's measures may take once the picture is there. Seconds.
MEASURES = 0.5


@dataclass(frozen=True)
class Screenshot:
    """A picture.

    Attributes:
        data: the file's bytes.
        mime: ``image/png``, ``image/jpeg`` or ``image/webp``.
        width, height: in pixels of the picture.
        scale: pixels of the picture for one CSS pixel: divide its coordinates by this to get the page's.
        note: what had to be done for it, for the reader; may be empty.
    """

    data: bytes
    mime: str
    width: int
    height: int
    scale: float
    note: str = ""


async def screenshot(
    page: Page, *, format: ImageFormat = "png", quality: int | None = None, timeout: float = COMMAND
) -> Screenshot:
    """Take a picture of the page's viewport (CDP ``Page.captureScreenshot``).

    Args:
        quality: 0 to 100, for jpeg and webp.
        timeout: seconds, for everything.

    Raises:
        InvalidInput: `quality` for png, or out of range.
        ScreenshotFailed: Chrome gave no picture; says what to do.
        DialogOpen, PageCrashed, PageClosed: there is nothing to photograph now.
    """
    if quality is not None:
        if format == "png":
            raise InvalidInput("png has no quality.", "Leave quality out, or choose jpeg or webp.")
        if not 0 <= quality <= 100:
            raise InvalidInput(f"quality {quality} is not between 0 and 100.")
    page.raise_if_unusable()
    params: dict[str, Any] = {"format": format}
    if quality is not None:
        params["quality"] = quality
    camera = _Camera(page, timeout)
    metrics = page.session.post("Page.getLayoutMetrics")
    metrics.on_done(page.loads.touch)
    data = await camera.capture(params)
    viewport = await _viewport(page, metrics)
    width, height = image_size(data)
    longest = max(width, height)
    if longest > LONGEST_SIDE and viewport is not None:
        # `clip.scale` counts from CSS pixels at the device's own density, a pinch zoom left aside.
        clip = {
            "x": viewport["pageX"],
            "y": viewport["pageY"],
            "width": viewport["clientWidth"],
            "height": viewport["clientHeight"],
            "scale": viewport["scale"] * LONGEST_SIDE / longest,
        }
        data = await camera.capture({**params, "clip": clip})
        width, height = image_size(data)
    scale = width / viewport["clientWidth"] if viewport is not None and viewport["clientWidth"] else 1.0
    return Screenshot(data, f"image/{format}", width, height, round(scale, 4), camera.note)


class _Camera:
    """Takes pictures of one page until its time is up."""

    def __init__(self, page: Page, timeout: float) -> None:
        self._page = page
        self._loop = asyncio.get_running_loop()
        self._timeout = timeout
        self._end = self._loop.time() + timeout
        self.note = ""

    async def capture(self, params: dict[str, Any]) -> bytes:
        page = self._page
        reply = self._shoot(params)
        if not await self._seen(reply) and self._is_alive() and await page.is_responsive():
            # It works but is not drawn: a tab behind another one. In front, the first order is served too, or the next.
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


async def _viewport(page: Page, metrics: Reply) -> dict[str, float] | None:
    """What part of the page is seen, in CSS pixels; None when the page is too busy to say."""
    await page.loads.wait(lambda: metrics.done, MEASURES)
    if not metrics.done or metrics.failed:
        return None
    viewport: dict[str, float] = metrics.result()["cssVisualViewport"]
    return viewport


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
