"""Heap snapshots made by hand, for one rule at a time."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from pagelens.analysis.heap import HeapSnapshot
from tests.analysis.heap.engines import load

NODE_TYPES = [
    "hidden", "array", "string", "object", "code", "closure", "regexp", "number", "native", "synthetic",
    "concatenated string", "sliced string", "symbol", "bigint", "object shape",
]  # fmt: skip
EDGE_TYPES = ["context", "element", "property", "internal", "hidden", "shortcut", "weak"]


class MadeHeap:
    """Nodes and edges by name. The first node is the root, a synthetic one, called ``root``.

    Args:
        node_fields, edge_fields: another layout than today's.
    """

    def __init__(
        self,
        node_fields: tuple[str, ...] = ("type", "name", "id", "self_size", "edge_count", "detachedness"),
        edge_fields: tuple[str, ...] = ("type", "name_or_index", "to_node"),
    ) -> None:
        self.node_fields = node_fields
        self.edge_fields = edge_fields
        self.strings: list[str] = []
        self.nodes: list[dict[str, int]] = []
        self.edges: list[list[tuple[int, int, int]]] = []
        self.places: dict[str, int] = {}
        self.locations: list[tuple[int, int, int, int]] = []
        self.scopes: list[int] = []
        self.scope_variables: list[int] = []
        self.scope_uses: list[int] = []
        self.head: dict[str, Any] = {}
        self.node("root", "synthetic", "")

    def string(self, text: str) -> int:
        if text not in self.strings:
            self.strings.append(text)
        return self.strings.index(text)

    def node(
        self,
        key: str,
        kind: str = "object",
        name: str | None = None,
        size: int = 0,
        *,
        detached: int = 0,
        id: int | None = None,
        held_by: str = "",
    ) -> str:
        """Add a node; returns its key, by which edges name it. ``held_by``: a node with a property that leads here."""
        self.places[key] = len(self.nodes)
        self.nodes.append(
            {
                "type": NODE_TYPES.index(kind),
                "name": self.string(key if name is None else name),
                "id": 2 * len(self.nodes) + 1 if id is None else id,
                "self_size": size,
                "detachedness": detached,
                "trace_node_id": 0,
            }
        )
        self.edges.append([])
        if held_by:
            self.edge(held_by, key)
        return key

    def edge(self, source: str, target: str, kind: str = "property", name: str | int | None = None) -> None:
        if kind in ("element", "hidden"):
            value = name if isinstance(name, int) else 0
        else:
            value = self.string(target if name is None else str(name))
        self.edges[self.places[source]].append((EDGE_TYPES.index(kind), value, self.places[target]))

    def number(self, key: str, value: int | bool, holder: str, edge: str) -> None:
        """A number node as V8 writes it, at an internal edge of its holder."""
        is_bool = isinstance(value, bool)
        self.node(key, "number", "bool" if is_bool else "int")
        self.node(f"{key} value", "string", str(value).lower())
        self.edge(key, f"{key} value", "internal", "value")
        self.edge(holder, key, "internal", edge)

    def locate(self, key: str, script: int, line: int, column: int) -> None:
        self.locations.append((self.places[key], script, line, column))

    def document(self) -> dict[str, Any]:
        """The whole as JSON values."""
        stride = len(self.node_fields)
        nodes: list[int] = []
        for node, edges in zip(self.nodes, self.edges, strict=True):
            nodes += [len(edges) if name == "edge_count" else node[name] for name in self.node_fields]
        edges_flat: list[int] = []
        for edges in self.edges:
            for kind, value, target in edges:
                record = {"type": kind, "name_or_index": value, "to_node": target * stride, "spare": 0}
                edges_flat += [record[name] for name in self.edge_fields]
        return {
            "snapshot": {
                "meta": {
                    "node_fields": list(self.node_fields),
                    "node_types": [NODE_TYPES if name == "type" else "number" for name in self.node_fields],
                    "edge_fields": list(self.edge_fields),
                    "edge_types": [EDGE_TYPES if name == "type" else "number" for name in self.edge_fields],
                    "location_fields": ["object_index", "script_id", "line", "column"],
                    "scope_fields": [
                        "script_node_index", "scope_id", "depth", "scope_context_vars_count", "scope_uses_count",
                    ],
                    "scope_context_var_fields": ["name"],
                    "scope_use_fields": ["declaring_scope_id", "slot_index"],
                },
                "node_count": len(self.nodes),
                "edge_count": sum(map(len, self.edges)),
                **self.head,
            },
            "nodes": nodes,
            "edges": edges_flat,
            "trace_function_infos": [],
            "trace_tree": [],
            "samples": [],
            "locations": [value for row in self.locations for value in (row[0] * stride, *row[1:])],
            "scopes": self.scopes,
            "scope_context_vars": self.scope_variables,
            "scope_uses": self.scope_uses,
            "strings": self.strings,
        }  # fmt: skip

    def text(self) -> str:
        return json.dumps(self.document())

    def load(self, directory: Path, engine: str) -> HeapSnapshot:
        path = directory / "made.heapsnapshot"
        path.write_text(self.text(), encoding="utf-8")
        return load(path, engine)


class Loaded:
    """A loaded `MadeHeap`, nodes known by their keys."""

    def __init__(self, heap: MadeHeap, directory: Path, engine: str) -> None:
        self.heap = heap
        self.snapshot = heap.load(directory, engine)

    def retained(self, key: str) -> int:
        return int(self.snapshot.retained_sizes[self.heap.places[key]])

    def size(self, key: str) -> int:
        return int(self.snapshot.self_sizes[self.heap.places[key]])

    def distance(self, key: str) -> int:
        return int(self.snapshot.distances[self.heap.places[key]])

    def dominator(self, key: str) -> str:
        place = int(self.snapshot.graph.dominator[self.heap.places[key]])
        return next(one for one, number in self.heap.places.items() if number == place)

    def name(self, key: str) -> str:
        return self.snapshot.at(self.heap.places[key]).name

    def class_name(self, key: str) -> str:
        return self.snapshot.at(self.heap.places[key]).class_name

    def keys(self, nodes: Any) -> list[str]:
        by_place = {place: key for key, place in self.heap.places.items()}
        return [by_place[node.place] for node in nodes]
