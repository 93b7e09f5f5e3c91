"""The fixtures that nearly every test uses."""

from __future__ import annotations

from pagelens.browser.page import Page
from tests.support.site import Site


async def test_a_page_is_fresh_and_can_be_used(page: Page, site: Site) -> None:
    assert page.url == "about:blank"
    await page.navigate(site.page("<h1>Here</h1>", title="Smoke"))
    answer = await page.session.send("Runtime.evaluate", {"expression": "document.title"})
    assert answer["result"]["value"] == "Smoke"


async def test_the_next_test_gets_another_page(page: Page) -> None:
    assert page.url == "about:blank"
    assert [other for other in page.host.pages.values() if other.url.startswith("http")] == []
