"""A performance trace as a page for people."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from pydantic import Field

from pagelens.context.trace_names import TraceNames
from pagelens.core.progress import telling
from pagelens.core.safe_text import one_line
from pagelens.response.formatters.trace_insights import insight_lines
from pagelens.response.formatters.trace_words import TraceWords, size_text
from pagelens.tools.definition import FileUse, ToolParams, ToolRequest, define_tool

if TYPE_CHECKING:
    from pagelens.analysis.trace import Insight, PageLoad
    from pagelens.context.mcp_context import McpContext
    from pagelens.response.mcp_response import McpResponse

__all__ = ["save_html_report"]

#: Seconds for reading a file of any size, and for writing the report.
READING = 300.0


class SaveHtmlReportParams(ToolParams):
    filePath: str = Field(description="The .html to write.")
    traceFilePath: str | None = Field(
        default=None, description="Of this .json or .json.gz instead of the last recorded trace."
    )
    pageId: int | None = Field(default=None, description="Of the last trace of this page; default: the last of any.")


@define_tool(
    name="save_html_report",
    title="Save performance report",
    category="performance",
    description="Writes a trace as one HTML page for people: metrics, findings, filmstrip (of a trace recorded with "
    "screenshots), flame chart, waterfall. It loads nothing else.",
    read_only=False,
    params=SaveHtmlReportParams,
    needs_browser=False,
    verify_files={"traceFilePath": "read", "filePath": FileUse("write", (".html", ".htm"))},
    deadline=lambda _: READING,
    is_long=True,
)
async def save_html_report(
    request: ToolRequest[SaveHtmlReportParams], response: McpResponse, context: McpContext
) -> None:
    from pagelens.analysis.trace.report import html_report

    source = request.paths.get("traceFilePath")
    if source is None:
        trace = context.traces.newest(request.params.pageId)
    else:
        async with telling(request.progress) as tell:
            trace = await context.traces.file(source, tell)
    # Whoever opens it later has no use for uids.
    page = await asyncio.to_thread(html_report, trace.trace, _words)
    with context.file_policy.writing(request.paths["filePath"]) as (file, path):
        await asyncio.to_thread(file.write, page)
    response.append_line(f"Report written to {one_line(str(path))} ({size_text(len(page))}): open it in a browser.")


def _words(load: PageLoad, insight: Insight) -> list[str]:
    return insight_lines(insight, TraceWords(load, TraceNames()))
