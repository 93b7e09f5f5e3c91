"""What became of the fields of a form."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from pagelens.core.safe_text import one_line, quoted, shortened
from pagelens.response.order import Order
from pagelens.response.output import Output

if TYPE_CHECKING:
    from pagelens.browser.fill_form import FieldReport, FormReport
    from pagelens.context.mcp_context import McpContext

__all__ = ["FormSection"]

#: Characters of what a field holds, where the page made something else of it.
SHOWN = 100


class FormSection:
    """How many fields were filled, and a line for each of which there is more to say. JSON has all."""

    key: ClassVar[str] = "form"

    def __init__(self) -> None:
        self._form: FormReport | None = None

    def wanted(self, order: Order) -> bool:
        return order.form is not None

    async def compute(self, order: Order, context: McpContext) -> None:
        self._form = order.form

    def render(self, out: Output) -> None:
        assert self._form is not None
        total = len(self._form.fields)
        count = f"{total}" if self._form.filled == total else f"{self._form.filled} of {total}"
        out.line(f"Filled {count} field{'' if total == 1 else 's'}.")
        for field in self._form.fields:
            if more := _more(field):
                out.line(more)
        out.json["fields"] = [_json(field) for field in self._form.fields]


def _more(field: FieldReport) -> str:
    label = one_line(field.label)
    if field.failure:
        return f"Not {label}: {field.failure}"
    report = field.report
    if report is None:
        return ""
    if report.is_reformatted:
        return f"{label} shows it as {quoted(shortened(report.value_after, SHOWN))}."
    if report.offered:
        return f"{label} holds the text, none of its choices: {choices(report.offered)}."
    return "" if report.is_verified else f"{label} could not be read back."


def choices(offered: tuple[str, ...]) -> str:
    """What a list offers, a few of it."""
    shown = ", ".join(quoted(shortened(one_line(label), SHOWN)) for label in offered[:10])
    return shown + (f" and {len(offered) - 10} more" if len(offered) > 10 else "")


def _json(field: FieldReport) -> dict[str, Any]:
    report = field.report
    found: dict[str, Any] = {"uid": one_line(field.label), "filled": report is not None and not field.failure}
    if field.failure:
        found["error"] = field.failure
    if report is not None:
        if report.differs:
            found["value"] = shortened(report.value_after, 1000)
        if not report.is_verified:
            found["unverified"] = True
        if report.offered:
            found["offered"] = [one_line(label) for label in report.offered]
    return found
