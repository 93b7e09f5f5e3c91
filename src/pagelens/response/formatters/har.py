"""Recorded requests as an HTTP archive, HAR 1.2 (http://www.softwareishard.com/blog/har-12-spec/).

What HAR has no place for is in members with an underscore, named as Chrome's own export names them where it has one.
"""

from __future__ import annotations

import base64
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl, urlsplit

from pagelens._version import __version__
from pagelens.core.safe_text import json_safe
from pagelens.errors import RecordGone
from pagelens.response.formatters.body import body_text
from pagelens.response.formatters.headers import is_secret, redacted

if TYPE_CHECKING:
    from pagelens.collectors.bodies import Bodies
    from pagelens.collectors.network_request import NetworkRequest
    from pagelens.collectors.page_collector import Navigation

__all__ = ["HarFormatter"]

#: Bytes of one body, and of all, that an archive holds; larger ones are left out, with a comment.
MAX_BODY = 20_000_000
MAX_BODIES = 200_000_000


class HarFormatter:
    """Makes an archive of what was recorded.

    Args:
        bodies: where bodies are to be had; None leaves them out.
        redact_headers: leave out the values of headers that carry credentials.
    """

    def __init__(self, *, bodies: Bodies | None = None, redact_headers: bool = True) -> None:
        self._bodies = bodies
        self._redact = redact_headers
        self._body_bytes = 0

    async def to_json(self, navigations: Sequence[Navigation[NetworkRequest]]) -> dict[str, Any]:
        """The archive of these navigations, oldest first, each a page of it."""
        pages, entries = [], []
        for number, navigation in enumerate(navigations, 1):
            if not navigation.items:
                continue
            page_id = f"page_{number}"
            pages.append(
                {
                    "startedDateTime": _iso(next((r.wall_time for r in navigation.items if r.wall_time), 0.0)),
                    "id": page_id,
                    "title": navigation.url,
                    "pageTimings": {"onContentLoad": -1, "onLoad": -1},
                }
            )
            for request in list(navigation.items):
                entries.append({"pageref": page_id, **await self._entry(request)})
        archive: dict[str, Any] = json_safe(
            {
                "log": {
                    "version": "1.2",
                    "creator": {"name": "pagelens", "version": __version__},
                    "pages": pages,
                    "entries": entries,
                }
            }
        )
        return archive

    # -- parts ---------------------------------------------------------------------------------------

    async def _entry(self, request: NetworkRequest) -> dict[str, Any]:
        timings, total = _timings(request)
        response = request.response()
        entry: dict[str, Any] = {
            "startedDateTime": _iso(request.wall_time),
            "time": total,
            "request": await self._request(request, response),
            "response": await self._response(request, response),
            "cache": {},
            "timings": timings,
            "_reqid": request.id,
            "_resourceType": request.resource_type,
            "_outcome": request.outcome,
            "_initiator": request.initiator() or {"type": request.initiator_type},
        }
        if response.get("remoteIPAddress"):
            entry["serverIPAddress"] = str(response["remoteIPAddress"]).strip("[]")
        if response.get("connectionId"):
            entry["connection"] = f"{response['connectionId']:g}"
        if request.priority:
            entry["_priority"] = request.priority
        if request.from_cache:
            entry["_fromCache"] = request.from_cache
        if request.from_service_worker:
            entry["_fetchedViaServiceWorker"] = True
        if request.error_text:
            entry["_error"] = request.error_text
        if request.messages is not None:
            entry["_webSocketMessages"] = [
                {
                    "type": "send" if message.direction == "sent" else "receive",
                    "time": request.wall_time + max(message.time - request.started, 0),
                    "opcode": 2 if message.kind == "binary" else 1,
                    "data": message.text,
                }
                for message in request.messages.kept
            ]
        return entry

    async def _request(self, request: NetworkRequest, response: dict[str, Any]) -> dict[str, Any]:
        headers = request.request_headers()
        found: dict[str, Any] = {
            "method": request.method,
            "url": request.url,
            "httpVersion": _version(response),
            "cookies": self._cookies(headers),
            "headers": self._headers(headers),
            "queryString": [{"name": name, "value": value} for name, value in _query(request.url)],
            "headersSize": -1,
            "bodySize": 0 if not request.has_body else -1,
        }
        if request.has_body and self._bodies is not None:
            mime = _named(headers, "content-type")
            try:
                body = await self._bodies.request_body(request)
                assert body is not None
                data = body.data
            except RecordGone as error:
                found["postData"] = {"mimeType": mime, "params": [], "text": "", "comment": str(error)}
            else:
                found["bodySize"] = len(data)
                found["postData"] = {"mimeType": mime, "params": [], **self._text(data, mime, "")}
        return found

    async def _response(self, request: NetworkRequest, response: dict[str, Any]) -> dict[str, Any]:
        headers = request.response_headers() if response or request.has_raw_response_headers else {}
        content: dict[str, Any] = {"size": request.body_bytes, "mimeType": request.mime_type or "x-unknown"}
        if self._bodies is not None and request.outcome in ("finished", "receiving", "open"):
            try:
                body = await self._bodies.response_body(request)
            except RecordGone as error:
                content["comment"] = str(error)
            else:
                content["size"] = len(body.data)
                content.update(self._text(body.data, request.mime_type, request.charset))
                if not body.is_complete:
                    content["comment"] = "It was still arriving."
        return {
            "status": request.status or 0,
            "statusText": str(response.get("statusText", "")),
            "httpVersion": _version(response),
            "cookies": self._cookies(headers, set_by_server=True),
            "headers": self._headers(headers),
            "content": content,
            "redirectURL": _named(headers, "location"),
            "headersSize": -1,
            "bodySize": -1 if request.encoded_bytes is None else request.encoded_bytes,
        }

    def _text(self, data: bytes, mime_type: str, charset: str) -> dict[str, Any]:
        if len(data) > MAX_BODY or self._body_bytes + len(data) > MAX_BODIES:
            return {"comment": f"Left out for its size, {len(data):,} bytes."}
        self._body_bytes += len(data)
        text = body_text(data, mime_type, charset)
        if text is None or text.encode(charset or "utf-8", "replace") != data:
            return {"text": base64.b64encode(data).decode(), "encoding": "base64"}
        return {"text": text}

    def _headers(self, headers: dict[str, str]) -> list[dict[str, str]]:
        return [
            {"name": name, "value": part}
            for name, value in headers.items()
            for part in (redacted(name, value) if self._redact else value).split("\n")
        ]

    def _cookies(self, headers: dict[str, str], *, set_by_server: bool = False) -> list[dict[str, str]]:
        name = "set-cookie" if set_by_server else "cookie"
        value = _named(headers, name)
        if self._redact and is_secret(name):
            value = redacted(name, value)
        pairs = [line.partition(";")[0] for line in value.split("\n")] if set_by_server else value.split(";")
        found = []
        for pair in pairs:
            key, equals, content = pair.strip().partition("=")
            if equals:
                found.append({"name": key, "value": content})
        return found


def _timings(request: NetworkRequest) -> tuple[dict[str, float], float]:
    """HAR's timings in milliseconds, and their sum; TLS is part of connecting."""
    spent = request.timing()
    timings = {
        "blocked": spent.get("queued", -1.0),
        "dns": spent.get("dns", -1.0),
        "connect": spent.get("connect", -1.0),
        "ssl": spent.get("tls", -1.0),
        "send": spent.get("send", 0.0),
        "wait": spent.get("wait", 0.0),
        "receive": spent.get("receive", 0.0),
    }
    if not spent and request.duration is not None:
        # Cached, failed or from a service worker: all that is known is how long it took.
        timings["wait"] = round(request.duration * 1000, 3)
    total = sum(value for name, value in timings.items() if name != "ssl" and value > 0)
    return timings, round(total, 3)


def _iso(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _version(response: dict[str, Any]) -> str:
    protocol = str(response.get("protocol", ""))
    return protocol.upper() if protocol.startswith("http/") else protocol


def _query(url: str) -> list[tuple[str, str]]:
    try:
        return parse_qsl(urlsplit(url).query, keep_blank_values=True, max_num_fields=10_000)
    except ValueError:
        return []  # an address that only Chrome can read, or more parameters than anybody looks at


def _named(headers: dict[str, str], name: str) -> str:
    return next((value for key, value in headers.items() if key.lower() == name), "")
