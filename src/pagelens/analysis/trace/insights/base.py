"""What an insight is, and what it looks at."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any, Literal
from urllib.parse import urlsplit

from pagelens.analysis.trace.calls import Calls, Totals
from pagelens.analysis.trace.frames import Frames, Navigation
from pagelens.analysis.trace.interactions import Interaction
from pagelens.analysis.trace.network import Request
from pagelens.analysis.trace.paints import Lcp, Paints
from pagelens.analysis.trace.recording import Event, Recording, Thread
from pagelens.analysis.trace.shifts import Window

__all__ = ["STATIC", "Insight", "State", "View", "host_of", "origin_of", "rounded", "site_of"]

State = Literal["pass", "fail", "informative"]

#: Types of requests whose answers seldom change.
STATIC = frozenset({"Font", "Image", "Media", "Script", "Stylesheet"})

#: Endings under which everybody registers names of three parts.
_SECOND_LEVEL = frozenset({"ac", "co", "com", "edu", "gob", "gov", "ne", "net", "or", "org"})


@dataclass(frozen=True, slots=True)
class Insight:
    """One finding.

    Attributes:
        name: as DevTools names it.
        state: ``pass``: nothing to do; ``fail``: something is wrong; ``informative``: figures to look at.
        figures: what was found, as JSON could hold it; times in milliseconds.
        savings: by metric, the milliseconds that mending it may save.
        wasted_bytes: bytes that need not have been sent; None where the insight counts none.
        basis: what ``savings`` come from: ``observed``: times in the trace; ``estimate``: our simple estimate
            from the requests' own times, not DevTools' simulation of the load.
    """

    name: str
    state: State
    figures: dict[str, Any] = field(default_factory=dict)
    savings: dict[str, int] = field(default_factory=dict)
    wasted_bytes: float | None = None
    basis: Literal["observed", "estimate"] = "observed"


@dataclass(slots=True)
class View:
    """A span of a trace that insights look at: one navigation, or the time before the first."""

    recording: Recording
    frames: Frames
    navigation: Navigation | None
    begin: float
    end: float
    requests: list[Request]
    all_requests: list[Request]
    document: Request | None
    paints: Paints
    lcp: Lcp | None
    windows: list[Window]
    interactions: list[Interaction]
    main_thread: Thread | None
    calls: Calls | None
    totals: Totals | None

    def has(self, event: Event) -> bool:
        """Whether an event touches the span."""
        return self.spans(event.ts, event.dur or 0.5)

    def spans(self, ts: float, dur: float) -> bool:
        return ts <= self.end and self.begin < ts + dur

    def of(self, name: str) -> list[Event]:
        """The events of a name that touch the span."""
        return [event for event in self.recording.of(name) if self.has(event)]


def rounded(number: float) -> int:
    """As JavaScript rounds: halves up."""
    return math.floor(number + 0.5)


def host_of(url: str) -> str:
    try:
        return urlsplit(url).hostname or ""
    except ValueError:
        return ""


def origin_of(url: str) -> str:
    try:
        parts = urlsplit(url)
    except ValueError:
        return ""
    return f"{parts.scheme}://{parts.netloc}"


def site_of(url: str) -> str:
    """The name that was registered for a host: ``example.co.uk`` for ``www.example.co.uk``; an IP address is one."""
    host = host_of(url)
    labels = host.split(".")
    if len(labels) < 3 or labels[-1].isdigit() or ":" in host:
        return host
    parts = 3 if len(labels[-1]) == 2 and labels[-2] in _SECOND_LEVEL else 2
    return ".".join(labels[-parts:])
