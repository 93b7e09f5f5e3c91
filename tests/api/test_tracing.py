"""Performance recorded from Python."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from pagelens import Page
from pagelens.browser.tracing import recorder_of
from pagelens.errors import FileFailed, InvalidInput, TraceFailed
from tests.support.site import Site

BUSY = """<button onclick="const end = performance.now() + 90; while (performance.now() < end);">Go</button>
<script>setTimeout(() => { const end = performance.now() + 70; while (performance.now() < end); }, 100)</script>"""


async def test_a_load(page: Page, site: Site, tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="blank"):
        await page.record_trace()
    await page.goto(site.url("/redirect", to=site.page(BUSY)))
    site.forget()
    trace = await page.record_trace(path=tmp_path / "load.json.gz")
    assert site.seen("/redirect")
    (load,) = trace.navigations
    assert load.url == page.url
    assert load.fcp_ms
    assert max(task.dur for task in load.long_tasks) > 69_000
    assert load.insights["DocumentLatency"].state == "fail"
    assert "traceEvents" in json.loads(gzip.decompress((tmp_path / "load.json.gz").read_bytes()))


async def test_what_pagelens_does_itself_is_named_so(page: Page, site: Site) -> None:
    await page.goto(site.page(BUSY + "<p>text</p>" * 3000))
    async with page.trace() as recording:
        await page.click("text=Go")
        await page.snapshot()
    (load,) = recording.trace.navigations
    scripts = {script.url for script in load.scripts()}
    assert {"pagelens", page.url} <= scripts
    assert max(function.total_ms for function in load.functions() if function.url == page.url) > 80


async def test_what_a_body_does(page: Page, site: Site, tmp_path: Path) -> None:
    await page.goto(site.page(BUSY))
    async with page.trace() as recording:
        with pytest.raises(RuntimeError, match="not ended"):
            recording.trace  # noqa: B018
        with pytest.raises(TraceFailed, match="already"):
            await page.record_trace()
        await page.click("text=Go")
    assert recording.seconds > 0.09
    assert not recording.data_loss
    assert max(one.dur for one in recording.trace.interactions) > 80_000

    # A body that raises leaves nothing behind.
    with pytest.raises(ZeroDivisionError):
        async with page.trace():
            raise ZeroDivisionError
    async with page.trace():
        pass
    with pytest.raises(FileFailed):
        async with page.trace(path=tmp_path / "nowhere" / "t.json"):
            pass
    assert recorder_of(page._engine.host) is None
