"""Leaks as an agent looks for them: by the single tools, and by the one that does all."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from tests.e2e.helpers import OFFLINE
from tests.support.client import McpClient
from tests.support.leaks import LEAKY, LeakApp
from tests.support.site import Site


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def agent() -> AsyncIterator[McpClient]:
    async with McpClient(OFFLINE, "--memory-debugging", "--structured-content") as client:
        yield client


#: In the short form one app stands for all: their snapshots take a while to read.
APPS = [LEAKY[0], *(pytest.param(app, marks=pytest.mark.long) for app in LEAKY[1:])]


@pytest.mark.parametrize("app", APPS, ids=lambda app: app.name)
async def test_single_tools_lead_to_each_cause(agent: McpClient, site: Site, tmp_path: Path, app: LeakApp) -> None:
    await agent.ok("navigate_page", url=app.serve(site))
    files = {name: str(tmp_path / f"{name}.heapsnapshot") for name in ("before", "after")}
    await agent.evaluate("() => { act(); act(); }")
    await agent.ok("take_heapsnapshot", filePath=files["before"])
    await agent.evaluate("() => { for (let i = 0; i < 7; i++) act(); }")
    await agent.ok("take_heapsnapshot", filePath=files["after"])

    compared = {"baseFilePath": files["before"], "currentFilePath": files["after"]}
    reply = await agent.ok("compare_heapsnapshots", **compared, pageSize=60)
    grown = [row for row in reply.structured["heapClassDiffs"] if row["countDelta"] >= 7]
    told = []
    for row in grown:
        if row["name"].startswith(("(", "system / ", "blink::")):
            continue  # the engine's own
        objects = await agent.ok("compare_heapsnapshots", **compared, classIndex=row["classIndex"], pageSize=1)
        node = objects.structured["heapObjectDiffs"][0]["nodeId"]
        details = await agent.ok("get_heapsnapshot_object_details", filePath=files["after"], nodeId=node)
        paths = await agent.ok("get_heapsnapshot_retaining_paths", filePath=files["after"], nodeId=node, maxDepth=12)
        told.append(details.text + paths.text)
    for _, words in app.causes:
        wanted = [re.sub("^an? ", "", word.split(" of ")[0]).strip("`") for word in words if ":" not in word]
        assert any(all(_said(word, text) for word in wanted) for text in told), (wanted, told)
    for file in files.values():
        await agent.ok("close_heapsnapshot", filePath=file)


def _said(word: str, text: str) -> bool:
    """Whether a text names this holder: as we do, or as V8 does."""
    known = {"event listener": "EventListener", "timer": "DOMTimer"}
    return word in text or known.get(word, word) in text


async def test_one_call_finds_what_leaks(agent: McpClient, site: Site) -> None:
    await agent.ok("navigate_page", url=LEAKY[0].serve(site))
    reply = await agent.ok("find_memory_leaks", function="() => act()", repeats=2)
    assert (
        "4 detached <ol> (with 80 detached <li>), held by `cache` (Array) in closure `createGallery` at app.js:2"
        in reply
    )


async def test_files_outside_are_not_read(agent: McpClient) -> None:
    reply = await agent.call("get_heapsnapshot_summary", filePath="/etc/hostname")
    assert reply.is_error
    assert reply.structured["errorCode"] == "path_not_allowed"
