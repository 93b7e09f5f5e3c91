"""One node or one edge of a snapshot, as an object; made when asked for, the numbers stay in their arrays."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Literal

from pagelens.analysis.heap.retaining import PathLimits, PathNode

if TYPE_CHECKING:
    from pagelens.analysis.heap.snapshot import HeapSnapshot

__all__ = ["HeapEdge", "HeapNode", "PathStep"]

_PRIMITIVES = ("undefined", "null", "true", "false")
_DOM_STATES: tuple[Literal["unknown", "attached", "detached"], ...] = ("unknown", "attached", "detached", "unknown")


class HeapNode:
    """An object of the heap, or something of the engine's.

    Attributes:
        place: its number in the snapshot's arrays.
    """

    __slots__ = ("_snapshot", "place")

    def __init__(self, snapshot: HeapSnapshot, place: int) -> None:
        self._snapshot = snapshot
        self.place = place

    def __repr__(self) -> str:
        return f"<HeapNode @{self.id} {self.type} {self.name[:80]!r}>"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, HeapNode) and other.place == self.place and other._snapshot is self._snapshot

    def __hash__(self) -> int:
        return hash((id(self._snapshot), self.place))

    @property
    def id(self) -> int:
        """The same in later snapshots of the page, as long as the object lives."""
        return int(self._snapshot.graph.ids[self.place])

    @property
    def type(self) -> str:
        """V8's kind of node: ``object``, ``closure``, ``string``, ``native``…"""
        graph = self._snapshot.graph
        return graph.layout.node_types[int(graph.node_types[self.place])]

    @property
    def name(self) -> str:
        """Its constructor's or function's name, a string's text, a plain object's properties."""
        return self._snapshot.names.node(self.place)

    @property
    def raw_name(self) -> str:
        """The name as the file has it."""
        return self._snapshot.names.raw(self.place)

    @property
    def class_name(self) -> str:
        """What it counts as in the table of classes."""
        return self._snapshot.classification.class_name(self.place)

    @property
    def self_size(self) -> int:
        """Its own bytes."""
        return int(self._snapshot.graph.self_sizes[self.place])

    @property
    def retained_size(self) -> int:
        """The bytes that would be freed with it."""
        return int(self._snapshot.graph.retained_sizes[self.place])

    @property
    def distance(self) -> int:
        """Edges from the page's roots; over 100,000,000 for what only the engine reaches, -5 for what nothing does."""
        return int(self._snapshot.graph.distances[self.place])

    @property
    def dom_state(self) -> Literal["unknown", "attached", "detached"]:
        """Whether a DOM node, or what belongs to one, is in a document."""
        return _DOM_STATES[self.detachedness]

    @property
    def detachedness(self) -> int:
        """The same as the file's number: 0 unknown, 1 attached, 2 detached."""
        return int(self._snapshot.graph.detachedness[self.place])

    @property
    def is_primitive(self) -> bool:
        """Whether it is a number, true, false, null or undefined."""
        return self.type == "number" or (self.type == "native" and self.raw_name in _PRIMITIVES)

    @property
    def edge_count(self) -> int:
        """How many edges lead away."""
        first = self._snapshot.graph.first_edge
        return int(first[self.place + 1]) - int(first[self.place])

    @property
    def retainer_count(self) -> int:
        """How many edges lead here, all kinds counted."""
        return len(self._snapshot.retaining.edges(self.place))

    @property
    def edges(self) -> Iterator[HeapEdge]:
        """The edges that lead away, in file order."""
        first = self._snapshot.graph.first_edge
        for place in range(int(first[self.place]), int(first[self.place + 1])):
            yield HeapEdge(self._snapshot, place)

    def sorted_edges(
        self,
        sort_by: Literal["retainedSize", "selfSize", "name"] = "retainedSize",
        *,
        min_retained_size: int | None = None,
        max_retained_size: int | None = None,
        exclude_primitives: bool = False,
    ) -> list[HeapEdge]:
        """The edges that lead away to what is worth looking at, the largest or the first by name first."""
        edges = [
            edge
            for edge in self.edges
            if (min_retained_size is None or edge.target.retained_size >= min_retained_size)
            and (max_retained_size is None or edge.target.retained_size <= max_retained_size)
            and not (exclude_primitives and edge.target.is_primitive)
        ]
        if sort_by == "selfSize":
            edges.sort(key=lambda edge: (-edge.target.self_size, edge._rank))
        elif sort_by == "name":
            edges.sort(key=lambda edge: (edge._rank, -edge.target.retained_size))
        else:
            edges.sort(key=lambda edge: (-edge.target.retained_size, edge._rank))
        return edges

    @property
    def retainers(self) -> list[HeapEdge]:
        """The edges that keep it alive: weak ones and those of the root left out."""
        return [HeapEdge(self._snapshot, place) for place in self._snapshot.retaining.holding(self.place)]

    @property
    def distance_as_retainer(self) -> int:
        """The distance as lists of retainers give it: 200,000,000 for what nothing reaches."""
        return self._snapshot.retaining.distance(self.place)

    @property
    def dominators(self) -> list[HeapNode]:
        """It, what dominates it, and so on up to the root."""
        return [HeapNode(self._snapshot, place) for place in self._snapshot.retaining.dominators(self.place)]

    @property
    def shortest_path(self) -> list[HeapEdge]:
        """One shortest chain of edges that ends here, from the page's roots on; of any length."""
        return [HeapEdge(self._snapshot, place) for place in self._snapshot.retaining.shortest(self.place)]

    def retaining_paths(
        self, *, max_depth: int = 30, max_nodes: int = 5000, max_siblings: int = 100
    ) -> tuple[list[PathStep], PathLimits]:
        """All paths from the page's roots, within limits; and which limits cut some off."""
        found = self._snapshot.retaining.paths(self.place, max_depth, max_nodes, max_siblings)
        return [PathStep(self._snapshot, step) for step in found.paths], found.limits


class HeapEdge:
    """A reference: from ``source`` to ``target``.

    Attributes:
        place: its number in the snapshot's edges.
    """

    __slots__ = ("_snapshot", "place")

    def __init__(self, snapshot: HeapSnapshot, place: int) -> None:
        self._snapshot = snapshot
        self.place = place

    def __repr__(self) -> str:
        return f"<HeapEdge {self.type} {self.name[:80]!r} to @{self.target.id}>"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, HeapEdge) and other.place == self.place and other._snapshot is self._snapshot

    def __hash__(self) -> int:
        return hash((id(self._snapshot), ~self.place))

    @property
    def name(self) -> str:
        """A property's or variable's name, an element's index."""
        return self._snapshot.names.edge(self.place)

    @property
    def _rank(self) -> tuple[bool, bool, str]:
        """Where it stands among others by name: names before numbers, the prototype last, as DevTools has it."""
        return self.name == "__proto__", self._snapshot.names.is_number(self.place), self.name

    @property
    def type(self) -> str:
        """``property``, ``element``, ``context`` (a variable), ``internal``, ``hidden``, ``shortcut`` or ``weak``."""
        graph = self._snapshot.graph
        return graph.layout.edge_types[int(graph.edge_types[self.place])]

    @property
    def source(self) -> HeapNode:
        """Where it comes from."""
        return HeapNode(self._snapshot, self._snapshot.retaining.source(self.place))

    @property
    def target(self) -> HeapNode:
        """Where it leads."""
        return HeapNode(self._snapshot, int(self._snapshot.graph.targets[self.place]))


class PathStep:
    """One retainer on a path: ``edge`` leads from ``node`` towards the object; ``above`` are what holds ``node``."""

    __slots__ = ("_snapshot", "_step")

    def __init__(self, snapshot: HeapSnapshot, step: PathNode) -> None:
        self._snapshot = snapshot
        self._step = step

    @property
    def node(self) -> HeapNode:
        """The retainer."""
        return HeapNode(self._snapshot, self._step.node)

    @property
    def edge(self) -> HeapEdge:
        """The reference."""
        return HeapEdge(self._snapshot, self._step.edge)

    @property
    def distance(self) -> int:
        """The retainer's distance from the roots."""
        return self._step.distance

    @property
    def above(self) -> list[PathStep]:
        """The retainer's retainers through which a root is found; none for a root."""
        return [PathStep(self._snapshot, step) for step in self._step.above]
