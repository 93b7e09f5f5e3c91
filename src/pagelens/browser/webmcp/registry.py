"""The tools of one page, in all of its frames, and the calls of them.

What Chromium 156 does, and what follows from it here:

* It says nothing of tools and calls when a document goes, by a navigation, with its frame, or with its process. The
  document's execution context tells; then its pending calls end, then its tools are gone. Not later: after a restore
  from the back/forward cache, the tools are announced before the navigation is.
* A form that is submitted and so loads another document is answered by that document, after its load: such calls wait
  for it.
* Answers may come before the id that they belong to, twice (a tool that navigates itself), or never. The first counts.
* Two pending calls of one form, the first of which is cancelled, crash the renderer. So a form has one call at a time.
* A call in an endless loop, or held by a dialog, answers no cancelling: the loop is ended, and a call that still has
  not ended then ends here.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from pagelens.browser.webmcp.calls import Invocation
from pagelens.browser.webmcp.tool import WebMCPTool
from pagelens.browser.webmcp.traffic import Traffic
from pagelens.core.deadlines import TOOL
from pagelens.core.safe_text import quoted, shortened
from pagelens.core.signals import Signal
from pagelens.errors import PagelensError, WaitTimeout, WebMCPUnavailable

if TYPE_CHECKING:
    from pagelens.browser.page import Page
    from pagelens.browser.page_sessions import AttachedSession
    from pagelens.cdp.session import Reply, Session

__all__ = ["WebMCP"]

log = logging.getLogger(__name__)

#: Chrome has WebMCP from this version on.
FIRST_VERSION = 151

_INSECURE = ("InsecureScheme", "InsecureAncestor")


class WebMCP:
    """The tools that a page offers now, and what happens to them. One a page: `Page.webmcp`.

    Attributes:
        page: the page.
        tools_added, tools_removed: with the tools concerned.
        changed: after either of them.
        tool_invoked: somebody called a tool.
        tool_responded: a call has ended; each does once.
        traffic: the calls.
    """

    def __init__(self, page: Page) -> None:
        self.page = page
        self.tools_added: Signal[tuple[WebMCPTool, ...]] = Signal("tools_added")
        self.tools_removed: Signal[tuple[WebMCPTool, ...]] = Signal("tools_removed")
        self.changed: Signal[None] = Signal("changed")
        self.traffic = Traffic(self)
        self.tool_invoked = self.traffic.invoked
        self.tool_responded = self.traffic.responded
        self._tools: dict[tuple[str, str], WebMCPTool] = {}  # by frame id and name
        self._told_by: dict[str, Session] = {}  # by frame id: who told of its tools last
        self._contexts: dict[tuple[str, int], str] = {}  # session id and context id to frame id
        page.session_attached.connect(self._attached)
        page.crashed.connect(lambda _: self._documents_gone(lambda tool: True, page.crash_words()))
        page.closed_signal.connect(lambda why: self._documents_gone(lambda tool: True, f"The page is closed ({why})."))

    # -- what there is -------------------------------------------------------------------------------

    def tools(self) -> list[WebMCPTool]:
        """The tools that are offered now, in the order they came."""
        return list(self._tools.values())

    def named(self, name: str) -> list[WebMCPTool]:
        """The tools of this name, the main frame's first: each frame may have one."""
        found = [tool for tool in self._tools.values() if tool.name == name]
        return sorted(found, key=lambda tool: tool.frame_id != self.page.main_frame.id)

    def pending(self) -> list[Invocation]:
        """The calls that have not ended, whoever made them; without those that wait for their turn."""
        return self.traffic.pending()

    @property
    def unavailable_reason(self) -> str | None:
        """Why the page can't offer tools, in words with what to do; None when it can, or that is not known yet."""
        host, page = self.page.host, self.page
        if self._tools:
            return None
        if not self._has_domain():
            return f"{host.product} has no WebMCP. Use Chrome {FIRST_VERSION} or later."
        if host.has_webmcp is False:
            if host.options.is_attaching:
                return "Chrome runs without WebMCP. Start it with --enable-features=WebMCP."
            return (
                "Chrome runs without WebMCP. Start it with pagelens.launch(webmcp=True), or with --category-webmcp on "
                "the command line."
            )
        frame = page.main_frame
        if frame.url == "" or page.loads.of(frame.id).is_under_way:
            return None  # its document is still to come
        if frame.url == "about:blank":
            return "The page is blank. Load a page that offers tools."
        if frame.secure_context in _INSECURE:
            return (
                f"{page.printable(page.url)} is no secure context, and Chrome gives WebMCP to no others. "
                "Load it by https:, or from localhost."
            )
        return None

    async def raise_if_unavailable(self) -> None:
        """Raise `WebMCPUnavailable` when the page can't offer tools; finds it out when it is not known yet."""
        reason = self.unavailable_reason
        if reason is None and not self._tools and self.page.host.has_webmcp is None:
            try:
                await self.page.guarded(self._probe(None))
            except PagelensError as error:
                log.debug("page %d could not be asked for WebMCP: %s", self.page.id, error)
            reason = self.unavailable_reason
        if reason is not None:
            raise WebMCPUnavailable(reason)

    async def wait_for_tool(self, name: str, *, timeout: float = TOOL) -> WebMCPTool:
        """The tool of this name, once it is offered by any frame; the main frame's, when several are.

        Raises:
            WebMCPUnavailable: the page can't offer tools.
            WaitTimeout: none came in time; the message says what there is.
            PageClosed, PageCrashed: the page is gone.
        """
        await self.raise_if_unavailable()
        page = self.page
        await page.loads.wait(
            lambda: bool(self.named(name)) or page.closed is not None or page.is_crashed, max(timeout, 0)
        )
        found = self.named(name)
        if found:
            return found[0]
        page.raise_if_unusable()
        await self.raise_if_unavailable()  # the document may have come meanwhile
        known = [quoted(tool.name) for tool in self._tools.values()]
        there = f"It offers {', '.join(known[:20])}" if known else "It offers none"
        raise WaitTimeout(
            f"The page did not offer a tool {quoted(shortened(name, 200))} within {timeout:g} s.",
            f"{there}{f' and {len(known) - 20} more' if len(known) > 20 else ''}.",
        )

    # -- told by Chrome ------------------------------------------------------------------------------

    def _has_domain(self) -> bool:
        match = re.search(r"/(\d+)\.", self.page.host.product)
        return match is None or int(match[1]) >= FIRST_VERSION

    def _attached(self, attached: AttachedSession) -> None:
        if attached.kind == "worker" or not self._has_domain():
            return
        session = attached.session
        on = session.on
        on("WebMCP.toolsAdded", lambda p: self._added(session, p["tools"]))
        on("WebMCP.toolsRemoved", lambda p: self._removed(p["tools"]))
        on("Runtime.executionContextCreated", lambda p: self._context_created(session, p["context"]))
        on("Runtime.executionContextDestroyed", lambda p: self._context_destroyed(session, p["executionContextId"]))
        on("Runtime.executionContextsCleared", lambda _: self._session_gone(session))
        on("Page.frameDetached", lambda p: self._frame_detached(session, p))
        on("Inspector.targetCrashed", lambda _: self._session_gone(session, self._crash_words(session)))
        self.traffic.listen(session)
        session.on_closed(lambda why: self._session_closed(session, why))
        attached.init.append(("WebMCP.enable", {}))

    def _added(self, session: Session, told: Iterable[dict[str, Any]]) -> None:
        added = []
        for described in told:
            frame_id = described["frameId"]
            before = self._told_by.get(frame_id)
            if before not in (None, session):
                # In another process now; that the former document is gone may be told last.
                self._documents_gone(lambda tool: tool.frame_id == frame_id and tool.session is before)  # noqa: B023
            self._told_by[frame_id] = session
            key = (frame_id, described["name"])
            known = self._tools.get(key)
            if known is not None:
                if known._told == described:
                    continue  # Chrome repeats what it has said
                self._take_away([known], "It was registered anew.")
            tool = WebMCPTool(self, session, described)
            self._tools[key] = tool
            added.append(tool)
        if added:
            self.page.host.has_webmcp = True
            self.tools_added.emit(tuple(added))
            self.changed.emit(None)
            self.page.loads.touch()

    def _removed(self, told: Iterable[dict[str, Any]]) -> None:
        found = [self._tools.get((described["frameId"], described["name"])) for described in told]
        self._take_away([tool for tool in found if tool is not None], "It was unregistered.")

    def _take_away(self, tools: list[WebMCPTool], why: str) -> None:
        """Tools are gone. What was begun of them goes on; what waits for its turn never begins."""
        for tool in tools:
            tool.gone = why
            if self._tools.get((tool.frame_id, tool.name)) is tool:
                del self._tools[tool.frame_id, tool.name]
            self.traffic.withdraw(tool)
        if tools:
            self.tools_removed.emit(tuple(tools))
            self.changed.emit(None)

    # -- documents that go ---------------------------------------------------------------------------

    def _context_created(self, session: Session, context: dict[str, Any]) -> None:
        data = context.get("auxData", {})
        if not data.get("isDefault"):
            return
        self._contexts[session.id, context["id"]] = data["frameId"]
        if self.page.host.has_webmcp is None and data["frameId"] == self.page.main_frame.id:
            self._probe(context["id"])

    def _probe(self, context_id: int | None) -> Reply:
        """Find out whether the browser has WebMCP: a secure document tells."""
        expression = "isSecureContext ? 'modelContext' in document : null"
        params: dict[str, Any] = {"expression": expression, "returnByValue": True}
        if context_id is not None:
            params["contextId"] = context_id
        reply = self.page.session.post("Runtime.evaluate", params)

        def answered() -> None:
            host = self.page.host
            if not reply.failed and host.has_webmcp is None:
                host.has_webmcp = reply.result().get("result", {}).get("value")

        reply.on_done(answered)
        return reply

    def _context_destroyed(self, session: Session, context_id: int) -> None:
        frame_id = self._contexts.pop((session.id, context_id), None)
        if frame_id is not None:
            self._documents_gone(lambda tool: tool.session is session and tool.frame_id == frame_id)

    def _session_gone(self, session: Session, why: str = "") -> None:
        for key in [key for key in self._contexts if key[0] == session.id]:
            del self._contexts[key]
        self._documents_gone(lambda tool: tool.session is session, why)

    def _session_closed(self, session: Session, why: str) -> None:
        if session is self.page.session:
            lost = session.connection.lost
            why = f"The connection to Chrome was lost ({lost})." if lost else f"The page is closed ({why})."
        else:
            why = ""
        self._session_gone(session, why)

    def _frame_detached(self, session: Session, p: dict[str, Any]) -> None:
        why = "" if p.get("reason") == "swap" else "The frame was removed from the page."
        self._documents_gone(lambda tool: tool.session is session and tool.frame_id == p["frameId"], why)

    def _documents_gone(self, concerns: Callable[[WebMCPTool], bool], why: str = "") -> None:
        """The documents of these tools are gone: end their calls, then the tools, frame by frame."""
        calls: dict[str, list[Invocation]] = {}
        for invocation in self.pending():
            if concerns(invocation.tool):
                calls.setdefault(invocation.tool.frame_id, []).append(invocation)
        tools: dict[str, list[WebMCPTool]] = {}
        for tool in self._tools.values():
            if concerns(tool):
                tools.setdefault(tool.frame_id, []).append(tool)
        for frame_id in dict.fromkeys([*calls, *tools]):
            cause = why or self._navigated_words(frame_id)
            self.traffic.document_gone(calls.get(frame_id, ()), cause, navigated=not why)
            self._take_away(tools.get(frame_id, []), cause)
            self._told_by.pop(frame_id, None)

    def _crash_words(self, session: Session) -> str:
        return self.page.crash_words() if session is self.page.session else "The frame's process crashed."

    def _navigated_words(self, frame_id: str) -> str:
        page = self.page
        if page.closed is not None:
            return f"The page is closed ({page.closed})."
        if page.is_crashed:
            return page.crash_words()
        load = page.loads.of(frame_id)
        place = f" to {page.printable(load.started_url)}" if load.is_under_way and load.started_url else ""
        return f"The {'page' if frame_id == page.main_frame.id else 'frame'} navigated{place}."
