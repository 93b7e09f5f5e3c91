"""A snapshot file into arrays: read once, front to back, checked as it comes.

Nothing is allocated because the head announces it: arrays grow with what is there, and the first number too many ends
the reading.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import msgspec

from pagelens.analysis.heap.layout import Layout
from pagelens.analysis.heap.numbers import CompiledNumbers, Numbers
from pagelens.analysis.heap.reader import Reader
from pagelens.analysis.progress import Job
from pagelens.core.safe_text import one_line, shortened
from pagelens.errors import BadSnapshot

__all__ = ["Locations", "Parsed", "parse"]

_U32 = 2**32
#: Sizes add up to less than this: JavaScript's numbers are exact up to there.
_EXACT = 2**53

_INTEGER_ARRAY = re.compile(rb"[0-9,\-\s]*")


@dataclass(slots=True)
class Locations:
    """Where objects were made: one row for each object of which V8 knows it."""

    objects: Any
    scripts: Any
    lines: Any
    columns: Any


@dataclass(slots=True)
class Parsed:
    """A snapshot as its file has it: arrays in node order and in edge order, ranges checked."""

    layout: Layout
    numbers: Numbers
    node_types: Any = None
    node_names: Any = None
    ids: Any = None
    self_sizes: Any = None
    #: None when the file does not know the field.
    detachedness: Any = None
    first_edge: Any = None
    edge_types: Any = None
    edge_names: Any = None
    targets: Any = None
    locations: Locations | None = None
    scopes: list[int] = field(default_factory=list)
    scope_variables: list[int] = field(default_factory=list)
    scope_uses: list[int] = field(default_factory=list)
    strings: list[str] = field(default_factory=list)


def parse(reader: Reader, numbers: Numbers, job: Job) -> Parsed:
    """Read a whole file.

    Raises:
        BadSnapshot: it is no heap snapshot, is cut short, or holds what can't be right.
        AnalysisCancelled: the caller gave up.
    """
    return _Parser(reader, numbers, job).parse()


class _Parser:
    def __init__(self, reader: Reader, numbers: Numbers, job: Job) -> None:
        self._reader = reader
        self._numbers = numbers
        self._job = job
        self._done: set[str] = set()
        self._result: Parsed | None = None

    def parse(self) -> Parsed:
        reader = self._reader
        reader.expect("{", "at the beginning")
        while True:
            raw = reader.string("a key")
            key = raw.decode("utf-8", "replace")
            reader.expect(":", "after a key")
            if key in self._done:
                raise BadSnapshot(f'This is no heap snapshot: it has "{_shown(key)}" twice.')
            self._done.add(key)
            if key == "strings":
                self._strings()
                break
            self._value(key)
            if reader.look() == ord("}"):
                raise BadSnapshot('This is no heap snapshot: it has no "strings".')
            reader.expect(",", f'after "{_shown(key)}"')
        return self._checked()

    def _value(self, key: str) -> None:
        if key == "snapshot":
            self._result = Parsed(Layout.read(self._reader.balanced("its head")), self._numbers)
        elif key == "nodes":
            self._nodes(self._head(key))
        elif key == "edges":
            self._edges(self._head(key))
        elif key == "locations" and self._head(key).layout.location_fields:
            self._locations(self._head(key))
        elif key == "scopes" and self._head(key).layout.scope_fields:
            self._small(key, len(self._head(key).layout.scope_fields), self._head(key).scopes)
        elif key == "scope_context_vars" and self._head(key).layout.scope_variable_fields:
            self._small(key, len(self._head(key).layout.scope_variable_fields), self._head(key).scope_variables)
        elif key == "scope_uses" and self._head(key).layout.scope_use_fields:
            self._small(key, len(self._head(key).layout.scope_use_fields), self._head(key).scope_uses)
        else:
            self._reader.skip(f'"{_shown(key)}"')

    def _head(self, key: str) -> Parsed:
        if self._result is None:
            raise BadSnapshot(f'This is no heap snapshot: "{_shown(key)}" comes before its head, "snapshot".')
        return self._result

    # -- arrays --------------------------------------------------------------------------------------

    def _nodes(self, into: Parsed) -> None:
        layout, numbers = into.layout, self._numbers
        place = layout.node_fields.index
        kinds: dict[str, Any] = {"type": "u1", "name": "u4", "id": "i8", "self_size": "i8", "edge_count": "u4"}
        if "detachedness" in layout.node_fields:
            kinds["detachedness"] = "u1"
        columns = {name: numbers.column(kind) for name, kind in kinds.items()}
        limits = {"type": len(layout.node_types), "detachedness": _U32, "id": _EXACT, "self_size": _EXACT}
        stride = len(layout.node_fields)
        count = 0

        def take(flat: Any) -> None:
            nonlocal count
            count = self._counted("nodes", "node_count", count, len(flat) // stride, layout.node_count)
            for name, column in columns.items():
                values = flat[place(name) :: stride]
                self._bounded(f"{name} of a node", values, limits.get(name, _U32))
                column.extend(numbers.low_bits(values, 3) if name == "detachedness" else values)

        self._array("nodes", stride, take)
        self._complete("nodes", "node_count", count, layout.node_count)
        into.node_types = columns["type"].done()
        into.node_names = columns["name"].done()
        into.ids = columns["id"].done()
        into.self_sizes = columns["self_size"].done()
        if numbers.total(into.self_sizes) >= _EXACT:
            raise BadSnapshot("This heap snapshot is damaged: its objects' sizes add up to more than any machine has.")
        if "detachedness" in columns:
            into.detachedness = columns["detachedness"].done()
        edge_counts = columns["edge_count"].done()
        edges = numbers.total(edge_counts)
        if edges != layout.edge_count:
            raise BadSnapshot(
                f"This heap snapshot is damaged: its nodes have {edges:,} edges, its head says {layout.edge_count:,}."
            )
        into.first_edge = numbers.running_total(edge_counts)

    def _edges(self, into: Parsed) -> None:
        layout, numbers = into.layout, self._numbers
        place = layout.edge_fields.index
        types, names, targets = numbers.column("u1"), numbers.column("u4"), numbers.column("u4")
        stride, node_stride = len(layout.edge_fields), len(layout.node_fields)
        count = 0

        def take(flat: Any) -> None:
            nonlocal count
            before = count
            count = self._counted("edges", "edge_count", count, len(flat) // stride, layout.edge_count)
            values = flat[place("type") :: stride]
            self._bounded("type of an edge", values, len(layout.edge_types))
            types.extend(values)
            values = flat[place("name_or_index") :: stride]
            self._bounded("name_or_index of an edge", values, _U32)
            names.extend(values)
            values = flat[place("to_node") :: stride]
            self._bounded("to_node of an edge", values, layout.node_count * node_stride)
            nodes, even = numbers.divided(values, node_stride)
            if not even:
                bad = next(i for i, value in enumerate(values) if value % node_stride)
                raise BadSnapshot(
                    f"This heap snapshot is damaged: edge {before + bad:,} leads to {int(values[bad]):,}, "
                    "which is not the place of a node."
                )
            targets.extend(nodes)

        self._array("edges", stride, take)
        self._complete("edges", "edge_count", count, layout.edge_count)
        into.edge_types, into.edge_names, into.targets = types.done(), names.done(), targets.done()

    def _locations(self, into: Parsed) -> None:
        layout, numbers = into.layout, self._numbers
        fields = layout.location_fields
        wanted = ("object_index", "script_id", "line", "column")
        if any(name not in fields for name in wanted):
            self._reader.skip('"locations"')
            return
        kinds: tuple[Any, ...] = ("u4", "i8", "i8", "i8")
        columns = [numbers.column(kind) for kind in kinds]
        stride, node_stride = len(fields), len(layout.node_fields)

        def take(flat: Any) -> None:
            for name, column in zip(wanted, columns, strict=True):
                values = flat[fields.index(name) :: stride]
                if name == "object_index":
                    self._bounded("object_index of a location", values, layout.node_count * node_stride)
                    values, even = numbers.divided(values, node_stride)
                    if not even:
                        raise BadSnapshot("This heap snapshot is damaged: a location is not of a node.")
                else:
                    self._bounded(f"{name} of a location", values, 2**31, least=-(2**31))
                column.extend(values)

        self._array("locations", stride, take)
        into.locations = Locations(*(column.done() for column in columns))

    def _small(self, key: str, stride: int, into: list[int]) -> None:
        def take(flat: Any) -> None:
            into.extend(self._numbers.prefix(flat, len(flat)))

        self._array(key, stride, take)

    def _counted(self, key: str, announced_by: str, before: int, more: int, announced: int) -> int:
        if before + more > announced:
            raise BadSnapshot(
                f"This heap snapshot is damaged: its head says {announced_by} is {announced:,}, "
                f'but there are more "{key}" (byte {self._reader.position:,}).'
            )
        return before + more

    def _complete(self, key: str, announced_by: str, count: int, announced: int) -> None:
        if count != announced:
            raise BadSnapshot(
                f"This heap snapshot is damaged: its head says {announced_by} is {announced:,}, "
                f'but "{key}" holds {count:,}.'
            )

    def _bounded(self, what: str, values: Any, limit: int, least: int = 0) -> None:
        low, high = self._numbers.bounds(values)
        if low < least or high >= limit:
            bad = low if low < least else high
            raise BadSnapshot(
                f"This heap snapshot is damaged: {bad:,} can't be the {what} "
                f"(in the numbers before byte {self._reader.position:,})."
            )

    # -- numbers -------------------------------------------------------------------------------------

    def _array(self, key: str, stride: int, take: Callable[[Any], None]) -> None:
        """Read an array of integers; ``take`` gets whole records of ``stride`` numbers, at least one at a time."""
        self._job.step(f"reading {key}", self._reader.part_done)
        self._reader.expect("[", f'after "{key}"')
        if isinstance(self._numbers, CompiledNumbers):
            self._array_in_pieces(self._numbers, key, stride, take)
        else:
            self._array_at_once(key, stride, take)

    def _array_at_once(self, key: str, stride: int, take: Callable[[Any], None]) -> None:
        reader = self._reader
        begin = reader.at - 1
        end = reader.piece.find(b"]", begin)
        while end < 0:
            if not reader.more():
                self._refuse_array(key, begin + 1)
                raise BadSnapshot(f'This file is cut short: "{key}" has no end.')
            begin = reader.at = 0
            end = reader.piece.find(b"]")
        try:
            flat = msgspec.json.decode(memoryview(reader.piece)[begin : end + 1], type=list[int])
        except (msgspec.DecodeError, UnicodeDecodeError):
            self._refuse_array(key, begin + 1)
            raise BadSnapshot(f'This is no heap snapshot: "{key}" is no list of integers.') from None
        reader.at = end + 1
        if len(flat) % stride:
            self._refuse_rest(key, len(flat), stride)
        if flat:
            take(flat)

    def _refuse_array(self, key: str, begin: int) -> None:
        match = _INTEGER_ARRAY.match(self._reader.piece, begin)
        assert match is not None
        self._reader.at = match.end()
        if match.end() < len(self._reader.piece) and self._reader.piece[match.end()] != 0x5D:
            self._reader.refuse(f'an integer of "{key}" was expected')

    def _array_in_pieces(self, numbers: CompiledNumbers, key: str, stride: int, take: Callable[[Any], None]) -> None:
        numpy, reader = numbers.numpy, self._reader
        state = numpy.zeros(6, "i8")
        out = numpy.empty(0, "i8")
        left = 0
        total = 0
        while state[0] != 5:
            if reader.at == len(reader.piece) and not reader.next_piece():
                raise BadSnapshot(f'This file is cut short: it ends after {reader.position:,} bytes, in "{key}".')
            needed = left + (len(reader.piece) - reader.at) // 2 + 2
            if needed > len(out):
                out = numpy.concatenate((out[:left], numpy.empty(needed, "i8")))
            buffer = numpy.frombuffer(reader.piece, numpy.uint8)
            stop = numbers.kernels.parse_numbers(buffer, reader.at, len(buffer), out, left, state)
            reader.at = int(stop)
            if state[5] == 2:
                raise BadSnapshot(
                    f'This is no heap snapshot: a number of "{key}" at byte {reader.position:,} is absurd.'
                )
            if state[5]:
                reader.refuse(f'an integer of "{key}" was expected')
            count = int(state[4])
            whole = count - count % stride
            total += count - left
            if whole:
                take(out[:whole])
            left = count - whole
            out[:left] = out[whole:count].copy()
        reader.at += 1
        if left:
            self._refuse_rest(key, total, stride)

    def _refuse_rest(self, key: str, count: int, stride: int) -> None:
        raise BadSnapshot(
            f'This heap snapshot is damaged: "{key}" holds {count:,} numbers, which is no multiple of {stride}.'
        )

    # -- strings and the end -------------------------------------------------------------------------

    def _strings(self) -> None:
        into = self._head("strings")
        self._job.step("reading strings", self._reader.part_done)
        if self._reader.look() != ord("["):
            self._reader.refuse('"[" was expected after "strings"')
        text = self._reader.take_all()
        end = text.rfind(b"]")
        tail = text[end + 1 :].strip()
        if end < 0 or tail != b"}":
            raise BadSnapshot('This file is cut short: its "strings" have no end.')
        try:
            into.strings = msgspec.json.decode(memoryview(text)[: end + 1], type=list[str])
        except (msgspec.DecodeError, UnicodeDecodeError):
            # A half of a surrogate pair, as JavaScript strings may have: the standard library takes it.
            into.strings = _decoded(text[: end + 1])

    def _checked(self) -> Parsed:
        result = self._head("strings")
        missing = [key for key in ("nodes", "edges") if key not in self._done]
        if missing:
            raise BadSnapshot(f'This is no heap snapshot: it has no "{missing[0]}".')
        high = self._numbers.bounds(result.node_names)[1]
        if high >= len(result.strings):
            raise BadSnapshot(
                f"This heap snapshot is damaged: a node's name is string {high:,}, "
                f"and there are {len(result.strings):,}."
            )
        return result


def _decoded(text: bytes) -> list[str]:
    try:
        strings = json.loads(text.decode("utf-8", "replace"))
    except (ValueError, RecursionError) as error:
        raise BadSnapshot(f'This file is cut short or damaged: its "strings" are no JSON ({error}).') from error
    if not isinstance(strings, list) or not all(isinstance(string, str) for string in strings):
        raise BadSnapshot('This is no heap snapshot: "strings" holds what is no string.')
    return strings


def _shown(key: str) -> str:
    return shortened(one_line(key), 40)
