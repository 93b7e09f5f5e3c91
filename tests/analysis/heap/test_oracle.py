"""Real snapshots: every number equal to what the DevTools engine gives."""

from __future__ import annotations

import gzip
import json
from functools import cache
from typing import Any

import pytest

from pagelens.analysis.heap import FILTERS, HeapNode, HeapSnapshot
from tests.analysis.heap.engines import load
from tests.support.data import data_file, needs_data

pytestmark = needs_data

#: File, engine, and whether the file has its names beside it. The slow ones are part of `make test-all` only.
RUNS = [
    pytest.param("small", "plain"),
    pytest.param("small", "compiled"),
    pytest.param("example", "plain"),
    pytest.param("example", "compiled"),
    pytest.param("leaky1", "compiled"),
    pytest.param("leaky2", "compiled"),
    pytest.param("leaky1", "plain", marks=pytest.mark.long),
    pytest.param("leaky2", "plain", marks=pytest.mark.long),
    pytest.param("mid", "compiled", marks=pytest.mark.long),
    pytest.param("mid", "plain", marks=pytest.mark.long),
]
NAMED = [run for run in RUNS if run.values[0] != "mid"]


@cache
def snapshot(name: str, engine: str) -> HeapSnapshot:
    return load(data_file("data", "heap", f"{name}.heapsnapshot.gz"), engine)


@cache
def oracle(name: str) -> Any:
    with gzip.open(data_file("data", "heap", f"{name}.oracle.json.gz")) as file:
        return json.load(file)


def js(node: HeapNode) -> dict[str, Any]:
    return {"id": node.id, "selfSize": node.self_size, "retainedSize": node.retained_size}


@pytest.mark.parametrize(("name", "engine"), RUNS)
def test_every_node(name: str, engine: str) -> None:
    numpy = pytest.importorskip("numpy")
    ours, theirs = snapshot(name, engine), numpy.load(data_file("data", "heap", f"{name}.oracle.npz"))
    assert sorted(theirs.files) == ["distance", "id", "retained_size", "self_size"]
    for mine, key in (
        (ours.ids, "id"),
        (ours.self_sizes, "self_size"),
        (ours.retained_sizes, "retained_size"),
        (ours.distances, "distance"),
    ):
        assert len(mine) == len(theirs[key])
        assert int((mine != theirs[key]).sum()) == 0, key


@pytest.mark.parametrize(("name", "engine"), RUNS)
def test_statistics(name: str, engine: str) -> None:
    ours, theirs = snapshot(name, engine), oracle(name)
    found = ours.statistics()
    assert {
        "total": found.total,
        "native": {"total": found.native, "typedArrays": found.typed_arrays},
        "v8heap": {
            "total": found.v8_heap,
            "code": found.code,
            "jsArrays": found.js_arrays,
            "strings": found.strings,
            "system": found.system,
        },
    } == theirs["stats"]
    assert {
        "nodeCount": ours.node_count,
        "rootNodeIndex": ours.root.place,
        "totalSize": found.total,
        "maxJSObjectId": ours.max_js_object_id,
    } == theirs["static"]


@pytest.mark.parametrize(("name", "engine"), RUNS)
def test_classes(name: str, engine: str) -> None:
    ours, theirs = snapshot(name, engine), oracle(name)
    assert _table(ours, "") == theirs["agg"]
    for filter_name, expected in theirs["filters"].items():
        assert _table(ours, filter_name) == expected, filter_name
    assert set(theirs["filters"]) < set(FILTERS)


def _table(ours: HeapSnapshot, filter_name: str) -> dict[str, Any]:
    rows = ours.classes(filter_name)
    return {
        "aggregates": [
            {
                "id": row.id,
                "className": row.name,
                "count": row.count,
                "selfSize": row.self_size,
                "retainedSize": row.retained_size,
            }
            for row in rows
        ],
        "objectCount": sum(row.count for row in rows),
        "totalSelfSize": sum(row.self_size for row in rows),
    }


@pytest.mark.parametrize(("name", "engine"), RUNS)
def test_contexts(name: str, engine: str) -> None:
    ours, theirs = snapshot(name, engine), oracle(name)
    sizes = ours.native_contexts()
    nodes = [ours.at(context.node) for context in sizes.contexts]
    assert {
        "nativeContexts": [
            {
                "nodeId": node.id,
                "nodeIndex": node.place * len(ours.graph.layout.node_fields),
                "nodeName": node.name,
                "attributedSize": context.attributed_size,
                "retainedSize": context.retained_size,
                "selfSize": context.self_size,
            }
            for context, node in zip(sizes.contexts, nodes, strict=True)
        ],
        "sharedSize": sizes.shared_size,
        "noAttributionSize": sizes.unattributed_size,
    } == theirs["nc"]
    held = ours.retained_by_contexts()
    assert {
        "contextCount": held.context_count,
        "retainedByContextSize": held.retained_size,
        "retainedByContextCount": held.retained_count,
        "notRetainedByContextSize": held.other_size,
        "notRetainedByContextCount": held.other_count,
        "totalSize": held.retained_size + held.other_size,
    } == theirs["rbc"]


@pytest.mark.parametrize(("name", "engine"), RUNS)
def test_objects_of_a_native_context(name: str, engine: str) -> None:
    ours = snapshot(name, engine)
    for context in ours.native_contexts().contexts:
        rows = ours.classes("attributedToSpecificNativeContext", ours.at(context.node).id)
        assert sum(row.self_size for row in rows) == context.attributed_size


@pytest.mark.parametrize(("name", "engine"), RUNS)
def test_dead_variables(name: str, engine: str) -> None:
    ours, theirs = snapshot(name, engine), oracle(name)
    found = ours.analyze_contexts()
    stride = len(ours.graph.layout.node_fields)
    scopes = []
    for scope in found.scopes:
        scopes.append(
            {
                "scopeInfoNodeIndex": scope.node * stride,
                "scopeInfoNodeId": ours.at(scope.node).id,
                "scriptNodeIndex": scope.script * stride,
                "scriptNodeId": ours.at(scope.script).id,
                "scriptName": scope.script_name,
                **({} if scope.name is None else {"scopeName": scope.name}),
                "scopeStart": scope.start,
                "scopeEnd": scope.end,
                "contextFieldCount": scope.field_count,
                "contexts": [
                    {
                        "contextNodeIndex": context.node * stride,
                        "contextNodeId": ours.at(context.node).id,
                        "retainedSize": context.retained_size,
                        "deadFieldsRetainedSizeSum": context.dead_size,
                        "deadFields": [
                            {
                                "name": dead.name,
                                "valueNodeIndex": dead.value * stride,
                                "valueNodeId": ours.at(dead.value).id,
                                "valueName": ours.at(dead.value).name,
                                "valueType": ours.at(dead.value).type,
                                "selfSize": ours.at(dead.value).self_size,
                                "retainedSize": dead.retained_size,
                            }
                            for dead in context.dead_fields
                        ],
                    }
                    for context in scope.contexts
                ],
            }
        )
    assert scopes == theirs["ctx"]["scopes"]
    assert [(script.name, script.context_count) for script in found.scripts_without_scopes] == [
        (script["scriptName"], script["contextCount"]) for script in theirs["ctx"]["scriptsWithoutScopes"]
    ]


@pytest.mark.parametrize(("name", "engine"), RUNS)
def test_duplicate_strings(name: str, engine: str) -> None:
    ours, theirs = snapshot(name, engine), oracle(name)
    found = []
    for group in ours.duplicate_strings():
        entry = {
            "value": group.value,
            "count": group.count,
            "totalSelfSize": group.self_size,
            "totalRetainedSize": group.retained_size,
            "nodes": [ours.at(place).id for place in group.nodes],
            "truncated": group.truncated,
        }
        if group.truncated:
            entry |= {"length": group.length, "hash": group.hash}
        found.append(entry)
    assert found == theirs["dups"]


@pytest.mark.parametrize(("name", "engine"), RUNS)
def test_sampled_retainers_and_dominators(name: str, engine: str) -> None:
    ours, theirs = snapshot(name, engine), oracle(name)
    assert len(theirs["samples"]) == 200
    for sample in theirs["samples"]:
        node = ours.node(sample["id"])
        retainers = [
            [
                edge.name,
                edge.type,
                edge.source.id,
                edge.source.name,
                edge.source.distance_as_retainer,
                edge.source.self_size,
                edge.source.retained_size,
            ]
            for edge in node.retainers[:500]
        ]
        assert retainers == sample["ret"], sample["id"]
        chain = [[one.id, one.name, one.self_size, one.retained_size] for one in node.dominators]
        assert chain == sample["dom"], sample["id"]
        info = sample["info"]
        assert {
            "id": node.id,
            "name": node.name,
            "type": node.type,
            "nodeIndex": node.place * len(ours.graph.layout.node_fields),
            "detachedness": node.detachedness,
            "selfSize": node.self_size,
            "retainedSize": node.retained_size,
            "distance": node.distance,
            "edgeCount": node.edge_count,
            "retainerCount": node.retainer_count,
        } == info


@pytest.mark.parametrize(("name", "engine"), NAMED)
def test_every_name(name: str, engine: str) -> None:
    ours = snapshot(name, engine)
    with gzip.open(data_file("data", "heap", f"{name}.names.json.gz")) as file:
        theirs = json.load(file)
    assert [ours.names.node(place) for place in range(ours.node_count)] == theirs


@pytest.mark.parametrize(
    ("base", "current", "engine"),
    [
        ("leaky1", "leaky2", "compiled"),
        pytest.param("leaky1", "leaky2", "plain", marks=pytest.mark.long),
        pytest.param("mid", "mid2", "compiled", marks=pytest.mark.long),
    ],
)
def test_comparison(base: str, current: str, engine: str) -> None:
    theirs = oracle(base)["diff"]
    diff = snapshot(current, engine).compare(snapshot(base, engine))
    assert [
        {
            "index": row.index,
            "className": row.name,
            "addedCount": row.added_count,
            "removedCount": row.removed_count,
            "countDelta": row.count_delta,
            "addedSize": row.added_size,
            "removedSize": row.removed_size,
            "sizeDelta": row.size_delta,
        }
        for row in diff.classes
    ] == theirs["classDiffs"]
    assert {
        "addedCount": diff.totals.added_count,
        "removedCount": diff.totals.removed_count,
        "countDelta": diff.totals.count_delta,
        "addedSize": diff.totals.added_size,
        "removedSize": diff.totals.removed_size,
        "sizeDelta": diff.totals.size_delta,
    } == theirs["totals"]
    for row in diff.classes:
        added, removed = diff.objects(row.index)
        assert (len(added), sum(node.self_size for node in added)) == (row.added_count, row.added_size)
        assert (len(removed), sum(node.self_size for node in removed)) == (row.removed_count, row.removed_size)


def test_the_two_engines_compare_with_each_other() -> None:
    one = snapshot("small", "compiled").compare(snapshot("small", "plain"))
    other = snapshot("small", "plain").compare(snapshot("small", "compiled"))
    assert one.classes == other.classes == []
