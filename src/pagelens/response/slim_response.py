"""The reply of the slim tool set: the same ordering interface, and only the tool's own lines shown."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from pagelens.response.mcp_response import McpResponse
from pagelens.response.section import Section
from pagelens.response.sections.error import ErrorSection
from pagelens.response.sections.lines import LinesSection
from pagelens.response.sections.result import ResultSection

__all__ = ["SlimMcpResponse"]


class SlimMcpResponse(McpResponse):
    """As `McpResponse`, but whatever else is ordered is neither computed nor shown."""

    sections: ClassVar[Sequence[type[Section]]] = (LinesSection, ResultSection, ErrorSection)
