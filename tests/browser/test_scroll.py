"""Scrolling by the wheel and to elements, and clicks at a place."""

from __future__ import annotations

import pytest

from pagelens.browser.click_at import click_at
from pagelens.browser.evaluate import evaluate
from pagelens.browser.page import Page
from pagelens.browser.scroll import scroll_by, scroll_to
from pagelens.errors import ElementCovered, ElementHidden, InvalidInput
from tests.support.site import Site

#: No test begins with what is in the page: they open documents of their own.
REUSES_PAGE = "as it is"

#: A page with a list in it that scrolls by itself.
LISTS = """<body style='margin:0'><p id=top>Top</p>
<div id=list style='height:100px;width:200px;overflow:auto'>
<div id=inside style='height:1000px;width:600px'>Long</div></div>
<div style='height:3000px'></div><p id=end>End</p>
<script>wheels = [];
addEventListener('wheel', e => wheels.push([e.target.id, e.deltaX, e.deltaY, e.isTrusted].join()))</script>"""


async def value(page: Page, expression: str) -> str:
    return (await evaluate(page, expression)).text


async def test_the_page(page: Page, site: Site) -> None:
    await page.navigate(site.page(LISTS))
    report = await scroll_by(page, None, 0, 400)
    assert (report.scroller, report.moved, report.at, report.ends) == ("the page", (0, 400), (0, 400), [])
    assert await value(page, "scrollY") == "400"
    # The wheel is never turned over what would take it: the list, now at the top.
    await scroll_by(page, None, 0, -350)
    report = await scroll_by(page, None, 0, 100_000)
    assert report.ends == ["bottom"]
    assert await value(page, "list.scrollTop") == "0"
    count = await value(page, "wheels.length")
    again = await scroll_by(page, None, 0, 100)
    assert (again.how, again.moved, again.ends) == ("none", (0, 0), ["bottom"])
    assert await value(page, "wheels.length") == count == "3"


async def test_what_scrolls_at_an_element(page: Page, site: Site) -> None:
    await page.navigate(site.page(LISTS))
    report = await scroll_by(page, "css=#list", 50, 120)
    assert (report.moved, report.at) == ((50, 120), (50, 120))
    assert report.scroller.endswith('<div#list> "Long"')
    assert report.end[1] >= 900
    assert await value(page, "[scrollY, wheels]") == '[0,["inside,50,120,true"]]'
    # Inside of it, and around what scrolls.
    assert (await scroll_by(page, "css=#inside", 0, -20)).at == (50, 100)
    assert (await scroll_by(page, "css=#top", 0, 30)).scroller == "the page"
    # At its end it does not pass the wheel on.
    await scroll_by(page, "css=#list", 0, 5000)
    await scroll_by(page, "css=#list", 0, 5000)
    assert await value(page, "scrollY") == "30"


async def test_content_that_begins_at_the_other_end(page: Page, site: Site) -> None:
    style = "display:flex;flex-direction:column-reverse;height:100px;overflow:auto"
    html = f"<div id=chat style='{style}'><div style='height:900px;flex:none'>Talk</div></div>"
    await page.navigate(site.page(html))
    report = await scroll_by(page, "css=#chat", 0, -300)
    assert (report.moved, report.at, report.start, report.end) == ((0, -300), (0, -300), (0, -800), (0, 0))
    assert (await scroll_by(page, "css=#chat", 0, -3000)).ends == ["top"]


async def test_a_page_that_takes_the_wheel(page: Page, site: Site) -> None:
    html = "<canvas id=map width=300 height=200></canvas><script>zoom = 0; map.addEventListener('wheel', e => {"
    html += "e.preventDefault(); zoom += e.deltaY }, {passive: false})</script>"
    await page.navigate(site.page(html))
    assert (await scroll_by(page, "css=#map", 0, -120)).scroller == ""
    assert await value(page, "zoom") == "-120"
    await evaluate(page, "document.body.style.height = '3000px'")
    # At the top the page does not scroll up; the map still gets it.
    await scroll_by(page, "css=#map", 0, -120)
    assert (await scroll_by(page, "css=#map", 0, 240)).moved == (0, 0)
    assert await value(page, "[zoom, scrollY]") == "[0,0]"
    assert (await scroll_by(page, None, 240, 0)).scroller == ""


async def test_frames(page: Page, site: Site) -> None:
    inner = site.page("<p id=one>One</p><div style='height:2000px'></div><p id=two>Two</p>", other=True)
    tall = "<div style='height:1500px'></div>"
    await page.navigate(site.page(f"{tall}<iframe src={inner} height=200></iframe>{tall}"))
    frame = page.main_frame.children[0]
    assert frame.is_out_of_process
    assert (await scroll_by(page, "text=One", 0, 150)).moved == (0, 150)
    assert (await evaluate(page, "scrollY", frame=frame)).text == "150"
    await evaluate(page, "scrollTo(0, 0)")
    report = await scroll_to(page, "text=Two")
    assert (report.how, report.target, report.is_whole, report.ends) == ("element", "text=Two", True, ["bottom"])
    at = await evaluate(page, "() => document.querySelector('iframe').getBoundingClientRect().top", frame=None)
    assert 0 <= float(at.text) < 720


async def test_to_an_element_in_a_list(page: Page, site: Site) -> None:
    items = "".join(f"<li id=i{n}>Item {n}</li>" for n in range(200))
    await page.navigate(
        site.page(f"<div style='height:2000px'></div><ul style='height:150px;overflow:auto'>{items}</ul>")
    )
    await scroll_to(page, "css=#i150")
    seen = "document.elementFromPoint(...(({left, top}) => [left + 5, top + 5])(i150.getBoundingClientRect())).id"
    assert await value(page, seen) == '"i150"'


async def test_what_can_not_be_scrolled(page: Page, site: Site) -> None:
    await page.navigate(site.page(LISTS + "<p id=h hidden>Gone</p>"))
    with pytest.raises(InvalidInput, match="not possible"):
        await scroll_by(page, None, 0, 0)
    with pytest.raises(ElementHidden, match="can't be scrolled to: it has display: none"):
        await scroll_to(page, "css=#h")
    await evaluate(page, "() => { document.body.append(Object.assign(document.createElement('div'), {id: 'veil'})); }")
    await evaluate(page, "() => { veil.style = 'position:fixed;inset:0;overflow:auto' }")
    with pytest.raises(ElementCovered, match=r"<div#list>.* can't be scrolled: .* it is covered"):
        await scroll_by(page, "css=#list", 0, 50)
    # Over a veil that does not scroll, the page does, for a person too.
    assert (await scroll_by(page, None, 0, 50)).moved == (0, 50)


async def test_clicks_at_a_place(page: Page, site: Site) -> None:
    log = "<script>log = []; for (const type of ['click', 'dblclick', 'contextmenu'])"
    log += "addEventListener(type, e => log.push([type, e.target.id, e.clientX, e.clientY, e.ctrlKey].join()))</script>"
    inner = site.page(
        f"<body style='margin:0'><button id=in style='width:90px;height:40px'>In</button>{log}", other=True
    )
    frame = f"<iframe src={inner} style='border:3px solid;transform:scale(2);transform-origin:0 0'></iframe>"
    await page.navigate(site.page(f"<body style='margin:0'><canvas id=c width=300 height=100></canvas>{frame}{log}"))
    assert (await click_at(page, 50, 60)).hit.endswith("<canvas#c>")
    await click_at(page, 20, 80, count=2)
    await click_at(page, 20, 80, button="right", modifiers=["Control"])
    expected = "click,c,50,60,false click,c,20,80,false click,c,20,80,false dblclick,c,20,80,false "
    expected += "contextmenu,c,20,80,true"
    assert await value(page, "log.join(' ')") == f'"{expected}"'
    box = await value(page, "(({left, top}) => [left, top])(document.querySelector('iframe').getBoundingClientRect())")
    left, top = (float(part) for part in box.strip("[]").split(","))
    report = await click_at(page, left + 2 * (3 + 70), top + 2 * (3 + 20))
    assert report.hit.endswith('<button#in> "In"')
    child = page.main_frame.children[0]
    assert (await evaluate(page, "log.join(' ')", frame=child)).text == '"click,in,70,20,false"'
    with pytest.raises(InvalidInput, match="5000,20 is not in view"):
        await click_at(page, 5000, 20)
