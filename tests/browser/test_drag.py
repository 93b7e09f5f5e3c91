"""Dragging: the browser's own drag and drop, and what pages make of the pointer."""

from __future__ import annotations

import pytest

from pagelens.browser.evaluate import evaluate
from pagelens.browser.page import Page
from pagelens.browser.pointer import drag, hover
from pagelens.errors import DropRefused, ElementCovered, ElementHidden, ElementMoving
from tests.support.site import Site

#: No test begins with what is in the page: they open documents of their own.
REUSES_PAGE = "as it is"

NATIVE = """<style>.box {width: 120px; height: 60px; border: 1px solid}</style>
<div id=a class=box draggable=true>Card</div>%s<div id=b class=box>Bin</div><script>
log = [];
for (const type of ['dragstart', 'dragenter', 'drop', 'dragend'])
  addEventListener(type, e => log.push(type + ' ' + e.target.id + ' ' + e.isTrusted));
a.ondragstart = e => { e.dataTransfer.setData('text/plain', 'card 7'); e.dataTransfer.effectAllowed = 'move' };
b.ondragover = e => e.preventDefault();
b.ondrop = e => { e.preventDefault(); got = e.dataTransfer.getData('text/plain') };
a.ondragend = e => { effect = e.dataTransfer.dropEffect };
</script>"""

#: A list that is sorted with pointer events, as the libraries do: a distance to begin, then by where the pointer is.
SORTABLE = """<style>li {height: 40px; width: 200px; user-select: none}</style>
<ul id=list><li id=one>One<li id=two>Two<li id=three>Three<li id=four>Four</ul><script>
let held = null, start = null, moved = 0;
list.onpointerdown = e => { held = e.target; start = e.clientY; held.setPointerCapture(e.pointerId) };
list.onpointermove = e => {
  if (!held || !e.buttons || (!moved && Math.abs(e.clientY - start) < 5)) return;
  moved++;
  for (const li of list.children) {
    const box = li.getBoundingClientRect();
    if (li !== held && e.clientY > box.top + 5 && e.clientY < box.bottom - 5) {
      list.insertBefore(held, held.compareDocumentPosition(li) & 4 ? li.nextSibling : li);
      break;
    }
  }
};
list.onpointerup = () => { held = null };
</script>"""


#: A list that is sorted with the browser's own drag and drop, and that takes no moves for a moment after each change.
REORDERED = """<style>li {height: 40px; width: 200px}</style>
<ul id=list><li id=one>1<li id=two>2<li id=three>3<li id=four>4<li id=five>5</ul><script>
let held = null, silent = false;
for (const li of list.children) {
  li.draggable = true;
  li.ondragstart = e => { held = li; e.dataTransfer.setData('text/plain', li.id) };
}
list.ondragover = e => {
  e.preventDefault();
  if (silent || e.target === held || e.target === list) return;
  list.insertBefore(held, held.compareDocumentPosition(e.target) & 4 ? e.target.nextSibling : e.target);
  silent = true;
  setTimeout(() => { silent = false }, 30);
};
list.ondrop = e => { e.preventDefault(); dropped = e.dataTransfer.getData('text/plain') };
</script>"""


async def value(page: Page, expression: str) -> str:
    return (await evaluate(page, expression)).text


@pytest.mark.parametrize("between", ["", "<div style='height:1500px'></div>"], ids=["in view", "far apart"])
async def test_native_drag_and_drop(page: Page, site: Site, between: str) -> None:
    await page.navigate(site.page(NATIVE % between))
    report = await drag(page, "css=#a", "css=#b")
    assert (report.kind, report.source, report.target) == ("native", "css=#a", "css=#b")
    log = await value(page, "log.join()")
    assert log.startswith('"dragstart a true,')
    assert log.endswith('dragenter b true,drop b true,dragend a true"')
    assert await value(page, "[got, effect]") == '["card 7","move"]'
    # Nothing is held any more.
    await page.session.send("Input.dispatchMouseEvent", {"type": "mouseMoved", "x": 5, "y": 5})
    assert await value(page, "log.join()") == log


async def test_a_target_that_takes_no_drop(page: Page, site: Site) -> None:
    await page.navigate(site.page((NATIVE % "").replace("b.ondragover", "b.unused")))
    with pytest.raises(DropRefused, match="did not take it"):
        await drag(page, "css=#a", "css=#b")
    assert await value(page, "effect") == '"none"'


async def test_a_sortable_list(page: Page, site: Site) -> None:
    await page.navigate(site.page(SORTABLE))
    report = await drag(page, "css=#one", "css=#three")
    assert report.kind == "pointer"
    assert await value(page, "[...list.children].map(li => li.id).join()") == '"two,three,one,four"'
    await drag(page, "css=#four", "css=#two")
    assert await value(page, "[...list.children].map(li => li.id).join()") == '"four,two,three,one"'


async def test_a_list_that_makes_room_while_something_is_dragged(page: Page, site: Site) -> None:
    await page.navigate(site.page(REORDERED))
    order = "[...list.children].map(li => li.id).join(' ') + ', ' + dropped"
    assert (await drag(page, "css=#one", "css=#four")).kind == "native"
    assert await value(page, order) == '"two three four one five, one"'
    await drag(page, "css=#five", "css=#two")
    assert await value(page, order) == '"five two three four one, five"'


async def test_a_target_that_moves_away_from_the_drag_is_followed(page: Page, site: Site) -> None:
    html = (
        NATIVE % ""
    ) + "<script>b.ondragenter = () => { b.ondragenter = null; b.style.marginTop = '150px' }</script>"
    await page.navigate(site.page(html))
    assert (await drag(page, "css=#a", "css=#b")).kind == "native"
    assert await value(page, "got") == '"card 7"'


async def test_a_draggable_that_the_page_drags_itself(page: Page, site: Site) -> None:
    html = "<img id=a draggable=true width=50 height=50 src=/pixel.png><div id=b>There</div><script>"
    html += "a.ondragstart = e => e.preventDefault(); b.onpointerup = () => { done = 1 }</script>"
    await page.navigate(site.page(html))
    assert (await drag(page, "css=#a", "css=#b")).kind == "pointer"
    assert await value(page, "done") == "1"


async def test_from_a_page_into_a_frame_of_another_site(page: Page, site: Site) -> None:
    inner = site.page(
        "<div id=b style='height:100px'>Bin</div><script>b.ondragover = e => e.preventDefault();"
        "b.ondrop = e => { got = e.dataTransfer.getData('text/plain') }</script>",
        other=True,
    )
    outer = (NATIVE % "").replace("<div id=b class=box>Bin</div>", f"<iframe id=b src={inner}></iframe>")
    await page.navigate(site.page(outer))
    assert (await drag(page, "css=#a", "text=Bin")).kind == "native"
    assert (await evaluate(page, "got", frame=page.main_frame.children[0])).text == '"card 7"'


async def test_inside_a_frame_of_another_site(page: Page, site: Site) -> None:
    inner = site.page(NATIVE % "", other=True)
    await page.navigate(site.page(f"<p>Outer</p><iframe src={inner} height=300></iframe>"))
    assert (await drag(page, "text=Card", "text=Bin")).kind == "native"
    assert (await evaluate(page, "got", frame=page.main_frame.children[0])).text == '"card 7"'


async def test_what_can_not_be_reached(page: Page, site: Site) -> None:
    await page.navigate(site.page((NATIVE % "<p id=h hidden>Gone</p>") + "<div id=v></div>"))
    with pytest.raises(ElementHidden, match="can't be dropped on"):
        await drag(page, "css=#a", "css=#h")
    await evaluate(page, "() => { v.style = 'position:fixed;inset:0' }")
    with pytest.raises(ElementCovered):
        await drag(page, "css=#a", "css=#b")
    assert await value(page, "log") == "[]"


async def test_a_dialog_amid_the_drag(page: Page, site: Site) -> None:
    await page.navigate(site.page((NATIVE % "") + "<script>b.ondragenter = () => alert('Here?')</script>"))
    async with page.acting("input") as effect:
        await drag(page, "css=#a", "css=#b")
    assert effect.dialog is not None
    await page.handle_dialog(True)


#: A menu above all else that is open while the mouse is over it.
MENU = "<style>#menu ul {display: none} #menu:hover ul {display: block}</style>"
MENU += "<div id=menu>Menu<ul><li>One<li>Two<li>Three<li>Four<li>Five<li>Six</ul></div>"


@pytest.mark.parametrize("between", ["", "<div style='height:1500px'></div>"], ids=["in view", "far apart"])
async def test_the_mouse_leaves_what_held_both_in_their_places(page: Page, site: Site, between: str) -> None:
    await page.navigate(site.page(MENU + NATIVE % between))
    await hover(page, "css=#menu")
    assert (await drag(page, "css=#a", "css=#b")).kind == "native"
    assert await value(page, "[got, log.at(-1)]") == '["card 7","dragend a true"]'


async def test_the_mouse_enters_what_moves_the_source(page: Page, site: Site) -> None:
    style = "<style>#grip:hover {margin-top: 150px}</style><div id=grip class=box>"
    html = (NATIVE % "").replace("<div id=a", style + "<div id=a").replace("Card</div>", "Card</div></div>")
    # At the place where it was is something else, which must not get the press.
    html += "<script>pressed = []; addEventListener('mousedown', e => pressed.push(e.target.id))</script>"
    await page.navigate(site.page(html))
    try:
        await drag(page, "css=#a", "css=#b")
    except ElementMoving:
        assert await value(page, "pressed") == "[]"
    else:
        assert await value(page, "[got, pressed.join()]") == '["card 7","a"]'


async def test_a_source_that_flees_the_mouse(page: Page, site: Site) -> None:
    html = NATIVE % "" + "<script>pressed = []; addEventListener('mousedown', e => pressed.push(e.target.id), true);"
    html += "a.onpointermove = () => { a.style.marginLeft = (a.offsetLeft + 200) % 700 + 'px' };</script>"
    await page.navigate(site.page(html))
    with pytest.raises(ElementMoving, match="3 times something else was under the pointer at the moment of the press"):
        await drag(page, "css=#a", "css=#b")
    assert await value(page, "[log.length, pressed.length]") == "[0,0]"


@pytest.mark.parametrize("kind", ["native", "pointer"])
async def test_the_target_moves_when_the_drag_begins(page: Page, site: Site, kind: str) -> None:
    html = NATIVE % ""
    if kind == "native":
        html += (
            "<script>addEventListener('dragstart', () => setTimeout(() => { b.style.marginTop = '150px' }))</script>"
        )
    else:
        html = html.replace(" draggable=true", "") + "<script>a.onpointerdown = () => { b.style.marginTop = '150px' };"
        html += "b.onpointerup = () => { got = 'by pointer' }</script>"
    await page.navigate(site.page(html))
    assert (await drag(page, "css=#a", "css=#b")).kind == kind
    assert await value(page, "got") == ('"card 7"' if kind == "native" else '"by pointer"')
