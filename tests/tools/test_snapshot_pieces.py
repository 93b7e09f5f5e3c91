"""Long snapshots piece by piece, and whole addresses of single elements."""

from __future__ import annotations

import re

import pytest

from tests.support.site import Site
from tests.tools.conftest import Agent

#: No test begins with what is in the page: they open documents of their own.
REUSES_PAGE = "as it is"

LONG = "/folder/" + "x" * 90 + "?query=" + "y" * 90
PAGE = (
    "<main><h1>Lamps</h1><ul aria-label=Results>"
    + "".join(f"<li><a href='{LONG}{n}'>Lamp {n}</a> <button>Buy {n}</button></li>" for n in range(200))
    + "</ul></main><footer><a href='a b'>End</a></footer>"
)


async def test_a_snapshot_is_read_piece_by_piece(agent: Agent, site: Site) -> None:
    await agent.ok("navigate_page", url=site.page(PAGE))
    whole = (await agent.ok("take_snapshot")).split("\n")[1:]
    reply = await agent.call("take_snapshot", maxTokens=1500)
    # What the page does meanwhile does not matter.
    await agent.ok("evaluate_script", function="() => { document.querySelector('h1').remove() }")
    start, pieces = 0, 1
    while True:
        head, *shown = reply.text.split("\n")
        assert head == "## Snapshot"
        assert len(reply.text) < 1500 * 4
        end = len(whole)
        if rest := re.fullmatch(r"… (\d+) more lines: cursor (s\d+\.(\d+))", shown[-1]):
            end = int(rest[3])
            assert int(rest[1]) == len(whole) - end
            shown.pop()
        assert reply.structured.get("snapshotCursor") == (rest and rest[2])
        assert reply.structured["snapshot"] == "\n".join(shown)
        assert shown[start - end :] == whole[start:end]
        above = shown[: start - end]
        if start:  # the lines that hold the first one come before it, from the top of the page on
            assert [line.split()[1] for line in above[:3]] == [whole[0].split()[1], "main", "list"]
            assert [len(line) - len(line.lstrip()) for line in above[1:]] == [0, 2, 4][: len(above) - 1]
            assert set(above) <= set(whole[:start])
        if rest is None:
            break
        start, pieces = end, pieces + 1
        reply = await agent.call("take_snapshot", cursor=rest[2], maxTokens=1500)
    assert pieces > 3


async def test_cursors_that_lead_nowhere(agent: Agent, site: Site) -> None:
    await agent.ok("navigate_page", url=site.page(PAGE))
    await agent.ok("take_snapshot")
    for cursor in ("x", "s1", "s99.5", "s1.99999"):
        assert "ursor" in await agent.fails("take_snapshot", "invalid_input", cursor=cursor)
    await agent.fails("take_snapshot", "invalid_input", cursor="s1.5", uid="css=h1")
    first = await agent.call("take_snapshot", maxTokens=300)
    for _ in range(4):
        await agent.ok("take_snapshot")
    message = await agent.fails("take_snapshot", "invalid_input", cursor=first.structured["snapshotCursor"])
    assert "Take a new snapshot" in message


@pytest.mark.parametrize("target", ["css=li:nth-child(8) a", "text=Lamp 7"])
async def test_the_whole_address_of_an_element(agent: Agent, site: Site, target: str) -> None:
    url = site.page(PAGE)
    await agent.ok("navigate_page", url=url)
    cut = next(line for line in (await agent.ok("take_snapshot")).split("\n") if "Lamp 7" in line and "link" in line)
    assert cut.endswith("…")
    part = await agent.ok("take_snapshot", uid=target)
    assert part.split("\n")[-1] == cut.strip().rpartition(" ")[0] + f" {site.origin}{LONG}7"
    # What changed is told by lines as they always are.
    assert "Nothing has changed" in await agent.ok("take_snapshot", diff=True)


async def test_whole_addresses_of_other_things(agent: Agent, site: Site) -> None:
    query = "?" + "q" * 80
    await agent.ok(
        "navigate_page",
        url=site.page(
            f"<img alt='A /x \"y\" z' src='/pixel.png{query}'><iframe title=F src='/pixel{query}'></iframe>"
            f"<svg width=99 height=20><a href='/s{query}'><text y=15>Drawn</text></a></svg><button>B</button>"
            "<a href='/short' aria-current=page aria-description='see /this'>S</a>"
        ),
    )
    for target, end in (
        ("css=img", f'img "A /x \\"y\\" z" {site.origin}/pixel.png{query}'),
        ("css=iframe", f'iframe "F" {site.origin}/pixel{query}'),
        ("css=svg a", f'link "Drawn" /s{query}'),
        ("css=button", 'button "B"'),
        ("text=S", f'link "S" current description="see /this" {site.origin}/short'),
    ):
        line = (await agent.ok("take_snapshot", uid=target)).split("\n")[2]
        assert re.sub(r"^uid=e\d+ ", "", line) == end
