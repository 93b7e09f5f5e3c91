"""The window that a page is in: the one thing about its size that is real."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pagelens.browser.emulated import MOST_AREA, MOST_PIXELS
from pagelens.browser.world import JsFunction
from pagelens.errors import DialogOpen, InvalidInput, ResizeFailed

if TYPE_CHECKING:
    from pagelens.browser.page import Page

__all__ = ["resize"]

_SIZE_REACHED = JsFunction("pagelens.browser", "js/size_reached.js")
#: How long the page may take to notice its new size. Milliseconds.
NOTICED = 1500
#: How long a page may be between two documents before it is not asked. Seconds.
BETWEEN = 1.0


async def resize(page: Page, width: int, height: int) -> str:
    """Give the page's window such a size that its inside is `width` by `height` CSS pixels, and read it back.

    All tabs of the window get it. A window that is maximized, minimized or fills the screen becomes a plain one first.

    Returns:
        What the reader must know: empty when the page sees this size; else why it does not see it now.

    Raises:
        InvalidInput: sizes are from 1 to 10000, pixels 64 million in all.
        ResizeFailed: the page has another size; says which.
        PageClosed, PageCrashed, CommandTimeout: the page can't be asked.
    """
    for name, size in (("width", width), ("height", height)):
        if isinstance(size, bool) or not isinstance(size, int) or not 1 <= size <= MOST_PIXELS:
            raise InvalidInput(f"The {name} of a window is a whole number from 1 to {MOST_PIXELS}, not {size!r:.40}.")
    if width * height > MOST_AREA:
        raise InvalidInput(
            f"A window of {width}x{height} has more than the {MOST_AREA / 1e6:g} million pixels Chrome draws."
        )
    page.raise_if_unusable()
    root = page.host.root
    window = await root.send("Browser.getWindowForTarget", {"targetId": page.target_id})
    window_id = window["windowId"]
    if window["bounds"].get("windowState", "normal") != "normal":
        await root.send("Browser.setWindowBounds", {"windowId": window_id, "bounds": {"windowState": "normal"}})
    await root.send("Browser.setContentsSize", {"windowId": window_id, "width": width, "height": height})
    page.emulation.is_resized = True
    viewport = page.emulation.settings.viewport
    if viewport is not None:
        return (
            f"The page does not see it: its emulated viewport, {viewport.width}x{viewport.height}, wins until that is "
            "reset (emulate with an empty viewport)."
        )
    load = page.loads.of(page.main_frame.id)
    if not await page.loads.wait(lambda: not load.is_under_way, BETWEEN):
        address = page.printable(load.started_url)
        return f"The page could not be asked whether it sees it: it is on its way to {address}."
    try:
        seen = await page.main_frame.call(_SIZE_REACHED, width, height, NOTICED)
    except DialogOpen:
        return "The page could not be asked whether it sees it: a dialog holds it."
    if seen == [width, height]:
        return ""
    raise ResizeFailed(
        f"The window was to show {width}x{height} CSS pixels of the page, which sees {seen[0]}x{seen[1]}: windows have "
        "a smallest size, the screen ends somewhere, zoom counts, and a tab in the background waits to be shown.",
        "An emulated viewport may have any size.",
    )
