"""Names, classes, filters, strings, paths, queries and comparisons, each rule on a heap made for it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from pagelens.analysis.heap.names import property_text, utf16_length
from pagelens.analysis.heap.retaining import PathLimits
from pagelens.errors import HeapObjectNotFound, InvalidInput
from tests.analysis.heap.engines import ENGINES
from tests.analysis.heap.made import Loaded, MadeHeap

Load = Callable[[MadeHeap], Loaded]


@pytest.fixture(params=ENGINES)
def load(request: pytest.FixtureRequest, tmp_path: Path) -> Load:
    return lambda heap: Loaded(heap, tmp_path, request.param)


def heap() -> MadeHeap:
    made = MadeHeap()
    made.node("gc", "synthetic", "(GC roots)")
    made.edge("root", "gc", "element", 1)
    return made


def plain(made: MadeHeap, key: str, *properties: str, size: int = 16) -> None:
    """A plain object with these properties."""
    if "value" not in made.places:
        made.node("value", "hidden", "value", held_by="gc")
    made.node(key, "object", "Object", size, held_by="gc")
    for name in properties:
        made.edge(key, "value", "property", name)


# -- names ---------------------------------------------------------------------------------------------


def test_joined_strings_read_as_one(load: Load) -> None:
    made = heap()
    for key, text in (("hello", "Hello, "), ("wor", "wor"), ("ld", "ld")):
        made.node(key, "string", text, 8)
    made.node("world", "concatenated string", "", 8)
    made.node("all", "concatenated string", "", 8, held_by="gc")
    for source, target, name in (
        ("world", "wor", "first"),
        ("world", "ld", "second"),
        ("all", "hello", "first"),
        ("all", "world", "second"),
    ):
        made.edge(source, target, "internal", name)
    assert load(made).name("all") == "Hello, world"


def test_long_joined_strings_are_cut_between_parts_by_utf16_units(load: Load) -> None:
    made = heap()
    made.node("part", "string", "\U0001f600" * 300, 8)  # 600 units
    made.node("joined 0", "concatenated string", "", 8, held_by="gc")
    for number in range(4):
        made.node(f"joined {number + 1}", "concatenated string", "", 8)
        made.edge(f"joined {number}", "part", "internal", "first")
        made.edge(f"joined {number}", f"joined {number + 1}", "internal", "second")
    assert load(made).name("joined 0") == "\U0001f600" * 600


def test_a_string_of_many_joins_is_read(load: Load) -> None:
    made = heap()
    made.strings = ["", "(GC roots)", "first", "second", "x"]
    made.node("x", "string", "x", 8)
    made.node("joined 0", "concatenated string", "", 8, held_by="gc")
    for number in range(3000):
        made.node(f"joined {number + 1}", "string" if number == 2999 else "concatenated string", "", 8)
        made.edge(f"joined {number}", f"joined {number + 1}", "internal", "first")
        made.edge(f"joined {number}", "x", "internal", "second")
    assert load(made).name("joined 0") == "x" * 1024


def test_a_joined_string_that_contains_itself_has_an_end(load: Load) -> None:
    made = heap()
    made.node("joined", "concatenated string", "", 8, held_by="gc")
    made.edge("joined", "joined", "internal", "first")
    made.edge("joined", "joined", "internal", "second")
    assert load(made).name("joined") == ""


def test_plain_objects_are_named_by_their_properties(load: Load) -> None:
    made = heap()
    plain(made, "empty")
    plain(made, "few", "id", "__proto__", "a, b", "name")
    plain(made, "many", *(f"property{number}" for number in range(20)))
    loaded = load(made)
    assert loaded.name("empty") == "{}"
    assert loaded.name("few") == '{id, "a, b", name}'
    assert loaded.name("many") == (
        "{property0, property1, property2, property3, property4, …, property16, property17, property18, property19}"
    )


def test_how_property_names_are_written() -> None:
    assert property_text("simple") == "simple"
    assert property_text('say "hi"') == '"say \\"hi\\""'
    assert utf16_length("a\U0001f600") == 3


def test_edges_are_named_by_what_they_are(load: Load) -> None:
    made = heap()
    made.node("a", held_by="gc")
    for kind, name in (("element", 7), ("hidden", 8), ("property", "09"), ("shortcut", "010"), ("shortcut", "x")):
        made.edge("a", "gc", kind, name)
    edges = list(load(made).snapshot.at(made.places["a"]).edges)
    assert [(edge.type, edge.name) for edge in edges] == [
        ("element", "7"),
        ("hidden", "8"),
        ("property", "09"),
        ("shortcut", "10"),
        ("shortcut", "x"),
    ]


# -- classes -------------------------------------------------------------------------------------------


def test_classes_by_type_and_name(load: Load) -> None:
    made = heap()
    for key, kind, name in (
        ("map", "hidden", "system / Map"),
        ("code", "code", "(code)"),
        ("function", "closure", "onClick"),
        ("regexp", "regexp", "a+"),
        ("string", "string", "text"),
        ("number", "number", "int"),
        ("div", "native", '<div id="a">'),
        ("text", "native", "Text"),
        ("gone", "native", 'Detached <li class="b">'),
        ("window", "object", "Window / https://example.com"),
        ("list", "object", "Array"),
    ):
        made.node(key, kind, name, 1, held_by="gc")
    loaded = load(made)
    assert {key: loaded.class_name(key) for key in made.places if key not in ("root", "gc")} == {
        "map": "(system)",
        "code": "(compiled code)",
        "function": "Function",
        "regexp": "RegExp",
        "string": "(string)",
        "number": "(number)",
        "div": "<div>",
        "text": "Text",
        "gone": "Detached <li>",
        "window": "Window / https://example.com",
        "list": "Array",
    }


def test_interfaces_are_inferred_from_what_plain_objects_have(load: Load) -> None:
    made = heap()
    for number in range(3):
        plain(made, f"point {number}", "x", "y")
    for number in range(2):
        plain(made, f"named {number}", "x", "y", "name")
    plain(made, "extra", "y", "other", "x")  # the order does not matter, nor what is more
    plain(made, "odd", "z")  # one of a kind: no interface
    plain(made, "empty")
    loaded = load(made)
    assert loaded.class_name("point 0") == "{x, y}"
    assert loaded.class_name("named 1") == "{x, y, name}"
    assert loaded.class_name("extra") == "{x, y}"
    assert loaded.class_name("odd") == "Object"
    assert loaded.class_name("empty") == "Object"
    assert list(loaded.snapshot.interfaces) == [("{x, y}", ("x", "y")), ("{x, y, name}", ("x", "y", "name"))]


def test_an_interfaces_name_stops_before_it_is_too_long(load: Load) -> None:
    made = heap()
    properties = [f"property{number:02}" for number in range(20)]
    for number in range(2):
        plain(made, f"object {number}", *properties)
    name = load(made).class_name("object 0")
    assert name == "{" + ", ".join(properties[:10]) + "}"
    assert len(name) <= 122


def test_of_equal_interfaces_the_most_frequent_wins(load: Load) -> None:
    made = heap()
    for number in range(2):
        plain(made, f"ab {number}", "a", "b")
    for number in range(3):
        plain(made, f"cd {number}", "c", "d")
    plain(made, "all", "a", "b", "c", "d")
    assert load(made).class_name("all") == "{c, d}"


def test_the_table_counts_what_has_a_size_and_no_size_twice(load: Load) -> None:
    made = heap()
    made.node("outer", name="Node", size=1, held_by="gc")
    made.node("between", name="Other", size=10, held_by="outer")
    made.node("inner", name="Node", size=100, held_by="between")
    made.node("empty", name="Nothing", held_by="gc")
    loaded = load(made)
    rows = {row.name: row for row in loaded.snapshot.classes()}
    assert set(rows) == {"Node", "Other"}
    assert (rows["Node"].count, rows["Node"].self_size, rows["Node"].retained_size) == (2, 101, 111)
    assert (rows["Node"].id, rows["Other"].id) == (1, 2)
    assert loaded.keys(loaded.snapshot.class_nodes(rows["Node"].id)) == ["outer", "inner"]
    with pytest.raises(HeapObjectNotFound, match="1 to 2"):
        loaded.snapshot.class_nodes(3)


def test_classes_made_at_several_places_are_told_apart(load: Load) -> None:
    made = heap()
    for key, line in (("one", 5), ("two", 9), ("three", 5)):
        made.node(key, name="Thing", size=1, held_by="gc")
        made.locate(key, 3, line, 1)
    made.node("closure", "closure", "f", 1, held_by="gc")
    made.locate("closure", 3, 5, 1)  # only objects have places
    rows = load(made).snapshot.classes()
    assert sorted((row.name, row.count) for row in rows) == [("Function", 1), ("Thing", 1), ("Thing", 2)]


# -- filters -------------------------------------------------------------------------------------------


def kept(loaded: Loaded, name: str, context: int | None = None) -> list[str]:
    return sorted(row.name for row in loaded.snapshot.classes(name, context))


def test_what_only_detached_nodes_hold(load: Load) -> None:
    made = heap()
    made.node("div", "native", "<div>", 1, detached=2, held_by="gc")
    made.node("Listener", size=1, held_by="div")
    made.node("Both", size=1, held_by="div")
    made.edge("gc", "Both")
    made.node("Lost", size=1)
    loaded = load(made)
    assert kept(loaded, "objectsRetainedByDetachedDomNodes") == ["Detached <div>", "Listener"]
    assert "Lost" in kept(loaded, "")


def test_what_only_the_console_holds(load: Load) -> None:
    made = heap()
    made.node("Logged", size=1)
    made.edge("gc", "Logged", "shortcut", "3 / DevTools console")
    made.edge("gc", "Logged", "internal", "id 3 / DevTools console")
    made.node("Used", size=1, held_by="gc")
    made.edge("Used", "Logged", "weak", "x")
    made.node("Other", size=1)
    made.edge("Used", "Other", "internal", "4 / DevTools console")  # not from a synthetic node
    assert kept(load(made), "objectsRetainedByConsole") == []
    made.edges[made.places["gc"]] = [
        edge for edge in made.edges[made.places["gc"]] if made.strings[edge[1]] != "3 / DevTools console"
    ]
    assert kept(load(made), "objectsRetainedByConsole") == ["Logged"]


def test_what_only_event_handlers_hold(load: Load) -> None:
    made = heap()
    made.node("listener", "native", "V8EventListener", 1, held_by="gc")
    made.node("handler", "closure", "handler", 1)
    made.edge("listener", "handler", "element", 1)
    made.node("code", "code", "(code)", 1)
    made.edge("handler", "code", "internal", "code")
    made.node("Captured", size=1, held_by="handler")
    made.node("wrapped", "native", "V8EventListener", 1, held_by="gc")
    made.node("Wrapper", size=1)
    made.edge("wrapped", "Wrapper", "element", 1)
    made.node("inner", "closure", "inner", 1, held_by="Wrapper")
    made.edge("inner", "code", "internal", "code")
    loaded = load(made)
    assert kept(loaded, "objectsRetainedByEventHandlers") == ["(compiled code)", "Captured", "Function"]


def test_what_only_closures_variables_hold(load: Load) -> None:
    made = heap()
    made.node("function", "closure", "f", 1, held_by="gc")
    made.node("context", "object", "system / Context / scope", 1)
    made.edge("function", "context", "internal", "context")
    made.node("Cached", size=5)
    made.edge("context", "Cached", "context", "cache")
    loaded = load(made)
    assert kept(loaded, "objectsRetainedByContexts") == ["Cached", "system / Context / scope"]
    held = loaded.snapshot.retained_by_contexts()
    assert (held.context_count, held.retained_size, held.retained_count, held.other_size) == (1, 6, 2, 1)


def test_native_contexts(load: Load) -> None:
    made = heap()
    for name in ("one", "two"):
        made.node(name, "hidden", f"system / NativeContext / {name}", 1, held_by="gc")
        made.node(f"{name} meta", "hidden", "system / Map")
        made.edge(f"{name} meta", name, "internal", "native_context")
        made.node(f"{name} map", "hidden", "system / Map")
        made.edge(f"{name} map", f"{name} meta", "internal", "map")
        made.node(f"{name} object", "object", f"Object{name}", 10, held_by="gc")
        made.edge(f"{name} object", f"{name} map", "internal", "map")
    made.node("Own", size=100, held_by="one object")
    made.node("Shared", size=1000, held_by="one object")
    made.edge("two object", "Shared")
    made.node("Nobody", size=10_000, held_by="gc")
    made.edge("one object", "two object")  # what is fixed stays
    loaded = load(made)
    sizes = loaded.snapshot.native_contexts()
    assert [context.attributed_size for context in sizes.contexts] == [111, 11]
    assert (sizes.shared_size, sizes.unattributed_size) == (1000, 10_000)
    assert kept(loaded, "sharedNativeContext") == ["Shared"]
    assert kept(loaded, "noNativeContext") == ["Nobody"]
    one = loaded.snapshot.at(made.places["one"]).id
    assert kept(loaded, "attributedToSpecificNativeContext", one) == ["(system)", "Objectone", "Own"]


def test_filters_that_are_none(load: Load) -> None:
    loaded = load(heap())
    with pytest.raises(InvalidInput, match="There is no filter objects"):
        loaded.snapshot.classes("objects")
    with pytest.raises(InvalidInput, match="needs the id"):
        loaded.snapshot.classes("attributedToSpecificNativeContext")
    with pytest.raises(HeapObjectNotFound):
        loaded.snapshot.classes("attributedToSpecificNativeContext", 10_000)


# -- strings -------------------------------------------------------------------------------------------


def test_duplicate_strings(load: Load) -> None:
    made = heap()
    for key, kind, text, size in (
        ("one", "string", "twice", 10),
        ("empty", "string", "", 8),
        ("single", "string", "once", 50),
        ("sliced", "sliced string", "once", 50),
        ("no size", "string", "twice", 0),
        ("two", "string", "twice", 10),
        ("tw", "string", "tw", 4),
        ("ice", "string", "ice", 4),
    ):
        made.node(key, kind, text, size, held_by="gc")
    made.node("joined", "concatenated string", "", 12, held_by="gc")
    made.edge("joined", "tw", "internal", "first")
    made.edge("joined", "ice", "internal", "second")
    made.node("flat", "concatenated string", "", 12, held_by="gc")
    made.edge("flat", "two", "internal", "first")
    made.edge("flat", "empty", "internal", "second")
    loaded = load(made)
    (group,) = loaded.snapshot.duplicate_strings()
    assert (group.value, group.count, group.self_size, group.truncated) == ("twice", 3, 32, False)
    assert loaded.keys(loaded.snapshot.at(place) for place in group.nodes) == ["one", "two", "joined"]


def test_truncated_strings_are_equal_when_length_and_hash_are(load: Load) -> None:
    made = heap()
    for number, (length, digest) in enumerate(((5000, 1), (5000, 2), (5000, 1), (6000, 1))):
        made.node(f"cut {number}", "string", "LLLL", 100, held_by="gc")
        made.number(f"t{number}", True, f"cut {number}", "truncated")
        made.number(f"l{number}", length, f"cut {number}", "length")
        made.number(f"h{number}", digest, f"cut {number}", "hash")
    made.node("whole", "string", "LLLL", 100, held_by="gc")
    loaded = load(made)
    (group,) = loaded.snapshot.duplicate_strings()
    assert (group.truncated, group.length, group.hash) == (True, 5000, 1)
    assert loaded.keys(loaded.snapshot.at(place) for place in group.nodes) == ["cut 0", "cut 2"]


def test_a_file_may_have_a_text_twice(load: Load) -> None:
    made = heap()
    made.node("one", "string", "text", 10, held_by="gc")
    made.strings.append("text")
    made.node("two", "string", "text", 10, held_by="gc")
    made.nodes[made.places["two"]]["name"] = len(made.strings) - 1 - made.strings[::-1].index("text")
    (group,) = load(made).snapshot.duplicate_strings()
    assert group.count == 2


# -- retainers and paths -------------------------------------------------------------------------------


def ladder() -> MadeHeap:
    """window -> list -> item, and window -> cache -> item by a longer way."""
    made = MadeHeap()
    made.node("window", "object", "Window", 1)
    made.edge("root", "window", "shortcut", "window")
    made.node("global", name="global", held_by="window")
    made.node("list", name="list", size=1, held_by="global")
    made.node("cache", name="cache", size=1, held_by="global")
    made.node("map", name="map", size=1, held_by="cache")
    made.node("item", name="item", size=7, held_by="list")
    made.edge("map", "item")
    made.edge("item", "list", "property", "parent")
    made.edge("window", "item", "weak", "weakly")
    made.edge("root", "item", "element", 1)
    return made


def test_retainers_leave_out_the_root_and_what_is_weak(load: Load) -> None:
    made = ladder()
    loaded = load(made)
    item = loaded.snapshot.at(made.places["item"])
    assert [(edge.source.name, edge.name) for edge in item.retainers] == [("map", "item"), ("list", "item")]
    assert item.retainer_count == 4
    assert [edge.name for edge in loaded.snapshot.at(made.places["window"]).retainers] == []


def test_paths_end_where_the_pages_objects_begin(load: Load) -> None:
    made = ladder()
    made.edges[made.places["root"]].pop()  # else the item is a root itself
    loaded = load(made)
    paths, limits = loaded.snapshot.at(made.places["item"]).retaining_paths()
    assert [(step.node.name, step.distance, [above.node.name for above in step.above]) for step in paths] == [
        ("list", 3, ["global"]),
        ("map", 4, ["cache"]),
    ]
    assert paths[1].above[0].above[0].node.name == "global"
    assert limits == PathLimits()
    path = loaded.snapshot.at(made.places["item"]).shortest_path
    assert [edge.target.name for edge in path] == ["global", "list", "item"]


def test_limits_of_paths_are_told(load: Load) -> None:
    made = ladder()
    made.edges[made.places["root"]].pop()
    loaded = load(made)
    item = loaded.snapshot.at(made.places["item"])
    paths, limits = item.retaining_paths(max_depth=2)
    assert [step.node.name for step in paths] == ["list"]
    assert limits.depth
    paths, limits = item.retaining_paths(max_siblings=1)
    assert [step.node.name for step in paths] == ["list"]
    assert limits.siblings
    paths, limits = item.retaining_paths(max_nodes=1)
    assert paths == []
    assert limits.nodes
    assert item.retaining_paths(max_depth=100_000)[1].depth


def test_edges_sorted_and_chosen(load: Load) -> None:
    made = heap()
    made.node("holder", size=1, held_by="gc")
    for key, kind, name, size in (
        ("small", "object", "Small", 1),
        ("large", "object", "Large", 100),
        ("number", "number", "int", 12),
        ("null", "native", "null", 12),
    ):
        made.node(key, kind, name, size, held_by="holder")
    for kind, name in (("element", 10), ("element", 9), ("property", "__proto__"), ("shortcut", "8")):
        made.edge("holder", "number", kind, name)
    node = load(made).snapshot.at(made.places["holder"])
    by_name = ["large", "null", "number", "small", "10", "8", "9", "__proto__"]  # numbers as text: as DevTools has it
    assert [edge.name for edge in node.sorted_edges("name")] == by_name
    assert [edge.name for edge in node.sorted_edges()] == [*by_name[:3], *by_name[4:], "small"]
    assert [edge.name for edge in node.sorted_edges("selfSize", exclude_primitives=True)] == ["large", "small"]
    assert [edge.name for edge in node.sorted_edges(min_retained_size=2, max_retained_size=99)][:2] == [
        "null",
        "number",
    ]


# -- queries and comparison ----------------------------------------------------------------------------


def test_queries(load: Load) -> None:
    made = heap()
    made.node("a", name="WidgetList", size=5, held_by="gc")
    made.node("b", name="widget", size=50, held_by="gc")
    made.node("f", "closure", "makeWidget", 20, held_by="gc")
    made.node("div", "native", "<div>", 1, detached=2, held_by="gc")
    made.edge("a", "b", "property", "onChange")
    loaded = load(made)
    query = loaded.snapshot.query
    assert loaded.keys(query(class_name="WIDGET")) == ["b", "f", "a"]
    assert loaded.keys(query(class_name="widget", sort_by="selfSize")) == ["b", "f", "a"]
    assert loaded.keys(query(class_name="^widget", sort_by="id")) == ["a", "b"]
    assert loaded.keys(query(property_name="onch")) == ["a"]
    assert loaded.keys(query(node_type="Closure")) == ["f"]
    assert loaded.keys(query(min_self_size=20, max_self_size=40)) == ["f"]
    assert loaded.keys(query(min_retained_size=50, max_retained_size=50)) == ["b"]
    assert loaded.keys(query(is_detached=True)) == ["div"]
    with pytest.raises(InvalidInput, match="no regular expression"):
        query(class_name="(")
    with pytest.raises(InvalidInput, match="no nodes of type widget"):
        query(node_type="widget")


def test_unknown_ids(load: Load) -> None:
    with pytest.raises(HeapObjectNotFound, match="id 77"):
        load(heap()).snapshot.node(77)


def test_what_two_snapshots_have_not_in_common(load: Load) -> None:
    before, after = heap(), heap()
    for made in (before, after):
        made.node("stays", name="Same", size=10, id=101, held_by="gc")
        made.node("empty", name="Same", id=103, held_by="gc")
    before.node("gone", name="Old", size=7, id=105, held_by="gc")
    before.node("was", name="Before", size=3, id=107, held_by="gc")
    after.node("was", name="After", size=4, id=107, held_by="gc")
    for number in range(3):
        after.node(f"new {number}", name="Same", size=20, id=201 + 2 * number, held_by="gc")
    after.nodes[after.places["stays"]]["self_size"] = 1000  # the same object, whatever its size
    base, current = load(before), load(after)
    diff = current.snapshot.compare(base.snapshot)
    assert [
        (row.name, row.added_count, row.added_size, row.removed_count, row.removed_size) for row in diff.classes
    ] == [
        ("Same", 3, 60, 0, 0),
        ("After", 1, 4, 0, 0),
        ("Before", 0, 0, 1, 3),
        ("Old", 0, 0, 1, 7),
    ]
    assert (diff.totals.count_delta, diff.totals.size_delta) == (2, 54)
    assert current.keys(diff.objects(0)[0]) == ["new 0", "new 1", "new 2"]
    assert base.keys(diff.objects(3)[1]) == ["gone"]
    with pytest.raises(HeapObjectNotFound, match="4 changed"):
        diff.objects(4)


def test_plain_objects_are_compared_by_the_later_snapshots_interfaces(load: Load) -> None:
    before, after = heap(), heap()
    plain(before, "one", "a", "b")  # alone, it has no interface
    for key in ("one", "two"):
        plain(after, key, "a", "b")
    diff = load(after).snapshot.compare(load(before).snapshot)
    assert [(row.name, row.added_count, row.removed_count) for row in diff.classes] == [("{a, b}", 1, 0)]
