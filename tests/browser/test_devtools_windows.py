"""What a person has selected in a DevTools window is known."""

from __future__ import annotations

import asyncio

from pagelens.browser.host import BrowserHost
from pagelens.cdp.session import Session
from pagelens.context.mcp_context import McpContext
from pagelens.response.mcp_response import McpResponse
from tests.support.site import Site

#: Select the first request there is, as a click in the Network panel does.
SELECT_REQUEST = """(async () => {
  const UI = await import('/bundled/ui/legacy/legacy.js'), SDK = await import('/bundled/core/sdk/sdk.js');
  const Logs = await import('/bundled/models/logs/logs.js');
  const request = Logs.NetworkLog.NetworkLog.instance().requests().find(r => r.url().includes('PATH'));
  if (!request) return false;
  UI.Context.Context.instance().setFlavor(SDK.NetworkRequest.NetworkRequest, request);
  return true;
})()"""


async def open_devtools(context: McpContext, page_id: int) -> Session:
    """A DevTools window on a page, and a session with it."""
    host = context.host
    page = host.pages[page_id]
    opened = await host.root.send("Target.openDevTools", {"targetId": page.target_id, "panelId": "network"})
    attached = await host.root.send("Target.attachToTarget", {"targetId": opened["targetId"], "flatten": True})
    return host.root.connection.open_session(
        attached["sessionId"], target_id=opened["targetId"], target_type="devtools"
    )


async def test_the_request_selected_in_devtools(host: BrowserHost, site: Site) -> None:
    context = McpContext(host, host.options)
    await context.ensure_browser()
    page = await context.new_page()
    await page.navigate(site.url("/blank"))
    assert (await host.devtools.selection(page.page)).request_id is None
    devtools = await open_devtools(context, page.id)
    try:
        await page.page.reload()
        select = {
            "expression": SELECT_REQUEST.replace("PATH", "/blank"), "awaitPromise": True, "returnByValue": True
        }  # fmt: skip
        async with asyncio.timeout(20):
            while not (await devtools.send("Runtime.evaluate", select, timeout=15))["result"].get("value"):
                await page.page.reload()
        await context.ensure_browser()
        assert page.page.has_devtools
        wanted = page.network.find(lambda r: r.url == site.url("/blank"))
        assert wanted is not None
        assert (await host.devtools.selection(page.page)).request_id == wanted.request_id
        detail, listing = McpResponse(), McpResponse()
        for response in (detail, listing):
            response.for_page(page)
        detail.attach_network_request(None)
        listing.include_network_requests()
        listing.attach_devtools_data()
        reply = await detail.handle(context)
        assert f"reqid={wanted.id} GET" in reply.text
        assert not reply.is_error
        listed = await listing.handle(context)
        (line,) = [line for line in listed.text.split("\n") if "[selected in DevTools]" in line]
        assert str(wanted.id) in line
    finally:
        await host.root.send("Target.closeTarget", {"targetId": devtools.target_id})
        await page.page.close()
        context.close()
