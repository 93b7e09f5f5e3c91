"""What the page is made to believe: shown whenever something is active, unasked."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from pagelens.core.deadlines import limits
from pagelens.core.safe_text import one_line, quoted, shortened
from pagelens.response.order import Order
from pagelens.response.output import Output

if TYPE_CHECKING:
    from pagelens.browser.emulated import Emulated
    from pagelens.context.mcp_context import McpContext
    from pagelens.context.mcp_page import EmulationState

__all__ = ["EmulationSection"]

#: Characters of a user agent, and header names, that are shown.
USER_AGENT_CHARS = 200
HEADERS_SHOWN = 20


class EmulationSection:
    """One line with every setting in force; JSON keys as in chrome-devtools-mcp. Values of headers are never shown."""

    key: ClassVar[str] = "emulation state"

    def __init__(self) -> None:
        self._state: EmulationState | None = None
        self._has_progress = False

    def wanted(self, order: Order) -> bool:
        return order.page is not None

    async def compute(self, order: Order, context: McpContext) -> None:
        assert order.page is not None
        self._state = order.page.emulation
        self._has_progress = order.has_progress

    def render(self, out: Output) -> None:
        state = self._state
        if state is None:
            return
        words = _settings(state.settings, out)
        if (window := state.window) is not None:
            # The user's own choice for all pages, not what one is made to believe: not worth a line in every reply.
            out.json["viewport"] = {"width": window[0], "height": window[1]}
        if not words:
            return
        line = f"Emulating: {', '.join(words)}."
        if state.patience > 1:
            now = limits(state.patience, has_progress=self._has_progress)
            line += f" Deadlines are longer: {now.navigation:g} s for a navigation, {now.tool:g} s for a call."
            out.json["deadlines"] = {"navigation": now.navigation, "tool": now.tool}
        out.line(line)


def _settings(now: Emulated, out: Output) -> list[str]:
    """The settings in words, their keys put in `out`."""
    words = []
    if now.network is not None:
        words.append(f"network {now.network}")
        out.json["networkConditions"] = now.network
    if now.cpu_throttling_rate != 1:
        words.append(f"CPU {now.cpu_throttling_rate:g}x slower")
        out.json["cpuThrottlingRate"] = now.cpu_throttling_rate
    if now.geolocation is not None:
        words.append(f"geolocation {now.geolocation}")
        out.json["geolocation"] = {"latitude": now.geolocation.latitude, "longitude": now.geolocation.longitude}
    if (viewport := now.viewport) is not None:
        words.append(f"viewport {viewport}")
        out.json["viewport"] = {
            "width": viewport.width,
            "height": viewport.height,
            "deviceScaleFactor": viewport.device_pixel_ratio,
            "isMobile": viewport.mobile,
            "hasTouch": viewport.touch,
            "isLandscape": viewport.landscape,
        }
    if now.user_agent is not None:
        words.append(f"user agent {quoted(shortened(now.user_agent, USER_AGENT_CHARS))}")
        out.json["userAgent"] = one_line(now.user_agent)
    if now.color_scheme is not None:
        words.append(f"colorScheme {now.color_scheme}")
        out.json["colorScheme"] = now.color_scheme
    if now.forced_colors is not None:
        words.append(f"forcedColors {now.forced_colors}")
        out.json["forcedColors"] = now.forced_colors
    if now.prefers_contrast is not None:
        words.append(f"prefersContrast {now.prefers_contrast}")
        out.json["prefersContrast"] = now.prefers_contrast
    if now.prefers_reduced_motion is not None:
        words.append(f"prefersReducedMotion {now.prefers_reduced_motion}")
        out.json["prefersReducedMotion"] = now.prefers_reduced_motion
    if now.headers:
        names = list(now.headers)
        more = f" and {len(names) - HEADERS_SHOWN} more" if len(names) > HEADERS_SHOWN else ""
        words.append(f"extra headers {' '.join(names[:HEADERS_SHOWN])}{more}")
        out.json["extraHttpHeaders"] = names
    return words
