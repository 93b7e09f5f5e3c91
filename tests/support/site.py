"""A small web site on 127.0.0.1 for pages under test.

It runs in a thread of its own, so it answers while a test is busy and between tests. It speaks just enough
HTTP/1.1 for Chrome, knows how to misbehave (slow, endless, broken off, redirecting for ever), and remembers
every request it saw. The same server is reachable as ``localhost``, which to Chrome is another site: a frame from
there lives in another process.
"""

from __future__ import annotations

import asyncio
import base64
import gzip
import html
import inspect
import itertools
import json
import mimetypes
import re
import struct
import threading
import zlib
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from concurrent.futures import Future
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar
from urllib.parse import parse_qs, parse_qsl, quote, unquote, urlencode, urlsplit

__all__ = ["PIXEL", "Broken", "Handler", "Request", "Response", "Site", "png"]


@dataclass(slots=True)
class Request:
    """One request as it arrived. Header names are lower case."""

    method: str
    target: str
    headers: dict[str, str]
    body: bytes = b""
    path: str = ""
    query: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        parts = urlsplit(self.target)
        self.path = unquote(parts.path)
        self.query = {name: values[-1] for name, values in parse_qs(parts.query, keep_blank_values=True).items()}

    @property
    def form(self) -> dict[str, str]:
        """The fields of a URL-encoded body."""
        return dict(parse_qsl(self.body.decode("utf-8", "replace"), keep_blank_values=True))

    @property
    def cookies(self) -> dict[str, str]:
        pairs = (part.strip().partition("=") for part in self.headers.get("cookie", "").split(";") if part.strip())
        return {name: value for name, _, value in pairs}

    @property
    def wait(self) -> float:
        """Seconds to wait, from the ``ms`` parameter."""
        return float(self.query.get("ms", "0")) / 1000


@dataclass(slots=True)
class Response:
    """What to answer. An asynchronous iterator as `body` is sent in chunks as they come.

    `delay` is in seconds, before the first byte. `length` overrides the declared Content-Length.
    """

    body: str | bytes | AsyncIterator[bytes] = b""
    status: int = 200
    headers: dict[str, str | list[str]] = field(default_factory=dict)
    content_type: str = "text/html; charset=utf-8"
    delay: float = 0.0
    length: int | None = None


class Broken(Exception):
    """Raised by a handler to reset the connection, after `sent` raw bytes."""

    def __init__(self, sent: bytes = b"") -> None:
        super().__init__("connection reset on purpose")
        self.sent = sent


Handler = Callable[[Request], Response | Awaitable[Response]]
_Function = TypeVar("_Function", bound=Callable[..., object])

_REASONS = {200: "OK", 204: "No Content", 301: "Moved Permanently", 302: "Found", 303: "See Other", 304: "Not Modified",
            307: "Temporary Redirect", 308: "Permanent Redirect", 401: "Unauthorized", 403: "Forbidden",
            404: "Not Found", 500: "Internal Server Error", 503: "Service Unavailable"}  # fmt: skip


def png(width: int = 1, height: int = 1, rgb: tuple[int, int, int] = (255, 0, 0)) -> bytes:
    """A PNG of one colour."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    rows = (b"\0" + bytes(rgb) * width) * height
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


PIXEL = png()


def _serves(*paths: str) -> Callable[[_Function], _Function]:
    """Mark a method of `Site` as the handler of these paths."""

    def mark(function: _Function) -> _Function:
        function.serves = paths  # type: ignore[attr-defined]
        return function

    return mark


class Site:
    """The server. `start` it, make pages with `page`, look at `requests`, `stop` it.

    What it serves besides ``page`` (all parameters in the query string, times in milliseconds):

    =============================  ==================================================================
    ``/``                          a plain page, title "Home"
    ``/blank``                     an empty page
    ``/slow?ms=&title=``           a page whose first byte comes late
    ``/late.png?ms=``              an image that comes late; ``/late.js?ms=`` a script alike
    ``/pixel.png``                 an image
    ``/never``                     accepts and never answers; ``/never.png`` sends headers, then nothing
    ``/hold/KEY``                  answers when ``release(KEY)`` is called (``?type=`` content type)
    ``/redirect?to=&status=``      one redirect (302); ``/chain?n=&to=&status=`` several in a row
    ``/loop``                      redirects to itself for ever
    ``/status/N``                  a page with this status; 204 has no body
    ``/download?name=&size=&ms=``  an attachment
    ``/auth``                      basic authentication, user:secret
    ``/cookies/set?a=1``           sets cookies (``&HttpOnly=1`` for all of them); ``/cookies`` shows what came in
    ``/echo``                      a page showing method, fields and headers of the request
    ``/json?ms=``                  ``{"ok": true, "query": {…}}``
    ``/chunked?n=&ms=``            a page in n pieces, ms apart
    ``/gzip``                      a compressed page
    ``/reset``                     resets the connection; ``/half`` does so amid the body
    ``/events?n=&ms=``             server-sent events
    ``/frame?text=``               a small page for frames, with a button that counts its clicks
    =============================  ==================================================================
    """

    def __init__(self) -> None:
        self.requests: list[Request] = []
        self.port = 0
        self._routes: dict[str, Handler] = {}
        self._folders: dict[str, Path] = {}
        self._numbers = itertools.count(1)
        self._held: dict[str, list[asyncio.Event]] = {}
        self._released: set[str] = set()
        self._waiting: list[tuple[str, Future[Request]]] = []
        self._guard = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._stop: asyncio.Event | None = None
        self._thread: threading.Thread | None = None
        self._tasks: set[asyncio.Task[None]] = set()
        for name, value in vars(type(self)).items():
            for path in getattr(value, "serves", ()):
                self._routes[path] = getattr(self, name)

    # -- life ----------------------------------------------------------------------------------------

    def start(self) -> Site:
        ready: Future[int] = Future()
        self._thread = threading.Thread(target=lambda: asyncio.run(self._main(ready)), name="test-site", daemon=True)
        self._thread.start()
        self.port = ready.result(10)
        return self

    def stop(self) -> None:
        if self._loop is not None and self._stop is not None:
            self._loop.call_soon_threadsafe(self._stop.set)
        if self._thread is not None:
            self._thread.join(10)

    def __enter__(self) -> Site:
        return self.start()

    def __exit__(self, *_: object) -> None:
        self.stop()

    # -- for tests -----------------------------------------------------------------------------------

    @property
    def origin(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def other_origin(self) -> str:
        """The same server under another name: another origin and another site."""
        return f"http://localhost:{self.port}"

    def url(self, path: str, *, other: bool = False, **query: object) -> str:
        """The address of one of the built-in routes."""
        base = self.other_origin if other else self.origin
        return base + path + (f"?{urlencode({key: str(value) for key, value in query.items()})}" if query else "")

    def page(
        self,
        html: str,
        *,
        path: str | None = None,
        other: bool = False,
        title: str | None = None,
        status: int = 200,
        headers: dict[str, str] | None = None,
        delay: float = 0.0,
        content_type: str = "text/html; charset=utf-8",
    ) -> str:
        """Serve `html` and return its URL (on `localhost` with `other`). A doctype is put before it when it has none.

        ``{origin}`` and ``{other}`` in the text become the two origins.
        """
        text = html.replace("{origin}", self.origin).replace("{other}", self.other_origin)
        if content_type.startswith("text/html") and not re.match(r"\s*<(!doctype|html|\?xml)", text, re.I):
            text = f"<!doctype html><html lang=en><title>{title or 'Test page'}</title>\n" + text
        path = path or f"/p{next(self._numbers)}.html"
        answer = (text, status, dict(headers or {}), content_type, delay)
        self._routes[path] = lambda _: Response(*answer)
        return (self.other_origin if other else self.origin) + path

    def text(self, body: str | bytes, *, name: str, content_type: str, other: bool = False) -> str:
        """Serve any other body (a script, a style sheet, an image) under ``/NAME`` and return its URL."""
        path = f"/{next(self._numbers)}/{name}"
        self._routes[path] = lambda _: Response(body, content_type=content_type)
        return (self.other_origin if other else self.origin) + path

    def route(self, path: str, handler: Handler) -> str:
        """Answer `path` with `handler`, plain or async (it runs in the site's own loop); returns the URL."""
        self._routes[path] = handler
        return self.origin + path

    def folder(self, prefix: str, directory: Path) -> str:
        """Serve the files of a directory under ``/prefix/``; returns the URL of that folder."""
        self._folders[f"/{prefix.strip('/')}/"] = directory.resolve()
        return f"{self.origin}/{prefix.strip('/')}/"

    def other(self, url: str) -> str:
        """This URL on the other origin."""
        return url.replace(self.origin, self.other_origin, 1)

    def release(self, key: str) -> None:
        """Let ``/hold/KEY`` answer: those that wait, and later ones."""

        def now() -> None:
            self._released.add(key)
            for event in self._held.pop(key, []):
                event.set()

        assert self._loop is not None
        self._loop.call_soon_threadsafe(now)

    def seen(self, path: str) -> list[Request]:
        """The requests for this path (no query), oldest first."""
        with self._guard:
            return [request for request in self.requests if request.path == path]

    def forget(self) -> None:
        """Empty the list of requests."""
        with self._guard:
            self.requests.clear()

    async def requested(self, path: str, *, timeout: float = 10) -> Request:
        """Wait until a request for this path has come in (also one that already did)."""
        with self._guard:
            for request in self.requests:
                if request.path == path:
                    return request
            future: Future[Request] = Future()
            self._waiting.append((path, future))
        async with asyncio.timeout(timeout):
            return await asyncio.wrap_future(future)

    # -- built-in routes -----------------------------------------------------------------------------

    @_serves("/")
    def _home(self, request: Request) -> Response:
        return Response("<!doctype html><html lang=en><title>Home</title><h1>Home</h1><a href=/blank>blank</a>")

    @_serves("/blank")
    def _blank(self, request: Request) -> Response:
        return Response("<!doctype html><title>Blank</title>")

    @_serves("/favicon.ico")
    def _icon(self, request: Request) -> Response:
        return Response(b"", 204)

    @_serves("/slow")
    def _slow(self, request: Request) -> Response:
        title = html.escape(request.query.get("title", "Slow"))
        return Response(f"<!doctype html><title>{title}</title><h1>{title}</h1>", delay=request.wait)

    @_serves("/pixel.png", "/late.png")
    def _image(self, request: Request) -> Response:
        return Response(PIXEL, content_type="image/png", delay=request.wait)

    @_serves("/late.js")
    def _script(self, request: Request) -> Response:
        return Response("globalThis.late = true;", content_type="text/javascript", delay=request.wait)

    @_serves("/never")
    async def _never(self, request: Request) -> Response:
        await asyncio.Event().wait()
        raise AssertionError("not reached")

    @_serves("/never.png")
    def _never_image(self, request: Request) -> Response:
        async def nothing() -> AsyncIterator[bytes]:
            yield PIXEL[:20]
            await asyncio.Event().wait()

        return Response(nothing(), content_type="image/png")

    @_serves("/hold/")
    async def _hold(self, request: Request) -> Response:
        key = request.path.removeprefix("/hold/")
        if key not in self._released:
            event = asyncio.Event()
            self._held.setdefault(key, []).append(event)
            await event.wait()
        kind = request.query.get("type", "text/html; charset=utf-8")
        if kind.startswith("image/"):
            return Response(PIXEL, content_type=kind)
        text = f"<!doctype html><title>Held {key}</title><h1>Held {key}</h1>" if "html" in kind else f"held {key}"
        return Response(text, content_type=kind)

    @_serves("/redirect")
    def _redirect(self, request: Request) -> Response:
        status = int(request.query.get("status", "302"))
        return Response("", status, {"Location": request.query.get("to", "/")}, delay=request.wait)

    @_serves("/chain")
    def _chain(self, request: Request) -> Response:
        left = int(request.query.get("n", "3"))
        to = request.query.get("to", "/")
        status = request.query.get("status", "302")
        location = f"/chain?n={left - 1}&to={quote(to)}&status={status}" if left > 1 else to
        return Response("", int(status), {"Location": location})

    @_serves("/loop")
    def _endless_redirect(self, request: Request) -> Response:
        return Response("", 302, {"Location": f"/loop?{int(request.query.get('n', '0')) + 1}"})

    @_serves("/status/")
    def _status(self, request: Request) -> Response:
        status = int(request.path.removeprefix("/status/"))
        return Response(f"<!doctype html><title>Status {status}</title><h1>Status {status}</h1>", status)

    @_serves("/download")
    def _download(self, request: Request) -> Response:
        name = request.query.get("name", "report.csv")
        size = int(request.query.get("size", "12"))
        return Response(
            b"x" * size,
            headers={"Content-Disposition": f"attachment; filename*=UTF-8''{quote(name)}"},
            content_type="application/octet-stream",
            delay=request.wait,
        )

    @_serves("/auth")
    def _auth(self, request: Request) -> Response:
        if request.headers.get("authorization") == "Basic " + base64.b64encode(b"user:secret").decode():
            return Response("<!doctype html><title>Inside</title><h1>Inside</h1>")
        return Response("<!doctype html><title>Outside</title>", 401, {"WWW-Authenticate": 'Basic realm="the vault"'})

    @_serves("/cookies/set")
    def _set_cookies(self, request: Request) -> Response:
        end = "; Path=/" + ("; HttpOnly" if "HttpOnly" in request.query else "")
        lines = [f"{name}={value}{end}" for name, value in request.query.items() if name != "HttpOnly"]
        return Response("<!doctype html><title>Cookies set</title>", headers={"Set-Cookie": lines})

    @_serves("/cookies")
    def _cookies(self, request: Request) -> Response:
        return Response(f"<!doctype html><title>Cookies</title><pre>{html.escape(json.dumps(request.cookies))}</pre>")

    @_serves("/echo")
    def _echo(self, request: Request) -> Response:
        fields = {**request.query, **request.form} if request.method == "POST" else request.query
        rows = "".join(f"<li>{html.escape(name)} = {html.escape(value)}" for name, value in fields.items())
        shown = html.escape(json.dumps(request.headers, indent=1))
        return Response(
            f"<!doctype html><html lang=en><title>Echo</title><h1>{request.method}</h1>"
            f"<ul>{rows}</ul><pre>{shown}</pre>",
            delay=request.wait if "ms" in request.query else 0,
        )

    @_serves("/json")
    def _json(self, request: Request) -> Response:
        body = json.dumps({"ok": True, "query": request.query})
        headers = {"Access-Control-Allow-Origin": "*"} if "cors" in request.query else {}
        return Response(body, content_type="application/json", headers=headers, delay=request.wait)

    @_serves("/chunked")
    def _chunked(self, request: Request) -> Response:
        async def pieces() -> AsyncIterator[bytes]:
            yield b"<!doctype html><title>Chunked</title><ol>"
            for number in range(int(request.query.get("n", "3"))):
                yield f"<li>piece {number}".encode()
                await asyncio.sleep(request.wait)

        return Response(pieces())

    @_serves("/events")
    def _events(self, request: Request) -> Response:
        async def events() -> AsyncIterator[bytes]:
            for number in range(int(request.query.get("n", "3"))):
                yield f"event: tick\nid: {number}\ndata: number {number}\n\n".encode()
                await asyncio.sleep(request.wait)

        return Response(events(), content_type="text/event-stream")

    @_serves("/gzip")
    def _gzip(self, request: Request) -> Response:
        body = gzip.compress(b"<!doctype html><title>Gzip</title>" + b"<p>packed</p>" * 500)
        return Response(body, headers={"Content-Encoding": "gzip"})

    @_serves("/reset")
    def _reset(self, request: Request) -> Response:
        raise Broken

    @_serves("/half")
    def _half(self, request: Request) -> Response:
        raise Broken(
            b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 5000\r\n\r\n<title>Half</title><p>half"
        )

    @_serves("/frame")
    def _frame(self, request: Request) -> Response:
        text = html.escape(request.query.get("text", "In the frame"))
        return Response(
            f"<!doctype html><html lang=en><title>Frame</title><p>{text}</p>"
            "<button onclick=\"this.textContent = 'Clicked ' + (globalThis.n = (globalThis.n || 0) + 1)\">"
            "Frame button</button><input aria-label='Frame field'>"
        )

    # -- HTTP ----------------------------------------------------------------------------------------

    async def _main(self, ready: Future[int]) -> None:
        self._loop = asyncio.get_running_loop()
        self._stop = asyncio.Event()
        server = await asyncio.start_server(self._connected, "127.0.0.1", 0, backlog=512)
        ready.set_result(server.sockets[0].getsockname()[1])
        await self._stop.wait()
        server.close()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        try:
            while (request := await self._read(reader)) is not None:
                self._remember(request)
                await self._answer(request, writer)
        except Broken as broken:
            # Linger 0 turns the close into a reset instead of an orderly end.
            writer.write(broken.sent)
            await writer.drain()
            sock = writer.get_extra_info("socket")
            sock.setsockopt(1, 13, struct.pack("ii", 1, 0))  # SOL_SOCKET, SO_LINGER
            writer.transport.abort()
        except (ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
            pass  # the browser went away, or we are stopping
        finally:
            self._tasks.discard(task)
            writer.close()

    async def _read(self, reader: asyncio.StreamReader) -> Request | None:
        try:
            first = await reader.readexactly(1)
            if first == b"\x16":
                raise Broken(b"HTTP/1.1 400 Bad Request\r\n\r\n")  # the start of a TLS handshake: we have none
            head = first + await reader.readuntil(b"\r\n\r\n")
        except (asyncio.IncompleteReadError, asyncio.LimitOverrunError):
            return None
        lines = head.decode("latin-1").split("\r\n")
        method, target, _ = lines[0].split(" ", 2)
        headers = {
            name.strip().lower(): value.strip() for name, _, value in (line.partition(":") for line in lines[1:])
        }
        headers.pop("", None)
        body = await reader.readexactly(int(headers.get("content-length", "0")))
        return Request(method, target, headers, body)

    def _remember(self, request: Request) -> None:
        with self._guard:
            self.requests.append(request)
            for path, future in self._waiting[:]:
                if path == request.path:
                    self._waiting.remove((path, future))
                    future.set_result(request)

    def _handler(self, path: str) -> Handler:
        if path in self._routes:
            return self._routes[path]
        for prefix in ("/hold/", "/status/"):
            if path.startswith(prefix):
                return self._routes[prefix]
        for prefix, directory in self._folders.items() if "\0" not in path else ():
            file = (directory / path.removeprefix(prefix)).resolve()
            if path.startswith(prefix) and file.is_file() and file.is_relative_to(directory):
                kind = mimetypes.guess_type(file.name)[0] or "application/octet-stream"
                return lambda _: Response(file.read_bytes(), content_type=kind)
        return lambda _: Response("<!doctype html><title>Not found</title><h1>Not found</h1>", 404)

    async def _answer(self, request: Request, writer: asyncio.StreamWriter) -> None:
        answer = self._handler(request.path)(request)
        response = await answer if inspect.isawaitable(answer) else answer
        if response.delay:
            await asyncio.sleep(response.delay)
        headers: dict[str, str | list[str]] = {
            "Content-Type": response.content_type,
            "Cache-Control": "no-store",
            **response.headers,
        }
        body = response.body.encode() if isinstance(response.body, str) else response.body
        empty = response.status in (204, 304)
        if empty:
            headers.pop("Content-Type")
        elif isinstance(body, bytes):
            headers["Content-Length"] = str(len(body) if response.length is None else response.length)
        else:
            headers["Transfer-Encoding"] = "chunked"
        writer.write(_head(response.status, headers.items()))
        if not empty and request.method != "HEAD":
            if isinstance(body, bytes):
                writer.write(body)
            else:
                async for piece in body:
                    writer.write(b"%x\r\n%s\r\n" % (len(piece), piece))
                    await writer.drain()
                writer.write(b"0\r\n\r\n")
        await writer.drain()


def _head(status: int, headers: Iterable[tuple[str, str | list[str]]]) -> bytes:
    lines = [f"HTTP/1.1 {status} {_REASONS.get(status, 'Status')}"]
    for name, values in headers:
        lines += [f"{name}: {value}" for value in ([values] if isinstance(values, str) else values)]
    return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1")
