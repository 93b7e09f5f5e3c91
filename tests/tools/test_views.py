"""take_snapshot and take_screenshot."""

from __future__ import annotations

import io
import re
from dataclasses import replace
from pathlib import Path

import pytest
from PIL import Image

from pagelens.browser.host import BrowserHost
from pagelens.context.mcp_context import McpContext
from pagelens.errors import PathNotAllowed
from pagelens.response.budget import MAX_REPLY_CHARS
from tests.support.site import Site
from tests.tools.conftest import Agent

#: No test begins with what is in the page: they open documents of their own.
REUSES_PAGE = "as it is"


async def test_snapshot(agent: Agent, site: Site) -> None:
    url = site.page("<h1>Shop</h1><button>Buy</button>", title="The shop")
    await agent.ok("navigate_page", url=url)
    reply = await agent.call("take_snapshot")
    assert reply.text.splitlines()[:2] == ["## Snapshot", f'page "The shop" url={url}']
    assert 'button "Buy"' in reply.text
    assert reply.structured == {"snapshot": reply.text.removeprefix("## Snapshot\n")}


async def test_snapshot_to_a_file(agent: Agent, site: Site, tmp_path: Path) -> None:
    await agent.ok("navigate_page", url=site.page("<h1>Shop</h1>"))
    reply = await agent.call("take_snapshot", filePath=str(tmp_path / "shop"))
    written = (tmp_path / "shop.txt").read_text()
    assert 'heading "Shop"' in written
    assert reply.text == (
        f"Snapshot written to {tmp_path}/shop.txt ({len(written.splitlines())} lines, {len(written)} characters)."
    )
    assert reply.structured == {"snapshotFilePath": f"{tmp_path}/shop.txt"}


async def test_a_snapshot_that_is_too_long_says_how_to_go_on(agent: Agent, site: Site, tmp_path: Path) -> None:
    rows = "".join(f"<li>Item {i} {'long words ' * 3}<a href=/x{i}>Link {i}</a></li>" for i in range(3000))
    await agent.ok("navigate_page", url=site.page(f"<ul>{rows}</ul>"))
    reply = await agent.call("take_snapshot")
    assert not reply.is_error
    assert len(reply.text) <= MAX_REPLY_CHARS
    *shown, rest, cut = reply.text.splitlines()
    assert rest.endswith(f"more lines: cursor {reply.structured['snapshotCursor']}")
    assert cut.startswith("Cut: ")
    assert "Link 2999" in Path(reply.structured["cut"][0]["filePath"]).read_text()  # noqa: ASYNC240
    # Text and JSON show the same lines.
    assert reply.structured["snapshot"] == "\n".join(shown[1:])
    await agent.ok("take_snapshot", filePath=str(tmp_path / "all.txt"))
    assert "Link 2999" in (tmp_path / "all.txt").read_text()
    assert "Link 2999" not in reply.text


async def test_screenshot(agent: Agent, site: Site) -> None:
    await agent.ok("navigate_page", url=site.page("<body style='background:rgb(0,128,0)'>"))
    reply = await agent.call("take_screenshot")
    ((data, mime),) = reply.images
    picture = Image.open(io.BytesIO(data))
    assert mime == "image/png"
    assert reply.text.startswith(f"Screenshot, {picture.width}x{picture.height} px")
    assert picture.convert("RGB").getpixel((picture.width // 2, picture.height // 2)) == (0, 128, 0)


@pytest.mark.parametrize(("format", "ending"), [("png", ".png"), ("jpeg", ".jpg"), ("webp", ".webp")])
async def test_screenshot_to_a_file(agent: Agent, tmp_path: Path, format: str, ending: str) -> None:
    reply = await agent.call("take_screenshot", format=format, quality=50, filePath=str(tmp_path / "shot"))
    path = tmp_path / f"shot{ending}"
    assert f"written to {path} (" in reply.text
    assert not reply.images
    picture = Image.open(path)
    assert (picture.format or "").lower() == format


async def test_paths_outside_are_refused(agent: Agent) -> None:
    with pytest.raises(PathNotAllowed):
        await agent.call("take_snapshot", filePath="/etc/pagelens.txt")


async def test_a_tall_page_and_an_element(agent: Agent, site: Site, tmp_path: Path) -> None:
    tall = "<body style='margin:0'><div style='height:2400px'></div><p id=p style='margin:0;height:50px'>End</p>"
    await agent.ok("navigate_page", url=site.page(tall))
    reply = await agent.call("take_screenshot", fullPage=True, format="jpeg", quality=50)
    width = Image.open(io.BytesIO(reply.images[0][0])).width
    assert reply.text.splitlines() == [
        f"Screenshot of all of the page, part 1 of 2, {width}x2000 px.",
        f"Screenshot of all of the page, part 2 of 2, {width}x450 px, its corner at 0,2000 of the viewport.",
    ]
    assert [mime for _, mime in reply.images] == ["image/jpeg"] * 2
    assert reply.structured["images"][1] == {
        "caption": reply.text.splitlines()[1][:-1],
        "scale": 1,
        "x": 0,
        "y": 2000,
    }
    text = await agent.ok("take_screenshot", uid="css=#p")
    assert re.fullmatch(r"Screenshot of css=#p, \d+x50 px, its corner at 0,2400 of the viewport.", text)
    path = tmp_path / "all.png"
    text = await agent.ok("take_screenshot", fullPage=True, filePath=str(path))
    assert f"written to {path}" in text
    assert Image.open(path).height == 2450
    await agent.fails("take_screenshot", "invalid_input", fullPage=True, uid="css=#p")


async def test_what_the_user_chose_for_screenshots(host: BrowserHost, site: Site, tmp_path: Path) -> None:
    options = replace(host.options, screenshot_format="jpeg", screenshot_quality=30, screenshot_max_width=640)
    context = McpContext(host, options)
    agent = Agent(context)
    try:
        await context.ensure_browser()
        page = await context.new_page()
        reply = await agent.call("take_screenshot")
        assert reply.images[0][1] == "image/jpeg"
        assert Image.open(io.BytesIO(reply.images[0][0])).width == 640
        await agent.ok("take_screenshot", filePath=str(tmp_path / "a"))
        assert Image.open(tmp_path / "a.jpg").width == 640
        await page.page.close()
    finally:
        context.close()
