"""Strings that a heap holds several times."""

from __future__ import annotations

from dataclasses import dataclass

from pagelens.analysis.heap.filters import Filters
from pagelens.analysis.heap.graph import Graph
from pagelens.analysis.heap.kernels import NONE
from pagelens.analysis.heap.names import Names

__all__ = ["DuplicateString", "duplicate_strings"]


@dataclass(frozen=True, slots=True)
class DuplicateString:
    """One text and the strings that have it.

    Attributes:
        value: the text; its beginning only when ``truncated``.
        nodes: their node numbers, in file order.
        self_size, retained_size: of all of them together.
        truncated: V8 wrote the beginning only; length and hash say that they are equal.
    """

    value: str
    nodes: tuple[int, ...]
    self_size: int
    retained_size: int
    truncated: bool = False
    length: int | None = None
    hash: int | None = None

    @property
    def count(self) -> int:
        """How many strings."""
        return len(self.nodes)


def duplicate_strings(graph: Graph, names: Names, filters: Filters) -> list[DuplicateString]:
    """All texts that more than one string of some size has, the ones that hold most first."""
    whole, cut = _by_text(graph, names, filters)
    truncated: dict[str, dict[tuple[int | None, int | None], list[int]]] = {}
    for node in cut:
        text = names.node(node)
        length = names.integer(names.internal_target(node, "length"))
        digest = names.integer(names.internal_target(node, "hash"))
        truncated.setdefault(text, {}).setdefault((length, digest), []).append(node)
    groups = [
        _group(graph, text, nodes)
        for text, nodes in sorted(whole.items(), key=lambda item: item[1][0])
        if len(nodes) > 1
    ]
    for text, kinds in truncated.items():
        groups += [_group(graph, text, nodes, kind) for kind, nodes in kinds.items() if len(nodes) > 1]
    groups.sort(key=lambda group: -group.retained_size)
    return groups


def _by_text(graph: Graph, names: Names, filters: Filters) -> tuple[dict[str, list[int]], list[int]]:
    """Nodes by text, for texts that may have several; and the nodes of truncated strings."""
    numbers = graph.numbers
    counts = numbers.zeros("u4", len(graph.names))
    maybe_cut = numbers.zeros("u4", graph.node_count)
    string = graph.layout.node["string"]
    found = graph.kernels.gather_strings(
        graph.first_edge,
        graph.edge_types,
        graph.edge_names,
        graph.node_types,
        graph.node_names,
        graph.self_sizes,
        string,
        graph.place_of("truncated"),
        graph.layout.edge["internal"],
        counts,
        maybe_cut,
    )
    cut: list[int] = []
    by_text: dict[str, list[int]] = {}
    for node in [*numbers.prefix(maybe_cut, found), *filters.gather(kind="concatenated string", least=1)]:
        if graph.node_types[node] != string and _is_flat(graph, names, node):
            continue
        if names.is_true(names.internal_target(node, "truncated")):
            cut.append(node)
        else:
            by_text.setdefault(names.node(node), []).append(node)
    # Most strings are plain ones, and of these most texts are there once: only others are looked at one by one.
    wanted = numbers.zeros("u1", len(graph.names))
    once: dict[str, int] = {}
    for place, count in enumerate(numbers.prefix(counts, len(counts))):
        if not count:
            continue
        text = graph.names[place]
        if text in once:  # no file of V8's has a text twice, but one may
            wanted[once[text]] = 1
            wanted[place] = 1
        once[text] = place
        if count > 1 or text in by_text:
            wanted[place] = 1
    missing = graph.place_of("truncated")
    for node in filters.gather(kind="string", flags=wanted, least=1):
        if missing >= 0 and names.internal_target(node, "truncated") != NONE:
            continue
        by_text.setdefault(graph.names[graph.node_names[node]], []).append(node)
    for nodes in by_text.values():
        nodes.sort()
    return by_text, sorted(cut)


def _is_flat(graph: Graph, names: Names, node: int) -> bool:
    """Whether a concatenated string is only a cover of another: one half is empty."""
    return any(half != NONE and names.node(half) == "" for half in names.halves(node))


def _group(
    graph: Graph, text: str, nodes: list[int], kind: tuple[int | None, int | None] | None = None
) -> DuplicateString:
    return DuplicateString(
        text,
        tuple(nodes),
        sum(int(graph.self_sizes[node]) for node in nodes),
        sum(int(graph.retained_sizes[node]) for node in nodes),
        kind is not None,
        kind[0] if kind else None,
        kind[1] if kind else None,
    )
