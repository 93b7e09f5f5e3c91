"""What one snapshot has and another has not, class by class."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from pagelens.analysis.heap.classes import Classes, ClassKey
from pagelens.analysis.heap.graph import Graph
from pagelens.analysis.heap.numbers import CompiledNumbers, Numbers

__all__ = ["ClassDiff", "Comparison"]


@dataclass(frozen=True, slots=True)
class ClassDiff:
    """How one class changed: objects (by id) that only the later or only the earlier snapshot has.

    Attributes:
        index: its place in the comparison.
    """

    index: int
    name: str
    added_count: int
    added_size: int
    removed_count: int
    removed_size: int

    @property
    def count_delta(self) -> int:
        """How many objects more."""
        return self.added_count - self.removed_count

    @property
    def size_delta(self) -> int:
        """How many bytes more."""
        return self.added_size - self.removed_size


class Comparison:
    """An earlier and a later snapshot of one page.

    Attributes:
        classes: the classes that changed, those that grew most first.
    """

    def __init__(self, base: Graph, base_classes: Classes, current: Graph, current_classes: Classes) -> None:
        self._base = base
        self._current = current
        keys: dict[ClassKey, int] = {}
        # The order decides between classes that grew alike: those of the base come first, as they appear in it.
        self._base_keys = _joint(base, base_classes, keys)
        self._current_keys = _joint(current, current_classes, keys)
        # One may have been small enough for lists, and the other not.
        numbers = base.numbers if base.numbers.compiled else current.numbers
        self._removed = numbers.zeros("u1", base.node_count)
        self._added = numbers.zeros("u1", current.node_count)
        rows = numbers.zeros("i8", 4 * len(keys))
        numbers.kernels.match_objects(
            *_sides(numbers, base, self._base_keys),
            *_sides(numbers, current, self._current_keys),
            self._removed,
            self._added,
            rows,
        )
        flat = numbers.prefix(rows, len(rows))
        changed: list[tuple[int, ClassDiff]] = []
        for (name, *_), key in keys.items():
            added, added_size, removed, removed_size = flat[4 * key : 4 * key + 4]
            if added or removed:
                changed.append((key, ClassDiff(0, name, added, added_size, removed, removed_size)))
        changed.sort(key=lambda row: -row[1].size_delta)
        self._keys = [key for key, _ in changed]
        self.classes = [replace(diff, index=index) for index, (_, diff) in enumerate(changed)]

    @property
    def totals(self) -> ClassDiff:
        """The sums over all classes."""
        return ClassDiff(
            -1,
            "",
            sum(diff.added_count for diff in self.classes),
            sum(diff.added_size for diff in self.classes),
            sum(diff.removed_count for diff in self.classes),
            sum(diff.removed_size for diff in self.classes),
        )

    def objects(self, index: int) -> tuple[list[int], list[int]]:
        """Of the class at a place: the nodes that were added (of the later snapshot) and removed (of the earlier)."""
        key = self._keys[index]
        return (
            _by_id(self._current, self._added, self._current_keys, key),
            _by_id(self._base, self._removed, self._base_keys, key),
        )


def _sides(numbers: Numbers, graph: Graph, keys: Any) -> tuple[Any, Any, Any, Any]:
    """Order by id, ids, keys and sizes of one snapshot, in the arrays of ``numbers``."""
    order = graph.numbers.sorted_places(graph.ids)
    if graph.numbers.compiled == numbers.compiled:
        return order, graph.ids, keys, graph.self_sizes
    return (
        numbers.of("i8", order),
        numbers.of("i8", graph.ids),
        numbers.of("u4", keys),
        numbers.of("i8", graph.self_sizes),
    )


def _joint(graph: Graph, classes: Classes, keys: dict[ClassKey, int]) -> Any:
    """Each node's class as a number that both snapshots share."""
    numbers = graph.numbers
    sized = graph.self_sizes
    included = (sized > 0).astype("u1") if numbers.compiled else [1 if size else 0 for size in sized]
    for row in classes.table(included):
        keys.setdefault(classes.key(row[1]), len(keys))
    # A key of nodes without size only is never compared: any number will do.
    shared = [keys.get(classes.key(key), 0) for key in range(classes.count)]
    if isinstance(numbers, CompiledNumbers):
        return numbers.of("u4", shared)[classes.keys]
    return [shared[key] for key in classes.keys]


def _by_id(graph: Graph, marked: Any, keys: Any, key: int) -> list[int]:
    if isinstance(graph.numbers, CompiledNumbers):
        nodes: Sequence[int] = graph.numbers.numpy.flatnonzero((marked == 1) & (keys == key)).tolist()
    else:
        nodes = [node for node, mark in enumerate(marked) if mark and keys[node] == key]
    return sorted(nodes, key=lambda node: int(graph.ids[node]))
