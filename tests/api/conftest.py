"""One launched browser for the library's tests, a fresh page for each."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest_asyncio

import pagelens


@pytest_asyncio.fixture(scope="package", loop_scope="session")
async def browser() -> AsyncIterator[pagelens.Browser]:
    async with pagelens.launch() as running:
        yield running


@pytest_asyncio.fixture(loop_scope="session")
async def page(browser: pagelens.Browser) -> AsyncIterator[pagelens.Page]:
    before = set(browser.pages)
    fresh = await browser.new_page()
    yield fresh
    for opened in browser.pages:
        if opened not in before:
            await opened.close()
