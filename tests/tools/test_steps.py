"""run_steps: several actions in one call."""

from __future__ import annotations

from tests.support.site import Site
from tests.tools.conftest import Agent

#: No test begins with what is in the page: they open documents of their own.
REUSES_PAGE = "as it is"

FORM = """<form action=/echo><input name=q aria-label=Query><input name=c type=checkbox>
<select name=s><option>One<option>Two</select><button>Send</button></form>"""


async def test_a_form_is_filled_sent_and_the_next_page_used(agent: Agent, site: Site) -> None:
    await agent.ok("navigate_page", url=site.page(FORM))
    reply = await agent.call(
        "run_steps",
        steps=[
            {"tool": "fill", "arguments": {"uid": "css=[name=q]", "value": "otters"}},
            {"tool": "click", "uid": "css=[name=c]"},  # as it can only be meant
            {"tool": "fill", "arguments": {"uid": "css=select", "value": "two"}},
            {"tool": "press_key", "arguments": {"key": "Tab"}},
            {"tool": "click", "arguments": {"uid": "text=Send"}},
            {"tool": "wait_for", "arguments": {"url": "*echo*"}},
            {"tool": "evaluate_script", "arguments": {"function": "() => location.search"}},
        ],
        includeSnapshot=True,
    )
    assert not reply.is_error, reply.text
    lines = reply.text.splitlines()
    assert lines[0] == "Ran 7 steps."
    assert lines[1] == "1. Filled css=[name=q]."
    assert "The page navigated to " in reply.text
    assert '?q=otters&c=on&s=Two"' in reply.text
    steps = reply.structured["steps"]
    assert [(step["tool"], step["done"]) for step in steps] == [
        (tool, True) for tool in ("fill", "click", "fill", "press_key", "click", "wait_for", "evaluate_script")
    ]
    assert steps[4]["effect"]["navigatedTo"].endswith("?q=otters&c=on&s=Two")
    assert "## Snapshot" in reply.text


async def test_the_first_failure_ends_it(agent: Agent, site: Site) -> None:
    await agent.ok("navigate_page", url=site.page("<input id=a><button disabled>Off</button><input id=z value=old>"))
    reply = await agent.call(
        "run_steps",
        steps=[
            {"tool": "fill", "arguments": {"uid": "css=#a", "value": "new"}},
            {"tool": "click", "arguments": {"uid": "text=Off"}},
            {"tool": "fill", "arguments": {"uid": "css=#z", "value": "new"}},
            {"tool": "press_key", "arguments": {"key": "Tab"}},
        ],
    )
    assert reply.is_error
    assert reply.structured["errorCode"] == "element_disabled"
    assert reply.text.splitlines()[0] == "Step 2 of 4 failed, the 2 after it not run."
    assert [step["done"] for step in reply.structured["steps"]] == [True, False]
    assert await agent.ok("evaluate_script", function="() => [a.value, z.value]") == 'Result: ["new","old"]'


async def test_all_is_checked_before_anything_is_done(agent: Agent, site: Site) -> None:
    await agent.ok("navigate_page", url=site.page("<input id=a value=old>"))
    good = {"tool": "fill", "arguments": {"uid": "css=#a", "value": "new"}}
    text = await agent.fails(
        "run_steps",
        "invalid_input",
        steps=[
            good,
            {"tool": "clik", "arguments": {"uid": "css=#a"}},
            {"tool": "click", "arguments": {"id": "css=#a"}},
            {"tool": "click", "arguments": {"uid": "css=#a", "pageId": 1}},
            {"tool": "run_steps", "arguments": {"steps": [good]}},
            {"tool": "close_page", "arguments": {}},
        ],
    )
    for words in ('tep 2: "clik" is no step (did you mean click?)', "step 3: ", "leave pageId out", "step 5", "step 6"):
        assert words in text
    assert await agent.ok("evaluate_script", function="() => a.value") == 'Result: "old"'


async def test_a_dialog_holds_the_steps_after_it_unless_they_answer_it(agent: Agent, site: Site) -> None:
    await agent.ok(
        "navigate_page",
        url=site.page("<button onclick=\"document.title = confirm('Sure?') ? 'yes' : 'no'\">Ask</button>"),
    )
    ask = {"tool": "click", "arguments": {"uid": "text=Ask"}}
    reply = await agent.call("run_steps", steps=[ask, {"tool": "press_key", "arguments": {"key": "Tab"}}])
    assert reply.structured["errorCode"] == "dialog_open"
    await agent.ok("handle_dialog", action="dismiss")
    await agent.ok(
        "run_steps",
        steps=[
            ask,
            {"tool": "handle_dialog", "arguments": {"action": "accept"}},
            {"tool": "wait_for", "arguments": {"function": "() => document.title == 'yes'"}},
        ],
    )


async def test_a_fill_that_the_page_refuses_ends_it_with_what_is_there(agent: Agent, site: Site) -> None:
    await agent.ok("navigate_page", url=site.page("<input id=a oninput='value = \"mine\"'>"))
    fields = [{"uid": "css=#a", "value": "x"}]
    text = await agent.fails(
        "run_steps", "fill_failed", steps=[{"tool": "fill_form", "arguments": {"elements": fields}}]
    )
    assert '"mine"' in text
    assert "Step 1 of 1 failed." in text
