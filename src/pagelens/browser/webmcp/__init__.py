"""WebMCP: tools that pages offer to agents, found, called, cancelled and watched.

`Page.webmcp` is the one registry of a page, shared by all who use the page: the library's face, and every agent.
"""

from pagelens.browser.webmcp.calls import Invocation
from pagelens.browser.webmcp.model import (
    CallStatus,
    WebMCPAnnotations,
    WebMCPException,
    WebMCPLocation,
    WebMCPToolCall,
    WebMCPToolCallResult,
)
from pagelens.browser.webmcp.registry import WebMCP
from pagelens.browser.webmcp.tool import WebMCPTool

__all__ = [
    "CallStatus",
    "Invocation",
    "WebMCP",
    "WebMCPAnnotations",
    "WebMCPException",
    "WebMCPLocation",
    "WebMCPTool",
    "WebMCPToolCall",
    "WebMCPToolCallResult",
]
