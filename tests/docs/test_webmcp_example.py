"""The example of docs/webmcp.md runs, against the page that is beside it, and the guide leaves nothing out."""

from __future__ import annotations

import ast
import asyncio
import re
import sys
from pathlib import Path

import pagelens
from pagelens.api.webmcp import WEBMCP_EVENTS
from tests.support.site import Site

DOC = (Path(__file__).parents[2] / "docs/webmcp.md").read_text("utf-8")
PYTHON = re.findall(r"^```python\n(.*?)^```", DOC, re.DOTALL | re.MULTILINE)
HTML = re.findall(r"^```html\n(.*?)^```", DOC, re.DOTALL | re.MULTILINE)
ADDRESS = "https://shop.example/"


async def test_the_example(site: Site) -> None:
    source, _ = PYTHON
    assert ADDRESS in source
    site.page("<h1>Found</h1>", path="/found")
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-c",
        source.replace(ADDRESS, site.page(HTML[0])),
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    out, err = await asyncio.wait_for(process.communicate(), 60)
    assert process.returncode == 0, err.decode()
    lines = out.decode().splitlines()
    assert {line.partition(" - ")[0] for line in lines[:2]} == {"calculate_sum", "search"}
    assert lines[2:4] == ["called: calculate_sum {'a': 1, 'b': 2}", "Completed {'sum': 3}"]
    assert 'a: must be number, but is string ("one"); "b" is missing.' in lines[4]
    assert lines[5] == "called: search {'query': 'lamp'}"
    assert lines[6].startswith("Completed ")
    assert lines[6].endswith("/found?query=lamp")
    assert lines[7:] == ["[]"]


def test_nothing_is_left_out() -> None:
    ast.parse(PYTHON[1])
    events = DOC[DOC.index("## Events") :]
    assert tuple(re.findall(r"^\| `(\w+)` \| ", events, re.MULTILINE)) == WEBMCP_EVENTS
    words = set(re.findall(r"\w+", DOC))
    for cls in (
        pagelens.WebMCP,
        pagelens.WebMCPTool,
        pagelens.WebMCPToolCall,
        pagelens.WebMCPToolCallResult,
        pagelens.WebMCPToolsEvent,
        pagelens.WebMCPAnnotations,
        pagelens.WebMCPLocation,
        pagelens.WebMCPException,
    ):
        for name in vars(cls):
            assert name.startswith("_") or name == "of" or name in words, f"{cls.__name__}.{name}"
