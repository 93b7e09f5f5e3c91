"""A context without a browser: what a reply needs no page for is tested without one."""

from __future__ import annotations

import pytest

from pagelens.browser.host import BrowserHost
from pagelens.context.mcp_context import McpContext
from pagelens.core.options import Options


@pytest.fixture
async def idle_context() -> McpContext:
    """A context whose browser was never started."""
    options = Options()
    return McpContext(BrowserHost(options), options)
