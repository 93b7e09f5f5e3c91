"""DevTools windows that a person has open on pages."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pagelens.cdp.session import Session
from pagelens.errors import ProtocolError

if TYPE_CHECKING:
    from pagelens.browser.host import BrowserHost

__all__ = ["DevToolsWindows"]


class DevToolsWindows:
    """Notices them. They are no pages: they are neither listed nor attached to."""

    def __init__(self, host: BrowserHost) -> None:
        self._host = host
        self._targets: set[str] = set()
        self._is_known = True

    def listen(self, root: Session) -> None:
        """Subscribe to the browser's session; what was known of an earlier one is forgotten."""
        self._targets.clear()
        self._is_known = False
        root.on("Target.targetCreated", lambda p: self._appeared(p["targetInfo"]))
        root.on("Target.targetInfoChanged", lambda p: self._appeared(p["targetInfo"]))
        root.on("Target.targetDestroyed", self._gone)

    async def notice(self) -> None:
        """Find out which pages have one (`Page.has_devtools`). Asks nothing unless windows came or went."""
        if self._is_known:
            return
        self._is_known = True
        root = self._host.root
        pages = list(self._host.pages.values())
        if not self._targets:
            for page in pages:
                page.has_devtools = False
            return
        asked = [(page, root.post("Target.getDevToolsTarget", {"targetId": page.target_id})) for page in pages]
        for page, reply in asked:
            try:
                page.has_devtools = (await reply).get("targetId") in self._targets
            except ProtocolError:
                page.has_devtools = False  # the page was closed meanwhile

    def _appeared(self, info: dict[str, Any]) -> None:
        # Of type "page" or "other", by how it was opened.
        if info["url"].startswith("devtools://") and info["targetId"] not in self._targets:
            self._targets.add(info["targetId"])
            self._is_known = False

    def _gone(self, p: dict[str, Any]) -> None:
        if p["targetId"] in self._targets:
            self._targets.discard(p["targetId"])
            self._is_known = False
