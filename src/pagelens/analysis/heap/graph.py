"""What a snapshot means: sizes, distances and dominators, worked out once when it is loaded.

The rules are those of Chrome DevTools; where they surprise, a comment says what they are for.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

from pagelens.analysis.heap.kernels import SKIPPED, UNREACHED
from pagelens.analysis.heap.layout import Layout
from pagelens.analysis.heap.numbers import Kind, Numbers
from pagelens.analysis.heap.parse import Locations, Parsed
from pagelens.analysis.progress import Job
from pagelens.errors import BadSnapshot

__all__ = ["Graph", "build"]

#: The name of an edge that is half of a WeakMap entry. Key and table each have one, alike but for the number in front.
_PAIR = re.compile(
    r"\d+( / part of key \(.*? @\d+\) -> value \(.*? @\d+\) pair in WeakMap \(table @(\d+)\))", re.DOTALL
)
_INTEGER = re.compile(r"\s*([+-]?\d+)")

DOCUMENT_TREES = "(Document DOM trees)"
_DETACHED = "Detached "

#: The fields of a `Graph` that are arrays, and what they hold.
KINDS: dict[str, Kind] = {
    "node_types": "u1",
    "node_names": "u4",
    "ids": "i8",
    "self_sizes": "i8",
    "detachedness": "u1",
    "first_edge": "u4",
    "edge_types": "u1",
    "edge_names": "u4",
    "targets": "u4",
    "distances": "i4",
    "dominator": "u4",
    "retained_sizes": "i8",
}


@dataclass(slots=True)
class Graph:
    """A snapshot's nodes and edges with all that was worked out about them, arrays in file order.

    ``detachedness`` is 0 unknown, 1 attached, 2 detached. ``distances`` are -5 for what nothing reaches.
    ``names`` are the file's strings and the names of detached nodes after them.
    """

    layout: Layout
    numbers: Numbers
    node_types: Any
    node_names: Any
    ids: Any
    self_sizes: Any
    detachedness: Any
    first_edge: Any
    edge_types: Any
    edge_names: Any
    targets: Any
    distances: Any
    dominator: Any
    retained_sizes: Any
    names: list[str]
    locations: Locations | None
    scopes: list[int]
    scope_variables: list[int]
    scope_uses: list[int]
    #: How many nodes nothing holds, except the root for want of anything better.
    unreachable: int = 0
    _places: dict[str, int] = field(default_factory=dict)

    @property
    def node_count(self) -> int:
        """How many nodes there are."""
        return len(self.node_types)

    @property
    def root(self) -> int:
        """The root's number."""
        return self.layout.root

    @property
    def kernels(self) -> Any:
        """The loops, as this snapshot runs them."""
        return self.numbers.kernels

    @property
    def edges(self) -> tuple[Any, Any, Any, Any]:
        """What most kernels begin with."""
        return self.first_edge, self.targets, self.edge_types, self.edge_names

    def place_of(self, name: str) -> int:
        """The number of a name, -1 when the snapshot has no such name."""
        place = self._places.get(name)
        if place is None:
            place = self._places[name] = _place(self.names, name)
        return place

    def memory(self) -> int:
        """Bytes that the arrays and names take, about."""
        arrays = sum(self.numbers.size_of(kind, getattr(self, name)) for name, kind in KINDS.items())
        located = 0 if self.locations is None else 28 * len(self.locations.objects)
        return arrays + located + sum(map(len, self.names)) + 60 * len(self.names)


def build(parsed: Parsed, job: Job) -> Graph:
    """Work out everything that the whole graph is needed for.

    Raises:
        BadSnapshot: an edge's name is no string of the file.
        AnalysisCancelled: the caller gave up.
    """
    return _Builder(parsed, job).build()


class _Builder:
    def __init__(self, parsed: Parsed, job: Job) -> None:
        self._parsed = parsed
        self._layout = parsed.layout
        self._numbers = parsed.numbers
        self._kernels = parsed.numbers.kernels
        self._names = parsed.strings
        self._job = job
        self._count = len(parsed.node_types)
        self._pair_of_string: Any = parsed.numbers.zeros("u4", 0)
        self._pairs = 0

    def build(self) -> Graph:
        parsed, numbers, layout = self._parsed, self._numbers, self._layout
        edges = (parsed.first_edge, parsed.targets, parsed.edge_types)
        root_edges = self._root_edges()
        documents = [
            edge
            for edge in root_edges
            if self._is_synthetic(parsed.targets[edge]) and self._name(parsed.targets[edge]) == DOCUMENT_TREES
        ]
        user_roots = sorted(
            {edge for edge in root_edges if not self._is_synthetic(parsed.targets[edge])} | set(documents)
        )
        self._job.step("finding what counts", 0.62)
        flags = self._flags(root_edges, documents)
        detachedness = self._detachedness()
        if user_roots:
            self._kernels.own_shallow_sizes(
                *edges,
                parsed.node_types,
                parsed.node_names,
                parsed.self_sizes,
                layout.root,
                layout.edge["weak"],
                layout.node["hidden"],
                layout.node["array"],
                layout.node["native"],
                _place(self._names, "system / ExternalStringData"),
                layout.node["synthetic"],
            )
        self._job.step("distances", 0.7)
        self._skip_edges(flags)
        distances = numbers.full("i4", self._count, UNREACHED)
        self._kernels.find_distances(
            parsed.first_edge,
            parsed.targets,
            parsed.edge_names,
            flags,
            self._pair_of_string,
            self._pairs,
            numbers.of("u4", (int(parsed.targets[edge]) for edge in user_roots)),
            layout.root,
            distances,
        )
        self._job.step("dominators", 0.75)
        dominator = numbers.zeros("u4", self._count)
        retained = numbers.zeros("i8", self._count)
        unreachable = self._kernels.dominators(
            parsed.first_edge, parsed.targets, flags, layout.root, parsed.self_sizes, dominator, retained
        )
        self._job.step("loaded", 1.0)
        return Graph(
            layout=layout,
            numbers=numbers,
            node_types=parsed.node_types,
            node_names=parsed.node_names,
            ids=parsed.ids,
            self_sizes=parsed.self_sizes,
            detachedness=detachedness,
            first_edge=parsed.first_edge,
            edge_types=parsed.edge_types,
            edge_names=parsed.edge_names,
            targets=parsed.targets,
            distances=distances,
            dominator=dominator,
            retained_sizes=retained,
            names=self._names,
            locations=parsed.locations,
            scopes=parsed.scopes,
            scope_variables=parsed.scope_variables,
            scope_uses=parsed.scope_uses,
            unreachable=int(unreachable),
        )

    # -- small questions -----------------------------------------------------------------------------

    def _root_edges(self) -> range:
        first, root = self._parsed.first_edge, self._layout.root
        return range(int(first[root]), int(first[root + 1]))

    def _is_synthetic(self, node: int) -> bool:
        return bool(self._parsed.node_types[node] == self._layout.node["synthetic"])

    def _name(self, node: int) -> str:
        return self._names[int(self._parsed.node_names[node])]

    def _named(self, kind: str, name: str) -> list[int]:
        """The nodes of a type and name."""
        place = _place(self._names, name)
        if place < 0 or self._layout.node[kind] < 0:
            return []
        parsed, numbers = self._parsed, self._numbers
        wanted = numbers.zeros("u1", len(self._names))
        wanted[place] = 1
        found = numbers.zeros("u4", self._count)
        count = self._kernels.gather_nodes(
            parsed.node_types, parsed.node_names, self._layout.node[kind], wanted, parsed.self_sizes, 0, found
        )
        return list(numbers.prefix(found, count))

    # -- steps ---------------------------------------------------------------------------------------

    def _flags(self, root_edges: range, documents: list[int]) -> Any:
        parsed, numbers, layout = self._parsed, self._numbers, self._layout
        # The page's own objects are kept apart from the engine's: edges from these to those don't count.
        shortcut, element = layout.edge["shortcut"], layout.edge["element"]
        seeds = [
            int(parsed.targets[edge])
            for edge in root_edges
            if parsed.edge_types[edge] == shortcut or (parsed.edge_types[edge] == element and edge in documents)
        ]
        tables = self._weak_map_entries()
        flags = numbers.zeros("u1", len(parsed.edge_types))
        bad = self._kernels.edge_flags(
            parsed.first_edge,
            parsed.targets,
            parsed.edge_types,
            parsed.edge_names,
            parsed.ids,
            numbers.of("u4", seeds),
            self._pair_of_string,
            tables,
            len(self._names),
            layout.root,
            layout.edge["weak"],
            shortcut,
            layout.edge["internal"],
            element,
            layout.edge["hidden"],
            flags,
        )
        if bad >= 0:
            raise BadSnapshot(
                f"This heap snapshot is damaged: the name of edge {bad:,} is string {int(parsed.edge_names[bad]):,}, "
                f"and there are {len(self._names):,}."
            )
        return flags

    def _weak_map_entries(self) -> Any:
        """Number the WeakMap entries that edge names speak of; returns the tables' ids by name."""
        entries: dict[str, int] = {}
        found: list[tuple[int, int, int]] = []
        for place, name in enumerate(self._names):
            if " pair in WeakMap (table @" in name:
                match = _PAIR.fullmatch(name)
                if match is not None and len(match[2]) < 16:
                    found.append((place, entries.setdefault(match[1], len(entries) + 1), int(match[2])))
        if not found:
            return self._numbers.zeros("i8", 0)
        self._pairs = len(entries)
        self._pair_of_string = self._numbers.zeros("u4", len(self._names))
        tables = self._numbers.zeros("i8", len(self._names))
        for place, entry, table in found:
            self._pair_of_string[place] = entry
            tables[place] = table
        return tables

    def _detachedness(self) -> Any:
        """The state of DOM nodes; detached ones get a name that says so."""
        parsed, numbers, layout = self._parsed, self._numbers, self._layout
        native = layout.node["native"]
        if parsed.detachedness is None:
            # Older files say it in the name only.
            state = numbers.zeros("u1", self._count)
            wanted = numbers.of("u1", (name.startswith(_DETACHED) for name in self._names))
            for node in self._gathered(native, wanted):
                state[node] = 2
            return state
        state = parsed.detachedness
        self._kernels.spread_detachedness(
            parsed.first_edge,
            parsed.targets,
            parsed.edge_types,
            parsed.node_types,
            state,
            native,
            layout.edge["hidden"],
            layout.edge["weak"],
        )
        renamed: dict[int, int] = {}
        for node in self._gathered_by_state(state):
            name = int(parsed.node_names[node])
            if name not in renamed:
                renamed[name] = len(self._names)
                self._names.append(_DETACHED + self._names[name])
            parsed.node_names[node] = renamed[name]
            state[node] = 2
        return state

    def _gathered(self, kind: int, wanted: Any) -> list[int]:
        if kind < 0:
            return []
        parsed, numbers = self._parsed, self._numbers
        found = numbers.zeros("u4", self._count)
        count = self._kernels.gather_nodes(
            parsed.node_types, parsed.node_names, kind, wanted, parsed.self_sizes, 0, found
        )
        return list(numbers.prefix(found, count))

    def _gathered_by_state(self, state: Any) -> list[int]:
        """The nodes that `spread_detachedness` marked: their state is 6. Asked as nodes of "type" 6."""
        parsed, numbers = self._parsed, self._numbers
        found = numbers.zeros("u4", self._count)
        count = self._kernels.gather_nodes(
            state, parsed.node_names, 6, numbers.zeros("u1", 0), parsed.self_sizes, 0, found
        )
        return list(numbers.prefix(found, count))

    def _skip_edges(self, flags: Any) -> None:
        """Mark two kinds of edges that make far things look near: distances don't follow them."""
        parsed = self._parsed
        sloppy = _place(self._names, "sloppy_function_map")
        for node in self._named("hidden", "system / NativeContext"):
            for edge in range(int(parsed.first_edge[node]), int(parsed.first_edge[node + 1])):
                if parsed.edge_names[edge] == sloppy and not self._is_numbered(edge):
                    flags[edge] |= SKIPPED
        for node in self._named("array", "(map descriptors)"):
            for edge in range(int(parsed.first_edge[node]), int(parsed.first_edge[node + 1])):
                index = self._index(edge)
                if index is None or (index >= 2 and index % 3 == 1):
                    flags[edge] |= SKIPPED

    def _is_numbered(self, edge: int) -> bool:
        kind = self._parsed.edge_types[edge]
        return bool(kind == self._layout.edge["element"] or kind == self._layout.edge["hidden"])

    def _index(self, edge: int) -> int | None:
        value = int(self._parsed.edge_names[edge])
        if self._is_numbered(edge):
            return value
        match = _INTEGER.match(self._names[value])
        return None if match is None else int(match[1])


def _place(names: list[str], name: str) -> int:
    try:
        return names.index(name)
    except ValueError:
        return -1
