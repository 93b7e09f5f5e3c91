"""What threads did: trees of nested work, time by activity, long tasks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pagelens.analysis.trace.recording import Slice

__all__ = ["LONG_TASK", "Activity", "Task", "Tree", "activities", "kind_of", "long_tasks", "tree_of"]

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
class Tree:
    """A thread's work, nested.

    Attributes:
        slices: in order; those that overlap their predecessors without being in them have no place in the tree.
        parents: of each slice, the index of the one it is in; -1 at the top, -2 without a place.
        own: of each slice, the time that no other in it took.
    """

    slices: Sequence[Slice]
    parents: list[int]
    own: list[float]
    roots: int
    depth: int


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


def tree_of(slices: Sequence[Slice]) -> Tree:
    """Nest a thread's slices (sorted)."""
    parents, own = [-1] * len(slices), [0.0] * len(slices)
    stack: list[int] = []
    ends: list[float] = []
    roots = depth = 0
    for at, (ts, minus_dur, _) in enumerate(slices):
        while stack and ts >= ends[-1]:
            stack.pop()
            ends.pop()
        if stack:
            if ts - minus_dur > ends[-1]:
                parents[at] = -2
                continue
            parents[at] = stack[-1]
            own[stack[-1]] += minus_dur
        else:
            roots += 1
        own[at] -= minus_dur
        stack.append(at)
        ends.append(ts - minus_dur)
        depth = max(depth, len(stack))
    return Tree(slices, parents, own, roots, depth)


def activities(tree: Tree, begin: float, end: float) -> list[Activity]:
    """Time by name of event in a span of time, the most of its own first."""
    own: dict[str, float] = {}
    total: dict[str, float] = {}
    count: dict[str, int] = {}
    for at, (ts, minus_dur, name) in enumerate(tree.slices):
        if ts < begin or ts > end or not minus_dur or tree.parents[at] == -2:
            continue
        own[name] = own.get(name, 0.0) + tree.own[at]
        count[name] = count.get(name, 0) + 1
        parent = tree.parents[at]
        while parent >= 0 and tree.slices[parent].name != name:
            parent = tree.parents[parent]
        if parent < 0:  # work in work of the same name is counted once
            total[name] = total.get(name, 0.0) - minus_dur
    rows = [Activity(name, kind_of(name), own[name] / 1000, total.get(name, 0.0) / 1000, count[name]) for name in own]
    return sorted(rows, key=lambda row: (-row.own_ms, row.name))


def long_tasks(slices: Sequence[Slice], begin: float, end: float) -> list[Task]:
    """The tasks of a thread that took longer than `LONG_TASK`, the earliest first."""
    return [
        Task(ts, -minus_dur)
        for ts, minus_dur, name in slices
        if name == "RunTask" and -minus_dur > LONG_TASK and begin <= ts <= end
    ]
