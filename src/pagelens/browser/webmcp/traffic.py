"""The calls of a page's tools: sent, told of, answered, cancelled, and ended whatever happens.

See the head of `pagelens.browser.webmcp.registry` for what Chrome does.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from pagelens.browser.webmcp.calls import Invocation
from pagelens.browser.webmcp.model import WebMCPToolCall, WebMCPToolCallResult, parse_input, result_of
from pagelens.browser.webmcp.tool import WebMCPTool
from pagelens.core.safe_text import one_line, quoted, shortened
from pagelens.core.signals import Signal
from pagelens.errors import PagelensError, ProtocolError

if TYPE_CHECKING:
    from pagelens.browser.page import Page
    from pagelens.browser.webmcp.registry import WebMCP
    from pagelens.cdp.session import Reply, Session

__all__ = ["Traffic"]

#: How long a page may take to answer a cancelling; then its script is ended, and it gets as long again. Seconds.
CANCELLING = 1.0
#: After the document that a form's submission loads has stopped loading: how long its answer is waited for. Also how
#: long Chrome may take to name a call whose document is gone. Seconds.
LANDING = 2.0
#: So many ended calls are remembered, to know a second answer for what it is.
REMEMBERED = 10_000


class Traffic:
    """All calls of one page's tools.

    Attributes:
        invoked: somebody called a tool.
        responded: a call has ended; each does once.
    """

    def __init__(self, registry: WebMCP) -> None:
        self._registry = registry
        self.page: Page = registry.page
        self.invoked: Signal[WebMCPToolCall] = Signal("tool_invoked")
        self.responded: Signal[WebMCPToolCallResult] = Signal("tool_responded")
        self._calls: dict[str, Invocation] = {}  # what has an id and no end
        self._sent: set[Invocation] = set()  # what has no id yet
        self._early: dict[str, Invocation | WebMCPToolCallResult] = {}  # ended, perhaps one of `_sent`
        self._ended: OrderedDict[str, None] = OrderedDict()
        self._submitted: dict[str, str] = {}  # frames that a form's submission was to navigate, and where to

    def listen(self, session: Session) -> None:
        """Subscribe to a session of the page that has documents."""
        on = session.on
        on("WebMCP.toolInvoked", lambda p: self._invoked(session, p))
        on("WebMCP.toolResponded", lambda p: self._responded(session, p))
        on("Page.frameRequestedNavigation", self._navigation_requested)
        on("Page.frameStoppedLoading", lambda p: self._stopped_loading(p["frameId"]))

    def pending(self) -> list[Invocation]:
        """The calls that have not ended, whoever made them; without those that wait for their turn."""
        return [call for call in (*self._calls.values(), *self._sent) if not call.done]

    # -- calling -------------------------------------------------------------------------------------

    def begin(self, tool: WebMCPTool, input: dict[str, Any], faults: list[str]) -> Invocation:
        """See `WebMCPTool.begin`."""
        invocation = Invocation(tool, input)
        name = _name(tool)
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
                    self.responded.emit(ended)

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

    def cancel(self, invocation: Invocation) -> None:
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
                self._keep_early(invocation.id, invocation)  # one of those may be the same call
        self._announce(invocation)
        invocation._end(result)
        if result.id is not None:
            self.responded.emit(result)

    def _announce(self, invocation: Invocation) -> None:
        """Tell of a call, once: of one in an endless loop Chrome tells last."""
        if invocation.call is not None and not invocation._announced:
            invocation._announced = True
            self.invoked.emit(invocation.call)

    def _keep_early(self, call_id: str, ended: Invocation | WebMCPToolCallResult) -> None:
        self._early[call_id] = ended
        if len(self._early) > REMEMBERED:  # a page in distress answers one of ours never, and calls itself for ever
            del self._early[next(iter(self._early))]

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

    def _invoked(self, session: Session, p: dict[str, Any]) -> None:
        call_id: str = p["invocationId"]
        invocation = self._calls.get(call_id)
        if invocation is None:
            if call_id in self._ended:
                return
            tool = self._registry._tools.get((p["frameId"], p["toolName"]))
            if tool is None:
                tool = WebMCPTool(self._registry, session, {"name": p["toolName"], "frameId": p["frameId"]})
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
                self._keep_early(call_id, result_of(p, None))
            else:
                self.responded.emit(result_of(p, None))

    def _vacate_everywhere(self, call_id: str) -> None:
        for tool in self._registry.tools():
            if call_id in tool._occupied:
                self._vacate(tool, call_id)

    # -- documents that go ---------------------------------------------------------------------------

    def document_gone(self, calls: Iterable[Invocation], cause: str, *, navigated: bool) -> None:
        """The document of these calls is gone, `navigated` or otherwise."""
        for invocation in calls:
            if invocation.id is None and navigated:
                # It may have ended before the document did: Chrome's reply, with the id, is under way.
                invocation._doom = cause
                asyncio.get_running_loop().call_later(LANDING, self._lost, invocation, cause)
            elif not navigated or not self._is_leaving(invocation):
                self._lost(invocation, cause)

    def withdraw(self, tool: WebMCPTool) -> None:
        """A tool is gone: what waits for its turn never begins. What was begun goes on."""
        while tool._queue:
            waiting = tool._queue.popleft()
            waiting.is_waiting = False
            self._fail(waiting, f"The page no longer offers the tool {_name(tool)}: {tool.gone}")

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


def _refused(tool: WebMCPTool, error: PagelensError) -> WebMCPToolCallResult:
    """The result of a call that Chrome did not take."""
    words = str(error)
    if isinstance(error, ProtocolError):
        words = one_line(error.protocol_message)
        if "Tool not found" in words or "No frame" in words or "FrameId does not belong" in words:
            words = f"The page no longer offers the tool {_name(tool)} ({words})."
    return WebMCPToolCallResult(None, None, "Error", None, words)


def _was_ended(p: dict[str, Any]) -> bool:
    """Whether a response is what Chrome makes of a script that was ended: an exception that is null."""
    return p["status"] == "Error" and (p.get("exception") or {}).get("subtype") == "null"


def _name(tool: WebMCPTool) -> str:
    return quoted(shortened(tool.name, 200))
