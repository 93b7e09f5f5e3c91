"""pagelens: a live Chrome for AI agents, with the whole of Chrome DevTools, from Python.

The library's names are here, each loaded when it is first used: importing pagelens costs next to nothing::

    import pagelens

    async with pagelens.launch() as browser:
        page = await browser.new_page()
        await page.goto("https://example.com/")
"""

from typing import TYPE_CHECKING, Any

from pagelens._version import __version__
from pagelens.errors import PagelensError

if TYPE_CHECKING:
    from pagelens.api import (
        Box,
        Browser,
        BrowserContext,
        ConsoleMessage,
        Dialog,
        Download,
        Effect,
        Element,
        Emulated,
        EventStream,
        Expectation,
        Frame,
        FrameNavigated,
        Geolocation,
        Issue,
        NavigationExpectation,
        NavigationResult,
        Outline,
        Page,
        Request,
        Response,
        Screenshot,
        ScrollReport,
        SearchResult,
        TextSnapshot,
        TraceRecording,
        Viewport,
        WaitReport,
        WebMCP,
        WebMCPAnnotations,
        WebMCPException,
        WebMCPLocation,
        WebMCPTool,
        WebMCPToolCall,
        WebMCPToolCallResult,
        WebMCPToolsEvent,
        connect,
        launch,
    )

__all__ = [
    "Box",
    "Browser",
    "BrowserContext",
    "ConsoleMessage",
    "Dialog",
    "Download",
    "Effect",
    "Element",
    "Emulated",
    "EventStream",
    "Expectation",
    "Frame",
    "FrameNavigated",
    "Geolocation",
    "Issue",
    "NavigationExpectation",
    "NavigationResult",
    "Outline",
    "Page",
    "PagelensError",
    "Request",
    "Response",
    "Screenshot",
    "ScrollReport",
    "SearchResult",
    "TextSnapshot",
    "TraceRecording",
    "Viewport",
    "WaitReport",
    "WebMCP",
    "WebMCPAnnotations",
    "WebMCPException",
    "WebMCPLocation",
    "WebMCPTool",
    "WebMCPToolCall",
    "WebMCPToolCallResult",
    "WebMCPToolsEvent",
    "__version__",
    "connect",
    "launch",
]


def __getattr__(name: str) -> Any:
    if name in __all__:
        import pagelens.api

        return getattr(pagelens.api, name)
    raise AttributeError(f"module 'pagelens' has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
