"""What a page is loading, across the sessions that tell of it."""

from __future__ import annotations

import asyncio

from pagelens.browser.page import Page
from tests.support.site import Site


async def test_requests_that_end_in_another_session_are_not_loading_for_ever(page: Page, site: Site) -> None:
    # Both are asked for in the page's session and answered in that of the frame's process, or the worker's.
    script = site.text("postMessage(1)", name="w.js", content_type="text/javascript")
    frame = site.page("<p>in another process", other=True)
    await page.navigate(
        site.page(f"<iframe src='{frame}'></iframe><script>globalThis.w = new Worker('{script}')</script>")
    )
    assert await page.loads.wait(
        lambda: not [r for r in page.loads.in_flight.values() if r.url in (frame, script)], timeout=10
    ), page.loads.in_flight


async def test_a_worker_that_ends_takes_its_requests_along(page: Page, site: Site) -> None:
    script = site.text("fetch('/never?of-worker').catch(() => 0)", name="w2.js", content_type="text/javascript")
    await page.navigate(site.page(f"<script>globalThis.w = new Worker('{script}')</script>"))

    def hanging() -> bool:
        return any(r.url.endswith("?of-worker") for r in page.loads.in_flight.values())

    async with asyncio.timeout(10):
        assert await page.loads.wait(hanging, timeout=10)
        page.session.post("Runtime.evaluate", {"expression": "w.terminate()"})
        assert await page.loads.wait(lambda: not hanging(), timeout=10)
