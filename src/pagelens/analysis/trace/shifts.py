"""Layout shifts and the windows they count in (CLS)."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass, field

from pagelens.analysis.trace.frames import Frames
from pagelens.analysis.trace.recording import Event, Recording

__all__ = ["Window", "find_windows"]

#: The longest window, and the longest pause in one. Microseconds.
LONGEST = 5_000_000
PAUSE = 1_000_000


@dataclass(slots=True)
class Window:
    """Shifts that count together.

    Attributes:
        ts: when the first began.
        score: the sum of their scores.
        navigation: the id of the navigation they belong to; None before the first.
    """

    ts: float
    navigation: str | None
    score: float = 0.0
    shifts: list[Event] = field(default_factory=list)


def find_windows(recording: Recording, frames: Frames) -> list[Window]:
    """The windows of all shifts that no input caused; a window ends at a navigation of the main frame."""
    windows: list[Window] = []
    begins = [navigation.ts for navigation in frames.navigations]
    first = last = 0.0
    last_navigation: int | None = None
    for event in recording.of("LayoutShift"):
        if event.args.data.had_recent_input:
            continue
        at = bisect_left(begins, event.ts) - 1
        navigation = at if at >= 0 else None
        is_new = not windows or event.ts - first > LONGEST or event.ts - last > PAUSE
        if is_new or (navigation is not None and navigation != last_navigation):
            windows.append(Window(event.ts, frames.navigations[at].id if navigation is not None else None))
            first = event.ts
        windows[-1].score += event.args.data.weighted_score_delta
        windows[-1].shifts.append(event)
        last, last_navigation = event.ts, navigation
    return windows
