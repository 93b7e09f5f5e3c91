"""Hovering: what a page sees of it, and what can't be hovered over."""

from __future__ import annotations

import pytest

from pagelens.browser.evaluate import evaluate
from pagelens.browser.input import click
from pagelens.browser.page import Page
from pagelens.browser.pointer import hover
from pagelens.errors import ElementCovered, ElementHidden
from tests.support.site import Site

#: No test begins with what is in the page: they open documents of their own.
REUSES_PAGE = "as it is"

LOG = "<script>log = []; for (const type of ['mouseenter', 'mouseleave', 'mousemove', 'click'])"
LOG += " b.addEventListener(type, e => log.push(type + ' ' + e.isTrusted + ' ' + e.buttons))</script>"


async def value(page: Page, expression: str) -> str:
    return (await evaluate(page, expression)).text


async def test_what_a_page_sees(page: Page, site: Site) -> None:
    style = "<style>#tip {display: none} #b:hover + #tip {display: block}</style>"
    await page.navigate(site.page(style + "<button id=b>Save</button><p id=tip>Saves all</p><p id=x>Away</p>" + LOG))
    assert await hover(page, "css=#b") == "css=#b"
    assert await value(page, "log") == '["mouseenter true 0","mousemove true 0"]'
    assert await value(page, "tip.checkVisibility()") == "true"
    await hover(page, "css=#x")
    assert await value(page, "log[2]") == '"mouseleave true 0"'
    assert await value(page, "tip.checkVisibility()") == "false"


async def test_disabled_below_the_fold_and_in_frames(page: Page, site: Site) -> None:
    inner = site.page("<div style='height:900px'></div><button id=b disabled>Inside</button>" + LOG, other=True)
    await page.navigate(
        site.page(f"<div style='height:2000px'></div><iframe src={inner} width=300 height=200></iframe>")
    )
    await hover(page, "text=Inside")
    frame = page.main_frame.children[0]
    assert frame.is_out_of_process
    assert (await evaluate(page, "log", frame=frame)).text == '["mouseenter true 0","mousemove true 0"]'


async def test_what_can_not_be_hovered_over(page: Page, site: Site) -> None:
    veil = "<div id=veil style='position:fixed;inset:0'></div>"
    await page.navigate(
        site.page("<select id=s><option>One</select><p id=h hidden>Gone</p><button id=b>Under</button>" + veil)
    )
    with pytest.raises(ElementCovered, match="veil"):
        await hover(page, "css=#b")
    with pytest.raises(ElementHidden, match="can't be hovered over: it has display: none"):
        await hover(page, "css=#h")
    with pytest.raises(ElementHidden, match="option of a closed list"):
        await hover(page, "css=option")


MENU = "<style>#menu ul {display: none} #menu:hover ul {display: block}</style>"
MENU += "<div id=menu>Menu<ul><li>One<li>Two<li>Three<li>Four<li>Five<li>Six</ul></div>"


async def test_what_the_mouse_leaves_moves_what_it_goes_to(page: Page, site: Site) -> None:
    await page.navigate(site.page(MENU + "<button id=b onclick='log.push(1)'>Save</button><p id=x>More</p>" + LOG))
    await hover(page, "css=#menu")
    await hover(page, "css=#x")
    assert await value(page, "x.matches(':hover')") == "true"
    await hover(page, "css=#menu")
    await click(page, "css=#b")
    assert await value(page, "b.matches(':hover') && log.at(-1)") == '"click true 0"'


async def test_what_flees_the_mouse(page: Page, site: Site) -> None:
    flee = "b.onpointermove = () => { b.style.marginLeft = (b.offsetLeft + 200) % 700 + 'px' };"
    html = "<div id=under style='height:40px'><button id=b>Save</button></div><script>" + flee + "</script>"
    await page.navigate(site.page(html))
    # It was over it when it came: that it went is the page's answer.
    assert await hover(page, "css=#b") == "css=#b"


async def test_a_tooltip_that_covers_what_it_is_for(page: Page, site: Site) -> None:
    veil = "<div id=veil hidden style='position:fixed;inset:0'></div>"
    html = f"<button id=b>Save</button>{veil}<script>b.onmouseenter = () => {{ veil.hidden = false }}</script>"
    await page.navigate(site.page(html))
    assert await hover(page, "css=#b") == "css=#b"
