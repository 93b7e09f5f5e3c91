"""Elements that only behave like controls."""

from __future__ import annotations

import pytest

from tests.snapshot.conftest import Show

#: No test begins with what is in the page: they open documents of their own.
REUSES_PAGE = "as it is"

STYLE = "<style>.p{cursor:pointer}</style>"

CASES = {
    "onclick attribute": ("<div onclick='1'>Open</div>", 'e1 generic "Open" clickable'),
    "listener": (
        "<div id=a>Open</div><script>a.addEventListener('click', () => 1)</script>",
        'e1 generic "Open" clickable',
    ),
    "listener property": ("<p id=a>Open</p><script>a.onclick = () => 1</script>", 'e1 paragraph "Open" clickable'),
    "other listeners don't count": (
        "<div id=a>Open</div><script>a.addEventListener('mouseover', () => 1)</script>",
        "Open",
    ),
    "tabindex": ("<div tabindex=0>Open</div>", 'e1 generic "Open" clickable'),
    "tabindex -1 is for scripts": ("<div tabindex=-1>Open</div>", "Open"),
    "cursor": (STYLE + "<div class=p><b>Open</b></div>", 'e1 generic "Open" clickable'),
    "cursor starts at the outermost": (
        STYLE + "<ul><li class=p><span>A</span><span class=p>B</span></ul>",
        'e1 listitem "AB" clickable',
    ),
    "cursor inside a button is the button's": (
        STYLE + "<button class=p><span class=p>Open</span></button>",
        'e1 button "Open"',
    ),
    "cursor on the whole page says nothing": ("<style>body{cursor:pointer}</style><p>a<p>b", "a\nb"),
    "a card with a link inside": (
        STYLE + "<div class=p>Card <a href=/x>Link</a></div>",
        'e1 generic clickable\n  Card\n  e2 link "Link" /x',
    ),
    "an image": ("<img onclick='1' src=/pixel.png>", "e1 img clickable"),
    "delegation to a list is no click on the list": (
        "<ul id=a><li><a href=/x>A</a></ul><script>a.addEventListener('click', () => 1)</script>",
        'e1 link "A" /x',
    ),
    "delegation to the root of an application": (
        "<div id=a><button>1</button><button>2</button><button>3</button><button>4</button></div>"
        "<script>a.addEventListener('click', () => 1); document.addEventListener('click', () => 1);"
        "document.body.addEventListener('click', () => 1)</script>",
        'e1 button "1"\ne2 button "2"\ne3 button "3"\ne4 button "4"',
    ),
    "a link without address that listens": (
        "<a id=a>Go</a><a>Not</a><script>a.addEventListener('click', () => 1)</script>",
        'e1 link "Go"\nNot',
    ),
}


@pytest.mark.parametrize("case", CASES)
async def test_case(show: Show, case: str) -> None:
    html, expected = CASES[case]
    assert await show(html) == expected


async def test_listeners_added_later_are_found(show: Show, page, site) -> None:  # type: ignore[no-untyped-def]
    assert await show("<div id=a>Open</div><div id=b>Close</div>") == "Open\nClose"
    await page.session.send("Runtime.evaluate", {"expression": "b.addEventListener('click', () => 1)"})
    assert await show("", go=False) == 'Open\ne1 generic "Close" clickable'


async def test_asking_for_listeners_again_and_again_leaves_the_page_alive(show: Show, page) -> None:  # type: ignore[no-untyped-def]
    """With an object of an isolated world Chrome 156 crashed the page after a few garbage collections."""
    html = "".join(f"<div onclick='{i}'>d{i}</div>" for i in range(20))
    first = await show(html)
    garbage = "{const a = []; for (let i = 0; i < 2e5; i++) a.push({i}); a.length}"
    for _ in range(12):
        await page.session.send("Runtime.evaluate", {"expression": garbage})
        assert await show("", go=False) == first
    assert not page.is_crashed
