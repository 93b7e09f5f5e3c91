"""What replies to actions say of their effects."""

from __future__ import annotations

import re

from tests.support.site import Site
from tests.tools.conftest import Agent

#: No test begins with what is in the page: they open documents of their own.
REUSES_PAGE = "as it is"

#: One page for all of it: what each button does.
PAGE = """<button id=idle>Idle</button><button id=menu aria-expanded=false
 onclick="menu.ariaExpanded = 'true'; list.hidden = false; first.focus()">Menu</button>
<div id=list role=menu hidden><a href=# id=first role=menuitem>Copy</a><a href=# role=menuitem>Paste</a></div>
<label><input id=box type=checkbox> Agree</label><button id=once onclick="this.disabled = true">Once</button>
<button id=say onclick="setTimeout(() => { note.textContent = 'Saved at last' })">Say</button>
<p id=note role=status></p>
<button id=count onclick="n.textContent = 1 + Number(n.textContent)">Add</button><p>There are <b id=n>1</b></p>
<button id=fail onclick="fetch('/status/500', {method: 'POST'})">Fail</button>
<button id=load onclick="fetch('/json?ms=30').then(() => { n.textContent = 'Loaded' })">Load</button>
<button id=gone onclick="this.remove(); modal.showModal()">Gone</button>
<dialog id=modal>Sure?<button>Yes</button></dialog>
<details><summary id=more>More</summary><button>Inside</button></details>"""


async def lines(agent: Agent, target: str) -> list[str]:
    """What a click says after its first line."""
    return (await agent.ok("click", uid=f"css=#{target}")).splitlines()[1:]


async def test_what_a_click_changed(agent: Agent, site: Site) -> None:
    await agent.ok("navigate_page", url=site.page(PAGE))
    assert re.match(r"No effect observed within \d+ ms\. take_snapshot shows", (await lines(agent, "idle"))[0])
    uid = r"uid=e\d+ "
    for target, *expected in (
        (
            "menu",
            uid + r'<button#menu> "Menu" is now expanded\.',
            rf'The focus is on {uid}<a#first> "Copy"\.',
            rf'Appeared: {uid}<div#list> "Copy ?Paste", {uid}<a#first> "Copy", {uid}<a> "Paste"\.',
        ),
        ("box", uid + r"<input#box> is now checked\."),
        ("box", uid + r"<input#box> is now not checked\."),
        ("once", uid + r'<button#once> "Once" is now disabled\.'),
        ("say", r'The page says: "Saved at last"\.'),
        ("count", rf'Text changed: {uid}<b#n> "2"\.'),
        ("fail", r"1 request failed: http://[^ ]+/status/500 \(500\)\."),
        ("load", rf'Text changed: {uid}<b#n> "Loaded"\.'),
        ("more", uid + r'<summary#more> "More" is now expanded\.', rf'Appeared: {uid}<button> "Inside"\.'),
        (
            "gone",
            rf'The focus is on {uid}<button> "Yes"\.',
            rf'Appeared: {uid}<dialog#modal> "Sure\? ?Yes", {uid}<button> "Yes"\.',
            r"Vanished: <button#gone>[^.]*\.",
        ),
    ):
        found = await lines(agent, target)
        assert len(found) == len(expected), (target, found)
        for line, pattern in zip(found, expected, strict=True):
            assert re.fullmatch(pattern, line), (target, found)


async def test_json_and_keys(agent: Agent, site: Site) -> None:
    await agent.ok("navigate_page", url=site.page("<input id=a><input id=b type=checkbox>"))
    await agent.ok("click", uid="css=#a")
    effect = (await agent.call("press_key", key="Tab")).structured["effect"]
    assert effect["focus"]["words"] == "<input#b>"
    assert re.fullmatch(r"e\d+", effect["focus"]["uid"])
    effect = (await agent.call("press_key", key="Space")).structured["effect"]
    assert effect["control"]["state"] == {"checked": "true"}
    assert effect["control"]["uid"]


async def test_a_page_that_changes_all_the_time_is_no_effect(agent: Agent, site: Site) -> None:
    ticks = """<button>Idle</button><p id=p></p><p aria-live=polite id=q></p><ul id=u></ul><script>let n = 0;
    setInterval(() => { n++; p.textContent = n; q.textContent = n; u.innerHTML = '<li><a href=#>Tick</a>' + n }, 20)
    </script>"""
    await agent.ok("navigate_page", url=site.page(ticks))
    first = (await agent.ok("click", uid="text=Idle")).splitlines()[1:]
    # Until it has been watched for a while, what the page says aloud by itself can't be told from an answer.
    assert all("The page says" in line or "No effect" in line for line in first), first
    await agent.ok("evaluate_script", function="() => new Promise(r => setTimeout(r, 400))")
    for _ in range(5):
        found = (await agent.ok("click", uid="text=Idle")).splitlines()[1:]
        assert re.match(r"No effect observed within \d+ ms", found[0]), found


async def test_what_a_click_in_a_frame_changed(agent: Agent, site: Site) -> None:
    inner = site.page('<button onclick="b.hidden = false">Show</button><button id=b hidden>Shown</button>', other=True)
    await agent.ok("navigate_page", url=site.page(f"<iframe src={inner}></iframe>"))
    assert re.search(r'Appeared: uid=e\d+ <button#b> "Shown"', await agent.ok("click", uid="text=Show"))


async def test_hovering_and_large_pages(agent: Agent, site: Site) -> None:
    style = "<style>#m a {display: none} #m:hover a {display: inline}</style>"
    await agent.ok("navigate_page", url=site.page(style + "<div id=m>Menu <a href=#>Home</a></div>"))
    assert re.search(r'Appeared: uid=e\d+ <a> "Home"', await agent.ok("hover", uid="css=#m"))
    many = "<button>x</button>" * 2000
    html = f"<button id=b onclick=\"n.textContent = 'Now'\">Go</button><p id=n></p>{many}"
    await agent.ok("navigate_page", url=site.page(html))
    assert (await lines(agent, "b"))[0].startswith("Text changed:")
