"""Tables and facts of heap snapshots: what each question of the memory tools shows.

A view is made off the event loop; its rows are made for the page of them that is shown.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from pagelens.core.safe_text import one_line, shortened
from pagelens.errors import HeapObjectNotFound
from pagelens.response.listing import Row

if TYPE_CHECKING:
    from pagelens.analysis.heap import ClassDiff, ClassRow, DuplicateString, HeapEdge, HeapNode, HeapSnapshot, PathStep
    from pagelens.context.memory import LeakReport

__all__ = ["VIEWS", "HeapView", "leaks_view", "node_row", "table_lines"]

#: Characters of a name when nobody says.
NAME_LENGTH = 120


@dataclass(slots=True)
class HeapView:
    """The answer to one question.

    Attributes:
        title: of the block.
        key: JSON key of the rows.
        items: what the rows are made of, all of them.
        row: an item as data; every value a JSON scalar, the name last.
        lines: what is said above the rows, safe to print.
        facts: the same as JSON, under ``heapSnapshot``.
        is_paged: the tool takes ``pageSize`` and ``pageIdx``.
        text: lines for some of the rows; a table when None.
    """

    title: str
    key: str = ""
    items: Sequence[Any] = ()
    row: Callable[[Any], Row] = dict
    lines: list[str] = field(default_factory=list)
    facts: dict[str, Any] = field(default_factory=dict)
    is_paged: bool = True
    text: Callable[[Sequence[Row]], list[str]] | None = None


def table_lines(rows: Sequence[Row]) -> list[str]:
    """A line for each row, its values with spaces between, under a line that says what they are. What has spaces in it
    comes last, or in quotes."""
    if not rows:
        return []
    columns = list(dict.fromkeys(column for row in rows for column, value in row.items() if value is not None))
    lines = [" ".join(columns)]
    for row in rows:
        cells = [_cell(row.get(column), is_last=column == columns[-1]) for column in columns]
        lines.append(" ".join(cells).rstrip())
    return lines


def _cell(value: Any, *, is_last: bool) -> str:
    if value is None:
        return "-"
    if isinstance(value, bool):
        return "yes" if value else "no"
    text = str(value)
    if not text:
        return "" if is_last else '""'
    if is_last or not (" " in text or text.startswith('"')):
        return text
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _name(text: str, limit: int | None) -> str:
    return shortened(one_line(text[:100_000]), limit or NAME_LENGTH)


def _bytes(size: int) -> str:
    return f"{size:,} bytes"


def node_row(node: HeapNode, limit: int | None, **first: Any) -> Row:
    """An object as data."""
    state = node.dom_state
    return {
        **first,
        "nodeId": node.id,
        "type": node.type,
        "distance": node.distance,
        "selfSize": node.self_size,
        "retainedSize": node.retained_size,
        "dom": None if state == "unknown" else state,
        "name": _name(node.name, limit),
    }


# -- the whole -----------------------------------------------------------------------------------------


def summary(snapshots: Sequence[HeapSnapshot], maxNameLength: int | None = None) -> HeapView:
    """What the heap consists of, and its native contexts."""
    (snapshot,) = snapshots
    found, contexts, held = snapshot.statistics(), snapshot.native_contexts(), snapshot.retained_by_contexts()
    facts = {
        "nodes": snapshot.node_count,
        "edges": snapshot.edge_count,
        "total": found.total,
        "v8Heap": found.v8_heap,
        "native": found.native,
        "typedArrays": found.typed_arrays,
        "code": found.code,
        "strings": found.strings,
        "jsArrays": found.js_arrays,
        "system": found.system,
        "retainedByClosures": held.retained_size,
        "sharedByNativeContexts": contexts.shared_size,
        "ofNoNativeContext": contexts.unattributed_size,
    }
    lines = [
        f"{_bytes(found.total)} in {snapshot.node_count:,} objects with {snapshot.edge_count:,} references",
        f"V8's heap {found.v8_heap:,}: code {found.code:,}, strings {found.strings:,}, "
        f"JavaScript arrays {found.js_arrays:,}, the engine's own {found.system:,}",
        f"native {found.native:,}, of which typed arrays {found.typed_arrays:,}",
        f"held by closures' variables only: {held.retained_size:,} in {held.retained_count:,} objects",
        f"shared by native contexts {contexts.shared_size:,}, of none {contexts.unattributed_size:,}",
    ]

    def row(context: Any) -> Row:
        node = snapshot.at(context.node)
        return {
            "nodeId": node.id,
            "attributedSize": context.attributed_size,
            "retainedSize": context.retained_size,
            "name": _name(node.name, maxNameLength),
        }

    if contexts.contexts:
        lines.append("Native contexts (worlds of pages and frames):")
    return HeapView(
        "Heap snapshot", "heapNativeContexts", contexts.contexts, row, lines=lines, facts=facts, is_paged=False
    )


def classes(
    snapshots: Sequence[HeapSnapshot],
    filterName: str | None = None,
    objectId: int | None = None,
    maxNameLength: int | None = None,
) -> HeapView:
    """The table of classes."""
    (snapshot,) = snapshots
    rows = snapshot.classes(filterName or "", objectId)

    def row(one: ClassRow) -> Row:
        return {
            "id": one.id,
            "count": one.count,
            "selfSize": one.self_size,
            "retainedSize": one.retained_size,
            "name": _name(one.name, maxNameLength),
        }

    of = f", {filterName}" if filterName else ""
    size = sum(one.self_size for one in rows)
    line = f"{sum(one.count for one in rows):,} objects of {len(rows):,} classes, {_bytes(size)}"
    return HeapView(f"Classes{of}", "heapClasses", rows, row, lines=[line])


def class_nodes(
    snapshots: Sequence[HeapSnapshot],
    id: int,
    filterName: str | None = None,
    objectId: int | None = None,
    maxNameLength: int | None = None,
) -> HeapView:
    """The objects of one class, those that retain most first."""
    (snapshot,) = snapshots
    nodes = snapshot.class_nodes(id, filterName or "", objectId)
    sizes = snapshot.graph.retained_sizes
    nodes.sort(key=lambda node: -int(sizes[node.place]))
    name = _name(nodes[0].class_name, maxNameLength) if nodes else f"class {id}"
    return HeapView(f"Objects of {name}", "heapNodes", nodes, lambda node: node_row(node, maxNameLength))


def query(
    snapshots: Sequence[HeapSnapshot],
    className: str | None = None,
    propertyName: str | None = None,
    nodeType: str | None = None,
    selfSize: tuple[int | None, int | None] = (None, None),
    retainedSize: tuple[int | None, int | None] = (None, None),
    isDetached: bool | None = None,
    sortBy: Literal["retainedSize", "selfSize", "id"] | None = None,
    maxNameLength: int | None = None,
) -> HeapView:
    """The objects that conditions hold for."""
    (snapshot,) = snapshots
    nodes = snapshot.query(
        class_name=className or "",
        property_name=propertyName or "",
        node_type=nodeType or "",
        min_self_size=selfSize[0],
        max_self_size=selfSize[1],
        min_retained_size=retainedSize[0],
        max_retained_size=retainedSize[1],
        is_detached=isDetached,
        sort_by=sortBy or "retainedSize",
    )
    lines = [] if nodes else ["No object."]
    return HeapView("Objects", "heapNodes", nodes, lambda node: node_row(node, maxNameLength), lines=lines)


def duplicate_strings(snapshots: Sequence[HeapSnapshot], maxNameLength: int | None = None) -> HeapView:
    """Texts that several strings have."""
    (snapshot,) = snapshots
    found = snapshot.duplicate_strings()

    def row(one: DuplicateString) -> Row:
        return {
            "count": one.count,
            "selfSize": one.self_size,
            "retainedSize": one.retained_size,
            "nodeId": snapshot.at(one.nodes[0]).id,
            "length": one.length,
            "value": _name(one.value, maxNameLength),
        }

    wasted = sum(one.self_size - one.self_size // one.count for one in found)
    lines = [f"{len(found):,} texts are there several times; their copies take {_bytes(wasted)}"]
    return HeapView("Duplicate strings", "heapDuplicateStrings", found, row, lines=lines)


# -- one object ----------------------------------------------------------------------------------------


def details(snapshots: Sequence[HeapSnapshot], nodeId: int, maxNameLength: int | None = None) -> HeapView:
    """One object, and the shortest path to it."""
    from pagelens.analysis.heap.retained_by import Words

    (snapshot,) = snapshots
    node = snapshot.node(nodeId)
    facts = {
        **node_row(node, maxNameLength),
        "className": _name(node.class_name, maxNameLength),
        "edges": node.edge_count,
        "retainers": node.retainer_count,
    }
    lines = [
        f"@{node.id} {facts['name']}",
        f"type {node.type}, class {facts['className']}, distance {node.distance_as_retainer:,}"
        + ("" if facts["dom"] is None else f", {facts['dom']} (DOM)"),
        f"own {_bytes(node.self_size)}, retained {_bytes(node.retained_size)}",
        f"{node.edge_count:,} references to others, {node.retainer_count:,} from others",
    ]
    words = Words(snapshot)
    holder = words.holder(node.place, frozenset((node.place,)))
    if holder is not None:
        facts["heldBy"] = _name(holder.words, 500)
        lines.append(facts["heldBy"])
    path = [_name(step, 200) for step in words.path(node.place)]
    lines.append(
        "Shortest path from the page's roots:" if len(path) > 1 else "Nothing reaches it from the page's roots."
    )
    facts["shortestPath"] = path if len(path) > 1 else []
    lines += [f"  {step}" for step in facts["shortestPath"]]
    return HeapView("Object", lines=lines, facts=facts, is_paged=False)


def _edge_row(edge: HeapEdge, node: HeapNode, limit: int | None) -> Row:
    return {
        "edge": _name(edge.name, limit),
        "edgeType": edge.type,
        **node_row(node, limit),
        "distance": node.distance_as_retainer,
    }


def retainers(snapshots: Sequence[HeapSnapshot], nodeId: int, maxNameLength: int | None = None) -> HeapView:
    """What refers to an object, the nearest to the roots first."""
    (snapshot,) = snapshots
    found = sorted(snapshot.node(nodeId).retainers, key=lambda edge: edge.source.distance_as_retainer)
    lines = [] if found else ["Nothing keeps it alive but the engine, or weak references."]
    return HeapView(
        f"Retainers of @{nodeId}",
        "heapRetainers",
        found,
        lambda edge: _edge_row(edge, edge.source, maxNameLength),
        lines=lines,
    )


def edges(
    snapshots: Sequence[HeapSnapshot],
    nodeId: int,
    sortBy: Literal["retainedSize", "selfSize", "name"] | None = None,
    retainedSize: tuple[int | None, int | None] = (None, None),
    excludePrimitives: bool | None = None,
    maxNameLength: int | None = None,
) -> HeapView:
    """What an object refers to."""
    (snapshot,) = snapshots
    found = snapshot.node(nodeId).sorted_edges(
        sortBy or "retainedSize",
        min_retained_size=retainedSize[0],
        max_retained_size=retainedSize[1],
        exclude_primitives=bool(excludePrimitives),
    )
    lines = [] if found else ["No references."]
    return HeapView(
        f"References of @{nodeId}",
        "heapEdges",
        found,
        lambda edge: _edge_row(edge, edge.target, maxNameLength),
        lines=lines,
    )


def dominators(snapshots: Sequence[HeapSnapshot], nodeId: int, maxNameLength: int | None = None) -> HeapView:
    """An object and what dominates it, up to the root."""
    (snapshot,) = snapshots
    chain = snapshot.node(nodeId).dominators
    lines = ["Each is freed with the next one at the latest."]
    return HeapView(
        f"Dominators of @{nodeId}",
        "heapDominators",
        chain,
        lambda node: node_row(node, maxNameLength),
        lines=lines,
        is_paged=False,
    )


def retaining_paths(
    snapshots: Sequence[HeapSnapshot],
    nodeId: int,
    maxDepth: int | None = None,
    maxNodes: int | None = None,
    maxSiblings: int | None = None,
    maxNameLength: int | None = None,
) -> HeapView:
    """Paths from an object up to the roots, as an indented tree."""
    (snapshot,) = snapshots
    given = {"max_depth": maxDepth, "max_nodes": maxNodes, "max_siblings": maxSiblings}
    paths, limits = snapshot.node(nodeId).retaining_paths(
        **{name: max(1, value) for name, value in given.items() if value is not None}
    )
    steps: list[tuple[int, PathStep]] = []
    waiting = [(1, step) for step in reversed(paths)]
    while waiting:
        depth, step = waiting.pop()
        steps.append((depth, step))
        waiting += [(depth + 1, above) for above in reversed(step.above)]

    def row(item: tuple[int, PathStep]) -> Row:
        depth, step = item
        return {
            "depth": depth,
            "edge": _name(step.edge.name, maxNameLength),
            "edgeType": step.edge.type,
            "nodeId": step.node.id,
            "distance": step.distance,
            "retainedSize": step.node.retained_size,
            "name": _name(step.node.name, maxNameLength),
        }

    def text(rows: Sequence[Row]) -> list[str]:
        return [
            f"{'  ' * row['depth']}{row['edge']} ({row['edgeType']}) of @{row['nodeId']} {row['name']} "
            f"(distance {row['distance']}, retains {row['retainedSize']:,})"
            for row in rows
        ]

    cut = [
        name
        for name, is_cut in (
            ("maxDepth", limits.depth),
            ("maxNodes", limits.nodes),
            ("maxSiblings", limits.siblings),
        )
        if is_cut
    ]
    node = snapshot.node(nodeId)
    lines = [f"@{node.id} {_name(node.name, maxNameLength)} is held by:" if steps else "No path leads to it."]
    if cut:
        lines.append(f"(Not all: cut by {', '.join(cut)}.)")
    return HeapView(
        f"Retaining paths of @{nodeId}",
        "heapRetainingPaths",
        steps,
        row,
        lines=lines,
        facts={"limitsReached": cut},
        is_paged=False,
        text=text,
    )


# -- two snapshots, closures, leaks --------------------------------------------------------------------


def compare(
    snapshots: Sequence[HeapSnapshot], classIndex: int | None = None, maxNameLength: int | None = None
) -> HeapView:
    """What the second snapshot has and the first has not, class by class; or the objects of one class."""
    base, current = snapshots
    diff = current.compare(base)
    if classIndex is not None:
        added, removed = diff.objects(classIndex)
        objects = [*(("added", node) for node in added), *(("removed", node) for node in removed)]
        return HeapView(
            f"Changed objects of {_name(diff.classes[classIndex].name, maxNameLength)}",
            "heapObjectDiffs",
            objects,
            lambda item: node_row(item[1], maxNameLength, change=item[0]),
        )

    def row(one: ClassDiff) -> Row:
        return {
            "classIndex": one.index,
            "addedCount": one.added_count,
            "removedCount": one.removed_count,
            "countDelta": one.count_delta,
            "sizeDelta": one.size_delta,
            "name": _name(one.name, maxNameLength),
        }

    totals = diff.totals
    facts = {"countDelta": totals.count_delta, "sizeDelta": totals.size_delta}
    lines = [
        f"{totals.count_delta:+,} objects, {totals.size_delta:+,} bytes in all; classIndex shows one class's objects"
    ]
    return HeapView("Comparison", "heapClassDiffs", diff.classes, row, lines=lines, facts=facts)


def contexts(
    snapshots: Sequence[HeapSnapshot],
    scopeInfoNodeId: int | None = None,
    retainedSize: tuple[int | None, int | None] = (None, None),
    maxNameLength: int | None = None,
) -> HeapView:
    """Closures' variables that nothing can read any more."""
    (snapshot,) = snapshots
    analysis = snapshot.analyze_contexts()
    least, most = retainedSize

    def fits(size: int) -> bool:
        return (least is None or size >= least) and (most is None or size <= most)

    lines = []
    if analysis.scripts_without_scopes:
        lines.append(
            f"{len(analysis.scripts_without_scopes):,} scripts can't be judged: the snapshot lacks their scopes."
        )
    scopes = [
        (scope, kept)
        for scope in analysis.scopes
        if (kept := [context for context in scope.contexts if fits(context.dead_size)])
    ]
    if scopeInfoNodeId is not None:
        chosen = next((kept for scope, kept in scopes if snapshot.at(scope.node).id == scopeInfoNodeId), None)
        if chosen is None:
            raise HeapObjectNotFound(
                f"No scope with dead variables has the id {scopeInfoNodeId}.",
                "Take one from the list without scopeInfoNodeId.",
            )

        def field_row(item: Any) -> Row:
            context, dead = item
            value = snapshot.at(dead.value)
            return {
                "contextNodeId": snapshot.at(context.node).id,
                "variable": _name(dead.name, maxNameLength),
                "nodeId": value.id,
                "retainedSize": dead.retained_size,
                "name": _name(value.name, maxNameLength),
            }

        fields = [(context, dead) for context in chosen for dead in context.dead_fields]
        return HeapView(f"Dead variables of @{scopeInfoNodeId}", "heapDeadVariables", fields, field_row, lines=lines)

    def scope_row(item: Any) -> Row:
        scope, kept = item
        return {
            "scopeInfoNodeId": snapshot.at(scope.node).id,
            "contexts": len(kept),
            "deadSize": sum(context.dead_size for context in kept),
            "variables": _name(" ".join(dict.fromkeys(d.name for c in kept for d in c.dead_fields)), maxNameLength),
            "function": _name(scope.name or "", maxNameLength) or None,
            "start": scope.start,
            "end": scope.end,
            "script": _name(scope.script_name, maxNameLength),
        }

    lines.insert(0, f"{len(scopes):,} scopes hold variables that nothing can read any more")
    return HeapView("Dead variables of closures", "heapScopes", scopes, scope_row, lines=lines)


def leaks_view(report: LeakReport) -> HeapView:
    """What grew each time."""
    first, second, third = report.sizes
    lines = [
        f"The heap had {first:,}, {second:,}, {third:,} bytes after {report.repeats}, {2 * report.repeats} and "
        f"{3 * report.repeats} times."
    ]
    if report.released:
        lines.append(f"{report.released} objects of old console messages were let go of: they are text now.")
    if not report.leaks:
        lines.append("Nothing that the page made grew each time.")
    else:
        lines.append(f"Grew each time ({len(report.leaks)}), those that retain most first:")

    def row(leak: Any) -> Row:
        return {
            "count": leak.count,
            "retainedSize": leak.retained_size,
            "first": leak.first,
            "second": leak.second,
            "nodeId": leak.node_id,
            "what": _name(leak.name, 200),
            "with": _name(", ".join(f"{count:,} {name}" for name, count in leak.contents), 300) or None,
            "path": _name(" ".join(leak.path), 1000),
            "heldBy": _name(leak.held_by, 500),
        }

    def text(rows: Sequence[Row]) -> list[str]:
        found = []
        for row in rows:
            inner = f" (with {row['with']})" if row["with"] else ""
            found.append(f"- {row['count']:,} {row['what']}{inner}, {row['heldBy']}")
            found.append(f"  retained: {row['retainedSize']:,} bytes; came: {row['first']}, then {row['second']}")
            found.append(f"  path: {row['path']}")
        return found

    facts = {"sizes": list(report.sizes), "repeats": report.repeats, "released": report.released}
    return HeapView(
        "Memory leaks", "memoryLeaks", report.leaks, row, lines=lines, facts=facts, is_paged=False, text=text
    )


#: The views by the names that orders have for them.
VIEWS: dict[str, Callable[..., HeapView]] = {
    "summary": summary,
    "classes": classes,
    "class_nodes": class_nodes,
    "query": query,
    "duplicate_strings": duplicate_strings,
    "details": details,
    "retainers": retainers,
    "retaining_paths": retaining_paths,
    "dominators": dominators,
    "edges": edges,
    "compare": compare,
    "contexts": contexts,
}
