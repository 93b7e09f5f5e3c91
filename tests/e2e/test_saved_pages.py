"""Real public pages, as they were saved: opened, read, clicked, scripted; whatever they do, the next call works."""

from __future__ import annotations

import re

import pytest

from tests.e2e.helpers import page_ids
from tests.support.client import McpClient
from tests.support.data import data_dir, data_file, needs_data, saved_pages
from tests.support.site import Site

#: In `make test` these stand for the rest: one with frames and scripts, right to left, tables, other alphabets.
SOME = ("guardian-1", "rtl-1", "keep-tabular-data", "qq")

#: What may be said of a click that was not made.
REASONS = r"cover|hidden|not visible|no size|zero|disabled|outside|moving|gone|not displayed|behind"


@needs_data
@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=() if data_dir() is None or name.removesuffix(".html") in SOME else pytest.mark.long)
        for name in saved_pages()
    ],
)
async def test_a_saved_page_is_opened_read_clicked_and_scripted(agent: McpClient, site: Site, name: str) -> None:
    url = site.folder("saved", data_file("pages", "saved")) + name
    opened = await agent.ok("navigate_page", url=url)
    assert url in opened

    source = "() => `links=${document.links.length} letters=${document.body.innerText.length}`"
    counted = re.search(r"links=(\d+) letters=(\d+)", (await agent.evaluate(source)).text)
    assert counted
    links, letters = map(int, counted.groups())
    shown = await agent.snapshot()
    lines = [line for line in shown.text.splitlines() if "uid=" in line]
    assert lines
    uids = re.findall(r"^\s*uid=(e\d+)", shown.text, re.M)
    assert len(uids) == len(set(uids))
    assert len(shown.text) > letters * 0.3
    assert any(" link " in line for line in lines) or not links

    again = await agent.snapshot()
    shared = set(uids) & set(re.findall(r"^\s*uid=(e\d+)", again.text, re.M))
    assert len(shared) > 0.8 * len(uids), "uids did not stay with their nodes"

    targets = [line.split()[0].removeprefix("uid=") for line in map(str.strip, lines) if " link " in line][:3]
    for uid in targets:
        clicked = await agent.call("click", uid=uid)
        assert not clicked.is_error or re.search(REASONS, clicked.text), clicked
        if url not in (await agent.ok("list_pages")).text:
            break
    await agent.ok("navigate_page", url=site.url("/"))
    assert "Home" in await agent.evaluate("() => document.title")
    assert await page_ids(agent)
