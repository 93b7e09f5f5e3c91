"""What the user did, and how long the page took to show an effect (INP)."""

from __future__ import annotations

from dataclasses import dataclass

from pagelens.analysis.trace.recording import Event, Recording

__all__ = ["Interaction", "find_interactions", "longest"]

_POINTER = frozenset({"pointerdown", "touchstart", "pointerup", "touchend", "mousedown", "mouseup", "click"})
_KEYBOARD = frozenset({"keydown", "keypress", "keyup"})


@dataclass(slots=True)
class Interaction:
    """An event of an interaction; microseconds of Chrome's clock."""

    type: str
    id: int
    ts: float
    dur: float
    processing_start: float
    processing_end: float
    node_id: int
    thread: tuple[int, int]

    @property
    def end(self) -> float:
        return self.ts + self.dur

    @property
    def is_pointer(self) -> bool:
        return self.type in _POINTER

    @property
    def parts(self) -> dict[str, float]:
        """``inputDelay``, ``processing``, ``presentation``."""
        return {
            "inputDelay": self.processing_start - self.ts,
            "processing": self.processing_end - self.processing_start,
            "presentation": self.end - self.processing_end,
        }


def find_interactions(recording: Recording) -> list[Interaction]:
    """All events of interactions, nested ones folded into the one that began first."""
    begun: dict[tuple[int, str], list[Event]] = {}
    found: list[Interaction] = []
    for event in recording.of("EventTiming"):
        data = event.args.data
        if event.ph == "b":
            if data is not None and data.duration >= 1 and data.interactionId:
                begun.setdefault((event.pid, event.id), []).append(event)
        elif event.ph == "e":
            waiting = begun.get((event.pid, event.id))
            made = _interaction(waiting.pop(), event) if waiting else None
            if made is not None:
                found.append(made)
    found.sort(key=lambda one: (one.ts, -one.dur))
    kept: dict[tuple[str, float], Interaction] = {}
    for one in found:
        kind = "pointer" if one.type in _POINTER else "keyboard" if one.type in _KEYBOARD else "other"
        known = kept.setdefault((kind, one.end), one)
        if known is one:
            continue
        longer = one.processing_end - one.processing_start > known.processing_end - known.processing_start
        if one.ts < known.ts or (one.ts == known.ts and one.id == known.id and longer):
            kept[kind, one.end] = one
        known.processing_start = min(known.processing_start, one.processing_start)
        known.processing_end = max(known.processing_end, one.processing_end)
    return list(kept.values())


def _interaction(begin: Event, end: Event) -> Interaction | None:
    data = begin.args.data
    if not (data.type and data.timeStamp and data.processingStart and data.processingEnd):
        return None
    return Interaction(
        data.type,
        data.interactionId,
        begin.ts,
        end.ts - begin.ts,
        (data.processingStart - data.timeStamp) * 1000 + begin.ts,
        (data.processingEnd - data.timeStamp) * 1000 + begin.ts,
        data.nodeId,
        (begin.pid, begin.tid),
    )


def longest(interactions: list[Interaction], begin: float, end: float) -> list[Interaction]:
    """Of each interaction in a span of time, its longest event; the longest of all first."""
    kept: dict[int, Interaction] = {}
    for one in interactions:
        if one.ts <= end and begin < one.end and (one.id not in kept or kept[one.id].dur < one.dur):
            kept[one.id] = one
    return sorted(kept.values(), key=lambda one: -one.dur)
