"""How a program gets a browser."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager

from pagelens.api.browser import Browser
from pagelens.browser.host import BrowserHost
from pagelens.core.options import Options
from pagelens.errors import InvalidInput

__all__ = ["connect", "launch"]


@asynccontextmanager
async def launch(
    *,
    headless: bool | None = True,
    args: Sequence[str] = (),
    ignore_default_args: Sequence[str] = (),
    executable_path: str | None = None,
    channel: str | None = None,
    user_data_dir: str | None = None,
    viewport: tuple[int, int] | None = None,
    proxy_server: str | None = None,
    accept_insecure_certs: bool = False,
    webmcp: bool = False,
) -> AsyncIterator[Browser]:
    """Start a Chrome of our own; it ends with the ``async with`` block::

        async with pagelens.launch() as browser:
            page = await browser.new_page()

    Args:
        headless: without a window; None decides: headless when there is no display.
        args: more Chrome switches, each whole (``--lang=de``).
        ignore_default_args: our own switches to leave out, by name (``--mute-audio``).
        executable_path: the browser to start; None looks for one.
        channel: ``stable``, ``beta``, ``dev`` or ``canary`` of Chrome; None takes the first browser found.
        user_data_dir: a profile directory that is kept; None: a new one, deleted at the end.
        viewport: width and height of each page in CSS pixels; None: 1280x720 headless, else what the window has.
        proxy_server: as Chrome's ``--proxy-server``.
        accept_insecure_certs: load pages whose certificate is wrong, without asking.
        webmcp: let pages offer tools of their own (``--enable-features=WebMCP``), see `Page.webmcp`.

    Raises:
        BrowserNotFound: there is none; the message lists every place tried.
        LaunchFailed: it ended or fell silent; `ProfileInUse`, `NoUsableSandbox` are special cases.
        InvalidInput: options that contradict each other.
    """
    options = Options(
        headless=headless,
        chrome_args=tuple(args),
        ignore_default_chrome_args=tuple(ignore_default_args),
        executable_path=executable_path,
        channel=channel,
        isolated=user_data_dir is None,
        user_data_dir=user_data_dir,
        viewport=viewport,
        proxy_server=proxy_server,
        accept_insecure_certs=accept_insecure_certs,
        categories={"webmcp": webmcp},
    )
    async with _running(options) as browser:
        yield browser


@asynccontextmanager
async def connect(
    *,
    browser_url: str | None = None,
    ws_endpoint: str | None = None,
    ws_headers: Mapping[str, str] | None = None,
    auto_connect: bool = False,
    channel: str | None = None,
    user_data_dir: str | None = None,
) -> AsyncIterator[Browser]:
    """Work in a Chrome that runs already; leaving the ``async with`` block lets go of it, and closes nothing.

    Pages that were open are in `Browser.pages` at once; each is attached to when it is first used.

    Args:
        browser_url: the address it serves (``http://127.0.0.1:9222``).
        ws_endpoint: or its WebSocket (``ws://127.0.0.1:9222/devtools/browser/…``).
        ws_headers: headers for the opening of `ws_endpoint`.
        auto_connect: or the Chrome of `channel` that runs on its default profile, or on `user_data_dir`.

    Raises:
        AttachFailed: it can't be reached; every attempt is told.
        InvalidInput: not exactly one way to find it is given.
    """
    ways = [browser_url is not None, ws_endpoint is not None, auto_connect]
    if sum(ways) != 1:
        raise InvalidInput(
            f"connect was given {sum(ways)} ways to find the browser, and needs one.",
            "Pass browser_url, ws_endpoint, or auto_connect=True.",
        )
    if ws_headers and ws_endpoint is None:
        raise InvalidInput("ws_headers go with ws_endpoint only.", "Pass ws_endpoint, or leave them out.")
    if (channel or user_data_dir) and not auto_connect:
        raise InvalidInput("channel and user_data_dir go with auto_connect only.", "Leave them out.")
    options = Options(
        browser_url=browser_url,
        ws_endpoint=ws_endpoint,
        ws_headers=dict(ws_headers or {}),
        auto_connect=auto_connect,
        channel=channel,
        user_data_dir=user_data_dir,
    )
    async with _running(options) as browser:
        yield browser


@asynccontextmanager
async def _running(options: Options) -> AsyncIterator[Browser]:
    browser = Browser(BrowserHost(options))
    try:
        await browser._host.ensure_running()
        browser._connected()
        yield browser
    finally:
        await browser.close()
