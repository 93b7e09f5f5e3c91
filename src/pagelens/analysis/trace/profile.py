"""Time by function, from the samples of the JavaScript profiler."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from dataclasses import dataclass, field

from pagelens.analysis.trace.recording import Recording, Thread
from pagelens.analysis.trace.schema import ProfileFrame

__all__ = ["FunctionTime", "Samples", "find_samples"]

#: Samples that are of no function.
_META = frozenset({"(root)", "(program)", "(idle)", "(garbage collector)"})


@dataclass(frozen=True, slots=True)
class FunctionTime:
    """A function's time; milliseconds. Lines and columns count from 1, 0 is unknown."""

    name: str
    url: str
    line: int
    column: int
    own_ms: float
    total_ms: float


@dataclass(slots=True)
class Samples:
    """The samples of one thread.

    Attributes:
        times: when each sample was taken, rising.
        nodes: the place in the call tree that each saw.
    """

    thread: Thread
    times: list[float] = field(default_factory=list)
    nodes: list[int] = field(default_factory=list)
    frames: dict[int, ProfileFrame] = field(default_factory=dict)
    parents: dict[int, int] = field(default_factory=dict)

    def functions(self, begin: float, end: float) -> list[FunctionTime]:
        """Time by function in a span of time, the most of its own first."""
        own: dict[tuple[str, str, int, int], float] = {}
        total: dict[tuple[str, str, int, int], float] = {}
        for node, time in self._spent(begin, end).items():
            seen: set[tuple[str, str, int, int]] = set()
            for depth, frame in enumerate(self._path(node)):
                key = (frame.functionName, frame.url, frame.lineNumber + 1, frame.columnNumber + 1)
                if depth == 0:
                    own[key] = own.get(key, 0.0) + time
                if key not in seen:
                    seen.add(key)
                    total[key] = total.get(key, 0.0) + time
        rows = [
            FunctionTime(
                name or "(anonymous)", url, max(line, 0), max(column, 0), own.get(key, 0.0) / 1000, time / 1000
            )
            for key, time in total.items()
            for name, url, line, column in (key,)
            if name not in _META
        ]
        return sorted(rows, key=lambda row: (-row.own_ms, -row.total_ms, row.name, row.url, row.line))

    def by_url(self, begin: float, end: float) -> dict[str, float]:
        """Microseconds by script in a span of time; what a script calls of the browser's own is counted as its own."""
        found: dict[str, float] = {}
        for node, time in self._spent(begin, end).items():
            url = next((frame.url for frame in self._path(node) if frame.url), "")
            if url:
                found[url] = found.get(url, 0.0) + time
        return found

    def _spent(self, begin: float, end: float) -> dict[int, float]:
        spent: dict[int, float] = {}
        first, after = bisect_left(self.times, begin), bisect_right(self.times, end)
        for at in range(first, min(after, len(self.times) - 1)):
            node = self.nodes[at]
            later = self.times[at + 1]
            spent[node] = spent.get(node, 0.0) + (later if later < end else end) - self.times[at]
        return spent

    def function_at(self, ts: float) -> ProfileFrame | None:
        """The function that was running at a time; None when none was, or it was not sampled."""
        at = bisect_right(self.times, ts) - 1
        frame = self.frames.get(self.nodes[at]) if at >= 0 else None
        return frame if frame is not None and frame.functionName not in _META else None

    def _path(self, node: int) -> list[ProfileFrame]:
        path: list[ProfileFrame] = []
        # A damaged profile may lead in circles.
        while node in self.frames and len(path) <= len(self.frames):
            path.append(self.frames[node])
            node = self.parents.get(node, 0)
        return path


def find_samples(recording: Recording) -> dict[Thread, Samples]:
    """The samples of each thread that was profiled."""
    started = {(pid, id_): (ts, tid) for (pid, id_), pieces in recording.profiles.items() for ts, tid, _ in pieces[:1]}
    found: dict[Thread, Samples] = {}
    for (pid, id_), pieces in recording.profiles.items():
        time, tid = started[pid, id_]
        samples = found.setdefault((pid, tid), Samples((pid, tid)))
        # Several profiles of one thread (a navigation starts another) number their nodes anew.
        base = len(samples.frames) and max(samples.frames) + 1
        for _, _, args in pieces:
            profile = args.data.cpuProfile
            if profile is None:
                continue
            for node in profile.nodes:
                samples.frames[base + node.id] = node.callFrame
                samples.parents[base + node.id] = base + node.parent if node.parent else 0
            for node_id, delta in zip(profile.samples, args.data.timeDeltas, strict=False):
                time += delta
                samples.times.append(time)
                samples.nodes.append(base + node_id)
    for samples in found.values():
        if any(later < earlier for earlier, later in zip(samples.times, samples.times[1:], strict=False)):
            order = sorted(range(len(samples.times)), key=samples.times.__getitem__)
            samples.times = [samples.times[at] for at in order]
            samples.nodes = [samples.nodes[at] for at in order]
    return found
