"""What a run has measured, and how numbers are summed up."""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields

__all__ = [
    "EventCost",
    "HeapCost",
    "LiveTrace",
    "Results",
    "SessionCost",
    "Sizes",
    "SnapshotCost",
    "Times",
    "TraceCost",
    "joined",
    "median",
    "of_sessions",
    "paired_ratio",
    "percentile_95",
]

#: Seconds by round; None where it failed.
Times = list[float | None]


@dataclass(frozen=True)
class SessionCost:
    """One session of 200 calls: seconds of CPU (the session's alone, and until the first page), bytes of memory."""

    calls: int
    seconds: float
    start_cpu: float
    cpu: float
    browser_cpu: float
    memory_at_start: int
    memory: int
    highest_memory: int


@dataclass(frozen=True)
class EventCost:
    """A page that makes thousands of requests and console lines: the server's CPU for it, and its memory after."""

    events: int
    cpu: float
    memory: int


@dataclass(frozen=True)
class HeapCost:
    """Reading one heap snapshot: seconds of CPU, bytes of memory at most."""

    cpu: float
    memory: int


@dataclass(frozen=True)
class TraceCost:
    """Analysing one performance trace: seconds of CPU, bytes of memory at most."""

    cpu: float
    memory: int


@dataclass(frozen=True)
class LiveTrace:
    """A page recorded by a server: the metrics and findings that its reply tells, its tokens, and seconds."""

    lcp: float | None
    cls: float | None
    findings: frozenset[str]
    tokens: int
    seconds: float


@dataclass
class SnapshotCost:
    """Snapshots of one page: tokens of the whole, seconds by round."""

    tokens: int
    times: Times = field(default_factory=list)


@dataclass
class Sizes:
    """Tokens (o200k) of what a server says."""

    tools: int = 0
    tools_tokens: int = 0
    replies: dict[str, int] = field(default_factory=dict)
    images: dict[str, int] = field(default_factory=dict)


@dataclass
class Results:
    """By server name; `times`, `heap`, `traces`, `live` and `snapshots` (by page) by operation first.

    `growth` is ours alone: the time of the smaller thing and of the larger one, by round. `failures` are errors.
    """

    times: dict[str, dict[str, Times]] = field(default_factory=dict)
    sessions: dict[str, list[SessionCost]] = field(default_factory=dict)
    sizes: dict[str, Sizes] = field(default_factory=dict)
    events: dict[str, list[EventCost]] = field(default_factory=dict)
    heap: dict[str, dict[str, list[HeapCost | None]]] = field(default_factory=dict)
    traces: dict[str, dict[str, list[TraceCost | None]]] = field(default_factory=dict)
    live: dict[str, dict[str, list[LiveTrace]]] = field(default_factory=dict)
    snapshots: dict[str, dict[str, SnapshotCost]] = field(default_factory=dict)
    growth: dict[str, list[tuple[float, float]]] = field(default_factory=dict)
    failures: list[str] = field(default_factory=list)
    loads: list[float] = field(default_factory=list)


def joined(before: Results, now: Results) -> Results:
    """What was measured now, and before where it was not measured again."""
    both = {}
    for each in fields(Results):
        one, other = getattr(before, each.name), getattr(now, each.name)
        both[each.name] = one | other if isinstance(other, dict) else one + other
    return Results(**both)


def median(values: Sequence[float | None]) -> float | None:
    """Of what there is; None of nothing."""
    there = [value for value in values if value is not None]
    return statistics.median(there) if there else None


def percentile_95(values: Sequence[float | None]) -> float | None:
    """Of what there is; None of nothing."""
    there = sorted(value for value in values if value is not None)
    return there[round(0.95 * (len(there) - 1))] if there else None


def paired_ratio(above: Sequence[float | None], below: Sequence[float | None]) -> tuple[float | None, int]:
    """Median of the ratios within each round, and how many rounds there were.

    Both were measured a moment apart in a round, so that what else the machine does falls out.
    """
    ratios = [a / b for a, b in zip(above, below, strict=False) if a is not None and b]
    return median(ratios), len(ratios)


def of_sessions(sessions: Mapping[str, list[SessionCost]], name: str, attribute: str) -> float | None:
    """Median of one attribute over a server's sessions."""
    return median([float(getattr(cost, attribute)) for cost in sessions.get(name, [])])
