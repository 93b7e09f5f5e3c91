"""What a page can be made to believe, as plain values: each is checked when it is made, and none touches a browser."""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Literal, get_args

from pagelens.browser.network_rules import UNTHROTTLED, Conditions
from pagelens.core.deadlines import MOST_PATIENCE
from pagelens.core.safe_text import quoted, shortened
from pagelens.errors import InvalidInput

__all__ = [
    "MOST_AREA",
    "MOST_PIXELS",
    "NETWORKS",
    "NOTHING",
    "ColorScheme",
    "Emulated",
    "ForcedColors",
    "Geolocation",
    "NetworkName",
    "PrefersContrast",
    "PrefersReducedMotion",
    "Viewport",
]

NetworkName = Literal["Offline", "Slow 3G", "Fast 3G", "Slow 4G", "Fast 4G"]
ColorScheme = Literal["dark", "light"]
ForcedColors = Literal["active", "none"]
PrefersContrast = Literal["more", "less", "custom", "no-preference"]
PrefersReducedMotion = Literal["reduce", "no-preference"]

#: The presets of DevTools, with its own figures: bytes per second, and milliseconds to a response.
NETWORKS: Mapping[str, Conditions] = MappingProxyType(
    {
        "Offline": Conditions(offline=True),
        "Slow 3G": Conditions(latency=2000, download=50_000, upload=50_000),
        "Fast 3G": Conditions(latency=562.5, download=180_000, upload=84_375),
        "Slow 4G": Conditions(latency=562.5, download=180_000, upload=84_375),
        "Fast 4G": Conditions(latency=165, download=1_012_500, upload=168_750),
    }
)
#: How many times as long a page may take over them; the others make no difference to a deadline.
_SLOW: Mapping[str, float] = MappingProxyType({"Slow 3G": 5.0, "Fast 3G": 2.0, "Slow 4G": 2.0})

#: Bounds that Chrome's DevTools have too.
MOST_PIXELS = 10_000
LEAST_RATIO, MOST_RATIO = 0.1, 10.0
#: Pixels of a display in all: for 400 million, Chrome's process for drawing grew to 4 GB and gave no picture.
MOST_AREA = 64_000_000
MOST_CPU_RATE = 20.0
#: Characters of a user agent, and of all extra headers together. Servers refuse more.
MOST_USER_AGENT = 1000
MOST_HEADERS = 8000

_HEADER_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_PRINTABLE = re.compile(r"[\t\x20-\x7e]*")
#: Chrome fails every request that has one of these set from outside, or ends the connection over it.
_CHROMES_OWN = frozenset(
    {
        *("connection", "content-length", "host", "http2-settings", "keep-alive", "origin", "proxy-connection", "te"),
        *("trailer", "transfer-encoding", "upgrade"),
    }
)


@dataclass(frozen=True, slots=True)
class Viewport:
    """A display of another size.

    Args:
        width, height: in CSS pixels, as the page is to see them.
        device_pixel_ratio: pixels of the display for each of them.
        mobile: as on a telephone: the page's own ``<meta name=viewport>`` counts, scroll bars take no room.
        touch: there is a touch screen.
        landscape: it is turned: ``screen.orientation`` says so. `width` and `height` stay as they are.

    Raises:
        InvalidInput: sizes are from 1 to 10000, ratios from 0.1 to 10, pixels 64 million in all.
    """

    width: int
    height: int
    device_pixel_ratio: float = 1.0
    mobile: bool = False
    touch: bool = False
    landscape: bool = False

    def __post_init__(self) -> None:
        for name in ("width", "height"):
            size = getattr(self, name)
            if not isinstance(size, int) or not _is_between(1, size, MOST_PIXELS):
                raise InvalidInput(
                    f"A viewport's {name} is a whole number from 1 to {MOST_PIXELS}, not {_shown(size)}."
                )
        if not _is_between(LEAST_RATIO, self.device_pixel_ratio, MOST_RATIO):
            raise InvalidInput(
                f"A device pixel ratio is a number from {LEAST_RATIO:g} to {MOST_RATIO:g}, "
                f"not {_shown(self.device_pixel_ratio)}."
            )
        area = self.width * self.height * self.device_pixel_ratio**2
        if area > MOST_AREA:
            raise InvalidInput(
                f"A viewport of {self.width}x{self.height} has {area / 1e6:.0f} million pixels at a ratio of "
                f"{self.device_pixel_ratio:g}; Chrome draws {MOST_AREA / 1e6:g} million."
            )

    def __str__(self) -> str:
        """As tools take it: ``390x844x3,mobile,touch``."""
        flags = "".join(f",{name}" for name in ("mobile", "touch", "landscape") if getattr(self, name))
        return f"{self.width}x{self.height}x{self.device_pixel_ratio:g}{flags}"


@dataclass(frozen=True, slots=True)
class Geolocation:
    """A place on earth, in degrees; `accuracy` in metres.

    Raises:
        InvalidInput: latitudes from -90 to 90, longitudes from -180 to 180.
    """

    latitude: float
    longitude: float
    accuracy: float = 0.0

    def __post_init__(self) -> None:
        for name, most in (("latitude", 90), ("longitude", 180)):
            if not _is_between(-most, getattr(self, name), most):
                raise InvalidInput(f"A {name} is a number from -{most} to {most}, not {_shown(getattr(self, name))}.")
        if not _is_between(0, self.accuracy, sys.float_info.max):
            raise InvalidInput(f"An accuracy is a number of metres, not {_shown(self.accuracy)}.")

    def __str__(self) -> str:
        """As tools take it: ``52.52,13.405``."""
        return f"{self.latitude:.10g},{self.longitude:.10g}"


@dataclass(frozen=True, slots=True)
class Emulated:
    """Everything that one page is made to believe; None (1 for the CPU, no headers) is the truth.

    Attributes:
        network: a preset of `NETWORKS`.
        cpu_throttling_rate: how many times slower scripts run, 1 to 20.
        geolocation: where the page is.
        user_agent: what browser it is in; client hints follow.
        color_scheme, forced_colors, prefers_contrast, prefers_reduced_motion: CSS media features of these names.
        viewport: what display it is on.
        headers: sent with every request of the page, whatever server it goes to.

    Raises:
        InvalidInput: a value that can't be; says what can.
    """

    network: NetworkName | None = None
    cpu_throttling_rate: float = 1.0
    geolocation: Geolocation | None = None
    user_agent: str | None = None
    color_scheme: ColorScheme | None = None
    forced_colors: ForcedColors | None = None
    prefers_contrast: PrefersContrast | None = None
    prefers_reduced_motion: PrefersReducedMotion | None = None
    viewport: Viewport | None = None
    headers: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}), repr=False)

    def __post_init__(self) -> None:
        for name, kind in _CHOICES.items():
            value = getattr(self, name)
            if value is not None and value not in get_args(kind):
                raise InvalidInput(f"{name} is one of {', '.join(get_args(kind))}, or None; not {_shown(value)}.")
        rate = self.cpu_throttling_rate
        if not _is_between(1, rate, MOST_CPU_RATE):
            raise InvalidInput(f"A CPU throttling rate is a number from 1 to {MOST_CPU_RATE:g}, not {_shown(rate)}.")
        if self.user_agent is not None:
            _check_user_agent(self.user_agent)
        _check_headers(self.headers)
        object.__setattr__(self, "headers", MappingProxyType(dict(self.headers)))

    @property
    def conditions(self) -> Conditions:
        """How the network behaves."""
        return UNTHROTTLED if self.network is None else NETWORKS[self.network]

    @property
    def patience(self) -> float:
        """How many times as long as usual the page may take: the CPU's rate times the network's slowness."""
        return min(self.cpu_throttling_rate * _SLOW.get(self.network or "", 1.0), MOST_PATIENCE)


_CHOICES = {
    "network": NetworkName,
    "color_scheme": ColorScheme,
    "forced_colors": ForcedColors,
    "prefers_contrast": PrefersContrast,
    "prefers_reduced_motion": PrefersReducedMotion,
}


def _check_headers(headers: Mapping[str, str]) -> None:
    """Refuse what no request can carry. No message holds a value: they may be secrets.

    Raises:
        InvalidInput: a name or value that is none, a header that is Chrome's own, or too many.
    """
    if not isinstance(headers, Mapping):
        raise InvalidInput("Extra headers are a mapping of names to values.")
    seen: set[str] = set()
    for name, value in headers.items():
        folded = name.lower() if isinstance(name, str) else ""
        if not isinstance(name, str) or not _HEADER_NAME.fullmatch(name):
            raise InvalidInput(f"{_shown(name)} is no name of an HTTP header.")
        if folded in seen:
            raise InvalidInput(f"The header {name} is given twice.")
        seen.add(folded)
        if folded in _CHROMES_OWN or folded.startswith("sec-fetch-"):
            raise InvalidInput(f"The header {name} is Chrome's own: with another value its requests fail.")
        if folded == "user-agent":
            raise InvalidInput("The user agent has a setting of its own, which scripts see too.", "Use that one.")
        if not isinstance(value, str) or not _PRINTABLE.fullmatch(value):
            raise InvalidInput(f"The value of the header {name} is no text of printable ASCII characters.")
    if sum(len(name) + len(value) for name, value in headers.items()) > MOST_HEADERS:
        raise InvalidInput(f"The extra headers are too long: {MOST_HEADERS} characters at most, all together.")


def _check_user_agent(text: str) -> None:
    if not isinstance(text, str) or not text or not _PRINTABLE.fullmatch(text) or "\t" in text or text != text.strip():
        raise InvalidInput(f"A user agent is a text of printable ASCII characters, not {_shown(text)}.")
    if len(text) > MOST_USER_AGENT:
        raise InvalidInput(f"A user agent has at most {MOST_USER_AGENT} characters, not {len(text)}.")


def _is_between(least: float, value: object, most: float) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and least <= value <= most


def _shown(value: object) -> str:
    return quoted(shortened(value, 60)) if isinstance(value, str) else shortened(repr(value), 60)


NOTHING = Emulated()
