"""One launched browser for the library's tests, a fresh page for each."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

import pagelens


@pytest_asyncio.fixture(scope="package", loop_scope="session")
async def browser() -> AsyncIterator[pagelens.Browser]:
    async with pagelens.launch() as running:
        yield running


@pytest.fixture(scope="package")
def _kept_page() -> list[pagelens.Page]:
    return []


@pytest_asyncio.fixture(loop_scope="session")
async def page(
    browser: pagelens.Browser, request: pytest.FixtureRequest, _kept_page: list[pagelens.Page]
) -> AsyncIterator[pagelens.Page]:
    """A fresh page; in modules that say ``REUSES_PAGE = True`` a fresh document, as in the engine's tests."""
    reuses = getattr(request.module, "REUSES_PAGE", False)
    fresh = _kept_page.pop() if _kept_page else None
    if fresh is not None and (not reuses or fresh.is_closed or fresh.is_crashed):
        await fresh.close()
        fresh = None
    before = set(browser.pages)
    if fresh is None:
        fresh = await browser.new_page()
    else:
        await fresh.goto("about:blank")
    yield fresh
    if reuses:
        _kept_page.append(fresh)
    for opened in browser.pages:
        if opened not in before and opened not in _kept_page:
            await opened.close()
