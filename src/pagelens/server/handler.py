"""The one road that every tool call takes, from its arguments to its reply.

In this order: disabled? → unknown arguments, wrong values (all at once) → lock → browser ready → response made →
paths verified → dialog check → handler → `McpResponse.handle` → telemetry → lock released, whatever happened.

`ToolHandler.arrive` does what belongs to the moment of arrival and awaits nothing: it fixes the target page and takes
the place in the lock's queue. `ToolCall.run` does the rest.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from pagelens.core.deadlines import (
    BROWSER_START,
    HIGHEST,
    LONGEST,
    REPLY,
    TOOL,
    TOOL_MARGIN,
    deadline,
    seconds_of,
)
from pagelens.core.options import Options
from pagelens.errors import InternalError, PageClosed, PagelensError, ToolDisabled
from pagelens.response.mcp_response import McpResponse, RenderedResponse
from pagelens.response.slim_response import SlimMcpResponse
from pagelens.server.locks import BROWSER, Locks, Place
from pagelens.server.telemetry import record_call
from pagelens.tools.arguments import parse_arguments
from pagelens.tools.definition import PageToolRequest, Progress, ToolDefinition, ToolParams, ToolRequest

if TYPE_CHECKING:
    from pagelens.context.mcp_context import McpContext
    from pagelens.context.mcp_page import McpPage

__all__ = ["ToolCall", "ToolHandler"]

log = logging.getLogger(__name__)

#: However late it is, a handler and a reply get this many seconds each.
LEAST = 5.0
#: Key of the lock that stands in for "the first page" while there is none yet.
FIRST_PAGE = "first page"


class ToolHandler:
    """One tool, ready to be called.

    Args:
        tool: what is called.
        provide_context: the agent's context; made at the first call.
        options: what the user chose.
        locks: shared by all tools of one browser.
    """

    def __init__(
        self, tool: ToolDefinition, provide_context: Callable[[], McpContext], options: Options, locks: Locks
    ) -> None:
        self.tool = tool
        self.options = options
        self.locks = locks
        self.provide_context = provide_context

    def arrive(self, arguments: Mapping[str, Any]) -> ToolCall:
        """Take a call in: its page is fixed and its place in the queue taken when this returns. Awaits nothing.

        Never raises for anything a caller can do; what is wrong is said by `ToolCall.run`. Whoever calls this must
        call `ToolCall.release` in the end.
        """
        return ToolCall(self, arguments)


class ToolCall:
    """One call of a tool, from its arrival to its reply.

    Attributes:
        stage: what it is doing now, in a few words, for progress messages.
    """

    def __init__(self, handler: ToolHandler, arguments: Mapping[str, Any]) -> None:
        self.tool = handler.tool
        self.stage = "starting"
        self._handler = handler
        self._context = handler.provide_context()
        self._arrived = time.monotonic()
        self._refusal: PagelensError | None = None
        self._params: ToolParams | None = None
        self._page: McpPage | None = None
        self._page_id: int | None = None
        self._place: Place | None = None
        self._has_progress = False
        try:
            self._check_enabled()
            self._params = parse_arguments(self.tool.name, self.tool.arguments(handler.options), arguments)
        except PagelensError as error:
            self._refusal = error
            return
        if self.tool.is_page_tool:
            self._page_id = getattr(self._params, "pageId", None)
            self._page = self._find_page()
        self._place = self._queue()

    def release(self) -> None:
        """Give back what the call holds. Doing it again does nothing."""
        if self._place is not None:
            self._place.release()

    async def run(self, progress: Progress | None = None) -> RenderedResponse:
        """Do the work and present it. Raises nothing but cancellation; the lock is released in any case."""
        code: str | None = "cancelled"
        reply = RenderedResponse("")
        try:
            reply, code = await self._pipeline(progress)
            return reply
        finally:
            size = len(reply.text.encode("utf-8", "replace")) + sum(len(data) for data, _ in reply.images)
            record_call(self.tool.name, time.monotonic() - self._arrived, size, code)
            self.release()

    # -- at arrival ----------------------------------------------------------------------------------

    def _check_enabled(self) -> None:
        flag = self.tool.missing_flag(self._handler.options)
        if flag is not None:
            raise ToolDisabled(f"{self.tool.name} is switched off.", f"Start pagelens {flag} to have it.")

    def _find_page(self) -> McpPage | None:
        """The page meant now; None while there is no such page (no browser yet, or it was lost)."""
        if self._page_id is None:
            return self._context.current_page()
        return next((page for page in self._context.pages() if page.id == self._page_id), None)

    def _queue(self) -> Place | None:
        if self.tool.lock == "none":
            return None
        if not self.tool.is_page_tool:
            return self._handler.locks.queue(BROWSER, self.tool.lock, self.tool.name, "The browser")
        page_id = self._page.id if self._page is not None else self._page_id
        if page_id is None:
            return self._handler.locks.queue(FIRST_PAGE, self.tool.lock, self.tool.name, "The first page")
        return self._queue_for_page(page_id)

    def _queue_for_page(self, page_id: int) -> Place:
        assert self.tool.lock != "none"
        return self._handler.locks.queue(page_id, self.tool.lock, self.tool.name, f"Page {page_id}")

    # -- the pipeline --------------------------------------------------------------------------------

    async def _pipeline(self, progress: Progress | None) -> tuple[RenderedResponse, str | None]:
        response = SlimMcpResponse() if "slim" in self.tool.annotations.conditions else McpResponse()
        error: PagelensError | None = self._refusal
        self._has_progress = progress is not None
        if error is None:
            try:
                await self._turn()
                request = self._request(response, progress)
                self._refuse_behind_dialog()
                self.stage = "running"
                async with deadline(self._limit(), self.tool.name, self._late_hint()):
                    await self.tool.handler(request, response, self._context)
            except Exception as raised:
                error = self._said(raised)
        if error is not None:
            response.set_error(error)
        return await self._present(response, error)

    async def _turn(self) -> None:
        """Wait for the lock and for the browser; then there is a page to work on."""
        if self._place is not None:
            self.stage = "waiting for its turn"
            await self._place.turn()
        if not self.tool.needs_browser:
            return
        self.stage = "starting the browser"
        generation = self._context.host.generation
        async with deadline(BROWSER_START + LEAST, "Starting Chrome", "Try again; if it stays, run pagelens doctor."):
            await self._context.ensure_browser()
        if not self.tool.is_page_tool:
            return
        page = self._page
        if page is not None and page.page.closed is not None and self._page_id is None:
            # A page that went down with the whole browser has no claim on the call any more.
            page = page if self._context.host.generation == generation else None
        if page is None:
            page = self._context.selected_page() if self._page_id is None else self._context.page(self._page_id)
        if page.page.closed is not None:
            raise PageClosed(
                f"Page {page.id} was closed before {self.tool.name} could start: {page.page.closed}.",
                "list_pages shows the pages there are.",
            )
        self._page = page
        if self._place is not None and self._place.key != page.id:
            # The call arrived before there was a page: it now stands in the page's own queue, too.
            stand_in, self._place = self._place, self._queue_for_page(page.id)
            with stand_in:
                await self._place.turn()
        self.stage = "waiting for the page"
        await self._context.ready(page, answering=self.tool.needs_answer)

    def _request(self, response: McpResponse, progress: Progress | None) -> ToolRequest[Any]:
        assert self._params is not None
        paths = self.tool.verified_paths(self._params, self._context.file_policy)
        more: dict[str, Any] = {} if progress is None else {"progress": progress}
        if self._page is None:
            return ToolRequest(self._params, paths, **more)
        response.for_page(
            self._page,
            name_it=self._page_id is None and self._context.is_one_of_several,
            has_progress=self._has_progress,
        )
        return PageToolRequest(self._params, paths, page=self._page, **more)

    def _refuse_behind_dialog(self) -> None:
        if self._page is not None:
            self.tool.refuse_behind_dialog(self._page)

    # -- how long, and what went wrong ---------------------------------------------------------------

    def _limit(self) -> float:
        """Seconds for the handler; beyond what `deadlines.limits` says only for a caller's own timeout."""
        explicit = getattr(self._params, "timeout", None) or 0
        usual = max(TOOL, seconds_of(explicit, 0) + TOOL_MARGIN)
        wanted = self.tool.deadline(self._params) if self.tool.deadline else usual
        if explicit > 0:
            return wanted
        return min(wanted * self._patience(), max(self._highest() - REPLY - self._elapsed(), LEAST))

    def _patience(self) -> float:
        return self._page.emulation.patience if self._page is not None else 1.0

    def _highest(self) -> float:
        """Seconds for all of the call, reply included."""
        if self.tool.is_long and self._has_progress:
            return LONGEST
        return HIGHEST * (self._patience() if self._has_progress else 1.0)

    def _elapsed(self) -> float:
        return time.monotonic() - self._arrived

    def _late_hint(self) -> str:
        if self._page is None:
            return "Try again."
        return (
            "The page may be stuck: take_snapshot shows its state, navigate_page reloads it, close_page always works."
        )

    def _said(self, raised: Exception) -> PagelensError:
        """The error for the reply: ours as it is, a fault of ours as one sentence, its traceback to the log."""
        while isinstance(raised, ExceptionGroup) and len(raised.exceptions) == 1:
            raised = raised.exceptions[0]  # the one failure of a task group
        if isinstance(raised, PagelensError):
            return raised
        log.error("%s failed", self.tool.name, exc_info=raised)
        where = self._handler.options.log_file or "stderr of pagelens"
        return InternalError(
            f"{self.tool.name} failed because of a fault in pagelens.", f"Its log has the details: {where}."
        )

    async def _present(self, response: McpResponse, error: PagelensError | None) -> tuple[RenderedResponse, str | None]:
        self.stage = "preparing the reply"
        limit = max(min(REPLY * self._patience(), self._highest() - self._elapsed()), LEAST)
        try:
            async with deadline(limit, "Preparing the reply", self._late_hint()):
                reply = await response.handle(self._context)
        except Exception as raised:
            # What the tool itself said needs no page: keep that, and the error that explains it best.
            failed = self._said(raised)
            last = SlimMcpResponse()
            last.order.lines = response.order.lines
            last.set_error(error or failed)
            return await last.handle(self._context), (error or failed).code
        code = error.code if error is not None else "section_failed" if reply.is_error else None
        return reply, code
