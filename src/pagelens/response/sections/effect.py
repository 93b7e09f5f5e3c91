"""What an action did to the page."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from pagelens.core.safe_text import one_line, shortened
from pagelens.response.formatters.changes import changes_json, changes_lines, failed_json, failed_line
from pagelens.response.formatters.effects import (
    address,
    download_json,
    download_line,
    new_page_json,
    new_page_line,
    pending_line,
    with_status,
)
from pagelens.response.order import EffectOrder, Order
from pagelens.response.output import Output

if TYPE_CHECKING:
    from pagelens.browser.effect import Effect
    from pagelens.context.mcp_context import McpContext

__all__ = ["EffectSection"]


class EffectSection:
    """One line for each thing that was observed; where the tool wants it, a line that nothing was."""

    key: ClassVar[str] = "effect"

    def __init__(self) -> None:
        self._orders: list[EffectOrder] = []
        self._has_snapshot = False

    def wanted(self, order: Order) -> bool:
        return bool(order.effects)

    async def compute(self, order: Order, context: McpContext) -> None:
        self._orders = order.effects
        self._has_snapshot = order.snapshot is not None

    def render(self, out: Output) -> None:
        found: dict[str, Any] = {}
        for order in self._orders:
            for line in _lines(order.effect):
                out.line(line)
            if order.say_none and order.effect.nothing_seen:
                hint = "" if self._has_snapshot else " take_snapshot shows what changed in the page."
                out.line(f"No effect observed within {order.effect.waited_ms} ms.{hint}")
            found |= _json(order.effect)
        out.json["effect"] = found


def _lines(effect: Effect) -> list[str]:
    lines = [f"Since the last call: {shortened(one_line(news), 400)}" for news in effect.earlier]
    if effect.navigation_error:
        lines.append(
            f"The page navigated to {address(effect.navigated_to or '')}, which failed: {effect.navigation_error}."
        )
    elif effect.navigated_to is not None:
        lines.append(f"The page navigated to {with_status(effect.navigated_to, effect.http_status)}.")
        if effect.is_unfinished:
            lines.append(f"It was not complete after {effect.waited_ms} ms.")
    if effect.still_loading:
        lines.append(pending_line(effect.still_loading))
    if effect.no_content:
        lines.append("A navigation was answered with nothing to show (204): the page stayed.")
    if effect.same_document_url is not None:
        lines.append(f"The address is now {address(effect.same_document_url)} (same document).")
    if effect.frame_navigated_to is not None:
        lines.append(f"The frame navigated to {address(effect.frame_navigated_to)}.")
    lines += [new_page_line(page) for page in effect.new_pages]
    if effect.dialog is not None and effect.dialog.outcome is not None:
        # One that is still open has a section of its own.
        lines.append(f"A dialog opened and was {effect.dialog.outcome}: {effect.dialog.words()}.")
    lines += [download_line(download) for download in effect.downloads]
    if effect.crashed:
        lines.append("The page crashed: its process ended. Navigate or reload it to bring it back.")
    if effect.closed:
        lines.append("The page closed itself.")
    if effect.failed_requests:
        lines.append(failed_line(effect.failed_requests))
    return lines + changes_lines(effect.changes)


def _json(effect: Effect) -> dict[str, Any]:
    found: dict[str, Any] = {"waitedMs": effect.waited_ms}
    if effect.navigated_to is not None:
        found["navigatedTo"] = address(effect.navigated_to)
    if effect.http_status is not None:
        found["status"] = effect.http_status
    if effect.navigation_error:
        found["navigationError"] = effect.navigation_error
    if effect.no_content:
        found["noContent"] = True
    if effect.still_loading:
        found["stillLoading"] = [address(url) for url in effect.still_loading]
    if effect.same_document_url is not None:
        found["sameDocumentUrl"] = address(effect.same_document_url)
    if effect.frame_navigated_to is not None:
        found["frameNavigatedTo"] = address(effect.frame_navigated_to)
    if effect.new_pages:
        found["newPages"] = [new_page_json(page) for page in effect.new_pages]
    if effect.dialog is not None:
        outcome = effect.dialog.outcome or "open"
        found["dialog"] = {"type": effect.dialog.type, "message": one_line(effect.dialog.message), "outcome": outcome}
    if effect.downloads:
        found["downloads"] = [download_json(download) for download in effect.downloads]
    if effect.crashed:
        found["crashed"] = True
    if effect.closed:
        found["closed"] = True
    if effect.failed_requests:
        found["failedRequests"] = failed_json(effect.failed_requests)
    found |= changes_json(effect.changes)
    if effect.earlier:
        found["earlier"] = [one_line(news) for news in effect.earlier]
    return found
