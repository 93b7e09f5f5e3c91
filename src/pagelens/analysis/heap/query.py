"""Objects by what is asked of them: name, properties, type, sizes, whether they are detached."""

from __future__ import annotations

from typing import Literal

from pagelens.analysis.heap.classes import Shapes
from pagelens.analysis.heap.graph import Graph
from pagelens.analysis.heap.kernels import NONE
from pagelens.analysis.heap.names import Names
from pagelens.analysis.heap.numbers import CompiledNumbers
from pagelens.analysis.heap.patterns import Pattern
from pagelens.errors import InvalidInput

__all__ = ["query_objects"]

_DETACHED = 2


def query_objects(
    graph: Graph,
    names: Names,
    shapes: Shapes | None = None,
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
) -> list[int]:
    """The nodes that all conditions hold for; see `HeapSnapshot.query`.

    Args:
        shapes: of the plain objects, which makes it faster.
    """
    with Pattern(class_name) as name_fits, Pattern(property_name) as property_fits:
        nodes = _by_numbers(
            graph,
            node_type.lower(),
            (min_self_size, max_self_size),
            (min_retained_size, max_retained_size),
            is_detached,
        )
        if class_name:
            nodes = _by_name(graph, names, shapes, nodes, name_fits)
        if property_name:
            nodes = _by_property(graph, names, nodes, property_fits)
    if sort_by == "retainedSize":
        nodes.sort(key=lambda node: -int(graph.retained_sizes[node]))
    elif sort_by == "selfSize":
        nodes.sort(key=lambda node: -int(graph.self_sizes[node]))
    elif sort_by == "id":
        nodes.sort(key=lambda node: int(graph.ids[node]))
    return nodes


def _by_numbers(
    graph: Graph,
    node_type: str,
    self_size: tuple[int | None, int | None],
    retained_size: tuple[int | None, int | None],
    is_detached: bool | None,
) -> list[int]:
    kinds = {number for number, name in enumerate(graph.layout.node_types) if name.lower() == node_type}
    if node_type and not kinds:
        known = ", ".join(graph.layout.node_types)
        raise InvalidInput(f"This snapshot has no nodes of type {node_type}.", f"Its types: {known}.")
    conditions = [
        (graph.self_sizes, self_size[0], self_size[1]),
        (graph.retained_sizes, retained_size[0], retained_size[1]),
    ]
    if graph.numbers.compiled:
        import numpy

        fits = numpy.ones(graph.node_count, bool)
        for values, least, most in conditions:
            if least is not None:
                fits &= values >= least
            if most is not None:
                fits &= values <= most
        if is_detached is not None:
            fits &= (graph.detachedness == _DETACHED) == is_detached
        if kinds:
            fits &= numpy.isin(graph.node_types, list(kinds))
        found: list[int] = numpy.flatnonzero(fits).tolist()
        return found
    nodes = list(range(graph.node_count))
    for values, least, most in conditions:
        if least is not None:
            nodes = [node for node in nodes if values[node] >= least]
        if most is not None:
            nodes = [node for node in nodes if values[node] <= most]
    if is_detached is not None:
        nodes = [node for node in nodes if (graph.detachedness[node] == _DETACHED) == is_detached]
    if kinds:
        nodes = [node for node in nodes if graph.node_types[node] in kinds]
    return nodes


def _by_name(graph: Graph, names: Names, shapes: Shapes | None, nodes: list[int], fits: Pattern) -> list[int]:
    if not isinstance(graph.numbers, CompiledNumbers) or shapes is None or len(nodes) < len(graph.names):
        fits.prepare(map(names.node, nodes))
        return [node for node in nodes if fits(names.node(node))]
    # Each name is looked at once, and not each node: joined strings are the only ones without a name of their own.
    numpy = graph.numbers.numpy
    chosen = numpy.array(nodes, "u4")
    fits.prepare(graph.names)
    of_name = numpy.fromiter((fits(name) for name in graph.names), bool, len(graph.names))
    kept = of_name[graph.node_names[chosen]]
    if len(shapes.of_node):
        of_shape = numpy.array([fits(names.node(example)) for example in shapes.examples], bool)
        shape = shapes.of_node[chosen]
        plain = shape != NONE
        kept[plain] = of_shape[shape[plain]]
    for place in numpy.flatnonzero(graph.node_types[chosen] == graph.layout.node["concatenated string"]).tolist():
        kept[place] = fits(names.node(nodes[place]))
    found: list[int] = chosen[kept].tolist()
    return found


def _by_property(graph: Graph, names: Names, nodes: list[int], fits: Pattern) -> list[int]:
    if len(nodes) > 100:
        fits.prepare(graph.names)
    first = graph.first_edge
    return [
        node for node in nodes if any(fits(names.edge(edge)) for edge in range(int(first[node]), int(first[node + 1])))
    ]
