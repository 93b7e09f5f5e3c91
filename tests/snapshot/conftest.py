"""`show`: serve a piece of HTML, open it, and return its snapshot's lines."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

import pytest

from pagelens.browser.page import Page
from pagelens.snapshot.text_snapshot import TextSnapshot
from tests.support.site import Site

Show = Callable[..., Awaitable[str]]


@pytest.fixture
def show(page: Page, site: Site) -> Show:
    """``await show(html)``: the snapshot of that page without its header, uids numbered from 1."""

    async def shown(html: str, *, verbose: bool = False, go: bool = True) -> str:
        if go:
            await page.navigate(site.page(html))
        return plain((await TextSnapshot.take(page, verbose=verbose)).text)

    return shown


def plain(text: str) -> str:
    """A snapshot without its header, its uids numbered from 1 in order of appearance."""
    import re

    numbers: dict[str, str] = {}
    lines = text.split("\n")[1:]
    return "\n".join(
        re.sub(r"^( *)uid=e(\d+)", lambda m: f"{m[1]}e{numbers.setdefault(m[2], str(len(numbers) + 1))}", line)
        for line in lines
    )
