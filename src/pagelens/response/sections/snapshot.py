"""The page as text."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from pagelens.core.safe_text import without_surrogates
from pagelens.response.formatters.snapshot import SnapshotFormatter
from pagelens.response.listing import Listing, table
from pagelens.response.order import Order
from pagelens.response.output import Output
from pagelens.response.pagination import paginate
from pagelens.snapshot.difference import SnapshotDifference

if TYPE_CHECKING:
    from pagelens.context.mcp_context import McpContext

__all__ = ["SnapshotSection"]


class SnapshotSection:
    """A snapshot of the reply's page, in the reply or in a file."""

    key: ClassVar[str] = "snapshot"

    def __init__(self) -> None:
        self._formatter = SnapshotFormatter("")
        self._saved: str | None = None
        self._difference: SnapshotDifference | None = None

    def wanted(self, order: Order) -> bool:
        return order.snapshot is not None

    async def compute(self, order: Order, context: McpContext) -> None:
        assert order.snapshot is not None
        page = order.page or context.selected_page()
        wanted = order.snapshot
        taken = wanted.taken or await page.snapshot(verbose=wanted.verbose)
        text = taken.text
        if isinstance(taken, SnapshotDifference):
            self._difference = taken
        selected = await page.uid_selected_in_devtools() if order.devtools and self._difference is None else None
        self._formatter = SnapshotFormatter(text, selected)
        if order.snapshot.file_path is not None:
            data = without_surrogates("\n".join(self._formatter.lines)).encode()
            self._saved = str(await context.write_file(order.snapshot.file_path, data))

    def render(self, out: Output) -> None:
        formatter = self._formatter
        if self._saved is not None:
            chars = len("\n".join(formatter.lines))
            out.line(f"Snapshot written to {self._saved} ({len(formatter.lines)} lines, {chars} characters).")
            out.json["snapshotFilePath"] = self._saved
            return
        if (difference := self._difference) is not None:
            out.heading("Changes of the snapshot")
            out.block(difference.text)
            out.json["snapshotChanges"] = {
                "added": difference.added,
                "removed": difference.removed,
                "changed": difference.changed,
                "lines": list(difference.lines),
            }
            return
        out.heading("Snapshot")
        out.items(
            Listing(
                key="snapshot",
                page=paginate(formatter.lines, always=False),
                text=list,
                data=lambda lines: table("snapshot", formatter.to_rows(lines)),
                json=formatter.to_string,
                is_paged=False,
            )
        )
