"""Recording traces: what is in them, and that the next one can always begin."""

from __future__ import annotations

import asyncio
import gc
import json
import os
import signal
from weakref import ref

import pytest

from pagelens.analysis.trace import Trace
from pagelens.browser import tracing
from pagelens.browser.host import BrowserHost
from pagelens.browser.page import Page
from pagelens.browser.quiet import until_quiet
from pagelens.browser.tracing import TraceRecorder, recorder_of
from pagelens.core.options import Options
from pagelens.errors import ConnectionLost, PageClosed, TraceFailed
from tests.support.site import Site


async def recorded(page: Page) -> TraceRecorder:
    recorder = TraceRecorder(page)
    await recorder.start()
    return recorder


async def test_a_load_is_written_and_can_be_read(page: Page, site: Site) -> None:
    recorder = await recorded(page)
    assert recorder.is_recording
    await page.navigate(site.page("<h1>Hello</h1><img src=/pixel.png>"))
    assert await until_quiet(page, quiet=0.3)
    said: list[str] = []
    found = await recorder.stop(said.append)
    assert said[0].startswith("Chrome puts the trace together")
    assert "MB of the trace read" in said[-1]
    assert found.size == found.path.stat().st_size > 100_000
    assert not found.data_loss
    whole = json.loads(found.path.read_bytes())
    assert {"traceEvents", "metadata"} <= whole.keys()  # what DevTools and Perfetto look for
    load = Trace.load(found.path).navigations[-1]
    assert load.url == page.url
    assert load.fcp_ms
    assert [request.url for request in load.requests][1] == site.url("/pixel.png")
    path, leaving = found.path, ref(recorder)
    found.remove()
    assert not path.exists()
    del found, recorder
    await asyncio.sleep(0)
    gc.collect()
    assert leaving() is None


async def test_one_at_a_time_and_the_other_is_named(page: Page, host: BrowserHost) -> None:
    recorder = await recorded(page)
    other = await host.new_page()
    with pytest.raises(TraceFailed, match=rf"page {page.id} is being recorded.*pageId {page.id}"):
        await TraceRecorder(other).start()
    recorder.discard()
    assert not recorder.is_recording
    second = await recorded(other)  # waits for the end of the first
    assert (await second.stop()).size
    with pytest.raises(TraceFailed, match="given up"):
        await recorder.stop()


async def test_a_page_that_closes_takes_its_recording_along(page: Page, host: BrowserHost) -> None:
    recorder = await recorded(page)
    other = await host.new_page()
    await page.close()
    with pytest.raises((TraceFailed, PageClosed)):
        await recorder.stop()
    assert recorder_of(host) is None
    assert (await (await recorded(other)).stop()).size


async def test_a_crashed_page_has_a_trace(page: Page) -> None:
    recorder = await recorded(page)
    crashed = asyncio.Event()
    page.crashed.connect(lambda _: crashed.set())
    page.session.post("Page.crash")
    await asyncio.wait_for(crashed.wait(), 10)
    found = await recorder.stop()
    assert Trace.load(found.path).event_count


async def test_a_start_that_is_given_up_is_in_nobodys_way(page: Page, host: BrowserHost) -> None:
    starting = asyncio.create_task(TraceRecorder(page).start())
    await asyncio.sleep(0)
    assert recorder_of(host) is not None
    starting.cancel()
    await asyncio.wait([starting])
    assert (await (await recorded(page)).stop()).size


async def test_who_gives_up_waiting_can_come_back(page: Page, host: BrowserHost) -> None:
    recorder = await recorded(page)
    stopping = asyncio.create_task(recorder.stop())
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    stopping.cancel()
    await asyncio.wait([stopping])
    assert recorder_of(host) is recorder
    assert (await recorder.stop()).size
    assert recorder_of(host) is None


async def test_chrome_that_gives_nothing_is_waited_for_so_long(page: Page, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(TraceRecorder, "_completed", lambda *_: None)  # as if Chrome never said it
    monkeypatch.setattr(tracing, "CONVERTING", 0.2)
    recorder = await recorded(page)
    with pytest.raises(TraceFailed, match="did not put the trace together"):
        await recorder.stop()


async def test_somebody_else_records(page: Page, host: BrowserHost) -> None:
    ended = asyncio.Event()
    host.root.on("Tracing.tracingComplete", lambda _: ended.set())
    await host.root.send("Tracing.start", {"transferMode": "ReturnAsStream"})
    with pytest.raises(TraceFailed, match="for somebody else"):
        await TraceRecorder(page).start()
    await host.root.send("Tracing.end")
    await asyncio.wait_for(ended.wait(), 10)


async def test_what_chrome_has_no_room_for_is_missed(page: Page, site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tracing, "BUFFER_KB", 300)
    recorder = await recorded(page)
    await page.navigate(
        site.page(
            """<p>Text</p><script>for (let n = 0; n < 4000; n++) {
            document.body.style.width = n % 2 ? '300px' : '400px'; document.body.offsetWidth; }</script>"""
        )
    )
    found = await recorder.stop()
    assert found.data_loss


@pytest.mark.long
async def test_the_browser_dies(browser_options: Options) -> None:
    host = BrowserHost(browser_options)
    await host.ensure_running()
    recorder = await recorded(await host.new_page())
    os.kill(host._browser.pid, signal.SIGKILL)  # type: ignore[union-attr]
    with pytest.raises((TraceFailed, PageClosed, ConnectionLost)):
        await recorder.stop()
    await host.ensure_running()
    assert (await (await recorded(await host.new_page())).stop()).size
    await host.close()


# -- quiet ---------------------------------------------------------------------------------------------


async def test_requests_and_long_tasks_and_shifts_are_waited_for(page: Page, site: Site) -> None:
    await page.navigate(
        site.page(
            """<p>Text</p><script>
            addEventListener('load', async () => {
              await new Promise((resolve) => setTimeout(resolve, 150));
              await fetch('/json?ms=500');
              setTimeout(() => {
                const end = performance.now() + 120; while (performance.now() < end); window.done = 1;
              }, 150);
            });</script>"""
        )
    )
    assert await until_quiet(page, quiet=0.4)
    assert (await page.session.send("Runtime.evaluate", {"expression": "window.done"}))["result"]["value"] == 1


async def test_a_page_that_is_never_quiet_is_left_in_the_end(page: Page, site: Site) -> None:
    await page.navigate(site.page("<img src=/pixel.png><script>fetch('/never')</script>"))
    assert not await until_quiet(page, quiet=0.1, most=0.4)
    await page.navigate(
        site.page(
            "<script>setInterval(() => { const end = performance.now() + 80; "
            "while (performance.now() < end); }, 90)</script>"
        )
    )
    assert not await until_quiet(page, quiet=0.5, most=1.0)


async def test_a_page_that_closes_is_not_waited_for(page: Page, site: Site) -> None:
    await page.navigate(site.page("<script>fetch('/never')</script>"))
    waiting = asyncio.create_task(until_quiet(page, most=20))
    await asyncio.sleep(0.05)
    await page.close()
    with pytest.raises(PageClosed):
        await asyncio.wait_for(waiting, 5)
