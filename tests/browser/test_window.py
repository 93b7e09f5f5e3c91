"""The size of a page's window."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from pagelens.browser.emulated import Viewport
from pagelens.browser.host import BrowserHost
from pagelens.browser.page import Page
from pagelens.browser.window import resize
from pagelens.core.options import Options
from pagelens.errors import InvalidInput, PageClosed, ResizeFailed
from tests.support.running_chrome import RunningChrome
from tests.support.site import Site


async def size_of(page: Page) -> Any:
    """What the page's own scripts see."""
    answer = await page.session.send(
        "Runtime.evaluate", {"expression": "[innerWidth, innerHeight]", "returnByValue": True}
    )
    return answer["result"]["value"]


async def test_the_page_gets_the_size(page: Page, site: Site) -> None:
    await page.navigate(site.url("/blank"))
    for size in ((900, 600), (1600, 1200), (400, 300)):
        assert await resize(page, *size) == ""
        assert await size_of(page) == list(size)
    await page.navigate(site.other(site.url("/blank")))
    assert await size_of(page) == [400, 300]


@pytest.mark.parametrize("state", ["maximized", "minimized", "fullscreen"])
async def test_a_window_that_is_not_a_plain_one(host: BrowserHost, page: Page, site: Site, state: str) -> None:
    await page.navigate(site.url("/blank"))
    window = await host.root.send("Browser.getWindowForTarget", {"targetId": page.target_id})
    bounds = {"windowId": window["windowId"], "bounds": {"windowState": state}}
    await host.root.send("Browser.setWindowBounds", bounds)
    assert await resize(page, 800, 500) == ""
    assert await size_of(page) == [800, 500]


async def test_an_emulated_viewport_wins(page: Page, site: Site) -> None:
    await page.navigate(site.url("/blank"))
    await page.emulation.change({"viewport": Viewport(390, 844)})
    note = await resize(page, 900, 600)
    assert note.startswith("The page does not see it: its emulated viewport, 390x844, wins until that is reset (")
    assert await size_of(page) == [390, 844]
    await page.emulation.change({"viewport": None})
    while await size_of(page) != [900, 600]:  # noqa: ASYNC110  Chrome answers before the page is laid out again
        await asyncio.sleep(0.02)


async def test_what_the_page_got_instead_is_said(page: Page, site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    """Windows of a headless browser have every size; so Chrome is asked for another one than the page is to have."""
    await page.navigate(site.url("/blank"))
    send = page.host.root.send

    async def larger(method: str, params: Any = None, **more: Any) -> Any:
        if method == "Browser.setContentsSize":
            params = {**params, "width": 500}
        return await send(method, params, **more)

    monkeypatch.setattr(page.host.root, "send", larger)
    with pytest.raises(ResizeFailed, match="to show 390x600 CSS pixels of the page, which sees 500x600"):
        await resize(page, 390, 600)


async def test_behind_a_dialog_the_window_is_resized_all_the_same(page: Page, site: Site) -> None:
    await page.navigate(site.page("<script>setTimeout(() => alert('here'), 0)</script>"))
    await page.loads.wait(lambda: page.dialog is not None, 10)
    assert await resize(page, 910, 610) == "The page could not be asked whether it sees it: a dialog holds it."
    await page.handle_dialog(True)
    assert await resize(page, 910, 610) == ""


async def test_a_page_that_is_between_two_documents(page: Page, site: Site) -> None:
    await page.navigate(site.url("/blank"))
    page.session.post("Page.navigate", {"url": site.url("/hold/resized")})
    await site.requested("/hold/resized")
    await page.loads.wait(lambda: page.loads.of(page.main_frame.id).is_under_way, 10)
    note = await resize(page, 920, 620)
    assert note == f"The page could not be asked whether it sees it: it is on its way to {site.url('/hold/resized')}."
    site.release("resized")
    await page.loads.wait(lambda: page.url.endswith("/resized"), 10)
    assert await size_of(page) == [920, 620]


@pytest.mark.parametrize("size", [(0, 5), (5, -1), (10_001, 5), (9000, 9000), (True, 5), (5.0, 5)])
async def test_sizes_that_can_t_be(page: Page, size: tuple[int, int]) -> None:
    with pytest.raises(InvalidInput):
        await resize(page, *size)


async def test_a_page_that_is_gone(page: Page) -> None:
    await page.close()
    with pytest.raises(PageClosed):
        await resize(page, 500, 500)


async def test_in_a_browser_of_somebody_else(site: Site) -> None:
    async with RunningChrome() as chrome:
        host = BrowserHost(Options(browser_url=chrome.url))
        await host.ensure_running()
        page = await host.new_page()
        await page.navigate(site.url("/blank"))
        assert await resize(page, 777, 555) == ""
        assert await size_of(page) == [777, 555]
        await host.close()
