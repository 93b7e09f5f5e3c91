"""The kinds of work that threads do; long tasks."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from math import inf

from pagelens.analysis.trace.recording import Slice

__all__ = ["LONG_TASK", "Activity", "Task", "kind_of", "long_tasks"]

#: A task that holds up a user. Microseconds.
LONG_TASK = 50_000

#: DevTools' kinds of work by the names of events; what is not here is "other".
_KINDS = {
    **dict.fromkeys(
        ("ParseHTML", "ParseAuthorStyleSheet", "CommitLoad", "ResourceReceivedData", "ResourceFinish"), "loading"
    ),
    **dict.fromkeys(
        (
            "EvaluateScript",
            "FunctionCall",
            "EventDispatch",
            "TimerFire",
            "FireAnimationFrame",
            "RunMicrotasks",
            "v8.compile",
            "v8.compileModule",
            "v8.evaluateModule",
            "v8.parseOnBackground",
            "V8.GC_MARK_COMPACTOR",
            "MajorGC",
            "MinorGC",
            "BlinkGC.AtomicPhase",
            "FireIdleCallback",
        ),
        "scripting",
    ),
    **dict.fromkeys(
        ("UpdateLayoutTree", "Layout", "RecalculateStyles", "PrePaint", "HitTest", "ScheduleStyleRecalculation"),
        "rendering",
    ),
    **dict.fromkeys(("Paint", "PaintImage", "Commit", "Layerize", "RasterTask", "Decode Image", "Draw"), "painting"),
}

#: Chrome's own steps inside of these, which DevTools does not show by themselves, by how their names begin.
_FAMILIES = (
    (("v8", "V8", "CppGC.", "CpuProfiler::", "LocalWindowProxy::"), "scripting"),
    (("HTMLDocumentParser::", "DecodedDataDocumentParser::", "DocumentLoader::", "NavigationBodyLoader::"), "loading"),
    (("LocalFrameView::",), "rendering"),
)


@dataclass(frozen=True, slots=True)
class Activity:
    """Time of one kind of work: its own, and with all in it. Milliseconds."""

    name: str
    kind: str
    own_ms: float
    total_ms: float
    count: int


@dataclass(frozen=True, slots=True)
class Task:
    """A task of the main thread. Microseconds."""

    ts: float
    dur: float

    @property
    def end(self) -> float:
        return self.ts + self.dur


def kind_of(name: str) -> str:
    """The kind of work an event is of: ``loading``, ``scripting``, ``rendering``, ``painting``, ``other``."""
    kind = _KINDS.get(name)
    if kind is None:
        kind = next((kind for beginnings, kind in _FAMILIES if name.startswith(beginnings)), "other")
    return kind


def long_tasks(slices: Sequence[Slice], begin: float, end: float) -> list[Task]:
    """The tasks of a thread that took longer than `LONG_TASK` and began in a span of time, the earliest first."""
    return [
        Task(ts, -minus_dur)
        for ts, minus_dur, name in slices[bisect_left(slices, (begin,)) : bisect_right(slices, (end, inf))]
        if name == "RunTask" and -minus_dur > LONG_TASK
    ]
