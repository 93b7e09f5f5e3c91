"""A page with both collectors on it, from before its first request."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from typing import Any

import pytest_asyncio

from pagelens.browser.host import BrowserHost
from pagelens.browser.page import Page
from pagelens.collectors.console_collector import ConsoleCollector
from pagelens.collectors.ids import IdCounter
from pagelens.collectors.network_collector import NetworkCollector
from pagelens.collectors.network_request import NetworkRequest
from pagelens.collectors.worker_consoles import WorkerConsoles


class Recorder:
    """Collectors for every page that is opened while it is connected, with one counter a kind as in a session."""

    def __init__(self, host: BrowserHost) -> None:
        self.host = host
        self.reqids = IdCounter()
        self.msgids = IdCounter()
        self.networks: dict[int, NetworkCollector] = {}
        self.consoles: dict[int, ConsoleCollector] = {}
        self.workers = WorkerConsoles(host.workers, self.msgids)
        self.page: Page
        self._disconnect = host.page_created.connect(self._created)

    def _created(self, page: Page) -> None:
        self.networks[page.id] = NetworkCollector(page, self.reqids)
        self.consoles[page.id] = ConsoleCollector(page, self.msgids, self.workers)

    def disconnect(self) -> None:
        self._disconnect()
        self.workers.close()

    async def open(self) -> Page:
        self.page = await self.host.new_page()
        return self.page

    @property
    def network(self) -> NetworkCollector:
        return self.networks[self.page.id]

    @property
    def console(self) -> ConsoleCollector:
        return self.consoles[self.page.id]

    async def run(self, script: str) -> Any:
        """Evaluate in the page, promises awaited."""
        reply = self.page.session.post(
            "Runtime.evaluate",
            {"expression": script, "awaitPromise": True, "returnByValue": True, "userGesture": True},
        )
        result = await self.page.guarded(reply)
        assert "exceptionDetails" not in result, result
        return result["result"].get("value")

    async def until(self, condition: Callable[[], Any], timeout: float = 10) -> Any:
        """Wait until `condition` gives something true, and return it."""
        try:
            async with asyncio.timeout(timeout):
                # What is waited for is the state of the record, which no single event announces.
                while not (found := condition()):  # noqa: ASYNC110
                    await asyncio.sleep(0.01)
        except TimeoutError:
            said = self.network.get_data(True), self.console.get_data(True)
            raise AssertionError(f"did not happen; recorded: {said}") from None
        return found

    def data(self, preserved: bool = False) -> list[NetworkRequest]:
        """What is recorded, oldest first, but for the icon that Chrome asks for whenever it likes."""
        return [r for r in self.network.get_data(preserved) if not r.url.endswith("/favicon.ico")]

    def requests(self, path: str, preserved: bool = False) -> list[NetworkRequest]:
        """The recorded requests whose path ends so, oldest first."""
        return [r for r in self.network.get_data(preserved) if r.url.split("?")[0].split("#")[0].endswith(path)]

    def request(self, path: str, preserved: bool = False) -> NetworkRequest:
        """The one recorded request whose path ends so."""
        found = self.requests(path, preserved)
        assert len(found) == 1, found
        return found[0]

    async def ended(self, path: str, preserved: bool = False) -> NetworkRequest:
        """The one request of this path, once it has ended."""
        return await self.until(
            lambda: next((r for r in self.requests(path, preserved) if r.state in ("finished", "failed")), None)
        )


@pytest_asyncio.fixture(loop_scope="session")
async def recorder(host: BrowserHost) -> AsyncIterator[Recorder]:
    """A fresh page at about:blank under record; all pages opened meanwhile are closed afterwards."""
    before = set(host.pages)
    recorder = Recorder(host)
    await recorder.open()
    yield recorder
    recorder.disconnect()
    for number, page in list(host.pages.items()):
        if number not in before and page.closed is None:
            await page.close()
