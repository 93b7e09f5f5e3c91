"""Frames in their places, whatever process they live in and however they behave."""

from __future__ import annotations

import asyncio
import re

import pytest

from pagelens.browser.page import Page
from pagelens.errors import DialogOpen, PageClosed
from pagelens.snapshot.text_snapshot import TextSnapshot
from tests.snapshot.conftest import plain
from tests.support.site import Site


async def until_frames(page: Page, count: int) -> None:
    """Wait until the page has `count` frames that have loaded a document."""
    changed = asyncio.Event()
    disconnect = page.navigated.connect(lambda _: changed.set())
    try:
        async with asyncio.timeout(20):
            while sum(1 for f in page.main_frame.subtree() if f.url not in ("", "about:blank")) < count:
                changed.clear()
                await changed.wait()
    finally:
        disconnect()


async def test_same_process_frames(page: Page, site: Site) -> None:
    inner = site.page("<p>inner <button>In</button>")
    middle = site.page(f"<p>middle</p><iframe title=deep src='{inner}'></iframe><p>end")
    await page.navigate(
        site.page(f"<h1>Top</h1><iframe src='{middle}'></iframe><iframe srcdoc='<b>doc</b>'></iframe><p>z")
    )
    await until_frames(page, 4)
    snapshot = await TextSnapshot.take(page)
    path = {url: url.removeprefix(site.origin) for url in (inner, middle)}
    assert plain(snapshot.text) == (
        f'e1 heading "Top" level=1\ne2 iframe {path[middle]}\n  middle\n  e3 iframe "deep" {path[inner]}\n'
        '    inner\n    e4 button "In"\n  end\ne5 iframe\n  doc\nz'
    )
    assert snapshot.frames == 4


async def test_cross_process_frames(page: Page, site: Site) -> None:
    inner = site.page("<button>In</button>")
    middle = site.page(f"<iframe title=back src='{inner}'></iframe><button>Mid</button>", other=True)
    await page.navigate(site.page(f"<iframe title=other src='{middle}'></iframe><button>Top</button>"))
    await until_frames(page, 3)
    snapshot = await TextSnapshot.take(page)
    lines = [re.sub(r" http\S+| /\S+", "", line) for line in plain(snapshot.text).split("\n")]
    assert lines == [
        'e1 iframe "other"',
        '  e2 iframe "back"',
        '    e3 button "In"',
        '  e4 button "Mid"',
        'e5 button "Top"',
    ]
    frames = page.main_frame.subtree()
    assert any(frame.is_out_of_process for frame in frames)
    assert snapshot.frames == 3
    # The uid leads to the element in its own frame.
    uid = re.search(r'uid=(e\d+) button "In"', snapshot.text)
    assert uid is not None
    element = await page.element(uid[1])
    assert element.frame.url == inner
    await element.release()


async def test_a_frame_that_is_not_shown_is_not_read(page: Page, site: Site) -> None:
    inner = site.page("<p>secret")
    await page.navigate(site.page(f"<iframe src='{inner}' style='display:none'></iframe><p>seen"))
    await until_frames(page, 2)
    snapshot = await TextSnapshot.take(page)
    assert plain(snapshot.text) == "seen"
    assert snapshot.frames == 1


async def test_a_stuck_frame_costs_the_others_nothing(page: Page, site: Site) -> None:
    stuck = site.page("<p>stuck", other=True)
    fine = site.page("<button>Fine</button>")
    await page.navigate(
        site.page(f"<iframe title=s src='{stuck}'></iframe><iframe title=f src='{fine}'></iframe><p>Top</p>")
    )
    await until_frames(page, 3)
    frame = next(f for f in page.main_frame.children if f.is_out_of_process)
    frame.session.post("Runtime.evaluate", {"expression": "for (;;);"})
    async with asyncio.timeout(20):
        snapshot = await TextSnapshot.take(page)
    assert 'button "Fine"' in snapshot.text
    assert "\nTop" in snapshot.text
    assert len(snapshot.problems) == 1
    unread = next(line for line in snapshot.text.split("\n") if "unread" in line)
    assert unread.startswith('  unread "')
    assert snapshot.frames == 2


async def test_a_stuck_page_with_a_frame_of_its_own_process(page: Page, site: Site) -> None:
    inner = site.page("<button>Apart</button>", other=True)
    await page.navigate(site.page(f"<iframe src='{inner}'></iframe>"))
    await until_frames(page, 2)
    await TextSnapshot.take(page)
    page.session.post("Runtime.evaluate", {"expression": "for (;;);"})
    async with asyncio.timeout(25):
        snapshot = await TextSnapshot.take(page)
    assert snapshot.text.split("\n")[1].startswith('unread "')
    assert 'button "Apart"' in snapshot.text
    # The page was freed: the next one is whole.
    assert (await TextSnapshot.take(page)).problems == []


async def test_a_crashed_frame_is_said_in_its_place(page: Page, site: Site) -> None:
    inner = site.page("<button>In</button>", other=True)
    await page.navigate(site.page(f"<iframe title=x src='{inner}'></iframe><p>Top"))
    await until_frames(page, 2)
    frame = page.main_frame.children[0]
    gone = asyncio.Event()
    frame.session.on("Inspector.targetCrashed", lambda _: gone.set())
    frame.session.on_closed(lambda _: gone.set())
    frame.session.post("Page.crash")
    async with asyncio.timeout(10):
        await gone.wait()
    async with asyncio.timeout(20):
        snapshot = await TextSnapshot.take(page)
    assert snapshot.text.endswith("\nTop")
    assert "In" not in snapshot.text


@pytest.mark.long
async def test_frames_that_come_and_go(page: Page, site: Site) -> None:
    inner = site.page("<button>In</button>", other=True)
    await page.navigate(
        site.page(
            "<div id=d></div><p>Top</p><script>setInterval(() => { d.innerHTML ="
            f"`<iframe src='{inner}'></iframe><iframe srcdoc='<button>B</button>'></iframe>` }}, 30)</script>"
        )
    )
    for _ in range(12):
        async with asyncio.timeout(20):
            assert "\nTop" in (await TextSnapshot.take(page)).text


async def test_a_closed_page(page: Page) -> None:
    await page.close()
    with pytest.raises(PageClosed):
        await TextSnapshot.take(page)


async def test_a_dialog_is_said_at_once(page: Page, site: Site) -> None:
    await page.navigate(site.page("<p>x"))
    opened = asyncio.Event()
    page.dialog_opened.connect(lambda _: opened.set())
    page.session.post("Runtime.evaluate", {"expression": "alert('Stop')"})
    await opened.wait()
    async with asyncio.timeout(3):
        with pytest.raises(DialogOpen, match="Stop"):
            await TextSnapshot.take(page)
    await page.handle_dialog(True)
    assert (await TextSnapshot.take(page)).text.endswith("\nx")
