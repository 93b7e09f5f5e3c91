"""Waiting, hovering, typing, dragging and pictures, as an agent does them one after the other."""

from __future__ import annotations

import asyncio
import io

from PIL import Image

from tests.support.client import McpClient
from tests.support.site import Site

BOARD = """<body style='margin:0'><h1>Board</h1>
<style>#menu ul {display: none} #menu:hover ul {display: block}</style>
<div id=menu>Menu<ul><li><button onclick="search.hidden = false; query.focus()">Search</button></ul></div>
<form id=search hidden onsubmit="event.preventDefault(); fetch('/json?ms=200').then(r => r.json()).then(() => {
  found.textContent = 'Found 2 ' + query.value; query.disabled = true })"><input id=query></form>
<p id=found>Nothing yet</p>
<p draggable=true ondragstart="event.dataTransfer.setData('text/plain', 'card')">Card</p>
<div style='height:2500px'></div>
<p id=bin ondragover='event.preventDefault()' ondrop='textContent = "Taken"'>Bin</p>
"""


async def test_one_after_the_other(agent: McpClient, site: Site) -> None:
    await agent.ok("navigate_page", url=site.page(BOARD))
    menu = await agent.ok("hover", uid="css=#menu", includeSnapshot=True)
    await agent.ok("click", uid=menu.uid('button "Search"'))
    typed = await agent.ok("type_text", text="otters", submitKey="Enter")
    assert 'It held "otters" then.' in typed
    found = await agent.ok("wait_for", text=["Found 2 otters", "Nothing found"], textGone=["Nothing yet"])
    assert '"Found 2 otters"' in found
    await agent.ok("wait_for", uid="css=#query", state="disabled", request="/json?ms=200")
    assert "took the drop" in await agent.ok("drag", from_uid="text=Card", to_uid="css=#bin")
    await agent.ok("wait_for", text=["Taken"])
    shot = await agent.ok("take_screenshot", fullPage=True)
    assert len(shot.images) == 2
    assert all(max(Image.open(io.BytesIO(data)).size) <= 2000 for data, _ in shot.images)


async def test_a_wait_leaves_other_pages_and_readers_alone(agent: McpClient, site: Site) -> None:
    await agent.ok("navigate_page", url=site.page("<p id=p>Start</p>"))
    async with asyncio.TaskGroup() as group:
        wait = group.create_task(agent.ok("wait_for", text=["Ready"], timeout=20_000))
        # Scripts share the page with those who wait.
        await agent.ok("evaluate_script", function="() => { setTimeout(() => { p.textContent = 'Ready' }, 100) }")
    assert '"Ready"' in wait.result()
    late = await agent.call("wait_for", text=["Never"], timeout=300)
    assert late.is_error
    assert "in vain" in late
