"""A trace as a page for people: of a file, of the last recording, and what can't be."""

from __future__ import annotations

from pathlib import Path

from tests.analysis.trace.made import MadeTrace
from tests.support.site import Site
from tests.tools.conftest import Agent


async def test_of_a_file(agent: Agent, tmp_path: Path) -> None:
    source, target = tmp_path / "trace.json", tmp_path / "report.html"
    source.write_bytes(MadeTrace(charset="text/html").text())
    text = await agent.ok("save_html_report", filePath=str(target), traceFilePath=str(source))
    assert f"Report written to {target}" in text
    page = target.read_text("utf-8")
    # Insights are told as performance_analyze_insight tells them.
    assert '"name":"CharacterSet"' in page
    assert "Content-Type" in page


async def test_of_the_last_recording(agent: Agent, site: Site, tmp_path: Path) -> None:
    await agent.fails("save_html_report", "record_not_found", filePath=str(tmp_path / "a.html"))
    await agent.call("navigate_page", url=site.page("<h1>Hello</h1>"))
    await agent.call("performance_start_trace", reload=False, autoStop=False, screenshots=True)
    await agent.call("performance_stop_trace")
    assert "open it in a browser" in await agent.ok("save_html_report", filePath=str(tmp_path / "a.html"))


async def test_what_can_not_be(agent: Agent, tmp_path: Path) -> None:
    empty = tmp_path / "empty.json"
    empty.touch()
    given = {"filePath": str(tmp_path / "a.html"), "traceFilePath": str(empty)}
    await agent.fails("save_html_report", "bad_trace", **given)
    assert not (tmp_path / "a.html").exists()
