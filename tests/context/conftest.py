"""A browser of one's own: these tests close its last page and kill it."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest_asyncio

from pagelens.browser.host import BrowserHost
from pagelens.context.mcp_context import McpContext
from pagelens.core.options import Options


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def own_host(browser_options: Options) -> AsyncIterator[BrowserHost]:
    """Not started: the context under test does that."""
    host = BrowserHost(browser_options)
    yield host
    await host.close()


@pytest_asyncio.fixture(loop_scope="session")
async def context(own_host: BrowserHost) -> AsyncIterator[McpContext]:
    """A context with a running browser, one blank page, and nothing left to say."""
    made = McpContext(own_host, own_host.options)
    await made.ensure_browser()
    kept = (await made.new_page()).id
    for page in made.pages():
        if page.id != kept:
            await made.close_page(page.id)
    made.drain_notices()
    yield made
    made.close()
