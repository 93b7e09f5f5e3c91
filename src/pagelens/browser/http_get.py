"""One small GET over HTTP/1.1, for the pages that Chrome serves on its debugging port."""

from __future__ import annotations

import asyncio
import contextlib
import ssl
from dataclasses import dataclass
from urllib.parse import SplitResult, quote

__all__ = ["HttpAnswer", "http_get"]

#: Seconds for connecting and for the whole answer.
TIMEOUT = 5.0
#: Longest answer that is read, in bytes.
LONGEST = 1 << 20


@dataclass(frozen=True, slots=True)
class HttpAnswer:
    """An answer, read to its end.

    Attributes:
        status: e.g. 200.
        body: without any transfer coding.
    """

    status: int
    body: bytes


async def http_get(url: SplitResult, path: str, *, host: str | None = None, timeout: float = TIMEOUT) -> HttpAnswer:
    """Get `path` from the server of `url`. No proxy is used and no redirect followed.

    Args:
        url: ``http://`` or ``https://``; only its host and port are used.
        host: connect to this address instead, and send it as ``Host``.

    Raises:
        OSError: it can't be reached; also for a broken certificate.
        TimeoutError: no whole answer in time.
        ValueError: the answer is not HTTP, or longer than 1 MB.
    """
    secure = url.scheme == "https"
    name = (host or url.hostname or "").encode("idna").decode("ascii")
    port = url.port or (443 if secure else 80)
    shown = f"[{name}]" if ":" in name else name
    path = quote(path, safe="/?=&%+~:")
    async with asyncio.timeout(timeout):
        reader, writer = await asyncio.open_connection(
            name,
            port,
            ssl=ssl.create_default_context() if secure else None,
            server_hostname=url.hostname if secure else None,
            limit=LONGEST,
        )
        try:
            request = (
                f"GET {path} HTTP/1.1\r\nHost: {shown}:{port}\r\nAccept: application/json\r\nConnection: close\r\n\r\n"
            )
            writer.write(request.encode("ascii"))
            return await _answer(reader)
        except asyncio.IncompleteReadError:
            raise ValueError("the answer ended too early") from None
        except asyncio.LimitOverrunError:
            raise ValueError("the answer is no HTTP, or too long") from None
        finally:
            writer.close()
            with contextlib.suppress(OSError, TimeoutError):
                async with asyncio.timeout(1):
                    await writer.wait_closed()


async def _answer(reader: asyncio.StreamReader) -> HttpAnswer:
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
    version, _, rest = head[0].partition(" ")
    if not version.startswith("HTTP/") or not rest[:3].isdigit():
        raise ValueError("the answer is not HTTP")
    fields = {name.strip().lower(): value.strip() for name, _, value in (line.partition(":") for line in head[1:])}
    if "chunked" in fields.get("transfer-encoding", "").lower():
        return HttpAnswer(int(rest[:3]), await _chunks(reader))
    length = fields.get("content-length", "")
    if length.isdigit():
        if int(length) > LONGEST:
            raise ValueError("the answer is too long")
        return HttpAnswer(int(rest[:3]), await reader.readexactly(int(length)))
    body = await reader.read(LONGEST)
    while more := await reader.read(LONGEST):
        body += more
        if len(body) > LONGEST:
            raise ValueError("the answer is too long")
    return HttpAnswer(int(rest[:3]), body)


async def _chunks(reader: asyncio.StreamReader) -> bytes:
    body = b""
    while size := _size(await reader.readuntil(b"\r\n")):
        if len(body) + size > LONGEST:
            raise ValueError("the answer is too long")
        body += await reader.readexactly(size)
        await reader.readexactly(2)
    return body


def _size(line: bytes) -> int:
    digits = line.split(b";")[0].strip()
    try:
        size = int(digits, 16)
    except ValueError:
        size = -1
    if size < 0:
        raise ValueError("the answer is broken")
    return size
