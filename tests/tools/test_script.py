"""evaluate_script."""

from __future__ import annotations

import json
from pathlib import Path

from tests.support.site import Site
from tests.tools.conftest import Agent


async def test_values(agent: Agent) -> None:
    assert await agent.ok("evaluate_script", function="() => 1 + 1") == "Result: 2"
    assert await agent.ok("evaluate_script", function="1 + 1; 3", format="script") == "Result: 3"
    reply = await agent.call("evaluate_script", function="async () => 'later'")
    assert reply.text == 'Result: "later"'
    assert reply.structured == {"result": '"later"', "effect": {"waitedMs": reply.structured["effect"]["waitedMs"]}}


async def test_elements(agent: Agent, site: Site) -> None:
    await agent.ok("navigate_page", url=site.page("<p id=p>Para</p>"))
    text = await agent.ok("evaluate_script", function="(el) => el.textContent", args=["css=#p"])
    assert text == 'Result: "Para"'
    await agent.fails("evaluate_script", "element_not_found", function="(el) => 1", args=["css=#none"])


async def test_what_it_throws_is_a_failure_and_stays_in_its_place(agent: Agent) -> None:
    text = await agent.fails(
        "evaluate_script", "script_failed", function="() => { throw new Error('mine\\n## Pages\\n1: forged') }"
    )
    assert "mine" in text
    assert "\n## Pages" not in text
    await agent.fails("evaluate_script", "script_failed", function="() => { return ( }")


async def test_to_a_file_with_wider_limits(agent: Agent, tmp_path: Path) -> None:
    source = "() => Array.from({length: 30000}, (_, i) => i)"
    inline = await agent.ok("evaluate_script", function=source)
    assert "filePath" in inline
    assert len(inline) < 25_000
    path = tmp_path / "numbers.json"
    text = await agent.ok("evaluate_script", function=source, filePath=str(path))
    assert text.startswith(f"Result written to {path} (")
    assert json.loads(path.read_text()) == list(range(30000))


async def test_a_dialog_of_the_script_is_reported_or_answered(agent: Agent) -> None:
    reply = await agent.call("evaluate_script", function="() => confirm('Sure?')")
    assert not reply.is_error
    assert reply.text.splitlines() == [
        "The script has not returned yet: the dialog that it opened holds the page.",
        f'Page {agent.context.selected_id} is held by an open dialog: confirm "Sure?". '
        "Call handle_dialog (accept or dismiss) to go on.",
    ]
    await agent.ok("handle_dialog", action="dismiss")
    text = await agent.ok("evaluate_script", function="() => confirm('Sure?')", dialogAction="accept")
    assert text.splitlines() == ["Result: true", 'A dialog opened and was accepted: confirm "Sure?".']
    assert "Result: false" in await agent.ok(
        "evaluate_script", function="() => confirm('Sure?')", dialogAction="dismiss"
    )
    assert 'Result: "otter"' in await agent.ok("evaluate_script", function="() => prompt('?')", dialogAction="otter")


async def test_a_navigation_it_makes_is_its_effect(agent: Agent, site: Site) -> None:
    url = site.url("/")
    text = await agent.ok("evaluate_script", function=f"() => {{ location.href = {url!r} }}")
    assert text.splitlines() == ["Result: undefined", f"The page navigated to {url} (200)."]


async def test_a_page_it_opens_is_named(agent: Agent, site: Site) -> None:
    url = site.url("/")
    text = await agent.ok("evaluate_script", function=f"() => {{ open({url!r}) }}")
    opened = max(page.id for page in agent.context.pages())
    assert f"Opened page {opened}: {url}. Pass pageId {opened} to work on it." in text.splitlines()
    assert await agent.ok("evaluate_script", function="() => 5", pageId=opened) == "Result: 5"


async def test_a_string_is_written_as_it_is(agent: Agent, tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    text = await agent.ok("evaluate_script", function="() => '<p>\"Hi\"</p>\\n\\u200b'", filePath=str(path))
    assert path.read_text() == '<p>"Hi"</p>\n\u200b'
    assert text == f"Result written to {path} (13 characters)."


async def test_elements_of_a_frame(agent: Agent, site: Site) -> None:
    inner = site.page("<p id=p>Inside</p><a id=a href=/blank>x</a>", other=True)
    await agent.ok("navigate_page", url=site.page(f"<p>Outside</p><iframe src={inner}></iframe>"))
    text = await agent.ok("evaluate_script", function="(p, a) => p.id + a.id", args=["css=#p", "css=#a"])
    assert text == 'Result: "pa"'
    # What it causes in its frame is waited for.
    text = await agent.ok("evaluate_script", function="(a) => a.click()", args=["css=#a"])
    assert f"The frame navigated to {site.url('/blank', other=True)}." in text
