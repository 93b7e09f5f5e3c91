"""What becomes of a page's requests: answered by us, failed, held up, sent elsewhere.

The one owner of a page's ``Fetch`` domain, on its own session (which pauses the requests of its workers, too) and on
those of its frames in other processes. Nothing is paused while there is no rule. What is paused goes on in the moment
it is told of, by a command that nobody waits for: a navigation is held up by its own delay only.
"""

from __future__ import annotations

import asyncio
import base64
import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, get_args

from pagelens.core.safe_text import one_line, shortened
from pagelens.core.signals import Signal
from pagelens.core.wildcards import Wildcards
from pagelens.errors import InvalidInput, RecordNotFound

if TYPE_CHECKING:
    from pagelens.browser.page import Page
    from pagelens.browser.page_sessions import AttachedSession
    from pagelens.cdp.session import Session

__all__ = ["AppliedRule", "FailReason", "RequestRule", "RequestRules", "RuleAction"]

log = logging.getLogger(__name__)

RuleAction = Literal["fulfill", "fail", "delay", "rewrite"]
#: Chrome's ``Network.ErrorReason``.
FailReason = Literal[
    "Failed", "Aborted", "TimedOut", "AccessDenied", "ConnectionClosed", "ConnectionReset", "ConnectionRefused",
    "NameNotResolved", "InternetDisconnected", "AddressUnreachable", "BlockedByClient", "BlockedByResponse",
]  # fmt: skip
_REASONS: tuple[str, ...] = get_args(FailReason)
#: Rules that a page may have, and seconds that one may hold a request up.
MAX_RULES = 100
MAX_DELAY = 60.0


@dataclass(frozen=True)
class RequestRule:
    """One rule. The first that matches a request decides.

    Attributes:
        url: what the address contains, whatever the case; ``*`` stands for anything.
        action: what becomes of the request; ``delay`` only holds it up.
        method: only requests of this method; empty: all.
        resource_types: only these, as Chrome calls them, in lower case (``fetch``, ``document``…); empty: all.
        status, headers, body: of the answer (``fulfill``). `headers` are for ``rewrite`` those that are set on the
            request, None takes one away.
        reason: what it fails with (``fail``).
        to_url, to_method, to_body: what is sent in place of what the page sends (``rewrite``); None leaves it.
        delay: seconds that it is held up, for any action.
        times: how often the rule may be used; None: always.

    Raises:
        InvalidInput: a value can't be right.
    """

    url: str
    action: RuleAction
    method: str = ""
    resource_types: frozenset[str] = frozenset()
    status: int = 200
    headers: Mapping[str, str | None] = field(default_factory=dict)
    body: bytes = b""
    reason: FailReason = "Failed"
    to_url: str | None = None
    to_method: str | None = None
    to_body: bytes | None = None
    delay: float = 0.0
    times: int | None = None

    def __post_init__(self) -> None:
        if not 100 <= self.status <= 599:
            raise InvalidInput(f"{self.status} is no HTTP status.", "Give 100 to 599.")
        if self.reason not in _REASONS:
            raise InvalidInput(f"{self.reason!r} is no reason to fail.", f"Give one of {', '.join(_REASONS)}.")
        if not 0 <= self.delay <= MAX_DELAY:
            raise InvalidInput(f"A request can be held up for 0 to {MAX_DELAY:g} s, not {self.delay:g}.")
        for name, value in self.headers.items():
            if not name or any(character in name for character in " \t\r\n:") or not name.isascii():
                raise InvalidInput(f"{shortened(one_line(name), 100)!r} is no name of a header.")
            if value is not None and any(character in value for character in "\r\n\0"):
                raise InvalidInput(f"The value of the header {name} has a line break.")

    def matches(self, url: str, method: str, resource_type: str) -> bool:
        """Whether it is for this request."""
        if self.method and self.method.upper() != method.upper():
            return False
        if self.resource_types and resource_type.lower() not in self.resource_types:
            return False
        return Wildcards(self.url).matches(url)

    def __str__(self) -> str:
        what = {
            "fulfill": f"answered with {self.status}, {len(self.body):,} bytes",
            "fail": f"fail ({self.reason})",
            "delay": "go on",
            "rewrite": f"sent {f'to {shortened(one_line(self.to_url), 200)}' if self.to_url else 'changed'}",
        }[self.action]
        which = " ".join(
            filter(
                None, [self.method.upper(), "/".join(sorted(self.resource_types)), shortened(one_line(self.url), 200)]
            )
        )
        held = f", held up {self.delay:g} s" if self.delay else ""
        return f"{which or 'all'}: {what}{held}"


@dataclass(frozen=True, slots=True)
class AppliedRule:
    """A rule was used on a request.

    Attributes:
        request_id: Chrome's id of the request.
        number: of the rule.
        action: what the rule does.
    """

    request_id: str
    number: int
    action: RuleAction


@dataclass(slots=True)
class _Active:
    rule: RequestRule
    used: int = 0


class RequestRules:
    """The rules of one page. They hold in its frames and workers until they are taken away, over navigations.

    Attributes:
        applied: one was used.
    """

    def __init__(self, page: Page) -> None:
        self._page = page
        self.applied: Signal[AppliedRule] = Signal("applied")
        self._active: dict[int, _Active] = {}
        self._next = 1
        self._refuses_file: Callable[[str], object] | None = None
        self._sessions: dict[str, Session] = {}

    @property
    def active(self) -> dict[int, tuple[RequestRule, int]]:
        """The rules in force by number, each with how often it was used."""
        return {number: (one.rule, one.used) for number, one in self._active.items()}

    async def add(self, rule: RequestRule) -> int:
        """Add a rule, after those there are; returns its number.

        Raises:
            UrlNotAllowed: it would send requests where the user's rules forbid it.
            InvalidInput: there are too many.
        """
        if rule.to_url is not None:
            self._page.host.rules.policy.check(rule.to_url)
        if len(self._active) >= MAX_RULES:
            raise InvalidInput(f"The page has {MAX_RULES} rules already.", "Take some away with clear_request_rules.")
        number, self._next = self._next, self._next + 1
        self._active[number] = _Active(rule)
        await self._apply()
        return number

    async def clear(self, number: int | None = None) -> int:
        """Take one rule away, or all; returns how many.

        Raises:
            RecordNotFound: there is no rule of this number.
        """
        if number is None:
            count = len(self._active)
            self._active.clear()
        elif self._active.pop(number, None) is None:
            known = ", ".join(map(str, self._active)) or "there is none"
            raise RecordNotFound(f"Page {self._page.id} has no request rule {number}.", f"Its rules: {known}.")
        else:
            count = 1
        await self._apply()
        return count

    async def guard_files(self, refuses: Callable[[str], object]) -> None:
        """Fail each request for a file of which `refuses` gives a reason."""
        self.will_guard_files(refuses)
        await self._apply()

    def will_guard_files(self, refuses: Callable[[str], object]) -> None:
        """As `guard_files`, in sessions that are still to be attached."""
        self._refuses_file = refuses

    # -- sessions ------------------------------------------------------------------------------------

    def _patterns(self) -> list[dict[str, Any]]:
        if self._active:
            return [{"urlPattern": "*"}]
        return [{"urlPattern": "file:*"}] if self._refuses_file is not None else []

    def attached(self, attached: AttachedSession) -> None:
        """A session is about to start; all others have had their say about it."""
        if attached.kind == "worker":
            return  # the page's own session pauses its requests
        session = attached.session
        self._sessions[session.id] = session
        session.on("Fetch.requestPaused", lambda p: self._paused(session, p))
        session.on_closed(lambda _: self._ended(session))
        patterns = self._patterns()
        if patterns:
            attached.init.append(("Fetch.enable", {"patterns": patterns}))

    def _ended(self, session: Session) -> None:
        self._sessions.pop(session.id, None)

    async def _apply(self) -> None:
        patterns = self._patterns()
        command = ("Fetch.enable", {"patterns": patterns}) if patterns else ("Fetch.disable", {})
        replies = [(session, session.post(*command)) for session in self._sessions.values()]
        for session, reply in replies:
            await self._page.guarded(reply, session=session)

    # -- requests ------------------------------------------------------------------------------------

    def _paused(self, session: Session, p: dict[str, Any]) -> None:
        request, request_id = p["request"], p["requestId"]
        url: str = request["url"]
        if self._refuses_file is not None and url.lower().startswith("file:"):
            why = self._refuses_file(url)
            if why is not None:
                log.info("a page was refused a file: %s", why)
                session.post("Fetch.failRequest", {"requestId": request_id, "errorReason": "AccessDenied"})
                return
        for number, one in self._active.items():
            rule = one.rule
            if (rule.times is None or one.used < rule.times) and rule.matches(
                url, request["method"], p.get("resourceType", "")
            ):
                one.used += 1
                method, params = _answer(rule, request)
                if p.get("networkId"):
                    self.applied.emit(AppliedRule(p["networkId"], number, rule.action))
                if rule.delay:
                    asyncio.get_running_loop().call_later(
                        rule.delay, session.post, method, {"requestId": request_id, **params}
                    )
                else:
                    session.post(method, {"requestId": request_id, **params})
                return
        session.post("Fetch.continueRequest", {"requestId": request_id})


def _answer(rule: RequestRule, request: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    """The command that a rule answers a paused request with."""
    if rule.action == "fail":
        return "Fetch.failRequest", {"errorReason": rule.reason}
    if rule.action == "fulfill":
        headers = {name: value for name, value in rule.headers.items() if value is not None}
        asked = {name.lower(): value for name, value in request.get("headers", {}).items()}
        given = {name.lower() for name in headers}
        if "origin" in asked and "access-control-allow-origin" not in given:
            # A script of another origin may read it: the answer is meant for it.
            headers["Access-Control-Allow-Origin"] = asked["origin"]
            headers["Access-Control-Allow-Credentials"] = "true"
            if request["method"] == "OPTIONS" and "access-control-request-method" in asked:
                headers["Access-Control-Allow-Methods"] = asked["access-control-request-method"]
                headers["Access-Control-Allow-Headers"] = asked.get("access-control-request-headers", "")
        return "Fetch.fulfillRequest", {
            "responseCode": rule.status,
            "responseHeaders": [{"name": name, "value": value} for name, value in headers.items()],
            "body": base64.b64encode(rule.body).decode(),
        }
    params: dict[str, Any] = {}
    if rule.action == "rewrite":
        if rule.to_url is not None:
            params["url"] = rule.to_url
        if rule.to_method is not None:
            params["method"] = rule.to_method
        if rule.to_body is not None:
            params["postData"] = base64.b64encode(rule.to_body).decode()
        if rule.headers:
            changed = {name.lower() for name in rule.headers}
            kept = {n: v for n, v in request.get("headers", {}).items() if n.lower() not in changed}
            wanted = {**kept, **{n: v for n, v in rule.headers.items() if v is not None}}
            params["headers"] = [{"name": name, "value": value} for name, value in wanted.items()]
    return "Fetch.continueRequest", params
