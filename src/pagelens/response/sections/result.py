"""The value that a script returned."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from pagelens.core.safe_text import safe_block, without_surrogates
from pagelens.response.budget import Cut, cut_text
from pagelens.response.order import Order, ResultOrder
from pagelens.response.output import Output

if TYPE_CHECKING:
    from pagelens.context.mcp_context import McpContext

__all__ = ["ResultSection"]


class ResultSection:
    """A short value on the line itself, a long one in a fence, the rest of a huge one in a file."""

    key: ClassVar[str] = "result"

    def __init__(self) -> None:
        self._order = ResultOrder("")
        self._cut: Cut | None = None
        self._saved: str | None = None

    def wanted(self, order: Order) -> bool:
        return order.result is not None

    async def compute(self, order: Order, context: McpContext) -> None:
        assert order.result is not None
        self._order = order.result
        if order.result.file_path is not None:
            data = without_surrogates(order.result.text).encode()
            self._saved = str(await context.write_file(order.result.file_path, data))
        else:
            self._cut = cut_text(safe_block(order.result.text))

    def render(self, out: Output) -> None:
        if self._saved is not None:
            out.line(f"Result written to {self._saved} ({len(self._order.text)} characters).")
            out.json["resultFilePath"] = self._saved
        elif self._cut is not None:
            self._inline(out, self._cut)
        if self._order.truncated:
            out.line("The value was larger than what is read from a page: return less of it to see the rest.")
            out.json["resultTruncated"] = True

    def _inline(self, out: Output, cut: Cut) -> None:
        if "\n" in cut.text:
            # Longer than any run of backticks inside: the value can't close the fence and go on as ours.
            fence = "```"
            while fence in cut.text:
                fence += "`"
            out.line("Result:")
            out.block(f"{fence}\n{cut.text}\n{fence}")
        else:
            out.line(f"Result: {cut.text}")
        out.json["result"] = cut.text
        if cut.is_cut:
            out.line(
                f"Cut: {len(cut.text)} of {cut.total_chars} characters shown. "
                "For all of it call again with filePath, or return less."
            )
            out.json["resultCut"] = True
