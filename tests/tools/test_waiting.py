"""wait_for, hover, type_text, drag: how their outcome is told."""

from __future__ import annotations

import re
from dataclasses import replace

from pagelens.browser.host import BrowserHost
from pagelens.context.mcp_context import McpContext
from tests.support.site import Site
from tests.tools.conftest import Agent

#: No test begins with what is in the page: they open documents of their own.
REUSES_PAGE = "as it is"


async def test_text_that_comes(agent: Agent, site: Site) -> None:
    script = "<script>setTimeout(() => p.textContent = 'Ready now', 200)</script>"
    await agent.ok("navigate_page", url=site.page(f"<p id=p>Loading</p>{script}"))
    reply = await agent.call("wait_for", text=["Failed", "Ready"], includeSnapshot=True)
    assert not reply.is_error
    first, *_ = reply.text.splitlines()
    assert re.fullmatch(r'"Ready" (?:appeared|was there already): uid=e\d+ <p#p> "Ready now". Waited \d+ ms.', first)
    assert "Ready now" in reply.text.partition("## Snapshot")[2]
    told = reply.structured["wait"]
    assert told["text"] == "Ready"
    assert told["uids"] == [re.findall(r"e\d+", first)[0]]
    assert (await agent.ok("click", uid=told["uids"][0])).startswith("Clicked ")


async def test_in_vain(agent: Agent, site: Site) -> None:
    await agent.ok("navigate_page", url=site.page("<p hidden>Ready now</p><button disabled>Save</button>"))
    text = await agent.fails("wait_for", "wait_timeout", text=["Ready"], timeout=200)
    assert 'Waited 200 ms for the text "Ready" in vain. It is in the page, but hidden' in text
    text = await agent.fails("wait_for", "wait_timeout", uid="text=Save", state="enabled", timeout=200)
    assert "visible, disabled" in text
    await agent.fails("wait_for", "invalid_input")


async def test_several_conditions(agent: Agent, site: Site) -> None:
    url = site.page("<p>Ready</p><script>fetch('/json?n=1').then(r => r.json()).then(() => { done = true })</script>")
    await agent.ok("navigate_page", url=url)
    text = await agent.ok("wait_for", text=["Ready"], url=url, request="/json?n=1", function="() => done", timeout=0)
    assert len(text.splitlines()) == 4


async def test_without_scripts_of_agents_there_is_no_function(host: BrowserHost) -> None:
    context = McpContext(host, replace(host.options, javascript_evaluation=False))
    try:
        (tool,) = (tool for name, tool in Agent(context)._tools.items() if name == "wait_for")
        assert "function" not in tool.params.model_fields
    finally:
        context.close()


async def test_hover(agent: Agent, site: Site) -> None:
    style = "<style>#tip {display: none} #b:hover + #tip {display: block}</style>"
    await agent.ok("navigate_page", url=site.page(style + "<button id=b>Save</button><p id=tip>Saves all</p>"))
    text = await agent.ok("hover", uid="text=Save", includeSnapshot=True)
    assert text.startswith("The mouse is over text=Save.")
    assert "Saves all" in text


async def test_typing(agent: Agent, site: Site) -> None:
    url = site.page(f"<form action={site.url('/echo')}><input name=q aria-label=Query></form>")
    await agent.ok("navigate_page", url=url)
    assert "Nothing has the focus" in await agent.fails("type_text", "not_editable", text="otters")
    await agent.ok("click", uid="css=input")
    text = await agent.ok("type_text", text="otters", submitKey="Enter")
    assert re.match(
        r'Typed 6 characters into uid=e\d+ <input> "Query", then pressed Enter. It held "otters" then.\n', text
    )
    assert f"The page navigated to {site.url('/echo', q='otters')} (200)." in text


async def test_typing_that_the_page_swallows(agent: Agent, site: Site) -> None:
    await agent.ok("navigate_page", url=site.page("<input autofocus onkeydown='event.preventDefault()'>"))
    assert "the page did not take what was typed" in await agent.ok("type_text", text="otters")


async def test_dragging(agent: Agent, site: Site) -> None:
    html = "<p id=a draggable=true>Card</p><p id=b>Bin</p><p>Wall</p>"
    html += "<script>b.ondragover = e => e.preventDefault()</script>"
    await agent.ok("navigate_page", url=site.page(html))
    text = await agent.ok("drag", from_uid="text=Card", to_uid="text=Bin")
    assert text.startswith("Dragged text=Card to text=Bin, which took the drop.")
    await agent.fails("drag", "drop_refused", from_uid="text=Card", to_uid="text=Wall")
    text = await agent.ok("drag", from_uid="text=Bin", to_uid="text=Card")
    assert "what the page made of it is not known here" in text


async def test_a_click_that_nobody_saw(agent: Agent, site: Site) -> None:
    await agent.ok("navigate_page", url=site.page("<button>Save</button>"))
    # Listeners of the page on its window come before ours, and may take everything.
    take = "for (const k of ['pointerdown', 'mousedown', 'pointerup', 'mouseup', 'click'])"
    take += " addEventListener(k, e => e.stopImmediatePropagation(), true)"
    await agent.ok("evaluate_script", function=f"() => {{ {take} }}")
    assert "no press was seen to arrive there" in await agent.ok("click", uid="text=Save")
