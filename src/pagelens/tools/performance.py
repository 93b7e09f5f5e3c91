"""Performance: traces recorded, read, and asked about."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any, Literal

from pydantic import Field

from pagelens.context.tracing import copy_trace
from pagelens.core.progress import Tell, telling
from pagelens.core.safe_text import one_line
from pagelens.errors import InvalidInput
from pagelens.tools.definition import (
    FileUse,
    PageToolRequest,
    ToolParams,
    ToolRequest,
    define_page_tool,
    define_tool,
)

if TYPE_CHECKING:
    from pagelens.context.mcp_context import McpContext
    from pagelens.context.tracing import PageTrace
    from pagelens.response.mcp_response import McpResponse

__all__ = [
    "performance_analyze_insight",
    "performance_query",
    "performance_start_trace",
    "performance_stop_trace",
]

#: Seconds that a recording with all that follows may take, while the caller hears of progress.
RECORDING = 900.0
#: Seconds for reading a file of any size.
READING = 300.0

Show = Literal["summary", "functions", "activities", "longTasks", "requests", "shifts", "interactions"]
#: Written the same in every tool, said once here.
_SAVE = FileUse("write", (".json", ".json.gz"))
_FILE = "Write the raw trace to this .json or .json.gz, for DevTools and Perfetto."
_TRACE = "Of this .json or .json.gz instead of the last recorded trace."
_PAGE = "Of the last trace of this page; default: the last of any."


class StartTraceParams(ToolParams):
    reload: bool = Field(default=True, description="Load the page anew, from the address first asked for.")
    autoStop: bool = Field(
        default=True,
        description="Stop when the page has been quiet for 2 s, at most 10 s after it loaded; false: until "
        "performance_stop_trace.",
    )
    ignoreCache: bool | None = Field(default=None, description="Default true: cold cache; false: warm.")
    filePath: str | None = Field(default=None, description=_FILE)
    screenshots: bool | None = Field(default=None, description="Record pictures, for a filmstrip.")
    selectorStats: bool | None = Field(default=None, description="Record what CSS selectors cost.")


@define_page_tool(
    name="performance_start_trace",
    title="Record performance trace",
    category="performance",
    description="Records a performance trace of the page: Core Web Vitals, what to mend first, where time went. To "
    "measure interactions: reload and autoStop false, act, performance_stop_trace.",
    read_only=False,
    params=StartTraceParams,
    blocked_by_dialog=True,
    verify_files={"filePath": _SAVE},
    deadline=lambda _: RECORDING,
    is_long=True,
)
async def performance_start_trace(
    request: PageToolRequest[StartTraceParams], response: McpResponse, context: McpContext
) -> None:
    params, tracing = request.params, request.page.tracing
    async with telling(request.progress) as tell:
        loaded = await tracing.start(
            reload=params.reload,
            cold=params.ignoreCache is not False,
            screenshots=bool(params.screenshots),
            selector_stats=bool(params.selectorStats),
            tell=tell,
        )
        if loaded is not None and loaded.outcome not in ("loaded", "usable", "bfcache"):
            response.attach_navigation(loaded, "Loaded")
        if not params.autoStop:
            response.append_line("Recording. performance_stop_trace ends it and shows what is in it.")
            return
        quiet = await tracing.until_quiet(tell)
        await _stop(request, response, context, tell, is_quiet=quiet)


class StopTraceParams(ToolParams):
    filePath: str | None = Field(default=None, description=_FILE)


@define_page_tool(
    name="performance_stop_trace",
    title="Stop performance trace",
    category="performance",
    description="Ends the recording that performance_start_trace began, and shows what is in it.",
    read_only=False,
    params=StopTraceParams,
    needs_answer=False,
    verify_files={"filePath": _SAVE},
    deadline=lambda _: RECORDING,
    is_long=True,
)
async def performance_stop_trace(
    request: PageToolRequest[StopTraceParams], response: McpResponse, context: McpContext
) -> None:
    async with telling(request.progress) as tell:
        await _stop(request, response, context, tell)


async def _stop(
    request: PageToolRequest[Any],
    response: McpResponse,
    context: McpContext,
    tell: Tell,
    *,
    is_quiet: bool | None = None,
) -> None:
    tracing = request.page.tracing
    path = request.paths.get("filePath")
    try:
        recorded, conditions = await tracing.end(is_quiet=is_quiet, tell=tell)
    except asyncio.CancelledError:
        # The call's time is up; the reply says why after this.
        response.append_line("Chrome still puts the trace together: performance_stop_trace waits for it and shows it.")
        raise
    if path is not None:
        with context.file_policy.writing(path) as (file, path):
            await asyncio.to_thread(copy_trace, recorded, file, path)
        response.append_line(f"Trace written to {one_line(str(path))}.")
    trace = await tracing.analyse(recorded, conditions, path=path, tell=tell)
    context.traces.keep(trace)
    response.attach_trace(trace)


# -- questions -----------------------------------------------------------------------------------------


class AnalyzeInsightParams(ToolParams):
    insightSetId: str = Field(description="A navigation, as the summary names it: NAVIGATION_0.")
    insightName: str = Field(description="As the summary names it: LCPBreakdown.")
    traceFilePath: str | None = Field(default=None, description=_TRACE)
    pageId: int | None = Field(default=None, description=_PAGE)


@define_tool(
    name="performance_analyze_insight",
    title="Performance insight",
    category="performance",
    description="Shows all there is to say of an insight of a trace: elements, requests, functions, what to do.",
    read_only=True,
    params=AnalyzeInsightParams,
    needs_browser=False,
    verify_files={"traceFilePath": "read"},
    deadline=lambda _: READING,
    is_long=True,
)
async def performance_analyze_insight(
    request: ToolRequest[AnalyzeInsightParams], response: McpResponse, context: McpContext
) -> None:
    params = request.params
    trace = await _trace(request, context)
    trace.insight(params.insightSetId, params.insightName)  # what there is not is the call's error
    response.attach_trace_insight(trace, params.insightSetId, params.insightName)


class QueryParams(ToolParams):
    show: Show = Field(description="What to list.")
    traceFilePath: str | None = Field(default=None, description=_TRACE)
    pageId: int | None = Field(default=None, description=_PAGE)
    insightSetId: str | None = Field(default=None, description="Navigation; default: the last one.")
    startMs: float | None = Field(default=None, description="Only from here, ms since the navigation began.")
    endMs: float | None = Field(default=None, description="Only until here.")
    pageSize: int | None = Field(default=None, gt=0, description="Rows; default 15.")
    pageIdx: int | None = Field(default=None, ge=0, description="Page to show, from 0.")


@define_tool(
    name="performance_query",
    title="Ask a performance trace",
    category="performance",
    description="Shows the summary of a recorded or saved trace, or lists what happened in it, most time first.",
    read_only=True,
    params=QueryParams,
    needs_browser=False,
    verify_files={"traceFilePath": "read"},
    deadline=lambda _: READING,
    is_long=True,
)
async def performance_query(request: ToolRequest[QueryParams], response: McpResponse, context: McpContext) -> None:
    params = request.params
    if params.startMs is not None and params.endMs is not None and params.endMs < params.startMs:
        raise InvalidInput("endMs is before startMs.", "Both count from the beginning of the navigation.")
    trace = await _trace(request, context)
    trace.load(params.insightSetId)
    if params.show == "summary":
        response.attach_trace(trace, params.insightSetId)
        return
    response.attach_trace_rows(
        trace,
        params.show,
        params.insightSetId,
        begin_ms=params.startMs,
        end_ms=params.endMs,
        page_size=params.pageSize,
        page_idx=params.pageIdx,
    )


async def _trace(
    request: ToolRequest[AnalyzeInsightParams] | ToolRequest[QueryParams], context: McpContext
) -> PageTrace:
    path = request.paths.get("traceFilePath")
    if path is None:
        return context.traces.newest(request.params.pageId)
    async with telling(request.progress) as tell:
        return await context.traces.file(path, tell)
