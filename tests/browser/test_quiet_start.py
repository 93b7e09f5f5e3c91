"""A browser that we start asks for nothing that no page asks for."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest_asyncio

from pagelens.browser.host import BrowserHost
from pagelens.core.options import Options
from pagelens.errors import PagelensError


class Proxy:
    """Notes who is to be reached through it, and reaches nobody."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self._server: asyncio.Server | None = None

    async def start(self) -> str:
        self._server = await asyncio.start_server(self._answer, "127.0.0.1", 0)
        return f"http://127.0.0.1:{self._server.sockets[0].getsockname()[1]}"

    def stop(self) -> None:
        assert self._server is not None
        self._server.close()

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        line = (await reader.readline()).decode("latin-1")
        if line:
            self.asked.append(line.split()[1])
        while (await reader.readline()).strip():
            pass
        writer.write(b"HTTP/1.1 502 No\r\nContent-Length: 0\r\n\r\n")
        writer.close()


@pytest_asyncio.fixture(loop_scope="session")
async def proxy() -> AsyncIterator[Proxy]:
    made = Proxy()
    yield made
    made.stop()


async def test_nobody_is_asked_for_anything(proxy: Proxy) -> None:
    host = BrowserHost(Options(headless=True, isolated=True, proxy_server=await proxy.start()))
    try:
        await host.ensure_running()
        page = await host.new_page()
        try:
            await page.navigate("http://asked-for.test/")
        except PagelensError:
            pass  # the proxy refuses it, having noted it
        # What Chrome does by itself it began within a second of its start.
        await asyncio.sleep(2)
    finally:
        await host.close()
    assert "http://asked-for.test/" in proxy.asked
    assert [address for address in proxy.asked if "asked-for.test" not in address] == []
