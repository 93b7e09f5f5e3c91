"""The tools that a page offers to agents (WebMCP), see docs/webmcp.md."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from weakref import WeakValueDictionary

from pagelens.api.element import Element
from pagelens.api.events import Emitter, EventStream, Handler
from pagelens.browser.webmcp import CallStatus, WebMCPAnnotations, WebMCPException, WebMCPLocation
from pagelens.core.deadlines import TOOL
from pagelens.errors import InvalidInput

if TYPE_CHECKING:
    from pagelens.api.frame import Frame
    from pagelens.api.page import Page
    from pagelens.browser.webmcp import WebMCPTool as EngineTool
    from pagelens.browser.webmcp import WebMCPToolCall as EngineCall
    from pagelens.browser.webmcp import WebMCPToolCallResult as EngineResult

__all__ = ["WEBMCP_EVENTS", "WebMCP", "WebMCPTool", "WebMCPToolCall", "WebMCPToolCallResult", "WebMCPToolsEvent"]

#: Events of a page's `WebMCP`; their payloads are listed in docs/webmcp.md.
WEBMCP_EVENTS = ("toolsadded", "toolsremoved", "toolinvoked", "toolresponded")


class WebMCPTool:
    """A tool that a document offers, until it, or the document, is gone.

    A tool that is registered anew is another one; so is that of a form whose attributes changed.
    """

    def __init__(self, page: Page, tool: EngineTool) -> None:
        self._page = page
        self._engine = tool
        self._events = Emitter("A tool", ("toolinvoked",), page.browser._tasks)

    def __repr__(self) -> str:
        return f"<WebMCPTool {self.name[:60]!r} of {self._page}>"

    @property
    def name(self) -> str:
        """Its name; each frame may have one of the same."""
        return self._engine.name

    @property
    def description(self) -> str:
        """What the page says that it does, raw."""
        return self._engine.description

    @property
    def input_schema(self) -> dict[str, Any] | None:
        """JSON schema of its input, as the page gave it, or as Chrome made it from a form; None: there is none."""
        return self._engine.input_schema

    @property
    def annotations(self) -> WebMCPAnnotations:
        """What the page says of it, each False when it says nothing."""
        return self._engine.annotations

    @property
    def frame(self) -> Frame:
        """The frame whose document offers it."""
        return self._page._frame(self._engine.frame)

    @property
    def location(self) -> WebMCPLocation | None:
        """The place in a script where it was registered; None for forms."""
        return self._engine.location

    @property
    def is_gone(self) -> bool:
        """Whether it is offered no more."""
        return self._engine.gone is not None

    async def form_element(self) -> Element | None:
        """The form that it is; None for a tool that a script registered, and once the form is gone.

        Raises:
            DialogOpen, CommandTimeout: the page can't be asked.
        """
        found = await self._engine.form_element()
        if found is None:
            return None
        try:
            return Element(self._page, found.frame, await found.uid_number())
        finally:
            await found.release()

    async def execute(
        self,
        input: dict[str, Any] | None = None,
        *,
        cancel: asyncio.Event | None = None,
        timeout: float = TOOL,
        validate: bool = True,
    ) -> WebMCPToolCallResult:
        """Call it, and wait until the call has ended. What goes wrong is a result with status ``Error``.

        A form takes one call at a time; the next one waits. A form without ``toolautosubmit`` is only filled: the call
        ends when somebody submits it.

        Args:
            input: a JSON object; None is an empty one.
            cancel: when it is set, the call is cancelled; so it is when the awaiting task is cancelled.
            timeout: seconds; then the call is cancelled, and the result is an Error that says so. A script in an
                endless loop is ended.
            validate: refuse input that does not fit `input_schema`, naming all that is wrong with it; nothing is sent.

        Raises:
            WebMCPUnavailable: the browser, or the page, has no WebMCP.
        """
        if not isinstance(timeout, int | float) or timeout != timeout:
            raise InvalidInput(f"{timeout!r} is no timeout.", "Pass seconds.")
        await self._page._engine.ready()
        result = await self._engine.execute(input, cancel=cancel, timeout=timeout, validate=validate)
        return self._page.webmcp._result(result)

    def on(self, event: str, handler: Handler) -> Callable[[], None]:
        """Call `handler` with the `WebMCPToolCall` of each ``toolinvoked`` of this tool; see `Page.on`."""
        return self._events.on(event, handler)

    def once(self, event: str, handler: Handler) -> Callable[[], None]:
        """As `on`, for the next event only."""
        return self._events.on(event, handler, once=True)

    def off(self, event: str, handler: Handler) -> None:
        """End what `on` or `once` began with the same handler."""
        self._events.off(event, handler)

    def events(self, event: str) -> EventStream:
        """The events from now on, to be iterated over: ``async for call in tool.events("toolinvoked")``."""
        return self._events.stream(event)


@dataclass(frozen=True, slots=True)
class WebMCPToolCall:
    """One call of a tool: by this program, by another one, or by the page itself.

    Attributes:
        id: Chrome's id of it.
        input: what the tool gets; empty when that is no JSON object.
    """

    id: str
    tool: WebMCPTool
    input: dict[str, Any] = field(hash=False)


@dataclass(frozen=True, slots=True)
class WebMCPToolCallResult:
    """How a call ended.

    Attributes:
        id: of the call; None when nothing was sent.
        call: the call, when it is known.
        status: ``Completed``, ``Canceled`` or ``Error``.
        output: what the tool returned, as JSON has it; None unless Completed.
        error_text: why it was not completed; empty when it was.
        exception: what the tool threw, if it did.
    """

    id: str | None
    call: WebMCPToolCall | None
    status: CallStatus
    output: Any = field(default=None, hash=False)
    error_text: str = ""
    exception: WebMCPException | None = field(default=None, hash=False)


@dataclass(frozen=True, slots=True)
class WebMCPToolsEvent:
    """Tools came, or went.

    Attributes:
        tools: which.
    """

    tools: tuple[WebMCPTool, ...]


class WebMCP:
    """The tools that a page offers now, in all of its frames, and what happens to them."""

    def __init__(self, page: Page) -> None:
        self._page = page
        self._engine = page._engine.webmcp
        self._events = Emitter("WebMCP", WEBMCP_EVENTS, page.browser._tasks)
        self._tools: dict[int, WebMCPTool] = {}
        # Calls and results may still speak of them.
        self._gone: WeakValueDictionary[int, WebMCPTool] = WeakValueDictionary()
        self._engine.tools_added.connect(lambda tools: self._changed("toolsadded", tools))
        self._engine.tools_removed.connect(self._removed)
        self._engine.tool_invoked.connect(self._invoked)
        self._engine.tool_responded.connect(self._responded)
        page._engine.closed_signal.connect(lambda _: self._events.end_streams())

    def __repr__(self) -> str:
        return f"<WebMCP of {self._page}: {len(self._engine.tools())} tools>"

    @property
    def unavailable_reason(self) -> str | None:
        """Why the page can't offer tools, in words: Chrome is too old or runs without WebMCP, or the page is blank or
        no secure context. None when it can."""
        return self._engine.unavailable_reason

    def tools(self) -> list[WebMCPTool]:
        """The tools that are offered now, in the order they came."""
        return [self._tool(tool) for tool in self._engine.tools()]

    async def wait_for_tool(self, name: str, *, timeout: float = TOOL) -> WebMCPTool:
        """The tool of this name, once a frame offers it; the main frame's when several do.

        Raises:
            WebMCPUnavailable: the page can't offer tools; see `unavailable_reason`.
            WaitTimeout: none came within `timeout` seconds.
            PageClosed, PageCrashed: the page is gone.
        """
        await self._page._ready()
        return self._tool(await self._engine.wait_for_tool(name, timeout=timeout))

    def on(self, event: str, handler: Handler) -> Callable[[], None]:
        """Call `handler` with each payload of ``toolsadded``, ``toolsremoved``, ``toolinvoked`` or ``toolresponded``;
        see `Page.on`."""
        return self._events.on(event, handler)

    def once(self, event: str, handler: Handler) -> Callable[[], None]:
        """As `on`, for the next event only."""
        return self._events.on(event, handler, once=True)

    def off(self, event: str, handler: Handler) -> None:
        """End what `on` or `once` began with the same handler."""
        self._events.off(event, handler)

    def events(self, event: str) -> EventStream:
        """The payloads of an event from now on, to be iterated over: ``async for result in
        page.webmcp.events("toolresponded")``; see `EventStream`."""
        return self._events.stream(event)

    # -- from the engine -----------------------------------------------------------------------------

    def _changed(self, event: str, tools: tuple[EngineTool, ...]) -> None:
        if self._events.has(event):
            self._events.emit(event, WebMCPToolsEvent(tuple(map(self._tool, tools))))

    def _removed(self, tools: tuple[EngineTool, ...]) -> None:
        for tool in tools:
            kept = self._tools.pop(tool.serial, None)
            if kept is not None:
                self._gone[tool.serial] = kept
        self._changed("toolsremoved", tools)

    def _invoked(self, engine: EngineCall) -> None:
        tool = self._tools.get(engine.tool.serial)
        if self._events.has("toolinvoked") or (tool is not None and tool._events.has("toolinvoked")):
            call = self._call(engine)
            call.tool._events.emit("toolinvoked", call)
            self._events.emit("toolinvoked", call)

    def _responded(self, result: EngineResult) -> None:
        if self._events.has("toolresponded"):
            self._events.emit("toolresponded", self._result(result))

    def _tool(self, engine: EngineTool) -> WebMCPTool:
        tool = self._tools.get(engine.serial) or self._gone.get(engine.serial)
        if tool is None:
            tool = WebMCPTool(self._page, engine)
            (self._tools if engine.gone is None else self._gone)[engine.serial] = tool
        return tool

    def _call(self, engine: EngineCall) -> WebMCPToolCall:
        return WebMCPToolCall(engine.id, self._tool(engine.tool), engine.input)

    def _result(self, engine: EngineResult) -> WebMCPToolCallResult:
        call = None if engine.call is None else self._call(engine.call)
        return WebMCPToolCallResult(engine.id, call, engine.status, engine.output, engine.error_text, engine.exception)
