"""Tools called as the server calls them, without MCP: arguments, handler, reply."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import pytest
import pytest_asyncio

from pagelens.browser.host import BrowserHost
from pagelens.browser.page import Page
from pagelens.context.mcp_context import McpContext
from pagelens.errors import PagelensError
from pagelens.response.mcp_response import McpResponse, RenderedResponse
from pagelens.tools import create_tools
from pagelens.tools.definition import PageToolRequest, ToolRequest
from tests.conftest import kept_page


class Agent:
    """Calls tools on a context of its own."""

    def __init__(self, context: McpContext) -> None:
        self.context = context
        self._tools = {tool.name: tool for tool in create_tools(context.options)}

    async def call(self, name: str, **arguments: Any) -> RenderedResponse:
        """Call a tool; its failure is in the reply."""
        tool = self._tools[name]
        params = tool.arguments(self.context.options).model_validate(arguments)
        await self.context.ensure_browser()
        response = McpResponse()
        paths = {
            parameter: (
                self.context.file_policy.check_read(given)
                if use.mode == "read"
                else self.context.file_policy.check_write(given, extension=use.extension_for(params))
            )
            for parameter, use in tool.verify_files.items()
            if (given := getattr(params, parameter)) is not None
        }
        request: ToolRequest[Any] = ToolRequest(params, paths)
        try:
            if tool.is_page_tool:
                page_id = getattr(params, "pageId", None)
                page = self.context.selected_page() if page_id is None else self.context.page(page_id)
                response.for_page(page)
                request = PageToolRequest(params, paths, page=page)
            await tool.handler(request, response, self.context)
        except PagelensError as error:
            response.set_error(error)
        return await response.handle(self.context)

    async def ok(self, name: str, **arguments: Any) -> str:
        """Call a tool that succeeds; returns its text."""
        reply = await self.call(name, **arguments)
        assert not reply.is_error, reply.text
        return reply.text

    async def fails(self, name: str, code: str, **arguments: Any) -> str:
        """Call a tool that fails with this code; returns its text."""
        reply = await self.call(name, **arguments)
        assert reply.is_error, reply.text
        assert reply.structured["errorCode"] == code, reply.text
        return reply.text

    async def fails_in_place(self, name: str, **arguments: Any) -> str:
        """Call a tool whose reply says, where what it should show would be, that it can't; returns its text."""
        reply = await self.call(name, **arguments)
        assert reply.is_error, reply.text
        assert reply.structured["failedSections"], reply.text
        return reply.text


@pytest_asyncio.fixture(loop_scope="session")
async def agent(host: BrowserHost, request: pytest.FixtureRequest, _kept_page: list[Page]) -> AsyncIterator[Agent]:
    """An agent with a fresh page of its own, which is selected; pages opened meanwhile are closed afterwards.

    Where a module says ``REUSES_PAGE``, the page is that of the test before, as in the engine's tests: the agent is new
    to it, and knows nothing of what it said and requested.
    """
    reuses = getattr(request.module, "REUSES_PAGE", False)
    page = await kept_page(_kept_page, reuses)
    context = McpContext(host, host.options)
    if page is not None:
        context.select(page.id)
    await context.ensure_browser()
    before = set(host.pages)
    if page is None:
        page = (await context.new_page()).page
    context.drain_notices()
    yield Agent(context)
    context.close()
    if reuses and page.closed is None:
        _kept_page.append(page)
    for number, opened in list(host.pages.items()):
        if (number not in before or opened is page) and opened.closed is None and opened not in _kept_page:
            await opened.close()
