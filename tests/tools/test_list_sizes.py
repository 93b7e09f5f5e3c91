"""The lists of the benchmark's page, whole in one reply: all can be read back, and they cost less than the peers'."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Any

import gcf
import pytest
import pytest_asyncio
import toon_format

from benchmarks.pages import html_of
from pagelens.browser.host import BrowserHost
from pagelens.context.mcp_context import McpContext
from tests.response.list_reader import read_messages, read_requests
from tests.support.site import Response, Site
from tests.tools.conftest import Agent

#: Tokens of the same lists: chrome-devtools-mcp 1.11.0 and playwright-mcp 0.0.83, both without source lines and the
#: arguments of messages (docs/data-formats.md).
PEERS = {"requests": (1_493, 1_628), "messages": (1_920, 3_819)}
ALL = {"pageSize": 100}


def tokens(text: str) -> int:
    import bpe_openai  # type: ignore[import-untyped]  # takes seconds: not while tests are collected

    return len(bpe_openai.get_encoding("o200k_base").encode_ordinary(text))


@pytest_asyncio.fixture(loop_scope="session", params=[None, "toon", "gcf"])
async def format_agent(host: BrowserHost, site: Site, request: pytest.FixtureRequest) -> AsyncIterator[Agent]:
    """An agent with a data format, on the benchmark's page."""
    site.route("/console.html", lambda _: Response(html_of("console")))
    site.route("/api/items", lambda _: Response('{"items": []}', content_type="application/json"))
    context = McpContext(host, replace(host.options, data_format=request.param))
    agent = Agent(context)
    await context.ensure_browser()
    page = await context.new_page()
    context.drain_notices()
    await agent.ok("navigate_page", url=site.url("/console.html"))
    await agent.ok("wait_for", text=["all fetched"])
    yield agent
    await page.page.close()
    context.close()


def rows(agent: Agent, text: str, key: str) -> list[dict[str, Any]]:
    """The rows of an encoded list, as the format's official decoder gives them."""
    lines = text.split("\n")
    start = next(n for n, line in enumerate(lines) if line.startswith("Showing ")) + 1
    encoded = "\n".join(lines[start:])
    decode = toon_format.decode if agent.context.options.data_format == "toon" else gcf.decode_generic
    found: dict[str, Any] = decode(encoded)
    shared = found.get(f"{key}InCommon", {})
    return [{**shared, **row, "origin": found.get("urlsFromSlashAreUnder")} for row in found[key]]


async def test_requests(format_agent: Agent, site: Site) -> None:
    reply = await format_agent.call("list_network_requests", **ALL)
    assert "Showing 1-51 of 51 (page 1 of 1)." in reply.text
    if format_agent.context.options.data_format is None:
        found = read_requests(reply.text)
    else:
        found = rows(format_agent, reply.text, "networkRequests")
        for row in found:
            row["url"] = row["origin"] + row["url"]
    json = reply.structured["networkRequests"]
    assert [(r["reqid"], r["method"], r["url"], r["status"], r["type"]) for r in found] == [
        (r["requestId"], r["method"], r["url"], r["status"], r["resourceType"]) for r in json
    ]
    addresses = {site.url("/console.html"), *(f"{site.origin}/api/items?ms=0&i={n}" for n in range(50))}
    assert {row["url"] for row in found} == addresses
    assert {row["status"] for row in found} == {200}
    assert [row["type"] for row in found] == ["document", *["fetch"] * 50]
    assert tokens(reply.text) < min(PEERS["requests"])


async def test_messages(format_agent: Agent) -> None:
    reply = await format_agent.call("list_console_messages", **ALL)
    assert "Showing 1-100 of 100 (page 1 of 1)." in reply.text
    plain = format_agent.context.options.data_format is None
    found = read_messages(reply.text) if plain else rows(format_agent, reply.text, "consoleMessages")
    json = reply.structured["consoleMessages"]
    assert [row["msgid"] for row in found] == [message["id"] for message in json]
    assert [row["text"] for row in found] == [f"message number {n} {{a: {n}, b: Array(3)}}" for n in range(100)]
    assert [row["type"] for row in found] == ["log", "info", "warn", "error"] * 25
    assert [row["source"] for row in found] == [f"console.html:{m['line']}:{m['column']}" for m in json]
    # With what the peers leave out, TOON and GCF are smaller than the larger of theirs only: they quote every text.
    assert tokens(reply.text) < (min if plain else max)(PEERS["messages"])
