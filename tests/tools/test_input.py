"""click, fill and press_key."""

from __future__ import annotations

import re

from tests.support.site import Site
from tests.tools.conftest import Agent

#: No test begins with what is in the page: they open documents of their own.
REUSES_PAGE = "as it is"


async def uid(agent: Agent, words: str) -> str:
    """The uid on the snapshot line with `words`."""
    snapshot = await agent.ok("take_snapshot")
    match = re.search(rf"uid=(e\d+) {re.escape(words)}", snapshot)
    assert match, snapshot
    return match[1]


async def test_click_reports_what_happened(agent: Agent, site: Site) -> None:
    target = site.url("/")
    await agent.ok("navigate_page", url=site.page(f"<a href={target}>Go</a>"))
    reply = await agent.call("click", uid=await uid(agent, 'link "Go"'))
    assert not reply.is_error
    assert reply.text.splitlines()[0].startswith("Clicked ")
    assert reply.text.splitlines()[1:] == [f"The page navigated to {target} (200)."]
    assert reply.structured["effect"]["navigatedTo"] == target


async def test_click_that_does_nothing_says_so(agent: Agent, site: Site) -> None:
    await agent.ok("navigate_page", url=site.page("<button>Idle</button>"))
    lines = (await agent.ok("click", uid="text=Idle")).splitlines()
    assert lines[1].startswith("No effect observed within ")


async def test_double_click_and_snapshot_on_request(agent: Agent, site: Site) -> None:
    url = site.page("<button ondblclick=\"textContent = 'Twice'\">Once</button>")
    await agent.ok("navigate_page", url=url)
    text = await agent.ok("click", uid="text=Once", dblClick=True, includeSnapshot=True)
    assert text.startswith("Double-clicked ")
    assert 'button "Twice"' in text
    assert "## Snapshot" not in await agent.ok("click", uid="text=Twice")


async def test_a_covered_click_is_a_failure_that_names_the_coverer(agent: Agent, site: Site) -> None:
    url = site.page(
        "<button onclick=\"document.title='hit'\">Buy</button>"
        "<div id=veil style='position:fixed;inset:0' onclick=\"document.title='veil'\"></div>"
    )
    await agent.ok("navigate_page", url=url)
    assert "veil" in await agent.fails("click", "element_covered", uid="text=Buy")
    title = await agent.ok("evaluate_script", function="() => document.title")
    assert "hit" not in title
    assert "veil" not in title


async def test_what_is_gone_and_what_never_was(agent: Agent, site: Site) -> None:
    await agent.ok("navigate_page", url=site.page("<button>Old</button>"))
    old = await uid(agent, 'button "Old"')
    await agent.ok("evaluate_script", function="() => { document.body.innerHTML = '<button>New</button>' }")
    await agent.fails("click", "element_gone", uid=old)
    await agent.fails("click", "element_not_found", uid="e999999")
    await agent.fails("click", "element_not_found", uid="text=Nowhere")
    await agent.fails("click", "invalid_input", uid="the button")


async def test_fill_and_press_key(agent: Agent, site: Site) -> None:
    url = site.page(f"<form action={site.url('/echo')}><input name=q aria-label=Query></form>")
    await agent.ok("navigate_page", url=url)
    assert (await agent.ok("fill", uid="css=input", value="otters")).startswith("Filled ")
    assert await agent.ok("evaluate_script", function="() => document.forms[0].q.value") == 'Result: "otters"'
    lines = (await agent.ok("press_key", key="Enter")).splitlines()
    assert lines == ["Pressed Enter.", f"The page navigated to {site.url('/echo', q='otters')} (200)."]
    await agent.fails("press_key", "invalid_input", key="Nokey")


async def test_a_value_that_the_page_changes_is_a_failure_that_says_what_is_there(agent: Agent, site: Site) -> None:
    url = site.page('<input aria-label=Short oninput="value = value.toUpperCase().slice(0, 3)">')
    await agent.ok("navigate_page", url=url)
    assert 'holds "OTT" now' in await agent.fails("fill", "fill_failed", uid="css=input", value="otters")


async def test_options_and_hidden_controls(agent: Agent, site: Site) -> None:
    await agent.ok(
        "navigate_page",
        url=site.page(
            "<select><option>One<option>Two</select>"
            "<label>Agree<input type=checkbox style='opacity:0;position:absolute;width:0;height:0'></label>"
        ),
    )
    assert (await agent.ok("click", uid="css=option:nth-child(2)")).startswith("Selected the option ")
    assert await agent.ok("evaluate_script", function="() => document.querySelector('select').value") == 'Result: "Two"'
    assert "through its label" in await agent.ok("click", uid="css=input")
    assert await agent.ok("evaluate_script", function="() => document.querySelector('input').checked") == "Result: true"


async def test_a_click_in_a_frame_waits_for_the_frame(agent: Agent, site: Site) -> None:
    target = site.url("/", other=True)
    inner = site.page(f"<a href={target}>Inside</a>", other=True)
    await agent.ok("navigate_page", url=site.page(f"<iframe src={inner} width=300 height=200></iframe>"))
    text = await agent.ok("click", uid="text=Inside")
    assert f"The frame navigated to {target}." in text.splitlines()


async def test_a_dialog_that_a_click_opens(agent: Agent, site: Site) -> None:
    await agent.ok("navigate_page", url=site.page("<button onclick=\"alert('Hello')\">Greet</button>"))
    reply = await agent.call("click", uid="text=Greet")
    assert not reply.is_error
    assert 'held by an open dialog: alert "Hello"' in reply.text
    assert reply.structured["effect"]["dialog"] == {"type": "alert", "message": "Hello", "outcome": "open"}
    await agent.ok("handle_dialog", action="accept")


async def test_a_page_that_a_click_closes(agent: Agent, site: Site) -> None:
    popup = site.page("<button onclick=window.close()>Close me</button>")
    await agent.ok("navigate_page", url=site.page("<h1>Opener</h1>"))
    opener = agent.context.selected_page()
    await agent.ok("evaluate_script", function=f"() => {{ open({popup!r}) }}")
    opened = max(page.id for page in agent.context.pages())
    await agent.ok("select_page", pageId=opened)
    reply = await agent.call("click", uid="text=Close me")
    assert not reply.is_error
    assert "The page closed itself." in reply.text
    assert reply.text.splitlines()[0] == (
        f"Page {opened} closed; page {opener.id} is selected now: {opener.printable_url}"
    )


async def test_buttons_and_modifiers(agent: Agent, site: Site) -> None:
    url = site.page(
        "<button id=b>Save</button><script>log = []; for (const type of ['click', 'contextmenu', 'auxclick'])"
        " b.addEventListener(type, e => log.push(type + e.button + e.shiftKey + e.ctrlKey))</script>"
    )
    await agent.ok("navigate_page", url=url)
    assert "Right-clicked css=#b." in await agent.ok("click", uid="css=#b", button="right")
    assert "Middle-clicked css=#b." in await agent.ok("click", uid="css=#b", button="middle")
    reply = await agent.ok("click", uid="css=#b", modifiers=["Control", "Shift"])
    assert "Clicked, with Control+Shift held, css=#b." in reply
    log = "contextmenu2falsefalse,auxclick2falsefalse,auxclick1falsefalse,click0truetrue"
    assert log in await agent.ok("evaluate_script", function="() => log.join()")


async def test_scroll_says_where_it_is(agent: Agent, site: Site) -> None:
    await agent.ok("navigate_page", url=site.page("<p>Top</p><div style='height:3000px'></div><p>End</p>"))
    reply = await agent.ok("scroll", deltaY=500)
    assert re.match(r"Scrolled the page 500 px down. The page is at 500 of \d+ px down\.", reply)
    assert re.search(r"down; bottom reached\.", await agent.ok("scroll", deltaY=9000))
    assert "The page is at its end already." in await agent.ok("scroll", deltaY=100)
    assert "The page does not scroll that way: all of it is shown." in await agent.ok("scroll", deltaX=100)
    assert re.match(r"text=Top is in view. The page is at \d+ of \d+ px down", await agent.ok("scroll", uid="text=Top"))
    assert "Give uid, deltaY or deltaX" in await agent.fails("scroll", "invalid_input")


async def test_click_at_a_pixel_of_a_screenshot(agent: Agent, site: Site) -> None:
    page = "<body style='margin:0'><canvas id=c width=800 height=400></canvas><script>c.onclick = e => {"
    page += " at = [e.offsetX, e.offsetY].join() }</script>"
    await agent.ok("navigate_page", url=site.page(page))
    await agent.ok("emulate", viewport="800x600x3")
    shot = await agent.call("take_screenshot")
    scale = shot.structured["images"][0]["scale"]
    assert scale != 1
    assert f"{scale:g} px a CSS px" in shot.text
    reply = await agent.ok("click_at", x=300 * scale / scale, y=150)
    assert "Clicked at 300,150: uid=e" in reply
    assert "<canvas#c>" in reply
    assert '"300,150"' in await agent.ok("evaluate_script", function="() => at")


async def test_a_page_in_the_background_is_acted_on_all_the_same(agent: Agent, site: Site) -> None:
    url = site.page("<button onclick='n = 1 + (globalThis.n || 0)'>Add</button><p style='height:3000px'>Tall</p>")
    await agent.ok("navigate_page", url=url)
    behind = agent.context.selected_page().id
    await agent.ok("new_page", url=site.url("/blank"))
    await agent.ok("click", pageId=behind, uid="text=Add")
    await agent.ok("press_key", pageId=behind, key="Enter")
    assert "500 px down" in await agent.ok("scroll", pageId=behind, deltaY=500)
    assert "Result: 2" in await agent.ok("evaluate_script", pageId=behind, function="() => n")
