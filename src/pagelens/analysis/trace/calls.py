"""What a thread did, functions and all: the slices of a trace, the samples of the JavaScript profiler put into them.

A sample says which functions were running at a moment. They are taken to run from the first sample that saw them to the
first that did not, inside of the slice in which JavaScript ran: calls of functions nest in slices, and slices (a layout
that a function forced) in calls.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from pagelens.analysis.trace.profile import FunctionTime, Samples
from pagelens.analysis.trace.recording import Slice
from pagelens.analysis.trace.schema import CallFrame
from pagelens.analysis.trace.tasks import Activity, Task, kind_of

__all__ = ["Behind", "CallNode", "Calls", "Forced", "Label", "Span", "Totals", "UrlTime"]

#: Work in which JavaScript runs, or that is done for it while it runs.
SCRIPT = frozenset(
    {"RunMicrotasks", "FunctionCall", "EvaluateScript", "EventDispatch", "V8.Execute", "V8Console::runTask"}
)
_NEVER_SCRIPT = frozenset(
    {"Layout", "UpdateLayoutTree", "PrePaint", "Paint", "Layerize", "Commit", "HitTest", "ParseHTML"}
)

#: Calls whose script is known.
_PLACED = frozenset({"FunctionCall", "EvaluateScript"})
#: Whether samples open calls in a slice: while JavaScript runs, never, or when nothing says otherwise.
_RUNS, _WAITS, _MAY_RUN = 2, 1, 0
#: What is below all slices: its end, how many calls it was opened on, whether it takes calls, which piece it is.
_BOTTOM = (float("inf"), 0, _MAY_RUN, -1)


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


class Forced(NamedTuple):
    """Work that a script made Chrome do at once; microseconds.

    Attributes:
        function: the innermost one of the page's that it ran in; None when none was seen.
        entry: when the outermost call of a script around it began.
    """

    ts: float
    dur: float
    function: Label | None
    entry: float | None


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


class Totals:
    """Times in a span of time, by place in the call tree; by function, script and activity they are summed up."""

    def __init__(
        self, labels: Sequence[Label], keys: list[int], parents: list[int], total: list[float], count: list[int]
    ) -> None:
        self._labels = labels
        self._keys, self._parents, self._total, self._count = keys, parents, total, count
        self._own = list(total)
        for node in range(1, len(keys)):
            self._own[parents[node]] -= total[node]

    def functions(self) -> list[FunctionTime]:
        """The functions, the most time of its own first."""
        own: dict[Label, float] = {}
        total: dict[Label, float] = {}
        for node, label, above in self._walk():
            if label.is_function:
                own[label] = own.get(label, 0.0) + self._own[node]
                if label not in above:
                    total[label] = total.get(label, 0.0) + self._total[node]
        found = [_function(label, own[label], time) for label, time in total.items()]
        return sorted(found, key=lambda row: (-row.own_ms, -row.total_ms, row.name, row.url, row.line))

    def urls(self) -> list[UrlTime]:
        """The scripts, the most time of its own first: what a script calls of Chrome's own functions is its own."""
        owners = [""] * len(self._keys)
        above: list[frozenset[str]] = [frozenset()] * len(self._keys)
        own: dict[str, float] = {}
        total: dict[str, float] = {}
        for node in range(1, len(self._keys)):
            parent, label = self._parents[node], self._labels[self._keys[node]]
            owner = owners[node] = label.url or (owners[parent] if label.is_function else "")
            above[node] = above[parent]
            if owner:
                own[owner] = own.get(owner, 0.0) + self._own[node]
                if owner not in above[parent]:
                    total[owner] = total.get(owner, 0.0) + self._total[node]
                    above[node] = above[parent] | {owner}
        found = [UrlTime(url, own[url] / 1000, time / 1000) for url, time in total.items()]
        return sorted(found, key=lambda row: (-row.own_ms, -row.total_ms, row.url))

    def activities(self) -> list[Activity]:
        """Chrome's kinds of work, the most of its own first; what functions take is that of what they run in."""
        carriers = [0] * len(self._keys)
        above: list[frozenset[str]] = [frozenset()] * len(self._keys)
        own: dict[str, float] = {}
        total: dict[str, float] = {}
        count: dict[str, int] = {}
        for node in range(1, len(self._keys)):
            parent, label = self._parents[node], self._labels[self._keys[node]]
            above[node] = above[parent]
            if label.is_function:
                carriers[node] = carriers[parent]
                continue
            name, time = label.name, self._total[node]
            carriers[node] = node
            own[name] = own.get(name, 0.0) + time
            count[name] = count.get(name, 0) + self._count[node]
            if carrier := carriers[parent]:
                own[self._labels[self._keys[carrier]].name] -= time
            if name not in above[parent]:  # work in work of the same name is counted once
                total[name] = total.get(name, 0.0) + time
                above[node] = above[parent] | {name}
        found = [
            Activity(name, kind_of(name), own[name] / 1000, time / 1000, count[name]) for name, time in total.items()
        ]
        return sorted(found, key=lambda row: (-row.own_ms, row.name))

    def behind(self) -> Behind | None:
        """What the time was spent on; None when nothing was done."""
        functions = self.functions()
        outermost: dict[Label, float] = {}
        for node, label, above in self._walk():
            if label.is_function and not any(one.is_function for one in above):
                outermost[label] = outermost.get(label, 0.0) + self._total[node]
        entry = max(outermost, key=lambda label: outermost[label], default=None)
        place = (entry.name, entry.url, entry.line, entry.column) if entry is not None else None
        busiest = next((row for row in self.activities() if row.name != "RunTask"), None)
        if not functions and busiest is None:
            return None
        return Behind(
            functions[0] if functions else None,
            next((one for one in functions if (one.name, one.url, one.line, one.column) == place), None),
            busiest.name if busiest else "",
            busiest.own_ms if busiest else 0.0,
        )

    def tree(self) -> CallNode:
        """All of it, from the thread's tasks down; the root stands for the thread."""
        nodes = [CallNode(Label("(thread)", "thread"))]
        for node in range(1, len(self._keys)):
            label = self._labels[self._keys[node]]
            nodes.append(CallNode(label, self._own[node] / 1000, self._total[node] / 1000, self._count[node]))
            nodes[self._parents[node]].children.append(nodes[node])
        nodes[0].total_ms = sum(child.total_ms for child in nodes[0].children)
        for made in nodes:
            made.children.sort(key=lambda child: -child.total_ms)
        return nodes[0]

    def _walk(self) -> Iterator[tuple[int, Label, frozenset[Label]]]:
        """The places, each after the one it is in, with the labels of the functions that it is in."""
        above: list[frozenset[Label]] = [frozenset()] * len(self._keys)
        inner: list[frozenset[Label]] = [frozenset()] * len(self._keys)
        for node in range(1, len(self._keys)):
            label = self._labels[self._keys[node]]
            above[node] = inner[self._parents[node]]
            # Most places share the set of the one they are in.
            inner[node] = above[node] | {label} if label.is_function and label not in above[node] else above[node]
            yield node, label, above[node]


def _function(label: Label, own: float, total: float) -> FunctionTime:
    return FunctionTime(label.name, label.url, label.line, label.column, own / 1000, total / 1000)


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
        self.depths = array("i")
        self._ts = array("d")
        self._ends = array("d")
        self._keys = array("i")
        self._parents = array("i")
        self._merge(slices, samples or Samples((0, 0)), places or {})

    def __len__(self) -> int:
        return len(self._ts)

    # -- making it -----------------------------------------------------------------------------------

    def _merge(self, slices: Sequence[Slice], samples: Samples, places: Mapping[float, CallFrame]) -> None:
        all_ts, all_ends, depths, keys, parents = self._ts, self._ends, self.depths, self._keys, self._parents
        times, nodes = samples.times, samples.nodes
        count, taken = len(times), 0
        names: dict[str, tuple[int, int]] = {}
        functions = _Functions(self.labels, samples)
        path_to = samples.path_to
        # The slices that are open, and the calls in them: the node of each, and which piece it is.
        open_: list[tuple[float, int, int, int]] = [_BOTTOM]
        end, base, mode, inside = _BOTTOM
        calls: list[int] = []
        pieces: list[int] = []
        latest = 0.0

        def close(now: float) -> None:
            """End the slices that are over, and the calls in them."""
            nonlocal end, base, mode, inside
            while end <= now:
                for at in pieces[base:]:
                    all_ends[at] = end
                del pieces[base:], calls[base:]
                open_.pop()
                end, base, mode, inside = open_[-1]

        def cut(height: int, now: float) -> None:
            """End the calls from a height on."""
            for at in pieces[height:]:
                all_ends[at] = max(now, all_ts[at])
            del pieces[height:], calls[height:]

        def sample(now: float, path: tuple[int, ...], at: int) -> None:
            opened = len(calls)
            same, most = 0, min(len(path), opened)
            while same < most and path[same] == calls[same]:
                same += 1
            if not path and opened > base and at + 1 < count and times[at + 1] < end:
                # Between two samples of a function, one of Chrome's own code is a call of that from it.
                following = path_to(nodes[at + 1])
                if following and following[0] == calls[0]:
                    return
            inner = path[same:]
            if same < base:  # what is outside can't have changed: it waits for what goes on in the slice
                same, most, skip = base, min(base + len(inner), opened), 0
                while same < most and inner[skip] == calls[same]:
                    same, skip = same + 1, skip + 1
                inner = inner[skip:]
            if opened > same:
                cut(same, now)
            for node in inner:
                depths.append(len(open_) - 1 + len(calls))
                parents.append(pieces[-1] if len(pieces) > base else inside)
                pieces.append(len(all_ts))
                calls.append(node)
                all_ts.append(now)
                all_ends.append(now)
                keys.append(functions.key(node))

        seen: int | None = None  # the node of the last sample, as long as it can tell nothing new
        next_sample = times[0] if count else float("inf")
        for ts, minus_dur, name in slices:
            while next_sample < ts:
                if end <= next_sample:
                    close(next_sample)
                    seen = None
                node = nodes[taken]
                if node != seen:
                    seen = node
                    if mode != _WAITS and (path := path_to(node)) is not None:
                        sample(next_sample, path, taken)
                taken += 1
                next_sample = times[taken] if taken < count else float("inf")
            if end <= ts:
                close(ts)
            over = ts - minus_dur
            if over > end:
                continue  # it overlaps what it is not in: it has no place
            seen = None
            known = names.get(name)
            if known is None:
                known = names[name] = (len(self.labels), _mode(name))
                self.labels.append(Label(name, kind_of(name)))
            key, takes = known
            if name in _PLACED and (place := places.get(ts)) is not None:
                key = functions.placed(name, place)
            if len(open_) == 1:
                latest = max(latest, over)
                if calls and name == "RunTask":
                    cut(0, ts)
            depths.append(len(open_) - 1 + len(calls))
            parents.append(pieces[-1] if len(pieces) > base else inside)
            # Under a script, only what runs scripts can call another function.
            mode = _WAITS if takes != _RUNS and mode != _MAY_RUN else takes
            end, base, inside = over, len(calls), len(all_ts)
            open_.append((end, base, mode, inside))
            all_ts.append(ts)
            all_ends.append(over)
            keys.append(key)
        for at in range(taken, count):
            close(times[at])
            if mode != _WAITS and (path := path_to(nodes[at])) is not None:
                sample(times[at], path, at)
        while len(open_) > 1:
            close(end)
        cut(0, max(times[-1] if times else 0.0, latest))

    # -- asking --------------------------------------------------------------------------------------

    def _range(self, begin: float, end: float) -> tuple[int, int]:
        """The pieces that may touch a span of time: the first, and the one after the last."""
        first = bisect_left(self._ts, begin)
        task = first - 1  # the task before may go on
        while task > 0 and self.depths[task]:
            task -= 1
        if task >= 0 and self._ends[task] > begin:
            first = task
        return first, bisect_right(self._ts, end)

    def totals(self, begin: float, end: float) -> Totals:
        """What the parts of the work in a span of time take together."""
        first, after = self._range(begin, end)
        keys, parents, total, count = [0], [-1], [0.0], [0]
        known: dict[tuple[int, int], int] = {}
        path = [0]
        for depth, key, ts, over in zip(
            self.depths[first:after],
            self._keys[first:after],
            self._ts[first:after],
            self._ends[first:after],
            strict=True,
        ):
            place = (path[depth], key)
            node = known.get(place)
            if node is None:
                node = known[place] = len(keys)
                keys.append(key)
                parents.append(path[depth])
                total.append(0.0)
                count.append(0)
            if depth + 1 < len(path):
                path[depth + 1] = node
            else:
                path.append(node)
            if ts < begin:
                ts = begin
            if over > end:
                over = end
            if over > ts:
                total[node] += over - ts
            if ts > begin or over >= ts:
                count[node] += 1
        return Totals(self.labels, keys, parents, total, count)

    def tasks(self, place: FunctionTime, begin: float, end: float) -> list[tuple[Task, float]]:
        """The tasks in which a function ran, and how many milliseconds with all it called; the most first."""
        wanted = {
            key
            for key, label in enumerate(self.labels)
            if label.is_function
            and (label.name, label.url, label.line, label.column) == (place.name, place.url, place.line, place.column)
        }
        found: dict[Task, float] = {}
        task = Task(begin, 0.0)
        inside = -1
        for at in range(*self._range(begin, end)):
            depth = self.depths[at]
            if not depth:
                task = Task(self._ts[at], self._ends[at] - self._ts[at])
            if 0 <= inside < depth:
                continue  # a call of itself
            inside = -1
            if self._keys[at] in wanted:
                inside = depth
                time = max(min(self._ends[at], end) - max(self._ts[at], begin), 0.0) / 1000
                found[task] = found.get(task, 0.0) + time
        return sorted(found.items(), key=lambda row: (-row[1], row[0].ts))

    def forced(self, names: Container[str], begin: float, end: float) -> list[list[Forced]]:
        """The pieces of these names that ran within scripts, by task."""
        wanted = {key for key, label in enumerate(self.labels) if label.name in names and not label.is_function}
        scripts = [not label.is_function and _mode(label.name) == _RUNS for label in self.labels]
        called = [label.name in _PLACED and not label.is_function for label in self.labels]
        found: list[list[Forced]] = []
        in_task = -1
        keys, parents, depths = self._keys, self._parents, self.depths
        first, after = self._range(begin, end)
        for at, key in enumerate(keys[first:after], first):
            if key not in wanted:
                if not depths[at]:
                    in_task = -1
                continue
            above, is_forced, function, entry = parents[at], False, None, None
            while above >= 0:
                kind = keys[above]
                is_forced = is_forced or scripts[kind]
                if called[kind]:
                    entry = self._ts[above]
                if function is None and self.labels[kind].is_function and self.labels[kind].url:
                    function = self.labels[kind]
                above = parents[above]
            if is_forced:
                if in_task < 0:
                    in_task = len(found)
                    found.append([])
                found[in_task].append(Forced(self._ts[at], self._ends[at] - self._ts[at], function, entry))
        return found

    def spans(self, begin: float, end: float, *, most: int) -> list[Span]:
        """The pieces of a span of time, in their order; when there are more than ``most``, the longest of them."""
        found = [at for at in range(*self._range(begin, end)) if self._ends[at] > begin]
        if len(found) > most:
            lengths = sorted((self._ends[at] - self._ts[at] for at in found), reverse=True)
            found = [at for at in found if self._ends[at] - self._ts[at] > lengths[most]]
        return [
            Span(self._ts[at], self._ends[at] - self._ts[at], self.depths[at], self.labels[self._keys[at]])
            for at in found
        ]


def _mode(name: str) -> int:
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
