"""What a heap consists of, in a few numbers."""

from __future__ import annotations

from dataclasses import dataclass

from pagelens.analysis.heap.graph import Graph

__all__ = ["ContextSizes", "NativeContext", "RetainedByContexts", "Statistics", "statistics"]

_NEVER_ARRAYS = ("hidden", "native", "code", "concatenated string", "sliced string", "string")
_STRINGS = ("string", "concatenated string", "sliced string")


@dataclass(frozen=True, slots=True)
class Statistics:
    """Bytes by kind. ``total`` is ``native`` (the browser's, of which ``typed_arrays``) and V8's heap (all others)."""

    total: int
    native: int
    typed_arrays: int
    v8_heap: int
    code: int
    js_arrays: int
    strings: int
    system: int


@dataclass(frozen=True, slots=True)
class NativeContext:
    """The world of a page or frame: its node, and the bytes of all that belongs to it alone."""

    node: int
    attributed_size: int
    retained_size: int
    self_size: int


@dataclass(frozen=True, slots=True)
class ContextSizes:
    """All native contexts, the bytes of what several share, and of what belongs to none."""

    contexts: tuple[NativeContext, ...]
    shared_size: int
    unattributed_size: int


@dataclass(frozen=True, slots=True)
class RetainedByContexts:
    """What lives only because closures remember their variables."""

    context_count: int
    retained_size: int
    retained_count: int
    other_size: int
    other_count: int


def statistics(graph: Graph) -> Statistics:
    """The statistics of a snapshot."""
    numbers, layout = graph.numbers, graph.layout
    types = len(layout.node_types)
    sums = numbers.zeros("i8", types + 2)
    graph.kernels.array_sizes(
        *graph.edges,
        graph.node_types,
        graph.node_names,
        graph.self_sizes,
        numbers.of("u1", (1 if name in _NEVER_ARRAYS else 0 for name in layout.node_types)),
        graph.place_of("Array"),
        graph.place_of("elements"),
        layout.edge["internal"],
        layout.node["native"],
        graph.place_of("system / JSArrayBufferData"),
        sums,
    )
    flat = numbers.prefix(sums, types + 2)

    def of(name: str) -> int:
        number = layout.node[name]
        return flat[number] if number >= 0 else 0

    native = of("native") + layout.extra_native_bytes
    total = int(graph.retained_sizes[graph.root]) + layout.extra_native_bytes
    return Statistics(
        total=total,
        native=native,
        typed_arrays=flat[types + 1],
        v8_heap=total - native,
        code=of("code"),
        js_arrays=flat[types],
        strings=sum(map(of, _STRINGS)),
        system=of("hidden"),
    )
