"""A session of 200 mixed calls on a fresh server; thousands of events; the start. What each costs the server."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Sequence
from typing import Any

from benchmarks.client import FAILURES, Client
from benchmarks.contenders import ServerContender
from benchmarks.pages import FLOOD_LINES, FLOOD_REQUESTS
from benchmarks.results import EventCost, Results, SessionCost
from benchmarks.servers import ServerSpec

__all__ = ["CALLS", "run_floods", "run_sessions", "time_starts"]

ROUNDS = 10
CALLS = 200

MakeContender = Callable[[ServerSpec], ServerContender]


async def time_starts(
    specs: Sequence[ServerSpec], make: Callable[[ServerSpec], Client], site: str, results: Results, *, rounds: int
) -> None:
    """Time each server from its spawn to the answer of ``initialize``, of ``tools/list``, and to its first page."""
    names = ("spawn to initialize", "spawn to tools/list", "spawn to first page")
    for name in names:
        results.times[name] = {spec.name: [] for spec in specs}
    for number in range(-1, rounds):
        for spec in specs if number % 2 else specs[::-1]:
            try:
                times = await _start(make(spec), spec, site)
            except FAILURES as error:
                results.failures.append(f"start: {spec.name}: {error}")
                times = (None, None, None)
            if number >= 0:
                for name, seconds in zip(names, times, strict=True):
                    results.times[name][spec.name].append(seconds)


async def _start(client: Client, spec: ServerSpec, site: str) -> tuple[float | None, ...]:
    started = time.perf_counter()
    try:
        await client.start()
        await client.request("tools/list")
        listed = time.perf_counter() - started
        tool, arguments = spec.tools["navigate"]
        await client.call(tool, {**arguments, "url": f"{site}/tiny.html"})
        return client.initialized_after, listed, time.perf_counter() - started
    finally:
        await client.close()


async def run_sessions(
    specs: Sequence[ServerSpec], make: MakeContender, site: str, results: Results, *, sessions: int
) -> None:
    """Run the session `sessions` times on each server, in turns.

    Where one of the servers has no tool for a form as a whole, all of them fill one field instead; likewise they
    evaluate instead of waiting for a text.
    """
    missing = {kind for spec in specs for kind in await _missing(make(spec))}
    for number in range(sessions):
        for spec in specs if number % 2 == 0 else specs[::-1]:
            who = make(spec)
            try:
                cost = await _session(who, site, missing)
            except FAILURES as error:
                results.failures.append(f"session: {spec.name}: {error}")
                continue
            finally:
                await who.close()
            results.sessions.setdefault(spec.name, []).append(cost)
            print(
                f"  {spec.name:22s} {cost.calls} calls in {cost.seconds:.1f} s, CPU {cost.cpu:.2f} s,"
                f" memory {cost.memory / 1e6:.0f} MB",
                flush=True,
            )


async def _missing(who: ServerContender) -> list[str]:
    await who.start()
    missing = [kind for kind in ("fill_form", "wait_for") if not who.can(kind)]
    await who.close()
    return missing


async def _session(who: ServerContender, site: str, missing: set[str]) -> SessionCost:
    await who.start()
    at_start = who.client.usage()
    await who.do("navigate", url=f"{site}/tiny.html")
    before = who.client.usage()
    started = time.perf_counter()
    calls, highest = 0, 0

    async def do(kind: str, **values: Any) -> None:
        nonlocal calls, highest
        await (who.look() if kind == "snapshot" else who.do(kind, **values))
        calls += 1
        highest = max(highest, who.client.usage().server_memory)

    for number in range(ROUNDS):
        await do("navigate", url=f"{site}/form.html")
        await do("snapshot")
        for field in range(1, 5):
            await do("fill", ref=who.find("textbox", f"Text field {field}"), value=f"v{number}{field}")
        labels = [f"Text field {field}" for field in range(5, 10)]
        if "fill_form" not in missing:
            fields = [
                {"ref": who.find("textbox", label), "name": label, "role": "textbox", "value": f"w {label}"}
                for label in labels
            ]
            await do("fill_form", fields=fields)
        else:
            await do("fill", ref=who.find("textbox", labels[0]), value=f"w{number}")
        await do("click", ref=who.find("button", "Do nothing"))
        await do("evaluate", expr="1+1")
        await do("screenshot")
        await do("network")
        await do("console")
        await do("navigate", url=f"{site}/shop.html")
        await do("snapshot")
        await do("click", ref=who.find("button", "Go"))
        await do("screenshot")
        await do("navigate", url=f"{site}/spa.html")
        await do("snapshot")
        await do("click", ref=who.find("button", "Add 50"))
        if "wait_for" not in missing:
            await do("wait_for", text="Item 120")
        else:
            await do("evaluate", expr="document.title")
    after, seconds = who.client.usage(), time.perf_counter() - started
    return SessionCost(
        calls=calls,
        seconds=seconds,
        start_cpu=before.server_cpu,
        cpu=after.server_cpu - before.server_cpu,
        browser_cpu=after.browser_cpu - before.browser_cpu,
        memory_at_start=at_start.server_memory,
        memory=after.server_memory,
        highest_memory=highest,
    )


async def run_floods(
    specs: Sequence[ServerSpec], make: MakeContender, site: str, results: Results, *, rounds: int
) -> None:
    """Let a page make its thousands of requests and console lines, and see what that costs each server."""
    for number in range(rounds):
        for spec in specs if number % 2 == 0 else specs[::-1]:
            who = make(spec)
            await who.start()
            await who.do("navigate", url=f"{site}/flood.html")
            before = who.client.usage()
            await who.do("evaluate", expr="document.getElementById('go').click()")
            try:
                async with asyncio.timeout(300):
                    while "flooded" not in who.last_text:
                        await asyncio.sleep(2)
                        await who.do("evaluate", expr="document.title")
            except FAILURES as error:
                results.failures.append(f"flood: {spec.name}: {error}")
                continue
            finally:
                after = who.client.usage()
                await who.close()
            cost = EventCost(FLOOD_REQUESTS + FLOOD_LINES, after.server_cpu - before.server_cpu, after.server_memory)
            results.events.setdefault(spec.name, []).append(cost)
            print(f"  {spec.name:22s} CPU {cost.cpu:.2f} s, memory {cost.memory / 1e6:.0f} MB", flush=True)
