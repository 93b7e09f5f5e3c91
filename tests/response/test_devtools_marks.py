"""What a person has selected in DevTools is marked in the snapshot and in the list of requests."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from pagelens.browser.devtools_windows import DevToolsSelection
from pagelens.browser.host import BrowserHost
from pagelens.context.mcp_context import McpContext
from pagelens.response.mcp_response import McpResponse, RenderedResponse
from tests.support.site import Site


@pytest_asyncio.fixture(loop_scope="session")
async def context(host: BrowserHost) -> AsyncIterator[McpContext]:
    """A context with a fresh page."""
    made = McpContext(host, host.options)
    await made.ensure_browser()
    page = await made.new_page()
    yield made
    await page.page.close()
    made.close()


async def test_what_is_selected_in_devtools_is_marked(
    context: McpContext, site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = context.selected_page()
    await page.navigate(site.page("<h1>Orders</h1><p><button>One</button></p><iframe srcdoc='<button>Two</button>'>"))
    session = page.page.main_frame.session

    async def select(frame: int, element: str) -> None:
        """As a click in the Elements panel: DevTools knows the node by its backend id."""
        document = "document" if frame == 0 else "document.querySelector('iframe').contentDocument"
        expression = f"{document}.querySelector('{element}')"
        found = (await session.send("Runtime.evaluate", {"expression": expression}))["result"]["objectId"]
        node = (await session.send("DOM.describeNode", {"objectId": found}))["node"]["backendNodeId"]
        request = page.network.get_data()[0].request_id

        async def selection(asked: object) -> DevToolsSelection:
            assert asked is page.page
            return DevToolsSelection(node, request)

        monkeypatch.setattr(context.host.devtools, "selection", selection)

    async def show() -> RenderedResponse:
        response = McpResponse()
        response.for_page(page)
        response.include_snapshot()
        response.include_network_requests()
        response.attach_devtools_data()
        return await response.handle(context)

    await select(0, "button")
    reply = await show()
    (marked,) = [line for line in reply.text.splitlines() if "uid=" in line and "selected in DevTools" in line]
    assert marked.strip().endswith('button "One" [selected in DevTools]')
    assert marked in reply.structured["snapshot"]
    requests = reply.structured["networkRequests"]
    assert [request.get("selectedInDevTools") for request in requests] == [True, *[None] * (len(requests) - 1)]
    assert " 200 document [selected in DevTools]" in reply.text
    await select(1, "button")
    assert 'button "Two" [selected in DevTools]' in (await show()).text
    # A node that the snapshot does not show, and nobody asking.
    await select(0, "p")
    assert "selected in DevTools" not in (await show()).structured["snapshot"]
    response = McpResponse()
    response.for_page(page)
    response.include_network_requests()
    assert "selected in DevTools" not in (await response.handle(context)).text
