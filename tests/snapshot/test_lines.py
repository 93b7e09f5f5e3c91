"""What gets a line and what the line says: one small page for each rule."""

from __future__ import annotations

import pytest

from pagelens.browser.page import Page
from pagelens.snapshot.text_snapshot import TextSnapshot
from tests.snapshot.conftest import Show
from tests.support.site import Site

#: No test begins with what is in the page: they open documents of their own.
REUSES_PAGE = "as it is"

CASES = {
    "a control: role, name, states, value": (
        '<label>Name <input value="a &quot;b&quot;" required disabled></label><button aria-pressed=true>Bold</button>',
        'e1 textbox "Name" disabled required value="a \\"b\\""\ne2 button "Bold" pressed',
    ),
    "checkboxes and radio buttons": (
        "<label><input type=checkbox checked> A</label><label><input type=radio> B</label>"
        "<input type=checkbox aria-label=C id=c><script>c.indeterminate = true</script>"
        "<div role=switch aria-checked=true tabindex=0>D</div>",
        'e1 checkbox "A" checked\ne2 radio "B"\ne3 checkbox "C" checked=mixed\ne4 switch "D" checked',
    ),
    "headings have their level": (
        "<h2>Two</h2><div role=heading aria-level=5>Five</div>",
        'e1 heading "Two" level=2\ne2 heading "Five" level=5',
    ),
    "a link inside a heading says it all": (
        "<h3><a href=/x>More</a></h3>",
        'e1 heading level=3\n  e2 link "More" /x',
    ),
    "a heading inside a link is not repeated": (
        "<a href=/x><h3>More</h3><p>More</p></a>",
        'e1 link "More More" /x',
    ),
    "an image inside a link that names it is not repeated": (
        "<a href=/x><img alt=Logo src=/pixel.png></a><img alt=Photo src=/pixel.png><img alt='' src=/pixel.png>",
        'e1 link "Logo" /x\ne2 img "Photo"',
    ),
    "texts run together in a line and not across blocks": (
        "<p>one <b>two</b> <i>thr</i>ee<p>four<br>five<div>six<div>seven</div></div>",
        "one two three\nfour five\nsix\nseven",
    ),
    "punctuation alone says nothing": ("<p>a</p><p>|·|</p><p>·</p><p>—</p><p>€</p>", "a\n|·|\n€"),
    "wrappers vanish": ("<div><div><section><div><p>x</p></div></section></div></div>", "x"),
    "landmarks stay when there is something in them": (
        "<nav aria-label=Main><a href=/>Home</a></nav><main><p>x</main><footer></footer>",
        'e1 navigation "Main"\n  e2 link "Home" /\ne3 main\n  x',
    ),
    "groups stay when they have a name": (
        "<fieldset><legend>Size</legend><label><input type=radio> S</label></fieldset>"
        "<div role=group><button>a</button></div>",
        'e1 group "Size"\n  e2 radio "S"\ne3 button "a"',
    ),
    "a cell that can be acted on goes by the name that its author gave it": (
        "<table role=grid><tr><th aria-label=Friday>Fr<tr><td tabindex=0 aria-label='Choose 3 May'>3"
        "<tr><td tabindex=0 aria-label=Booked>4<tr><td tabindex=0>5</table>",
        'e1 grid\n  row Fr\n  e2 row\n    e3 gridcell "Choose 3 May"\n  e4 row\n    e5 gridcell "Booked"\n      4\n'
        '  e6 row\n    e7 gridcell "5"',
    ),
    "what an address says of a name is not said again": (
        "<a href=/wiki/Ordovician>Ordovician</a><a href='/tags/Caf%C3%A9%20au%20lait/works'>Café au lait</a>"
        "<a href=/2018/12/a-console-that-keeps-up>Review: a console that keeps up with PCs</a><a href=/go>Go</a>"
        "<a href=/wiki/Silurian>Ordovician</a><a href='http://ordovician.example/x'>Ordovician</a>"
        "<a href=/ordovician.html>Ordovician</a>",
        'e1 link "Ordovician" /wiki/…\ne2 link "Café au lait" /tags/…/works\n'
        'e3 link "Review: a console that keeps up with PCs" /2018/12/…\ne4 link "Go" /go\n'
        'e5 link "Ordovician" /wiki/Silurian\ne6 link "Ordovician" http://ordovician.example/x\n'
        'e7 link "Ordovician" /ordovician.html',
    ),
    "an item of one thing is that thing": (
        "<ul><li>one<li><a href=/2>two</a><li>three <button>3</button></ul>",
        'one\ne1 link "two" /2\nitem\n  three\n  e2 button "3"',
    ),
    "a name hides only the words it says": (
        "<button aria-label='Close it'>lo <b>it</b></button>"
        "<button aria-label='Hello world'>Hel<b>lo world</b></button>",
        'e1 button "Close it"\n  lo\ne2 button "Hello world"',
    ),
    "a caption is its table's name": (
        "<table border=1><caption>Sales</caption><tr><th>Q<tr><td>1</table>",
        'e1 table "Sales"\n  row Q\n  row 1',
    ),
    "a row of texts is one line of cells": (
        "<table border=1><tr><th>A<th>B<tr><td>1<td>x|y<tr><td><td>2</table>",
        'e1 table\n  row A | B\n  row 1 | x\\|y\n  row "" | 2',
    ),
    "a row with controls has lines for its cells": (
        "<table border=1><tr><th>N<th>Do<tr><td>1<td><button>Go</button></table>",
        'e1 table\n  row N | Do\n  e2 row\n    cell 1\n    e3 button "Go"',
    ),
    "an ARIA grid with wrapped cells": (
        "<div role=grid aria-label=G><div role=row><span><span role=gridcell tabindex=0>a</span></span></div></div>",
        'e1 grid "G"\n  e2 row\n    e3 gridcell "a"',
    ),
    "a layout table is what is in it": (
        "<table><tr><td><p>left</p><td><button>right</button></table>",
        'left\ne1 button "right"',
    ),
    "a select says its value and options": (
        "<select aria-label=S><option>a<optgroup label=G><option selected>b|c</optgroup></select>"
        "<select multiple aria-label=M><option selected>x<option>y</select>",
        'e1 combobox "S" value="b|c"\n  options a | G: | b\\|c\n'
        'e2 listbox "M" multiselectable\n  options x (selected) | y',
    ),
    "a password is not told": ("<input type=password aria-label=P value=secret>", 'e1 textbox "P" value="••••••"'),
    "editable text is a value": (
        "<div contenteditable aria-label=Note>Hello <b>you</b></div><textarea aria-label=T>a\nb</textarea>",
        'e1 generic "Note" editable value="Hello you"\ne2 textbox "T" value="a b"',
    ),
    "a summary is expanded or not": (
        "<details><summary>More</summary>hidden</details><details open><summary>Less</summary>shown</details>",
        'e1 summary "More" collapsed\ne2 summary "Less" expanded\nshown',
    ),
    "expanded, selected, current, invalid, popups": (
        "<button aria-expanded=false aria-haspopup=menu>Menu</button><div role=tab aria-selected=true>T</div>"
        "<a href=/ aria-current=page>Here</a><input aria-label=I aria-invalid=true readonly>",
        'e1 button "Menu" collapsed haspopup=menu\ne2 tab "T" selected\ne3 link "Here" current /\n'
        'e4 textbox "I" invalid readonly',
    ),
    "the focus": ("<button>a</button><button autofocus>b</button>", 'e1 button "a"\ne2 button "b" focused'),
    "long addresses are cut at their query": (
        f"<a href='/search?q={'x' * 80}'>q</a><a href='/{'y' * 80}'>y</a><a href=#part>p</a><a href=disabled>d</a>"
        "<a href='javascript:void 0'>j</a>",
        f'e1 link "q" /search?…\ne2 link "y" /{"y" * 39}…\ne3 link "p" #part\ne4 link "d" /disabled\ne5 link "j"',
    ),
    "hidden is hidden, aria-hidden is text without uid": (
        "<p hidden>no</p><p style='visibility:hidden'>no</p><div aria-hidden=true>seen <button>b</button></div>",
        "seen b",
    ),
    "the text of a label is in its control's name": (
        "<label for=i>Full name</label> <input id=i>",
        'e1 textbox "Full name"',
    ),
    "a control that refers to its label": (
        "<p id=l>Label text</p><input aria-labelledby=l>",
        'Label text\ne1 textbox "Label text"',
    ),
    "hidden file inputs can be used": (
        "<label for=f>Upload</label><input type=file id=f style='display:none'><div style='display:none'>"
        "<input type=file aria-label=Deep></div>",
        'e1 button "Upload" hidden\ne2 button "Deep" hidden',
    ),
    "a modal dialog comes first, the rest is inert": (
        "<p>Behind</p><button>No</button><dialog id=d aria-label=Ask>Sure? <button>Yes</button></dialog>"
        "<script>d.showModal()</script>",
        'e1 dialog "Ask" modal\n  Sure?\n  e2 button "Yes" focused\ninert\n  Behind\n  No',
    ),
    "pictures of which there is no text": (
        "<canvas width=9 height=9></canvas><video controls></video><progress value=3 max=4></progress>",
        'e1 canvas\ne2 video\ne3 progressbar value="3"',
    ),
    "text-transform is applied": ("<p style='text-transform:uppercase'>loud</p>", "LOUD"),
    "text from a style sheet is in names": (
        "<style>button::before{content:'>> '} a::after{content:url(x) / 'new tab'}</style>"
        "<button>Go</button><a href=/>Link</a>",
        'e1 button ">> Go"\ne2 link "Link new tab" /',
    ),
    "an image map's areas are links": (
        "<img usemap=#m src=/pixel.png alt=Map style='width:9px'><map name=m><area href=/a alt=A></map>"
        "<script>document.images[0].decode()</script>",
        'e1 img "Map"\n  e2 link "A" /a',
    ),
    "svg": (
        "<svg role=img aria-label=Chart width=9 height=9><path d='M0 0'/></svg>"
        "<svg width=9 height=9><title>Icon</title><path d='M0 0h9'/></svg>"
        "<svg width=90 height=90><foreignObject width=50 height=50><button>In</button></foreignObject></svg>",
        'e1 img "Chart"\ne2 img "Icon"\ne3 button "In"',
    ),
}


@pytest.mark.parametrize("case", CASES)
async def test_rule(show: Show, case: str) -> None:
    html, expected = CASES[case]
    assert await show(html) == expected


async def test_header(page: Page, site: Site) -> None:
    url = site.page("<p>x", title='A "fine" one')
    await page.navigate(url)
    snapshot = await TextSnapshot.take(page)
    assert snapshot.text == f'page "A \\"fine\\" one" url={url}\nx'
    assert snapshot.line_count == 2
    assert snapshot.frames == 1
    assert snapshot.problems == []


async def test_addresses_are_relative_to_the_page(page: Page, site: Site) -> None:
    html = "<a href=disabled>a</a><a href=b.html>b</a><a href=/c>c</a><a href='{other}/d'>d</a><a href=?e>e</a>"
    await page.navigate(site.page(html, path="/folder/page.html"))
    lines = (await TextSnapshot.take(page)).text.split("\n")[1:]
    assert [line.split('" ')[1] for line in lines] == [
        "./disabled",
        "b.html",
        "/c",
        f"{site.other_origin}/d",
        "page.html?e",
    ]


async def test_empty_page(page: Page) -> None:
    await page.navigate("about:blank")
    assert (await TextSnapshot.take(page)).text == 'page "" url=about:blank'


async def test_verbose_says_more(show: Show, site: Site) -> None:
    html = f"<ul><li style='width:50px'>one</ul><p>two</p><a href='/search?q={'x' * 80}'>q</a>"
    text = await show(html, verbose=True)
    assert f"{site.origin}/search?q={'x' * 80}" in text
    lines = [line.strip() for line in text.split("\n")]
    assert any(line.startswith("e2 listitem box=") and line.endswith(",50,18") for line in lines), text
    assert any(" paragraph box=" in line for line in lines)
    assert lines.index("one") > 0


async def test_svg_and_document_without_body(page: Page, site: Site) -> None:
    await page.navigate(
        site.page(
            '<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg" width="99" height="99">'
            '<text y="20">Drawn</text><a href="/x"><text y="50">Link</text></a></svg>',
            content_type="image/svg+xml",
        )
    )
    text = (await TextSnapshot.take(page)).text
    assert "Drawn" in text
    assert 'link "Link" ' in text
