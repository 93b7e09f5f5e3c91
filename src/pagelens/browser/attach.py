"""Find a browser that runs already, and connect to it. It is never started, and never ended, from here."""

from __future__ import annotations

import asyncio
import json
import logging
import socket
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import SplitResult, urlsplit

from pagelens.browser.find import System
from pagelens.browser.http_get import http_get
from pagelens.browser.port_file import PORT_FILE, default_profiles, read_port_file
from pagelens.cdp.connection import Connection
from pagelens.cdp.websocket import OPENING, WebSocketTransport, is_loopback
from pagelens.core.addresses import check_address
from pagelens.core.options import Options
from pagelens.core.safe_text import one_line, shortened
from pagelens.errors import AttachFailed, CommandTimeout, ConnectionLost, InvalidInput, ProtocolError

__all__ = ["AttachedBrowser", "attach"]

log = logging.getLogger(__name__)

#: Seconds for everything. Chrome may ask its user whether it may be attached to, so this is long.
ATTACH = 24.0
#: Seconds for the first answer over an open connection.
FIRST_ANSWER = 8.0
#: What Chrome answers to a request whose ``Host`` is neither an address nor localhost.
_HOST_REFUSED = "Host header is specified"
#: How many of a name's addresses are tried.
_ADDRESSES = 3


class AttachedBrowser:
    """A browser that somebody else started. Made by `attach`; `close` lets go of it and leaves it as it is.

    Attributes:
        connection: to the browser, started.
        product: e.g. ``Chrome/156.0.8078.108``.
        headless: whether it has no window.
        notes: empty: nothing is decided on the user's behalf.
        owned: False.
        address: the WebSocket that it was reached at, without anything secret in it.
    """

    owned = False

    def __init__(self, connection: Connection, version: Mapping[str, object], address: str) -> None:
        product = str(version.get("product", ""))
        self.connection = connection
        self.headless = "Headless" in product or "HeadlessChrome" in str(version.get("userAgent", ""))
        self.product = product.replace("HeadlessChrome/", "Chrome/")
        self.notes: list[str] = []
        self.address = address

    async def close(self) -> None:
        """End the connection; Chrome and its pages stay. Idempotent."""
        await self.connection.close()


async def attach(options: Options, *, system: System | None = None, timeout: float = ATTACH) -> AttachedBrowser:
    """Connect to the browser that `options` names.

    Args:
        timeout: seconds for all attempts together.

    Raises:
        AttachFailed: it can't be reached: every attempt and why it failed.
        InvalidInput: the options name more than one browser, or no possible address.
    """
    named = [name for name in ("browser_url", "ws_endpoint", "auto_connect") if getattr(options, name)]
    if len(named) != 1:
        flags = " and ".join("--" + name.replace("_", "-") for name in named) or "--browser-url"
        raise InvalidInput(f"Name one browser to attach to, not {len(named)} ({flags}).")
    attempts = _Attempts(options)
    try:
        async with asyncio.timeout(timeout):
            if options.browser_url:
                found = await attempts.browser_url(options.browser_url, system or System.this())
            elif options.ws_endpoint:
                found = await attempts.socket(options.ws_endpoint, options.ws_headers)
            else:
                found = await attempts.port_files(system or System.this())
    except TimeoutError:
        attempts.note(attempts.trying, f"no answer within {timeout:g} s")
        found = None
    if found is None:
        raise attempts.failed()
    log.info("attached to %s at %s", found.product, found.address)
    return found


@dataclass
class _Attempts:
    """What was tried, in order, and why each failed."""

    options: Options
    notes: list[str] = field(default_factory=list)
    trying: str = "the browser"

    def note(self, what: str, why: str) -> None:
        self.notes.append(f"- {what}: {why}.")

    def failed(self) -> AttachFailed:
        options = self.options
        if options.browser_url:
            where = f"the browser at {_shown(urlsplit(options.browser_url))}"
            hint = "Start Chrome with --remote-debugging-port=9222 and --user-data-dir=DIR, and name that port."
        elif options.ws_endpoint:
            where = f"the browser at {_shown(urlsplit(options.ws_endpoint))}"
            hint = (
                "The address ends with an id that changes whenever that browser starts: /json/version on its port has "
                "the current one, and --browser-url finds it by itself."
            )
        else:
            where = "a running browser"
            hint = (
                "Start that browser with remote debugging (chrome://inspect/#remote-debugging, or "
                "--remote-debugging-port=0 with a --user-data-dir), or name its address with --browser-url."
            )
        tried = "\n".join(self.notes)
        return AttachFailed(f"pagelens can't attach to {where}. Tried:\n{tried}\n", hint)

    # -- the three ways ------------------------------------------------------------------------------

    async def browser_url(self, address: str, system: System) -> AttachedBrowser | None:
        url = check_address("--browser-url", address, ("http", "https"))
        path = await self._ask_version(url)
        if path is not None:
            scheme = "wss" if url.scheme == "https" else "ws"
            given = urlsplit(path)
            # By the way that has just worked: behind a tunnel or a container, Chrome knows its own address only.
            ours = given._replace(scheme=scheme, netloc=_netloc(url))
            found = await self.socket(ours.geturl(), {})
            if found is None and given.netloc and (given.scheme, given.netloc) != (ours.scheme, ours.netloc):
                found = await self.socket(path, {})
            return found
        # A Chrome that its user has opened for debugging by hand serves no such page.
        if is_loopback(url.hostname or ""):
            for profile in default_profiles(None, system):
                try:
                    port_file = read_port_file(profile)
                except (OSError, ValueError):
                    continue
                if port_file.port == url.port:
                    return await self.socket(f"ws://127.0.0.1:{port_file.port}{port_file.path}", {})
        return None

    async def port_files(self, system: System) -> AttachedBrowser | None:
        for profile in _profiles(self.options, system):
            try:
                port_file = read_port_file(profile)
            except FileNotFoundError:
                why = f"there is no {PORT_FILE}" if profile.is_dir() else "there is no such profile"
                self.note(str(profile), why)
            except (OSError, ValueError) as error:
                self.note(str(profile / PORT_FILE), getattr(error, "strerror", None) or str(error))
            else:
                # The user may first have to allow it: the opening is given all the time there is.
                found = await self.socket(f"ws://127.0.0.1:{port_file.port}{port_file.path}", {}, opening=ATTACH)
                if found is not None:
                    return found
                self.note(str(profile / PORT_FILE), "it named that port; it stays behind when a browser crashes")
        return None

    async def socket(
        self, address: str, headers: Mapping[str, str], *, opening: float = OPENING
    ) -> AttachedBrowser | None:
        url = check_address("--ws-endpoint", address, ("ws", "wss"))
        why = await self._open(url, headers, opening)
        if isinstance(why, AttachedBrowser):
            return why
        if _HOST_REFUSED in why and url.scheme == "ws":
            for number in await self._addresses(url):
                ip = url._replace(netloc=f"[{number}]" if ":" in number else number)
                why = await self._open(ip._replace(netloc=f"{ip.netloc}:{url.port or 80}"), headers, opening)
                if isinstance(why, AttachedBrowser):
                    return why
        return None

    # -- one attempt ---------------------------------------------------------------------------------

    async def _ask_version(self, url: SplitResult) -> str | None:
        """The WebSocket's address that Chrome serves, None when it serves none; the attempt is noted then."""
        path = url.path.rstrip("/") + "/json/version"
        hosts: list[str | None] = [None]
        while hosts:
            host = hosts.pop(0)
            what = f"GET {_shown(url)}{path.removeprefix(url.path)}" + (f" by the address {host}" if host else "")
            self.trying = what
            try:
                answer = await http_get(url, path, host=host)
            except TimeoutError:
                self.note(what, "no answer in time")
                continue
            except (OSError, ValueError) as error:
                self.note(what, _words(error))
                continue
            body = answer.body.decode("utf-8", "replace")
            if answer.status != 200:
                self.note(what, f"HTTP {answer.status}" + (f", {shortened(one_line(body), 120)}" if body else ""))
                if _HOST_REFUSED in body and host is None:
                    hosts += await self._addresses(url)
                continue
            try:
                found = json.loads(body)["webSocketDebuggerUrl"]
                check_address("webSocketDebuggerUrl", found, ("ws", "wss"))
            except (ValueError, TypeError, LookupError, AttributeError, RecursionError, InvalidInput):
                self.note(what, "the answer is not that of a Chrome")
                continue
            return str(found)
        return None

    async def _open(self, url: SplitResult, headers: Mapping[str, str], opening: float) -> AttachedBrowser | str:
        self.trying = what = f"WebSocket {_shown(url)}{url.path}"
        connection = Connection(WebSocketTransport(url.geturl(), headers=headers, opening=opening))
        try:
            await connection.start()
            version = await connection.root.send("Browser.getVersion", timeout=FIRST_ANSWER)
            return AttachedBrowser(connection, version, _shown(url))
        except CommandTimeout:
            why = f"it was opened, but nothing answered within {FIRST_ANSWER:g} s"
        except (ConnectionLost, ProtocolError) as error:
            why = error.message.rstrip(".")
        except BaseException:
            await connection.close()
            raise
        await connection.close()
        self.note(what, why)
        return why

    async def _addresses(self, url: SplitResult) -> list[str]:
        """The addresses that a host name stands for: Chrome accepts these as ``Host``."""
        try:
            found = await asyncio.get_running_loop().getaddrinfo(url.hostname, url.port, type=socket.SOCK_STREAM)
        except OSError as error:
            self.note(f"the name {url.hostname}", _words(error))
            return []
        return list(dict.fromkeys(str(entry[4][0]) for entry in found))[:_ADDRESSES]


def _profiles(options: Options, system: System) -> list[Path]:
    if options.user_data_dir:
        return [Path(options.user_data_dir).expanduser().absolute()]
    return list(default_profiles(options.channel, system))


def _netloc(url: SplitResult) -> str:
    """Host and port, with a port, and what a user name and password are kept in left as it is."""
    return url.netloc if url.port else f"{url.netloc}:{443 if url.scheme in ('https', 'wss') else 80}"


def _shown(url: SplitResult) -> str:
    """An address for people: no password, no query (both may be secrets)."""
    host = url.hostname or ""
    host = f"[{host}]" if ":" in host else host
    return one_line(f"{url.scheme}://{host}" + (f":{url.port}" if url.port else ""))


def _words(error: Exception) -> str:
    if isinstance(error, OSError) and error.strerror:
        return str(error.strerror)
    return shortened(one_line(str(error) or type(error).__name__), 200)
