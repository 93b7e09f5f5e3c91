"""Why an element can't be acted on: each reason has its own code, and the reply says what to do."""

from __future__ import annotations

import asyncio
import re

import pytest

from tests.support.site import Site
from tests.tools.conftest import Agent


async def uids(agent: Agent, words: str) -> list[str]:
    """The uids on the snapshot lines with `words`, in their order."""
    return re.findall(rf"uid=(e\d+) {re.escape(words)}", await agent.ok("take_snapshot"))


DRAWN = """<ul id=list></ul><script>
item = name => `<li>${name} <button>Delete</button><a href=#>Open ${name}</a>`;
draw = (...names) => { list.innerHTML = names.map(item).join('') };
draw('One', 'Two', 'Three')</script>"""


async def test_what_was_drawn_anew_is_named(agent: Agent, site: Site) -> None:
    await agent.ok("navigate_page", url=site.page(DRAWN))
    link = (await uids(agent, 'link "Open Two"'))[0]
    buttons = await uids(agent, 'button "Delete"')
    await agent.ok("evaluate_script", function="() => draw('One', 'Two', 'Three')")
    gone = await agent.fails("click", "element_gone", uid=link)
    match = re.search(r'It was link "Open Two"\. The page drew it anew: use uid=(e\d+) link "Open Two"\.', gone)
    assert match, gone
    await agent.ok("click", uid=match[1])
    # Of several like it, the one in the same place.
    gone = await agent.fails("click", "element_gone", uid=buttons[1])
    now = await uids(agent, 'button "Delete"')
    assert f'use uid={now[1]} button "Delete"' in gone
    # Not in the same number: all of them. And what was there before is something else.
    await agent.ok("evaluate_script", function="() => draw('One', 'Two')")
    gone = await agent.fails("hover", "element_gone", uid=now[2])
    assert 'It was button "Delete". Now there are 2 like it: uid=' in gone
    left = await uids(agent, 'link "Open One"')
    await agent.ok("evaluate_script", function="() => list.lastChild.remove()")
    gone = await agent.fails("click", "element_gone", uid=(await uids_before(agent))['link "Open Two"'])
    assert "Nothing like it has come since" in gone
    assert left == await uids(agent, 'link "Open One"')


async def uids_before(agent: Agent) -> dict[str, str]:
    """What the snapshot before said."""
    snapshot = agent.context.selected_page().last_snapshot
    assert snapshot is not None
    return {words: uid for uid, words in re.findall(r'uid=(e\d+) (\w+ "[^"]*")', snapshot.text)}


async def test_the_nearest_name_and_another_document(agent: Agent, site: Site) -> None:
    url = site.page("<button id=b>Save draft</button><script>n = 0</script>")
    await agent.ok("navigate_page", url=url)
    old = (await uids(agent, 'button "Save draft"'))[0]
    await agent.ok("evaluate_script", function="() => { b.outerHTML = '<button>Save draft (2)</button>' }")
    gone = await agent.fails("fill", "element_gone", uid=old, value="x")
    assert re.search(r'The nearest of what has come since: uid=e\d+ button "Save draft \(2\)"', gone)
    await agent.ok("navigate_page", url=url)
    gone = await agent.fails("click", "element_gone", uid=old)
    assert "its page has navigated since" in gone
    assert re.search(r'The page drew it anew: use uid=e\d+ button "Save draft"\.', gone)
    assert "It was button" in await agent.fails("take_screenshot", "element_gone", uid=old)


HTML = """<body><button id=hidden hidden>A</button><span id=flat></span><button id=off disabled>C</button>
<button id=under style='position:fixed;top:0;left:300px'>D</button>
<div id=veil style='position:fixed;top:0;left:250px;width:200px;height:99px'>Cookies</div>
<button id=runs style='position:fixed;top:200px;width:9px;padding:0'>E</button><script>
addEventListener('mousemove', () => { runs.style.left = (runs.offsetLeft + 90) % 700 + 'px' });</script>"""


@pytest.mark.parametrize(
    ("target", "code", "words"),
    [
        ("hidden", "element_hidden", "Make it visible first"),
        ("flat", "element_zero_size", "it has no size"),
        ("off", "element_disabled", "Fill in or choose what the page wants first"),
        ("under", "element_covered", r'uid=e\d+ <div#veil> "Cookies" covers it.*Close or move what is in the way'),
        ("runs", "element_moving", "Wait until it is at rest"),
        ("never", "element_not_found", "Call take_snapshot"),
    ],
)
async def test_each_reason_has_its_code(agent: Agent, site: Site, target: str, code: str, words: str) -> None:
    await agent.ok("navigate_page", url=site.page(HTML))
    reply = await agent.fails("click", code, uid=f"css=#{target}")
    assert re.search(words, reply), reply


async def test_the_frame_the_page_and_a_dialog(agent: Agent, site: Site) -> None:
    inner = site.page("<button>Inside</button>", other=True)
    await agent.ok("navigate_page", url=site.page(f"<button>Out</button><iframe src={inner}></iframe>"))
    inside = (await uids(agent, 'button "Inside"'))[0]
    outside = (await uids(agent, 'button "Out"'))[0]
    await agent.ok("evaluate_script", function="() => document.querySelector('iframe').remove()")
    assert "Take a new snapshot" in await agent.fails("click", "frame_gone", uid=inside)
    await agent.ok("evaluate_script", function="() => { setTimeout(() => alert('Now?')) }")
    page = agent.context.selected_page().page
    await page.loads.wait(lambda: page.dialog is not None, 5)
    assert "handle_dialog" in await agent.fails("click", "dialog_open", uid=outside)
    await agent.ok("handle_dialog", action="accept")
    page.session.post("Page.crash")
    await page.loads.wait(lambda: page.is_crashed, 5)
    await asyncio.sleep(0)
    assert "Navigate or reload it" in await agent.fails("click", "page_crashed", uid=outside)


async def test_a_transition_is_waited_for_and_an_endless_animation_is_not(agent: Agent, site: Site) -> None:
    style = "<style>@keyframes in{from{margin-left:800px}} @keyframes beat{to{scale:1.1}}</style>"
    buttons = "<button style='animation:in .6s linear'>Slides</button>"
    buttons += "<button style='animation:beat 1s infinite'>Beats</button>"
    log = "<script>at = {}; onclick = e => { at[e.target.textContent] = e.target.getAnimations().length }</script>"
    await agent.ok("navigate_page", url=site.page(style + buttons + log))
    await agent.ok("click", uid="text=Slides")
    await agent.ok("click", uid="text=Beats")
    assert '{"Slides":0,"Beats":1}' in await agent.ok("evaluate_script", function="() => at")
