"""Parameters are those of chrome-devtools-mcp 1.11 by name, type, enum and default; each exception has its reason."""

from __future__ import annotations

import json
from typing import Any

import pytest

from pagelens.core.options import Options
from pagelens.tools import create_tools
from pagelens.tools.categories import CATEGORIES, is_category_on
from pagelens.tools.definition import ToolDefinition
from pagelens.tools.schema import input_schema
from tests.support.data import data_file, needs_data

OPTIONS = Options()
SLIM = Options(slim=True)
TOOLS = {tool.name: tool for tool in create_tools(OPTIONS)}
SLIM_TOOLS = {tool.name: tool for tool in create_tools(SLIM)}

#: Parameters that we lack, and why.
LACKING = {
    ("evaluate_script", "serviceWorkerId"): "scripts run in pages only so far",
    ("evaluate_script", "sourcePath"): "scripts are given inline so far",
    ("evaluate_script", "waitForStableDom"): "the reply never depends on the page coming to rest",
}
#: Parameters that the peer lacks, and why we have them. "*" stands for every tool.
ADDED = {
    ("*", "overwrite"): "a file that exists is replaced only by its own kind, or when the agent says so",
    ("click", "button"): "context menus, links in new tabs",
    ("click", "modifiers"): "what a page does with Control or Shift held",
    ("get_network_request", "bodyOffset"): "long bodies are read in parts",
    ("get_network_request", "bodyLimit"): "long bodies are read in parts",
    ("list_console_messages", "filter"): "a page says much, little of it of interest",
    ("list_network_requests", "urlPattern"): "a page has hundreds of requests, few of them of interest",
    ("list_network_requests", "status"): "what failed is found at once",
    ("list_pages", "pageSize"): "a user's browser may have more tabs than fit into a reply",
    ("list_pages", "pageIdx"): "the tabs after those",
    ("performance_start_trace", "screenshots"): "pictures cost time and bytes: only for who wants a filmstrip",
    ("performance_start_trace", "selectorStats"): "what selectors cost, which the peer never records",
    ("performance_analyze_insight", "traceFilePath"): "traces that were saved, here or in DevTools",
    ("take_snapshot", "uid"): "a part of a long page",
    ("take_snapshot", "maxTokens"): "as much of a long page as there is room for",
    ("take_snapshot", "cursor"): "the rest of it, as it was",
    ("take_snapshot", "diff"): "what an action changed, without reading all again",
    ("execute_webmcp_tool", "frame"): "several frames may offer tools of one name",
    ("execute_webmcp_tool", "cancel"): "a form that waits to be submitted can be given up",
    ("wait_for", "textGone"): "a text that goes",
    ("wait_for", "uid"): "an element that comes to a state",
    ("wait_for", "state"): "that state",
    ("wait_for", "url"): "an address",
    ("wait_for", "request"): "a request that ends",
    ("wait_for", "function"): "anything else",
    ("wait_for", "includeSnapshot"): "what came is seen without another call",
}
#: Tools of our own, and why.
OWN = {
    "add_request_rule": "requests answered, failed, delayed, rewritten",
    "clear_request_rules": "the end of that",
    "find_memory_leaks": "from an action to what leaks and why, in one call",
    "get_outline": "long pages in a tenth of their snapshot",
    "search_snapshot": "what is looked for in a long page",
    "performance_query": "what happened in a trace beyond its insights",
    "save_html_report": "a trace as a page for people",
    "export_har": "requests in a file that other tools open",
    "run_steps": "a turn of the model costs more than all the steps that it can take at once",
    "list_websocket_messages": "what went over sockets and event streams",
    "scroll": "what is further down, in anything that scrolls",
}
#: Tools that we don't have and the peer has are no exception: they are simply not there yet.

#: (tool, parameter, key of its schema): our value, and why it is another one. "*" stands for every tool.
OTHER = {
    ("*", "pageId", "type"): ("integer", "a page id is a whole number"),
    ("emulate", "networkConditions", "enum"): (
        ["Offline", "Slow 3G", "Fast 3G", "Slow 4G", "Fast 4G", "No throttling"],
        "what is left out stays as it is, so there is a value that resets it",
    ),
    ("*", "nodeId", "type"): ("integer", "an id is a whole number"),
    ("*", "objectId", "type"): ("integer", "an id is a whole number"),
    ("get_heapsnapshot_class_nodes", "id", "type"): ("integer", "an id is a whole number"),
    ("compare_heapsnapshots", "classIndex", "type"): ("integer", "an index is a whole number"),
    ("get_heapsnapshot_retaining_paths", "maxDepth", "type"): ("integer", "a count is a whole number"),
    ("get_heapsnapshot_retaining_paths", "maxNodes", "type"): ("integer", "a count is a whole number"),
    ("get_heapsnapshot_retaining_paths", "maxSiblings", "type"): ("integer", "a count is a whole number"),
    ("*", "msgid", "type"): ("integer", "an id is a whole number"),
    ("*", "reqid", "type"): ("integer", "an id is a whole number"),
}
#: Whether a parameter must be given, where we differ, and why. "*" stands for every tool.
REQUIRED = {
    ("page tools", "pageId"): (False, "the selected page is meant then"),
    ("performance_analyze_insight", "pageId"): (False, "the last trace of any page is meant then"),
    ("wait_for", "text"): (False, "other things can be waited for"),
    ("evaluate_script", "function"): (True, "the peer's alternative, sourcePath, is lacking"),
}
#: The hint that a tool has no effect, where we differ, and why.
READ_ONLY = {
    "select_page": (False, "bringToFront raises a window: an effect on the browser"),
}
#: Bounds that only say "a number that JavaScript can hold".
HUGE = (9007199254740991, -9007199254740991)


@pytest.fixture(scope="module")
def peers() -> dict[str, Any]:
    """The peer's tools: ``all`` and ``slim`` by name, ``default`` the names of those served unless asked otherwise."""
    tools: dict[str, Any] = json.loads(data_file("data", "cdm-1.11-tools.json").read_text())
    return tools


@pytest.fixture(scope="module")
def peer(peers: dict[str, Any]) -> dict[str, Any]:
    tools: dict[str, Any] = peers["all"]
    return tools


def shape(schema: dict[str, Any]) -> dict[str, Any]:
    """What of a parameter's schema an agent's habits depend on."""
    kept = {key: value for key, value in schema.items() if key != "description" and value not in HUGE}
    if isinstance(kept.get("items"), dict):
        kept["items"] = shape(kept["items"])
    if isinstance(kept.get("properties"), dict):
        kept["properties"] = {name: shape(inner) for name, inner in kept["properties"].items()}
    return kept


def names() -> list[str]:
    return sorted(TOOLS)


@needs_data
@pytest.mark.parametrize("name", names())
def test_parameters(peer: dict[str, Any], name: str) -> None:
    if name in OWN:
        assert name not in peer, "it is no tool of our own any more"
        return
    assert name in peer, "a name of our own needs an entry here that says why"
    ours, theirs = input_schema(TOOLS[name], OPTIONS), peer[name]
    assert ours["additionalProperties"] == theirs["additionalProperties"]
    lacking = set(theirs["properties"]) - set(ours["properties"])
    assert lacking == {parameter for tool, parameter in LACKING if tool == name}
    added = set(ours["properties"]) - set(theirs["properties"])
    assert added == {parameter for tool, parameter in ADDED if tool in ("*", name)} & set(ours["properties"])
    for parameter, schema in ours["properties"].items():
        if parameter in added:
            continue
        expected = shape(theirs["properties"][parameter])
        for (tool, other, key), (value, _reason) in OTHER.items():
            if tool in ("*", name) and other == parameter:
                assert expected[key] != value, "the exception is not needed any more"
                expected[key] = value
        assert shape(schema) == expected, parameter
    required = set(theirs["required"]) if "required" in theirs else set()
    for (tool, parameter), (value, _reason) in REQUIRED.items():
        if tool == name or (tool == "page tools" and TOOLS[name].is_page_tool):
            assert tool != name or (parameter in required) != value, "the exception is not needed any more"
            required = required | {parameter} if value else required - {parameter}
    assert set(ours.get("required", ())) == required


@pytest.mark.parametrize("name", names())
def test_every_page_tool_takes_a_page_and_needs_none(name: str) -> None:
    schema = input_schema(TOOLS[name], OPTIONS)
    if TOOLS[name].is_page_tool:
        assert schema["properties"]["pageId"]["type"] == "integer"
        assert "pageId" not in schema.get("required", ())
        assert "pageId" not in input_schema(TOOLS[name], Options(page_id_routing=False))["properties"]


@needs_data
def test_the_same_tools_are_served_unless_asked_otherwise(peers: dict[str, Any]) -> None:
    served = {name for name, tool in TOOLS.items() if tool.missing_flag(OPTIONS) is None}
    ours = {name for name in OWN if is_category_on(TOOLS[name].annotations.category, {})}
    assert served == set(TOOLS) & (set(peers["default"]) | ours)
    everything = Options(categories=dict.fromkeys(CATEGORIES, True), vision=True)
    assert [tool.name for tool in create_tools(everything) if tool.missing_flag(everything)] == []


@needs_data
def test_the_slim_set(peers: dict[str, Any]) -> None:
    """The same three tools with the same parameters, and no page ids: there is one page."""
    assert SLIM_TOOLS.keys() == peers["slim"].keys()
    for name, tool in SLIM_TOOLS.items():
        ours, theirs = input_schema(tool, SLIM), peers["slim"][name]
        assert shape(ours) == shape({key: value for key, value in theirs.items() if not key.startswith("x-")})
        assert tool.missing_flag(SLIM) is None


def test_every_exception_is_about_a_tool_that_is_there() -> None:
    for tool in {tool for tool, *_ in [*LACKING, *ADDED, *OTHER, *REQUIRED]} | READ_ONLY.keys():
        assert tool in ("*", "page tools") or tool in TOOLS, f"{tool}: the exception is not needed"
    for tool, parameter in ADDED:
        if tool != "*":
            assert parameter in input_schema(TOOLS[tool], OPTIONS)["properties"]


@needs_data
@pytest.mark.parametrize("name", names())
def test_read_only_hint(peer: dict[str, Any], name: str) -> None:
    if name in OWN:
        return
    expected = READ_ONLY[name][0] if name in READ_ONLY else peer[name]["x-readOnlyHint"]
    assert TOOLS[name].annotations.read_only == expected
    assert name not in READ_ONLY or expected != peer[name]["x-readOnlyHint"], "the exception is not needed any more"


@pytest.mark.parametrize("tool", TOOLS.values(), ids=lambda tool: tool.name)
def test_a_read_only_tool_writes_nothing(tool: ToolDefinition) -> None:
    """Read-only means no effect on page, browser or disk: no file is written, and no page is held alone."""
    if tool.annotations.read_only:
        assert all(use.mode != "write" for use in tool.verify_files.values())
        assert tool.lock != "write"
        assert not tool.annotations.destructive


@pytest.mark.parametrize("tool", TOOLS.values(), ids=lambda tool: tool.name)
def test_every_path_parameter_is_verified(tool: ToolDefinition) -> None:
    paths = {name for name in tool.params.model_fields if name.lower().endswith("path")}
    assert paths == set(tool.verify_files)


@pytest.mark.parametrize("tool", TOOLS.values(), ids=lambda tool: tool.name)
def test_tool_and_parameters_are_described(tool: ToolDefinition) -> None:
    assert 10 < len(tool.description) < 250
    for name, schema in input_schema(tool, OPTIONS)["properties"].items():
        assert 0 < len(schema.get("description", "")) < 160, name


@pytest.mark.parametrize("name", ["list_pages", "select_page", "close_page", "handle_dialog"])
def test_what_unsticks_a_page_never_waits_for_it(name: str) -> None:
    assert TOOLS[name].lock == "none"
    assert not TOOLS[name].blocked_by_dialog


def test_the_tools_list_stays_small() -> None:
    """Agents pay for it in every conversation. The peer's 32 default tools average 960 characters."""
    sizes = {
        name: len(
            json.dumps({"name": name, "description": tool.description, "inputSchema": input_schema(tool, OPTIONS)})
        )
        for name, tool in TOOLS.items()
    }
    assert sum(sizes.values()) < 780 * len(sizes), sizes
