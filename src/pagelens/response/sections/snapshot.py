"""The page as text."""

from __future__ import annotations

from bisect import bisect_right
from itertools import accumulate
from typing import TYPE_CHECKING, ClassVar

from pagelens.core.safe_text import without_surrogates
from pagelens.response.formatters.snapshot import SnapshotFormatter
from pagelens.response.listing import Listing, table
from pagelens.response.order import Order
from pagelens.response.output import Output
from pagelens.response.pagination import ListPage
from pagelens.snapshot.difference import SnapshotDifference
from pagelens.snapshot.outline.smart_outline import estimated_tokens
from pagelens.snapshot.part import parents, path_lines

if TYPE_CHECKING:
    from pagelens.context.mcp_context import McpContext
    from pagelens.snapshot.text_snapshot import TextSnapshot

__all__ = ["SnapshotSection"]


class SnapshotSection:
    """A snapshot of the reply's page, in the reply or in a file."""

    key: ClassVar[str] = "snapshot"

    def __init__(self) -> None:
        self._formatter = SnapshotFormatter("")
        self._saved: str | None = None
        self._shown: list[str] = []
        self._first = 0
        self._size = 0
        self._number = 0
        self._difference: SnapshotDifference | None = None

    def wanted(self, order: Order) -> bool:
        return order.snapshot is not None

    async def compute(self, order: Order, context: McpContext) -> None:
        assert order.snapshot is not None
        page = order.page or context.selected_page()
        wanted = order.snapshot
        start = 0
        if wanted.cursor is not None:
            self._number, start = page.kept_snapshots.at(wanted.cursor)
            taken: TextSnapshot | SnapshotDifference = page.kept_snapshots[self._number]
        else:
            taken = wanted.taken or await page.snapshot(verbose=wanted.verbose)
            if isinstance(taken, SnapshotDifference):
                self._difference = taken
            else:
                self._number = page.kept_snapshots.keep(taken)
        text = taken.text
        selected = await page.uid_selected_in_devtools() if order.devtools and self._difference is None else None
        # A file is for searching, and verbose is for those who want all of it.
        repeats = wanted.verbose or wanted.file_path is not None
        self._formatter = SnapshotFormatter(text, selected, repeats=repeats)
        self._choose(start, wanted.max_tokens)
        if order.snapshot.file_path is not None:
            data = without_surrogates("\n".join(self._formatter.lines)).encode()
            self._saved = str(await context.write_file(order.snapshot.file_path, data))

    def _choose(self, start: int, max_tokens: int | None) -> None:
        """The lines to show from line `start` on, below the header and those that hold the first of them."""
        lines = self._formatter.lines
        above = [0, *path_lines(parents(lines), start)] if start else []
        self._shown = [lines[number] for number in dict.fromkeys(above)] + lines[start:]
        self._first = start - (len(self._shown) - len(lines[start:]))
        self._size = len(self._shown)
        if max_tokens is not None:
            tokens = list(accumulate(estimated_tokens(line) + 1 for line in self._shown))
            # One line of the page at least, else no reader would get on.
            self._size = max(bisect_right(tokens, max_tokens), start - self._first + 1)

    def _cursor(self, shown: int) -> str:
        return f"s{self._number}.{self._first + shown}"

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
                page=ListPage(self._shown, 0, max(1, self._size), is_paged=False),
                text=list,
                data=lambda lines: table("snapshot", formatter.to_rows(lines)),
                json=formatter.to_string,
                is_paged=False,
                go_on=self._cursor,
            )
        )
