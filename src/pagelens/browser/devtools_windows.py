"""DevTools windows that a person has open on pages."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pagelens.cdp.session import Session
from pagelens.errors import CommandTimeout, ProtocolError

if TYPE_CHECKING:
    from pagelens.browser.host import BrowserHost
    from pagelens.browser.page import Page

__all__ = ["DevToolsSelection", "DevToolsWindows"]

log = logging.getLogger(__name__)

#: How long a DevTools window may take to say what is selected in it. Seconds.
ANSWER = 1.0
#: DevTools' own state of its panels; its modules come from inside Chrome.
_SELECTION = """(async () => {
  const UI = await import('/bundled/ui/legacy/legacy.js'), SDK = await import('/bundled/core/sdk/sdk.js');
  const context = UI.Context.Context.instance();
  const node = context.flavor(SDK.DOMModel.DOMNode), request = context.flavor(SDK.NetworkRequest.NetworkRequest);
  return [node ? node.backendNodeId() : null, request ? request.requestId() : null];
})()"""


@dataclass(frozen=True, slots=True)
class DevToolsSelection:
    """What is selected in the DevTools window of a page; None: nothing, or there is no window.

    Attributes:
        backend_node_id: Chrome's id of the node selected in the Elements panel.
        request_id: Chrome's id of the request selected in the Network panel.
    """

    backend_node_id: int | None = None
    request_id: str | None = None


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

    async def selection(self, page: Page) -> DevToolsSelection:
        """What a person has selected in the page's DevTools window. Without a window nothing is asked."""
        if not page.has_devtools:
            return DevToolsSelection()
        root = self._host.root
        try:
            window = (await root.send("Target.getDevToolsTarget", {"targetId": page.target_id})).get("targetId")
            if window is None:
                return DevToolsSelection()
            attached = await root.send("Target.attachToTarget", {"targetId": window, "flatten": True})
        except ProtocolError:
            return DevToolsSelection()  # it was closed meanwhile
        session = root.connection.open_session(attached["sessionId"], target_id=window, target_type="devtools")
        try:
            answer = await session.send(
                "Runtime.evaluate",
                {"expression": _SELECTION, "awaitPromise": True, "returnByValue": True},
                timeout=ANSWER,
            )
        except (ProtocolError, CommandTimeout) as error:
            log.info("what is selected in the DevTools window of page %d is not known: %s", page.id, error)
            return DevToolsSelection()
        finally:
            root.post("Target.detachFromTarget", {"sessionId": session.id})
            root.connection.close_session(session.id, "no longer needed")
        if "exceptionDetails" in answer:
            log.info("DevTools of page %d: %s", page.id, answer["exceptionDetails"].get("text", ""))
            return DevToolsSelection()
        node, request = answer["result"]["value"]
        return DevToolsSelection(node, request)

    def _appeared(self, info: dict[str, Any]) -> None:
        # Of type "page" or "other", by how it was opened.
        if info["url"].startswith("devtools://") and info["targetId"] not in self._targets:
            self._targets.add(info["targetId"])
            self._is_known = False

    def _gone(self, p: dict[str, Any]) -> None:
        if p["targetId"] in self._targets:
            self._targets.discard(p["targetId"])
            self._is_known = False
