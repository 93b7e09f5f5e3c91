"""Reaching a browser that runs already: each way, and every way to fail with what is said then."""

from __future__ import annotations

import asyncio
import json
import socket
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from pagelens.browser.attach import attach
from pagelens.browser.find import System
from pagelens.browser.port_file import default_profiles, read_port_file
from pagelens.core.options import Options
from pagelens.errors import AttachFailed, InvalidInput
from tests.support.running_chrome import Relay, RunningChrome

#: A machine on which no browser has a profile.
NOBODY = System({"HOME": "/nonexistent"}, platform="linux")


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def chrome() -> AsyncIterator[RunningChrome]:
    async with RunningChrome() as running:
        yield running


async def attached(chrome: RunningChrome, options: Options, system: System = NOBODY) -> None:
    """Attach, see that it is this browser, let go, see that it lives."""
    found = await attach(options, system=system)
    try:
        assert found.product.startswith("Chrome/")
        assert found.headless
        assert not found.owned
        targets = await found.connection.root.send("Target.getTargets")
        assert targets["targetInfos"]
    finally:
        await found.close()
    assert chrome.is_running()


async def failure(options: Options, system: System = NOBODY, **more: Any) -> str:
    with pytest.raises(AttachFailed) as caught:
        await attach(options, system=system, **more)
    assert caught.value.code == "attach_failed"
    return str(caught.value)


# -- ways that work ------------------------------------------------------------------------------------


async def test_by_address(chrome: RunningChrome) -> None:
    for url in (chrome.url, chrome.url + "/", f"http://localhost:{chrome.port}"):
        await attached(chrome, Options(browser_url=url))


async def test_by_websocket(chrome: RunningChrome) -> None:
    await attached(chrome, Options(ws_endpoint=chrome.endpoint))


async def test_by_the_port_file_of_a_profile(chrome: RunningChrome) -> None:
    await attached(chrome, Options(auto_connect=True, user_data_dir=str(chrome.profile)))


async def test_by_the_port_file_of_a_channels_default_profile(chrome: RunningChrome, tmp_path: Path) -> None:
    profile = tmp_path / ".config" / "google-chrome-beta"
    profile.mkdir(parents=True)
    (profile / "DevToolsActivePort").write_text(f"{chrome.port}\n{chrome.path}")
    system = System({"HOME": str(tmp_path)}, platform="linux")
    await attached(chrome, Options(auto_connect=True, channel="beta"), system)
    await attached(chrome, Options(auto_connect=True), system)
    text = await failure(Options(auto_connect=True, channel="stable"), system)
    assert f"{tmp_path}/.config/google-chrome: there is no such profile" in text


async def test_a_name_that_chrome_refuses_is_resolved(chrome: RunningChrome, monkeypatch: pytest.MonkeyPatch) -> None:
    """Chrome answers to addresses and localhost only; a container's or tunnel's name is neither."""
    loop = asyncio.get_running_loop()
    real = loop.getaddrinfo

    async def getaddrinfo(host: Any, port: Any, **more: Any) -> Any:
        return await real("127.0.0.1" if host == "chrome.test" else host, port, **more)

    monkeypatch.setattr(loop, "getaddrinfo", getaddrinfo)
    await attached(chrome, Options(browser_url=f"http://chrome.test:{chrome.port}"))
    await attached(chrome, Options(ws_endpoint=f"ws://chrome.test:{chrome.port}{chrome.path}"))


async def test_through_a_relay_chromes_own_address_is_not_used(chrome: RunningChrome) -> None:
    async with Relay(chrome.port) as relay:
        await attached(chrome, Options(browser_url=relay.url))
        assert [line.split(b" ", 2)[1].decode() for line in relay.heard] == ["/json/version", chrome.path]


async def test_the_port_file_helps_where_the_port_serves_no_pages(chrome: RunningChrome, tmp_path: Path) -> None:
    """A Chrome that its user opened for debugging by hand has the WebSocket only."""

    async def only_sockets(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = await reader.readuntil(b"\r\n\r\n")
        if b"Upgrade: websocket" not in head:
            writer.write(b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n")
            writer.close()
            return
        far_reader, far_writer = await asyncio.open_connection("127.0.0.1", chrome.port)
        far_writer.write(head)

        async def pump(source: asyncio.StreamReader, sink: asyncio.StreamWriter) -> None:
            while data := await source.read(1 << 16):
                sink.write(data)
            sink.close()

        async with asyncio.TaskGroup() as group:
            group.create_task(pump(reader, far_writer))
            group.create_task(pump(far_reader, writer))

    profile = tmp_path / ".config" / "google-chrome"
    profile.mkdir(parents=True)
    async with await asyncio.start_server(only_sockets, "127.0.0.1", 0) as server:
        port = server.sockets[0].getsockname()[1]
        (profile / "DevToolsActivePort").write_text(f"{port}\n{chrome.path}")
        system = System({"HOME": str(tmp_path)}, platform="linux")
        await attached(chrome, Options(browser_url=f"http://127.0.0.1:{port}"), system)


async def test_headers_reach_the_server(chrome: RunningChrome) -> None:
    async with Relay(chrome.port) as relay:
        await attached(
            chrome,
            Options(
                ws_endpoint=f"ws://127.0.0.1:{relay.port}{chrome.path}", ws_headers={"Authorization": "Bearer s3cret"}
            ),
        )
        assert b"\r\nAuthorization: Bearer s3cret\r\n" in relay.heard[0]


# -- ways that don't -----------------------------------------------------------------------------------


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


async def test_nothing_listens() -> None:
    port = free_port()
    text = await failure(Options(browser_url=f"http://127.0.0.1:{port}"))
    assert f"can't attach to the browser at http://127.0.0.1:{port}. Tried:\n- GET http://127.0.0.1:{port}/json" in text
    assert "onnect" in text
    assert "--remote-debugging-port=9222" in text


Answer = Callable[[bytes], bytes | None]


@asynccontextmanager
async def other_server(answer: Answer) -> AsyncIterator[int]:
    """A server that is not Chrome: `answer` gets the request's head, None says nothing."""

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = await reader.readuntil(b"\r\n\r\n")
        said = answer(head)
        if said is None:
            await reader.read()
        else:
            writer.write(said)
        writer.close()

    async with await asyncio.start_server(serve, "127.0.0.1", 0) as server:
        yield server.sockets[0].getsockname()[1]


def http(body: bytes, status: bytes = b"200 OK") -> bytes:
    return b"HTTP/1.1 %s\r\nContent-Length: %d\r\n\r\n%s" % (status, len(body), body)


@pytest.mark.parametrize(
    ("said", "words"),
    [
        (http(b"<h1>It works!</h1>"), "the answer is not that of a Chrome"),
        (http(b"[1, 2]"), "the answer is not that of a Chrome"),
        (http(b'{"Browser": "Chrome/1"}'), "the answer is not that of a Chrome"),
        (http(b'{"webSocketDebuggerUrl": 7}'), "the answer is not that of a Chrome"),
        (http(b'{"webSocketDebuggerUrl": "http://x/"}'), "the answer is not that of a Chrome"),
        (http(b"[" * 100_000), "the answer is not that of a Chrome"),
        (http(b'{"webSocketDebuggerUrl": "ws:'), "the answer is not that of a Chrome"),
        (http(b"\xff\xfe\x00"), "the answer is not that of a Chrome"),
        (http(b"no \x1b[31msuch page", b"404 Not Found"), "HTTP 404, no"),
        (http(b"", b"502 Bad Gateway"), "HTTP 502"),
        (b"SSH-2.0-OpenSSH_9.2\r\n", "the answer ended too early"),
        (b"\x00" * 2_000_000, "the answer is no HTTP, or too long"),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 99999999\r\n\r\n", "the answer is too long"),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n123", "the answer ended too early"),
        (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n", "the answer is broken"),
        (b"", "the answer ended too early"),
    ],
)
async def test_something_else_listens(said: bytes, words: str) -> None:
    async with other_server(lambda _: said) as port:
        text = await failure(Options(browser_url=f"http://127.0.0.1:{port}"))
    assert f"/json/version: {words}" in text
    assert "\x1b" not in text


async def test_it_says_nothing() -> None:
    async with other_server(lambda _: None) as port:
        text = await failure(Options(browser_url=f"http://127.0.0.1:{port}"), timeout=0.3)
    assert f"- GET http://127.0.0.1:{port}/json/version: no answer within 0.3 s." in text


async def test_a_chunked_answer_is_read() -> None:
    body = json.dumps({"webSocketDebuggerUrl": "ws://127.0.0.1:1/devtools/browser/x"}).encode()
    chunks = b"".join(b"%x;a=b\r\n%s\r\n" % (len(piece), piece) for piece in (body[:9], body[9:])) + b"0\r\n\r\n"

    def answer(head: bytes) -> bytes:
        if b"Upgrade" in head:
            return http(b"not here", b"403 Forbidden")
        return b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + chunks

    async with other_server(answer) as port:
        text = await failure(Options(browser_url=f"http://127.0.0.1:{port}"))
    # Both addresses were tried: ours, and the one that it named.
    assert (
        f"- WebSocket ws://127.0.0.1:{port}/devtools/browser/x: the WebSocket was refused: HTTP 403, not here." in text
    )
    assert "- WebSocket ws://127.0.0.1:1/devtools/browser/x: " in text


async def test_a_stale_websocket(chrome: RunningChrome) -> None:
    text = await failure(Options(ws_endpoint=f"ws://127.0.0.1:{chrome.port}/devtools/browser/of-yesterday?token=s3"))
    assert "/devtools/browser/of-yesterday: the WebSocket was refused: HTTP 404" in text
    assert "changes whenever that browser starts" in text
    assert "s3" not in text


async def test_a_websocket_that_is_no_chrome() -> None:
    from websockets.asyncio.server import serve

    async def mute(connection: Any) -> None:
        await connection.wait_closed()

    async with serve(mute, "127.0.0.1", 0) as server:
        port = next(iter(server.sockets)).getsockname()[1]
        text = await failure(Options(ws_endpoint=f"ws://127.0.0.1:{port}/"), timeout=0.5)
    assert f"- WebSocket ws://127.0.0.1:{port}/: no answer within 0.5 s." in text


async def test_no_message_shows_a_secret() -> None:
    port = free_port()
    text = await failure(
        Options(ws_endpoint=f"ws://user:s3cret@127.0.0.1:{port}/x?token=s3cret", ws_headers={"A": "s3cret"})
    )
    assert "s3cret" not in text
    text = await failure(Options(browser_url=f"http://user:s3cret@127.0.0.1:{port}/"))
    assert "s3cret" not in text


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (None, "there is no DevToolsActivePort"),
        ("", "its first line is no port number"),
        ("99999\n/devtools/browser/x", "its first line is no port number"),
        ("٣٣\n/devtools/browser/x", "its first line is no port number"),
        ("9222", "its second line is no address"),
        ("9222\nhttp://elsewhere/", "its second line is no address"),
        ("\x00\xff" * 5000, "its first line is no port number"),
    ],
)
async def test_port_files(tmp_path: Path, content: str | None, words: str) -> None:
    if content is not None:
        (tmp_path / "DevToolsActivePort").write_text(content)
    text = await failure(Options(auto_connect=True, user_data_dir=str(tmp_path)))
    assert words in text
    assert str(tmp_path) in text


async def test_a_port_file_that_a_crash_left_behind(tmp_path: Path) -> None:
    (tmp_path / "DevToolsActivePort").write_text(f"{free_port()}\n/devtools/browser/x")
    text = await failure(Options(auto_connect=True, user_data_dir=str(tmp_path)))
    assert "- WebSocket ws://127.0.0.1:" in text
    assert "stays behind when a browser crashes" in text
    assert "chrome://inspect/#remote-debugging" in text


async def test_every_default_profile_is_named() -> None:
    text = await failure(Options(auto_connect=True))
    for name in ("google-chrome", "chromium", "microsoft-edge", "common/chromium", "google-chrome-unstable"):
        assert f"{name}: there is no such profile" in text


@pytest.mark.parametrize(
    "options",
    [
        Options(),
        Options(browser_url="http://127.0.0.1:1", auto_connect=True),
        Options(browser_url="127.0.0.1:1"),
        Options(browser_url="ws://127.0.0.1:1"),
        Options(ws_endpoint="http://127.0.0.1:1"),
        Options(ws_endpoint="ws://:1/"),
        Options(browser_url="http://127.0.0.1:123456"),
    ],
)
async def test_what_cant_be_meant(options: Options) -> None:
    with pytest.raises(InvalidInput):
        await attach(options, system=NOBODY)


@pytest.mark.parametrize(
    ("platform", "environ", "channel", "first"),
    [
        ("linux", {"HOME": "/h"}, "stable", "/h/.config/google-chrome"),
        ("linux", {"HOME": "/h", "XDG_CONFIG_HOME": "/x"}, "canary", "/x/google-chrome-canary"),
        ("darwin", {"HOME": "/h"}, "beta", "/h/Library/Application Support/Google/Chrome Beta"),
        ("win32", {"LOCALAPPDATA": "/l"}, "canary", "/l/Google/Chrome SxS/User Data"),
        ("win32", {"USERPROFILE": "/u"}, "dev", "/u/AppData/Local/Google/Chrome Dev/User Data"),
    ],
)
def test_where_profiles_are(platform: str, environ: dict[str, str], channel: str, first: str) -> None:
    system = System(environ, platform=platform)
    assert next(default_profiles(channel, system)).as_posix() == first
    kinds = [path.as_posix() for path in default_profiles(None, system)]
    assert first in kinds
    assert len(kinds) == len(set(kinds)) >= 7


def test_the_file_chrome_writes(chrome: RunningChrome) -> None:
    found = read_port_file(chrome.profile)
    assert (found.port, found.path) == (chrome.port, chrome.path)
