"""The page as text."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from pagelens.core.safe_text import without_surrogates
from pagelens.response.budget import cut_text
from pagelens.response.order import Order
from pagelens.response.output import Output

if TYPE_CHECKING:
    from pagelens.context.mcp_context import McpContext

__all__ = ["SnapshotSection"]


class SnapshotSection:
    """A snapshot of the reply's page, in the reply or in a file."""

    key: ClassVar[str] = "snapshot"

    def __init__(self) -> None:
        self._text = ""
        self._lines = 0
        self._problems: list[str] = []
        self._saved: str | None = None

    def wanted(self, order: Order) -> bool:
        return order.snapshot is not None

    async def compute(self, order: Order, context: McpContext) -> None:
        assert order.snapshot is not None
        page = order.page or context.selected_page()
        snapshot = await page.snapshot(verbose=order.snapshot.verbose)
        self._text = snapshot.text
        self._lines = snapshot.line_count
        if order.snapshot.file_path is not None:
            data = without_surrogates(snapshot.text).encode()
            self._saved = str(await context.write_file(order.snapshot.file_path, data))

    def render(self, out: Output) -> None:
        if self._saved is not None:
            out.line(f"Snapshot written to {self._saved} ({self._lines} lines, {len(self._text)} characters).")
            out.json["snapshotFilePath"] = self._saved
            return
        cut = cut_text(self._text)
        out.heading("Snapshot")
        out.block(cut.text)
        out.json["snapshot"] = cut.text
        if cut.is_cut:
            out.line(
                f"Cut: {cut.shown_lines} of {cut.total_lines} lines shown ({len(cut.text)} of {cut.total_chars} "
                "characters). For all of it call take_snapshot with filePath."
            )
            out.json["snapshotCut"] = True
