"""WebMCP: what `execute` of the library costs beside the bare protocol call, in turn, in a Chrome each.

A call of a tool that returns at once is what weighs most: its schema is checked, its events are told, its deadline and
its cancelling are watched. The bare call is one message out and the answer's event in, blocking, over Chrome's pipe.

``python -m benchmarks.webmcp BROWSER`` measures it alone, and ends with 1 when the target is missed.
"""

from __future__ import annotations

import asyncio
import os
import sys
import time
from dataclasses import dataclass, field
from typing import Any

from benchmarks.bare import _Pipe
from benchmarks.results import median, paired_ratio
from benchmarks.site import running_site
from pagelens.api import launch

__all__ = ["TARGET", "WebMCPCost", "measure_webmcp"]

#: `execute` may take so many times as long as the bare call.
TARGET = 3.0
#: Calls in a row in each turn.
_CALLS = 50
_REGISTER = """document.modelContext.registerTool({
  name: 'add', description: 'Adds two numbers',
  inputSchema: {type: 'object', properties: {a: {type: 'number'}, b: {type: 'number'}}, required: ['a', 'b']},
  execute: ({a, b}) => a + b,
})"""


@dataclass(slots=True)
class WebMCPCost:
    """Seconds of one call, turn by turn: ours and the bare one."""

    ours: list[float | None] = field(default_factory=list)
    bare: list[float | None] = field(default_factory=list)

    @property
    def ratio(self) -> float | None:
        """The median of ours to bare, pair by pair."""
        return paired_ratio(self.ours, self.bare)[0]


async def measure_webmcp(site: str, *, browser: str, no_sandbox: bool, rounds: int = 20) -> WebMCPCost:
    """Call a tool of a page of `site` in turn."""
    cost = WebMCPCost()
    bare = _BareTool(browser, site, no_sandbox=no_sandbox)
    try:
        async with launch(webmcp=True, executable_path=browser) as running:
            page = await running.new_page()
            await page.goto(site)
            await page.evaluate(f"() => {{ {_REGISTER}; }}")
            tool = await page.webmcp.wait_for_tool("add")
            for turn in range(-1, rounds):
                started = time.perf_counter()
                for number in range(_CALLS):
                    result = await tool.execute({"a": number, "b": 1})
                    assert result.output == number + 1, result
                ours = (time.perf_counter() - started) / _CALLS
                theirs = bare.time()
                if turn >= 0:  # the first one warms up
                    cost.ours.append(ours)
                    cost.bare.append(theirs)
    finally:
        bare.close()
    return cost


class _BareTool:
    """The same tool, by hand."""

    def __init__(self, browser: str, site: str, *, no_sandbox: bool) -> None:
        pipe = self._pipe = _Pipe(browser, no_sandbox=no_sandbox, switches=["--enable-features=WebMCP"])
        targets = pipe.wait(pipe.post("Target.getTargets"))[0]["targetInfos"]
        self._frame: str = next(target["targetId"] for target in targets if target["type"] == "page")
        attached = pipe.wait(pipe.post("Target.attachToTarget", {"targetId": self._frame, "flatten": True}))
        self._session: str = attached[0]["sessionId"]
        self._call("Page.enable")
        self._call("Page.navigate", {"url": site})
        pipe.wait_event(lambda event: event["method"] == "Page.loadEventFired")
        self._call("WebMCP.enable")
        self._call("Runtime.evaluate", {"expression": _REGISTER, "awaitPromise": True})

    def time(self) -> float:
        """Seconds of one call, of some in a row."""
        self._pipe.events.clear()
        started = time.perf_counter()
        for number in range(_CALLS):
            values = {"a": number, "b": 1}
            call = self._call("WebMCP.invokeTool", {"frameId": self._frame, "toolName": "add", "input": values})
            self._pipe.wait_event(lambda event: _answers(event, call["invocationId"]))  # noqa: B023
        return (time.perf_counter() - started) / _CALLS

    def close(self) -> None:
        self._pipe.close()

    def _call(self, method: str, params: dict[str, Any] | None = None) -> dict[str, Any]:
        return self._pipe.wait(self._pipe.post(method, params, self._session))[0]


def _answers(event: dict[str, Any], call_id: str) -> bool:
    return bool(event["method"] == "WebMCP.toolResponded" and event["params"]["invocationId"] == call_id)


async def _main(browser: str) -> int:
    no_sandbox = hasattr(os, "geteuid") and os.geteuid() == 0
    with running_site() as site:
        cost = await measure_webmcp(site + "/", browser=browser, no_sandbox=no_sandbox)
    ratio = cost.ratio
    shown = [f"{1000 * (median(times) or 0):.2f} ms" for times in (cost.ours, cost.bare)]
    print(f"execute {shown[0]}, bare call {shown[1]}, ratio {ratio:.2f} (at most {TARGET:g})")
    return 0 if ratio is not None and ratio <= TARGET else 1


if __name__ == "__main__":
    sys.exit(asyncio.run(_main(sys.argv[1])))
