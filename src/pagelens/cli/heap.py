"""``pagelens heap``: heap snapshots in the terminal."""

from __future__ import annotations

import argparse
import json
import shutil
import sys
from collections.abc import Callable, Sequence
from typing import Any, NoReturn

from pagelens.analysis.heap import FILTERS, HeapEdge, HeapNode, HeapSnapshot, Statement
from pagelens.core.safe_text import one_line, shortened
from pagelens.errors import InvalidInput

__all__ = ["heap"]

#: A row for people, and the same for programs.
_Row = tuple[Sequence[str], dict[str, Any]]

_DESCRIPTION = """\
Understand a heap snapshot (a .heapsnapshot file of Chrome's, plain or gzipped). No browser is needed.
"""


def heap(arguments: Sequence[str]) -> int:
    """Run ``pagelens heap …``; returns the exit code.

    Raises:
        InvalidInput: a command line that can't be right.
        FileFailed, BadSnapshot, ExtraMissing, HeapObjectNotFound: as the analysis.
    """
    given = _parser().parse_args(list(arguments))
    show: Callable[[argparse.Namespace], None] = given.show
    show(given)
    return 0


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise InvalidInput(f"{message[:1].upper()}{message[1:]}.", f"See: {self.prog} --help")


def _parser() -> _Parser:
    parser = _Parser("pagelens heap", description=_DESCRIPTION)
    commands = parser.add_subparsers(metavar="COMMAND", required=True, parser_class=_Parser)

    def command(name: str, show: Callable[[argparse.Namespace], None], words: str) -> argparse.ArgumentParser:
        made = commands.add_parser(name, help=words, description=words)
        made.set_defaults(show=show)
        made.add_argument("--json", action="store_true", help="as JSON")
        return made

    def top(made: argparse.ArgumentParser) -> None:
        made.add_argument("--top", type=_count, default=30, metavar="N", help="most rows (default: 30; 0: all)")

    made = command("summary", _summary, "what the heap consists of")
    made.add_argument("file")
    made = command("classes", _classes, "its classes, those that retain most first")
    made.add_argument("file")
    made.add_argument("--filter", choices=FILTERS, default="", metavar="NAME", help=f"one of: {', '.join(FILTERS)}")
    made.add_argument("--native-context", type=_count, metavar="ID", help="for attributedToSpecificNativeContext")
    top(made)
    made = command("retainers", _retainers, "what keeps an object alive")
    made.add_argument("file")
    made.add_argument("id", type=_count, help="the object's id, e.g. 12345 or @12345")
    top(made)
    made = command("diff", _diff, "what a later snapshot has and an earlier one has not, class by class")
    made.add_argument("base", help="the earlier snapshot")
    made.add_argument("current", help="the later one")
    made.add_argument("--class", dest="class_index", type=_count, metavar="INDEX", help="the objects of one class")
    top(made)
    return parser


def _count(text: str) -> int:
    digits = text.removeprefix("@")
    if not (digits.isascii() and digits.isdigit()):
        raise argparse.ArgumentTypeError(f"{one_line(text)!r} is no number")
    return int(digits)


# -- commands ------------------------------------------------------------------------------------------


def _summary(given: argparse.Namespace) -> None:
    snapshot = _load(given.file)
    found, contexts, held = snapshot.statistics(), snapshot.native_contexts(), snapshot.retained_by_contexts()
    rows: list[_Row] = [
        ((label, _bytes(size)), {"name": key, "size": size})
        for label, key, size in (
            ("all", "total", found.total),
            ("  V8's heap", "v8Heap", found.v8_heap),
            ("    code", "code", found.code),
            ("    strings", "strings", found.strings),
            ("    arrays of JavaScript", "jsArrays", found.js_arrays),
            ("    the engine's own", "system", found.system),
            ("  the browser's (native)", "native", found.native),
            ("    typed arrays", "typedArrays", found.typed_arrays),
            ("held by closures' variables only", "retainedByContexts", held.retained_size),
            ("shared by several pages or frames", "sharedByNativeContexts", contexts.shared_size),
            ("of no page or frame", "ofNoNativeContext", contexts.unattributed_size),
        )
    ]
    for context in contexts.contexts:
        node = snapshot.at(context.node)
        rows.append(
            (
                (f"of @{node.id} {node.name}", _bytes(context.attributed_size)),
                {"name": node.name, "nodeId": node.id, "size": context.attributed_size},
            )
        )
    nodes, edges = f"{snapshot.node_count:,}", f"{snapshot.edge_count:,}"
    _print(given, ("", "bytes"), rows, note=f"{nodes} nodes, {edges} edges")


def _classes(given: argparse.Namespace) -> None:
    snapshot = _load(given.file)
    rows: list[_Row] = [
        (
            (str(row.id), f"{row.count:,}", _bytes(row.self_size), _bytes(row.retained_size), row.name),
            {
                "id": row.id,
                "name": row.name,
                "count": row.count,
                "selfSize": row.self_size,
                "retainedSize": row.retained_size,
            },
        )
        for row in snapshot.classes(given.filter, given.native_context)
    ]
    _print(given, ("class", "objects", "own bytes", "retained", "name"), rows)


def _retainers(given: argparse.Namespace) -> None:
    node = _load(given.file).node(given.id)
    path = [_edge_row(edge, edge.source) for edge in node.shortest_path]
    rows = [_edge_row(edge, edge.source) for edge in node.retainers]
    if given.json:
        print(
            json.dumps(
                {
                    "node": _node(node),
                    "shortestPath": [data for _, data in path],
                    "retainers": [data for _, data in _top(given, rows)],
                },
                indent=2,
            )
        )
        return
    print(f"@{node.id} {_cut(node.name, 100)}: {node.type}, {_bytes(node.retained_size)} bytes retained")
    header = ("object", "distance", "retained", "edge", "name")
    print("\nshortest path, from the page's roots:" if path else "\nnothing reaches it from the page's roots")
    _table(header, [texts for texts, _ in path])
    print(f"\n{len(rows)} retainers:" if rows else "\nno retainers")
    _table(header, [texts for texts, _ in _top(given, rows)])
    _rest(given, rows)


def _diff(given: argparse.Namespace) -> None:
    base, current = _load(given.base), _load(given.current)
    diff = current.compare(base)
    if given.class_index is not None:
        added, removed = diff.objects(given.class_index)
        objects: list[_Row] = [
            (
                (sign, f"@{node.id}", _bytes(node.self_size), _bytes(node.retained_size), node.name),
                {"change": change, **_node(node)},
            )
            for sign, change, nodes in (("+", "added", added), ("-", "removed", removed))
            for node in nodes
        ]
        note = one_line(diff.classes[given.class_index].name)
        _print(given, ("", "object", "own bytes", "retained", "name"), objects, note=note)
        return
    rows: list[_Row] = [
        (
            (
                str(row.index),
                f"+{row.added_count:,}",
                f"-{row.removed_count:,}",
                f"{row.count_delta:+,}",
                f"{row.size_delta:+,}",
                row.name,
            ),
            {
                "index": row.index,
                "name": row.name,
                "addedCount": row.added_count,
                "removedCount": row.removed_count,
                "addedSize": row.added_size,
                "removedSize": row.removed_size,
                "sizeDelta": row.size_delta,
            },
        )
        for row in diff.classes
    ]
    totals = diff.totals
    note = f"{totals.count_delta:+,} objects, {totals.size_delta:+,} bytes in all"
    _print(given, ("class", "new", "gone", "objects", "bytes", "name"), rows, note=note)


# -- rows and tables -----------------------------------------------------------------------------------


def _edge_row(edge: HeapEdge, node: HeapNode) -> _Row:
    distance = node.distance_as_retainer
    return (
        (f"@{node.id}", f"{distance:,}", _bytes(node.retained_size), f"{edge.type} {edge.name}", node.name),
        {"edge": edge.name, "edgeType": edge.type, **_node(node)},
    )


def _node(node: HeapNode) -> dict[str, Any]:
    return {
        "nodeId": node.id,
        "name": node.name,
        "type": node.type,
        "distance": node.distance,
        "selfSize": node.self_size,
        "retainedSize": node.retained_size,
    }


def _print(given: argparse.Namespace, header: Sequence[str], rows: Sequence[_Row], note: str = "") -> None:
    kept = _top(given, rows)
    if given.json:
        print(json.dumps([data for _, data in kept], indent=2))
        return
    if note:
        print(note)
    _table(header, [texts for texts, _ in kept])
    _rest(given, rows)


def _top(given: argparse.Namespace, rows: Sequence[_Row]) -> Sequence[_Row]:
    most = getattr(given, "top", 0)
    return rows[:most] if most else rows


def _rest(given: argparse.Namespace, rows: Sequence[_Row]) -> None:
    more = len(rows) - len(_top(given, rows))
    if more:
        print(f"… and {more:,} more (--top 0 shows all)")


def _table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Columns of the widths they need; what begins with a digit, a sign or @ is a number, and stands at the right."""
    if not rows:
        return
    cells = [[_cut(text, 60) for text in row[:-1]] + [row[-1]] for row in rows]
    last = len(header) - 1
    widths = [max(len(header[i]), *(len(row[i]) for row in cells)) for i in range(last)]
    room = max(shutil.get_terminal_size((140, 25)).columns - sum(widths) - 2 * last, 20)
    right = [all(row[i][:1] in "0123456789+-@" for row in cells) for i in range(len(header))]
    for row in [list(header), *cells]:
        line = [
            text.rjust(width) if left else text.ljust(width)
            for text, width, left in zip(row, widths, right, strict=False)
        ]
        line.append(_cut(row[-1], room).rjust(max(len(one[-1]) for one in cells) if right[-1] else 0))
        print("  ".join(line).rstrip())


def _bytes(size: int) -> str:
    return f"{size:,}"


def _cut(text: str, width: int) -> str:
    # The indent of a label is ours; all else comes from the page.
    indent = text[: len(text) - len(text.lstrip(" "))]
    return shortened(indent + one_line(text), width)


# -- loading -------------------------------------------------------------------------------------------


def _load(file: str) -> HeapSnapshot:
    if not sys.stderr.isatty():
        return HeapSnapshot.load(file)

    def tell(statement: Statement) -> None:
        sys.stderr.write(f"\r\x1b[K{statement}")
        sys.stderr.flush()

    try:
        return HeapSnapshot.load(file, progress=tell)
    finally:
        sys.stderr.write("\r\x1b[K")
