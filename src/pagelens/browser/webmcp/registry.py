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

import asyncio
import logging
import re
from collections import OrderedDict
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from pagelens.browser.webmcp.calls import Invocation
from pagelens.browser.webmcp.model import WebMCPToolCall, WebMCPToolCallResult, parse_input, result_of
from pagelens.browser.webmcp.tool import WebMCPTool
from pagelens.core.deadlines import TOOL
from pagelens.core.safe_text import one_line, quoted, shortened
from pagelens.core.signals import Signal
from pagelens.errors import PagelensError, ProtocolError, WaitTimeout, WebMCPUnavailable

if TYPE_CHECKING:
    from pagelens.browser.page import Page
    from pagelens.browser.page_sessions import AttachedSession
    from pagelens.cdp.session import Reply, Session

__all__ = ["WebMCP"]

log = logging.getLogger(__name__)

#: Chrome has WebMCP from this version on.
FIRST_VERSION = 151
#: How long a page may take to answer a cancelling; then its script is ended, and it gets as long again. Seconds.
CANCELLING = 1.0
#: After the document that a form's submission loads has stopped loading: how long its answer is waited for. Seconds.
LANDING = 2.0
#: So many ended calls are remembered, to know a second answer for what it is.
REMEMBERED = 10_000

_INSECURE = ("InsecureScheme", "InsecureAncestor")


class WebMCP:
    """The tools that a page offers now, and what happens to them. One a page: `Page.webmcp`.

    Attributes:
        page: the page.
        tools_added, tools_removed: with the tools concerned.
        changed: after either of them.
        tool_invoked: somebody called a tool.
        tool_responded: a call has ended; each does once.
    """

    def __init__(self, page: Page) -> None:
        self.page = page
        self.tools_added: Signal[tuple[WebMCPTool, ...]] = Signal("tools_added")
        self.tools_removed: Signal[tuple[WebMCPTool, ...]] = Signal("tools_removed")
        self.changed: Signal[None] = Signal("changed")
        self.tool_invoked: Signal[WebMCPToolCall] = Signal("tool_invoked")
        self.tool_responded: Signal[WebMCPToolCallResult] = Signal("tool_responded")
        self._tools: dict[tuple[str, str], WebMCPTool] = {}  # by frame id and name
        self._calls: dict[str, Invocation] = {}  # what has an id and no end
        self._sent: set[Invocation] = set()  # what has no id yet
        self._early: dict[str, Invocation | WebMCPToolCallResult] = {}  # ended, perhaps one of `_sent`
        self._ended: OrderedDict[str, None] = OrderedDict()
        self._told_by: dict[str, Session] = {}  # by frame id: who told of its tools last
        self._contexts: dict[tuple[str, int], str] = {}  # session id and context id to frame id
        self._submitted: dict[str, str] = {}  # frames that a form's submission was to navigate, and where to
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
        return [call for call in (*self._calls.values(), *self._sent) if not call.done]

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
        if page.url in ("", "about:blank"):
            return "The page is blank. Load a page that offers tools."
        if page.main_frame.secure_context in _INSECURE:
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
        known = [quoted(tool.name) for tool in self._tools.values()]
        there = f"It offers {', '.join(known[:20])}" if known else "It offers none"
        raise WaitTimeout(
            f"The page did not offer a tool {quoted(shortened(name, 200))} within {timeout:g} s.",
            f"{there}{f' and {len(known) - 20} more' if len(known) > 20 else ''}.",
        )

    # -- calling -------------------------------------------------------------------------------------

    def _begin(self, tool: WebMCPTool, input: dict[str, Any], faults: list[str]) -> Invocation:
        """See `WebMCPTool.begin`."""
        invocation = Invocation(tool, input)
        name = quoted(shortened(tool.name, 200))
        if tool.gone is not None:
            self._fail(invocation, f"The page no longer offers the tool {name}: {tool.gone}")
        elif faults:
            self._fail(invocation, f"The input does not fit the tool {name}: {'; '.join(faults)}.")
        elif self.page.held_by is not None:
            words = f"Nothing was called: a dialog holds the page: {self.page.held_by.words()}. Answer it first."
            self._fail(invocation, words)
        elif tool.is_form and (tool._occupied or tool._queue):
            invocation.is_waiting = True
            tool._queue.append(invocation)
        else:
            self._send(invocation)
        return invocation

    def _send(self, invocation: Invocation) -> None:
        tool = invocation.tool
        invocation.is_waiting = False
        self._sent.add(invocation)
        if tool.is_form:
            tool._occupied.add(invocation)
        params = {"frameId": tool.frame_id, "toolName": tool.name, "input": invocation.input}
        reply = tool.session.post("WebMCP.invokeTool", params)
        reply.on_done(lambda: self._answered(invocation, reply))

    def _answered(self, invocation: Invocation, reply: Reply) -> None:
        """Chrome has given a call of ours its id, or refused it."""
        tool = invocation.tool
        self._sent.discard(invocation)
        try:
            call_id: str = reply.result()["invocationId"]
        except PagelensError as error:
            self._end(invocation, _refused(tool, error))
            self._vacate(tool, invocation)
        else:
            self._identified(invocation, call_id)
        if not self._sent and self._early:
            early, self._early = self._early, {}
            for ended in early.values():
                if isinstance(ended, WebMCPToolCallResult):
                    self.tool_responded.emit(ended)

    def _identified(self, invocation: Invocation, call_id: str) -> None:
        tool = invocation.tool
        early = self._early.pop(call_id, None)
        known = self._calls.get(call_id)
        if isinstance(early, Invocation):  # it has ended already
            invocation.call = early.call
            assert early.result is not None
            invocation._end(early.result)
        elif early is not None:
            invocation.call = WebMCPToolCall(call_id, tool, invocation.input)
            self._end(invocation, replace(early, call=invocation.call))
        else:
            call = known.call if known else WebMCPToolCall(call_id, tool, invocation.input)
            if tool.is_form:
                tool._occupied.add(call_id)
            if invocation._doom and known is None:
                self._lost(invocation, invocation._doom)
            if invocation.result is not None:
                # Given up before it had an id: what Chrome has begun, or will begin, is cancelled.
                self._calls[call_id] = begun = known or Invocation(tool, invocation.input, call)
                begun.cancel(invocation.result.status, invocation.result.error_text)
            else:
                invocation.call = call
                if known is not None:
                    invocation._announced = known._announced
                    invocation.is_leaving, invocation._left_by = known.is_leaving, known._left_by
                self._calls[call_id] = invocation
                if invocation._verdict is not None:
                    self._cancel_known(invocation)
        self._vacate(tool, invocation)

    def _cancel(self, invocation: Invocation) -> None:
        """See `Invocation.cancel`."""
        if invocation.is_waiting:
            invocation.tool._queue.remove(invocation)
            self._end(invocation, self._by_verdict(invocation))
            return
        if invocation.call is not None:
            self._cancel_known(invocation)
        patience = CANCELLING * max(self.page.emulation.patience, 1)
        loop = asyncio.get_running_loop()
        timers = [
            loop.call_later(patience, self._end_script, invocation),
            loop.call_later(2 * patience, lambda: self._end(invocation, self._by_verdict(invocation))),
        ]
        for timer in timers:
            invocation.on_done(timer.cancel)

    def _cancel_known(self, invocation: Invocation) -> None:
        call_id = invocation.id
        reply = invocation.tool.session.post("WebMCP.cancelInvocation", {"invocationId": call_id})

        def refused() -> None:
            if reply.failed:
                # It had no such call any more, and says nothing else of it.
                self._end(invocation, self._by_verdict(invocation))
                self._vacate(invocation.tool, call_id)

        reply.on_done(refused)

    def _end_script(self, invocation: Invocation) -> None:
        if not invocation.done and self.page.dialog is None:
            self.page.end_script(invocation.tool.session)

    @staticmethod
    def _by_verdict(invocation: Invocation) -> WebMCPToolCallResult:
        status, text = invocation._verdict or ("Canceled", "The call was cancelled.")
        return WebMCPToolCallResult(invocation.id, invocation.call, status, None, text)

    @staticmethod
    def _fail(invocation: Invocation, text: str) -> None:
        """End a call that was not sent."""
        invocation._end(WebMCPToolCallResult(None, None, "Error", None, text))

    def _end(self, invocation: Invocation, result: WebMCPToolCallResult) -> None:
        """End a call, and tell of it when it is known to Chrome."""
        if invocation.done:
            return
        if invocation.id is not None:
            self._calls.pop(invocation.id, None)
            self._remember(invocation.id)
            if self._sent and not invocation._is_ours:
                self._early[invocation.id] = invocation  # one of those may be the same call
        self._announce(invocation)
        invocation._end(result)
        if result.id is not None:
            self.tool_responded.emit(result)

    def _announce(self, invocation: Invocation) -> None:
        """Tell of a call, once: of one in an endless loop Chrome tells last."""
        if invocation.call is not None and not invocation._announced:
            invocation._announced = True
            self.tool_invoked.emit(invocation.call)

    def _remember(self, call_id: str) -> None:
        self._ended[call_id] = None
        while len(self._ended) > REMEMBERED:
            self._ended.popitem(last=False)

    def _vacate(self, tool: WebMCPTool, token: object, *, was_cancelled: bool = False) -> None:
        """A form has one call less under way: the next one's turn may have come."""
        tool._occupied.discard(token)
        if was_cancelled and tool._queue:
            # Perhaps because the form is another tool now: Chrome says so next, and would give that one the call.
            said = tool.session.post("Runtime.evaluate", {"expression": "0"})
            tool._occupied.add(said)
            said.on_done(lambda: self._vacate(tool, said))
        while tool._queue and not tool._occupied and tool.gone is None:
            self._send(tool._queue.popleft())

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
        on("WebMCP.toolInvoked", lambda p: self._invoked(session, p))
        on("WebMCP.toolResponded", lambda p: self._responded(session, p))
        on("Runtime.executionContextCreated", lambda p: self._context_created(session, p["context"]))
        on("Runtime.executionContextDestroyed", lambda p: self._context_destroyed(session, p["executionContextId"]))
        on("Runtime.executionContextsCleared", lambda _: self._session_gone(session))
        on("Page.frameDetached", lambda p: self._frame_detached(session, p))
        on("Page.frameRequestedNavigation", self._navigation_requested)
        on("Page.frameStoppedLoading", lambda p: self._stopped_loading(p["frameId"]))
        on("Inspector.targetCrashed", lambda _: self._session_gone(session, self._crash_words(session)))
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
            while tool._queue:
                waiting = tool._queue.popleft()
                waiting.is_waiting = False
                self._fail(waiting, f"The page no longer offers the tool {quoted(shortened(tool.name, 200))}: {why}")
        if tools:
            self.tools_removed.emit(tuple(tools))
            self.changed.emit(None)

    def _invoked(self, session: Session, p: dict[str, Any]) -> None:
        call_id: str = p["invocationId"]
        invocation = self._calls.get(call_id)
        if invocation is None:
            if call_id in self._ended:
                return
            tool = self._tools.get((p["frameId"], p["toolName"]))
            if tool is None:
                tool = WebMCPTool(self, session, {"name": p["toolName"], "frameId": p["frameId"]})
                tool.gone = "It was unregistered."
            call = WebMCPToolCall(call_id, tool, parse_input(p.get("input"), p["toolName"]))
            invocation = self._calls[call_id] = Invocation(tool, call.input, call)
            if tool.is_form:
                tool._occupied.add(call_id)
        self._announce(invocation)

    def _responded(self, session: Session, p: dict[str, Any]) -> None:
        call_id: str = p["invocationId"]
        thrown = (p.get("exception") or {}).get("objectId")
        if thrown:
            session.tell("Runtime.releaseObject", [{"objectId": thrown}])
        invocation = self._calls.get(call_id)
        if invocation is not None:
            result = result_of(p, invocation.call)
            if invocation._verdict is not None and (result.status == "Canceled" or _was_ended(p)):
                result = self._by_verdict(invocation)
            self._end(invocation, result)
            self._vacate(invocation.tool, call_id, was_cancelled=p["status"] == "Canceled")
        elif call_id in self._ended:
            self._vacate_everywhere(call_id)  # the second answer, or one that came after we gave up
        else:
            self._remember(call_id)
            if self._sent:
                self._early[call_id] = result_of(p, None)
            else:
                self.tool_responded.emit(result_of(p, None))

    def _vacate_everywhere(self, call_id: str) -> None:
        for tool in self.tools():
            if call_id in tool._occupied:
                self._vacate(tool, call_id)

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

    def _navigation_requested(self, p: dict[str, Any]) -> None:
        if p.get("reason", "").startswith("formSubmission") and p.get("disposition", "currentTab") == "currentTab":
            self._submitted[p["frameId"]] = p["url"]
        else:
            self._submitted.pop(p["frameId"], None)

    def _stopped_loading(self, frame_id: str) -> None:
        leaving = [call for call in self._calls.values() if call.is_leaving and call.tool.frame_id == frame_id]
        if leaving:
            asyncio.get_running_loop().call_later(LANDING, self._landed, leaving)

    def _landed(self, leaving: list[Invocation]) -> None:
        for invocation in leaving:
            text = "The form was submitted, and the document that this loaded has given no result."
            self._end(invocation, WebMCPToolCallResult(invocation.id, invocation.call, "Error", None, text))

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
            for invocation in calls.get(frame_id, ()):
                if invocation.id is None and why == "":
                    # It may have ended before the document did: Chrome's reply, with the id, is under way.
                    invocation._doom = cause
                    asyncio.get_running_loop().call_later(LANDING, self._lost, invocation, cause)
                elif why or not self._is_leaving(invocation):
                    self._lost(invocation, cause)
            self._take_away(tools.get(frame_id, []), cause)
            self._told_by.pop(frame_id, None)

    def _lost(self, invocation: Invocation, cause: str) -> None:
        """A call can't end any more: its document is gone."""
        text = f"The tool's document went away before it answered: {cause}"
        self._end(invocation, WebMCPToolCallResult(invocation.id, invocation.call, "Error", None, text))

    def _is_leaving(self, invocation: Invocation) -> bool:
        """Whether the navigation that ends its document is the submission of its form: the next document answers."""
        tool = invocation.tool
        load = self.page.loads.of(tool.frame_id)
        if invocation.is_leaving:
            return invocation._left_by == load.started_loader
        url = self._submitted.get(tool.frame_id)
        if tool.is_form and invocation.id is not None and load.is_under_way and load.started_url == url:
            invocation.is_leaving = True
            invocation._left_by = load.started_loader
        return invocation.is_leaving

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


def _refused(tool: WebMCPTool, error: PagelensError) -> WebMCPToolCallResult:
    """The result of a call that Chrome did not take."""
    words = str(error)
    if isinstance(error, ProtocolError):
        words = one_line(error.protocol_message)
        if "Tool not found" in words or "No frame" in words or "FrameId does not belong" in words:
            words = f"The page no longer offers the tool {quoted(shortened(tool.name, 200))} ({words})."
    return WebMCPToolCallResult(None, None, "Error", None, words)


def _was_ended(p: dict[str, Any]) -> bool:
    """Whether a response is what Chrome makes of a script that was ended: an exception that is null."""
    return p["status"] == "Error" and (p.get("exception") or {}).get("subtype") == "null"
