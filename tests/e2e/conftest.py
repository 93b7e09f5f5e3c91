"""The server as an agent meets it: a process of its own, driven over stdio, in both protocol eras."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from tests.e2e.helpers import OFFLINE, page_ids
from tests.support.client import ERAS, Era, McpClient


@pytest.fixture(scope="module", params=ERAS)
def era(request: pytest.FixtureRequest) -> Era:
    """How the client gets to know the server; the second way with ``--long``, but where it matters most."""
    return request.param


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def module_agent(era: Era) -> AsyncIterator[McpClient]:
    """One server for a module: starting one costs two seconds."""
    async with McpClient(OFFLINE, era=era) as client:
        yield client


@pytest_asyncio.fixture(loop_scope="session")
async def agent(module_agent: McpClient) -> AsyncIterator[McpClient]:
    """The module's server with one blank page. What a test did to its pages, the next one does not see.

    The clean-up is a test of its own: a page can always be listed and closed, whatever state it is in.
    """
    yield module_agent
    for number in await page_ids(module_agent):
        await module_agent.ok("close_page", pageId=number)
