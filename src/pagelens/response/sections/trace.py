"""A performance trace: its summary, an insight of it, or what happened in it."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from pagelens.context.trace_names import trace_names
from pagelens.response.formatters.heap import table_lines
from pagelens.response.formatters.trace import (
    Rows,
    TraceInsightJson,
    TraceSummaryJson,
    asked_nodes,
    asked_places,
    insight_json,
    insight_text,
    rows_of,
    summary_json,
    summary_lines,
)
from pagelens.response.formatters.trace_insights import by_urgency
from pagelens.response.formatters.trace_words import TraceWords
from pagelens.response.listing import Listing, Row, table
from pagelens.response.order import Order, TraceOrder
from pagelens.response.output import Output
from pagelens.response.pagination import ListPage, paginate

if TYPE_CHECKING:
    from pagelens.context.mcp_context import McpContext

__all__ = ["TraceSection"]

#: Rows of a list when nobody says how many.
PAGE_SIZE = 15


class TraceSection:
    """What an agent asked of a trace, with names that tools take."""

    key: ClassVar[str] = "trace"

    def __init__(self) -> None:
        self._lines: list[str] = []
        self._summary: TraceSummaryJson | None = None
        self._insight: TraceInsightJson | None = None
        self._rows: Rows | None = None
        self._page: ListPage[Any] = paginate([], always=False)
        self._words: TraceWords | None = None

    def wanted(self, order: Order) -> bool:
        return order.trace is not None

    async def compute(self, order: Order, context: McpContext) -> None:
        wanted = order.trace
        assert wanted is not None
        if wanted.show is not None:
            await self._list(wanted, wanted.show, context)
        else:
            await self._tell(wanted, context)

    async def _tell(self, wanted: TraceOrder, context: McpContext) -> None:
        trace, load = wanted.trace, wanted.trace.load(wanted.set_id)
        chosen = by_urgency(load) if wanted.insight is None else [trace.insight(wanted.set_id, wanted.insight)]
        nodes, places = asked_nodes(load, chosen), asked_places(load, chosen)
        words = TraceWords(load, await trace_names(context, trace, load, nodes, places))
        if wanted.insight is None:
            # The work of the main thread is added up when it is first asked for.
            self._lines = await asyncio.to_thread(summary_lines, trace, load, words)
            self._summary = await asyncio.to_thread(summary_json, trace, load)
        else:
            self._lines = insight_text(load, chosen[0], words)
            self._insight = insight_json(load, chosen[0], words)

    async def _list(self, wanted: TraceOrder, show: str, context: McpContext) -> None:
        trace, load = wanted.trace, wanted.trace.load(wanted.set_id)
        rows = await asyncio.to_thread(rows_of, load, show, wanted.begin_ms, wanted.end_ms)
        self._rows = rows
        self._page = paginate(rows.items, wanted.page_size or PAGE_SIZE, wanted.page_idx)
        nodes = [node for item in self._page.items for node in rows.nodes(item)]
        places = await asyncio.to_thread(lambda: [place for item in self._page.items for place in rows.places(item)])
        self._words = TraceWords(load, await trace_names(context, trace, load, nodes, places))
        self._lines = [f"{rows.title}; times from the beginning of {load.id} on"]

    def render(self, out: Output) -> None:
        out.heading("Performance trace")
        for line in self._lines:
            out.line(line)
        if self._summary is not None:
            out.json["traceSummary"] = self._summary
        if self._insight is not None:
            out.json["traceInsights"] = [self._insight]
        if (rows := self._rows) is not None:
            if not rows.items:
                out.line("None.")
            out.items(
                Listing(
                    key=rows.key,
                    page=self._page,
                    text=lambda items: table_lines(self._shown(items)),
                    data=lambda items: table(rows.key, self._shown(items)),
                    json=lambda items: [
                        {name: value for name, value in row.items() if value is not None} for row in self._shown(items)
                    ],
                )
            )

    def _shown(self, items: Sequence[Any]) -> list[Row]:
        assert self._rows is not None
        words = self._words
        return [self._rows.row(item, words) for item in items] if words is not None else []
