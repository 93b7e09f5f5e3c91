"""Logging in at servers and proxies, and not waiting for ever where nobody can."""

from __future__ import annotations

import asyncio
import base64
import json
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from pagelens.browser.auth import _is_proxy
from pagelens.browser.host import BrowserHost
from pagelens.browser.page import Page
from pagelens.browser.preferences import write_preferences
from pagelens.core.options import Options
from pagelens.errors import InvalidInput
from tests.support.site import Site


@asynccontextmanager
async def browser(**options: Any) -> AsyncIterator[BrowserHost]:
    host = BrowserHost(Options(headless=True, **({"isolated": True} | options)))
    await host.ensure_running()
    try:
        yield host
    finally:
        await host.close()


async def status_of_fetch(page: Any, url: str) -> Any:
    expression = f"fetch({json.dumps(url)}).then(r => r.status, e => e.message)"
    params = {"expression": expression, "awaitPromise": True, "returnByValue": True}
    return (await page.session.send("Runtime.evaluate", params))["result"]["value"]


def with_credentials(origin: str, credentials: str) -> str:
    return origin.replace("://", f"://{credentials}@")


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def known(site: Site) -> AsyncIterator[BrowserHost]:
    """A browser whose user has an account at the site's own origin."""
    async with browser(http_credentials=(with_credentials(site.origin, "user:secret"),)) as running:
        yield running


async def test_credentials_are_given_to_their_origin_and_to_no_other(known: BrowserHost, site: Site) -> None:
    page = await known.new_page()
    assert (await page.navigate(site.url("/auth"))).status == 200
    other = await known.new_page()
    assert (await other.navigate(site.url("/auth", other=True))).status == 401
    assert await status_of_fetch(other, site.url("/auth", other=True)) == 401
    apart = await known.new_page(isolated_context="apart")
    await apart.navigate(site.url("/blank"))
    assert await status_of_fetch(apart, "/auth") == 200
    sent = [r.headers for r in site.seen("/auth") if "authorization" in r.headers]
    assert sent
    assert all(headers["host"] == f"127.0.0.1:{site.port}" for headers in sent)


async def test_a_worker_is_logged_in_too(known: BrowserHost, site: Site) -> None:
    page = await known.new_page(isolated_context="of a worker")  # where nobody has logged in yet
    await page.navigate(site.url("/blank"))
    expression = (
        "new Promise(r => { const w = new Worker(URL.createObjectURL(new Blob(["
        f"`fetch('{site.origin}/auth').then(r => postMessage(r.status))`]))); w.onmessage = e => r(e.data) }})"
    )
    params = {"expression": expression, "awaitPromise": True, "returnByValue": True}
    assert (await page.session.send("Runtime.evaluate", params))["result"]["value"] == 200


async def test_wrong_credentials_end_in_401_and_are_not_logged(site: Site, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.DEBUG):
        async with browser(http_credentials=(with_credentials(site.origin, "user:hushhush"),)) as host:
            page = await host.new_page()
            result = await page.navigate(site.url("/auth"))
            assert (result.outcome, result.status) == ("loaded", 401)
            assert await status_of_fetch(page, "/auth") == 401
    assert "were not accepted" in caplog.text
    assert "hushhush" not in caplog.text
    with pytest.raises(InvalidInput) as caught:
        BrowserHost(Options(http_credentials=("hushhush",)))
    assert "hushhush" not in str(caught.value)


async def test_without_credentials_401_is_a_status_at_once(page: Page, site: Site) -> None:
    result = await page.navigate(site.url("/auth"))
    assert (result.outcome, result.status, page.url) == ("loaded", 401, site.url("/auth"))
    await page.navigate(site.url("/blank"))
    assert await status_of_fetch(page, "/auth") == 401


async def test_401_is_a_status_in_a_profile_that_is_the_users_own(site: Site, tmp_path: Path) -> None:
    async with browser(isolated=False, user_data_dir=str(tmp_path)) as host:
        page = await host.new_page()
        result = await page.navigate(site.url("/auth"))
        assert (result.outcome, result.status) == ("loaded", 401)
    assert "schemes" not in json.loads((tmp_path / "Local State").read_text()).get("auth", {})


class Proxy:
    """Answers everything itself, to those who log in as ``u:p``."""

    def __init__(self) -> None:
        self.seen: list[tuple[str, bool]] = []

    async def __aenter__(self) -> Proxy:
        self.server = await asyncio.start_server(self._connected, "127.0.0.1", 0)
        self.port = self.server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(self, *_: object) -> None:
        self.server.close()

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        login = b"Basic " + base64.b64encode(b"u:p")
        try:
            while True:
                head = await reader.readuntil(b"\r\n\r\n")
                self.seen.append((head.split()[1].decode(), login in head))
                if login in head:
                    body = b"<title>by proxy</title>"
                    writer.write(
                        b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: %d\r\n\r\n" % len(body)
                    )
                    writer.write(body)
                else:
                    writer.write(b"HTTP/1.1 407 No\r\nProxy-Authenticate: Basic realm=x\r\nContent-Length: 0\r\n\r\n")
        except (asyncio.IncompleteReadError, ConnectionError):
            writer.close()


async def test_a_proxy_is_logged_in_to_once_for_each_context() -> None:
    async with Proxy() as proxy:
        address = f"http://127.0.0.1:{proxy.port}"
        async with browser(proxy_server=address, http_credentials=(with_credentials(address, "u:p"),)) as host:
            page = await host.new_page()
            assert (await page.navigate("http://one.test/a")).status == 200
            assert (await page.navigate("http://two.test/b")).status == 200
            apart = await host.new_page(isolated_context="apart")
            assert (await apart.navigate("http://one.test/c")).status == 200
    asked = [login for url, login in proxy.seen if url == "http://two.test/b"]
    assert asked == [True]  # Chrome logs in by itself from the second request on


async def test_without_credentials_407_is_a_status() -> None:
    async with Proxy() as proxy, browser(proxy_server=f"http://127.0.0.1:{proxy.port}") as host:
        page = await host.new_page()
        result = await page.navigate("http://one.test/a")
        assert result.status == 407


def test_which_of_the_origins_is_the_proxy() -> None:
    assert _is_proxy("http://p:3128", "p:3128")
    assert _is_proxy("http://p:3128", "https=q:1;http=p:3128")
    assert _is_proxy("https://p", "https://p:443")
    assert not _is_proxy("http://p:3128", "q:3128")
    assert not _is_proxy("http://p:3128", "")
    assert not _is_proxy("http://p:3128", "socks5://[x")


def test_what_is_written_into_a_profile(tmp_path: Path) -> None:
    state, settings = tmp_path / "Local State", tmp_path / "Default" / "Preferences"
    write_preferences(tmp_path, Options(), ours=False, headless=True)
    assert not state.exists()
    state.write_text('{"keep": 1}')
    write_preferences(tmp_path, Options(http_credentials=("https://u:p@h:1",)), ours=True, headless=True)
    auth = {"schemes": "", "http_auth_allowed_for_origins": ["https://h:1"]}
    assert json.loads(state.read_text())["auth"] == auth
    write_preferences(tmp_path, Options(), ours=True, headless=False)
    assert json.loads(state.read_text())["auth"] == {}
    assert json.loads(state.read_text())["keep"] == 1
    assert not settings.exists()
    write_preferences(tmp_path, Options(blocked_url_patterns=("*://a/*",)), ours=False, headless=False)
    assert json.loads(settings.read_text()) == {"net": {"network_prediction_options": 2}}
    settings.write_text("no json")
    other = Options(blocked_url_patterns=("*://a/*",), chrome_args=("--profile-directory=Profile 2",))
    write_preferences(tmp_path, other, ours=False, headless=False)
    assert (tmp_path / "Profile 2" / "Preferences").exists()
    assert settings.read_text() == "no json"
