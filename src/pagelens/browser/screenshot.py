"""Pictures of what a page shows: its viewport, all of it, or one element.

Nothing is scaled here: Chrome makes the picture in the size that is wanted (``clip.scale``). A picture for a model is
bounded in its sides and bytes, as larger ones are refused or cost too much; a tall page comes in parts.
"""

from __future__ import annotations

import asyncio
import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal
from weakref import WeakKeyDictionary

from pagelens.browser.camera import Camera, image_size
from pagelens.browser.input import FLAT_PARENTS, HIDDEN_WHY, call_on_owner, problem
from pagelens.browser.world import JsFunction
from pagelens.core.deadlines import COMMAND
from pagelens.errors import InvalidInput, PagelensError, ScreenshotFailed

if TYPE_CHECKING:
    from pagelens.browser.element import Element
    from pagelens.browser.emulated import Emulated
    from pagelens.browser.page import Page
    from pagelens.cdp.session import Reply

__all__ = ["FILE", "INLINE", "LONGEST_SIDE", "ImageFormat", "Limits", "Screenshot", "screenshot", "screenshots"]

ImageFormat = Literal["png", "jpeg", "webp"]

#: A picture is scaled down until its longer side has no more pixels than this: larger ones are refused by models.
LONGEST_SIDE = 2000
#: Bytes of one picture that models and clients still take, as a file; 4/3 of it on the wire.
MOST_BYTES = 2_500_000
#: What Chrome still draws faithfully in one picture; the largest side of a JPEG or WebP is about as much.
LONGEST_IN_FILE = 16_000
#: A page is shown in so many parts at most.
MOST_PARTS = 6
#: How long a page's scale and measures may take once a picture is there, or before one that depends on them. Seconds.
MEASURES = 0.5
#: A picture that has too many bytes becomes a JPEG of this quality.
_JPEG_QUALITY = 80

DENSITY = JsFunction("pagelens.browser", "js/density.js")
SCALE = JsFunction("pagelens.browser", "js/scale.js")
BOX = JsFunction("pagelens.browser", "js/box.js")
HOLDS_FRAMES = JsFunction("pagelens.browser", "js/holds_frames.js")
SHOT_BOX = JsFunction("pagelens.browser", "js/shot_box.js", needs=(FLAT_PARENTS, HIDDEN_WHY))


#: What `_Shoot._scale` has found out, and for which document and emulation it holds.
_scales: WeakKeyDictionary[Page, tuple[tuple[str, Emulated], float]] = WeakKeyDictionary()


@dataclass(frozen=True, slots=True)
class Limits:
    """How large a picture may become.

    Attributes:
        width, height: in pixels of the picture.
        size: in bytes of the file; None for any.
        parts: into so many pictures, one below the other, all of a page may be divided.
    """

    width: int = LONGEST_SIDE
    height: int = LONGEST_SIDE
    size: int | None = MOST_BYTES
    parts: int = MOST_PARTS

    def at_most(self, width: int | None, height: int | None) -> Limits:
        """These, and not larger than that."""
        return Limits(
            min(self.width, width or self.width), min(self.height, height or self.height), self.size, self.parts
        )


#: For a reader, who is a model as a rule.
INLINE = Limits()
#: For a file: one picture.
FILE = Limits(LONGEST_IN_FILE, LONGEST_IN_FILE, None, 1)


@dataclass(frozen=True)
class Screenshot:
    """A picture.

    Attributes:
        data: the file's bytes.
        mime: ``image/png``, ``image/jpeg`` or ``image/webp``.
        width, height: in pixels of the picture.
        scale: pixels of the picture for one CSS pixel.
        note: what had to be done for it, or what it lacks, for the reader; may be empty.
        subject: what it shows: ``viewport``, ``page``, or the element as messages call it.
        x, y: its upper left corner in CSS pixels of the page's viewport. A point of the picture divided by `scale`,
            plus these, is where a mouse would have to be.
        part, parts: which of several pictures of a page, from 1.
    """

    data: bytes
    mime: str
    width: int
    height: int
    scale: float
    note: str = ""
    subject: str = "viewport"
    x: float = 0.0
    y: float = 0.0
    part: int = 1
    parts: int = 1


async def screenshot(
    page: Page,
    *,
    format: ImageFormat = "png",
    quality: int | None = None,
    full_page: bool = False,
    target: str | None = None,
    limits: Limits | None = None,
    timeout: float = COMMAND,
) -> Screenshot:
    """One picture; see `screenshots`. `limits` None: as for a reader, but all of a page as for a file."""
    limits = limits or (FILE if full_page else INLINE)
    one = Limits(limits.width, limits.height, limits.size, 1)
    return (
        await screenshots(
            page, format=format, quality=quality, full_page=full_page, target=target, limits=one, timeout=timeout
        )
    )[0]


async def screenshots(
    page: Page,
    *,
    format: ImageFormat = "png",
    quality: int | None = None,
    full_page: bool = False,
    target: str | None = None,
    limits: Limits = INLINE,
    timeout: float = COMMAND,
) -> list[Screenshot]:
    """Take a picture of the page's viewport, or of something else (CDP ``Page.captureScreenshot``).

    Args:
        quality: 0 to 100, for jpeg and webp.
        full_page: all of the page, in several parts where it is tall.
        target: one element, by uid or selector, wherever it is in the page. What scrolls around it is scrolled to it.
        limits: how large it may become.
        timeout: seconds, for each picture.

    Raises:
        InvalidInput: `quality` for png, or out of range; `full_page` and `target`.
        ScreenshotFailed: Chrome gave no picture; says what to do.
        ElementGone, ElementHidden: the element can't be seen. ElementNotFound and others: see `Page.element`.
        DialogOpen, PageCrashed, PageClosed: there is nothing to photograph now.
    """
    if quality is not None:
        if format == "png":
            raise InvalidInput("png has no quality.", "Leave quality out, or choose jpeg or webp.")
        if not 0 <= quality <= 100:
            raise InvalidInput(f"quality {quality} is not between 0 and 100.")
    if full_page and target is not None:
        raise InvalidInput("A picture shows all of the page or one element.", "Leave fullPage or uid out.")
    page.raise_if_unusable()
    camera = Camera(page, timeout)
    shoot = _Shoot(page, camera, format, quality, limits)
    try:
        if target is not None:
            shots = [await shoot.element(target)]
        elif full_page:
            shots = await shoot.page()
        else:
            shots = [await shoot.viewport()]
    finally:
        await camera.put_back()
    note = " ".join(filter(None, [camera.note, shots[0].note]))
    return [replace(shots[0], note=note), *shots[1:]]


@dataclass(frozen=True, slots=True)
class _Measures:
    """A page in CSS pixels: where its viewport is in the document, how large that is, and the document; pinch zoom."""

    page_x: float
    page_y: float
    view_width: float
    view_height: float
    width: float
    height: float
    zoom: float


class _Shoot:
    """The pictures of one call."""

    def __init__(self, page: Page, camera: Camera, format: ImageFormat, quality: int | None, limits: Limits) -> None:
        self._page = page
        self._camera = camera
        self._format = format
        self._quality = quality
        self._limits = limits

    async def viewport(self) -> Screenshot:
        """Works while a page is too busy, or too much under way, to tell its measures."""
        page = self._page
        data = await self._camera.capture(self._params(self._format))
        width, height = image_size(data)
        limits = self._limits
        too_large = max(width / limits.width, height / limits.height)
        if too_large > 1 or (limits.size is not None and len(data) > limits.size):
            metrics = page.session.post("Page.getLayoutMetrics")
            metrics.on_done(page.loads.touch)
            measures = await self._measured(metrics)
            if measures is not None:
                box = (measures.page_x, measures.page_y, measures.view_width, measures.view_height)
                # `clip.scale` counts from CSS pixels at the device's own density, a pinch zoom left aside.
                scale = measures.zoom / max(too_large, 1)
                return await self._picture(box, scale, measures, "viewport", beyond=False)
        return Screenshot(data, f"image/{self._format}", width, height, round(await self._scale(), 4))

    async def _scale(self) -> float:
        """Pixels of a picture of the viewport for one CSS pixel; 1 where the page is too busy to say."""
        page = self._page
        settings = page.emulation.settings
        state = (page.main_frame.loader_id, settings)
        known = _scales.get(page)
        if known is not None and known[0] == state:
            return known[1]
        # Only after the picture, which waits for the next frame: a question beside it may cost it one.
        try:
            async with asyncio.timeout(MEASURES):
                scale = float(await page.main_frame.call(SCALE)) or 1.0
        except (TimeoutError, PagelensError):
            return 1.0
        # Where there is no window nobody zooms or pinches; a document for phones is zoomed as it grows.
        if page.host.is_headless and (settings.viewport is None or not settings.viewport.mobile):
            _scales[page] = (state, scale)
        return scale

    async def page(self) -> list[Screenshot]:
        """All of the page, one part below the other."""
        measures = await self._needed_measures()
        limits = self._limits
        density = await self._density()
        # One pixel for one of CSS is enough to read: a dense screen would only make more parts of it.
        scale = min(1.0, limits.width / measures.width)
        if limits.parts == 1:
            scale = min(scale, max(limits.height / measures.height, 1 / 16))
        step = math.floor(limits.height / scale)
        parts = min(math.ceil(measures.height / step), limits.parts)
        shown = min(step * parts, measures.height)
        note = ""
        if shown < measures.height:
            note = (
                f"The page is {measures.height:.0f} CSS px tall: shown to {shown:.0f}. "
                "For the rest take elements by uid, scroll and take the viewport, or write it to a file."
            )
        shots = []
        weight = 0
        for nth in range(parts):
            top = nth * step
            box = (0.0, float(top), measures.width, min(step, measures.height - top))
            shot = await self._picture(box, scale / density, measures, "page", beyond=True, part=(nth + 1, parts))
            weight += len(shot.data)
            if limits.size is not None and weight > 2 * limits.size and nth + 1 < parts:
                shots.append(shot)
                note = f"The page is too large for one reply: shown to {top + step} of {measures.height:.0f} CSS px."
                break
            shots.append(shot)
        blank = ""
        if foreign := await self._foreign_frames_off_screen(measures):
            what = "A frame of another site" if foreign == 1 else f"{foreign} frames of other sites"
            blank = f"{what}, off the screen, may be blank in it: taken by uid, it is shown."
        return [replace(shots[0], note=" ".join(filter(None, [shots[0].note, note, blank]))), *shots[1:]]

    async def element(self, target: str) -> Screenshot:
        """One element, as much of it as there is to see."""
        page = self._page
        element = await page.element(target)
        try:
            frame = element.frame
            # What another process draws is in the picture only where it is on the screen.
            is_drawn_elsewhere = frame.session is not page.session or await self._holds_foreign_frames(element)
            found: dict[str, Any] = await element.call(SHOT_BOX, frame.is_main and not is_drawn_elsewhere, None)
            while (parent := frame.parent) is not None and not found.get("problem"):
                can_stay = parent.is_main and not is_drawn_elsewhere
                found = await call_on_owner(frame, parent, SHOT_BOX, can_stay, found["box"])
                frame = parent
            if found.get("problem"):
                raise problem(element.label, found, "photographed")
        finally:
            await element.release()
        measures = await self._needed_measures()
        x, y, width, height = found["box"]
        # To the document, whole pixels around it, and no further than there is something.
        left, top = max(math.floor(x + found["scroll"][0]), 0), max(math.floor(y + found["scroll"][1]), 0)
        right = min(math.ceil(x + found["scroll"][0] + width), math.ceil(measures.width))
        bottom = min(math.ceil(y + found["scroll"][1] + height), math.ceil(measures.height))
        if right <= left or bottom <= top:
            raise problem(element.label, {"problem": "hidden", "why": "it lies outside the page"}, "photographed")
        box = (float(left), float(top), float(right - left), float(bottom - top))
        density = await self._density()
        fit = min(1.0, self._limits.width / (box[2] * density), self._limits.height / (box[3] * density))
        is_in_view = (
            left >= measures.page_x
            and top >= measures.page_y
            and right <= measures.page_x + measures.view_width
            and bottom <= measures.page_y + measures.view_height
        )
        return await self._picture(box, fit, measures, element.label, beyond=not is_in_view)

    async def _holds_foreign_frames(self, element: Element) -> bool:
        if not any(frame.is_out_of_process for frame in element.frame.subtree()):
            return False
        return bool(await element.call(HOLDS_FRAMES))

    async def _foreign_frames_off_screen(self, measures: _Measures) -> int:
        """How many frames of other processes lie outside the viewport: in a picture of all they are blank."""
        count = 0
        for frame in list(self._page.frames.values()):
            outermost = frame
            while outermost.parent is not None and outermost.parent.parent is not None:
                outermost = outermost.parent
            if not frame.is_out_of_process or outermost.parent is None:
                continue
            box = await call_on_owner(outermost, outermost.parent, BOX)
            if box is not None and not (
                box[0] >= 0
                and box[1] >= 0
                and box[0] + box[2] <= measures.view_width
                and box[1] + box[3] <= measures.view_height
            ):
                count += 1
        return count

    # -- taking it -----------------------------------------------------------------------------------

    def _params(self, format: ImageFormat) -> dict[str, Any]:
        params: dict[str, Any] = {"format": format}
        if format == "png":
            # Half the time for a third more bytes; what a picture costs a model depends on its pixels.
            params["optimizeForSpeed"] = True
        if format != "png" and self._quality is not None:
            params["quality"] = self._quality
        elif format == "jpeg" and self._format != "jpeg":
            params["quality"] = _JPEG_QUALITY
        return params

    async def _picture(
        self,
        box: tuple[float, float, float, float],
        scale: float,
        measures: _Measures,
        subject: str,
        *,
        beyond: bool,
        part: tuple[int, int] = (1, 1),
    ) -> Screenshot:
        """A picture of a part of the document; lighter, then smaller, until its bytes are within the limit."""
        x, y, width, height = box
        format: ImageFormat = self._format
        note = ""
        while True:
            clip = {"x": x, "y": y, "width": width, "height": height, "scale": scale}
            data = await self._camera.capture({**self._params(format), "clip": clip, "captureBeyondViewport": beyond})
            if self._limits.size is None or len(data) <= self._limits.size or scale < 1 / 32:
                break
            if format == "png":
                note = f"As png it would have {len(data) / 1e6:.1f} MB: this is a jpeg."
                format = "jpeg"
            else:
                note = f"It would have {len(data) / 1e6:.1f} MB at full size: this one is smaller."
                scale *= max(min((self._limits.size / len(data)) ** 0.5, 0.9), 0.25)
        pixels = image_size(data)
        return Screenshot(
            data,
            f"image/{format}",
            *pixels,
            scale=round(pixels[0] / width, 4),
            note=note,
            subject=subject,
            x=round(x - measures.page_x, 2) + 0.0,
            y=round(y - measures.page_y, 2) + 0.0,
            part=part[0],
            parts=part[1],
        )

    async def _density(self) -> float:
        return float(await self._page.main_frame.call(DENSITY)) or 1.0

    async def _needed_measures(self) -> _Measures:
        metrics = self._page.session.post("Page.getLayoutMetrics")
        await self._page.guarded(metrics)
        measures = await self._measured(metrics)
        if measures is None or measures.width < 1 or measures.height < 1:
            raise ScreenshotFailed("The page did not say how large it is.", "Try again, or take the viewport only.")
        return measures

    async def _measured(self, metrics: Reply) -> _Measures | None:
        """None when the page is too busy to say."""
        await self._page.loads.wait(lambda: metrics.done, MEASURES)
        if not metrics.done or metrics.failed:
            return None
        found = metrics.result()
        view, content = found["cssVisualViewport"], found["cssContentSize"]
        return _Measures(
            view["pageX"],
            view["pageY"],
            view["clientWidth"],
            view["clientHeight"],
            content["width"],
            content["height"],
            view["scale"],
        )
