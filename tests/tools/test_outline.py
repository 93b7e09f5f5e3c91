"""get_outline, search_snapshot, and parts and changes of snapshots."""

from __future__ import annotations

import re

from tests.support.site import Site
from tests.tools.conftest import Agent

#: No test begins with what is in the page: they open documents of their own.
REUSES_PAGE = "as it is"

ROWS = "".join(
    f"<li><a href=/p{n}>Lamp number {n}</a><p>${n}.99</p>"
    f"<button onclick='document.title=\"bought {n}\"'>Buy</button></li>"
    for n in range(60)
)
SHOP = f"<header><input aria-label=Find></header><main><h1>Lamps</h1><ul aria-label=Results>{ROWS}</ul></main>"


async def test_an_outline_is_short_and_its_uids_are_used(agent: Agent, site: Site) -> None:
    await agent.ok("navigate_page", url=site.page(SHOP))
    reply = await agent.call("get_outline")
    head, first, *lines = reply.text.split("\n")
    assert (found := re.fullmatch(r"## Page outline \((\d+)/(\d+) lines\)", head))
    assert len(lines) + 2 == int(found[1]) < int(found[2]) / 2
    assert first.startswith("page ")
    assert reply.structured["outline"] == "\n".join([first, *lines])
    assert reply.structured["outlineStats"]["raw"] == int(found[2])
    button = re.search(r"Lamp number 7 \| \$7\.99 \| (e\d+) button Buy", reply.text)
    assert button is not None, reply.text
    await agent.ok("click", uid=button[1])
    assert 'page "bought 7"' in await agent.ok("take_snapshot")


async def test_a_budget_is_kept_and_a_range_is_opened(agent: Agent, site: Site) -> None:
    await agent.ok("navigate_page", url=site.page(SHOP))
    short = await agent.ok("get_outline", maxLines=12)
    assert short.count("\n") + 1 <= 12
    hidden = re.findall(r"\[(e\d+-e\d+)\]", short)
    assert hidden
    opened = await agent.ok("get_outline", uid=hidden[-1])
    assert re.search(r"e\d+ Lamp number 3\d \| \$3\d\.99 \| e\d+ button Buy", opened)
    assert "Find" not in opened
    assert len(await agent.ok("get_outline", maxTokens=300)) < 1500
    assert "Lamp number" not in await agent.ok("get_outline", depth=1)
    part = await agent.ok("get_outline", uid="css=header")
    assert 'textbox "Find"' in part
    assert "Lamps" not in part
    await agent.fails("get_outline", "element_not_found", uid="e999999")
    await agent.fails("get_outline", "invalid_input", uid="the third")


async def test_search(agent: Agent, site: Site) -> None:
    frame = site.page("<button>Pay with a lamp</button>")
    await agent.ok("navigate_page", url=site.page(f"{SHOP}<iframe src={frame}></iframe>"))
    reply = await agent.call(
        "search_snapshot", pattern=r"lamp number 4\d|pay", ignoreCase=True, context=1, maxResults=3
    )
    lines = reply.text.split("\n")
    assert re.fullmatch(r"11 matches in \d+ lines \(3 shown, 8 more\):", lines[0])
    assert [line for line in lines if line.startswith("> ")] == [
        line for line in lines if re.search(r"> .*Lamp number 4[012]", line)
    ]
    assert any(re.fullmatch(r"  uid=e\d+ main", line) for line in lines)
    assert "$40.99" in reply.text
    assert len(reply.structured["search"]["uids"]) == 3
    assert reply.structured["search"]["total"] == 11
    assert "Pay with a lamp" in await agent.ok("search_snapshot", pattern="pay with", ignoreCase=True)
    assert (await agent.ok("search_snapshot", pattern="pay with")).startswith("No matches in ")


async def test_no_pattern_hangs_and_a_bad_one_is_explained(agent: Agent, site: Site) -> None:
    await agent.ok("navigate_page", url=site.page(f"<p>{'a' * 30_000}!</p>"))
    assert "No matches" in await agent.ok("search_snapshot", pattern=r"(a+)+(b+)+$")
    assert "unclosed group" in await agent.fails("search_snapshot", "invalid_input", pattern="(a")
    assert "look-around" in await agent.fails("search_snapshot", "invalid_input", pattern="(?=a)")
    await agent.fails("search_snapshot", "invalid_input", pattern="a\nb")
    assert "1 match in" in await agent.ok("search_snapshot", pattern="--help|a!$")


async def test_a_part_of_a_snapshot(agent: Agent, site: Site) -> None:
    await agent.ok("navigate_page", url=site.page(SHOP))
    whole = await agent.ok("take_snapshot")
    (header,) = re.findall(r"uid=(e\d+) banner", whole)
    part = await agent.ok("take_snapshot", uid=header)
    assert [re.sub(r"e\d+", "e", line) for line in part.split("\n")[2:]] == ["uid=e banner", '  uid=e textbox "Find"']
    assert (await agent.ok("take_snapshot", uid="css=header")) == part
    await agent.fails("take_snapshot", "element_not_found", uid="css=p.none")


async def test_what_changed(agent: Agent, site: Site) -> None:
    await agent.ok(
        "navigate_page",
        url=site.page(
            "<main><h1>Cart</h1><ul aria-label=Cart><li><a href=/1>One</a> <i>1 piece</i></li>"
            "<li><a href=/2>Two</a> <i>2 pieces</i></li></ul><input aria-label=Code></main>"
            '<button onclick=\'document.querySelector("li").remove();'
            'document.querySelector("ul").insertAdjacentHTML("beforeend", "<li><a href=/3>Three</a></li>");'
            'document.querySelector("input").value="X1"\'>Go</button>'
        ),
    )
    first = await agent.ok("take_snapshot", diff=True)
    assert first.startswith("## Snapshot\npage ")  # there was none before
    assert "Nothing has changed since the last snapshot." in await agent.ok("take_snapshot", diff=True)
    await agent.ok("click", uid="text=Go")
    reply = await agent.call("take_snapshot", diff=True)
    lines = [re.sub(r"e\d+", "e", line) for line in reply.text.split("\n")]
    assert "  uid=e main" in lines
    assert '    uid=e list "Cart"' in lines
    assert '-       uid=e link "One" /1' in lines
    assert "-       1 piece" in lines
    assert '+     uid=e link "Three" /3' in lines
    assert '~   uid=e textbox "Code" value="X1" (was: textbox "Code")' in lines
    assert "Two" not in reply.text
    assert reply.structured["snapshotChanges"]["changed"] >= 1
    await agent.ok("navigate_page", type="reload")
    assert (await agent.ok("take_snapshot", diff=True)).startswith("## Snapshot\n")  # another document
