"""The rules for sizes, distances and dominators, each on a heap made for it, in both ways to run them."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.analysis.heap.engines import ENGINES
from tests.analysis.heap.made import Loaded, MadeHeap

Load = Callable[[MadeHeap], Loaded]


@pytest.fixture(params=ENGINES)
def load(request: pytest.FixtureRequest, tmp_path: Path) -> Load:
    return lambda heap: Loaded(heap, tmp_path, request.param)


def heap() -> MadeHeap:
    """A root with the synthetic node that today's snapshots have: no user roots."""
    made = MadeHeap()
    made.node("gc", "synthetic", "(GC roots)")
    made.edge("root", "gc", "element", 1)
    return made


def with_user_root() -> MadeHeap:
    made = MadeHeap()
    made.node("window", "object", "Window", 10)
    made.edge("root", "window", "shortcut", "window")
    return made


def test_a_node_dominates_what_only_it_reaches(load: Load) -> None:
    made = heap()
    for key in "abcde":
        made.node(key, size=1)
    for pair in ("gc a", "a b", "a c", "b d", "c d", "d e", "e d"):
        made.edge(*pair.split())
    loaded = load(made)
    assert [loaded.dominator(key) for key in "abcde"] == ["gc", "a", "a", "a", "d"]
    assert [loaded.retained(key) for key in "abcde"] == [5, 1, 1, 2, 1]
    assert loaded.retained("root") == 5


def test_dominators_of_any_graph(load: Load) -> None:
    """A node dominates what is out of reach without it."""
    chance = random.Random(11)
    for _ in range(60):
        made = heap()
        keys = [f"n{number}" for number in range(chance.randint(1, 12))]
        for key in keys:
            made.node(key, size=chance.randint(1, 9))
        everything = ["gc", *keys]
        edges = {("gc", chance.choice(keys)) for _ in range(2)}
        edges |= {(chance.choice(everything), chance.choice(keys)) for _ in range(2 * len(keys))}
        for key in keys:
            if key not in _reached(edges, ""):
                edges.add(("gc", key))
        for source, target in sorted(edges):
            made.edge(source, target)
        loaded = load(made)
        reached = _reached(edges, "")
        for key in reached - {"gc"}:
            lost = reached - _reached(edges, key)
            assert loaded.retained(key) == sum(made.nodes[made.places[one]]["self_size"] for one in lost)
            assert all(loaded.dominator(one) in lost for one in lost - {key})


def _reached(edges: set[tuple[str, str]], without: str) -> set[str]:
    found, waiting = {"gc"}, ["gc"]
    while waiting:
        here = waiting.pop()
        new = {target for source, target in edges if source == here and target != without} - found
        found |= new
        waiting += new
    return found


@pytest.mark.parametrize("length", [50_000])
def test_a_long_list_is_no_trouble(load: Load, length: int) -> None:
    made = heap()
    made.strings = ["", "(GC roots)", "next", "Link"]
    made.node("link 0", name="Link", size=1, held_by="gc")
    for number in range(1, length):
        made.node(f"link {number}", name="Link", size=1)
        made.edge(f"link {number - 1}", f"link {number}", name="next")
    loaded = load(made)
    assert loaded.retained("link 0") == length
    assert loaded.distance(f"link {length - 1}") == length + 1
    last = loaded.snapshot.at(made.places[f"link {length - 1}"])
    assert len(last.shortest_path) == length  # the synthetic node at distance 1 is where the page's roots begin
    assert len(last.dominators) == length + 2


@pytest.mark.parametrize("kind", ["weak", "shortcut"])
def test_edges_that_hold_nothing(load: Load, kind: str) -> None:
    made = heap()
    made.node("a", size=1, held_by="gc")
    made.node("b", size=2)
    made.edge("a", "b", kind)
    loaded = load(made)
    assert loaded.dominator("b") == "root"
    assert loaded.retained("a") == 1
    assert loaded.distance("b") == (-5 if kind == "weak" else 3)
    assert loaded.snapshot.graph.unreachable == 1


def test_an_edge_to_itself_is_no_retainer(load: Load) -> None:
    made = heap()
    made.node("lonely", size=3)
    made.edge("lonely", "lonely")
    loaded = load(made)
    assert loaded.dominator("lonely") == "root"
    assert loaded.distance("lonely") == -5


def test_cycles_that_nothing_holds_hang_below_the_root(load: Load) -> None:
    made = heap()
    for key in "abc":
        made.node(key, size=1)
    for pair in ("a b", "b a", "b c"):
        made.edge(*pair.split())
    loaded = load(made)
    assert [loaded.dominator(key) for key in "abc"] == ["root"] * 3
    assert loaded.retained("root") == 3
    assert loaded.snapshot.at(made.places["c"]).distance_as_retainer == 200_000_000


def test_the_engine_does_not_hold_what_is_the_pages(load: Load) -> None:
    made = with_user_root()
    made.node("gc", "synthetic", "(GC roots)")
    made.edge("root", "gc", "element", 1)
    made.node("engine", "hidden", "engine", 1, held_by="gc")
    made.node("owned", size=5)
    made.edge("window", "owned")
    made.edge("engine", "owned")
    loaded = load(made)
    assert loaded.dominator("owned") == "window"
    assert loaded.distance("owned") == 2


def test_documents_are_the_pages_too(load: Load) -> None:
    made = MadeHeap()
    made.node("trees", "synthetic", "(Document DOM trees)")
    made.edge("root", "trees", "element", 1)
    made.node("gc", "synthetic", "(GC roots)")
    made.edge("root", "gc", "element", 2)
    made.node("div", "native", "<div>", 5, held_by="trees")
    made.edge("gc", "div")
    loaded = load(made)
    assert loaded.dominator("div") == "trees"
    assert (loaded.distance("trees"), loaded.distance("div"), loaded.distance("gc")) == (1, 2, 100_000_001)


def test_distances_begin_at_user_roots(load: Load) -> None:
    made = with_user_root()
    made.node("gc", "synthetic", "(GC roots)")
    made.edge("root", "gc", "element", 1)
    made.node("mine", held_by="window")
    made.node("far", held_by="gc")
    made.edge("gc", "mine")
    loaded = load(made)
    assert [loaded.distance(key) for key in ("window", "mine", "root", "gc", "far")] == [
        1,
        2,
        100_000_000,
        100_000_001,
        100_000_002,
    ]


def test_some_edges_would_make_far_things_look_near(load: Load) -> None:
    made = heap()
    made.node("context", "hidden", "system / NativeContext", held_by="gc")
    made.node("map", "hidden", "map")
    made.edge("context", "map", "property", "sloppy_function_map")
    made.node("descriptors", "array", "(map descriptors)", held_by="gc")
    for index in range(6):
        made.node(f"entry {index}", "hidden", "entry")
        made.edge("descriptors", f"entry {index}", "hidden", index)
    loaded = load(made)
    assert loaded.distance("map") == -5
    assert [loaded.distance(f"entry {index}") for index in range(6)] == [3, 3, 3, 3, -5, 3]


def weak_map(made: MadeHeap) -> str:
    made.node("key", held_by="gc")
    made.node("far", held_by="gc")
    made.node("table", "array", "table", 1, id=501)
    made.edge("far", "table")
    made.node("value", size=8)
    pair = " / part of key (Key @1) -> value (Value @2) pair in WeakMap (table @501)"
    made.edge("key", "value", "internal", f"1{pair}")
    made.edge("table", "value", "internal", f"2{pair}")
    return pair


def test_a_weak_maps_value_needs_key_and_table(load: Load) -> None:
    made = heap()
    weak_map(made)
    loaded = load(made)
    assert loaded.distance("value") == 4  # after the table (3), not after the key (2)
    assert loaded.dominator("value") == "key"  # the table's edge holds nothing


def test_each_value_of_a_weak_maps_entry_needs_two_of_its_own(load: Load) -> None:
    """Two values under one name: what let the first in does not let in the second."""
    made = heap()
    pair = weak_map(made)
    made.node("near", held_by="table")
    made.node("behind", held_by="near")
    made.node("other")
    made.edge("near", "other", "internal", f"1{pair}")
    made.edge("behind", "other", "internal", f"2{pair}")
    loaded = load(made)
    assert [loaded.distance(key) for key in ("value", "near", "behind", "other")] == [4, 4, 5, 6]


def test_half_of_a_weak_maps_entry_is_remembered_from_the_first_search_to_the_second(load: Load) -> None:
    made = with_user_root()
    made.node("gc", "synthetic", "(GC roots)")
    made.edge("root", "gc", "element", 1)
    weak_map(made)
    made.edge("window", "key")
    loaded = load(made)
    assert loaded.distance("value") == 100_000_004


def test_internal_nodes_give_their_size_to_their_owner(load: Load) -> None:
    made = with_user_root()
    for key, kind, name in (
        ("elements", "array", ""),
        ("map", "hidden", "map"),
        ("external", "native", "system / ExternalStringData"),
    ):
        made.node(key, kind, name, 100)
    made.edge("window", "elements", "internal", "elements")
    made.edge("elements", "map", "internal", "map")
    made.edge("map", "external", "internal", "external")
    made.edge("window", "map", "weak", "map")
    loaded = load(made)
    assert loaded.size("window") == 310
    assert [loaded.size(key) for key in ("elements", "map", "external")] == [0, 0, 0]


def test_internal_nodes_of_two_owners_keep_their_size(load: Load) -> None:
    made = with_user_root()
    made.node("other", size=1, held_by="window")
    made.node("shared", "array", "", 100)
    made.node("inner", "array", "", 7)
    made.edge("window", "shared", "internal", "elements")
    made.edge("other", "shared", "internal", "elements")
    made.edge("shared", "inner", "internal", "inner")
    loaded = load(made)
    assert [loaded.size(key) for key in ("window", "other", "shared", "inner")] == [10, 1, 100, 7]


def test_what_a_synthetic_node_owns_keeps_its_size(load: Load) -> None:
    made = with_user_root()
    made.node("gc", "synthetic", "(GC roots)")
    made.edge("root", "gc", "element", 1)
    made.node("array", "array", "", 100, held_by="gc")
    assert load(made).size("array") == 100


def test_sizes_stay_where_they_are_without_user_roots(load: Load) -> None:
    made = heap()
    made.node("object", size=10, held_by="gc")
    made.node("elements", "array", "", 100)
    made.edge("object", "elements", "internal", "elements")
    assert load(made).size("object") == 10


def test_dom_states_spread_and_detached_nodes_say_so(load: Load) -> None:
    made = heap()
    made.node("document", "native", "HTMLDocument", detached=1, held_by="gc")
    made.node("body", "native", "<body>", held_by="document")
    made.node("div", "native", '<div class="x">', detached=2, held_by="gc")
    made.node("child", "native", "<p>", held_by="div")
    made.node("wrapper", "object", "HTMLDivElement", held_by="div")
    made.node("behind", "native", "<b>", held_by="wrapper")
    made.node("hidden", "native", "<i>")
    made.edge("div", "hidden", "hidden", 3)
    made.edge("div", "body")
    loaded = load(made)
    states = {key: loaded.snapshot.at(made.places[key]).dom_state for key in made.places}
    assert states == {
        "root": "unknown",
        "gc": "unknown",
        "document": "attached",
        "body": "attached",
        "div": "detached",
        "child": "detached",
        "wrapper": "unknown",
        "behind": "unknown",
        "hidden": "unknown",
    }
    assert loaded.name("div") == 'Detached <div class="x">'
    assert loaded.class_name("div") == "Detached <div>"
    assert loaded.name("child") == "Detached <p>"
    assert loaded.name("wrapper") == "HTMLDivElement"


def test_older_files_know_detached_nodes_by_name(load: Load) -> None:
    made = MadeHeap(node_fields=("type", "name", "id", "self_size", "edge_count", "trace_node_id"))
    made.node("div", "native", "Detached HTMLDivElement", 1)
    made.node("text", "string", "Detached", 1)
    made.edge("root", "div", "element", 1)
    loaded = load(made)
    assert [loaded.snapshot.at(made.places[key]).detachedness for key in ("div", "text")] == [2, 0]
    assert loaded.name("div") == "Detached HTMLDivElement"


def test_fields_come_in_any_order_and_number(load: Load) -> None:
    made = MadeHeap(
        node_fields=("edge_count", "trace_node_id", "id", "detachedness", "self_size", "name", "type"),
        edge_fields=("to_node", "spare", "type", "name_or_index"),
    )
    made.node("a", size=4)
    made.node("b", "native", "<div>", 6, detached=2)
    made.edge("root", "a", "element", 1)
    made.edge("a", "b", "property", "child")
    loaded = load(made)
    assert (loaded.retained("a"), loaded.distance("b"), loaded.name("b")) == (10, 2, "Detached <div>")
    assert [edge.name for edge in loaded.snapshot.at(made.places["a"]).edges] == ["child"]


def test_sizes_and_ids_of_more_than_32_bits(load: Load) -> None:
    made = heap()
    made.node("a", size=2**33 + 1, id=2**40 + 1, held_by="gc")
    made.node("b", size=2**34, held_by="a")
    loaded = load(made)
    assert loaded.retained("a") == 2**33 + 2**34 + 1
    assert loaded.snapshot.node(2**40 + 1).name == "a"


def test_only_a_root(load: Load) -> None:
    loaded = load(MadeHeap())
    assert (loaded.retained("root"), loaded.distance("root"), loaded.dominator("root")) == (0, 0, "root")
    assert loaded.snapshot.classes() == []
    assert loaded.snapshot.duplicate_strings() == []
    assert loaded.snapshot.analyze_contexts().scopes == ()
    assert loaded.snapshot.root.retainers == []
