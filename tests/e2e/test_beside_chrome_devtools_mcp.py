"""The same pages beside chrome-devtools-mcp: what it lists of their tools we list, what they return it and we return.

Needs Node and the peer's package, which `make bench` installs; skipped without.
"""

from __future__ import annotations

import json
import os
import re
import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import platformdirs
import pytest
from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client

from benchmarks.servers import CHROME_DEVTOOLS_MCP, servers
from pagelens.browser.find import find_browser
from pagelens.core.options import Options
from tests.e2e.helpers import OFFLINE
from tests.support.client import McpClient
from tests.support.site import Site
from tests.support.tool_pages import DISCOVERY, WEBMCP

PEERS = platformdirs.user_cache_path("pagelens-benchmarks")
pytestmark = [
    pytest.mark.long,
    pytest.mark.skipif(
        shutil.which("node") is None or not (PEERS / "node_modules" / CHROME_DEVTOOLS_MCP).exists(),
        reason="chrome-devtools-mcp is not installed (make bench does that)",
    ),
]

#: Tools of the two pages with what they are called with; "BUTTON" becomes the uid of the page's button.
DISCOVERED: list[tuple[str, dict[str, Any]]] = [
    ("add", {"item": "tea", "count": 2}),
    ("add", {"item": "tea"}),
    ("label_of", {"element": {"uid": "BUTTON"}}),
    ("find", {}),
    ("odd", {}),
]
OFFERED: list[tuple[str, dict[str, Any]]] = [
    ("calculate_sum", {"a": 1, "b": 2}),
    ("read_reviews", {}),
    ("short_lived", {}),
    ("breaks", {}),
]


@asynccontextmanager
async def peer(browser: str, output: Path) -> AsyncIterator[Client]:
    """chrome-devtools-mcp with its categories on."""
    specs = {spec.name: spec for spec in servers(browser, PEERS, output, no_sandbox=os.geteuid() == 0)}
    command, *arguments = specs[CHROME_DEVTOOLS_MCP].command
    flags = [
        "--categoryExperimentalThirdParty",
        "--categoryExperimentalWebmcp",
        "--experimentalStructuredContent",
        "--chromeArg=--enable-features=WebMCP",
        "--no-usage-statistics",
    ]
    async with Client(stdio_client(StdioServerParameters(command=command, args=[*arguments, *flags]))) as client:
        yield client


class Peer:
    """Its answers in our shape."""

    def __init__(self, client: Client) -> None:
        self._client = client

    async def call(self, name: str, **arguments: Any) -> tuple[str, dict[str, Any]]:
        reply = await self._client.call_tool(name, {"pageId": 1, **arguments})
        return getattr(reply.content[0], "text", ""), reply.structured_content or {}


def named(tools: list[dict[str, Any]]) -> dict[str, Any]:
    """Schema and words of each tool by its name; what means nothing is the same as nothing."""
    return {tool["name"]: (tool["description"], _shown(tool.get("inputSchema") or {})) for tool in tools}


def _shown(schema: Any) -> Any:
    # The peer leaves its mark for elements in schemas that it has rewritten.
    if isinstance(schema, dict):
        return {key: _shown(value) for key, value in schema.items() if key != "x-mcp-type"}
    return [_shown(value) for value in schema] if isinstance(schema, list) else schema


def comparable(output: Any) -> Any:
    """An output in which uids, and words for what JSON lacks, are no difference: each has its own."""
    if isinstance(output, dict):
        if output.keys() == {"uid"}:
            return "an element"
        return {key: comparable(value) for key, value in output.items()}
    if isinstance(output, list):
        return [comparable(value) for value in output]
    return "words" if isinstance(output, str) and output.startswith("<") else output


async def test_the_same_tools_and_results(site: Site, tmp_path: Path) -> None:
    browser = str(find_browser(Options()).path)
    flags = (OFFLINE, "--category-third-party", "--category-webmcp", "--structured-content")
    async with peer(browser, tmp_path) as client, McpClient(*flags) as ours:
        theirs = Peer(client)
        url = site.page(DISCOVERY)
        await theirs.call("navigate_page", type="url", url=url)
        await ours.ok("navigate_page", url=url)
        listed = (await theirs.call("list_3p_developer_tools"))[1]["thirdPartyDeveloperTools"]
        mine = (await ours.ok("list_3p_developer_tools")).structured["thirdPartyDeveloperTools"]
        groups = {group["name"]: group for group in mine}
        assert listed
        for group in listed:
            assert groups[group["name"]]["description"] == group["description"]
            assert named(groups[group["name"]]["tools"]) == named(group["tools"])

        buttons = [
            re.search(r"uid=(\S+) button", text)[1]  # type: ignore[index]
            for text in ((await theirs.call("take_snapshot"))[0], (await ours.snapshot()).text)
        ]
        for name, params in DISCOVERED:
            texts = [json.dumps(params).replace("BUTTON", button) for button in buttons]
            expected = json.loads(
                (await theirs.call("execute_3p_developer_tool", toolName=name, params=texts[0]))[1]["message"]
            )
            reply = await ours.ok("execute_3p_developer_tool", toolName=name, params=texts[1])
            got = reply.structured["toolResult"]["output"]
            if name == "find":  # the peer numbers an element that is in no document; we say that it is in none
                assert "not in the document" in got.pop("loose")
                expected.pop("loose")
            if name == "odd":  # of NaN the peer makes null
                assert (got.pop("nan"), expected.pop("nan")) == ("<NaN>", None)
            assert comparable(got) == comparable(expected), name

        url = site.page(WEBMCP)
        await theirs.call("navigate_page", type="url", url=url)
        await ours.ok("navigate_page", url=url)
        listed = (await theirs.call("list_webmcp_tools"))[1]["webmcpTools"]
        mine = (await ours.ok("list_webmcp_tools")).structured["webmcpTools"]
        assert named(mine) == named(listed)
        for tool in listed:
            true = {name: True for name, value in tool.get("annotations", {}).items() if value}
            assert next(each for each in mine if each["name"] == tool["name"]).get("annotations", {}) == true
        developer = (await theirs.call("list_3p_developer_tools"))[1]["thirdPartyDeveloperTools"]
        assert [tool["name"] for group in developer for tool in group["tools"]] == ["inspect_state"]
        mine = (await ours.ok("list_3p_developer_tools")).structured["thirdPartyDeveloperTools"]
        assert [tool["name"] for group in mine for tool in group["tools"]] == ["inspect_state"]
        for name, given in OFFERED:
            arguments = {"toolName": name, "input": json.dumps(given)}
            expected = json.loads((await theirs.call("execute_webmcp_tool", **arguments))[1]["message"])
            result = (await ours.call("execute_webmcp_tool", **arguments)).structured["toolResult"]
            assert result["status"] == expected["status"], name
            assert result.get("output") == expected.get("output"), name
            if "error" in expected:
                assert result["error"].split("\n")[0].startswith(expected["error"].split("\n")[0]), name
        said = (await theirs.call("execute_3p_developer_tool", toolName="inspect_state"))[1]["message"]
        state = (await ours.ok("execute_3p_developer_tool", toolName="inspect_state")).structured["toolResult"]
        assert state["output"] == json.loads(said)
