"""Pictures of pages: right in content, size and scale, bounded in time, whatever state the page is in."""

from __future__ import annotations

import io

import pytest
from PIL import Image

from pagelens.browser.host import BrowserHost
from pagelens.browser.page import Page
from pagelens.browser.screenshot import LONGEST_SIDE, ImageFormat, screenshot
from pagelens.core.deadlines import deadline
from pagelens.errors import DialogOpen, InvalidInput, PageCrashed, ScreenshotFailed
from tests.support.site import Site

COLOURS = (
    "<body style='margin:0'><div style='height:100vh;background:rgb(200,40,40)'></div>"
    "<div style='height:100vh;background:rgb(40,40,200)'></div>"
)


def colour(data: bytes) -> tuple[int, ...]:
    image = Image.open(io.BytesIO(data)).convert("RGB")
    pixel = image.getpixel((image.width // 2, image.height // 2))
    assert isinstance(pixel, tuple)
    return pixel


def near(one: tuple[int, ...], other: tuple[int, ...]) -> bool:
    return all(abs(a - b) < 12 for a, b in zip(one, other, strict=True))


@pytest.mark.parametrize("kind", ["png", "jpeg", "webp"])
async def test_the_viewport_in_each_format(page: Page, site: Site, kind: ImageFormat) -> None:
    await page.navigate(site.page(COLOURS))
    shot = await screenshot(page, format=kind)
    image = Image.open(io.BytesIO(shot.data))
    assert (image.format or "").lower() == kind
    assert shot.mime == f"image/{kind}"
    assert (shot.width, shot.height) == image.size
    assert shot.scale == 1
    assert near(colour(shot.data), (200, 40, 40))
    await page.session.send("Runtime.evaluate", {"expression": "scrollTo(0, innerHeight)"})
    assert near(colour((await screenshot(page, format=kind)).data), (40, 40, 200))


async def test_quality_makes_the_file_smaller(page: Page, site: Site) -> None:
    await page.navigate(site.page("<p>text " * 500))
    poor = await screenshot(page, format="jpeg", quality=5)
    good = await screenshot(page, format="jpeg", quality=95)
    assert len(poor.data) < len(good.data) * 0.7


@pytest.mark.parametrize(("kind", "quality"), [("png", 50), ("jpeg", 101), ("webp", -1)])
async def test_quality_that_makes_no_sense(page: Page, kind: ImageFormat, quality: int) -> None:
    with pytest.raises(InvalidInput):
        await screenshot(page, format=kind, quality=quality)


async def test_scale_and_size_limit_on_dense_screens(page: Page, site: Site) -> None:
    await page.navigate(site.page("<meta name=viewport content='width=device-width'>" + COLOURS))
    metrics = {"width": 100, "height": 500, "deviceScaleFactor": 3, "mobile": True}
    await page.session.send("Emulation.setDeviceMetricsOverride", metrics)
    shot = await screenshot(page)
    assert (shot.width, shot.height, shot.scale) == (300, 1500, 3)
    await page.session.send("Emulation.setDeviceMetricsOverride", {**metrics, "height": 1000})
    shot = await screenshot(page)
    assert shot.height == LONGEST_SIDE
    assert shot.scale == 2
    assert near(colour(shot.data), (200, 40, 40))
    # Scrolled, the smaller picture still shows what the screen shows.
    await page.session.send("Runtime.evaluate", {"expression": "scrollTo(0, innerHeight)"})
    assert near(colour((await screenshot(page)).data), (40, 40, 200))


async def test_a_page_behind_others(host: BrowserHost, page: Page, site: Site) -> None:
    await page.navigate(site.page(COLOURS + "<script>onclick = () => open('/blank')</script>"))
    async with page.acting("input") as effect:
        for kind in ("mousePressed", "mouseReleased"):
            event = {"type": kind, "x": 50, "y": 50, "button": "left", "clickCount": 1}
            await page.session.send("Input.dispatchMouseEvent", event)
    # The popup shares the window, as its tab in front.
    assert effect.new_pages
    async with deadline(40, "four pictures"):
        for _ in range(2):
            assert near(colour((await screenshot(page)).data), (200, 40, 40))
            assert (await screenshot(effect.new_pages[0])).width > 0


async def test_while_a_navigation_waits_for_its_server(page: Page, site: Site) -> None:
    await page.navigate(site.page(COLOURS))
    page.session.post("Runtime.evaluate", {"expression": f"location.href = '{site.url('/hold/shot')}'"})
    await site.requested("/hold/shot")
    assert near(colour((await screenshot(page)).data), (200, 40, 40))
    site.release("shot")


async def test_a_busy_page_ends_in_an_error_and_works_again(page: Page, site: Site) -> None:
    await page.navigate(site.page(COLOURS))
    page.session.post("Runtime.evaluate", {"expression": "for (;;) ;"})
    with pytest.raises(ScreenshotFailed):
        await screenshot(page, timeout=1.5)
    assert near(colour((await screenshot(page)).data), (200, 40, 40))


async def test_with_a_dialog_or_after_a_crash(page: Page, site: Site) -> None:
    await page.navigate(site.page(COLOURS))
    page.session.post("Runtime.evaluate", {"expression": "alert(1)"})
    await page.loads.wait(lambda: page.dialog is not None, 5)
    with pytest.raises(DialogOpen):
        await screenshot(page)
    await page.handle_dialog(True)
    page.session.post("Page.crash")
    await page.loads.wait(lambda: page.is_crashed, 10)
    with pytest.raises(PageCrashed):
        await screenshot(page)
