"""Tools that pages offer, used by an agent: listed, run, served as tools of their own, gone with their page."""

from __future__ import annotations

import asyncio
import json
from typing import Any

from tests.e2e.helpers import OFFLINE
from tests.support.client import McpClient
from tests.support.site import Site
from tests.support.tool_pages import DISCOVERY, WEBMCP

FLAGS = (OFFLINE, "--categoryExperimentalThirdParty", "--webmcp-passthrough", "--structured-content")
CHANGED = "notifications/tools/list_changed"
PASSED = {"page_calculate_sum", "page_read_reviews", "page_breaks", "page_short_lived", "page_search_form"}


async def passed(agent: McpClient) -> set[str]:
    return {name for name in await agent.tools() if name.startswith("page_")}


async def changed(agent: McpClient, names: set[str]) -> None:
    """Wait until the server has told that these tools of the page are served now."""
    await agent.told(CHANGED)
    while await passed(agent) != names:
        await agent.told(CHANGED)


async def test_the_tools_of_pages(site: Site) -> None:
    async with McpClient(*FLAGS) as agent:
        assert agent.client.server_capabilities.tools.list_changed is True  # type: ignore[union-attr]
        assert await passed(agent) == set()
        loaded = await agent.ok("navigate_page", url=site.page(WEBMCP))
        assert "This page offers 5 tools: " in loaded
        await changed(agent, PASSED)

        # Listed and run.
        listed = await agent.ok("list_webmcp_tools")
        assert {f"page_{tool['name']}" for tool in listed.structured["webmcpTools"]} == PASSED
        run = await agent.ok("execute_webmcp_tool", toolName="calculate_sum", input='{"a": 1, "b": 2}')
        assert run.structured["toolResult"]["output"] == 3
        assert '"calculate_sum"' in await agent.call("execute_webmcp_tool", toolName="nothing")

        # Passed through.
        tool = (await agent.tools())["page_calculate_sum"]
        assert tool.description is not None
        assert tool.description.startswith(f"[Supplied by the page {site.origin}")
        assert tool.input_schema["required"] == ["a", "b"]
        assert (await agent.ok("page_calculate_sum", a=2, b=3)).structured["toolResult"]["output"] == 5
        refused = await agent.call("page_calculate_sum", a="2")
        assert refused.structured["errorCode"] == "invalid_input"
        waiting = await agent.ok("page_search_form", query="tea")
        uid = waiting.structured["toolResult"]["submitUid"]
        replies = [await agent.ok("click", uid=uid), await agent.ok("list_pages")]
        assert any('returned: "found tea"' in reply for reply in replies), replies
        assert (await agent.call("page_inspect_state")).is_error
        assert "Did you mean page_calculate_sum?" in await agent.call("page_calculate_sums")

        # Gone with the page, or with a script of it.
        await agent.evaluate("() => stop.abort()")
        await changed(agent, PASSED - {"page_short_lived"})
        gone = await agent.call("page_short_lived")
        assert gone.is_error
        assert "Error (tool_gone): " in gone
        await agent.ok("new_page", url=site.page(DISCOVERY))
        await changed(agent, set())
        assert "Error (tool_gone): " in await agent.call("page_calculate_sum", a=1, b=1)

        # The older discovery: groups, an element out, one in.
        groups = (await agent.ok("list_3p_developer_tools")).structured["thirdPartyDeveloperTools"]
        assert [group["name"] for group in groups] == ["Cart", "Later"]

        async def call(name: str, **params: Any) -> Any:
            reply = await agent.ok("execute_3p_developer_tool", toolName=name, params=json.dumps(params))
            return reply.structured["toolResult"]["output"]

        card = (await call("find"))["list"][0]
        assert f"uid={card['uid']} generic" in await agent.snapshot()
        assert await call("label_of", element=card) == ["Plain"]

        # Back on the first page, its tools are back.
        await agent.ok("close_page", pageId=2)
        await changed(agent, PASSED - {"page_short_lived"})
        assert (await agent.ok("page_calculate_sum", a=2, b=3)).structured["toolResult"]["output"] == 5


async def test_a_client_without_a_handshake_listens(site: Site) -> None:
    async with McpClient(*FLAGS, era="discover") as agent:
        async with agent.client.listen(tools_list_changed=True) as subscription, asyncio.timeout(60):
            await agent.ok("navigate_page", url=site.page(WEBMCP))
            async for _ in subscription:
                if await passed(agent) == PASSED:
                    break
            await agent.ok("navigate_page", url="about:blank")
            async for _ in subscription:
                if not await passed(agent):
                    break
        assert "Error (tool_gone): " in await agent.call("page_calculate_sum", a=1, b=1)
