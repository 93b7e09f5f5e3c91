"""Performance traces: our engine and chrome-devtools-mcp's, each in processes of its own, in turn on the same file.

The file is a recording of a busy page, once after another until it is large: every load with times, requests,
navigations and profiles of its own, as if the page had been loaded so often.
"""

from __future__ import annotations

import asyncio
import re
import shutil
import sys
from collections.abc import Callable
from pathlib import Path

from benchmarks.engines import node_binary, said_by
from benchmarks.results import Results, TraceCost
from benchmarks.servers import CHROME_DEVTOOLS_MCP, OURS
from benchmarks.site import running_site
from pagelens.browser.host import BrowserHost
from pagelens.browser.tracing import TraceRecorder
from pagelens.core.options import Options

__all__ = ["LARGE", "measure_traces", "multiply"]

LARGE = "more than 100 MB"
_LEAST = 110_000_000
_MODULES = Path("node_modules", "chrome-devtools-mcp", "build", "src")
#: Seconds that the page is recorded for, its load included.
_RECORDED = 6.0

_CLICKS = 4

_LOAD = re.compile(rb'"navigationId":"([0-9A-F]{32})"')
_TIME = re.compile(rb'"ts":(\d+)')


async def measure_traces(
    results: Results, *, browser: str, cache: Path, folder: Path, no_sandbox: bool, rounds: int
) -> None:
    """Make the trace, then let both analyse it in turn."""
    recorded = await _record(browser, folder, no_sandbox=no_sandbox)
    large = folder / "large-trace.json"
    multiply(recorded, large, -(-_LEAST // recorded.stat().st_size))
    modules = (cache / _MODULES).as_uri() + "/"
    ours = [sys.executable, "-m", "benchmarks.traces_ours"]
    theirs = [node_binary(), str(Path(__file__).with_name("traces_peer.mjs")), modules]
    for number in range(rounds):
        turn = [(OURS, ours), (CHROME_DEVTOOLS_MCP, theirs)]
        found = {}
        for contender, command in turn if number % 2 == 0 else reversed(turn):
            try:
                cost, found[contender] = await _run([*command, str(large)])
            except (OSError, ValueError, TimeoutError) as error:
                results.failures.append(f"trace, {contender}: {error}")
                cost = None
            results.traces.setdefault(LARGE, {}).setdefault(contender, []).append(cost)
        if len(found) == 2 and not _is_same(*found.values()):
            results.failures.append(f"trace: the metrics differ: {found}")


def multiply(source: Path, target: Path, count: int) -> int:
    """Write a trace of a page's load ``count`` times, one after the other; returns the bytes.

    Everything is as Chrome wrote it but for times and identities; what is said once of a recording stays once.
    """
    text = source.read_bytes()
    head, _, rest = text.partition(b"\n")
    body, _, tail = rest.rpartition(b'],"metadata"')
    lines = body.split(b",\n")
    times = [int(found[1]) for line in lines if (found := _TIME.search(line)) and found[1] != b"0"]
    span = max(times) - min(times) + 1_000_000
    with target.open("wb") as file:
        file.write(head + b"\n")
        for number in range(count):
            moved = _mover(text, number, number * span)
            for line in lines:
                if number and (b'"ph":"M"' in line or b'"TracingStartedInBrowser"' in line):
                    continue
                file.write(b",\n" if number or line is not lines[0] else b"")
                file.write(moved(line) if number else line)
        file.write(b'],"metadata"' + tail)
        return file.tell()


def _mover(text: bytes, number: int, by: int) -> Callable[[bytes], bytes]:
    """What gives a line of the trace the times and identities of the load with a number."""
    loads = {found[1] for found in _LOAD.finditer(text)}
    identity = re.compile(
        rb'"ts":(?P<ts>\d+)|"startTime":(?P<start>\d{6,})|"(?:request|finish)Time":(?P<seconds>\d+\.?\d*)'
        rb'|"(?:id|local|global)":"0x(?P<hex>[0-9a-f]{1,12})"|"requestId":"\d+\.(?P<request>\d+)"'
        rb'|"interactionId":(?P<small>\d+)|"sampleTraceId":(?P<sample>\d+)|"(?P<traced>\d{16})":'
        rb'|"(?P<load>' + b"|".join(sorted(loads) or [b"none"]) + b')"'
    )

    def moved(found: re.Match[bytes]) -> bytes:
        kind = found.lastgroup
        assert kind is not None
        old = found[kind]
        if kind in ("ts", "start"):
            new = b"%d" % (int(old) + by) if old != b"0" else old
        elif kind == "seconds":
            new = b"%.6f" % (float(old) + by / 1e6) if float(old) else old
        elif kind == "hex":
            new = b"%x" % (int(old, 16) + (number << 40))
        elif kind == "load":
            new = b"%04X" % number + old[4:]
        else:
            step = 10**10 if kind in ("sample", "traced") else 100_000
            new = b"%d" % (int(old) + number * step) if old != b"0" else old
        start = found.start(kind) - found.start()
        whole = found[0]
        return whole[:start] + new + whole[start + len(old) :]

    return lambda line: identity.sub(moved, line)


async def _record(browser: str, folder: Path, *, no_sandbox: bool) -> Path:
    """A recording of the busy page: its load, and clicks on it."""
    arguments = ("--no-sandbox",) if no_sandbox else ()
    host = BrowserHost(Options(executable_path=browser, headless=True, isolated=True, chrome_args=arguments))
    target = folder / "trace.json"
    try:
        await host.ensure_running()
        with running_site() as site:
            page = await host.new_page()
            recorder = TraceRecorder(page, screenshots=True, selector_stats=True)
            await recorder.start()
            await page.navigate(f"{site}/dashboard.html")
            for _ in range(_CLICKS):
                await asyncio.sleep(_RECORDED / _CLICKS)
                for type_ in ("mousePressed", "mouseReleased"):
                    await page.session.send(
                        "Input.dispatchMouseEvent",
                        {"type": type_, "x": 60, "y": 20, "button": "left", "clickCount": 1},
                    )
            recorded = await recorder.stop()
            shutil.copyfile(recorded.path, target)
    finally:
        await host.close()
    return target


async def _run(command: list[str]) -> tuple[TraceCost, list[list[float | None]]]:
    """What analysing costs, and the metrics of the loads by its account."""
    said = await said_by(command)
    return TraceCost(said["cpu"], said["memory"]), said["loads"]


def _is_same(ours: list[list[float | None]], theirs: list[list[float | None]]) -> bool:
    """Whether both found the same paints, shifts and interactions."""
    return len(ours) == len(theirs) and all(
        (a is None) == (b is None) and (a is None or b is None or abs(a - b) < 0.01)
        for one, other in zip(ours, theirs, strict=True)
        for a, b in zip(one, other, strict=True)
    )
