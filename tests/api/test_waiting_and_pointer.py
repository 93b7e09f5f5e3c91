"""Waiting, typing, hovering, dragging."""

from __future__ import annotations

import pytest

import pagelens
from pagelens.errors import ElementCovered, InvalidInput, NotEditable, WaitTimeout

#: Nothing here needs more than a fresh document.
REUSES_PAGE = True


async def test_waiting_for_what_comes_later(page: pagelens.Page) -> None:
    await page.set_content(
        "<p id=old>old</p><button disabled>b</button><script>setTimeout(() => { old.textContent = 'New here';"
        " document.querySelector('button').disabled = false; window.isReady = 7 }, 100)</script>"
    )
    report = await page.wait_for("new  HERE")
    assert isinstance(report, pagelens.WaitReport)
    assert report.text == "new  HERE"
    assert (await page.wait_for(["nowhere", "New"], text_gone="old")).text == "New"
    button = await page.element("css=button")
    assert (await page.wait_for(target=button, state="enabled")).uids == (button.uid,)
    await page.wait_for(function="() => window.isReady === 7")
    await page.wait_for(url="blank")


async def test_waiting_in_vain(page: pagelens.Page) -> None:
    await page.set_content("<p>text")
    with pytest.raises(WaitTimeout, match="in vain"):
        await page.wait_for("nowhere", timeout=0.1)
    with pytest.raises(InvalidInput):
        await page.wait_for()


async def test_typing(page: pagelens.Page) -> None:
    await page.set_content(
        "<form onsubmit='document.title = q.value; return false'><input id=q value='a '></form><p tabindex=0>p"
    )
    await page.click("css=#q")
    await page.press("End")
    await page.type("bü", submit_key="Enter")
    assert await page.title() == "a bü"
    await page.evaluate("() => document.querySelector('p').focus()")
    with pytest.raises(NotEditable):
        await page.type("x")


async def test_hovering(page: pagelens.Page) -> None:
    await page.set_content(
        "<style>i { display: none } b:hover + i { display: inline }</style><b>menu</b><i>entry</i>"
        "<p>covered</p><script>document.querySelector('b').onmouseenter = () => document.title += 'in'</script>"
    )
    assert (await page.hover("css=b")).nothing_seen
    assert await page.title() == "in"
    await page.wait_for("entry")
    await page.hover("css=p")
    await (await page.element("css=b")).hover()
    assert await page.title() == "inin"
    await page.evaluate("() => { document.body.insertAdjacentHTML('beforeend', '<div style=position:fixed;inset:0>') }")
    with pytest.raises(ElementCovered):
        await page.hover("css=p")


async def test_dragging(page: pagelens.Page) -> None:
    await page.set_content(
        "<p id=a draggable=true>a</p><p id=b>b</p><script>"
        "a.ondragstart = (e) => e.dataTransfer.setData('text/plain', 'dragged');"
        "b.ondragover = (e) => e.preventDefault();"
        "b.ondrop = (e) => { document.title = e.dataTransfer.getData('text/plain') }</script>"
    )
    await page.drag("css=#a", await page.element("css=#b"))
    assert await page.evaluate("document.title") == "dragged"


async def test_scrolling_places_and_what_changed(page: pagelens.Page) -> None:
    html = "<body style='margin:0'><button onclick='b.hidden = false'>Show</button><button id=b hidden>Shown</button>"
    await page.set_content(html + "<div style='height:3000px'></div><p id=end>End</p>")
    changes = (await page.click("text=Show")).changes
    assert [one.words for one in changes.appeared] == ['<button#b> "Shown"']
    assert not (await page.click("text=Show")).changes
    report = await page.scroll(y=300)
    assert (report.moved, report.at, report.ends) == ((0, 300), (0, 300), [])
    element = await page.element("css=#end")
    assert (await element.scroll()).ends == ["bottom"]
    assert (await page.click_at(5, 5)).nothing_seen
