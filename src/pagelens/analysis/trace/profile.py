"""The samples of the JavaScript profiler: which functions were running, some thousand times a second."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import accumulate

from pagelens.analysis.trace.recording import Recording, Thread
from pagelens.analysis.trace.schema import ProfileFrame

__all__ = ["FunctionTime", "Samples", "find_samples"]

#: Samples that are of no function.
_GARBAGE = "(garbage collector)"
_META = frozenset({"(root)", "(program)", "(idle)", _GARBAGE})
#: Deeper stacks are none: a damaged profile may lead in circles.
_DEEPEST = 10_000


@dataclass(frozen=True, slots=True)
class FunctionTime:
    """A function's time; milliseconds. Lines and columns count from 1, 0 is unknown.

    Attributes:
        own_ms: without what it called, and what it made Chrome do.
        total_ms: with all of that.
    """

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
    _paths: dict[int, tuple[int, ...] | None] = field(default_factory=dict)

    def path_to(self, node: int) -> tuple[int, ...] | None:
        """The functions of a sample, the outermost first; None when it is of the garbage collector."""
        if node not in self._paths:
            self._paths[node] = self._path_to(node)
        return self._paths[node]

    def _path_to(self, node: int) -> tuple[int, ...] | None:
        path: list[int] = []
        while (frame := self.frames.get(node)) is not None and len(path) <= _DEEPEST:
            if frame.functionName == _GARBAGE and not path:
                return None
            if frame.functionName not in _META:
                path.append(node)
            node = self.parents.get(node, 0)
        return tuple(reversed(path))


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
            known = min(len(profile.samples), len(args.data.timeDeltas))
            times = list(accumulate(args.data.timeDeltas[:known], initial=time))
            time = times[-1]
            samples.times += times[1:]
            samples.nodes += [base + node for node in profile.samples[:known]] if base else profile.samples[:known]
    for samples in found.values():
        if sorted(samples.times) != samples.times:
            order = sorted(range(len(samples.times)), key=samples.times.__getitem__)
            samples.times = [samples.times[at] for at in order]
            samples.nodes = [samples.nodes[at] for at in order]
    return found
