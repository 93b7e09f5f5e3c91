"""The shape of a section: one block of a reply."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Protocol

from pagelens.response.order import Order
from pagelens.response.output import Output

if TYPE_CHECKING:
    from pagelens.context.mcp_context import McpContext

__all__ = ["Section"]


class Section(Protocol):
    """One block of a reply. A new instance for every reply: what `compute` finds, `render` shows.

    Attributes:
        key: its name in messages ("Could not show the snapshot: …").
    """

    key: ClassVar[str]

    def wanted(self, order: Order) -> bool:
        """Whether this reply has the block at all. Costs nothing."""
        ...

    async def compute(self, order: Order, context: McpContext) -> None:
        """Get what is needed; called only when wanted. May raise: the block then says why."""
        ...

    def render(self, out: Output) -> None:
        """Write text and JSON from what was computed. Must not wait for anything."""
        ...
