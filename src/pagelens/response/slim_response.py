"""The reply of the slim tool set: the same ordering interface, and only lines shown."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from pagelens.errors import DialogOpen
from pagelens.response.mcp_response import McpResponse
from pagelens.response.section import Section
from pagelens.response.sections.dialog import DialogSection
from pagelens.response.sections.effect import EffectSection
from pagelens.response.sections.error import ErrorSection
from pagelens.response.sections.images import ImagesSection
from pagelens.response.sections.lines import LinesSection
from pagelens.response.sections.navigation import NavigationSection
from pagelens.response.sections.notices import NoticesSection
from pagelens.response.sections.result import ResultSection

__all__ = ["SlimMcpResponse"]


_HINT = "navigate dismisses it."


class SlimDialogSection(DialogSection):
    """As `DialogSection`, for agents without a tool that answers dialogs."""

    hint: ClassVar[str] = _HINT


class SlimMcpResponse(McpResponse):
    """As `McpResponse`, but what is more than a few lines is neither computed nor shown, whoever orders it."""

    sections: ClassVar[Sequence[type[Section]]] = (
        NoticesSection,
        LinesSection,
        ResultSection,
        ImagesSection,
        NavigationSection,
        EffectSection,
        SlimDialogSection,
        ErrorSection,
    )

    def set_error(self, error: BaseException) -> None:
        super().set_error(DialogOpen(error.message, _HINT) if isinstance(error, DialogOpen) else error)
