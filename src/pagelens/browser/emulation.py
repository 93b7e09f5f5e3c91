"""What one page is made to believe: the one owner of all overrides, and of where each of them must be written.

What was measured (Chromium 156) and decided:

* Chrome keeps what a session was told across navigations, changes of process, crashes and restores from the
  back/forward cache; it ends with the session. So it is written once, into the paused initialisation of each session,
  and again when it changes.
* A frame in a process of its own inherits the colour scheme only. It gets the other media features, touch, the CPU's
  rate, the user agent and the headers in its own session. It can't be told the device's pixel ratio: such frames see
  that of the real display (Chrome takes the command from top-level pages only). Nor the place: that is the page's, and
  a frame that was told it would take it away from the page when it ends.
* Workers need headers and the user agent; only the request for the script of a worker within a worker keeps the real
  one. The CPU's rate is for main threads. Service and shared workers belong to no page: they are told nothing.
* A popup has its opener's settings before its first request; afterwards the two go their own ways. Pages that were
  opened in other ways begin with none. One that does not know its opener (``noopener``) has its client hints made
  before it can be told anything: they are put right by extra headers until its first document is there (30 of 30).
  Chrome sends hints to trustworthy origins only, and where a popup goes is not known yet; it is done for popups of
  such.
* Extra headers go to every server that the page talks to, also after a redirect to another origin: that is how Chrome
  understands them. They make simple cross-origin fetches ask for leave first (preflight).
* ``Emulation.setTouchEmulationEnabled`` changes media features at once, ``'ontouchstart' in window`` with the next
  document.
* Permission for the place is granted to the page's whole context when that is ours. In a user's own one it would let
  the other tabs learn where they really are: there it is granted to each origin that the page itself shows (frames are
  asked about under the origin of their page), when that is first requested. A script that asks first thing may be
  quicker: on an idle machine it was in none of 20 loads, redirects included. Permissions can be given back for a whole
  context only, which is done when its last page has stopped.
"""

from __future__ import annotations

import asyncio
import dataclasses
import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import msgspec

from pagelens.browser.emulated import NOTHING, Emulated
from pagelens.browser.user_agent import hint_headers, override_for
from pagelens.cdp.messages import event_decoder
from pagelens.core.url_parts import parse_url
from pagelens.errors import EmulationFailed, PagelensError, SessionClosed

if TYPE_CHECKING:
    from pagelens.browser.page import Page
    from pagelens.browser.page_frames import Navigated
    from pagelens.browser.page_sessions import AttachedSession
    from pagelens.cdp.session import Reply, Session

__all__ = ["PageEmulation"]

log = logging.getLogger(__name__)

#: How long frames and workers are waited for that have their own sessions. What they were told holds when they answer.
OTHERS = 1.0

_Command = tuple[str, dict[str, Any]]


@dataclass(frozen=True)
class _Aspect:
    """Settings that Chrome takes together.

    Attributes:
        words: what messages call them.
        fields: of `Emulated`.
        commands: what a kind of session is told; the arguments are the settings, the kind, and the browser's product.
    """

    words: str
    fields: tuple[str, ...]
    commands: Callable[[Emulated, str, str], list[_Command]]

    def is_active(self, settings: Emulated) -> bool:
        """Whether any of them differs from the truth."""
        return any(getattr(settings, name) != getattr(NOTHING, name) for name in self.fields)


def _network(settings: Emulated, kind: str, product: str) -> list[_Command]:
    return []  # the one owner of these commands is `NetworkRules`


def _cpu(settings: Emulated, kind: str, product: str) -> list[_Command]:
    if kind == "worker":
        return []
    return [("Emulation.setCPUThrottlingRate", {"rate": settings.cpu_throttling_rate})]


def _geolocation(settings: Emulated, kind: str, product: str) -> list[_Command]:
    if kind != "page":
        return []
    place = settings.geolocation
    if place is None:
        return [("Emulation.clearGeolocationOverride", {})]
    return [("Emulation.setGeolocationOverride", dataclasses.asdict(place))]


def _user_agent(settings: Emulated, kind: str, product: str) -> list[_Command]:
    text = settings.user_agent
    return [("Emulation.setUserAgentOverride", override_for(text, product) if text else {"userAgent": ""})]


def _media(settings: Emulated, kind: str, product: str) -> list[_Command]:
    if kind == "worker":
        return []
    features = {
        "prefers-color-scheme": settings.color_scheme,
        "forced-colors": settings.forced_colors,
        "prefers-contrast": settings.prefers_contrast,
        "prefers-reduced-motion": settings.prefers_reduced_motion,
    }
    # All of them each time: Chrome resets those that a call leaves out.
    listed = [{"name": name, "value": value or ""} for name, value in features.items()]
    return [("Emulation.setEmulatedMedia", {"features": listed})]


def _viewport(settings: Emulated, kind: str, product: str) -> list[_Command]:
    if kind == "worker":
        return []
    viewport = settings.viewport
    has_touch = viewport is not None and viewport.touch
    touch: dict[str, Any] = {"enabled": has_touch, **({"maxTouchPoints": 5} if has_touch else {})}
    commands: list[_Command] = [("Emulation.setTouchEmulationEnabled", touch)]
    if kind != "page":
        return commands
    if viewport is None:
        return [("Emulation.clearDeviceMetricsOverride", {}), *commands]
    metrics: dict[str, Any] = {
        "width": viewport.width,
        "height": viewport.height,
        "deviceScaleFactor": viewport.device_pixel_ratio,
        "mobile": viewport.mobile,
    }
    if viewport.landscape:
        metrics["screenOrientation"] = {"type": "landscapePrimary", "angle": 90}
    elif viewport.mobile and viewport.height >= viewport.width:
        metrics["screenOrientation"] = {"type": "portraitPrimary", "angle": 0}
    return [("Emulation.setDeviceMetricsOverride", metrics), *commands]


def _headers(settings: Emulated, kind: str, product: str) -> list[_Command]:
    return [("Network.setExtraHTTPHeaders", {"headers": dict(settings.headers)})]


_NETWORK = _Aspect("network conditions", ("network",), _network)
_GEOLOCATION = _Aspect("geolocation", ("geolocation",), _geolocation)
_ASPECTS = (
    _NETWORK,
    _Aspect("CPU throttling", ("cpu_throttling_rate",), _cpu),
    _GEOLOCATION,
    _Aspect("user agent", ("user_agent",), _user_agent),
    _Aspect("media features", ("color_scheme", "forced_colors", "prefers_contrast", "prefers_reduced_motion"), _media),
    _Aspect("viewport", ("viewport",), _viewport),
    _Aspect("extra headers", ("headers",), _headers),
)


class _Address(msgspec.Struct, gc=False):
    url: str


class _Request(msgspec.Struct, gc=False):
    request: _Address
    frameId: str = ""


_decode_request = event_decoder(_Request)


class PageEmulation:
    """The settings of one page, and what makes them true. Everybody who works on the page shares them.

    Attributes:
        settings: what the page is made to believe now.
        is_resized: whether its window was given a size after it had been opened (`pagelens.browser.window`).
    """

    def __init__(self, page: Page) -> None:
        self._page = page
        self.settings: Emulated = NOTHING if page.opener is None else page.opener.emulation.settings
        self.is_resized = False
        self._sessions: dict[str, AttachedSession] = {}
        self._granted: set[str] = set()
        self._unlisten: Callable[[], None] | None = None
        self._has_hint_headers = False
        self._changing = asyncio.Lock()
        page.session_attached.connect(self._attached)
        page.navigated.connect(self._navigated)
        page.closed_signal.connect(lambda _: self._give_permissions_back())

    @property
    def patience(self) -> float:
        """How many times as long as usual things may take on this page."""
        return self.settings.patience

    async def change(self, changes: Mapping[str, Any]) -> list[str]:
        """Change some settings; those that are not named stay as they are.

        Args:
            changes: attributes of `Emulated` and their new values; None resets one.

        Returns:
            What a reader must know besides, in sentences.

        Raises:
            InvalidInput: a value can't be; nothing was changed.
            EmulationFailed: Chrome did not take all of them; says which it did take. The others are as they were.
            PageClosed, PageCrashed, DialogOpen: the page can't be asked; nothing was changed.
        """
        page = self._page
        named = {name: getattr(NOTHING, name) if value is None else value for name, value in changes.items()}
        dataclasses.replace(self.settings, **named)  # refused before anything waits
        async with self._changing:
            page.raise_if_unusable()
            if page.held_by is not None:
                raise page.dialog_error()
            before = self.settings
            self.settings = dataclasses.replace(before, **named)
            aspects = [aspect for aspect in _ASPECTS if named.keys() & set(aspect.fields)]
            told = [(aspect, self._tell(aspect)) for aspect in aspects]
            notes = await self._until_document([pair for _, replies in told for pair in replies])
            failed: dict[_Aspect, PagelensError] = {}
            for aspect, replies in told:
                try:
                    await self._taken(aspect, replies, is_waiting=not notes)
                except PagelensError as error:
                    if page.closed is not None:
                        raise
                    failed[aspect] = error
            if not notes:
                notes += await self._others([pair for _, replies in told for pair in replies])
            if failed:
                self._take_back(before, failed)
                raise EmulationFailed(
                    "Not applied: " + "; ".join(f"{aspect.words} ({error})" for aspect, error in failed.items()) + ".",
                    _rest(aspect.words for aspect in aspects if aspect not in failed),
                )
        return notes + self._missed(before)

    # -- telling Chrome ------------------------------------------------------------------------------

    def _commands(self, aspect: _Aspect, attached: AttachedSession) -> list[_Command]:
        return aspect.commands(self.settings, attached.kind, self._page.host.product)

    def _tell(self, aspect: _Aspect) -> list[tuple[AttachedSession, Reply]]:
        """Write one aspect to every session there is, without waiting."""
        if aspect is _NETWORK:
            rules, sessions = self._page.host.rules, self._sessions
            posted = rules.post_conditions(self._page, self.settings.conditions)
            return [(sessions[session.id], reply) for session, reply in posted if session.id in sessions]
        return [
            (attached, attached.session.post(*command))
            for attached in list(self._sessions.values())
            for command in self._commands(aspect, attached)
        ]

    async def _until_document(self, replies: list[tuple[AttachedSession, Reply]]) -> list[str]:
        """Say so when the page is between two documents: Chrome keeps most commands until the next one is there."""
        page = self._page
        load = page.loads.of(page.main_frame.id)
        own = [reply for attached, reply in replies if attached.kind == "page"]
        for reply in own:
            reply.on_done(page.loads.touch)
        if await page.loads.wait(lambda: all(reply.done for reply in own), OTHERS) or not load.is_under_way:
            return []
        address = page.printable(load.started_url)
        return [
            f"The page is on its way to {address}: it holds from that document on, maybe not for its first scripts."
        ]

    async def _taken(self, aspect: _Aspect, replies: list[tuple[AttachedSession, Reply]], *, is_waiting: bool) -> None:
        """Wait until the page has taken an aspect, with what belongs to it; unless Chrome keeps that for later."""
        page = self._page
        if aspect is _GEOLOCATION:
            self._listen()
            if self.settings.geolocation is None:
                self._give_permissions_back()
            elif (grant := self._grant(page.url)) is not None:
                await grant
        for attached, reply in replies:
            if attached.kind == "page" and (is_waiting or reply.done):
                await page.guarded(reply)

    async def _others(self, replies: list[tuple[AttachedSession, Reply]]) -> list[str]:
        """Give frames and workers with sessions of their own a moment; say how many have not answered."""
        loads = self._page.loads
        others = [(attached, reply) for attached, reply in replies if attached.kind != "page"]
        for _, reply in others:
            reply.on_done(loads.touch)
        await loads.wait(lambda: all(reply.done for _, reply in others), OTHERS)
        for attached, reply in others:
            if reply.failed:
                _log_refusal(attached, reply)
        silent = {attached.session.id for attached, reply in others if not reply.done}
        if not silent:
            return []
        return [f"Of its frames and workers, {len(silent)} did not answer yet: it holds there as soon as they do."]

    def _take_back(self, before: Emulated, failed: Mapping[_Aspect, PagelensError]) -> None:
        """Have the former values of what failed in force again, also where it was taken."""
        fields = [name for aspect in failed for name in aspect.fields]
        self.settings = dataclasses.replace(self.settings, **{name: getattr(before, name) for name in fields})
        for aspect in failed:
            self._tell(aspect)
        if _GEOLOCATION in failed:
            self._listen()

    def _missed(self, before: Emulated) -> list[str]:
        """What the document that is open can't know any more, in a sentence."""
        now = self.settings
        had_touch, has_touch = (settings.viewport is not None and settings.viewport.touch for settings in (before, now))
        fresh = [
            name
            for name, differs in (
                ("the touch screen", had_touch != has_touch),
                ("the user agent", before.user_agent != now.user_agent),
                ("the headers", before.headers != now.headers),
            )
            if differs
        ]
        if not fresh or not self._page.url.startswith(("http:", "https:", "file:")):
            return []
        return [f"What is open was loaded before: reload the page if it should know of {' and '.join(fresh)}."]

    # -- the place -----------------------------------------------------------------------------------

    def _grant(self, url: str) -> Reply | None:
        """Let a document learn where it is; None when it may already, or has no origin."""
        page, host = self._page, self._page.host
        context = {"browserContextId": page.context_id} if page.context_id else {}
        permission = {"permission": {"name": "geolocation"}, "setting": "granted"}
        if not host.is_running:
            return None
        if host.contexts.is_ours(page.context_id):
            if self._granted:
                return None
            self._granted.add("")
            return host.root.post("Browser.setPermission", {**permission, **context})
        try:
            parts = parse_url(url.removeprefix("blob:"))
        except ValueError:
            return None
        origin = f"{parts.scheme}://{parts.host}" + (f":{parts.port}" if parts.port else "")
        if parts.scheme not in ("http", "https") or origin in self._granted:
            return None
        self._granted.add(origin)
        return host.root.post("Browser.setPermission", {**permission, **context, "origin": origin})

    def _give_permissions_back(self) -> None:
        page, host = self._page, self._page.host
        if not self._granted:
            return
        self._granted.clear()
        others = (other for other in host.pages.values() if other is not page and other.context_id == page.context_id)
        if host.is_running and not any(other.emulation.settings.geolocation for other in others):
            context = {"browserContextId": page.context_id} if page.context_id else {}
            host.root.post("Browser.resetPermissions", context)

    def _listen(self) -> None:
        """Hear of the page's documents before they are there, for as long as each must be let learn its place."""
        if self._unlisten is not None:
            self._unlisten()
            self._unlisten = None
        if self.settings.geolocation is not None and not self._page.host.contexts.is_ours(self._page.context_id):
            self._unlisten = self._page.session.on_raw("Network.requestWillBeSent", self._requested)

    def _requested(self, data: bytes) -> None:
        if b'"type":"Document"' in data:
            event = _decode_request(data)
            if event.frameId == self._page.main_frame.id:
                self._grant(event.request.url)

    def _navigated(self, event: Navigated) -> None:
        if not event.is_main:
            return
        if self._has_hint_headers:
            self._has_hint_headers = False
            self._page.session.post("Network.setExtraHTTPHeaders", {"headers": dict(self.settings.headers)})
        if self.settings.geolocation is not None:
            self._grant(event.url)  # a restored document was not requested

    # -- new sessions --------------------------------------------------------------------------------

    def _attached(self, attached: AttachedSession) -> None:
        session = attached.session
        if attached.kind == "page":
            self._sessions.clear()  # those of an earlier connection
        self._sessions[session.id] = attached
        session.on_closed(lambda _: self._forget(session))
        for aspect in _ASPECTS:
            if aspect.is_active(self.settings):
                attached.init += self._commands(aspect, attached)
        if attached.kind == "page":
            self._put_hints_right(attached)
        if attached.kind == "page" and self.settings.geolocation is not None:
            # What an earlier connection had granted is gone with it.
            self._granted.clear()
            self._unlisten = None
            self._listen()
            self._grant(self._page.url)

    def _put_hints_right(self, attached: AttachedSession) -> None:
        """Have the first request of a popup tell the browser that is emulated."""
        opener, agent = self._page.opener, self.settings.user_agent
        if opener is None or agent is None or self._page.main_frame.url or not _is_trustworthy(opener.url):
            return
        hints = hint_headers(override_for(agent, self._page.host.product))
        if hints:
            self._has_hint_headers = True
            headers = {**self.settings.headers, **hints}
            attached.init.append(("Network.setExtraHTTPHeaders", {"headers": headers}))

    def _forget(self, session: Session) -> None:
        self._sessions.pop(session.id, None)


def _is_trustworthy(url: str) -> bool:
    """Whether Chrome sends client hints there (https://w3c.github.io/webappsec-secure-contexts/)."""
    try:
        parts = parse_url(url)
    except ValueError:
        return False
    is_local = (
        parts.host in ("localhost", "[::1]") or parts.host.startswith("127.") or parts.host.endswith(".localhost")
    )
    return parts.scheme == "https" or (parts.scheme == "http" and is_local)


def _rest(applied: Any) -> str:
    words = ", ".join(applied)
    return f"Applied all the same: {words}." if words else "Nothing else was asked for, so nothing has changed."


def _log_refusal(attached: AttachedSession, reply: Reply) -> None:
    try:
        reply.result()
    except SessionClosed:
        pass  # it went away
    except PagelensError as error:
        # Some kinds of workers lack the domain.
        level = logging.DEBUG if attached.kind == "worker" else logging.WARNING
        log.log(level, "emulation of a %s: %s", attached.kind, error)
