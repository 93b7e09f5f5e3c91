"""The MCP server: what a client gets to know of pagelens, and its calls taken to the tools.

Nothing of the browser, the tools or the replies is imported before ``initialize`` (or ``server/discover``) is answered:
the tools come with the first ``tools/list``, Chrome with the first call. ``initialize`` itself is usually answered
before this module is there (`pagelens.server.greeting`).
"""

from __future__ import annotations

import asyncio
import base64
import logging
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from functools import cached_property
from typing import TYPE_CHECKING, Any

import mcp_types as types
from mcp.server.caching import CacheHint
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import NotificationOptions, Server
from mcp.server.models import InitializationOptions
from mcp.shared.exceptions import MCPError

from pagelens._version import __version__
from pagelens.core.deadlines import HIGHEST
from pagelens.core.options import Options
from pagelens.core.safe_text import json_safe, quoted, shortened
from pagelens.errors import PagelensError, ToolGone, UnknownTool
from pagelens.server.greeting import INSTRUCTIONS, NAME, SLIM_INSTRUCTIONS

if TYPE_CHECKING:
    from mcp.server.session import ServerSession
    from mcp.server.subscriptions import InMemorySubscriptionBus

    from pagelens.context.mcp_context import McpContext
    from pagelens.response.mcp_response import RenderedResponse
    from pagelens.server.handler import ToolCall, ToolHandler
    from pagelens.server.passthrough import Passthrough
    from pagelens.tools.definition import ToolDefinition

__all__ = ["App", "create_server", "initialization_options"]

log = logging.getLogger(__name__)

Context = ServerRequestContext[Any, Any]

#: Seconds between two signs of life to a client that asked for progress.
HEARTBEAT = 5.0
#: A client may keep the list of tools this long, in milliseconds; it does not change while the server runs.
TOOLS_TTL = 3_600_000


def create_server(options: Options, provide_context: Callable[[], McpContext]) -> Server[Any]:
    """The server, to be run on any pair of streams; serves both protocol eras.

    Args:
        options: what the user chose.
        provide_context: makes the agent's context or returns it; first called when a tool is.
    """
    app = App(options, provide_context)
    passes = options.webmcp_passthrough
    server: Server[Any] = Server(
        NAME,
        version=__version__,
        title=NAME,
        instructions=SLIM_INSTRUCTIONS if options.slim else INSTRUCTIONS,
        cache_hints={"tools/list": CacheHint(ttl_ms=0 if passes else TOOLS_TTL)},
        on_list_tools=app.list_tools,
        on_call_tool=app.call_tool,
        **(app.change_handlers() if passes else {}),
    )
    # Roots exist in the handshake era only. Notification handlers run in tasks of their own: nobody waits for them.
    server.add_notification_handler("notifications/initialized", types.NotificationParams, app.client_is_ready)
    server.add_notification_handler("notifications/roots/list_changed", types.NotificationParams, app.ask_for_roots)
    return server


def initialization_options(server: Server[Any]) -> InitializationOptions:
    """What is said of the server in the handshake: that its list of tools may change, if it may."""
    changes = server.get_request_handler("subscriptions/listen") is not None
    return server.create_initialization_options(NotificationOptions(tools_changed=changes))


class App:
    """The handlers behind `create_server`."""

    def __init__(self, options: Options, provide_context: Callable[[], McpContext]) -> None:
        self.options = options
        self._make_context = provide_context
        self._context: McpContext | None = None
        self._roots: list[str] = []
        self._client: ServerSession | None = None

    @cached_property
    def _passthrough(self) -> Passthrough | None:
        """The page's own tools, when they are served."""
        if not self.options.webmcp_passthrough:
            return None
        from pagelens.server.passthrough import Passthrough

        return Passthrough(self._tell_change)

    @cached_property
    def tools(self) -> Sequence[ToolDefinition]:
        """Every tool, served or not."""
        from pagelens.tools import create_tools

        return create_tools(self.options)

    @cached_property
    def handlers(self) -> Mapping[str, ToolHandler]:
        """What runs each tool, by name."""
        from pagelens.server.handler import ToolHandler
        from pagelens.server.locks import Locks

        locks = Locks()
        return {tool.name: ToolHandler(tool, self._provide_context, self.options, locks) for tool in self.tools}

    @cached_property
    def served(self) -> list[types.Tool]:
        """What ``tools/list`` shows."""
        from pagelens.tools.schema import input_schema

        shown = []
        for tool in self.tools:
            if tool.missing_flag(self.options) is not None:
                continue
            notes = tool.annotations
            hints = types.ToolAnnotations(
                title=notes.title,
                read_only_hint=True if notes.read_only else None,
                # The protocol's defaults are "may destroy" and "open world"; only what differs is said.
                destructive_hint=False if not notes.read_only and not notes.destructive else None,
                open_world_hint=None if notes.open_world else False,
            )
            shown.append(
                types.Tool(
                    name=tool.name,
                    description=tool.description,
                    input_schema=input_schema(tool, self.options),
                    annotations=hints,
                )
            )
        return shown

    # -- requests ------------------------------------------------------------------------------------

    async def list_tools(self, ctx: Context, params: types.PaginatedRequestParams | None) -> types.ListToolsResult:
        """``tools/list``."""
        return types.ListToolsResult(tools=[*self.served, *self._passed()])

    async def call_tool(self, ctx: Context, params: types.CallToolRequestParams) -> types.CallToolResult:
        """``tools/call``. Whatever goes wrong in a tool is a result with `is_error`; this raises only cancellation."""
        handler, arguments = self.handlers.get(params.name), params.arguments or {}
        if handler is None and self._passthrough is not None:
            try:
                passed = self._passthrough.find(params.name)
            except ToolGone as error:
                return _refused(error)
            if passed is not None:
                handler = self.handlers["execute_webmcp_tool"]
                arguments = passed.call(arguments)
        if handler is None:
            return _refused(self._unknown(params.name))
        call = handler.arrive(arguments)
        try:
            reply = await self._run(call, ctx)
        finally:
            call.release()
            if self._passthrough is not None:
                self._passthrough.refresh()  # another page may be selected now
        return self._result(reply)

    async def _run(self, call: ToolCall, ctx: Context) -> RenderedResponse:
        """Run a call in a task of its own.

        The SDK's cancellation comes again at every await until the request ends; a tool's cleanup must be able to
        await. Its own task gets one plain `asyncio` cancellation instead.
        """
        wants_progress = bool(ctx.meta) and "progress_token" in (ctx.meta or {})
        async with asyncio.TaskGroup() as group:
            reporter = _Reporter(ctx) if wants_progress else None
            heart = group.create_task(reporter.beat(call)) if reporter else None
            task = group.create_task(call.run(reporter.report if reporter else None))
            task.add_done_callback(lambda _: heart and heart.cancel())
        return task.result()

    def _result(self, reply: RenderedResponse) -> types.CallToolResult:
        content: list[types.ContentBlock] = []
        if reply.text or not reply.images:
            content.append(types.TextContent(type="text", text=json_safe(reply.text)))
        for data, mime in reply.images:
            content.append(types.ImageContent(type="image", data=base64.b64encode(data).decode(), mime_type=mime))
        structured = json_safe(reply.structured) if self.options.structured_content else None
        return types.CallToolResult(content=content, structured_content=structured, is_error=reply.is_error)

    def _unknown(self, name: str) -> UnknownTool:
        from pagelens.tools.arguments import nearest

        served = [tool.name for tool in [*self.served, *self._passed()]]
        near = nearest(name, served)
        return UnknownTool(
            f"There is no tool {quoted(shortened(name, 60))}.",
            f"Did you mean {near}?" if near else f"The tools are {', '.join(served)}.",
        )

    # -- a list that changes -------------------------------------------------------------------------

    def change_handlers(self) -> dict[str, Any]:
        """What a server needs besides to tell its clients that its list of tools has changed."""
        from mcp.server.subscriptions import ListenHandler

        return {"on_subscriptions_listen": ListenHandler(self._bus), "lifespan": self._telling}

    @cached_property
    def _bus(self) -> InMemorySubscriptionBus:
        """Where clients without a handshake hear of changes."""
        from mcp.server.subscriptions import InMemorySubscriptionBus

        return InMemorySubscriptionBus()

    @asynccontextmanager
    async def _telling(self, server: Server[Any]) -> AsyncIterator[None]:
        """While the server runs, clients are told of changes."""
        assert self._passthrough is not None
        async with asyncio.TaskGroup() as group:
            telling = group.create_task(self._passthrough.run())
            try:
                yield
            finally:
                telling.cancel()

    async def _tell_change(self) -> None:
        from mcp.server.subscriptions import ToolsListChanged

        if self._client is not None:
            await self._client.send_tool_list_changed()
        await self._bus.publish(ToolsListChanged())

    def _passed(self) -> list[types.Tool]:
        if self._passthrough is None:
            return []
        return [
            types.Tool(name=each.name, description=each.description, input_schema=each.input_schema)
            for each in self._passthrough.tools()
        ]

    # -- the client ----------------------------------------------------------------------------------

    async def client_is_ready(self, ctx: Context, params: types.NotificationParams) -> None:
        """``notifications/initialized``: from now on it may be told things. Only clients with a handshake say it."""
        self._client = ctx.session
        await self.ask_for_roots(ctx, params)

    async def ask_for_roots(self, ctx: Context, params: types.NotificationParams) -> None:
        """Ask which directories the client has opened; runs beside everything else and is waited for by nobody."""
        capabilities = ctx.session.client_capabilities
        if capabilities is None or capabilities.roots is None:
            return
        try:
            found = await ctx.session.send_request(
                types.ListRootsRequest(), types.ListRootsResult, request_read_timeout_seconds=HIGHEST
            )
        except MCPError as error:
            log.info("the client did not name its roots: %s", error)
            return
        self._roots = [str(root.uri) for root in found.roots]
        if self._context is not None:
            self._context.file_policy.set_roots(self._roots)

    def _provide_context(self) -> McpContext:
        if self._context is None:
            self._context = self._make_context()
            if self._passthrough is not None:
                self._passthrough.attach(self._context)
            self._context.file_policy.set_roots(self._roots)
        return self._context


class _Reporter:
    """Progress of one call for a client that asked for it; never goes backwards."""

    def __init__(self, ctx: Context) -> None:
        self._ctx = ctx
        self._beats = 0.0
        self._is_told_by_tool = False

    async def report(self, done: float, total: float | None = None, message: str | None = None) -> None:
        """What the tool itself says, on top of what the signs of life have counted."""
        self._is_told_by_tool = True
        total = None if total is None else self._beats + total
        await self._ctx.session.report_progress(self._beats + done, total, json_safe(message))

    async def beat(self, call: ToolCall) -> None:
        """A sign of life every few seconds, until the tool itself says something."""
        while True:
            await asyncio.sleep(HEARTBEAT)
            if self._is_told_by_tool:
                return
            self._beats += HEARTBEAT
            await self._ctx.session.report_progress(self._beats, None, f"{call.tool.name}: {call.stage}")


def _refused(error: PagelensError) -> types.CallToolResult:
    text = json_safe(f"Error ({error.code}): {error}")
    return types.CallToolResult(content=[types.TextContent(type="text", text=text)], is_error=True)
