"""A recorded request in words and in JSON."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NotRequired, TypedDict

from pagelens.core.safe_text import one_line, shortened
from pagelens.response.formatters.body import BodyFormatter, BodyJson
from pagelens.response.formatters.headers import header_lines, redacted

if TYPE_CHECKING:
    from pagelens.collectors.network_request import NetworkRequest

__all__ = ["NetworkFormatter", "NetworkRequestDetailsJson", "NetworkRequestJson", "NetworkRow", "url_text"]

#: Characters of a URL in a list, in JSON and details, of a ``data:`` URL anywhere.
URL_CHARS = 500
JSON_URL_CHARS = 4_000
DATA_URL_CHARS = 60
#: Calls of the stack that sent a request.
STACK_CALLS = 10


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
    rule: NotRequired[int]
    redirectedTo: NotRequired[int]


class NetworkRow(TypedDict):
    """A request as a row of a table; `note` says what the status does not: how it failed, where it came from."""

    reqid: int
    method: str
    url: str
    status: int | None
    type: str
    note: str | None


class NetworkRequestDetailsJson(NetworkRequestJson):
    """A request in full. Times in milliseconds, sizes in bytes.

    Headers are those on the wire when ``rawRequestHeaders`` and ``rawResponseHeaders`` are true, else
    those that the page could set or see; ``headersRedacted`` when the values of secret ones are not in it.
    ``timing`` as in `NetworkRequest.timing`; ``messages`` counts those of a socket or event stream.
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
    headersRedacted: NotRequired[bool]
    statusText: NotRequired[str]
    timing: NotRequired[dict[str, float]]
    initiatorStack: NotRequired[list[str]]
    preflightFor: NotRequired[int]
    askedByServiceWorker: NotRequired[list[int]]
    messages: NotRequired[int]
    requestBody: NotRequired[BodyJson]
    responseBody: NotRequired[BodyJson]


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
        preflight_for: of a preflight, the reqid of the request that it was sent for.
        asked_by_worker: reqids of what the service worker that answered it asked for itself.
    """

    def __init__(
        self,
        request: NetworkRequest,
        *,
        redact_headers: bool = True,
        preflight_for: int | None = None,
        asked_by_worker: Sequence[int] = (),
    ) -> None:
        self._request = request
        self._redact = redact_headers
        self._preflight_for = preflight_for
        self._asked_by_worker = list(asked_by_worker)

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
        parts += [one_line(request.resource_type), *self._marks()]
        return " ".join(parts)

    def to_row(self) -> NetworkRow:
        """The line as a row of a table."""
        request = self._request
        state = self._state()
        return {
            "reqid": request.id,
            "method": one_line(request.method),
            "url": url_text(request.url, request.url_length),
            "status": request.status,
            "type": one_line(request.resource_type),
            "note": " ".join([f"[{state}]", *self._marks()] if state else self._marks()) or None,
        }

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

    def to_string_detailed(
        self, *, request_body: BodyFormatter | None = None, response_body: BodyFormatter | None = None
    ) -> str:
        """The line, then times, sizes, who asked, headers, bodies as given, and the redirects that led here."""
        request = self._request
        details = self.to_json_detailed()
        lines = [self.to_string()]
        if request.url_length > URL_CHARS and not request.url.startswith("data:"):
            lines.append(f"URL: {self._url()}")
        facts = []
        if "statusText" in details:
            facts.append(details["statusText"])
        for key in ("mimeType", "protocol", "remoteAddress"):
            if key in details:
                facts.append(str(details[key]))
        if "priority" in details:
            facts.append(f"priority {details['priority']}")
        facts.append(f"body {details['bodySize']:,} bytes")
        if "transferSize" in details:
            facts.append(f"{details['transferSize']:,} on the wire")
        lines.append(", ".join(one_line(fact) for fact in facts))
        if "duration" in details:
            phases = ", ".join(f"{name} {spent:g}" for name, spent in details.get("timing", {}).items())
            lines.append(f"Took {details['duration']:g} ms{f' ({phases})' if phases else ''}")
        lines.append(f"Initiator: {details['initiator']}")
        lines += [f"  {call}" for call in details.get("initiatorStack", [])[1:]]
        if "preflightFor" in details:
            lines.append(f"Preflight for reqid={details['preflightFor']}")
        if self._asked_by_worker:
            asked = ", ".join(f"reqid={number}" for number in self._asked_by_worker)
            lines.append(f"The service worker asked the server itself: {asked}")
        lines += self._headers_block("Request headers", details["requestHeaders"], details["rawRequestHeaders"])
        if request_body is not None:
            lines.append(request_body.to_string())
        if "responseHeaders" in details:
            lines += self._headers_block("Response headers", details["responseHeaders"], details["rawResponseHeaders"])
        if "headersRedacted" in details:
            lines.append("Values of secret headers are left out; the user's --no-redact-network-headers shows them.")
        if response_body is not None:
            lines.append(response_body.to_string())
        if request.messages is not None:
            lines.append(
                f"{request.messages.total:,} messages ({request.messages.sent_bytes:,} bytes sent, "
                f"{request.messages.received_bytes:,} received): list_websocket_messages reqid={request.id} shows them."
            )
        chain = request.redirect_chain
        if chain:
            lines.append("Redirects that led here:")
            lines += [f"  {NetworkFormatter(hop).to_string()}" for hop in chain]
        return "\n".join(lines)

    def to_json_detailed(
        self, *, request_body: BodyFormatter | None = None, response_body: BodyFormatter | None = None
    ) -> NetworkRequestDetailsJson:
        """Everything that is recorded, and bodies as given; contains all of `to_json`."""
        request = self._request
        response = request.response()
        sent, received = request.request_headers(), request.response_headers()
        found: NetworkRequestDetailsJson = {
            "requestId": request.id,
            "method": request.method,
            "url": self._url(),
            "resourceType": request.resource_type,
            "outcome": request.outcome,
            "initiator": self._initiator(),
            "bodySize": request.body_bytes,
            "requestHeaders": self._headers(sent),
            "rawRequestHeaders": request.has_raw_request_headers,
            "rawResponseHeaders": request.has_raw_response_headers,
        }
        self._add_optional(found)
        if request.wall_time:
            found["startedAt"] = round(request.wall_time * 1000, 3)
        if request.duration is not None:
            found["duration"] = round(request.duration * 1000, 3)
        if request.priority:
            found["priority"] = request.priority
        for key, name in (("protocol", "protocol"), ("statusText", "statusText"), ("mimeType", "mimeType")):
            if response.get(name):
                found[key] = one_line(str(response[name]))  # type: ignore[literal-required]
        if response.get("remoteIPAddress"):
            found["remoteAddress"] = f"{response['remoteIPAddress']}:{response.get('remotePort', 0)}"
        if request.encoded_bytes is not None:
            found["transferSize"] = request.encoded_bytes
        timing = request.timing()
        if timing:
            found["timing"] = timing
        stack = self._stack()
        if len(stack) > 1:
            found["initiatorStack"] = stack
        if self._preflight_for is not None:
            found["preflightFor"] = self._preflight_for
        if self._asked_by_worker:
            found["askedByServiceWorker"] = self._asked_by_worker
        if received or response:
            found["responseHeaders"] = self._headers(received)
        if self._redact and (found["requestHeaders"] != sent or found.get("responseHeaders", received) != received):
            found["headersRedacted"] = True
        if request.messages is not None:
            found["messages"] = request.messages.total
        chain = request.redirect_chain
        if chain:
            found["redirectChain"] = [NetworkFormatter(hop).to_json() for hop in chain]
        if request_body is not None:
            found["requestBody"] = request_body.to_json()
        if response_body is not None:
            found["responseBody"] = response_body.to_json()
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
        if request.rule is not None:
            found["rule"] = request.rule[0]
        if request.source != "page":
            found["source"] = request.source
        if request.redirected_to is not None:
            found["redirectedTo"] = request.redirected_to.id

    def _marks(self) -> list[str]:
        """Where it came from and went to, when that is out of the ordinary."""
        request = self._request
        marks = []
        if request.from_service_worker:
            marks.append("(from service worker)")
        elif request.from_cache:
            marks.append(f"(from {request.from_cache} cache)")
        if request.rule is not None:
            marks.append(f"[rule {request.rule[0]}: {request.rule[1]}]")
        if request.source != "page":
            marks.append(f"[{request.source.replace('_', ' ')}]")
        if request.redirected_to is not None:
            marks.append(f"-> reqid={request.redirected_to.id}")
        return marks

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
        stack = self._stack()
        if stack:
            return f"{one_line(request.initiator_type)} {stack[0]}"
        if initiator.get("url"):
            line = f":{initiator['lineNumber'] + 1:g}" if "lineNumber" in initiator else ""
            return one_line(f"{request.initiator_type} {initiator['url']}{line}")
        return one_line(request.initiator_type)

    def _stack(self) -> list[str]:
        """The calls that sent it, innermost first, with those before an await."""
        calls: list[str] = []
        stack = self._request.initiator().get("stack")
        while isinstance(stack, dict) and len(calls) < STACK_CALLS:
            for frame in stack.get("callFrames", []):
                url = url_text(str(frame.get("url", "")))
                place = f"{url}:{frame.get('lineNumber', 0) + 1}:{frame.get('columnNumber', 0) + 1}"
                name = one_line(str(frame.get("functionName", "")))
                calls.append(f"{place} in {name}" if name else place)
            stack = stack.get("parent")
        return calls[:STACK_CALLS]

    def _headers(self, headers: dict[str, str]) -> dict[str, str]:
        if not self._redact:
            return headers
        return {name: redacted(name, value) for name, value in headers.items()}

    @staticmethod
    def _headers_block(title: str, headers: dict[str, str], raw: bool) -> list[str]:
        return [f"{title}{'' if raw else ' (as far as the page can see)'}:", *header_lines(headers)]
