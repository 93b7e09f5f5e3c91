"""What keeps an object alive: retainers, the dominators above it, and the paths from the roots down to it."""

from __future__ import annotations

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

    def edges(self, node: int) -> list[int]:
        """All edges that lead to a node, the last of the file first."""
        if self._first is None:
            graph, numbers = self._graph, self._graph.numbers
            first = numbers.zeros("u4", graph.node_count + 1)
            edges = numbers.zeros("u4", len(graph.targets))
            graph.kernels.retainer_index(graph.first_edge, graph.targets, first, edges)
            self._edges, self._first = edges, first
        return [int(edge) for edge in self._edges[int(self._first[node]) : int(self._first[node + 1])]]

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
        seen = {node}
        while int(graph.distances[node]) > 1 and node != graph.root:
            best = None
            for edge in self.edges(node):
                source = self.source(edge)
                distance = int(graph.distances[source])
                if graph.edge_types[edge] == self._weak or distance < 0 or source in seen:
                    continue
                if best is None or distance < best[0]:
                    best = (distance, edge, source)
            if best is None or best[0] >= int(graph.distances[node]):
                break
            path.append(best[1])
            node = best[2]
            seen.add(node)
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
        graph = self.graph
        found = []
        for edge in self.retainers.edges(node):
            source = self.retainers.source(edge)
            distance = int(graph.distances[source])
            if graph.edge_types[edge] == graph.layout.edge["weak"] or distance < 0:
                continue
            if distance - _ROOT_DISTANCE < self.max_depth - depth:
                found.append((distance, edge, source))
            else:
                self.limits.depth = True
        found.sort(key=lambda retainer: retainer[0])
        if len(found) > self.max_siblings:
            self.limits.siblings = True
        return found[: self.max_siblings]
