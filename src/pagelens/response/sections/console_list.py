"""The console of a page."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from pagelens.core.safe_text import quoted, shortened
from pagelens.response.formatters.console import LIST_STACK_CALLS, ConsoleFormatter, FoldedMessage, fold
from pagelens.response.formatters.issue import IssueFormatter, formatter_of
from pagelens.response.formatters.network import url_text
from pagelens.response.formatters.tables import message_table
from pagelens.response.listing import Listing, Row, table
from pagelens.response.order import ConsoleListOrder, Order
from pagelens.response.output import Output
from pagelens.response.pagination import ListPage, paginate
from pagelens.response.sections.network_list import navigation_headings

if TYPE_CHECKING:
    from pagelens.analysis.source_maps import Mapped
    from pagelens.collectors.console_message import ConsoleMessage
    from pagelens.collectors.source_mapper import Place
    from pagelens.context.mcp_context import McpContext
    from pagelens.context.mcp_page import McpPage

__all__ = ["ConsoleListSection"]

#: A message and how many navigations ago it was said.
_Item = tuple[int, FoldedMessage]
#: Messages whose texts are made out in one go; workers that are named above a list.
SLICE = 500
WORKERS_NAMED = 5


class ConsoleListSection:
    """One line a message, oldest first, repeats folded, a page of the list at a time."""

    key: ClassVar[str] = "list of console messages"

    def __init__(self) -> None:
        self._page: ListPage[_Item] | None = None
        self._recorded = 0
        self._navigations: list[str] = []
        self._order = ConsoleListOrder()
        self._notes: list[str] = []
        self._heading = "Console messages"
        self._sources: dict[Place, Mapped] = {}

    def wanted(self, order: Order) -> bool:
        return order.console_list is not None

    async def compute(self, order: Order, context: McpContext) -> None:
        wanted = order.console_list
        page = order.page or context.current_page()
        if wanted is None or page is None:
            return
        self._order = wanted
        if wanted.worker_id is not None:
            found = await self._of_worker(wanted.worker_id, context)
        else:
            found = await self._of_page(page, context)
        # Folded before it is cut into pages, each navigation by itself.
        items: list[_Item] = []
        for index, messages in found:
            self._recorded += len(messages)
            await _decoded(messages)
            items += [(index, folded) for folded in fold(m for m in messages if self._matches(m))]
        self._page = paginate(items, wanted.page_size, wanted.page_idx)
        self._sources = await page.sources.locate(
            place
            for _, folded in self._page.items
            for place in folded.message.places(LIST_STACK_CALLS if wanted.stack_traces else 0)
        )

    async def _of_page(self, page: McpPage, context: McpContext) -> list[tuple[int, list[ConsoleMessage]]]:
        console = page.console
        workers = context.host.workers.of_page(page.page)
        await context.host.workers.settle()
        await asyncio.gather(console.settle(), *(context.worker_consoles.of(worker).settle() for worker in workers))
        self._navigations = [navigation.url for navigation in console.navigations]
        shown = range(len(self._navigations) - 1, -1, -1) if self._order.include_preserved else (0,)
        self._notes = [note for note in (console.cap_note(self._order.include_preserved),) if note]
        self._notes += [note for worker in workers if (note := context.worker_consoles.of(worker).cap_note())]
        if workers:
            named = ", ".join(f"{worker.id} {url_text(worker.url)}" for worker in workers[:WORKERS_NAMED])
            more = f" and {len(workers) - WORKERS_NAMED} more" if len(workers) > WORKERS_NAMED else ""
            self._notes.append(f"With its workers {named}{more}; serviceWorkerId shows one alone.")
        return [(index, console.messages(index)) for index in shown]

    async def _of_worker(self, worker_id: str, context: McpContext) -> list[tuple[int, list[ConsoleMessage]]]:
        worker = context.host.workers.get(worker_id)
        await context.host.workers.attach(worker)
        console = context.worker_consoles.of(worker)
        await console.settle()
        self._heading = f"Console messages of {worker.id} ({url_text(worker.url)})"
        self._navigations = [""]
        self._notes = [note for note in (console.cap_note(),) if note]
        if not worker.is_running:
            self._notes.append("It does not run now.")
        return [(0, list(console.items))]

    def _matches(self, message: ConsoleMessage) -> bool:
        if self._order.types and message.type not in self._order.types:
            return False
        text = self._order.text.lower()
        return not text or text in message.text.lower() or text in message.url.lower()

    def render(self, out: Output) -> None:
        page = self._page
        if page is None:
            return
        out.heading(self._heading)
        for note in self._notes:
            out.line(note)
        if not page.total:
            out.line(self._none())
        out.items(
            Listing(
                key="consoleMessages",
                page=page,
                text=self._text,
                data=self._data,
                json=lambda items: [{**self._shown(folded).to_json(), **self._ago(index)} for index, folded in items],
            )
        )

    def _none(self) -> str:
        if not self._recorded:
            return "No messages."
        asked = []
        if self._order.types:
            asked.append("is of these types")
        if self._order.text:
            asked.append(f"contains {quoted(shortened(self._order.text, 100))}")
        return f"None of {self._recorded} messages {' and '.join(asked)}."

    def _text(self, items: Sequence[_Item]) -> list[str]:
        headings = navigation_headings(self._navigations, [index for index, _ in items]) if self._is_split else {}
        return message_table([self._shown(folded).to_row() for _, folded in items], headings)

    def _data(self, items: Sequence[_Item]) -> dict[str, Any]:
        rows: list[Row] = [{**self._shown(folded).to_row(), **self._ago(index)} for index, folded in items]
        for row in rows:
            row["source"] = row["source"] or None
        return table("consoleMessages", rows)

    @property
    def _is_split(self) -> bool:
        return self._order.include_preserved and self._order.worker_id is None

    def _ago(self, index: int) -> dict[str, int]:
        return {"navigationsAgo": index} if self._is_split else {}

    def _shown(self, folded: FoldedMessage) -> ConsoleFormatter | IssueFormatter:
        return formatter_of(folded.message, folded.count, with_stack=self._order.stack_traces, sources=self._sources)


async def _decoded(messages: Sequence[ConsoleMessage]) -> None:
    """Have the texts of all of them, a slice at a time: others go on meanwhile."""
    for start in range(0, len(messages), SLICE):
        for message in messages[start : start + SLICE]:
            _ = message.text
        await asyncio.sleep(0)
