"""The head of a heap snapshot: which numbers stand where, and how many there shall be.

V8 writes node and edge records as flat arrays of numbers; the head names their fields and types. Nothing about them is
taken for granted: fields come in any number and order, types too. What the head says about sizes is only ever compared
with what the file holds.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import msgspec

from pagelens.errors import BadSnapshot

__all__ = ["EDGE_TYPES", "NODE_TYPES", "Layout", "TypeNumbers"]

NODE_TYPES = (
    "hidden",
    "array",
    "string",
    "object",
    "code",
    "closure",
    "regexp",
    "number",
    "native",
    "synthetic",
    "concatenated string",
    "sliced string",
)
EDGE_TYPES = ("context", "element", "property", "internal", "hidden", "shortcut", "weak")

_NODE_FIELDS = ("type", "name", "id", "self_size", "edge_count")
_EDGE_FIELDS = ("type", "name_or_index", "to_node")


class TypeNumbers(dict[str, int]):
    """Type name to number; -1 for a type that this file does not know."""

    def __missing__(self, key: str) -> int:
        return -1


@dataclass(slots=True)
class Layout:
    """What the head says."""

    node_fields: list[str]
    node_types: list[str]
    edge_fields: list[str]
    edge_types: list[str]
    location_fields: list[str]
    scope_fields: list[str]
    scope_variable_fields: list[str]
    scope_use_fields: list[str]
    node_count: int
    edge_count: int
    root: int
    extra_native_bytes: int
    node: TypeNumbers = field(default_factory=TypeNumbers)
    edge: TypeNumbers = field(default_factory=TypeNumbers)

    @classmethod
    def read(cls, text: bytes) -> Layout:
        """Decode the value of ``"snapshot"``.

        Raises:
            BadSnapshot: it is no JSON, or lacks something.
        """
        try:
            head = msgspec.json.decode(text)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            raise BadSnapshot(f"This is no heap snapshot: its head is no JSON ({error}).") from error
        meta = head.get("meta") if isinstance(head, dict) else None
        if not isinstance(meta, dict):
            raise BadSnapshot('This is no heap snapshot: its head has no "meta".')
        node_fields, edge_fields = _names(meta, "node_fields"), _names(meta, "edge_fields")
        _need("node_fields", node_fields, _NODE_FIELDS)
        _need("edge_fields", edge_fields, _EDGE_FIELDS)
        layout = cls(
            node_fields=node_fields,
            node_types=_types(meta, "node_types", node_fields.index("type")),
            edge_fields=edge_fields,
            edge_types=_types(meta, "edge_types", edge_fields.index("type")),
            location_fields=_names(meta, "location_fields"),
            scope_fields=_names(meta, "scope_fields"),
            scope_variable_fields=_names(meta, "scope_context_var_fields"),
            scope_use_fields=_names(meta, "scope_use_fields"),
            node_count=_count(head, "node_count"),
            edge_count=_count(head, "edge_count"),
            root=_count(head, "root_index", 0),
            extra_native_bytes=_count(head, "extra_native_bytes", 0),
        )
        if layout.node_count == 0:
            raise BadSnapshot("This heap snapshot is empty: its head says it has no nodes.")
        layout.root, rest = divmod(layout.root, len(node_fields))
        if rest or layout.root >= layout.node_count:
            raise BadSnapshot(f"The head is wrong: root_index {head['root_index']} is not the place of a node.")
        layout.node.update((name, number) for number, name in reversed(list(enumerate(layout.node_types))))
        layout.edge.update((name, number) for number, name in reversed(list(enumerate(layout.edge_types))))
        return layout


def _names(meta: dict[str, Any], key: str) -> list[str]:
    value = meta.get(key)
    if value is None:
        return []
    if not isinstance(value, list) or not all(isinstance(name, str) for name in value) or len(value) > 255:
        raise BadSnapshot(f'The head is wrong: "{key}" is no list of names.')
    return value


def _types(meta: dict[str, Any], key: str, place: int) -> list[str]:
    value = meta.get(key)
    names = value[place] if isinstance(value, list) and len(value) > place else None
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names) or not 0 < len(names) < 256:
        raise BadSnapshot(f'The head is wrong: "{key}" names no types.')
    return names


def _need(key: str, fields: list[str], needed: tuple[str, ...]) -> None:
    missing = [name for name in needed if name not in fields]
    if missing:
        raise BadSnapshot(f'The head is wrong: "{key}" lacks {", ".join(missing)}.')


def _count(head: dict[str, Any], key: str, default: int | None = None) -> int:
    value = head.get(key, default)
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value < 2**53:
        raise BadSnapshot(f'The head is wrong: "{key}" is {"missing" if value is None else "no count"}.')
    return value
