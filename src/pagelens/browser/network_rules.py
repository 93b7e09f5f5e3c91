"""What pages may load, and how fast: the one owner of ``Network.emulateNetworkConditionsByRule``.

Chrome has one such list of rules a session, the first that matches a request decides, and setting it replaces what was
set before; so policy, throttling and being offline are composed here and nowhere else.

What was measured (Chromium 156) and decided:

* These rules are applied in the network service, to every hop: navigations of main frames too, redirects, frames,
  subresources, workers, WebSockets, beacons. ``Network.setBlockedURLs`` lets navigations of main frames pass, and
  crashed the renderer of pages with nested ``data:`` frames; it is not used.
* A session has its own rules and inherits none: each gets them in its paused initialisation. A shared worker takes them
  only once ``Network.enable`` has been answered (written together with it they were lost in 9 of 10 runs), so workers
  are let run when their rules have been accepted, and never run if they are refused.
* A document can come without any request: from the cache, or from a service worker of an earlier run. A browser that we
  start has its cache emptied first; whatever refused document appears all the same is replaced by about:blank.
* Speculative loading (speculation rules, preconnect) knows no rules: the profile switches it off (see
  `pagelens.browser.preferences`). In a browser that is not ours it stays as the user has it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pagelens.browser.page_sessions import NETWORK_ENABLE, run_when_ready
from pagelens.browser.workers import WORKER_NETWORK_ENABLE
from pagelens.core.deadlines import BROWSER_START
from pagelens.core.urls import UrlPolicy
from pagelens.errors import PagelensError

if TYPE_CHECKING:
    from pagelens.browser.page import Page
    from pagelens.browser.page_frames import Navigated
    from pagelens.browser.page_sessions import AttachedSession
    from pagelens.cdp.session import Reply, Session
    from pagelens.core.options import Options

__all__ = ["UNTHROTTLED", "Conditions", "NetworkRules"]

_METHOD = "Network.emulateNetworkConditionsByRule"
_STATE_METHOD = "Network.overrideNetworkState"
#: What a request ends with that a rule refused. Chrome takes them for "offline".
_REFUSED = frozenset({"net::ERR_INTERNET_DISCONNECTED", "net::ERR_BLOCKED_BY_CLIENT"})


@dataclass(frozen=True, slots=True)
class Conditions:
    """How a page's network behaves.

    Attributes:
        offline: nothing can be reached.
        latency: least milliseconds from a request to its response.
        download, upload: most bytes per second; -1: no limit.
    """

    offline: bool = False
    latency: float = 0
    download: float = -1
    upload: float = -1


UNTHROTTLED = Conditions()


class NetworkRules:
    """The rules of one browser.

    Attributes:
        policy: which addresses may be loaded.

    Raises:
        InvalidInput: the options have a pattern that can't be enforced.
    """

    def __init__(self, options: Options) -> None:
        self.policy = UrlPolicy(options)
        self._blocked = self.policy.blocked_rules()
        self._allowed = self.policy.allowed_rules()
        self._conditions: dict[int, Conditions] = {}
        self._sessions: dict[int, list[Session]] = {}

    # -- pages ---------------------------------------------------------------------------------------

    def watch(self, page: Page) -> None:
        """Apply the rules to all sessions of a new page. One that another page opened has that page's conditions."""
        self._sessions[page.id] = []
        self._conditions[page.id] = page.emulation.settings.conditions
        page.session_attached.connect(lambda attached: self._attached(page, attached))
        page.closed_signal.connect(lambda _: self._closed(page.id))
        if self.policy.has_rules:
            page.navigated.connect(lambda event: self._navigated(page, event))

    async def forget_cached(self, page: Page) -> None:
        """Empty the cache of the browser that `page` is in, so that no refused document comes from it."""
        if self.policy.has_rules:
            await page.session.send("Network.clearBrowserCache", timeout=BROWSER_START)

    def conditions_of(self, page: Page) -> Conditions:
        """How the page's network behaves now."""
        return self._conditions.get(page.id, UNTHROTTLED)

    async def set_conditions(self, page: Page, conditions: Conditions) -> None:
        """Throttle a page with its frames and workers, or take it offline; `UNTHROTTLED` ends that. Policy stays."""
        for session, reply in self.post_conditions(page, conditions):
            await page.guarded(reply, session=session)

    def post_conditions(self, page: Page, conditions: Conditions) -> list[tuple[Session, Reply]]:
        """`set_conditions` without waiting: what was written to which session."""
        self._conditions[page.id] = conditions
        posted: list[tuple[Session, Reply]] = []
        for session in self._sessions[page.id]:
            if session.closed is None:
                posted.append((session, session.post(_METHOD, self._rules(conditions))))
                # What scripts are told (navigator.onLine) is a matter of its own.
                posted.append((session, session.post(_STATE_METHOD, _state(conditions))))
        return posted

    # -- workers of no page --------------------------------------------------------------------------

    def start_worker(self, session: Session) -> None:
        """Let a new service or shared worker run, under the rules, also when it is started again later.

        Throttling is for pages and does not reach it.
        """
        # A service worker that was stopped keeps its session, and waits in it once more.
        session.on("Inspector.targetReloadedAfterCrash", lambda _: self._run_worker(session))
        session.post("Inspector.enable")
        self._run_worker(session)

    def _run_worker(self, session: Session) -> None:
        commands = self.init_of_worker(UNTHROTTLED, WORKER_NETWORK_ENABLE)
        if commands and session.target_type == "service_worker":
            # Attached to through a page it waits before there is a thread that could answer the first.
            session.post(*commands.pop(0))
        run_when_ready(session, commands)

    def init_of_worker(
        self, conditions: Conditions, enable: tuple[str, dict[str, Any]] = NETWORK_ENABLE
    ) -> list[tuple[str, dict[str, Any]]]:
        """What must be answered before a worker may run."""
        if not self.policy.has_rules and conditions == UNTHROTTLED:
            return []
        return [enable, (_METHOD, self._rules(conditions))]

    # -- in words ------------------------------------------------------------------------------------

    def refused(self, url: str, error: str) -> PagelensError | None:
        """What a request that ended with a ``net::`` error ran into, if the policy is the reason."""
        if error not in _REFUSED or not self.policy.has_rules:
            return None
        why = self.policy.refusal(url)
        return None if why is None else self.policy.refused(url, why)

    def explained(self, url: str, error: str) -> str:
        """A ``net::`` error, or in its place the rule that caused it."""
        if error in _REFUSED and self.policy.has_rules:
            return self.policy.refusal(url) or error
        return error

    # -- rules ---------------------------------------------------------------------------------------

    def _attached(self, page: Page, attached: AttachedSession) -> None:
        self._sessions[page.id].append(attached.session)
        conditions = self.conditions_of(page)
        if attached.kind == "worker":
            attached.ready += self.init_of_worker(conditions)
        elif self.policy.has_rules or conditions != UNTHROTTLED:
            attached.init.append((_METHOD, self._rules(conditions)))
        if conditions != UNTHROTTLED:
            attached.init.append((_STATE_METHOD, _state(conditions)))

    def _navigated(self, page: Page, event: Navigated) -> None:
        if event.kind == "error" or not event.url.lower().startswith(("http:", "https:")):
            return
        why = self.policy.refusal(event.url)
        if why is not None:
            page.news.add(f"A document that may not be loaded was taken away: {why}.")
            event.frame.session.post("Page.navigate", {"url": "about:blank", "frameId": event.frame.id})

    def _closed(self, page_id: int) -> None:
        self._sessions.pop(page_id, None)
        self._conditions.pop(page_id, None)

    def _rules(self, conditions: Conditions) -> dict[str, Any]:
        usual = conditions if not self.policy.is_allowlist else Conditions(offline=True)
        rules = [_rule(pattern, Conditions(offline=True)) for pattern in self._blocked]
        rules += [_rule(pattern, conditions) for pattern in self._allowed]
        if usual != UNTHROTTLED:
            # No pattern: all the rest, WebRTC included.
            rules.append(_rule("", usual))
        return {"matchedNetworkConditions": rules}


def _rule(pattern: str, conditions: Conditions) -> dict[str, Any]:
    return {
        "urlPattern": pattern,
        "offline": conditions.offline,
        "latency": conditions.latency,
        "downloadThroughput": conditions.download,
        "uploadThroughput": conditions.upload,
    }


def _state(conditions: Conditions) -> dict[str, Any]:
    return {
        "offline": conditions.offline,
        "latency": conditions.latency,
        "downloadThroughput": conditions.download,
        "uploadThroughput": conditions.upload,
    }
