"""The library: a live Chrome for Python programs. See docs/library.md; `pagelens` exports all of it."""

from pagelens.api.browser import Browser
from pagelens.api.browser_context import BrowserContext
from pagelens.api.console import ConsoleMessage, Issue
from pagelens.api.dialog import Dialog
from pagelens.api.download import Download
from pagelens.api.effects import Effect, NavigationResult
from pagelens.api.element import Box, Element
from pagelens.api.events import EventStream, Expectation
from pagelens.api.expected import NavigationExpectation
from pagelens.api.frame import Frame
from pagelens.api.launching import connect, launch
from pagelens.api.network import Request, Response
from pagelens.api.page import Page
from pagelens.api.page_events import FrameNavigated
from pagelens.api.tracing import TraceRecording
from pagelens.api.webmcp import WebMCP, WebMCPTool, WebMCPToolCall, WebMCPToolCallResult, WebMCPToolsEvent
from pagelens.browser.emulated import Emulated, Geolocation, Viewport
from pagelens.browser.screenshot import Screenshot
from pagelens.browser.scroll import ScrollReport
from pagelens.browser.waiting import WaitReport
from pagelens.browser.webmcp import WebMCPAnnotations, WebMCPException, WebMCPLocation
from pagelens.snapshot.outline import Outline
from pagelens.snapshot.search import SearchResult
from pagelens.snapshot.text_snapshot import TextSnapshot

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
    "connect",
    "launch",
]
