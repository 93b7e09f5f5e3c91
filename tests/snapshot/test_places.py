"""What scrolls, and what lies outside of the part of the page that is seen."""

from __future__ import annotations

from pagelens.browser.page import Page
from pagelens.snapshot.difference import compare
from pagelens.snapshot.text_snapshot import TextSnapshot
from tests.snapshot.conftest import Show

#: No test begins with what is in the page: they open documents of their own.
REUSES_PAGE = "as it is"

BOX = "<div id=b style='height:60px;width:200px;overflow:{}'>{}</div>"
LONG = "<p style='height:300px'>tall</p>"
WIDE = "<p style='width:900px'>wide</p>"


async def test_boxes_that_scroll(show: Show) -> None:
    assert await show(BOX.format("auto", LONG)) == "e1 generic scrollable=down\n  tall"
    assert await show(BOX.format("scroll hidden", WIDE)) == "e1 generic scrollable=right\n  wide"
    assert await show(f"<style>#b {{ overflow: auto }}</style>{BOX.format('', WIDE + LONG)}") == (
        "e1 generic scrollable=down,right\n  wide\n  tall"
    )
    assert await show(BOX.format("hidden", LONG)) == "tall"
    assert await show(BOX.format("auto", "<p>short</p>")) == "short"
    assert await show("<ul style='height:50px;overflow:auto' aria-label=L>" + "<li>a" * 9 + "</ul>") == (
        'e1 list "L" scrollable=down\n' + "\n".join(["  a"] * 9)
    )
    assert await show("<style>html, body { overflow: auto }</style><p style='height:3000px'>all</p>") == "all"


async def test_how_far_a_box_is_scrolled(show: Show, page: Page) -> None:
    await show(BOX.format("auto", LONG + LONG))
    for to, ways in ((100, "up,down"), (9999, "up"), (0, "down")):
        await page.session.send("Runtime.evaluate", {"expression": f"b.scrollTo(0, {to})"})
        assert (await show("", go=False)).split("\n")[0] == f"e1 generic scrollable={ways}"


FAR = (
    "<nav aria-label=Menu style='position:fixed;left:-300px;width:200px'><a href=/a>A</a><h2>In</h2></nav><h1>Top</h1>"
    "<main><p style='height:2000px'>x</p><h2>Below</h2><section aria-label=Part><h3>In it</h3>"
    "<a href=/b>B</a></section></main>"
)


async def test_what_is_off_screen(show: Show, page: Page) -> None:
    assert await show(FAR) == (
        'e1 navigation "Menu" offscreen\n  e2 link "A" /a\n  e3 heading "In" level=2\n'
        'e4 heading "Top" level=1\ne5 main\n  x\n  e6 heading "Below" level=2 offscreen\n'
        '  e7 region "Part" offscreen\n    e8 heading "In it" level=3\n    e9 link "B" /b'
    )
    before = (await TextSnapshot.take(page)).text
    await page.session.send("Runtime.evaluate", {"expression": "scrollTo(0, 9999)"})
    after = (await TextSnapshot.take(page)).text
    assert [line.strip().split(" ", 1)[1] for line in after.split("\n") if line.endswith(" offscreen")] == [
        'navigation "Menu" offscreen',
        'heading "Top" level=1 offscreen',
    ]
    # Scrolling changes nothing that a reader of changes would want to hear of.
    assert compare(before, after).lines == ()
