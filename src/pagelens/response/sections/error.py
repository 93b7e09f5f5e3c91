"""Why the tool failed: always last."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from pagelens.core.safe_text import safe_block
from pagelens.errors import PagelensError
from pagelens.response.budget import cut_text
from pagelens.response.order import Order
from pagelens.response.output import Output

if TYPE_CHECKING:
    from pagelens.context.mcp_context import McpContext

__all__ = ["ErrorSection"]

#: A page's exception may carry any amount of text.
ERROR_CHARS = 8_000


class ErrorSection:
    """`Error (element_covered): what happened, why, what to do next.`"""

    key: ClassVar[str] = "error"

    def __init__(self) -> None:
        self._code = ""
        self._text = ""

    def wanted(self, order: Order) -> bool:
        return order.error is not None

    async def compute(self, order: Order, context: McpContext) -> None:
        error = order.error
        limit = min(ERROR_CHARS, context.options.max_reply_chars // 3)
        if isinstance(error, PagelensError):
            self._code = error.code
            # What to do next is never what is cut off.
            text = str(PagelensError(_cut(error.message, limit), error.hint))
        else:
            # Ours to fix: the type helps whoever reads the report.
            self._code, text = "internal_error", _cut(f"{type(error).__name__}: {error}", limit)
        self._text = safe_block(text)

    def render(self, out: Output) -> None:
        out.is_kept = True
        # Lines of a page's own exception are indented: none of them can start like a line of ours.
        out.block(f"Error ({self._code}): {self._text}".replace("\n", "\n    "))
        out.json["errorMessage"] = self._text
        out.json["errorCode"] = self._code


def _cut(text: str, limit: int) -> str:
    cut = cut_text(text, limit)
    return f"{cut.text}…" if cut.is_cut else text
