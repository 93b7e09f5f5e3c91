"""The dialog that holds the page."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from pagelens.core.safe_text import one_line, shortened
from pagelens.response.order import Order
from pagelens.response.output import Output

if TYPE_CHECKING:
    from pagelens.browser.dialogs import Dialog
    from pagelens.context.mcp_context import McpContext

__all__ = ["DialogSection"]

#: Characters of a dialog's message in the JSON; a page may write a novel into one.
MESSAGE_CHARS = 2_000


class DialogSection:
    """Shown in every reply for as long as a dialog is open on the page that the reply is about."""

    key: ClassVar[str] = "open dialog"
    hint: ClassVar[str] = "Call handle_dialog (accept or dismiss) to go on."

    def __init__(self) -> None:
        self._dialog: Dialog | None = None
        self._page_id = 0

    def wanted(self, order: Order) -> bool:
        return True

    async def compute(self, order: Order, context: McpContext) -> None:
        page = order.page or context.current_page()
        if page is not None:
            self._dialog = page.dialog
            self._page_id = page.id

    def render(self, out: Output) -> None:
        dialog = self._dialog
        if dialog is None:
            return
        out.line(f"Page {self._page_id} is held by an open dialog: {dialog.words()}. {self.hint}")
        out.json["dialog"] = {
            "type": dialog.type,
            "message": shortened(one_line(dialog.message), MESSAGE_CHARS),
            "defaultValue": shortened(one_line(dialog.default_value), MESSAGE_CHARS),
        }
