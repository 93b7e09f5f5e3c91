"""Classes: what each object is called in the table of a heap, and how much each kind holds.

Plain objects have no class, so they get an interface: the properties of which many of them have all, ``{id, name}``.
Objects of one class that were made at different places in the code are told apart.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from pagelens.analysis.heap.graph import Graph
from pagelens.analysis.heap.names import property_text, utf16_length
from pagelens.analysis.heap.numbers import CompiledNumbers

__all__ = ["ClassKey", "ClassRow", "Classes", "Interface", "Shapes"]

_OF_TYPE = {
    "hidden": "(system)",
    "code": "(compiled code)",
    "closure": "Function",
    "regexp": "RegExp",
}
#: The most UTF-16 units of an interface's name.
_LONGEST_NAME = 120

#: Names an interface, with its properties.
Interface = tuple[str, tuple[str, ...]]
#: A class across snapshots: its name, and script, line and column where its objects were made (None: no one place).
ClassKey = tuple[str, int | None, int | None, int | None]


@dataclass(frozen=True, slots=True)
class ClassRow:
    """One class in the table.

    Attributes:
        id: the class's number in this snapshot: order of appearance, from 1, the same whatever the filter.
        name: e.g. ``Array``, ``{id, name}``, ``Detached <div>``.
        count: how many objects of some size.
        self_size: their own bytes.
        retained_size: what would be freed with all of them.
    """

    id: int
    name: str
    count: int
    self_size: int
    retained_size: int


class Classes:
    """The classes of one snapshot.

    Args:
        interfaces: of another snapshot, to be compared with it; worked out from this one when None.
        shapes: what another `Classes` of the same snapshot knows already.
    """

    def __init__(
        self, graph: Graph, interfaces: Sequence[Interface] | None = None, shapes: Shapes | None = None
    ) -> None:
        self._graph = graph
        self.shapes = shapes or Shapes(graph)
        self.interfaces = self.shapes.interfaces() if interfaces is None else list(interfaces)
        self._names: list[str] = []
        self._numbers: dict[str, int] = {}
        self._of_node = self._classify()
        #: The key of each node: a class's number, or one after these for a class at a place.
        self.keys, self._located = self._locate()

    @property
    def count(self) -> int:
        """How many keys there are; not all need have objects of some size."""
        return len(self._names) + len(self._located)

    def name(self, key: int) -> str:
        """The class's name."""
        return self.key(key)[0]

    def class_name(self, node: int) -> str:
        """The name of a node's class."""
        return self._names[int(self._of_node[node])]

    def key(self, key: int) -> ClassKey:
        """A key that means the same in every snapshot of a page."""
        if key < len(self._names):
            return self._names[key], None, None, None
        return self._located[key - len(self._names)]

    def table(self, included: Any) -> list[tuple[int, int, int, int, int]]:
        """(first node, key, count, self size, retained size) of all classes that have included nodes."""
        graph, numbers = self._graph, self._graph.numbers
        rows = numbers.zeros("i8", self.count * 3)
        first = numbers.zeros("u4", self.count)
        graph.kernels.class_table(
            self.keys,
            graph.self_sizes,
            graph.retained_sizes,
            graph.dominator,
            graph.root,
            included,
            rows,
            first,
        )
        flat, first_nodes = numbers.prefix(rows, len(rows)), numbers.prefix(first, len(first))
        return sorted(
            (first_nodes[key], key, flat[3 * key], flat[3 * key + 1], flat[3 * key + 2])
            for key in range(self.count)
            if flat[3 * key]
        )

    # -- which class ---------------------------------------------------------------------------------

    def _number(self, name: str) -> int:
        number = self._numbers.get(name)
        if number is None:
            number = self._numbers[name] = len(self._names)
            self._names.append(name)
        return number

    def _classify(self) -> Any:
        graph, numbers = self._graph, self._graph.numbers
        object_type, native = graph.layout.node["object"], graph.layout.node["native"]
        of_type = numbers.of("u4", [self._number(_OF_TYPE.get(name, f"({name})")) for name in graph.layout.node_types])
        used = numbers.zeros("u1", len(graph.names))
        graph.kernels.mark_names(graph.node_types, graph.node_names, object_type, native, used)
        of_string = numbers.zeros("u4", len(graph.names))
        for place in _set_places(used, numbers):
            of_string[place] = self._number(_without_attributes(graph.names[place]))
        of_shape = [self._number(name) for name in self.shapes.best(self.interfaces)]
        classes = numbers.zeros("u4", graph.node_count)
        graph.kernels.name_classes(
            graph.node_types,
            graph.node_names,
            of_type,
            of_string,
            object_type,
            native,
            self.shapes.of_node,
            numbers.of("u4", of_shape),
            classes,
        )
        return classes

    def _locate(self) -> tuple[Any, list[ClassKey]]:
        graph, numbers, locations = self._graph, self._graph.numbers, self._graph.locations
        if locations is None or not len(locations.objects):
            return self._of_node, []
        keys = numbers.of("u4", self._of_node) if not numbers.compiled else self._of_node.copy()
        examples = numbers.zeros("u4", len(locations.objects))
        found = graph.kernels.locate_classes(
            locations.objects,
            locations.scripts,
            locations.lines,
            locations.columns,
            graph.node_types,
            graph.layout.node["object"],
            self._of_node,
            len(self._names),
            keys,
            examples,
        )
        located: list[ClassKey] = [
            (
                self._names[self._of_node[locations.objects[row]]],
                int(locations.scripts[row]),
                int(locations.lines[row]),
                int(locations.columns[row]),
            )
            for row in numbers.prefix(examples, found)
        ]
        return keys, located


class Shapes:
    """Plain objects by the sequence of their property names."""

    def __init__(self, graph: Graph) -> None:
        numbers = graph.numbers
        plain, kind = graph.place_of("Object"), graph.layout.node["object"]
        self._counts: Sequence[int] = []
        self._properties: list[list[str]] = []
        #: By shape: a node that has it.
        self.examples: Sequence[int] = []
        #: By node: its shape, `NONE` when it is no plain object; empty when there are none.
        self.of_node: Any = numbers.zeros("u4", 0)
        if plain < 0 or kind < 0:
            return
        self.of_node = numbers.zeros("u4", graph.node_count)
        examples = numbers.zeros("u4", graph.node_count)
        counts = numbers.zeros("u4", graph.node_count)
        found = graph.kernels.plain_shapes(
            graph.first_edge,
            graph.edge_types,
            graph.edge_names,
            graph.node_types,
            graph.node_names,
            kind,
            plain,
            graph.layout.edge["property"],
            self.of_node,
            examples,
            counts,
        )
        self._counts = numbers.prefix(counts, found)
        is_property = graph.layout.edge["property"]
        self.examples = numbers.prefix(examples, found)
        for node in self.examples:
            edges = range(int(graph.first_edge[node]), int(graph.first_edge[node + 1]))
            self._properties.append(
                [graph.names[graph.edge_names[edge]] for edge in edges if graph.edge_types[edge] == is_property]
            )

    def interfaces(self) -> list[Interface]:
        """The lists of properties that enough objects have, the most frequent first."""
        found: dict[str, list[Any]] = {}
        for properties, count in zip(self._properties, self._counts, strict=True):
            name, taken = _interface(properties)
            if taken:
                found.setdefault(name, [taken, 0])[1] += count
        least = max(2, sum(self._counts) / 1000)
        kept = [(name, taken, count) for name, (taken, count) in found.items() if count >= least]
        kept.sort(key=lambda interface: -interface[2])
        return [(name, tuple(taken)) for name, taken, _ in kept]

    def best(self, interfaces: Sequence[Interface]) -> list[str]:
        """For each shape the name of the interface whose properties it all has: the largest, then the first."""
        # Each interface is looked for where its least property is met: few are tried for any one shape.
        by_property: dict[str, list[tuple[int, int, frozenset[str]]]] = {}
        for place, (_, properties) in enumerate(interfaces):
            by_property.setdefault(min(properties), []).append((-len(properties), place, frozenset(properties)))
        best: list[str] = []
        for names in self._properties:
            have = set(names)
            found = [
                (size, place) for name in have for size, place, wanted in by_property.get(name, ()) if wanted <= have
            ]
            best.append(interfaces[min(found)[1]][0] if found else "Object")
        return best


def _interface(properties: list[str]) -> tuple[str, list[str]]:
    name = "{"
    length = 1
    taken: list[str] = []
    for property_name in properties:
        if property_name == "__proto__":
            continue
        text = property_text(property_name)
        if length > 1 and length + utf16_length(text) > _LONGEST_NAME:
            break
        if length > 1:
            name += ", "
            length += 2
        name += text
        length += utf16_length(text)
        taken.append(property_name)
    return name + "}", taken


def _without_attributes(name: str) -> str:
    """``<div class="a">`` and ``Detached <div id="b">`` are all of one class."""
    begin = 0 if name.startswith("<") else 10 if name.startswith("Detached <") else -1
    space = name.find(" ", begin) if begin >= 0 else -1
    return name if space < 0 else name[:space] + ">"


def _set_places(flags: Any, numbers: Any) -> Any:
    if isinstance(numbers, CompiledNumbers):
        return numbers.numpy.flatnonzero(flags).tolist()
    return [place for place, flag in enumerate(flags) if flag]
