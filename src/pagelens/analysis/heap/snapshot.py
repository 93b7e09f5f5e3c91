"""`HeapSnapshot`: a heap snapshot, loaded and understood."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Literal, TypeVar

from pagelens.analysis.heap import jit
from pagelens.analysis.heap.classes import Classes, ClassRow, Interface
from pagelens.analysis.heap.compare import ClassDiff, Comparison
from pagelens.analysis.heap.contexts import ContextAnalysis, analyze_contexts
from pagelens.analysis.heap.duplicates import DuplicateString, duplicate_strings
from pagelens.analysis.heap.filters import Filters, is_context_name, is_native_context_name
from pagelens.analysis.heap.graph import KINDS, Graph, build
from pagelens.analysis.heap.kernels import NO_CONTEXT, SHARED_CONTEXT
from pagelens.analysis.heap.names import Names
from pagelens.analysis.heap.numbers import CompiledNumbers, Numbers, PlainNumbers
from pagelens.analysis.heap.parse import parse
from pagelens.analysis.heap.query import query_objects
from pagelens.analysis.heap.reader import MAX_BYTES, Reader, open_snapshot
from pagelens.analysis.heap.retaining import Retainers
from pagelens.analysis.heap.statistics import (
    ContextSizes,
    NativeContext,
    RetainedByContexts,
    Statistics,
    statistics,
)
from pagelens.analysis.heap.views import HeapNode
from pagelens.analysis.progress import Job, Progress, in_thread
from pagelens.errors import ExtraMissing, HeapObjectNotFound, InvalidInput

__all__ = ["PLAIN_BYTES", "SMALL_BYTES", "HeapDiff", "HeapSnapshot"]

#: Up to this size (unpacked) plain Python is done before numba is imported; beyond, compiled kernels win.
SMALL_BYTES = 4_000_000
#: Without numpy and numba, larger files are refused: they would take minutes, and ten times their size in memory.
PLAIN_BYTES = 40_000_000

_T = TypeVar("_T")


class HeapSnapshot:
    """A heap snapshot: what `HeapProfiler.takeHeapSnapshot` or DevTools wrote, with all that follows from it.

    Sizes are bytes. ``ids``, ``self_sizes``, ``retained_sizes``, ``distances`` and ``detachedness`` are arrays in the
    file's order of nodes: numpy arrays (read-only), or `array.array` where numpy is not installed. `load` makes one.
    Its methods may take seconds on large files the first time they are called: call them from a thread.
    """

    def __init__(self, graph: Graph, path: Path) -> None:
        self.graph = graph
        self.path = path
        self.names = Names(graph)
        self.retaining = Retainers(graph)
        self._filters = Filters(graph, self.names)
        self._lock = threading.RLock()
        self._made: dict[str, Any] = {}

    @classmethod
    def load(
        cls,
        path: str | os.PathLike[str],
        *,
        progress: Progress | None = None,
        cancelled: threading.Event | None = None,
        max_bytes: int = MAX_BYTES,
    ) -> HeapSnapshot:
        """Read a ``.heapsnapshot`` file, plain or gzipped, and work out sizes, distances and dominators.

        Args:
            progress: called now and then with what is being done, the time and memory so far.
            cancelled: set from another thread to stop.
            max_bytes: the largest file, unpacked.

        Raises:
            FileFailed: it can't be read.
            BadSnapshot: it is no heap snapshot, damaged or too large.
            ExtraMissing: it is large, and numpy and numba are not installed.
            AnalysisCancelled: ``cancelled`` was set.
        """
        job = Job(progress, cancelled)
        file_path = Path(path)
        with open_snapshot(file_path) as file:
            job.check()
            reader = Reader(file, max_bytes, lambda size, part: job.step(_read(size), part, always=False))
            numbers = _numbers_for(reader, job)
            parsed = parse(reader, numbers, job)
        return cls(build(parsed, job), file_path)

    @classmethod
    async def load_async(
        cls, path: str | os.PathLike[str], *, progress: Progress | None = None, max_bytes: int = MAX_BYTES
    ) -> HeapSnapshot:
        """As `load`, in a thread; a task that is cancelled stops it. ``progress`` is called on the event loop."""
        return await in_thread(
            lambda tell, cancelled: cls.load(path, progress=tell, cancelled=cancelled, max_bytes=max_bytes), progress
        )

    # -- the whole -----------------------------------------------------------------------------------

    @property
    def node_count(self) -> int:
        """How many nodes."""
        return self.graph.node_count

    @property
    def edge_count(self) -> int:
        """How many edges."""
        return len(self.graph.targets)

    @property
    def memory(self) -> int:
        """Bytes of memory that it takes, about, when all has been asked of it (classes, owners, retainers, filters)."""
        return self.graph.memory() + 28 * self.node_count + 4 * self.edge_count

    @property
    def ids(self) -> Any:
        """Each node's id."""
        return self._exported("ids")

    @property
    def self_sizes(self) -> Any:
        """Each node's own bytes."""
        return self._exported("self_sizes")

    @property
    def retained_sizes(self) -> Any:
        """The bytes that would be freed with each node."""
        return self._exported("retained_sizes")

    @property
    def distances(self) -> Any:
        """Edges from the page's roots to each node; see `HeapNode.distance`."""
        return self._exported("distances")

    @property
    def detachedness(self) -> Any:
        """Each node's place in the DOM: 0 none or unknown, 1 in a document, 2 detached."""
        return self._exported("detachedness")

    @property
    def max_js_object_id(self) -> int:
        """The greatest id of an object of JavaScript's (these are odd)."""
        ids = self.ids
        if isinstance(self.graph.numbers, CompiledNumbers):
            odd = ids[ids % 2 == 1]
            return int(odd.max()) if len(odd) else 0
        return max((int(one) for one in self.graph.ids if one % 2), default=0)

    def statistics(self) -> Statistics:
        """Bytes by kind."""
        return self._once("statistics", lambda: statistics(self.graph))

    # -- nodes ---------------------------------------------------------------------------------------

    @property
    def root(self) -> HeapNode:
        """The root of all."""
        return HeapNode(self, self.graph.root)

    def node(self, node_id: int) -> HeapNode:
        """The node with an id.

        Raises:
            HeapObjectNotFound: there is none.
        """
        place = self.graph.numbers.find(self.graph.ids, node_id)
        if place < 0:
            raise HeapObjectNotFound(
                f"No object has the id {node_id} in {self.path.name}.",
                "Take ids from this snapshot; an object that was freed is in no later one.",
            )
        return HeapNode(self, place)

    def at(self, place: int) -> HeapNode:
        """The node at a place of the arrays."""
        return HeapNode(self, range(self.node_count)[place])

    def query(
        self,
        *,
        class_name: str = "",
        property_name: str = "",
        node_type: str = "",
        min_self_size: int | None = None,
        max_self_size: int | None = None,
        min_retained_size: int | None = None,
        max_retained_size: int | None = None,
        is_detached: bool | None = None,
        sort_by: Literal["retainedSize", "selfSize", "id", "none"] = "retainedSize",
    ) -> list[HeapNode]:
        """The nodes that all conditions hold for.

        Args:
            class_name: a regular expression that is found in the node's name, whatever the case.
            property_name: one that is found in the name of an edge that leads away.
            node_type: e.g. ``closure``.
            is_detached: whether it is a detached DOM node, or part of one.

        Raises:
            InvalidInput: no regular expression, or no such type.
        """
        found = query_objects(
            self.graph,
            self.names,
            self.classification.shapes if class_name else None,
            class_name=class_name,
            property_name=property_name,
            node_type=node_type,
            min_self_size=min_self_size,
            max_self_size=max_self_size,
            min_retained_size=min_retained_size,
            max_retained_size=max_retained_size,
            is_detached=is_detached,
            sort_by=sort_by,
        )
        return [HeapNode(self, place) for place in found]

    # -- classes -------------------------------------------------------------------------------------

    @property
    def classification(self) -> Classes:
        """Which class each node is of."""
        return self._once("classification", lambda: Classes(self.graph))

    @property
    def interfaces(self) -> Sequence[Interface]:
        """The interfaces that plain objects were found to have."""
        return self.classification.interfaces

    def classes(self, filter_name: str = "", native_context_id: int | None = None) -> list[ClassRow]:
        """The table of classes, those that retain most first; nodes without size are left out.

        Args:
            filter_name: see `FILTERS`; empty: all nodes.
            native_context_id: the node id, for ``attributedToSpecificNativeContext``.

        Raises:
            InvalidInput: no such filter, or the id is missing.
            HeapObjectNotFound: no such native context.
        """
        with self._lock:
            numbers = self._class_numbers()
            rows = [
                ClassRow(numbers[key], self.classification.name(key), count, own, retained)
                for _, key, count, own, retained in self.classification.table(
                    self._kept(filter_name, native_context_id)
                )
            ]
        rows.sort(key=lambda row: -row.retained_size)
        return rows

    def class_nodes(self, class_id: int, filter_name: str = "", native_context_id: int | None = None) -> list[HeapNode]:
        """The nodes of the class with this number in the table, in file order.

        Raises:
            HeapObjectNotFound: no class has the number.
            InvalidInput, HeapObjectNotFound: as `classes`.
        """
        with self._lock:
            kept = self._kept(filter_name, native_context_id)
            key = next((key for key, number in self._class_numbers().items() if number == class_id), None)
            if key is None:
                raise HeapObjectNotFound(
                    f"No class of {self.path.name} has the number {class_id}.",
                    f"Take one from the table of classes (1 to {len(self._class_numbers())}).",
                )
            keys = self.classification.keys
            if isinstance(self.graph.numbers, CompiledNumbers):
                places = self.graph.numbers.numpy.flatnonzero((keys == key) & (kept == 1)).tolist()
            else:
                places = [place for place, one in enumerate(keys) if one == key and kept[place]]
        return [HeapNode(self, place) for place in places]

    def _class_numbers(self) -> dict[int, int]:
        """By key: the class's number, from 1 in order of appearance."""

        def numbered() -> dict[int, int]:
            rows = self.classification.table(self._filters.keep(""))
            return {row[1]: number for number, row in enumerate(rows, 1)}

        return self._once("class_numbers", numbered)

    def _kept(self, filter_name: str, native_context_id: int | None) -> Any:
        if filter_name != "attributedToSpecificNativeContext":
            return self._filters.keep(filter_name)
        if native_context_id is None:
            raise InvalidInput(f"The filter {filter_name} needs the id of a native context.", "The summary lists them.")
        return self._filters.keep(filter_name, self.node(native_context_id).place)

    # -- contexts ------------------------------------------------------------------------------------

    def native_contexts(self) -> ContextSizes:
        """The worlds of pages and frames in file order, and what belongs to each."""

        def measured() -> ContextSizes:
            graph, owners = self.graph, self._filters.owners()
            flags = self._filters.name_flags(is_native_context_name)
            contexts = self._filters.gather(flags=flags)
            sizes = dict.fromkeys([NO_CONTEXT, SHARED_CONTEXT, *contexts], 0)
            if isinstance(graph.numbers, CompiledNumbers):
                for owner in sizes:
                    sizes[owner] = int(graph.self_sizes[owners == owner].sum())
            else:
                for owner, size in zip(owners, graph.self_sizes, strict=True):
                    sizes[owner] += size
            return ContextSizes(
                tuple(
                    NativeContext(node, sizes[node], int(graph.retained_sizes[node]), int(graph.self_sizes[node]))
                    for node in contexts
                ),
                sizes[SHARED_CONTEXT],
                sizes[NO_CONTEXT],
            )

        return self._once("native_contexts", measured)

    def retained_by_contexts(self) -> RetainedByContexts:
        """What lives only because closures remember their variables."""

        def measured() -> RetainedByContexts:
            contexts = self._filters.gather(flags=self._filters.name_flags(is_context_name), least=1)
            held = self._filters.keep("objectsRetainedByContexts")
            sized = self._filters.keep("")
            if isinstance(self.graph.numbers, CompiledNumbers):
                size, count = int(self.graph.self_sizes[held == 1].sum()), int(held.sum())
                total, all_count = int(self.graph.self_sizes.sum()), int(sized.sum())
            else:
                size = sum(one for one, flag in zip(self.graph.self_sizes, held, strict=True) if flag)
                count, total, all_count = sum(held), sum(self.graph.self_sizes), sum(sized)
            return RetainedByContexts(len(contexts), size, count, total - size, all_count - count)

        return self._once("retained_by_contexts", measured)

    def analyze_contexts(self) -> ContextAnalysis:
        """Closures' variables that nothing can read any more, and what they retain.

        Raises:
            BadSnapshot: the file contradicts itself about scopes.
        """
        return self._once("contexts", lambda: analyze_contexts(self.graph, self.names, self._filters))

    # -- strings and comparison ----------------------------------------------------------------------

    def duplicate_strings(self) -> list[DuplicateString]:
        """Texts that several strings have, those that retain most first."""
        return self._once("duplicates", lambda: duplicate_strings(self.graph, self.names, self._filters))

    def compare(self, base: HeapSnapshot) -> HeapDiff:
        """What this snapshot has and an earlier one of the same page has not, and the other way round."""
        with self._lock, base._lock:
            as_here = Classes(base.graph, self.classification.interfaces, base.classification.shapes)
            return HeapDiff(base, self, Comparison(base.graph, as_here, self.graph, self.classification))

    # ------------------------------------------------------------------------------------------------

    def _exported(self, name: str) -> Any:
        return self._once(f"array {name}", lambda: self.graph.numbers.export(KINDS[name], getattr(self.graph, name)))

    def _once(self, key: str, make: Callable[[], _T]) -> _T:
        with self._lock:
            if key not in self._made:
                self._made[key] = make()
            made: _T = self._made[key]
            return made


class HeapDiff:
    """The comparison of two snapshots.

    Attributes:
        classes: the classes that changed, those that grew most first; each knows its ``index``.
        totals: the sums over all.
    """

    def __init__(self, base: HeapSnapshot, current: HeapSnapshot, comparison: Comparison) -> None:
        self._base = base
        self._current = current
        self._comparison = comparison
        self.classes: list[ClassDiff] = comparison.classes
        self.totals = comparison.totals

    def objects(self, index: int) -> tuple[list[HeapNode], list[HeapNode]]:
        """Of one class: the objects that the later snapshot has only, and those that the earlier one has only.

        Raises:
            HeapObjectNotFound: no class of the comparison has this index.
        """
        if not 0 <= index < len(self.classes):
            raise HeapObjectNotFound(
                f"No class of the comparison has the index {index}: {len(self.classes)} changed.",
                "Take one from the comparison without an index." if self.classes else "",
            )
        added, removed = self._comparison.objects(index)
        return (
            [HeapNode(self._current, place) for place in added],
            [HeapNode(self._base, place) for place in removed],
        )


def _read(size: int) -> str:
    return f"{size / 1e6:,.0f} MB read"


def _numbers_for(reader: Reader, job: Job) -> Numbers:
    """Lists for what is small, compiled kernels for all else; reads on to learn how large the file is."""
    if jit.is_loaded():
        return CompiledNumbers()
    if reader.read_up_to(SMALL_BYTES):
        return PlainNumbers()
    reason = "which are not installed"
    if jit.available():
        job.step("loading numpy and numba", reader.part_done)
        try:
            return CompiledNumbers()
        except ExtraMissing as error:
            reason = f"and these are broken ({error.__cause__})"
    if reader.read_up_to(PLAIN_BYTES):
        return PlainNumbers()
    raise ExtraMissing(
        f"This heap snapshot is larger than {PLAIN_BYTES / 1e6:.0f} MB: such need numpy and numba, {reason}.",
        "Install them with: pip install 'pagelens[heap]'",
    )
