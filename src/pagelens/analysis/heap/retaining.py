"""What keeps an object alive: retainers, the dominators above it, and the paths from the roots down to it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from pagelens.analysis.heap.graph import Graph
from pagelens.analysis.heap.kernels import UNREACHED

__all__ = ["PathLimits", "PathNode", "Retainers", "RetainingPaths"]

#: What the retainers' view gives as the distance of what nothing reaches.
UNREACHABLE = 200_000_000
#: At this distance the page's own objects begin: window objects and the like.
_ROOT_DISTANCE = 2
#: The deepest search for paths. Longer ones are for `Retainers.shortest`.
_DEEPEST = 250


@dataclass(frozen=True, slots=True)
class PathNode:
    """One retainer on the way to the roots: ``edge`` leads from ``node`` to the one before; ``above`` hold ``node``."""

    node: int
    edge: int
    distance: int
    above: tuple[PathNode, ...]


@dataclass(slots=True)
class PathLimits:
    """Which limits cut paths off."""

    depth: bool = False
    nodes: bool = False
    siblings: bool = False


@dataclass(frozen=True, slots=True)
class RetainingPaths:
    """Paths to a node, as trees that begin at its retainers; each leaf is a root of the page's."""

    paths: tuple[PathNode, ...]
    limits: PathLimits


class Retainers:
    """The edges of one snapshot backwards. The index of all is made at the first question."""

    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self._first: Any = None
        self._edges: Any = None
        self._weak = graph.layout.edge["weak"]

    def edges(self, node: int) -> Sequence[int]:
        """All edges that lead to a node, the last of the file first."""
        first, edges = self._index()
        begin, end = int(first[node]), int(first[node + 1])
        return self._graph.numbers.prefix(edges[begin:end], end - begin)

    def nearest(self, node: int, most: int) -> tuple[list[tuple[int, int, int]], int]:
        """(distance, edge, source) of the nearest retainers, and the greatest distance of any; see the kernel."""
        graph, numbers = self._graph, self._graph.numbers
        first, edges = self._index()
        most = min(most, int(first[node + 1]) - int(first[node]))
        if not most:
            return [], 0
        best, sources = numbers.zeros("u4", most), numbers.zeros("u4", most)
        found, farthest = graph.kernels.nearest_retainers(
            first,
            edges,
            graph.first_edge,
            graph.edge_types,
            graph.distances,
            node,
            self._weak,
            most,
            best,
            sources,
        )
        return [
            (int(graph.distances[source]), edge, source)
            for edge, source in zip(numbers.prefix(best, found), numbers.prefix(sources, found), strict=True)
        ], farthest

    def _index(self) -> tuple[Any, Any]:
        if self._first is None:
            graph, numbers = self._graph, self._graph.numbers
            first = numbers.zeros("u4", graph.node_count + 1)
            edges = numbers.zeros("u4", len(graph.targets))
            graph.kernels.retainer_index(graph.first_edge, graph.targets, first, edges)
            self._edges, self._first = edges, first
        return self._first, self._edges

    def holding(self, node: int) -> list[int]:
        """The edges that people care for: not weak ones, and not those of the root."""
        return [
            edge
            for edge in self.edges(node)
            if self._graph.edge_types[edge] != self._weak and self.source(edge) != self._graph.root
        ]

    def source(self, edge: int) -> int:
        """The node that an edge comes from."""
        first = self._graph.first_edge
        if self._graph.numbers.compiled:
            return int(first.searchsorted(edge, "right")) - 1
        low, high = 0, len(first) - 1
        while low < high:
            middle = (low + high) // 2
            if first[middle + 1] <= edge:
                low = middle + 1
            else:
                high = middle
        return low

    def distance(self, node: int) -> int:
        """The distance as the retainers' view gives it: far away when nothing reaches the node."""
        distance = int(self._graph.distances[node])
        return UNREACHABLE if distance == UNREACHED else distance

    def dominators(self, node: int) -> list[int]:
        """The node and what dominates it, up to the root."""
        chain = [node]
        while node != self._graph.root:
            node = int(self._graph.dominator[node])
            chain.append(node)
        return chain

    def shortest(self, node: int) -> list[int]:
        """The edges of one shortest path to the node, the topmost first; empty when nothing reaches it.

        It begins at a node of distance 1, the root, or where distances make a leap (a WeakMap's entry).
        """
        graph = self._graph
        path: list[int] = []
        while int(graph.distances[node]) > 1 and node != graph.root:
            nearest, _ = self.nearest(node, 1)
            if not nearest or nearest[0][0] >= int(graph.distances[node]):
                break
            path.append(nearest[0][1])
            node = nearest[0][2]
        path.reverse()
        return path

    def paths(self, node: int, max_depth: int = 30, max_nodes: int = 5000, max_siblings: int = 100) -> RetainingPaths:
        """All paths from the roots, within limits, nearest retainers first.

        A node that was met before is not opened again, unless this way to it is shorter.

        Args:
            max_depth: longest path. More than 250 is not looked for.
            max_nodes: most steps of the search.
            max_siblings: most retainers of one node.
        """
        search = _Search(self._graph, self, min(max_depth, _DEEPEST), max_nodes, max_siblings)
        if max_depth > _DEEPEST:
            search.limits.depth = True
        return RetainingPaths(tuple(search.open(node, 0)), search.limits)


@dataclass(slots=True)
class _Search:
    graph: Graph
    retainers: Retainers
    max_depth: int
    max_nodes: int
    max_siblings: int
    limits: PathLimits = field(default_factory=PathLimits)
    taken: int = 0
    depth_of: dict[int, int] = field(default_factory=dict)
    on_the_way: set[int] = field(default_factory=set)
    known: dict[int, tuple[list[tuple[int, int, int]], int]] = field(default_factory=dict)

    def open(self, node: int, depth: int) -> list[PathNode]:
        """The retainers of a node through which a root is found."""
        if self._is_over():
            return []
        if depth >= self.max_depth:
            self.limits.depth = True
            return []
        if int(self.graph.distances[node]) <= _ROOT_DISTANCE or node in self.on_the_way:
            return []
        if depth >= self.depth_of.get(node, depth + 1):
            return []
        self.on_the_way.add(node)
        found = []
        for distance, edge, source in self._nearest(node, depth):
            above: list[PathNode] = []
            if distance == _ROOT_DISTANCE:
                if self._is_over():
                    break
            else:
                above = self.open(source, depth + 1)
                if not above:
                    continue
            found.append(PathNode(source, edge, distance, tuple(above)))
        self.on_the_way.discard(node)
        self.depth_of[node] = depth
        return found

    def _is_over(self) -> bool:
        self.taken += 1
        if self.taken > self.max_nodes:
            self.limits.nodes = True
        return self.taken > self.max_nodes

    def _nearest(self, node: int, depth: int) -> list[tuple[int, int, int]]:
        # One more than may be taken tells whether some had to be left out.
        if node not in self.known:
            self.known[node] = self.retainers.nearest(node, self.max_siblings + 1)
        nearest, farthest = self.known[node]
        limit = self.max_depth - depth + _ROOT_DISTANCE
        if farthest >= limit:
            self.limits.depth = True
        found = [retainer for retainer in nearest if retainer[0] < limit]
        if len(found) > self.max_siblings:
            self.limits.siblings = True
        return found[: self.max_siblings]
