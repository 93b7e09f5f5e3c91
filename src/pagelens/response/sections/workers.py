"""Service and shared workers, beside the list of pages."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, NotRequired, TypedDict

from pagelens.core.safe_text import one_line, quoted, shortened
from pagelens.response.formatters.network import url_text
from pagelens.response.listing import Listing, Row, table
from pagelens.response.order import Order
from pagelens.response.output import Output
from pagelens.response.pagination import ListPage, paginate

if TYPE_CHECKING:
    from pagelens.browser.workers import Worker
    from pagelens.context.mcp_context import McpContext

__all__ = ["WorkerJson", "WorkersSection"]

#: Characters of a shared worker's name.
NAME_CHARS = 60


class WorkerJson(TypedDict):
    """One worker of the `workers` key. `pages` are the ids of the open pages of its origin."""

    id: str
    type: str
    url: str
    running: bool
    name: NotRequired[str]
    pages: list[int]


class WorkersSection:
    """One line a worker, from what the browser knows: none is asked anything, and none is started."""

    key: ClassVar[str] = "list of workers"

    def __init__(self) -> None:
        self._page: ListPage[WorkerJson] = paginate([], always=False)

    def wanted(self, order: Order) -> bool:
        return order.workers

    async def compute(self, order: Order, context: McpContext) -> None:
        workers = [_described(worker, context) for worker in context.host.workers.all()]
        # Shared workers that ended never come back.
        shown = [worker for worker in workers if worker["running"] or worker["type"] == "service_worker"]
        self._page = paginate(shown, always=False)

    def render(self, out: Output) -> None:
        if not self._page.total:
            return
        out.heading("Workers (their consoles: list_console_messages with serviceWorkerId)")
        out.items(
            Listing(
                key="workers",
                page=self._page,
                text=lambda workers: [_line(worker) for worker in workers],
                data=lambda workers: table("workers", [_row(worker) for worker in workers]),
                json=list,
                is_paged=False,
            )
        )


def _described(worker: Worker, context: McpContext) -> WorkerJson:
    found: WorkerJson = {
        "id": worker.id,
        "type": worker.kind,
        "url": url_text(worker.url),
        "running": worker.is_running,
        "pages": [page.id for page in context.pages() if worker in context.host.workers.of_page(page.page)],
    }
    if worker.name:
        found["name"] = shortened(one_line(worker.name), NAME_CHARS)
    return found


def _line(worker: WorkerJson) -> str:
    kind = worker["type"].replace("_", " ")
    name = f" {quoted(worker['name'])}" if "name" in worker else ""
    notes = _notes(worker)
    return f"{worker['id']}: {kind} {worker['url']}{name}" + (f" [{notes}]" if notes else "")


def _row(worker: WorkerJson) -> Row:
    return {
        "id": worker["id"],
        "type": worker["type"],
        "url": worker["url"],
        "name": worker.get("name"),
        "note": _notes(worker) or None,
    }


def _notes(worker: WorkerJson) -> str:
    pages = worker["pages"]
    notes = [f"of page{'s' if len(pages) > 1 else ''} {', '.join(map(str, pages))}"] if pages else []
    return ", ".join(notes if worker["running"] else [*notes, "stopped"])
