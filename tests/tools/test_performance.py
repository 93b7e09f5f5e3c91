"""The performance tools: a load recorded and explained, interactions, files, and what can go wrong."""

from __future__ import annotations

import asyncio
import gzip
import json
import os
import re
from pathlib import Path
from typing import Any

import pytest

from pagelens.analysis.trace import Trace
from pagelens.browser import quiet
from pagelens.browser.tracing import recorder_of
from pagelens.server.handler import ToolHandler
from pagelens.server.locks import Locks
from pagelens.tools import create_tools
from tests.analysis.test_source_maps import encoded
from tests.support.site import Response, Site, png
from tests.tools.conftest import Agent

#: One line, of which a map says that it comes from work.ts; the last comment names the map.
SCRIPT = """function a(ms){const end=performance.now()+ms;while(performance.now()<end);}\
function reflow(){for(let n=0;n<400;n++){const line=document.createElement('p');line.textContent='line '+n;\
document.body.append(line);line.offsetHeight;}}\
addEventListener('load',()=>setTimeout(()=>{reflow();a(90);\
const banner=document.createElement('div');banner.style.height='300px';document.body.prepend(banner);},80));\
document.addEventListener('click',()=>{a(120);document.title='clicked';});
//# sourceMappingURL=work.js.map"""
MAP = json.dumps(
    {
        "version": 3,
        "sources": ["src/work.ts"],
        "names": [],
        "mappings": encoded([[(0, 0, 10, 0), (SCRIPT.index("function reflow"), 0, 20, 0)]]),
    }
)
PAGE = """<!doctype html><html lang=en><head><title>Slow</title><link rel=stylesheet href=/slow.css>
<script src=/work.js></script></head><body><h1>Hello</h1><img id=hero src=/hero.png alt=Hero width=600 height=300>
<button>Go</button></body></html>"""

#: A trace of Node's.
NODE = b"""{"traceEvents": [
{"name": "process_name", "ph": "M", "ts": 0, "pid": 1, "tid": 1, "cat": "__metadata", "args": {"name": "node"}},
{"name": "x", "ph": "X", "ts": 5, "dur": 3, "pid": 1, "tid": 1, "cat": "node"}]}"""


def serve(site: Site) -> str:
    """A page with most of what can be wrong with one; the address that leads to it."""
    picture = png(1600, 800) + os.urandom(200_000)
    site.route("/hero.png", lambda _: Response(picture, content_type="image/png", delay=0.15))
    site.route("/slow.css", lambda _: Response("h1 { color: navy }", content_type="text/css", delay=0.2))
    cached: dict[str, str | list[str]] = {"Cache-Control": "max-age=60"}
    site.route("/work.js", lambda _: Response(SCRIPT, content_type="text/javascript", headers=cached))
    site.route("/work.js.map", lambda _: Response(MAP, content_type="application/json"))
    site.page(PAGE, path="/slow.html", delay=0.65)
    return site.url("/redirect", to="/slow.html")


async def one(agent: Agent, name: str, set_id: str = "NAVIGATION_0") -> tuple[str, dict[str, Any]]:
    """An insight in words and as data."""
    reply = await agent.call("performance_analyze_insight", insightSetId=set_id, insightName=name)
    assert not reply.is_error, reply.text
    (found,) = reply.structured["traceInsights"]
    assert found["insightName"] == name
    return reply.text, found


async def rows(agent: Agent, show: str, **given: Any) -> list[dict[str, Any]]:
    reply = await agent.call("performance_query", show=show, **given)
    assert not reply.is_error, reply.text
    key = next(key for key in reply.structured if key.startswith("trace"))
    listed: list[dict[str, Any]] = reply.structured[key]
    return listed


async def test_a_load_is_explained(agent: Agent, site: Site, tmp_path: Path) -> None:
    await agent.ok("navigate_page", url=serve(site))
    site.forget()
    reply = await agent.call("performance_start_trace", filePath=str(tmp_path / "slow.json.gz"))
    assert not reply.is_error, reply.text
    text, summary = reply.text, reply.structured["traceSummary"]

    # What was done: from the address that was asked for, cold.
    assert site.seen("/redirect")
    assert f"asked for as {site.url('/redirect', to='/slow.html')}, cold cache" in text
    assert summary["cold"] is True
    assert summary["quiet"] is True
    (load,) = summary["navigations"]
    assert load["url"] == site.origin + "/slow.html"
    assert 650 < load["ttfb_ms"] <= load["fcp_ms"] <= load["lcp_ms"]
    assert load["tbt_ms"] > 30
    assert load["cls"] > 0.1
    assert load["inp_ms"] is None
    fails = {name for name, state in load["insights"].items() if state == "fail"}
    assert fails >= {"DocumentLatency", "RenderBlocking", "ForcedReflow", "CLSCulprits", "ImageDelivery", "Cache"}

    # What an agent reads: short, ordered, with names that other tools take.
    assert len(text) < 2_500
    lcp = r'^LCP [\d,]+ ms [a-z ]+ \(uid=e\d+ <img#hero> "Hero", reqid=\d+ /hero.png; ttfb \d+, loadDelay'
    assert re.search(lcp, text, re.M)
    assert re.search(r"^FCP .*; TTFB .*; TBT .*; CLS 0\.\d+ (needs improvement|poor)$", text, re.M)
    assert re.search(r"^\d\. CLSCulprits: .*moved uid=e\d+ <", text, re.M)
    assert re.search(r"ForcedReflow: scripts force layout .* reflow /src/work.ts:21:1", text)
    assert re.search(r"DocumentLatency: .*1 redirect took .*May save [\d,]+ ms of FCP and LCP", text)
    assert re.search(r"RenderBlocking: .*reqid=\d+ /slow.css \d+ ms.*May save ~", text)
    assert "Main thread" in text
    assert "performance_query" in text.splitlines()[-1]
    hero = re.search(r"uid=(e\d+) <img#hero>", text)
    assert hero is not None
    assert "uid=" + hero[1] in await agent.ok("take_snapshot")

    # The raw trace.
    raw = json.loads(gzip.decompress((tmp_path / "slow.json.gz").read_bytes()))
    assert {"traceEvents", "metadata"} <= raw.keys()
    names = {event["name"] for event in raw["traceEvents"]}
    assert {"navigationStart", "LayoutShift", "PaintImage", "ProfileChunk", "ScriptCatchup"} <= names
    assert "Screenshot" not in names
    again = await agent.call("performance_query", show="summary", traceFilePath=str(tmp_path / "slow.json.gz"))
    assert again.structured["traceSummary"]["navigations"] == [load]

    # Each insight, and all that happened.
    for name, state in load["insights"].items():
        text, found = await one(agent, name)
        assert found["state"] == state
        assert len(text.splitlines()) >= 3
        assert len(text) < 2_500
    text, found = await one(agent, "DocumentLatency")
    assert re.search(r"redirected from reqid=\d+ /redirect", text)
    text, found = await one(agent, "ImageDelivery")
    assert isinstance(found["figures"]["images"][0]["reqid"], int)
    text, found = await one(agent, "ForcedReflow")
    assert found["figures"]["places"][0]["original"]["url"] == site.origin + "/src/work.ts"
    assert (await rows(agent, "functions", pageSize=1))[0]["function"].startswith("a /src/work.ts:11:1")
    assert (await rows(agent, "activities", pageSize=3))[0]["ownMs"] > 10
    (task, *_) = await rows(agent, "longTasks")
    assert task["ms"] > 90
    assert "a /src/work.ts" in task["function"]
    listed = await rows(agent, "requests")
    assert {row["url"] for row in listed} >= {"/slow.html", "/slow.css", "/work.js", "/hero.png"}
    assert all("reqid" in row for row in listed)
    assert {row["url"] for row in listed if row.get("blocking")} == {"/slow.css", "/work.js"}
    assert re.match(r"uid=e\d+ <", (await rows(agent, "shifts"))[0]["moved"])
    assert await rows(agent, "interactions") == []
    before = await rows(agent, "requests", endMs=400)
    assert [row["url"] for row in before] == ["/slow.html"]
    assert await rows(agent, "longTasks", startMs=task["atMs"] + task["ms"] + 1) == []

    # What there is not.
    text = await agent.fails(
        "performance_analyze_insight", "record_not_found", insightSetId="NAVIGATION_7", insightName="Cache"
    )
    assert "It has NAVIGATION_0." in text
    text = await agent.fails(
        "performance_analyze_insight", "record_not_found", insightSetId="NAVIGATION_0", insightName="Caches"
    )
    assert "There are " in text
    assert "LCPBreakdown" in text
    await agent.fails("performance_query", "invalid_input", show="requests", startMs=5, endMs=1)


async def test_a_warm_cache_and_a_slow_machine(
    agent: Agent, site: Site, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(quiet, "QUIET", 0.3)
    serve(site)
    kept: dict[str, str | list[str]] = {"Cache-Control": "max-age=60"}
    site.route("/kept.js", lambda _: Response("var kept = 1;", content_type="text/javascript", headers=kept))
    site.page("<link rel=stylesheet href=/slow.css><h1>Kept</h1><script src=/kept.js></script>", path="/light.html")
    await agent.ok("navigate_page", url=site.url("/light.html"))
    await agent.ok("emulate", cpuThrottlingRate=2, networkConditions="Fast 4G")
    site.forget()
    file = tmp_path / "warm.json"
    reply = await agent.call(
        "performance_start_trace", ignoreCache=False, filePath=str(file), screenshots=True, selectorStats=True
    )
    assert "warm cache, CPU 2x slower, network Fast 4G" in reply.text
    summary = reply.structured["traceSummary"]
    assert (summary["cpuThrottlingRate"], summary["networkConditions"]) == (2, "Fast 4G")
    assert not site.seen("/kept.js")
    assert [row["cached"] for row in await rows(agent, "requests") if row["url"] == "/kept.js"] == [True]
    raw = json.loads(file.read_bytes())
    assert "Screenshot" in {event["name"] for event in raw["traceEvents"]}
    assert (raw["metadata"]["cpuThrottling"], raw["metadata"]["networkThrottling"]) == (2, "Fast 4G")
    assert len(raw["metadata"]) > 20  # Chrome's own
    _, found = await one(agent, "SlowCSSSelector")
    assert found["figures"]["recorded"] is True
    await agent.ok("emulate", cpuThrottlingRate=1, networkConditions="No throttling")
    # The cache is what it was before.
    await agent.ok("navigate_page", type="reload")
    site.forget()
    monkeypatch.setattr(quiet, "QUIET", 0.1)
    await agent.ok("performance_start_trace")
    assert site.seen("/kept.js")
    site.forget()
    await agent.ok("navigate_page", url=site.url("/light.html"))
    assert not site.seen("/kept.js")


async def test_interactions(agent: Agent, site: Site) -> None:
    serve(site)
    await agent.ok("navigate_page", url=site.url("/slow.html"))
    text = await agent.ok("performance_start_trace", reload=False, autoStop=False)
    assert "performance_stop_trace ends it" in text
    text = await agent.fails("performance_start_trace", "trace_failed")
    assert "being recorded already" in text
    await agent.ok("click", uid="css=button")
    reply = await agent.call("performance_stop_trace")
    assert not reply.is_error, reply.text
    (load,) = reply.structured["traceSummary"]["navigations"]
    assert load["inp_ms"] > 110
    assert re.search(r"^INP [\d,]+ ms .*pointer\w+ on uid=e\d+ <button> \"Go\"; inputDelay", reply.text, re.M)
    assert "a /src/work.ts:11:1" in reply.text
    (row, *_) = await rows(agent, "interactions")
    assert re.fullmatch(r'uid=e\d+ <button> "Go"', row["element"])
    assert row["processingMs"] > 100
    # In another document Chrome's numbers name other elements.
    await agent.ok("navigate_page", url=site.url("/blank"))
    (row, *_) = await rows(agent, "interactions")
    assert "element" not in row
    text = await agent.fails("performance_stop_trace", "trace_failed")
    assert "not being recorded. performance_start_trace begins." in text


async def test_what_can_not_be_recorded(agent: Agent, site: Site, tmp_path: Path) -> None:
    text = await agent.fails("performance_start_trace", "invalid_input")
    assert "is blank" in text
    await agent.fails("performance_query", "record_not_found", show="requests")
    await agent.ok("navigate_page", url=site.url("/blank"))
    # A load that fails ends the recording.
    site.page("gone", path="/gone.html")
    await agent.ok("navigate_page", url=site.origin + "/gone.html")
    site.route("/gone.html", lambda _: Response("", 204))
    await agent.call("performance_start_trace")
    assert recorder_of(agent.context.host) is None
    # So does a page that closes.
    page = await agent.context.new_page()
    await agent.ok("navigate_page", url=site.url("/blank"))
    await agent.ok("performance_start_trace", autoStop=False)
    await agent.ok("close_page", pageId=page.id)
    assert recorder_of(agent.context.host) is None
    await agent.ok("navigate_page", url=site.url("/blank"))
    await agent.ok("performance_start_trace", reload=False, autoStop=False)
    target = tmp_path / "other.txt"
    target.write_text("mine")
    reply = await agent.call("performance_stop_trace", filePath=str(tmp_path / "t.json"))
    assert not reply.is_error
    assert target.read_text() == "mine"


async def test_a_call_that_is_given_up_ends_the_recording(agent: Agent, site: Site) -> None:
    await agent.ok("navigate_page", url=site.page("<script>fetch('/never')</script>"))
    tool = next(tool for tool in create_tools(agent.context.options) if tool.name == "performance_start_trace")
    handler = ToolHandler(tool, lambda: agent.context, agent.context.options, Locks())
    said: list[str] = []
    waiting = asyncio.Event()

    async def progress(done: float, total: float | None = None, message: str | None = None) -> None:
        said.append(message or "")
        if "quiet" in said[-1]:
            waiting.set()

    call = handler.arrive({})
    running = asyncio.create_task(call.run(progress))
    await asyncio.wait_for(waiting.wait(), 20)
    assert any(text.startswith("loading http") for text in said)
    running.cancel()
    await asyncio.wait([running])
    assert running.cancelled()
    await agent.ok("performance_start_trace", reload=False, autoStop=False)
    await agent.ok("performance_stop_trace")


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        ("empty.json", b"", "empty"),
        ("cut.json", b'{"traceEvents":[\n{"name":"a","ph":"X","ts":1,"dur":1,"pid":1,"tid":1,"cat":"", "ar', "cut"),
        ("other.json", b'{"a": 1}', ""),
        ("node.json", NODE, "Node.js"),
        ("wrong.json.gz", b"no gzip", ""),
    ],
)
async def test_files_that_are_no_trace(agent: Agent, tmp_path: Path, name: str, content: bytes, says: str) -> None:
    (tmp_path / name).write_bytes(content)
    text = await agent.fails("performance_query", "bad_trace", show="summary", traceFilePath=str(tmp_path / name))
    assert says in text


async def test_a_file_that_changes_is_read_anew(agent: Agent, site: Site, tmp_path: Path) -> None:
    await agent.ok("navigate_page", url=site.url("/blank"))
    file = tmp_path / "a.json"
    for path in ("/blank", "/"):
        await agent.ok("navigate_page", url=site.url(path))
        await agent.ok("performance_start_trace", autoStop=False)
        await agent.ok("performance_stop_trace", filePath=str(file))
        assert Trace.load(file).navigations[-1].url == site.url(path)
        text = await agent.ok("performance_query", show="summary", traceFilePath=str(file))
        assert f": {site.url(path)}," in text
