"""Where elements are."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pagelens.browser.world import JsFunction

if TYPE_CHECKING:
    from pagelens.browser.element import Element

__all__ = ["box_of"]

BOX = JsFunction("pagelens.browser", "js/box.js")


async def box_of(element: Element) -> tuple[float, float, float, float] | None:
    """x, y, width and height in CSS pixels of the frame's viewport; None while the element is not drawn.

    Raises:
        ElementError, DialogOpen, PageCrashed, PageClosed, CommandTimeout: it can't be asked.
    """
    found = await element.call(BOX)
    if found is None:
        return None
    x, y, width, height = map(float, found)
    return x, y, width, height
