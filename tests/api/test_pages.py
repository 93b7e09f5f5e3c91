"""Pages: navigation, content, pictures, frames."""

from __future__ import annotations

import re
import socket
from pathlib import Path

import pytest

import pagelens
from pagelens.errors import DeadlineExceeded, FileFailed, InvalidInput, NavigationFailed, PageClosed
from tests.support.site import Site


def nobody_listens() -> str:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return f"http://127.0.0.1:{taken.getsockname()[1]}/"


async def test_goto_and_history(page: pagelens.Page, site: Site) -> None:
    first = site.page("<h1>One</h1>", title="One")
    second = site.page("<h1>Two</h1>", title="Two", status=404)
    result = await page.goto(first)
    assert (result.outcome, result.url, result.status) == ("loaded", first, 200)
    assert await page.title() == "One"
    assert (await page.goto(second)).status == 404
    assert (await page.back()).url == first
    assert page.url == first
    assert (await page.forward()).url == second
    assert await page.title() == "Two"
    with pytest.raises(NavigationFailed, match="can't go forward"):
        await page.forward()
    before = len(site.seen(second.removeprefix(site.origin)))
    assert (await page.reload()).status == 404
    assert len(site.seen(second.removeprefix(site.origin))) == before + 1


async def test_goto_tells_what_it_met(page: pagelens.Page, site: Site) -> None:
    pending = site.page("<img src=/never.png>")
    result = await page.goto(pending, timeout=5)
    assert result.outcome == "usable"
    assert result.pending == [site.url("/never.png")]
    download = await page.goto(site.url("/download", name="a.txt", size=10))
    assert download.outcome == "download"
    assert isinstance(download.download, pagelens.Download)
    assert (await download.download.path()).stat().st_size == 10
    with pytest.raises(NavigationFailed, match="ERR_CONNECTION_REFUSED"):
        await page.goto(nobody_listens())
    with pytest.raises(NavigationFailed, match="did not answer within"):
        await page.goto(site.url("/never"), timeout=0.5)
    with pytest.raises(InvalidInput):
        await page.goto("  ")


async def test_scripts_before_the_page_s_own(page: pagelens.Page, site: Site) -> None:
    url = site.page("<script>document.title = String(globalThis.early)</script>")
    await page.goto(url, init_script="globalThis.early = 'yes'")
    assert await page.title() == "yes"
    await page.reload()
    assert await page.title() == "undefined"


async def test_set_content(page: pagelens.Page, site: Site) -> None:
    await page.goto(site.url("/"))
    old = await page.element("css=h1")
    result = await page.set_content("<title>New</title><p id=p>one<script>document.title += '!'</script>")
    assert (result.outcome, result.pending) == ("loaded", [])
    assert page.url == site.url("/")
    assert await page.title() == "New!"
    with pytest.raises(pagelens.PagelensError, match="gone"):
        await old.click()
    assert "one" in (await page.snapshot()).text
    unfinished = await page.set_content("<img src=/never.png>", timeout=0.3)
    assert unfinished.outcome == "usable"
    assert unfinished.pending == [site.url("/never.png")]
    # What was there before is replaced, and can be clicked.
    await page.set_content("<button onclick='this.textContent += 1'>n</button>")
    await page.click("css=button")
    assert await page.evaluate("document.body.textContent") == "n1"


async def test_a_snapshot_names_what_actions_take(page: pagelens.Page) -> None:
    await page.set_content("<h1>Orders</h1><button onclick='this.remove()'>Go</button>")
    text = (await page.snapshot()).text
    found = re.search(r'uid=(e\d+) button "Go"', text)
    assert found
    await page.click(found[1])
    assert "button" not in (await page.snapshot()).text
    assert "box=" in (await page.snapshot(verbose=True)).text


async def test_parts_outlines_and_searches_of_a_page(page: pagelens.Page) -> None:
    link = "/lamps/" + "x" * 60
    items = "".join(f"<li><a href='{link}{n}'>Lamp {n}</a> <button>Buy</button>" for n in range(30))
    await page.set_content(f"<nav><a href=/>Home</a></nav><main><ul>{items}</ul></main>")
    part = (await page.snapshot("text=Lamp 7")).text.split("\n")
    assert len(part) == 2
    assert part[1].endswith(f"{link}7")
    outline = await page.outline("css=main", max_lines=12)
    assert outline.text.count("\n") < 12
    assert "30 × item" in outline.text
    assert "Home" not in outline.text
    found = await page.search("lamp 2[0-4]", ignore_case=True, max_results=3)
    assert (found.total, found.shown) == (5, 3)
    await page.click(found.uids[0])


async def test_screenshots(page: pagelens.Page, tmp_path: Path) -> None:
    await page.set_content("<body style='background:#f00'>")
    picture = await page.screenshot()
    assert picture.data.startswith(b"\x89PNG")
    assert (picture.width, picture.height) == (1280, 720)
    saved = await page.screenshot(path=tmp_path / "a.jpg", quality=30)
    assert (tmp_path / "a.jpg").read_bytes() == saved.data
    assert saved.mime == "image/jpeg"
    await page.set_content("<div style='width:50px;height:3000px;background:#0f0'></div><p style='width:70px'>p")
    whole = await page.screenshot(full_page=True, path=tmp_path / "whole.webp")
    assert (whole.mime, whole.height > 3000) == ("image/webp", True)
    assert (await page.screenshot("css=p")).width == 70
    element = await (await page.element("css=div")).screenshot(path=tmp_path / "div.png")
    assert (element.width, element.height) == (50, 3000)
    assert (tmp_path / "div.png").read_bytes() == element.data
    with pytest.raises(FileFailed, match="can't be written"):
        await page.screenshot(path=tmp_path / "missing" / "a.png")
    with pytest.raises(InvalidInput):
        await page.screenshot(format="png", quality=3)


async def test_frames(page: pagelens.Page, site: Site) -> None:
    inner = site.page("<p>inner<iframe name=deep srcdoc='<b>deep</b>'></iframe>", other=True)
    await page.goto(site.page(f"<p>outer<iframe name=side src='{inner}'></iframe>"))
    main, side, deep = page.frames
    assert main == page.main_frame
    assert (main.is_main, main.parent) == (True, None)
    assert main.children == [side]
    assert (side.url, side.name, side.parent) == (inner, "side", main)
    assert (deep.parent, deep.page) == (side, page)
    assert await side.evaluate("() => document.body.innerText.trim()") == "inner"
    assert await deep.evaluate("document.body.textContent") == "deep"
    element = await page.element("css=b")
    assert element.frame == deep
    assert await element.evaluate("(b, s) => b.textContent + s", "!") == "deep!"
    with pytest.raises(InvalidInput, match="another frame"):
        await main.evaluate("(b) => b", element)
    assert [found.uid for found in await deep.elements("css=b")] == [element.uid]
    assert await main.elements("css=b") == []
    with pytest.raises(pagelens.PagelensError, match="No element"):
        await main.element("css=b")
    with pytest.raises(pagelens.PagelensError, match="not in this frame"):
        await main.element(element.uid)
    await page.evaluate("() => document.querySelector('iframe').remove()")
    assert side.is_detached
    assert page.frames == [main]
    with pytest.raises(pagelens.PagelensError) as gone:
        await side.evaluate("1")
    assert gone.value.code == "frame_gone"


async def test_expect_navigation(page: pagelens.Page, site: Site) -> None:
    target = site.page("<h1>There</h1>")
    await page.goto(site.page(f"<p>Go</p><script>setTimeout(() => location = '{target}', 300)</script>"))
    async with page.expect_navigation() as caught:
        with pytest.raises(InvalidInput, match="has not come"):
            _ = caught.value
    assert (caught.value.outcome, caught.value.url, caught.value.status) == ("loaded", target, 200)


async def test_expect_navigation_to_an_address(page: pagelens.Page, site: Site) -> None:
    await page.goto(site.page("<p>start"))
    steps = "() => { setTimeout(() => location.hash = 'a', 50); setTimeout(() => location.hash = 'b', 100) }"
    async with page.expect_navigation(re.compile("#b$")) as caught:
        await page.evaluate(steps)
    assert caught.value.outcome == "same_document"
    assert page.url.endswith("#b")
    async with page.expect_navigation(lambda url: url.endswith("#c")):
        await page.evaluate("() => { location.hash = 'c' }")
    async with page.expect_navigation(page.url.replace("#c", "#d")):
        await page.evaluate("() => { location.hash = 'd' }")
    with pytest.raises(DeadlineExceeded, match="did not navigate within"):
        async with page.expect_navigation("http://elsewhere.example/", timeout=0.2):
            await page.evaluate("() => { location.hash = 'e' }")
    with pytest.raises(NavigationFailed, match="ERR_CONNECTION_REFUSED"):
        async with page.expect_navigation():
            await page.evaluate("(url) => { setTimeout(() => { location = url }, 20) }", nobody_listens())
    with pytest.raises(ZeroDivisionError):
        async with page.expect_navigation():
            _ = 1 / 0


async def test_closing(page: pagelens.Page, browser: pagelens.Browser) -> None:
    other = await browser.new_page()
    assert other in browser.pages
    await other.close()
    await other.close()
    assert other.is_closed
    assert other not in browser.pages
    for call in (other.evaluate("1"), other.click("css=a"), other.snapshot(), other.goto("about:blank")):
        with pytest.raises(PageClosed):
            await call


async def test_what_a_page_is(page: pagelens.Page, browser: pagelens.Browser) -> None:
    assert page.browser is browser
    assert page.context is browser.contexts[0]
    assert page.opener is None
    assert not page.is_loading
    assert not page.is_crashed
    assert page.dialog is None
    assert f"Page {page.id}" in repr(page)
    await page.bring_to_front()
    async with page.expect_page() as caught:
        await page.evaluate("() => { open('about:blank#popup') }")
    assert caught.value.opener is page
