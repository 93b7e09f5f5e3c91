"""Which tab is in front of its window. Chrome tells it of tabs, not of the pages in them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pagelens.errors import ProtocolError

if TYPE_CHECKING:
    from pagelens.browser.host import BrowserHost
    from pagelens.browser.page import Page

__all__ = ["bring_tab_to_front", "page_in_front", "tab_before"]


async def page_in_front(host: BrowserHost) -> Page | None:
    """The page that a user of the browser most likely looks at; None when Chrome does not say (before version 140)."""
    for tab_id in await _tabs_in_front(host):
        page = await _page_of_tab(host, tab_id)
        if page is not None:
            return page
    return None


async def tab_before(page: Page) -> str | None:
    """The tab that hides `page` in its window: its target id, for `bring_tab_to_front`.

    None when the page itself is in front, and when Chrome does not say.
    """
    host = page.host
    window = await _window(host, page.target_id)
    for tab_id in await _tabs_in_front(host):
        if window is not None and await _window(host, tab_id) == window:
            return None if await _page_of_tab(host, tab_id) is page else tab_id
    return None


async def bring_tab_to_front(host: BrowserHost, tab_id: str) -> bool:
    """Put a tab in front of its window again; returns whether it was still there."""
    try:
        await host.root.send("Target.activateTarget", {"targetId": tab_id})
    except ProtocolError:
        return False
    return True


async def _tabs_in_front(host: BrowserHost) -> list[str]:
    """The active tab of each window (CDP ``TargetInfo.embedderData``)."""
    found = await host.root.send("Target.getTargets", {"filter": [{"type": "tab"}]})
    return [tab["targetId"] for tab in found["targetInfos"] if tab.get("embedderData", {}).get("tabActive")]


async def _window(host: BrowserHost, target_id: str) -> int | None:
    try:
        window: int = (await host.root.send("Browser.getWindowForTarget", {"targetId": target_id}))["windowId"]
    except ProtocolError:
        return None  # it was closed at this moment, or is in no window
    return window


async def _page_of_tab(host: BrowserHost, tab_id: str) -> Page | None:
    """The page inside a tab. Only a session of the tab tells; the page itself is not asked."""
    root = host.root
    try:
        attached = await root.send("Target.attachToTarget", {"targetId": tab_id, "flatten": True})
    except ProtocolError:
        return None
    session_id: str = attached["sessionId"]
    connection = root.connection
    session = connection.session(session_id) or connection.open_session(session_id, target_id=tab_id, target_type="tab")
    inside: list[dict[str, Any]] = []
    off = session.on("Target.attachedToTarget", lambda p: inside.append(p["targetInfo"]))
    try:
        # What is inside is announced before the answer.
        await session.send(
            "Target.setAutoAttach", {"autoAttach": True, "waitForDebuggerOnStart": False, "flatten": True}
        )
        pages = (host.page_of_target(info["targetId"]) for info in inside)
        return next((page for page in pages if page is not None), None)
    except ProtocolError:
        return None
    finally:
        off()
        if connection.lost is None:
            root.post("Target.detachFromTarget", {"sessionId": session_id})
