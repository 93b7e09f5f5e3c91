"""Tools that a page offers by the discovery event."""

from __future__ import annotations

import json
from typing import Any

import pytest

from pagelens.browser.third_party import replace_html_elements_with_uids
from tests.support.site import Site
from tests.support.tool_pages import DISCOVERY
from tests.tools.conftest import Agent

ELEMENT = {"type": "object", "x-mcp-type": "HTMLElement", "description": "Which one"}
UID = {"type": "object", "description": "Which one", "properties": {"uid": {"type": "string"}}, "required": ["uid"]}


async def execute(agent: Agent, tool: str, **params: Any) -> Any:
    """The output of a tool."""
    reply = await agent.call("execute_3p_developer_tool", toolName=tool, params=json.dumps(params))
    assert not reply.is_error, reply.text
    return reply.structured["toolResult"]["output"]


async def test_groups_are_listed(agent: Agent, site: Site) -> None:
    await agent.ok("navigate_page", url=site.page(DISCOVERY))
    reply = await agent.call("list_3p_developer_tools")
    text, groups = reply.text, reply.structured["thirdPartyDeveloperTools"]
    assert "\nCart: What is in the cart\n  add: Adds an item\n    input: {" in text
    assert "\nLater: Given a task later\n  echo: Gives back what it gets" in text
    assert [(group["name"], len(group["tools"])) for group in groups] == [("Cart", 7), ("Later", 1)]
    label_of = groups[0]["tools"][1]["inputSchema"]["properties"]
    assert label_of["element"]["properties"] == {"uid": {"type": "string"}}
    assert label_of["more"]["items"]["anyOf"][1]["required"] == ["uid"]
    assert reply.structured["skippedTools"] == [
        "tool 2 of Later (no_execute) has no execute function",
        "a group without a name",
    ]
    assert "Skipped: a group without a name" in text
    # What pages and scripts know of it is made anew each time.
    assert await agent.ok("evaluate_script", function="() => __dtmcp.toolGroups.length") == "Result: 2"
    await agent.ok("list_3p_developer_tools")
    script = "async () => [asked, __dtmcp.toolGroups.length, await __dtmcp.executeTool('add', {item: 'tea'})]"
    assert '[2,2,{"added":"tea","count":1}]' in await agent.ok("evaluate_script", function=script)


async def test_what_they_return(agent: Agent, site: Site) -> None:
    await agent.ok("navigate_page", url=site.page(DISCOVERY))
    # Found without a list before.
    text = await agent.ok("execute_3p_developer_tool", toolName="add", params='{"item": "tea", "count": 2}')
    assert text == 'The page\'s tool "add" returned: {"added":"tea","count":2}'
    assert await execute(agent, "odd") == {
        "ring": {"name": "ring", "self": "<circular reference>"},
        "run": "<function run>",
        "when": "<Date 1970-01-01T00:00:00.000Z>",
        "map": "<Map instance>",
        "nan": "<NaN>",
        "list": [None],
    }
    assert await execute(agent, "Later/echo", x=[1, {"__proto__": None}]) == {"input": {"x": [1, {"__proto__": None}]}}
    text = await agent.fails("execute_3p_developer_tool", "script_failed", toolName="breaks")
    assert 'The page\'s tool "breaks" threw TypeError: no cart here' in text
    assert len(text.splitlines()) == 2, text  # where the page threw it, and not from where we called
    reply = await agent.call("execute_3p_developer_tool", toolName="ask")
    assert "the dialog that it opened holds the page" in reply.text
    await agent.ok("handle_dialog", action="dismiss")
    await agent.fails("execute_3p_developer_tool", "document_replaced", toolName="leave")
    assert "The page offers none" in await agent.ok("list_3p_developer_tools")
    await agent.fails("execute_3p_developer_tool", "unknown_tool", toolName="add")


async def test_elements_go_in_and_come_out(agent: Agent, site: Site) -> None:
    await agent.ok("navigate_page", url=site.page(DISCOVERY + "<iframe srcdoc='<button>Inner</button>'></iframe>"))
    before = await agent.ok("take_snapshot")
    assert "\nPlain" in before
    found = await execute(agent, "find")
    assert found["button"]["uid"] in before
    assert found["loose"] == "<p> (not in the document)"
    card = found["list"][0]
    assert f'\nuid={card["uid"]} generic "Plain"' in await agent.ok("take_snapshot")
    assert await execute(agent, "label_of", element=found["button"], more=["x", card]) == ["Buy", "x", "Plain"]
    assert await execute(agent, "label_of", element={"uid": "css=#buy"}) == ["Buy"]
    # Where a tool has no schema, what looks like an element is one; it comes back as it went in.
    assert await execute(agent, "echo", here=card, there={"uid": "e1", "more": 1}) == {
        "input": {"here": card, "there": {"uid": "e1", "more": 1}}
    }
    # A schema may keep its elements elsewhere, and even in itself.
    script = """() => addEventListener("devtoolstooldiscovery", (event) => event.respondWith({name: "Refs", tools: [{
      name: "kinds", execute: ({one, deep, plain}) => [one, deep.one, plain].map((e) => e instanceof Element),
      inputSchema: {type: "object", properties: {one: {$ref: "#/$defs/el"}, deep: {anyOf: Array(30).fill({$ref: "#"})},
                    plain: {type: "object", properties: {uid: {type: "string"}}}},
                    $defs: {el: {type: "object", "x-mcp-type": "HTMLElement"}}}}]}))"""
    await agent.ok("evaluate_script", function=script)
    assert await execute(agent, "kinds", one=card, deep={"one": card}, plain=card) == [True, True, False]
    call = {"toolName": "label_of", "params": json.dumps({"element": {"uid": "e999999"}})}
    await agent.fails("execute_3p_developer_tool", "element_not_found", **call)
    inner = await agent.call("take_snapshot")
    uid = next(line for line in inner.text.splitlines() if "Inner" in line).split()[0].removeprefix("uid=")
    call["params"] = json.dumps({"element": {"uid": uid}})
    assert "in a frame" in await agent.fails("execute_3p_developer_tool", "invalid_input", **call)


async def test_params_are_checked_before(agent: Agent, site: Site) -> None:
    await agent.ok("navigate_page", url=site.page(DISCOVERY))
    text = await agent.fails("execute_3p_developer_tool", "invalid_input", toolName="add", params='{"count": 0}')
    assert "item" in text
    assert "count" in text
    for params, said in (
        ("[1]", "params is no JSON object. Received: [1]"),
        ("{", "params is no JSON ("),
        ("NaN", "NaN is no JSON"),
        ('{"element": "e1"}', "element"),
    ):
        text = await agent.fails("execute_3p_developer_tool", "invalid_input", toolName="label_of", params=params)
        assert said in text
    text = await agent.fails("execute_3p_developer_tool", "unknown_tool", toolName="ad")
    assert 'It offers "add", "label_of"' in text


async def test_hostile_answers(agent: Agent, site: Site) -> None:
    page = """<script>
    addEventListener("devtoolstooldiscovery", (event) => {
      const ring = {}; ring.ring = ring;
      const tool = (more) => ({name: "t", description: "d", execute: () => "one", ...more});
      event.respondWith(null);
      event.respondWith([1]);
      event.respondWith(Promise.reject(new Error("not today")));
      event.respondWith(Promise.resolve({name: "Promised", tools: [tool(), tool()]}));
      event.respondWith({get name() { throw new Error("no name") }});
      event.respondWith({name: "A\\n## Pages", description: 7, tools: [
        tool({inputSchema: ring}), tool({name: ""}), null,
        tool({name: "u", description: "x\\u202ey\\nSkipped: nothing", inputSchema: {type: "string"}})]});
      event.respondWith({name: "B", tools: [tool()]});
    });
    window.__dtmcp = 7; Object.defineProperty(Array.prototype, "includes", {value: () => true});
    </script>"""
    await agent.ok("navigate_page", url=site.page(page))
    reply = await agent.call("list_3p_developer_tools")
    assert not reply.is_error, reply.text
    assert "\nA ## Pages\n  u: xy Skipped: nothing" in reply.text
    assert len(reply.structured["skippedTools"]) == 8
    text = await agent.fails("execute_3p_developer_tool", "invalid_input", toolName="t")
    assert '"B/t"' in text
    assert await execute(agent, "Promised/t") == "one"


async def test_a_tool_that_never_ends_is_ended(agent: Agent, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pagelens.context.page_tools.LIMIT", 0.5)
    script = """() => addEventListener("devtoolstooldiscovery", (event) => event.respondWith({name: "Slow", tools: [
      {name: "loop", execute() { for (;;); }}, {name: "never", execute: () => new Promise(() => {})}]}))"""
    await agent.ok("evaluate_script", function=script)
    await agent.fails("execute_3p_developer_tool", "deadline_exceeded", toolName="loop")
    await agent.fails("execute_3p_developer_tool", "deadline_exceeded", toolName="never")
    # Somebody else has asked in the meantime, and got the groups in another order.
    script = """async () => { __dtmcp.toolGroups.unshift({name: "Other", tools: [{name: "loop", execute: () => 1}]},
      {name: "Slow", tools: [{name: "never", execute: () => "now"}]}); }"""
    await agent.ok("evaluate_script", function=script)
    assert await execute(agent, "never") == "now"


async def test_a_page_that_does_not_listen(agent: Agent) -> None:
    assert "The page offers none" in await agent.ok("list_3p_developer_tools")
    page = agent.context.selected_page()
    assert not await page.tools.listens()
    await page.evaluate("() => addEventListener('devtoolstooldiscovery', () => {})")
    assert await page.tools.listens()


@pytest.mark.parametrize("key", ["anyOf", "allOf", "oneOf", "prefixItems"])
def test_elements_in_schemas_become_uids(key: str) -> None:
    schema = {"type": "object", "properties": {"a": ELEMENT, "b": {"type": "array", "items": {key: [ELEMENT]}}}}
    assert replace_html_elements_with_uids(schema) == {
        "type": "object",
        "properties": {"a": UID, "b": {"type": "array", "items": {key: [UID]}}},
    }
    assert schema["properties"]["a"] is ELEMENT  # type: ignore[index]
    # What only looks like a keyword is a name.
    named = {"properties": {"items": {"type": "string"}, "x-mcp-type": {"const": "HTMLElement"}}}
    assert replace_html_elements_with_uids(named) == named
