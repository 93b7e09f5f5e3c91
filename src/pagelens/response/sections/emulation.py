"""What the page is made to believe: shown whenever something is active, unasked."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from pagelens.response.order import Order
from pagelens.response.output import Output

if TYPE_CHECKING:
    from pagelens.context.mcp_context import McpContext
    from pagelens.context.mcp_page import EmulationState

__all__ = ["EmulationSection"]


class EmulationSection:
    """One line with every setting in force; JSON keys as in chrome-devtools-mcp."""

    key: ClassVar[str] = "emulation state"

    def __init__(self) -> None:
        self._state: EmulationState | None = None

    def wanted(self, order: Order) -> bool:
        return order.page is not None

    async def compute(self, order: Order, context: McpContext) -> None:
        assert order.page is not None
        self._state = order.page.emulation

    def render(self, out: Output) -> None:
        if self._state is None or self._state.viewport is None:
            return
        width, height = self._state.viewport
        out.line(f"Emulating: viewport {width}x{height}.")
        out.json["viewport"] = {"width": width, "height": height}
