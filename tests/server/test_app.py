"""The app in memory, through the SDK's own client."""

from __future__ import annotations

import asyncio
import re
from typing import Any

import pytest
from mcp.client.client import Client
from mcp.server.lowlevel import Server

import pagelens.tools
from pagelens.core.options import Options
from pagelens.server import app
from pagelens.server.app import create_server
from pagelens.server.greeting import INSTRUCTIONS
from tests.server.toys import EVENTS, ToyContext, gate, toy_tools


@pytest.fixture
def server(context: ToyContext, monkeypatch: pytest.MonkeyPatch) -> Server[Any]:
    monkeypatch.setattr(pagelens.tools, "create_tools", toy_tools)
    provide: Any = lambda: context  # noqa: E731
    return create_server(Options(), provide)


def test_the_instructions_are_short() -> None:
    # Words and marks: never fewer than tokens for plain English like this.
    assert len(re.findall(r"\w+|[^\w\s]", INSTRUCTIONS)) < 280
    for tool in ("take_snapshot", "handle_dialog", "list_pages", "select_page"):
        assert tool in INSTRUCTIONS


async def test_hints_say_only_what_differs_from_the_protocols_defaults(server: Server[Any]) -> None:
    async with Client(server) as client:
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
    looks = tools["look"].annotations
    assert looks is not None
    assert (looks.title, looks.read_only_hint, looks.destructive_hint) == ("Look", True, None)
    pokes = tools["poke"].annotations
    assert pokes is not None
    assert (pokes.read_only_hint, pokes.destructive_hint) == (None, False)


@pytest.mark.parametrize("mode", ["legacy", "auto"])
async def test_a_client_that_gives_up_stops_the_work(server: Server[Any], mode: Any) -> None:
    async with Client(server, mode=mode) as client:
        task = asyncio.create_task(client.call_tool("poke", {"name": "victim"}))
        await EVENTS.until("victim begins")
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        await EVENTS.until("victim cancelled")
        gate("next").set()
        assert not (await client.call_tool("poke", {"name": "next"})).is_error


async def test_a_sign_of_life_for_who_asked_for_progress(server: Server[Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(app, "HEARTBEAT", 0.01)
    heard: list[tuple[float, str | None]] = []

    async def progress(done: float, total: float | None, message: str | None) -> None:
        heard.append((done, message))
        if len(heard) == 3:
            gate("poke").set()

    async with Client(server, mode="legacy") as client:
        await client.call_tool("poke", {}, progress_callback=progress)
    assert [done for done, _ in heard] == sorted({done for done, _ in heard})
    assert heard[-1][1] == "poke: running"


async def test_pipelined_calls_stand_in_the_order_of_their_arrival(server: Server[Any], context: ToyContext) -> None:
    context.add(1)
    names = [f"call {number}" for number in range(12)]
    for name in names:
        gate(name).set()
    async with Client(server, mode="legacy") as client:
        await asyncio.gather(*(client.call_tool("poke", {"name": name}) for name in names))
    assert [event for event in EVENTS if event.endswith("begins")] == [f"{name} begins" for name in names]
