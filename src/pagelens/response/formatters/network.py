"""A recorded request in words and in JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, NotRequired, TypedDict

from pagelens.core.safe_text import one_line, shortened

if TYPE_CHECKING:
    from pagelens.collectors.network_request import NetworkRequest

__all__ = ["NetworkFormatter", "NetworkRequestDetailsJson", "NetworkRequestJson", "url_text"]

#: Characters of a URL in a list, in JSON and details, of a ``data:`` URL anywhere, of one header's value.
URL_CHARS = 500
JSON_URL_CHARS = 4_000
DATA_URL_CHARS = 60
HEADER_CHARS = 4_000
#: Values that let whoever reads them act as the user.
SECRET_HEADERS = frozenset({"cookie", "set-cookie", "authorization", "proxy-authorization", "x-api-key"})


class NetworkRequestJson(TypedDict):
    """A request in a list. `outcome` as in `pagelens.collectors.network_request.Outcome`.

    `status` is missing while there is none, `redirectedTo` is the reqid of the next hop.
    """

    requestId: int
    method: str
    url: str
    resourceType: str
    outcome: str
    status: NotRequired[int]
    error: NotRequired[str]
    fromCache: NotRequired[str]
    fromServiceWorker: NotRequired[bool]
    source: NotRequired[str]
    redirectedTo: NotRequired[int]


class NetworkRequestDetailsJson(NetworkRequestJson):
    """A request in full, without bodies. Times in milliseconds, sizes in bytes.

    Headers are those on the wire when ``rawRequestHeaders`` and ``rawResponseHeaders`` are true, else
    those that the page could set or see.
    """

    startedAt: NotRequired[float]
    duration: NotRequired[float]
    initiator: str
    priority: NotRequired[str]
    protocol: NotRequired[str]
    remoteAddress: NotRequired[str]
    mimeType: NotRequired[str]
    bodySize: int
    transferSize: NotRequired[int]
    requestHeaders: dict[str, str]
    rawRequestHeaders: bool
    responseHeaders: NotRequired[dict[str, str]]
    rawResponseHeaders: bool
    redirectChain: NotRequired[list[NetworkRequestJson]]


def url_text(url: str, length: int | None = None, limit: int = URL_CHARS) -> str:
    """A URL on one line, cut at `limit`; of a ``data:`` URL only what tells its type, and its length."""
    length = len(url) if length is None else length
    limit = DATA_URL_CHARS if url.startswith("data:") else limit
    text = one_line(url)
    return text if length <= limit else f"{shortened(text, limit)} ({length:,} characters)"


class NetworkFormatter:
    """Shows one request.

    Args:
        request: the record.
        redact_headers: hide the values of headers that carry credentials.
    """

    def __init__(self, request: NetworkRequest, *, redact_headers: bool = False) -> None:
        self._request = request
        self._redact = redact_headers

    # -- concise -------------------------------------------------------------------------------------

    def to_string(self) -> str:
        """One line: ``reqid=12 GET http://…/api 200 fetch``."""
        request = self._request
        parts = [f"reqid={request.id}", one_line(request.method), url_text(request.url, request.url_length)]
        if request.status is not None:
            parts.append(str(request.status))
        state = self._state()
        if state:
            parts.append(f"[{state}]")
        parts.append(one_line(request.resource_type))
        if request.from_service_worker:
            parts.append("(from service worker)")
        elif request.from_cache:
            parts.append(f"(from {request.from_cache} cache)")
        if request.source != "page":
            parts.append(f"[{request.source}]")
        if request.redirected_to is not None:
            parts.append(f"-> reqid={request.redirected_to.id}")
        return " ".join(parts)

    def to_json(self) -> NetworkRequestJson:
        """The line as data."""
        request = self._request
        found: NetworkRequestJson = {
            "requestId": request.id,
            "method": request.method,
            "url": self._url(),
            "resourceType": request.resource_type,
            "outcome": request.outcome,
        }
        self._add_optional(found)
        return found

    # -- detailed ------------------------------------------------------------------------------------

    def to_string_detailed(self) -> str:
        """The line, then times, sizes, headers and the redirects that led here."""
        details = self.to_json_detailed()
        lines = [self.to_string()]
        facts = [f"started by {details['initiator']}"]
        if "duration" in details:
            facts.append(f"took {details['duration']:g} ms")
        if "protocol" in details:
            facts.append(details["protocol"])
        if "remoteAddress" in details:
            facts.append(details["remoteAddress"])
        if "mimeType" in details:
            facts.append(details["mimeType"])
        facts.append(f"body {details['bodySize']:,} bytes")
        if "transferSize" in details:
            facts.append(f"{details['transferSize']:,} on the wire")
        lines.append(", ".join(one_line(fact) for fact in facts))
        if self._request.url_length > URL_CHARS and not self._request.url.startswith("data:"):
            lines.append(f"URL: {self._url()}")
        lines += self._header_lines("Request headers", details["requestHeaders"], details["rawRequestHeaders"])
        if "responseHeaders" in details:
            lines += self._header_lines("Response headers", details["responseHeaders"], details["rawResponseHeaders"])
        chain = self._request.redirect_chain
        if chain:
            lines.append("Redirects that led here:")
            lines += [f"  {NetworkFormatter(hop).to_string()}" for hop in chain]
        return "\n".join(lines)

    def to_json_detailed(self) -> NetworkRequestDetailsJson:
        """Everything that is recorded, bodies excepted; contains all of `to_json`."""
        request = self._request
        response = request.response()
        found: NetworkRequestDetailsJson = {
            "requestId": request.id,
            "method": request.method,
            "url": self._url(),
            "resourceType": request.resource_type,
            "outcome": request.outcome,
            "initiator": self._initiator(),
            "bodySize": request.body_bytes,
            "requestHeaders": self._headers(request.request_headers()),
            "rawRequestHeaders": request.has_raw_request_headers,
            "rawResponseHeaders": request.has_raw_response_headers,
        }
        self._add_optional(found)
        if request.wall_time:
            found["startedAt"] = round(request.wall_time * 1000, 3)
        if request.duration is not None:
            found["duration"] = round(request.duration * 1000, 3)
        priority = request.sent().get("request", {}).get("initialPriority")
        if priority:
            found["priority"] = str(priority)
        if response.get("protocol"):
            found["protocol"] = str(response["protocol"])
        if response.get("remoteIPAddress"):
            found["remoteAddress"] = f"{response['remoteIPAddress']}:{response.get('remotePort', 0)}"
        if response.get("mimeType"):
            found["mimeType"] = str(response["mimeType"])
        if request.encoded_bytes is not None:
            found["transferSize"] = request.encoded_bytes
        headers = request.response_headers()
        if headers or response:
            found["responseHeaders"] = self._headers(headers)
        chain = request.redirect_chain
        if chain:
            found["redirectChain"] = [NetworkFormatter(hop).to_json() for hop in chain]
        return found

    # -- parts ---------------------------------------------------------------------------------------

    def _url(self) -> str:
        return url_text(self._request.url, self._request.url_length, JSON_URL_CHARS)

    def _add_optional(self, found: NetworkRequestJson) -> None:
        request = self._request
        if request.status is not None:
            found["status"] = request.status
        error = self._error()
        if error:
            found["error"] = error
        if request.from_cache:
            found["fromCache"] = request.from_cache
        if request.from_service_worker:
            found["fromServiceWorker"] = True
        if request.source != "page":
            found["source"] = request.source
        if request.redirected_to is not None:
            found["redirectedTo"] = request.redirected_to.id

    def _state(self) -> str:
        """What the status alone does not say."""
        request = self._request
        outcome = request.outcome
        if outcome in ("pending", "receiving", "open", "download"):
            return outcome
        if outcome == "unfinished":
            return f"no end recorded: {request.left_behind}"
        error = self._error()
        return f"{outcome} {error}".rstrip() if outcome in ("failed", "aborted", "blocked") else ""

    def _error(self) -> str:
        request = self._request
        outcome = request.outcome
        if outcome == "blocked":
            reason = f"by CORS: {request.cors_error}" if request.cors_error else f"by {request.blocked_reason}"
            return one_line(reason)
        return one_line(request.error_text) if outcome in ("failed", "aborted") else ""

    def _initiator(self) -> str:
        request = self._request
        initiator = request.initiator()
        frames = initiator.get("stack", {}).get("callFrames", [])
        if frames:
            top = frames[0]
            url, line, column = top.get("url", ""), top.get("lineNumber", 0) + 1, top.get("columnNumber", 0) + 1
            return one_line(f"{request.initiator_type} {url}:{line}:{column}")
        if initiator.get("url"):
            line = f":{initiator['lineNumber'] + 1:g}" if "lineNumber" in initiator else ""
            return one_line(f"{request.initiator_type} {initiator['url']}{line}")
        return one_line(request.initiator_type)

    def _headers(self, headers: dict[str, str]) -> dict[str, str]:
        if not self._redact:
            return headers
        return {
            name: f"(redacted, {len(value)} characters)" if name.lower() in SECRET_HEADERS else value
            for name, value in headers.items()
        }

    @staticmethod
    def _header_lines(title: str, headers: dict[str, str], raw: bool) -> list[str]:
        lines = [f"{title}{'' if raw else ' (as far as the page can see)'}:"]
        for name, value in headers.items():
            # Headers that came several times arrive joined by newlines: one line each.
            lines += [f"  {one_line(name)}: {shortened(one_line(part), HEADER_CHARS)}" for part in value.split("\n")]
        return lines
