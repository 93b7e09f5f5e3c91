"""Pictures of pages: right in content, size and scale, bounded in time, whatever state the page is in."""

from __future__ import annotations

import io

import pytest
from PIL import Image

from pagelens.browser.emulated import Viewport
from pagelens.browser.host import BrowserHost
from pagelens.browser.page import Page
from pagelens.browser.screenshot import LONGEST_SIDE, ImageFormat, Limits, Screenshot, screenshot, screenshots
from pagelens.core.deadlines import deadline
from pagelens.core.options import Options
from pagelens.errors import DialogOpen, ElementHidden, InvalidInput, PageCrashed, ScreenshotFailed
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


# -- all of the page, elements ---------------------------------------------------------------------------


def pixel(shot: Screenshot, x: float, y: float) -> tuple[int, ...]:
    """The colour at a place of the page's viewport, in CSS pixels."""
    image = Image.open(io.BytesIO(shot.data)).convert("RGB")
    found = image.getpixel((int((x - shot.x) * shot.scale), int((y - shot.y) * shot.scale)))
    assert isinstance(found, tuple)
    return found


NOISE = """<body style='margin:0'><canvas id=c width=1280 height=720></canvas><script>
const x = c.getContext('2d'), d = x.createImageData(1280, 720);
for (let i = 0; i < d.data.length; i++) d.data[i] = i % 4 == 3 ? 255 : Math.random() * 255;
x.putImageData(d, 0, 0);</script>"""
RED, BLUE, GREEN = (200, 40, 40), (40, 40, 200), (40, 160, 40)
BOX = "style='background:rgb(200,40,40);height:100px;width:200px'"


async def test_all_of_a_page_in_parts(page: Page, site: Site) -> None:
    stripes = "".join(
        f"<div style='height:1000px;background:rgb{colour}'></div>" for colour in (RED, BLUE, GREEN, RED, BLUE)
    )
    await page.navigate(site.page(f"<body style='margin:0'>{stripes}"))
    await page.session.send("Runtime.evaluate", {"expression": "scrollTo(0, 700)"})
    shots = await screenshots(page, full_page=True)
    assert [(shot.part, shot.parts, shot.height, shot.scale) for shot in shots] == [
        (1, 3, 2000, 1),
        (2, 3, 2000, 1),
        (3, 3, 1000, 1),
    ]
    for shot, top in zip(shots, (0, 2000, 4000), strict=True):
        assert (shot.x, shot.y) == (0, top - 700)
    assert near(pixel(shots[0], 10, 999 - 700), RED)
    assert near(pixel(shots[0], 10, 1001 - 700), BLUE)
    assert near(pixel(shots[1], 10, 3500 - 700), RED)
    assert near(pixel(shots[2], 10, 4999 - 700), BLUE)
    # For a file: one picture. It leaves the page as it was.
    whole = await screenshot(page, full_page=True)
    assert (whole.height, whole.scale) == (5000, 1)
    assert near(pixel(whole, 10, 2500 - 700), GREEN)
    scrolled = await page.session.send("Runtime.evaluate", {"expression": "scrollY", "returnByValue": True})
    assert scrolled["result"]["value"] == 700


async def test_a_page_without_end_is_capped_and_said(page: Page, site: Site) -> None:
    await page.navigate(site.page("<body style='margin:0'><div style='height:90000px;width:10px'>"))
    shots = await screenshots(page, full_page=True, limits=Limits(parts=2))
    assert len(shots) == 2
    assert "90000 CSS px tall: shown to 4000" in shots[0].note
    assert all(max(shot.width, shot.height) <= LONGEST_SIDE for shot in shots)


async def test_limits_of_sides_and_bytes(page: Page, site: Site) -> None:
    await page.navigate(site.page(NOISE))
    noisy = await screenshot(page)
    assert (noisy.mime, noisy.width) == ("image/jpeg", 1280)
    assert "As png it would have" in noisy.note
    light = await screenshot(page, limits=Limits(size=100_000))
    assert len(light.data) <= 100_000
    assert light.width < 1280
    assert light.scale == pytest.approx(light.width / 1280, abs=0.001)
    small = await screenshot(page, format="webp", limits=Limits(400, 300))
    assert small.width <= 400
    assert small.height <= 300
    assert small.mime == "image/webp"


async def test_an_element_below_the_fold(page: Page, site: Site) -> None:
    await page.navigate(site.page(f"<body style='margin:0'><div style='height:1500px'></div><div id=b {BOX}>x</div>"))
    shot = await screenshot(page, target="css=#b")
    assert (shot.width, shot.height, shot.x, shot.y) == (200, 100, 0, 1500)
    assert near(pixel(shot, 150, 1550), RED)
    await page.session.send("Runtime.evaluate", {"expression": "scrollTo(0, 1e6)"})
    shot = await screenshot(page, target="css=#b")
    assert (shot.width, shot.height) == (200, 100)
    assert near(pixel(shot, 150, shot.y + 50), RED)


async def test_an_element_that_is_fixed_in_a_scrolled_page(page: Page, site: Site) -> None:
    fixed = f"<div id=b {BOX.replace('background', 'position:fixed;top:50px;left:30px;background')}></div>"
    await page.navigate(site.page(f"<body style='margin:0'><div style='height:5000px'></div>{fixed}"))
    await page.session.send("Runtime.evaluate", {"expression": "scrollTo(0, 2000)"})
    shot = await screenshot(page, target="css=#b")
    assert (shot.width, shot.height, shot.x, shot.y) == (200, 100, 30, 50)
    assert near(pixel(shot, 100, 100), RED)


async def test_an_element_inside_what_scrolls(page: Page, site: Site) -> None:
    inside = f"<div style='height:900px'></div><div id=b {BOX}></div><div style='height:900px'></div>"
    list_of = f"<div style='height:300px;width:150px;overflow:auto'>{inside}</div>"
    await page.navigate(site.page(f"<body style='margin:0'><div style='height:1000px'></div>{list_of}"))
    shot = await screenshot(page, target="css=#b")
    assert shot.height == 100
    assert 130 <= shot.width <= 150  # what is clipped away does not exist
    assert near(pixel(shot, 50, shot.y + 50), RED)


@pytest.mark.parametrize("other", [False, True], ids=["same site", "another site"])
async def test_an_element_in_frames(page: Page, site: Site, other: bool) -> None:
    inner = site.page(f"<body style='margin:0'><div style='height:1500px'></div><div id=b {BOX}>x</div>", other=other)
    middle = site.page(f"<body style='margin:0'><iframe src={inner} width=250 height=150 style='border:5px solid'>")
    frame = f"<div style='height:1200px'></div><iframe src={middle} width=400 height=300 style='border:0'></iframe>"
    await page.navigate(site.page(f"<body style='margin:0'>{frame}"))
    shot = await screenshot(page, target="css=#b")
    assert (shot.width, shot.height) == (200, 100)
    assert near(pixel(shot, shot.x + 150, shot.y + 50), RED)
    assert shot.subject == "css=#b"


async def test_dense_screens(page: Page, site: Site) -> None:
    await page.navigate(site.page(f"<body style='margin:0'><div style='height:1500px'></div><div id=b {BOX}>x</div>"))
    metrics = {"width": 800, "height": 600, "deviceScaleFactor": 2, "mobile": False}
    await page.session.send("Emulation.setDeviceMetricsOverride", metrics)
    shot = await screenshot(page, target="css=#b")
    assert (shot.width, shot.height, shot.scale) == (400, 200, 2)
    assert near(pixel(shot, 150, shot.y + 50), RED)
    whole = await screenshot(page, full_page=True)
    assert (whole.width, whole.height, whole.scale) == (800, 1600, 1)
    assert near(pixel(whole, 100, 1550), RED)


async def test_elements_that_can_not_be_seen(page: Page, site: Site) -> None:
    clipped = "<div style='width:50px;height:50px;overflow:hidden'><div style='height:80px'></div><i id=c>x</i></div>"
    await page.navigate(
        site.page(f"<p id=h hidden>Gone</p>{clipped}<p id=o style='position:absolute;left:-500px'>x</p>")
    )
    for target, words in (("css=#h", "display: none"), ("css=#c", "clipped away"), ("css=#o", "outside the page")):
        with pytest.raises(ElementHidden, match=words):
            await screenshot(page, target=target)
    with pytest.raises(InvalidInput):
        await screenshot(page, target="css=#h", full_page=True)


async def test_frames_of_other_sites_below_the_fold(page: Page, site: Site) -> None:
    inner = site.page(f"<body style='margin:0'><div {BOX}>x</div>", other=True)
    frame = f"<iframe id=f src={inner} width=250 height=150 style='border:0'></iframe>"
    await page.navigate(site.page(f"<body style='margin:0'><div style='height:1500px'></div>{frame}"))
    assert "A frame of another site, off the screen, may be blank" in (await screenshots(page, full_page=True))[0].note
    shot = await screenshot(page, target="css=#f")
    assert (shot.width, shot.height, shot.note) == (250, 150, "")
    assert near(pixel(shot, 150, shot.y + 50), RED)


async def test_scroll_bars_are_no_part_of_the_scale(site: Site) -> None:
    host = BrowserHost(Options(headless=True, isolated=True, ignore_default_chrome_args=("--hide-scrollbars",)))
    try:
        await host.ensure_running()
        page = await host.new_page()
        await page.navigate(site.page("<body style='height:4000px'>Tall"))
        for _ in range(2):
            shot = await screenshot(page)
            assert (shot.width, shot.scale) == (1280, 1)
        await page.emulation.change({"viewport": Viewport(400, 300, 2)})
        shot = await screenshot(page)
        assert (shot.width, shot.scale) == (800, 2)
    finally:
        await host.close()
