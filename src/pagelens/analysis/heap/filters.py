"""Which nodes a filter keeps: held by one kind of thing only, or of one native context."""

from __future__ import annotations

from typing import Any, Literal, get_args

from pagelens.analysis.heap.graph import Graph
from pagelens.analysis.heap.kernels import NO_CONTEXT, NONE, SHARED_CONTEXT, UNREACHED
from pagelens.analysis.heap.names import Names, starts_with_integer
from pagelens.errors import InvalidInput

__all__ = ["FILTERS", "FilterName", "Filters", "is_context_name", "is_native_context_name"]

#: What is held only by detached DOM nodes, by console messages, by event handlers, by closures' variables; and what
#: belongs to several native contexts (worlds of pages and frames), to none, or to a certain one.
FilterName = Literal[
    "objectsRetainedByDetachedDomNodes",
    "objectsRetainedByConsole",
    "objectsRetainedByEventHandlers",
    "objectsRetainedByContexts",
    "sharedNativeContext",
    "noNativeContext",
    "attributedToSpecificNativeContext",
]
FILTERS: tuple[str, ...] = get_args(FilterName)

_DETACHED = 2
_CONTEXT = "system / Context"
_NATIVE_CONTEXT = "system / NativeContext"


def is_context_name(name: str) -> bool:
    """Whether a node of this name holds a closure's variables."""
    return name == _CONTEXT or name.startswith(_CONTEXT + " / ")


def is_native_context_name(name: str) -> bool:
    """Whether a node of this name is the world of a page or frame."""
    name = name.removeprefix("Detached ")
    return name == _NATIVE_CONTEXT or name.startswith(_NATIVE_CONTEXT + " / ")


class Filters:
    """The filters of one snapshot; each is worked out once."""

    def __init__(self, graph: Graph, names: Names) -> None:
        self._graph = graph
        self._names = names
        self._kept: dict[tuple[str, int], Any] = {}
        self._owners: Any = None

    def keep(self, name: str, native_context: int = -1) -> Any:
        """An array with 1 for each node that a filter keeps and that has a size.

        Args:
            name: see `FilterName`; empty: all nodes.
            native_context: the node number, for ``attributedToSpecificNativeContext``.
        """
        key = (name, native_context)
        kept = self._kept.get(key)
        if kept is None:
            graph = self._graph
            all_nodes = name == ""
            chosen = None if all_nodes else self._choose(name, native_context)
            kept = _with_size(graph, chosen)
            if len(self._kept) >= 4:  # at a byte a node, a few
                self._kept.pop(next(iter(self._kept)))
            self._kept[key] = kept
        return kept

    def held_by_contexts(self) -> Any:
        """1 for each node that only closures' variables hold, of any size."""
        return self._unreached(self._nodes_named(is_context_name))

    def owners(self) -> Any:
        """The native context of each node: a node number, -1 none, -2 several."""
        if self._owners is None:
            graph, numbers = self._graph, self._graph.numbers
            owners = numbers.zeros("i4", graph.node_count)
            graph.kernels.attribute_contexts(
                *graph.edges,
                graph.node_names,
                self.name_flags(is_native_context_name),
                graph.layout.edge["internal"],
                graph.layout.edge["shortcut"],
                graph.layout.edge["weak"],
                graph.place_of("map"),
                graph.place_of("native_context"),
                owners,
            )
            self._owners = owners
        return self._owners

    def name_flags(self, wanted: Any) -> Any:
        """1 for each name that is wanted."""
        return self._graph.numbers.of("u1", (1 if wanted(name) else 0 for name in self._graph.names))

    def gather(self, *, kind: str = "", flags: Any = None, least: int = 0) -> list[int]:
        """The nodes of a type (any when empty), with flagged names, of at least some size."""
        graph, numbers = self._graph, self._graph.numbers
        number = graph.layout.node[kind] if kind else -1
        if kind and number < 0:
            return []
        out = numbers.zeros("u4", graph.node_count)
        count = graph.kernels.gather_nodes(
            graph.node_types,
            graph.node_names,
            number,
            numbers.zeros("u1", 0) if flags is None else flags,
            graph.self_sizes,
            least,
            out,
        )
        return list(numbers.prefix(out, count))

    # -- one by one ----------------------------------------------------------------------------------

    def _choose(self, name: str, native_context: int) -> Any:
        graph = self._graph
        if name == "objectsRetainedByContexts":
            return self.held_by_contexts()
        if name == "objectsRetainedByDetachedDomNodes":
            detached = self._graph.numbers.zeros("u1", graph.node_count)
            return self._unreached(_equal(graph, graph.detachedness, _DETACHED, detached))
        if name == "objectsRetainedByConsole":
            return self._unreached(None, self._graph.numbers.of("u1", map(_console_flag, self._graph.names)))
        if name == "objectsRetainedByEventHandlers":
            return self._unreached(self._handlers())
        wanted = {"sharedNativeContext": SHARED_CONTEXT, "noNativeContext": NO_CONTEXT}.get(name, native_context)
        if name not in FILTERS:
            raise InvalidInput(f"There is no filter {name}.", f"Use one of: {', '.join(FILTERS)}.")
        return _equal(graph, self.owners(), wanted, graph.numbers.zeros("u1", graph.node_count))

    def _unreached(self, blocked: Any, blocked_names: Any = None) -> Any:
        """1 for each node that the root reaches, but not when it may not enter some nodes or follow some edges."""
        graph, numbers = self._graph, self._graph.numbers
        reached = numbers.zeros("u1", graph.node_count)
        graph.kernels.reach(
            *graph.edges,
            graph.node_types,
            graph.root,
            graph.layout.edge["weak"],
            numbers.zeros("u1", graph.node_count) if blocked is None else blocked,
            numbers.zeros("u1", 0) if blocked_names is None else blocked_names,
            graph.layout.node["synthetic"],
            graph.layout.edge["element"],
            graph.layout.edge["hidden"],
            graph.layout.edge["shortcut"],
            reached,
        )
        if numbers.compiled:
            return ((reached == 0) & (graph.distances != UNREACHED)).astype("u1")
        return [
            1 if not met and distance != UNREACHED else 0
            for met, distance in zip(reached, graph.distances, strict=True)
        ]

    def _nodes_named(self, wanted: Any) -> Any:
        found = self._graph.numbers.zeros("u1", self._graph.node_count)
        for node in self.gather(flags=self.name_flags(wanted)):
            found[node] = 1
        return found

    def _handlers(self) -> Any:
        """The functions of event listeners: what the listener calls, or the function that this wraps."""
        graph, names = self._graph, self._names
        found = graph.numbers.zeros("u1", graph.node_count)
        for listener in self.gather(flags=self.name_flags(lambda name: name == "V8EventListener")):
            callback = names.target(listener, "1")
            if callback == NONE:
                continue
            found[self._function(callback)] = 1
        return found

    def _function(self, callback: int) -> int:
        graph, names = self._graph, self._names
        if names.target(callback, "code") != NONE:
            return callback
        for edge in range(int(graph.first_edge[callback]), int(graph.first_edge[callback + 1])):
            inner = int(graph.targets[edge])
            if names.target(inner, "code") != NONE:
                return inner
        return callback


def _console_flag(name: str) -> int:
    """For `reach`: 0 nothing of the console's. A shortcut whose name begins with a number has this as its name."""
    if not name.endswith(" / DevTools console"):
        return 0
    return 2 if starts_with_integer(name) else 1


def _equal(graph: Graph, values: Any, wanted: int, out: Any) -> Any:
    if graph.numbers.compiled:
        return (values == wanted).astype("u1")
    for place, value in enumerate(values):
        if value == wanted:
            out[place] = 1
    return out


def _with_size(graph: Graph, chosen: Any) -> Any:
    if graph.numbers.compiled:
        sized: Any = graph.self_sizes > 0
        return (sized if chosen is None else sized & (chosen == 1)).astype("u1")
    if chosen is None:
        return [1 if size else 0 for size in graph.self_sizes]
    return [1 if size and flag else 0 for size, flag in zip(graph.self_sizes, chosen, strict=True)]
