"""What the page is made to believe, and the size of its window."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from pydantic import Field, field_validator, model_validator

from pagelens.browser.emulated import NOTHING, Emulated, Geolocation, Viewport
from pagelens.core.safe_text import quoted, shortened
from pagelens.errors import InvalidInput
from pagelens.tools.definition import PageToolRequest, ToolParams, define_page_tool

if TYPE_CHECKING:
    from pagelens.context.mcp_context import McpContext
    from pagelens.response.mcp_response import McpResponse

__all__ = ["emulate", "resize_page"]

T = TypeVar("T")

_VIEWPORT = re.compile(r"(\d{1,9})x(\d{1,9})(?:x(\d{1,9}(?:\.\d{1,9})?))?((?:,(?:mobile|touch|landscape))*)")
_NUMBER = r"\s*([+-]?(?:\d{1,9}(?:\.\d{0,20})?|\.\d{1,20}))\s*"
# The comma is chrome-devtools-mcp's separator since 1.11, the x was it before.
_GEOLOCATION = re.compile(f"{_NUMBER}[,x]{_NUMBER}")


class EmulateParams(ToolParams):
    networkConditions: Literal["Offline", "Slow 3G", "Fast 3G", "Slow 4G", "Fast 4G", "No throttling"] | None = Field(
        default=None, description="Reset: No throttling."
    )
    cpuThrottlingRate: float | None = Field(default=None, ge=1, le=20, description="Times slower. Reset: 1.")
    geolocation: str | None = Field(
        default=None, description="`<latitude>,<longitude>`, e.g. 52.5,13.4; permission is granted. Reset: empty."
    )
    userAgent: str | None = Field(default=None, description="Client hints follow it. Reset: empty.")
    colorScheme: Literal["dark", "light", "auto"] | None = Field(default=None, description="Reset: auto.")
    forcedColors: Literal["active", "none", "auto"] | None = Field(default=None, description="Reset: auto.")
    prefersContrast: Literal["more", "less", "custom", "no-preference", "auto"] | None = Field(
        default=None, description="Reset: auto."
    )
    prefersReducedMotion: Literal["reduce", "no-preference", "auto"] | None = Field(
        default=None, description="Reset: auto."
    )
    viewport: str | None = Field(
        default=None,
        description="`<width>x<height>x<devicePixelRatio>[,mobile][,touch][,landscape]`, e.g. 390x844x3,mobile,touch. "
        "Reset: empty.",
    )
    extraHttpHeaders: str | None = Field(
        default=None,
        description="JSON object, sent with all requests to any server, in place of the former. Reset: empty.",
    )

    @field_validator("extraHttpHeaders", mode="before")
    @classmethod
    def _as_json(cls, value: Any) -> Any:
        # The object itself can only mean its JSON.
        return json.dumps(value) if isinstance(value, dict) else value

    @model_validator(mode="after")
    def _possible(self) -> EmulateParams:
        problems = []
        for read in (self._read_geolocation, self._read_user_agent, self._read_viewport, self._read_headers):
            try:
                read()
            except InvalidInput as error:
                problems.append(error.message.removesuffix("."))
        if problems:
            raise ValueError("; ".join(problems))
        return self

    def changes(self) -> dict[str, Any]:
        """What is named, as `PageEmulation.change` takes it; None resets."""
        read: dict[str, Callable[[], Any]] = {
            "networkConditions": lambda: _unless(self.networkConditions, "No throttling"),
            "cpuThrottlingRate": lambda: self.cpuThrottlingRate,
            "geolocation": self._read_geolocation,
            "userAgent": self._read_user_agent,
            "colorScheme": lambda: _unless(self.colorScheme, "auto"),
            "forcedColors": lambda: _unless(self.forcedColors, "auto"),
            "prefersContrast": lambda: _unless(self.prefersContrast, "auto"),
            "prefersReducedMotion": lambda: _unless(self.prefersReducedMotion, "auto"),
            "viewport": self._read_viewport,
            "extraHttpHeaders": self._read_headers,
        }
        return {_FIELDS[name]: value() for name, value in read.items() if getattr(self, name) is not None}

    def _read_geolocation(self) -> Geolocation | None:
        text = (self.geolocation or "").strip()
        found = _GEOLOCATION.fullmatch(text)
        if not text:
            return None
        if found is None:
            raise InvalidInput(f"geolocation is <latitude>,<longitude>, such as 52.52,13.405, not {_shown(text)}")
        return _named("geolocation", lambda: Geolocation(float(found[1]), float(found[2])))

    def _read_user_agent(self) -> str | None:
        text = (self.userAgent or "").strip()
        return _named("userAgent", lambda: Emulated(user_agent=text or None)).user_agent

    def _read_viewport(self) -> Viewport | None:
        text = re.sub(r"\s+", "", self.viewport or "").lower()
        found = _VIEWPORT.fullmatch(text)
        if not text:
            return None
        if found is None:
            raise InvalidInput(
                "viewport is <width>x<height>x<devicePixelRatio>[,mobile][,touch][,landscape], such as 1280x720x1 or "
                f"390x844x3,mobile,touch, not {_shown(self.viewport or '')}"
            )
        flags = dict.fromkeys(found[4].split(",")[1:], True)
        return _named("viewport", lambda: Viewport(int(found[1]), int(found[2]), float(found[3] or 1), **flags))

    def _read_headers(self) -> Mapping[str, str] | None:
        text = (self.extraHttpHeaders or "").strip()
        if not text:
            return None
        try:
            headers = json.loads(text, object_pairs_hook=_pairs)
        except ValueError:
            headers = None  # the decoder's words may hold values
        if not isinstance(headers, dict):
            raise InvalidInput('extraHttpHeaders is a JSON object of texts, such as {"X-Name": "value"}')
        # A number can only mean its text.
        headers = {name: str(value) if type(value) in (int, float) else value for name, value in headers.items()}
        return _named("extraHttpHeaders", lambda: Emulated(headers=headers)).headers


#: Parameters and the attributes of `Emulated` that they set.
_FIELDS = {
    "networkConditions": "network",
    "cpuThrottlingRate": "cpu_throttling_rate",
    "geolocation": "geolocation",
    "userAgent": "user_agent",
    "colorScheme": "color_scheme",
    "forcedColors": "forced_colors",
    "prefersContrast": "prefers_contrast",
    "prefersReducedMotion": "prefers_reduced_motion",
    "viewport": "viewport",
    "extraHttpHeaders": "headers",
}


class ResizePageParams(ToolParams):
    width: int = Field(gt=0, description="CSS pixels.")
    height: int = Field(gt=0, description="CSS pixels.")


@define_page_tool(
    name="emulate",
    title="Emulate",
    category="emulation",
    description="Makes the page believe in another network, place, browser or display. What is not named stays; each "
    "parameter says what resets it. Holds for all who use the page, and in popups that it opens.",
    read_only=False,
    params=EmulateParams,
    blocked_by_dialog=True,
)
async def emulate(request: PageToolRequest[EmulateParams], response: McpResponse, context: McpContext) -> None:
    changes = request.params.changes()
    if not changes:
        response.append_line("Nothing was named, so nothing has changed.")
        return
    for note in await request.page.emulate(changes):
        response.append_line(note)
    if request.page.emulation.settings == NOTHING:
        response.append_line("Nothing is emulated any more.")


@define_page_tool(
    name="resize_page",
    title="Resize page",
    category="emulation",
    description="Resizes the page's window, with all its tabs, so that the page has this size. "
    "A viewport set by emulate hides it.",
    read_only=False,
    params=ResizePageParams,
)
async def resize_page(request: PageToolRequest[ResizePageParams], response: McpResponse, context: McpContext) -> None:
    params = request.params
    note = await request.page.resize(params.width, params.height)
    response.append_line(f"Resized the window: {params.width}x{params.height} CSS pixels inside.")
    if note:
        response.append_line(note)


def _unless(value: str | None, reset: str) -> str | None:
    return None if value == reset else value


def _pairs(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """A JSON object whose names are all different."""
    if len({name for name, _ in pairs}) != len(pairs):
        raise ValueError("a name is there twice")
    return dict(pairs)


def _named(parameter: str, make: Callable[[], T]) -> T:
    """A value that says itself what is wrong with it, with the name of its parameter before that."""
    try:
        return make()
    except InvalidInput as error:
        raise InvalidInput(f"{parameter}: {error.message}") from None


def _shown(text: str) -> str:
    return quoted(shortened(text, 60))
