"""Declaring costs nothing, in whatever order it is done; only what was ordered is computed."""

from __future__ import annotations

import inspect
import itertools
import random
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
import pytest_asyncio

from pagelens.browser.effect import Effect
from pagelens.browser.host import BrowserHost
from pagelens.browser.navigation import NavigationResult
from pagelens.cdp.connection import Connection
from pagelens.context.mcp_context import McpContext
from pagelens.errors import ElementCovered
from pagelens.response.mcp_response import McpResponse
from pagelens.response.order import Order
from pagelens.response.sections import SECTIONS
from tests.support.site import Site

Declaration = Callable[[McpResponse], None]

#: By the key of the section that shows it, in the order of presenting.
DECLARATIONS: dict[str, Declaration] = {
    "message": lambda r: r.append_line("a line"),
    "result": lambda r: r.attach_result("42", note="a note"),
    "image": lambda r: r.attach_image(b"picture", "image/png", "A picture"),
    "navigation": lambda r: r.attach_navigation(NavigationResult("loaded", "https://a.example/", 200)),
    "effect": lambda r: r.attach_effect(Effect(navigated_to="https://b.example/")),
    "list of pages": lambda r: r.include_pages(),
    "list of workers": lambda r: r.include_workers(),
    "snapshot": lambda r: r.include_snapshot(),
    "request": lambda r: r.attach_network_request(1),
    "console message": lambda r: r.attach_console_message(1),
    "list of requests": lambda r: r.include_network_requests(),
    "list of messages": lambda r: r.include_websocket_messages(),
    "list of console messages": lambda r: r.include_console_data(),
    "error": lambda r: r.set_error(ElementCovered("Covered.", "Move it.")),
}


@pytest_asyncio.fixture(loop_scope="session")
async def context(host: BrowserHost, site: Site) -> AsyncIterator[McpContext]:
    """A context whose page has made requests and has said something."""
    made = McpContext(host, host.options)
    await made.ensure_browser()
    page = await made.new_page()
    await page.navigate(site.page("<h1>Lists</h1>"))
    await page.evaluate(
        "async () => { for (let i = 0; i < 5; i++) await (await fetch('/json?n=' + i)).json(); console.log('done') }"
    )
    made.drain_notices()
    yield made
    if page.page.closed is None:
        await page.page.close()
    made.close()


async def present(context: McpContext, declarations: list[Declaration]) -> tuple[Any, ...]:
    response = McpResponse()
    response.for_page(context.selected_page())
    for declare in declarations:
        declare(response)
    reply = await response.handle(context)
    return reply.text, tuple(reply.images), str(reply.structured), reply.is_error


async def test_the_order_of_declaring_never_changes_what_is_presented(context: McpContext) -> None:
    response = McpResponse()
    response.include_snapshot()
    response.for_page(context.selected_page())
    await response.handle(context)  # uids are given out
    shuffler = random.Random(7)
    for _ in range(12):
        chosen = shuffler.sample(list(DECLARATIONS.values()), shuffler.randint(2, len(DECLARATIONS)))
        expected = await present(context, [each for each in DECLARATIONS.values() if each in chosen])
        assert await present(context, chosen) == expected
        assert await present(context, chosen[::-1]) == expected


@contextmanager
def computed(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """The keys of the sections that compute something."""
    seen: list[str] = []

    def watched(section: Any) -> Any:
        compute = section.compute

        async def noted(self: Any, order: Order, context: McpContext) -> None:
            seen.append(section.key)
            await compute(self, order, context)

        return noted

    with monkeypatch.context() as patch:
        for section in SECTIONS:
            patch.setattr(section, "compute", watched(section))
        yield seen


async def test_only_what_was_ordered_is_computed(context: McpContext, monkeypatch: pytest.MonkeyPatch) -> None:
    # What these show is shown whether or not anybody asks.
    unasked = {section.key for section in SECTIONS if section().wanted(Order(page=context.selected_page()))}
    assert {"notices", "open dialog"} <= unasked
    assert not unasked & set(DECLARATIONS)
    for keys in [(), *((key,) for key in DECLARATIONS), *itertools.combinations(list(DECLARATIONS)[5:10], 2)]:
        with computed(monkeypatch) as seen:
            await present(context, [DECLARATIONS[key] for key in keys])
        assert set(seen) - unasked == set(keys)
        order = [section.key for section in SECTIONS]
        assert seen == sorted(seen, key=order.index)


async def test_declaring_sends_nothing_and_a_list_asks_chrome_nothing(
    context: McpContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    sent: list[str] = []
    checked = Connection.inspector
    assert checked is not None

    def watch(method: str, params: dict[str, Any]) -> None:
        sent.append(method)
        checked(method, params)

    monkeypatch.setattr(Connection, "inspector", staticmethod(watch))
    response = McpResponse()
    response.for_page(context.selected_page())
    for declare in DECLARATIONS.values():
        declare(response)
    assert sent == []
    for key in ("list of requests", "list of messages", "list of console messages"):
        await present(context, [DECLARATIONS[key], lambda r: r.attach_devtools_data()])
        assert sent == [], key
    # A detail does ask.
    fetched = context.selected_page().network.find(lambda request: request.resource_type == "fetch")
    assert fetched is not None
    reply = await present(context, [lambda r: r.attach_network_request(fetched.id)])
    assert "Network.getResponseBody" in sent, reply


def test_false_withdraws_whatever_can_be_declared_without_more() -> None:
    intents = [
        name
        for name, method in inspect.getmembers(McpResponse, inspect.isfunction)
        if "on" in inspect.signature(method).parameters
    ]
    assert {name for name in dir(McpResponse) if name.startswith("include_")} <= set(intents)
    assert "attach_devtools_data" in intents
    for name in intents:
        response = McpResponse()
        getattr(response, name)()
        assert response.order != Order(), name
        getattr(response, name)(False)
        assert response.order == Order(), name
