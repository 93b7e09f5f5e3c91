"""What came true of what was waited for."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from pagelens.response.order import Order
from pagelens.response.output import Output

if TYPE_CHECKING:
    from pagelens.browser.waiting import WaitReport
    from pagelens.context.mcp_context import McpContext

__all__ = ["WaitSection"]


class WaitSection:
    """A line for each condition, the last one with the time it took."""

    key: ClassVar[str] = "wait"

    def __init__(self) -> None:
        self._report: WaitReport | None = None

    def wanted(self, order: Order) -> bool:
        return order.wait is not None

    async def compute(self, order: Order, context: McpContext) -> None:
        self._report = order.wait

    def render(self, out: Output) -> None:
        report = self._report
        assert report is not None
        for sentence in report.found[:-1]:
            out.line(sentence)
        out.line(f"{report.found[-1]} Waited {report.waited_ms} ms.")
        out.json["wait"] = {"found": list(report.found), "uids": list(report.uids), "waitedMs": report.waited_ms}
        if report.text is not None:
            out.json["wait"]["text"] = report.text
