"""--slim: three tools, lines only; errors and open dialogs are always said."""

from __future__ import annotations

import os
import re

import pytest
from PIL import Image

from tests.e2e.helpers import OFFLINE
from tests.support.client import ERAS, Era, McpClient
from tests.support.site import Site


async def failing(agent: McpClient, tool: str, **arguments: str) -> str:
    reply = await agent.call(tool, arguments)
    assert reply.is_error, reply
    return reply.text


@pytest.mark.parametrize("era", ERAS)
async def test_the_instructions_name_what_there_is(era: Era) -> None:
    async with McpClient(OFFLINE, "--slim", era=era) as agent:
        instructions = agent.client.instructions or ""
        assert all(tool in instructions for tool in await agent.tools())
        assert "take_snapshot" not in instructions


async def test_three_tools(site: Site) -> None:
    async with McpClient(OFFLINE, "--slim") as agent:
        tools = await agent.tools()
        assert sorted(tools) == ["evaluate", "navigate", "screenshot"]
        assert [sorted(tools[name].input_schema["properties"]) for name in sorted(tools)] == [["script"], ["url"], []]

        url = site.page("<h1>Shop</h1><body style='background:#0f0'>", title="Shop")
        assert (await agent.ok("navigate", url=url)).text.splitlines()[-1] == f"Navigated to {url} (200)."
        assert (await agent.ok("evaluate", script="document.title")).text == 'Result: "Shop"'
        assert (await agent.ok("evaluate", script="async () => 1 + 1")).text == "Result: 2"
        assert (await agent.ok("evaluate", script="(() => 5)()")).text == "Result: 5"
        assert (await agent.ok("evaluate", script="const n = 1; n + 2")).text == "Result: 3"

        shot = (await agent.ok("screenshot")).text
        path = re.findall(r"written to (\S+\.png)", shot)[0]
        assert Image.open(path).convert("RGB").getpixel((600, 600)) == (0, 255, 0)
        os.unlink(path)
        assert "\n" not in shot

        assert "does not compile" in await failing(agent, "evaluate", script="1 +")
        assert "net::ERR" in await failing(agent, "navigate", url="http://127.0.0.1:1/")
        await agent.ok("navigate", url=url)
        assert 'held by an open dialog: alert "Wait"' in await agent.ok("evaluate", script="alert('Wait')")
        refused = await failing(agent, "screenshot")
        assert 'alert "Wait"' in refused
        assert "handle_dialog" not in refused
        assert 'Dismissed a dialog: alert "Wait".' in await agent.ok("navigate", url=url)
        assert (await agent.ok("evaluate", script="1")).text == "Result: 1"
