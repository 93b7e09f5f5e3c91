"""A client that misbehaves costs nobody else anything."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any

import pytest
import pytest_asyncio

from tests.support.client import Era, McpClient, RawClient, gone
from tests.support.site import Site


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def module_raw(era: Era) -> AsyncIterator[RawClient]:
    async with RawClient(era=era) as client:
        yield client


@pytest_asyncio.fixture(loop_scope="session")
async def raw(module_raw: RawClient, site: Site) -> AsyncIterator[RawClient]:
    """The module's server; after each test it must still do its work."""
    yield module_raw
    assert not (await module_raw.call("navigate_page", url=site.url("/"))).is_error
    assert 'heading "Home"' in await module_raw.call("take_snapshot")


@pytest.mark.parametrize(
    "params",
    [
        {"name": "no_such_tool", "arguments": {}},
        {"name": "", "arguments": {}},
        {"name": 7, "arguments": {}},
        {"name": "click"},
        {"name": "click", "arguments": None},
        {"name": "click", "arguments": {"uid": None}},
        {"name": "click", "arguments": {"uid": ["e1"]}},
        {"name": "click", "arguments": {"uid": {"$ref": "#"}}},
        {"name": "click", "arguments": [1, 2, 3]},
        {"name": "click", "arguments": "uid=e1"},
        {"name": "click", "arguments": {"uid": "e1", "UID": "e1", "__proto__": {}}},
        {"name": "click", "arguments": {"uid": "e999999999999999999999"}},
        {"name": "click", "arguments": {"uid": "css=["}},
        {"name": "click", "arguments": {"uid": "e1", "pageId": 10**30}},
        {"name": "click", "arguments": {"uid": "e1", "pageId": -1}},
        {"name": "click", "arguments": {"uid": "e1", "pageId": 1.5}},
        {"name": "navigate_page", "arguments": {"url": "http://127.0.0.1", "timeout": "soon"}},
        {"name": "navigate_page", "arguments": {"url": "nonsense"}},
        {"name": "navigate_page", "arguments": {"url": ""}},
        {"name": "take_screenshot", "arguments": {"filePath": "/etc/pagelens.png"}},
        {"name": "take_screenshot", "arguments": {"filePath": "\0"}},
        {"arguments": {}},
        {},
    ],
    ids=str,
)
async def test_a_wrong_call_is_an_error_and_no_more(raw: RawClient, params: dict[str, Any]) -> None:
    answer = await raw.request("tools/call", params)
    assert "error" in answer or answer["result"]["isError"] is True, answer
    said = json.dumps(answer)
    assert "Traceback" not in said
    assert "pydantic" not in said


@pytest.mark.parametrize(
    "line",
    [
        b"",
        b"nonsense",
        b"{",
        b"[]",
        b"null",
        b'{"jsonrpc":"2.0"}',
        b'{"jsonrpc":"2.0","method":"no/such/notification"}',
        b'{"jsonrpc":"2.0","id":"x","result":{}}',
        b'{"jsonrpc":"2.0","id":null,"method":"tools/list"}',
        b'{"jsonrpc":"1.0","id":5000,"method":"tools/list"}',
        b"\xff\xfe\x00",
        b'{"jsonrpc":"2.0","id":5001,"method":"tools/call","params":' + b"[" * 5000 + b"]" * 5000 + b"}",
    ],
    ids=lambda line: repr(line[:40]),
)
async def test_a_line_that_is_no_message(raw: RawClient, line: bytes) -> None:
    raw.line(line)
    assert "result" in await raw.request("tools/list", timeout=20)


async def test_huge_arguments(raw: RawClient, site: Site) -> None:
    await raw.call("navigate_page", url=site.page("<textarea aria-label=Area></textarea>"))
    text = "line of text, many of them\n" * 40_000  # a megabyte
    filled = await raw.call("fill", uid="css=textarea", value=text)
    assert not filled.is_error, filled.text[:500]
    assert len(filled.text) < 5000
    counted = await raw.call("evaluate_script", function="() => document.querySelector('textarea').value.length")
    assert str(len(text)) in counted
    wrong = await raw.call("click", {"uid": "x" * 3_000_000})
    assert wrong.is_error
    assert len(wrong.text) < 5000
    many = await raw.call("click", {f"argument{number}": number for number in range(20_000)})
    assert many.is_error
    assert len(many.text) < 20_000


async def test_a_cancelled_call_stops_its_work(raw: RawClient, site: Site) -> None:
    await raw.call("navigate_page", url=site.page("<h1>Here</h1>"))
    number, answer = raw.post(
        "tools/call", {"name": "navigate_page", "arguments": {"url": site.url("/hold/cancelled"), "timeout": 40000}}
    )
    await site.requested("/hold/cancelled")
    raw.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": number}})
    # The page's lock is free again long before the navigation's own timeout.
    shown = await raw.call("take_snapshot")
    assert not shown.is_error, shown
    assert shown.seconds < 15
    site.release("cancelled")
    answer.cancel()


async def test_cancelling_what_never_was(raw: RawClient) -> None:
    for number in (123456, "nobody", None):
        raw.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": number}})
    assert "result" in await raw.request("tools/list", timeout=20)


async def test_many_calls_at_once(raw: RawClient, site: Site) -> None:
    await raw.call("navigate_page", url=site.url("/"))
    replies = await asyncio.gather(
        *(raw.call("evaluate_script", function=f"() => 'answer ' + {number}") for number in range(60)),
        *(raw.call("list_pages") for _ in range(20)),
        *(raw.call("no_such_tool") for _ in range(20)),
    )
    assert all(f"answer {number}" in replies[number] for number in range(60))
    assert sum(reply.is_error for reply in replies) == 20


async def test_a_client_that_vanishes_mid_call_leaves_nothing_running(era: Era, site: Site) -> None:
    async with McpClient(era=era) as bystander, RawClient(era=era) as leaver:
        await bystander.ok("navigate_page", url=site.url("/"))
        await leaver.call("navigate_page", url=site.url("/"))
        leaver.post("tools/call", {"name": "evaluate_script", "arguments": {"function": "() => { while (true); }"}})
        leaver.post("tools/call", {"name": "navigate_page", "arguments": {"url": site.url("/never")}})
        processes = [leaver.server.process, *leaver.server.browsers()]
        assert leaver.process.stdin is not None
        leaver.process.stdin.close()
        assert not await gone(processes, within=15)
        assert 'heading "Home"' in await bystander.snapshot()


async def test_a_client_that_never_reads_its_roots_request_is_not_waited_for(site: Site) -> None:
    """It says it has roots, and never answers when asked for them."""
    async with RawClient(era="initialize", capabilities={"roots": {"listChanged": True}}) as client:
        reply = await client.call("navigate_page", url=site.url("/"))
        assert not reply.is_error
        assert not (await client.call("take_screenshot")).is_error
        asked = [message for message in client.others if message.get("method") == "roots/list"]
        assert len(asked) <= 1
