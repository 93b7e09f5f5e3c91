"""What pages asked for, and what they got."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING, Any

from pagelens.collectors.network_request import CacheKind, NetworkRequest, Outcome, RequestSource
from pagelens.collectors.stream_messages import StreamMessage
from pagelens.errors import DeadlineExceeded, PageClosed, RecordGone

if TYPE_CHECKING:
    from pagelens.api.page import Page

__all__ = ["Request", "Response"]


class Request:
    """One request of a page, or one hop of a redirect chain. It is a view: it changes as the request goes on."""

    def __init__(self, page: Page, record: NetworkRequest) -> None:
        self._page = page
        self._record = record

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Request) and other._record is self._record

    def __hash__(self) -> int:
        return hash(self._record)

    def __repr__(self) -> str:
        return f"<Request {self.id} {self.method} {self.url[:80]} {self.outcome}>"

    @property
    def id(self) -> int:
        """Our number for it, unique in the browser (the tools' ``reqid``)."""
        return self._record.id

    @property
    def page(self) -> Page:
        """The page that sent it."""
        return self._page

    @property
    def url(self) -> str:
        """The address, with its fragment; ``data:`` addresses are cut to their beginning."""
        return self._record.url

    @property
    def method(self) -> str:
        """``GET``, ``POST``…"""
        return self._record.method

    @property
    def resource_type(self) -> str:
        """``document``, ``script``, ``image``, ``fetch``, ``xhr``, ``websocket``, ``preflight``…"""
        return self._record.resource_type

    @property
    def source(self) -> RequestSource:
        """Who asked: ``page`` (with its same-process frames), ``iframe`` in another process, or ``worker``."""
        return self._record.source

    @property
    def is_navigation(self) -> bool:
        """Whether it was sent to load the page's main document."""
        return self._record.is_main_document

    @property
    def outcome(self) -> Outcome:
        """How it ended, or that it has not: ``pending``, ``receiving``, ``finished``, ``failed``, ``redirected``…"""
        return self._record.outcome

    @property
    def failure(self) -> str | None:
        """Chrome's word for a failure (``net::ERR_…``), None when there is none."""
        return self._record.error_text or None

    @property
    def headers(self) -> dict[str, str]:
        """As sent where Chrome told, else as the page set them. A new dict each time."""
        return self._record.request_headers()

    @property
    def post_data(self) -> str | None:
        """Its body when that is small text, else None."""
        return self._record.post_data()

    async def body(self) -> bytes | None:
        """The body it carried, whole and of any type; None when it carried none.

        Raises:
            RecordGone: it is no longer kept.
        """
        found = await self._page._mcp.network.bodies.request_body(self._record)
        return None if found is None else found.data

    @property
    def messages(self) -> list[StreamMessage]:
        """Of a WebSocket or an event stream: what went over it, oldest first, as far as it is kept. Else empty."""
        return self._record.messages.kept if self._record.messages is not None else []

    @property
    def started(self) -> float:
        """Seconds since 1970."""
        return self._record.wall_time

    @property
    def duration(self) -> float | None:
        """Seconds from start to end; None while it has no end."""
        return self._record.duration

    @property
    def redirected_from(self) -> Request | None:
        """The hop before it."""
        before = self._record.redirected_from
        return None if before is None else Request(self._page, before)

    @property
    def redirected_to(self) -> Request | None:
        """The hop after it."""
        after = self._record.redirected_to
        return None if after is None else Request(self._page, after)

    @property
    def response(self) -> Response | None:
        """The answer, None while there is none."""
        return Response(self) if self._record.status is not None else None

    @property
    def _is_over(self) -> bool:
        return self._record.state != "pending" or bool(self._record.left_behind)

    async def finished(self, *, timeout: float = 30.0) -> Outcome:
        """Wait for its end, at most `timeout` seconds; returns its outcome.

        Raises:
            DeadlineExceeded: it has not ended in time.
            PageClosed: the page was closed before.
        """
        collector = self._page._mcp.network
        engine = self._page._engine
        changed = asyncio.Event()
        disconnect = [
            collector.finished.connect(lambda _: changed.set()),
            engine.closed_signal.connect(lambda _: changed.set()),
        ]
        end = asyncio.get_running_loop().time() + timeout
        try:
            while not self._is_over:
                if engine.closed is not None:
                    raise PageClosed(f"The page was closed before {self.url[:200]} had been loaded.")
                changed.clear()
                try:
                    async with asyncio.timeout_at(end):
                        await changed.wait()
                except TimeoutError:
                    raise DeadlineExceeded(
                        f"{self.url[:200]} was not loaded completely after {timeout:g} s.", "Ask again later."
                    ) from None
        finally:
            for off in disconnect:
                off()
        return self.outcome


class Response:
    """The answer to a `Request`."""

    def __init__(self, request: Request) -> None:
        self._request = request
        self._record = request._record

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Response) and other._record is self._record

    def __hash__(self) -> int:
        return hash((Response, self._record))

    def __repr__(self) -> str:
        return f"<Response {self.status} {self.url[:80]}>"

    @property
    def request(self) -> Request:
        """What it answers."""
        return self._request

    @property
    def url(self) -> str:
        """The request's address."""
        return self._record.url

    @property
    def status(self) -> int:
        """The HTTP status as the server sent it."""
        return self._record.status or 0

    @property
    def ok(self) -> bool:
        """Whether the status is 200 to 299."""
        return 200 <= self.status < 300

    @property
    def headers(self) -> dict[str, str]:
        """As received where Chrome told, names as sent; repeated ones are joined by newlines. A new dict each time."""
        return self._record.response_headers()

    @property
    def from_cache(self) -> CacheKind | None:
        """``memory``, ``disk`` or ``prefetch`` when it did not come from the network."""
        return self._record.from_cache

    @property
    def from_service_worker(self) -> bool:
        """Whether a service worker gave it."""
        return self._record.from_service_worker

    async def body(self, *, timeout: float = 30.0) -> bytes:
        """The body, decompressed; waits for its end first, at most `timeout` seconds.

        Raises:
            RecordGone: Chrome has no body of it (a redirect, a failure, one dropped for want of room).
            DeadlineExceeded, PageClosed: see `Request.finished`.
        """
        outcome = await self._request.finished(timeout=timeout)
        if outcome == "redirected":
            raise RecordGone(f"{self.url[:200]} has no body: it is a redirect.", "Ask redirected_to.")
        return (await self._request.page._mcp.network.bodies.response_body(self._record)).data

    async def text(self, *, timeout: float = 30.0) -> str:
        """The body as UTF-8 text, with U+FFFD for what is none; raises as `body`."""
        return (await self.body(timeout=timeout)).decode("utf-8", "replace")

    async def json(self, *, timeout: float = 30.0) -> Any:
        """The body as JSON.

        Raises:
            ValueError: it is none; and what `body` raises.
        """
        return json.loads(await self.body(timeout=timeout))
