"""What an agent does with pagelens, done here by a script: the main job, step by step.

Starts the MCP server as any client would, talks to it over stdio with the MCP SDK's own client, and prints each call
and each reply. The pages are the demo's own; nothing leaves this machine.
"""

from __future__ import annotations

import asyncio
import json
import re
import shutil
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from demo_site import DemoSite
from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp_types import CallToolResult, TextContent


class Agent:
    """Calls tools and prints what an agent would see."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self.failed: list[str] = []

    async def call(self, tool: str, **arguments: Any) -> str:
        """Call one tool, print the call and its reply, and return the reply's text."""
        given = ", ".join(f"{name}={json.dumps(value, ensure_ascii=False)}" for name, value in arguments.items())
        print(f"\n> {tool}({given})")
        started = time.perf_counter()
        result = await self._client.call_tool(tool, arguments)
        took = (time.perf_counter() - started) * 1000
        text = _text(result)
        print("\n".join("  " + line for line in text.splitlines()))
        print(f"  [{'failed, ' if result.is_error else ''}{took:.0f} ms]")
        if result.is_error:
            self.failed.append(tool)
        return text


def _text(result: CallToolResult) -> str:
    return "\n".join(block.text for block in result.content if isinstance(block, TextContent))


def uid(snapshot: str, role: str, name: str) -> str:
    """The uid of the element with this role and name, as an agent reads it from a snapshot."""
    match = re.search(rf'uid=(\w+) {role} "{re.escape(name)}', snapshot)
    if match is None:
        raise SystemExit(f"The snapshot shows no {role} {name!r}.")
    return match[1]


def heading(text: str) -> None:
    print(f"\n\n== {text} ==")


async def sign_up(agent: Agent, site: DemoSite, shots: Path) -> None:
    """Read a page, fill its form, send it, and see what happened."""
    heading("A form: read it, fill it, send it")
    await agent.call("new_page", url=site.url("signup.html"))
    page = await agent.call("take_snapshot")
    await agent.call("fill", uid=uid(page, "textbox", "Full name"), value="Ada Lovelace")
    await agent.call("fill", uid=uid(page, "textbox", "E-mail"), value="ada@example.org")
    await agent.call("fill", uid=uid(page, "combobox", "Home branch"), value="Lighthouse Road")
    await agent.call("click", uid=uid(page, "radio", "On my phone"))
    await agent.call("fill", uid=uid(page, "textbox", "What do you like to read?"), value="Engines.\nAnd poems.")
    await agent.call("fill", uid=uid(page, "checkbox", "Send me the newsletter"), value="true")
    await agent.call("click", uid=uid(page, "button", "Join"))
    await agent.call("take_snapshot")
    heading("What the pages said and loaded meanwhile")
    await agent.call("list_console_messages", includePreservedMessages=True)
    await agent.call("list_network_requests", includePreservedRequests=True)
    await agent.call("take_screenshot", filePath=str(shots / "welcome.png"))


async def reading_room(agent: Agent, site: DemoSite) -> None:
    """The same reading where a page makes it hard: an alert at load, a frame of another site, an endless image."""
    heading("A hard page: an alert at load, a frame from another site, an image that never ends")
    await agent.call("navigate_page", url=site.url("reading-room.html"))
    await agent.call("handle_dialog", action="accept")
    page = await agent.call("take_snapshot")
    await agent.call("fill", uid=uid(page, "combobox", "Seat"), value="B2")
    await agent.call("click", uid=uid(page, "button", "Book"), includeSnapshot=True)
    await agent.call("list_console_messages")
    await agent.call("list_network_requests")


async def main() -> int:
    sys.stdout.reconfigure(line_buffering=True)  # type: ignore[union-attr]  # in step with the server's log lines
    command = shutil.which("pagelens", path=str(Path(sys.executable).parent)) or "pagelens"
    shots = Path(tempfile.mkdtemp(prefix="pagelens-demo-"))
    server = StdioServerParameters(command=command, args=["--headless", "--isolated", *sys.argv[1:]])
    with DemoSite() as site:
        async with Client(stdio_client(server)) as client:
            tools = (await client.list_tools()).tools
            print(f"pagelens serves {len(tools)} tools: " + ", ".join(tool.name for tool in tools))
            agent = Agent(client)
            await sign_up(agent, site, shots)
            await reading_room(agent, site)
    heading("For your MCP client's configuration")
    print(json.dumps({"mcpServers": {"pagelens": {"command": command}}}))
    if agent.failed:
        print(f"\nFailed: {', '.join(agent.failed)}", file=sys.stderr)
    return 1 if agent.failed else 0


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
