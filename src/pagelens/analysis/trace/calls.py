"""What a thread did, functions and all: the slices of a trace, the samples of the JavaScript profiler put into them.

A sample says which functions were running at a moment. They are taken to run from the first sample that saw them to the
first that did not, inside of the slice in which JavaScript ran: calls of functions nest in slices, and slices (a layout
that a function forced) in calls.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

from pagelens.analysis.trace.profile import FunctionTime, Samples
from pagelens.analysis.trace.recording import Slice
from pagelens.analysis.trace.schema import CallFrame
from pagelens.analysis.trace.tasks import Task, kind_of

__all__ = ["Behind", "CallNode", "Calls", "Label", "Span", "Totals", "UrlTime"]

#: Work in which JavaScript runs, or that is done for it while it runs.
SCRIPT = frozenset(
    {"RunMicrotasks", "FunctionCall", "EvaluateScript", "EventDispatch", "V8.Execute", "V8Console::runTask"}
)
_NEVER_SCRIPT = frozenset(
    {"Layout", "UpdateLayoutTree", "PrePaint", "Paint", "Layerize", "Commit", "HitTest", "ParseHTML"}
)

#: Whether samples open calls in a slice: while JavaScript runs, never, or when nothing says otherwise.
_RUNS, _WAITS, _MAY_RUN = 2, 1, 0


class Label(NamedTuple):
    """What a span is of. Lines and columns count from 1, 0 is unknown."""

    name: str
    kind: str
    url: str = ""
    line: int = 0
    column: int = 0

    @property
    def is_function(self) -> bool:
        return self.kind == "function"


class Span(NamedTuple):
    """A piece of work; microseconds of Chrome's clock."""

    ts: float
    dur: float
    depth: int
    label: Label


@dataclass(slots=True)
class CallNode:
    """A place in the call tree: all work of one label under one parent. Milliseconds.

    Attributes:
        label: a function, or an activity of Chrome's.
        own_ms: without what is below it.
        count: how many pieces; of a function, how often samples saw it begin.
        children: the most time first.
    """

    label: Label
    own_ms: float = 0.0
    total_ms: float = 0.0
    count: int = 0
    children: list[CallNode] = field(default_factory=list)

    def walk(self, depth: int = 0) -> Iterator[tuple[int, CallNode]]:
        """This and all below it, each with its depth, in the order of a printed tree."""
        waiting = [(depth, self)]
        while waiting:
            at, node = waiting.pop()
            yield at, node
            waiting.extend((at + 1, child) for child in reversed(node.children))


@dataclass(frozen=True, slots=True)
class UrlTime:
    """What the functions of a script took: their own time, and with all they called or made Chrome do. Milliseconds."""

    url: str
    own_ms: float
    total_ms: float


@dataclass(frozen=True, slots=True)
class Behind:
    """What a task or an interaction was busy with.

    Attributes:
        function: the function with the most time of its own; None when no function was seen.
        entry: the outermost function that took the most time, such as the handler of an event.
        activity: Chrome's own work that took the most, e.g. ``Layout``; of scripts, ``FunctionCall``.
        activity_ms: how long.
    """

    function: FunctionTime | None
    entry: FunctionTime | None
    activity: str
    activity_ms: float


@dataclass(slots=True)
class Totals:
    """Times by label in a span of time; microseconds, by the label's number."""

    labels: Sequence[Label]
    own: list[float]
    total: list[float]
    outermost: list[float]
    worst: dict[int, tuple[float, Task]]
    url_own: dict[str, float]
    url_total: dict[str, float]

    def function(self, key: int) -> FunctionTime:
        label = self.labels[key]
        worst = self.worst.get(key)
        return FunctionTime(
            label.name,
            label.url,
            label.line,
            label.column,
            self.own[key] / 1000,
            self.total[key] / 1000,
            worst[1] if worst else None,
        )

    def functions(self) -> list[FunctionTime]:
        """The functions, the most time of its own first."""
        found = [self.function(key) for key, label in enumerate(self.labels) if label.is_function and self.total[key]]
        return sorted(found, key=lambda row: (-row.own_ms, -row.total_ms, row.name, row.url, row.line))

    def urls(self) -> list[UrlTime]:
        """The scripts, the most time of its own first."""
        found = [UrlTime(url, self.url_own.get(url, 0.0) / 1000, time / 1000) for url, time in self.url_total.items()]
        return sorted(found, key=lambda row: (-row.own_ms, -row.total_ms, row.url))

    def behind(self) -> Behind | None:
        """What the time was spent on; None when nothing was done."""
        function = entry = activity = -1
        for key, label in enumerate(self.labels):
            if label.is_function:
                if self.own[key] > (self.own[function] if function >= 0 else 0.0):
                    function = key
                if self.outermost[key] > (self.outermost[entry] if entry >= 0 else 0.0):
                    entry = key
            elif label.name != "RunTask" and self.own[key] > (self.own[activity] if activity >= 0 else 0.0):
                activity = key
        if function < 0 and activity < 0:
            return None
        return Behind(
            self.function(function) if function >= 0 else None,
            self.function(entry) if entry >= 0 else None,
            self.labels[activity].name if activity >= 0 else "",
            self.own[activity] / 1000 if activity >= 0 else 0.0,
        )


class Calls:
    """The merged work of one thread, in flat arrays: pieces in the order they began, each with its depth.

    Args:
        slices: sorted.
        samples: None when the thread was not profiled.
        places: by the begin of a long call, the script that it ran.
    """

    def __init__(
        self, slices: Sequence[Slice], samples: Samples | None, places: Mapping[float, CallFrame] | None = None
    ) -> None:
        self.labels: list[Label] = []
        self._ts = array("d")
        self._ends = array("d")
        self._depths = array("i")
        self._keys = array("i")
        self._merge(slices, samples or Samples((0, 0)), places or {})

    def __len__(self) -> int:
        return len(self._ts)

    # -- making it -----------------------------------------------------------------------------------

    def _merge(self, slices: Sequence[Slice], samples: Samples, places: Mapping[float, CallFrame]) -> None:
        all_ts, all_ends, depths, keys = self._ts, self._ends, self._depths, self._keys
        times, nodes = samples.times, samples.nodes
        count, taken = len(times), 0
        names: dict[str, int] = {}
        states: list[int] = []
        paths: dict[int, tuple[int, ...] | None] = {}
        functions = _Functions(self.labels, samples)
        # What is open: all of it; the slices, with their ends and how many calls were open when they began; the calls.
        stack: list[int] = []
        ends: list[float] = []
        heights: list[int] = []
        bases: list[int] = []
        modes: list[int] = []
        calls: list[int] = []
        latest = 0.0
        seen: int | None = None  # the node of the last sample, as long as it leads to nothing new

        def close(now: float) -> None:
            """End the slices that are over, and the calls in them."""
            while ends and ends[-1] <= now:
                end, height = ends.pop(), heights.pop()
                for at in stack[height + 1 :]:
                    all_ends[at] = end
                del stack[height:]
                del calls[bases.pop() :]
                modes.pop()

        def end_calls(now: float) -> None:
            """End the calls that are in no slice, when no slice is open."""
            for at in stack:
                all_ends[at] = max(now, all_ts[at])
            stack.clear()
            calls.clear()

        def sample(now: float, node: int, at: int) -> None:
            path = paths.get(node, ())
            if node not in paths:
                path = paths[node] = samples.path_to(node)
            if path is None:  # Chrome collects garbage: who called does not matter
                return
            base = bases[-1] if bases else 0
            open_ = len(calls)
            same, most = 0, min(len(path), open_)
            while same < most and path[same] == calls[same]:
                same += 1
            if not path and open_ > base and at + 1 < count:
                # Between two samples of a function, one of Chrome's own code is a call of that from it.
                following = paths.get(nodes[at + 1]) or samples.path_to(nodes[at + 1])
                if following and following[0] == calls[0]:
                    return
            inner = path[same:]
            if same < base:  # what is outside can't have changed: it waits for what goes on in the slice
                same, most = base, min(base + len(inner), open_)
                skip = 0
                while same < most and inner[skip] == calls[same]:
                    same, skip = same + 1, skip + 1
                inner = inner[skip:]
            for opened in stack[len(stack) - (open_ - same) :] if open_ > same else ():
                all_ends[opened] = now
            if open_ > same:
                del stack[len(stack) - (open_ - same) :]
                del calls[same:]
            for one in inner:
                depths.append(len(stack))
                stack.append(len(all_ts))
                calls.append(one)
                all_ts.append(now)
                all_ends.append(now)
                keys.append(functions.key(one))

        for ts, minus_dur, name in slices:
            while taken < count and times[taken] < ts:
                now, node = times[taken], nodes[taken]
                if ends and ends[-1] <= now:
                    close(now)
                    seen = None
                if node != seen:
                    if not modes or modes[-1] != _WAITS:
                        sample(now, node, taken)
                    seen = node
                taken += 1
            if not minus_dur:
                continue
            if ends and ends[-1] <= ts:
                close(ts)
            end = ts - minus_dur
            if ends and end > ends[-1]:
                continue  # it overlaps what it is not in: it has no place
            if not ends:
                latest = max(latest, end)
                if calls and name == "RunTask":
                    end_calls(ts)
            seen = None
            place = places.get(ts) if name in _PLACED else None
            if place is not None:
                key = functions.placed(name, place)
            else:
                known = names.get(name)
                if known is None:
                    known = names[name] = len(self.labels)
                    self.labels.append(Label(name, kind_of(name)))
                key = known
            if key >= len(states):
                states.extend(_mode(label.name) for label in self.labels[len(states) :])
            mode = states[key]
            # Under a script, only what runs scripts can call another function.
            modes.append(_WAITS if mode != _RUNS and modes and modes[-1] != _MAY_RUN else mode)
            ends.append(end)
            heights.append(len(stack))
            bases.append(len(calls))
            depths.append(len(stack))
            stack.append(len(all_ts))
            all_ts.append(ts)
            all_ends.append(end)
            keys.append(key)
        for at in range(taken, count):
            close(times[at])
            if not modes or modes[-1] != _WAITS:
                sample(times[at], nodes[at], at)
        close(float("inf"))
        end_calls(max(times[-1] if times else 0.0, latest))

    # -- asking --------------------------------------------------------------------------------------

    def _range(self, begin: float, end: float) -> range:
        """The pieces that may touch a span of time."""
        first = bisect_left(self._ts, begin)
        task = first - 1  # the task before may go on
        while task > 0 and self._depths[task]:
            task -= 1
        if task >= 0 and self._ends[task] > begin:
            first = task
        return range(first, bisect_right(self._ts, end))

    def totals(self, begin: float, end: float) -> Totals:
        """Times by label, of the parts of the work in a span of time."""
        labels = self.labels
        count = len(labels)
        own, total, outermost, active = [0.0] * count, [0.0] * count, [0.0] * count, [0] * count
        is_function = [label.is_function for label in labels]
        urls = [label.url for label in labels]
        open_keys: list[int] = []
        owners: list[str] = []
        functions = 0
        in_task: dict[int, float] = {}
        task: Task | None = None
        worst: dict[int, tuple[float, Task]] = {}
        url_own: dict[str, float] = {}
        url_total: dict[str, float] = {}
        url_active: dict[str, int] = {}

        def leave(depth: int) -> None:
            nonlocal functions
            for key, owner in zip(open_keys[depth:], owners[depth:], strict=True):
                active[key] -= 1
                functions -= is_function[key]
                if owner:
                    url_active[owner] -= 1
            del open_keys[depth:], owners[depth:]

        def end_task() -> None:
            if task is not None:
                for key, time in in_task.items():
                    if key not in worst or time > worst[key][0]:
                        worst[key] = (time, task)
            in_task.clear()

        all_ts, all_ends, depths, keys = self._ts, self._ends, self._depths, self._keys
        for at in self._range(begin, end):
            depth, key, ts, ended = depths[at], keys[at], all_ts[at], all_ends[at]
            if len(open_keys) > depth:
                leave(depth)
            if not depth:
                if in_task:
                    end_task()
                task = Task(ts, ended - ts)
            dur = (ended if ended < end else end) - (ts if ts > begin else begin)
            if dur < 0:
                dur = 0.0
            url = urls[key]
            owner = url
            if open_keys:
                above = open_keys[-1]
                own[above] -= dur
                if is_function[above]:
                    in_task[above] = in_task.get(above, 0.0) - dur
                if owners[-1]:
                    url_own[owners[-1]] -= dur
                owner = url or (owners[-1] if is_function[key] else "")
            own[key] += dur
            if not active[key]:
                total[key] += dur
            active[key] += 1
            if is_function[key]:
                if not functions:
                    outermost[key] += dur
                functions += 1
                in_task[key] = in_task.get(key, 0.0) + dur
            if owner:
                url_own[owner] = url_own.get(owner, 0.0) + dur
                running = url_active.get(owner, 0)
                if not running:
                    url_total[owner] = url_total.get(owner, 0.0) + dur
                url_active[owner] = running + 1
            open_keys.append(key)
            owners.append(owner)
        end_task()
        return Totals(labels, own, total, outermost, worst, url_own, url_total)

    def tree(self, begin: float, end: float) -> CallNode:
        """The call tree of a span of time, from the thread's tasks down; its root stands for the thread."""
        root = CallNode(Label("(thread)", "thread"))
        path: list[tuple[CallNode, dict[int, Any]]] = [(root, {})]
        for at in self._range(begin, end):
            depth, key = self._depths[at], self._keys[at]
            del path[depth + 1 :]
            dur = max(min(self._ends[at], end) - max(self._ts[at], begin), 0.0) / 1000
            above, children = path[-1]
            known = children.get(key)
            if known is None:
                known = children[key] = (CallNode(self.labels[key]), {})
                above.children.append(known[0])
            node: CallNode = known[0]
            node.total_ms += dur
            node.own_ms += dur
            node.count += 1
            if above is root:
                root.total_ms += dur
            else:
                above.own_ms -= dur
            path.append(known)
        for _, node in root.walk():
            node.children.sort(key=lambda child: -child.total_ms)
        return root

    def spans(self, begin: float, end: float, *, most: int) -> list[Span]:
        """The pieces of a span of time, in their order; when there are more than ``most``, the longest of them."""
        found = [at for at in self._range(begin, end) if self._ends[at] > begin]
        if len(found) > most:
            lengths = sorted((self._ends[at] - self._ts[at] for at in found), reverse=True)
            least = lengths[most]
            found = [at for at in found if self._ends[at] - self._ts[at] > least]
        return [
            Span(self._ts[at], self._ends[at] - self._ts[at], self._depths[at], self.labels[self._keys[at]])
            for at in found
        ]


_PLACED = frozenset({"FunctionCall", "EvaluateScript"})


def _mode(name: str) -> Literal[0, 1, 2]:
    if name in SCRIPT or name[:2] in ("v8", "V8"):
        return _RUNS
    return _WAITS if name in _NEVER_SCRIPT else _MAY_RUN


class _Functions:
    """The labels of functions and of calls whose place is known, each made once."""

    def __init__(self, labels: list[Label], samples: Samples) -> None:
        self._labels = labels
        self._samples = samples
        self._of_node: dict[int, int] = {}
        self._of_label: dict[Label, int] = {}

    def key(self, node: int) -> int:
        key = self._of_node.get(node)
        if key is None:
            frame = self._samples.frames[node]
            label = Label(
                frame.functionName or "(anonymous)",
                "function",
                frame.url,
                max(frame.lineNumber + 1, 0),
                max(frame.columnNumber + 1, 0),
            )
            key = self._of_node[node] = self._key(label)
        return key

    def placed(self, name: str, place: CallFrame) -> int:
        return self._key(Label(name, kind_of(name), place.url))

    def _key(self, label: Label) -> int:
        key = self._of_label.get(label)
        if key is None:
            key = self._of_label[label] = len(self._labels)
            self._labels.append(label)
        return key
