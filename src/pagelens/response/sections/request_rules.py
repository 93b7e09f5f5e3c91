"""Which rules change the page's requests: shown whenever there are any, unasked."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from pagelens.response.order import Order
from pagelens.response.output import Output

if TYPE_CHECKING:
    from pagelens.browser.request_rules import RequestRule
    from pagelens.context.mcp_context import McpContext

__all__ = ["RequestRulesSection"]


class RequestRulesSection:
    """One line with every rule in force and how often it was used."""

    key: ClassVar[str] = "request rules"

    def __init__(self) -> None:
        self._rules: dict[int, tuple[RequestRule, int]] = {}

    def wanted(self, order: Order) -> bool:
        return order.page is not None

    async def compute(self, order: Order, context: McpContext) -> None:
        assert order.page is not None
        self._rules = order.page.request_rules

    def render(self, out: Output) -> None:
        if not self._rules:
            return
        shown = [f"{number}. {rule} (used {used} times)" for number, (rule, used) in self._rules.items()]
        out.line(f"Request rules: {'; '.join(shown)}.")
        out.json["requestRules"] = [
            {"id": number, "rule": str(rule), "used": used} for number, (rule, used) in self._rules.items()
        ]
