"""WebMCP: what `execute` of the library costs beside the bare protocol call, in turn, in a Chrome each.

A call of a tool that returns at once is what weighs most: its schema is checked, its events are told, its deadline and
its cancelling are watched. The bare call is one message out and the answer's event in, blocking, over Chrome's pipe.
"""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

from benchmarks.bare import _Pipe
from benchmarks.results import Results
from benchmarks.site import running_site
from pagelens.api import launch

__all__ = ["WEBMCP", "measure_webmcp"]

WEBMCP = "call of a page's tool"
#: Calls in a row in each turn.
_CALLS = 50
_REGISTER = """document.modelContext.registerTool({
  name: 'add', description: 'Adds two numbers',
  inputSchema: {type: 'object', properties: {a: {type: 'number'}, b: {type: 'number'}}, required: ['a', 'b']},
  execute: ({a, b}) => a + b,
})"""


async def measure_webmcp(
    results: Results, *, browser: str, cache: Path, folder: Path, no_sandbox: bool, rounds: int
) -> None:
    """Call a tool of a page in turn; the pairs are the bare call's seconds and ours."""
    with running_site() as site:
        page_url = f"{site}/tiny.html"
        bare = _BareTool(browser, page_url, no_sandbox=no_sandbox)
        try:
            async with launch(webmcp=True, executable_path=browser) as running:
                page = await running.new_page()
                await page.goto(page_url)
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
                        results.growth.setdefault(WEBMCP, []).append((theirs, ours))
        finally:
            bare.close()


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
