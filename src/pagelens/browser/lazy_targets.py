"""Pages of a browser that is not ours: all of them listed at once, each attached to when it is used.

What was measured (Chromium 156) and decided:

* Only the root's auto-attach stops a new page before its first request and script; neither a page's own auto-attach
  nor ``Target.autoAttachRelated`` announces popups. But it attaches to every page there is.
* A page that is attached to can't be put to sleep by Chrome's Memory Saver ("Tab is currently using DevTools"), so
  thirty tabs of a user must not stay attached. Detaching from what auto-attach brought is final: it does not come back.
* So: the root attaches itself, and whatever is no popup of a page in use is let go in the same moment. A page is
  attached to by ``Target.attachToTarget`` when it is first used.
* Whether a page answers is found out then and not before. Listing needs the browser process only.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pagelens.browser.workers import WORKER_TYPES
from pagelens.core.deadlines import COMMAND
from pagelens.errors import CommandTimeout, ConnectionLost, PageUnresponsive

if TYPE_CHECKING:
    from pagelens.browser.host import BrowserHost
    from pagelens.browser.page import Page
    from pagelens.cdp.session import Reply, Session

__all__ = ["LazyTargets"]


class LazyTargets:
    """Follows the targets of one connection."""

    def __init__(self, host: BrowserHost, root: Session) -> None:
        self._host = host
        self._root = root
        self._announced: set[str] = set()
        self._wanted: set[str] = set()
        self._hears_downloads = False

    async def start(self) -> None:
        """Learn which pages there are; those of an earlier connection that are gone are closed."""
        root = self._root
        root.on("Target.targetCreated", lambda p: self._appeared(p["targetInfo"]))
        root.on("Target.targetInfoChanged", lambda p: self._appeared(p["targetInfo"]))
        root.on("Target.attachedToTarget", self._attached)
        await root.send("Target.setDiscoverTargets", {"discover": True, "filter": self._host.target_filter()})
        for page in list(self._host.pages.values()):
            if page.target_id not in self._announced:
                self._host.target_gone(page.target_id, "it was closed while the connection to Chrome was lost")
        await root.send(
            "Target.setAutoAttach",
            {"autoAttach": True, "waitForDebuggerOnStart": True, "flatten": True, "filter": [{"type": "page"}]},
        )

    async def wake(self, page: Page) -> None:
        """Attach to a page. Its initialisation is written when this returns; whether it answers is another matter.

        Raises:
            PageClosed: it is gone. ConnectionLost: the browser is. PageUnresponsive: Chrome does not let us attach.
        """
        if not self._hears_downloads:
            # Downloads go where the user wants them, as before; from the first page in use on we hear of them.
            self._hears_downloads = True
            self._root.post("Browser.setDownloadBehavior", {"behavior": "default", "eventsEnabled": True})
        target_id = page.target_id
        if target_id not in self._wanted:
            self._wanted.add(target_id)
            reply = self._root.post("Target.attachToTarget", {"targetId": target_id, "flatten": True})
            reply.on_done(lambda: self._answered(page, reply))
        await page.loads.wait(lambda: not page.is_asleep or target_id not in self._wanted, COMMAND)
        if not page.is_asleep:
            return
        was_wanted = target_id in self._wanted
        self._wanted.discard(target_id)
        if page.closed is not None:
            raise page.closed_error()
        if self._root.connection.lost is not None:
            raise ConnectionLost(f"The connection to Chrome was lost ({self._root.connection.lost}).", "Try again.")
        if was_wanted:
            raise CommandTimeout(f"Chrome did not answer Target.attachToTarget within {COMMAND:g} s.", "Try again.")
        raise PageUnresponsive(f"Chrome does not let pagelens attach to page {page.id}.", "Work on another page.")

    def _answered(self, page: Page, reply: Reply) -> None:
        # The event comes before the answer, so a page that still sleeps now was refused.
        if page.is_asleep or reply.failed:
            self._wanted.discard(page.target_id)
        page.loads.touch()

    # -- events --------------------------------------------------------------------------------------

    def _appeared(self, info: dict[str, Any]) -> Page | None:
        """A target is there, or is another kind of thing now; returns its page if it is one."""
        if info["type"] in WORKER_TYPES and self._host.rules.policy.refusal(info["url"]) is None:
            self._host.workers.appeared(info)
        if info["type"] != "page" or info["url"].startswith("devtools://"):
            return None
        self._announced.add(info["targetId"])
        page = self._host.page_of_target(info["targetId"])
        if (page is None or page.is_asleep) and self._host.rules.policy.refusal(info["url"]) is not None:
            # What the rules refuse does not exist for us, until it shows something else.
            self._host.target_gone(info["targetId"], "it shows an address that may not be loaded")
            return None
        if page is None:
            return self._host.add_page(None, info)
        page.info_changed(info)
        return page

    def _attached(self, p: dict[str, Any]) -> None:
        info = p["targetInfo"]
        if info["type"] in WORKER_TYPES:
            self._host.workers.attached(self._open(p), info, waiting=p["waitingForDebugger"])
            return
        if info["type"] != "page":
            return  # a tab, attached to by `pagelens.browser.tabs`
        target_id = info["targetId"]
        page = self._host.page_of_target(target_id)
        if target_id in self._wanted and page is not None:
            self._wanted.discard(target_id)
            page.attached(self._open(p))
            return
        opener = self._host.page_of_target(info.get("openerId", ""))
        if not p["waitingForDebugger"] or opener is None or opener.is_asleep:
            if p["waitingForDebugger"]:
                self._open(p).post("Runtime.runIfWaitingForDebugger")
            self._root.post("Target.detachFromTarget", {"sessionId": p["sessionId"]})
            return
        session = self._open(p)
        if not self._host.admits_popup(opener, session, target_id):
            return
        page = page or self._appeared(info)
        if page is None or not page.is_asleep:
            session.post("Runtime.runIfWaitingForDebugger")
            return
        page.attached(session, waiting=True)
        opener.news.popup(page)

    def _open(self, p: dict[str, Any]) -> Session:
        info = p["targetInfo"]
        return self._root.connection.open_session(p["sessionId"], target_id=info["targetId"], target_type=info["type"])
