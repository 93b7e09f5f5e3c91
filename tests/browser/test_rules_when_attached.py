"""Rules in a browser that somebody else has started: what breaks them there is not touched, and not loaded."""

from __future__ import annotations

from pagelens.browser.host import BrowserHost
from pagelens.core.options import Options
from tests.support.running_chrome import Holder, RunningChrome
from tests.support.site import Site


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
