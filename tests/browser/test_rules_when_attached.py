"""Rules in a browser that somebody else has started: what breaks them there is not touched, and not loaded."""

from __future__ import annotations

from pagelens.browser.host import BrowserHost
from pagelens.core.options import Options
from tests.support.running_chrome import Holder, RunningChrome
from tests.support.site import Response, Site


async def test_tabs_that_break_a_rule_are_not_attached_to_until_they_show_something_else() -> None:
    with Site() as site:
        secret = site.page("<h1>secret</h1>", other=True)
        async with RunningChrome() as chrome, Holder(chrome) as user:
            await user.open(secret)
            await user.open(site.url("/blank"))
            await site.requested("/blank")
            host = BrowserHost(Options(browser_url=chrome.url, blocked_url_patterns=("*://localhost:*/*",)))
            try:
                await host.ensure_running()
                addresses = [page.url for page in host.pages.values()]
                assert site.url("/blank") in addresses
                assert secret not in addresses
            finally:
                await host.close()


async def test_rules_hold_in_pages_in_use_with_their_frames_workers_and_service_workers() -> None:
    with Site() as site:
        reach = f"fetch('{site.other_origin}/x-sw', {{mode: 'no-cors'}}).catch(() => 0)"
        site.route(
            "/sw.js",
            lambda _: Response(
                f"oninstall = e => {{ skipWaiting(); e.waitUntil({reach}.then(() => fetch('/done/sw'))) }}",
                content_type="text/javascript",
            ),
        )
        async with RunningChrome("--disable-popup-blocking") as chrome:
            host = BrowserHost(Options(browser_url=chrome.url, blocked_url_patterns=("*://localhost:*/*",)))
            try:
                await host.ensure_running()
                page = await host.new_page()
                await page.navigate(
                    site.page(
                        f"<img src={site.other_origin}/x-image><iframe src={site.other_origin}/x-frame></iframe>"
                        f"<script>navigator.serviceWorker.register('/sw.js'); open('{site.other_origin}/x-popup');"
                        f"new Worker(URL.createObjectURL(new Blob([`fetch('{site.other_origin}/x-worker')`])))</script>"
                    )
                )
                await site.requested("/done/sw", timeout=20)
                assert not [r.path for r in site.requests if r.headers["host"].startswith("localhost")]
            finally:
                await host.close()
