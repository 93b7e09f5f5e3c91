"""The names of nodes and edges as people see them."""

from __future__ import annotations

import json
import re

from pagelens.analysis.heap.graph import Graph
from pagelens.analysis.heap.kernels import NONE

__all__ = ["Names", "property_text", "starts_with_integer", "utf16_length"]

#: The most UTF-16 units of a joined string, and of a plain object's list of properties.
_LONGEST_STRING = 1024
_LONGEST_LIST = 100
#: The most parts that a joined string is taken apart into: a damaged file may have one that contains itself.
_MOST_STEPS = 50_000
_NEEDS_QUOTES = re.compile("[,'\"{}]")
_INTEGER = re.compile(r"\s*([+-]?\d+)")


def utf16_length(text: str) -> int:
    """The length as JavaScript counts it."""
    return len(text) if text.isascii() else len(text.encode("utf-16-le", "surrogatepass")) // 2


def starts_with_integer(text: str) -> bool:
    """Whether JavaScript's `parseInt` finds a number in it."""
    return _INTEGER.match(text) is not None


def property_text(name: str) -> str:
    """A property's name in a list: quoted where it would be mistaken for the list's own marks."""
    return json.dumps(name, ensure_ascii=False) if _NEEDS_QUOTES.search(name) else name


class Names:
    """Names of one snapshot's nodes and edges. What is costly is kept."""

    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self._lists: dict[tuple[int, ...], str] = {}
        node, edge = graph.layout.node, graph.layout.edge
        self._joined, self._object = node["concatenated string"], node["object"]
        self._element, self._hidden, self._shortcut = edge["element"], edge["hidden"], edge["shortcut"]
        self._property, self._internal = edge["property"], edge["internal"]
        self._first, self._second = graph.place_of("first"), graph.place_of("second")
        self._plain = graph.place_of("Object")
        self._proto = graph.place_of("__proto__")

    def raw(self, node: int) -> str:
        """The name as the file has it (but for "Detached ")."""
        return self._graph.names[int(self._graph.node_names[node])]

    def node(self, node: int) -> str:
        """A joined string's text, a plain object's properties, any other node's own name."""
        kind = self._graph.node_types[node]
        if kind == self._joined:
            return self.joined(node)
        if kind == self._object and self._graph.node_names[node] == self._plain:
            return self._properties(node)
        return self.raw(node)

    def edge(self, edge: int) -> str:
        """A property's or variable's name, an element's index."""
        kind, value = self._graph.edge_types[edge], int(self._graph.edge_names[edge])
        if kind == self._element or kind == self._hidden:
            return str(value)
        name = self._graph.names[value]
        if kind == self._shortcut:
            match = _INTEGER.match(name)
            if match is not None:
                return str(int(match[1]))
        return name

    def is_number(self, edge: int) -> bool:
        """Whether an edge's name is a number, not text."""
        kind = self._graph.edge_types[edge]
        if kind == self._shortcut:
            return starts_with_integer(self._graph.names[int(self._graph.edge_names[edge])])
        return bool(kind == self._element or kind == self._hidden)

    def joined(self, node: int) -> str:
        """The text of a concatenated string, cut once it is long: its parts are strings, or joined themselves."""
        graph = self._graph
        parts: list[str] = []
        length = 0
        waiting = [node]
        steps = 0
        while waiting and length < _LONGEST_STRING and steps < _MOST_STEPS:
            steps += 1
            part = waiting.pop()
            if graph.node_types[part] != self._joined:
                text = graph.names[graph.node_names[part]]
                parts.append(text)
                length += utf16_length(text)
                continue
            first, second = self.halves(part)
            # A half that is missing is the root, whose name is empty.
            waiting += (second if second != NONE else graph.root, first if first != NONE else graph.root)
        return "".join(parts)

    def halves(self, node: int) -> tuple[int, int]:
        """The two parts of a concatenated string, `NONE` for one that is not there."""
        graph = self._graph
        first = second = NONE
        for edge in range(int(graph.first_edge[node]), int(graph.first_edge[node + 1])):
            if graph.edge_types[edge] != self._internal:
                continue
            name = graph.edge_names[edge]
            if name == self._first and first == NONE:
                first = int(graph.targets[edge])
            elif name == self._second and second == NONE:
                second = int(graph.targets[edge])
        return first, second

    def internal_target(self, node: int, name: str) -> int:
        """Where the first internal edge of a name leads, `NONE` when there is none."""
        place, graph = self._graph.place_of(name), self._graph
        if place < 0:
            return NONE
        for edge in range(int(graph.first_edge[node]), int(graph.first_edge[node + 1])):
            if graph.edge_types[edge] == self._internal and graph.edge_names[edge] == place:
                return int(graph.targets[edge])
        return NONE

    def target(self, node: int, name: str) -> int:
        """Where the first edge of any type and this name leads, `NONE` when there is none."""
        graph = self._graph
        for edge in range(int(graph.first_edge[node]), int(graph.first_edge[node + 1])):
            if self.edge(edge) == name:
                return int(graph.targets[edge])
        return NONE

    def integer(self, node: int) -> int | None:
        """The value of a number node, where the file has it."""
        if node == NONE or self._type(node) != "number" or self.raw(node) != "int":
            return None
        value = self.internal_target(node, "value")
        match = None if value == NONE else _INTEGER.match(self.raw(value))
        return None if match is None else int(match[1])

    def is_true(self, node: int) -> bool:
        """Whether a node is the boolean true."""
        if node == NONE or self._type(node) != "number" or self.raw(node) != "bool":
            return False
        value = self.internal_target(node, "value")
        return value != NONE and self.raw(value) == "true"

    def _type(self, node: int) -> str:
        return self._graph.layout.node_types[int(self._graph.node_types[node])]

    def _properties(self, node: int) -> str:
        """Names taken from both ends in turn, as many as fit: ``{a, b, …, y, z}``."""
        graph = self._graph
        begin, end = int(graph.first_edge[node]), int(graph.first_edge[node + 1])
        key = tuple(
            int(graph.edge_names[edge])
            for edge in range(begin, end)
            if graph.edge_types[edge] == self._property and graph.edge_names[edge] != self._proto
        )
        text = self._lists.get(key)
        if text is None:
            text = _listed([graph.names[place] for place in key])
            if len(self._lists) < 100_000:
                self._lists[key] = text
        return text


def _listed(properties: list[str]) -> str:
    left, right = "{", "}"
    i, j = 0, len(properties) - 1
    from_right = False
    while i <= j:
        text = property_text(properties[j] if from_right else properties[i])
        if len(left) > 1 and utf16_length(left) + utf16_length(right) + utf16_length(text) > _LONGEST_LIST:
            break
        if from_right:
            j -= 1
            right = text + (", " if len(right) > 1 else "") + right
        else:
            i += 1
            left += (", " if len(left) > 1 else "") + text
        from_right = not from_right
    if i <= j:
        left += ", …"
    if len(right) > 1:
        left += ", "
    return left + right
