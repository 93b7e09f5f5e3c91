"""The value that a script returned."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, ClassVar

from pagelens.core.safe_text import fenced, safe_block, without_surrogates
from pagelens.response.order import Order, ResultOrder
from pagelens.response.output import Output

if TYPE_CHECKING:
    from pagelens.context.mcp_context import McpContext

__all__ = ["ResultSection"]


class ResultSection:
    """A value of one line on the line itself, a longer one in a fence, or in a file."""

    key: ClassVar[str] = "result"

    def __init__(self) -> None:
        self._order = ResultOrder("")
        self._saved: str | None = None
        self._written = ""

    def wanted(self, order: Order) -> bool:
        return order.result is not None

    async def compute(self, order: Order, context: McpContext) -> None:
        assert order.result is not None
        self._order = order.result
        if order.result.file_path is not None:
            if order.result.is_string:
                self._written = json.loads(order.result.text)
            else:
                self._written = order.result.text
            data = without_surrogates(self._written).encode()
            self._saved = str(await context.write_file(order.result.file_path, data))

    def render(self, out: Output) -> None:
        if self._saved is not None:
            out.line(f"Result written to {self._saved} ({len(self._written)} characters).")
            out.json["resultFilePath"] = self._saved
        else:
            text = safe_block(self._order.text)
            if "\n" in text:
                out.line("Result:")
                out.block(fenced(text))
            else:
                out.line(f"Result: {text}")
            out.json["result"] = text
        if self._order.note:
            out.line(self._order.note)
            out.json["resultNote"] = self._order.note
