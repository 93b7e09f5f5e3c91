"""What each of several actions did."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from pagelens.core.safe_text import safe_block
from pagelens.errors import PagelensError
from pagelens.response.order import Order, SnapshotOrder, StepOrder
from pagelens.response.output import Output
from pagelens.response.section import Section
from pagelens.response.sections.effect import EffectSection
from pagelens.response.sections.form import FormSection
from pagelens.response.sections.lines import LinesSection
from pagelens.response.sections.navigation import NavigationSection
from pagelens.response.sections.result import ResultSection
from pagelens.response.sections.wait import WaitSection

if TYPE_CHECKING:
    from pagelens.context.mcp_context import McpContext

__all__ = ["StepsSection"]

#: The blocks that a step may have; what shows the page as a whole is left to the reply.
PARTS: tuple[type[Section], ...] = (
    LinesSection,
    FormSection,
    ResultSection,
    WaitSection,
    NavigationSection,
    EffectSection,
)


class StepsSection:
    """For each step that was run a line or more, made by the sections that a call of its tool would have had."""

    key: ClassVar[str] = "steps"

    def __init__(self) -> None:
        self._steps: list[tuple[StepOrder, list[Section]]] = []

    def wanted(self, order: Order) -> bool:
        return bool(order.steps)

    async def compute(self, order: Order, context: McpContext) -> None:
        for step in order.steps:
            own = step.order
            own.snapshot = SnapshotOrder()  # no step says where to look: the reply as a whole does
            parts = [section for section in (make() for make in PARTS) if section.wanted(own)]
            for part in parts:
                await part.compute(own, context)
            self._steps.append((step, parts))

    def render(self, out: Output) -> None:
        shown: list[dict[str, Any]] = []
        for step, parts in self._steps:
            own = Output()
            for part in parts:
                part.render(own)
            lines = own.lines
            found: dict[str, Any] = {"tool": step.tool, "done": step.error is None, **own.json}
            if step.error is not None:
                is_ours = isinstance(step.error, PagelensError)
                why = safe_block(str(step.error)) if is_ours else "a fault in pagelens"
                lines = [*lines, f"{step.tool} failed: {why}"]
                found["errorMessage"] = why
                found["errorCode"] = step.error.code if isinstance(step.error, PagelensError) else "internal_error"
            text = "\n".join(lines or [f"{step.tool}: done."])
            out.block(f"{step.number}. " + text.replace("\n", "\n   "))
            shown.append(found)
        out.json["steps"] = shown
