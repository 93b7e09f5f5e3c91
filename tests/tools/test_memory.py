"""The memory tools: a snapshot taken and asked about, and what leaks found."""

from __future__ import annotations

import asyncio
import re
import sys
from pathlib import Path

import pytest
import pytest_asyncio

from pagelens.analysis.heap import HeapSnapshot
from pagelens.core.options import Options
from pagelens.errors import InvalidInput
from pagelens.server.handler import ToolHandler
from pagelens.server.locks import Locks
from pagelens.tools import create_tools
from tests.support.leaks import CLEAN, LEAKY, LeakApp
from tests.support.site import Site
from tests.tools.conftest import Agent

CHAT = LEAKY[2]


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def snapshots(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Two snapshots of one page, taken by the first test that wants them."""
    folder = tmp_path_factory.mktemp("heap")
    return {"before": folder / "before.heapsnapshot", "after": folder / "after.heapsnapshot"}


async def taken(agent: Agent, site: Site, snapshots: dict[str, Path]) -> tuple[str, str]:
    before, after = snapshots["before"], snapshots["after"]
    if not after.exists():
        await agent.ok("navigate_page", url=CHAT.serve(site))
        await agent.ok("evaluate_script", function="() => act()")
        text = await agent.ok("take_heapsnapshot", filePath=str(before.with_suffix("")))
        assert re.search(rf"written to {re.escape(str(before))} \([\d,]+ bytes\)", text)
        await agent.ok("evaluate_script", function="() => { act(); act(); }")
        await agent.ok("take_heapsnapshot", filePath=str(after))
    return str(before), str(after)


async def test_every_question(agent: Agent, site: Site, snapshots: dict[str, Path]) -> None:
    before, file = await taken(agent, site, snapshots)
    snapshot = HeapSnapshot.load(file)

    reply = await agent.call("get_heapsnapshot_summary", filePath=file)
    assert not reply.is_error, reply.text
    assert reply.structured["heapSnapshot"]["total"] == snapshot.statistics().total
    assert reply.structured["heapSnapshot"]["nodes"] == snapshot.node_count
    assert agent.context.heap.paths == [Path(file)]

    reply = await agent.call("get_heapsnapshot_details", filePath=file, pageSize=5)
    assert "Next: pageIdx 1." in reply.text
    top = snapshot.classes()[:5]
    assert [row["id"] for row in reply.structured["heapClasses"]] == [row.id for row in top]
    messages = next(row for row in snapshot.classes() if row.name == "Message")

    reply = await agent.call("get_heapsnapshot_class_nodes", filePath=file, id=messages.id, pageSize=50)
    nodes = reply.structured["heapNodes"]
    assert len(nodes) == messages.count == 15
    assert {node["name"] for node in nodes} == {"Message"}
    node = nodes[0]["nodeId"]

    text = await agent.ok("get_heapsnapshot_object_details", filePath=file, nodeId=node)
    assert "held by `messages` (Map) of Store, `store` of window" in text
    reply = await agent.call("get_heapsnapshot_retainers", filePath=file, nodeId=node)
    assert [row["type"] for row in reply.structured["heapRetainers"]] == ["array"]
    text = await agent.ok("get_heapsnapshot_retaining_paths", filePath=file, nodeId=node, maxDepth=8)
    assert re.search(r"messages \(property\) of @\d+ Store", text)
    assert "cut by maxDepth" in await agent.ok(
        "get_heapsnapshot_retaining_paths", filePath=file, nodeId=node, maxDepth=2
    )
    text = await agent.ok("get_heapsnapshot_dominators", filePath=file, nodeId=node)
    assert text.index("Message") < text.index("Store")

    reply = await agent.call("get_heapsnapshot_edges", filePath=file, nodeId=node, sortBy="name")
    names = [row["edge"] for row in reply.structured["heapEdges"]]
    assert names.index("text") < names.index("words") < names.index("__proto__")
    reply = await agent.call("get_heapsnapshot_edges", filePath=file, nodeId=node, retainedSize="100KB")
    assert "No references." in reply.text

    reply = await agent.call("get_heapsnapshot_duplicate_strings", filePath=file, pageSize=500)
    assert "words" in {row["value"] for row in reply.structured["heapDuplicateStrings"]}
    reply = await agent.call("query_heapsnapshot_objects", filePath=file, className="^Mess.*e$", propertyName="wor+ds")
    assert reply.structured["pagination"]["endIndex"] == 15
    reply = await agent.call("query_heapsnapshot_objects", filePath=file, className="^Message$", retainedSize="1GB")
    assert "No object." in reply.text

    reply = await agent.call("compare_heapsnapshots", baseFilePath=before, currentFilePath=file, pageSize=100)
    row = next(row for row in reply.structured["heapClassDiffs"] if row["name"] == "Message")
    assert (row["addedCount"], row["removedCount"]) == (10, 0)
    reply = await agent.call(
        "compare_heapsnapshots", baseFilePath=before, currentFilePath=file, classIndex=row["classIndex"]
    )
    assert {row["change"] for row in reply.structured["heapObjectDiffs"]} == {"added"}

    reply = await agent.call("analyze_heapsnapshot_contexts", filePath=file)
    scope = next(row for row in reply.structured["heapScopes"] if row["script"].endswith("app.js"))
    assert scope["variables"] == "Store"
    text = await agent.ok("analyze_heapsnapshot_contexts", filePath=file, scopeInfoNodeId=scope["scopeInfoNodeId"])
    assert "Store" in text

    assert "Closed." in await agent.ok("close_heapsnapshot", filePath=file)
    assert "It was not loaded." in await agent.ok("close_heapsnapshot", filePath=file)
    assert agent.context.heap.paths == [Path(before)]


async def test_questions_that_can_not_be_answered(
    agent: Agent, site: Site, snapshots: dict[str, Path], tmp_path: Path
) -> None:
    file, _ = await taken(agent, site, snapshots)
    await agent.fails_in_place("get_heapsnapshot_object_details", filePath=file, nodeId=999_999_999)
    await agent.fails_in_place("get_heapsnapshot_class_nodes", filePath=file, id=99_999)
    await agent.fails_in_place("compare_heapsnapshots", baseFilePath=file, currentFilePath=file, classIndex=5)
    text = await agent.fails_in_place("query_heapsnapshot_objects", filePath=file, className="(")
    assert "no regular expression" in text
    await agent.fails("query_heapsnapshot_objects", "invalid_input", filePath=file, selfSize="big")
    bad = tmp_path / "bad.heapsnapshot"
    bad.write_text("[]")
    await agent.fails("get_heapsnapshot_summary", "bad_snapshot", filePath=str(bad))


@pytest.mark.parametrize("app", LEAKY, ids=lambda app: app.name)
async def test_planted_leaks_are_found_with_their_causes(agent: Agent, site: Site, app: LeakApp) -> None:
    await agent.ok("navigate_page", url=app.serve(site))
    reply = await agent.call("find_memory_leaks", function="() => act()", repeats=3)
    assert not reply.is_error, reply.text
    leaks = reply.structured["memoryLeaks"]
    assert len(leaks) == len(app.causes), reply.text  # and nothing else: none of V8's, none of ours
    for what, words in app.causes:
        found = [
            leak
            for leak in leaks
            if all(word in " ".join((leak["what"], leak.get("with", ""), leak["heldBy"])) for word in (what, *words))
        ]
        assert len(found) == 1, reply.text
        assert found[0]["first"] == found[0]["second"]
    sizes = [leak["retainedSize"] for leak in leaks]
    assert sizes == sorted(sizes, reverse=True)


@pytest.mark.parametrize("app", CLEAN, ids=lambda app: app.name)
async def test_nothing_is_found_where_nothing_leaks(agent: Agent, site: Site, app: LeakApp) -> None:
    await agent.ok("navigate_page", url=app.serve(site))
    reply = await agent.call("find_memory_leaks", function="() => act()", repeats=3)
    assert not reply.is_error, reply.text
    assert reply.structured["memoryLeaks"] == [], reply.text
    assert "Nothing that the page made grew each time." in reply.text
    if app.name == "Bounded":
        assert "old console messages were let go of: they are text now" in reply.text


async def test_steps_as_the_action(agent: Agent, site: Site) -> None:
    await agent.ok(
        "navigate_page", url=site.page("<script>kept = []</script><button onclick='kept.push({big: [1]})'>Go")
    )
    step = {"tool": "click", "arguments": {"uid": "css=button"}}
    text = await agent.ok("find_memory_leaks", steps=[step], repeats=2)
    assert "- 4 {big} (with 4 Array), held by `kept` (Array) of window" in text
    await agent.fails("find_memory_leaks", "invalid_input", steps=[step], function="() => 1")
    await agent.fails("find_memory_leaks", "invalid_input", steps=[{"tool": "list_pages"}])


async def test_an_action_that_fails_says_so(agent: Agent, site: Site) -> None:
    await agent.ok("navigate_page", url=site.page("<p>Nothing"))
    text = await agent.fails("find_memory_leaks", "script_failed", function="() => missing()", repeats=1)
    assert "missing is not defined" in text


async def test_a_file_is_read_without_a_browser_and_a_cut_off_call_keeps_nothing(agent: Agent, tmp_path: Path) -> None:
    options = Options(categories={"memory": True})
    tool = next(tool for tool in create_tools(options) if tool.name == "get_heapsnapshot_summary")
    assert not tool.needs_browser
    handler = ToolHandler(tool, lambda: agent.context, options, Locks())
    path = tmp_path / "none.heapsnapshot"
    path.write_text('{"snapshot": ')
    messages: list[str] = []

    async def progress(done: float, total: float | None = None, message: str | None = None) -> None:
        messages.append(message or "")

    call = handler.arrive({"filePath": str(path)})
    reply = await call.run(progress)
    assert reply.is_error
    assert "bad_snapshot" in reply.structured["errorCode"]
    task = asyncio.create_task(handler.arrive({"filePath": str(path)}).run(progress))
    await asyncio.sleep(0)
    task.cancel()
    await asyncio.wait([task])
    assert agent.context.heap.paths == []


def test_numpy_waits_until_it_is_needed() -> None:
    code = "import sys, pagelens.tools.memory, pagelens.analysis.heap; assert not {'numpy', 'numba'} & set(sys.modules)"
    import subprocess

    subprocess.run([sys.executable, "-c", code], check=True)


def test_sizes() -> None:
    from pagelens.analysis.heap.sizes import size_range

    assert size_range(None) == (None, None)
    assert size_range("10KB") == size_range("10kb-") == (10_240, None)
    assert size_range("-1MB") == (None, 2**20)
    assert size_range(" 1 - 1.5kB ") == (1, 1536)
    for wrong in ("", "-", "big", "2MB-1MB", "1TB", "1 2", "1--2"):
        with pytest.raises(InvalidInput):
            size_range(wrong)
