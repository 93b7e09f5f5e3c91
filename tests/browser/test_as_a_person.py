"""What a page sees of our input is what it sees of a person's: the same events, recorded from the operating system."""

from __future__ import annotations

import json

import pytest

from pagelens.browser.evaluate import evaluate
from pagelens.browser.page import Page
from pagelens.browser.pointer import hover
from tests.support.person import EVENTS, PAGE, SCENES
from tests.support.site import Site

#: No test begins with what is in the page: they open documents of their own.
REUSES_PAGE = "as it is"

RECORDED = json.loads(EVENTS.read_text())


@pytest.mark.parametrize("name", SCENES)
async def test_the_same_events(page: Page, site: Site, name: str) -> None:
    await page.navigate(site.page(PAGE.read_text(), path="/input.html"))
    await hover(page, "css=#park")
    await evaluate(page, "() => { log = [] }")
    await SCENES[name].by_us(page)
    result = await evaluate(page, "() => log.map(JSON.parse)", max_chars=200_000)
    seen = json.loads(result.text)
    expected = RECORDED[name]
    short = [[f"{event['type']} {event['target']}" for event in events] for events in (seen, expected)]
    assert short[0] == short[1]
    assert seen == expected
