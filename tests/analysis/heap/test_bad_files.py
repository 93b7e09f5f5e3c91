"""Files that are no snapshots, or damaged: refused at once, saying what is wrong and where."""

from __future__ import annotations

import gzip
import json
import random
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pagelens.analysis.heap import HeapSnapshot
from pagelens.errors import BadSnapshot, FileFailed, PagelensError
from tests.analysis.heap.engines import ENGINES, load
from tests.analysis.heap.made import MadeHeap


@pytest.fixture(params=ENGINES)
def engine(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def sample() -> MadeHeap:
    """A small heap with something of everything."""
    made = MadeHeap()
    made.node("gc", "synthetic", "(GC roots)")
    made.edge("root", "gc", "element", 1)
    made.node("div", "native", "<div>", 10, detached=2, held_by="gc")
    made.node("list", name="Array", size=16, held_by="gc")
    made.node("elements", "array", "", 80)
    made.edge("list", "elements", "internal", "elements")
    for number in range(6):
        made.node(f"item {number}", name="Object", size=12)
        made.edge("elements", f"item {number}", "element", number)
        for name in ("id", "name"):
            made.edge(f"item {number}", "div", "property", name)
        made.locate(f"item {number}", 3, number % 2, 7)
    made.node("text", "string", 'some ] text } with { [ marks \\ " \u00e9 \U0001f600', 30, held_by="list")
    made.node("joined", "concatenated string", "", 20, held_by="list")
    made.edge("joined", "text", "internal", "first")
    made.edge("joined", "joined", "internal", "second")
    made.node("script", "code", "system / Script / a.js", held_by="gc")
    made.scopes = [made.places["script"] * 6, -2, 0, 1, 1]
    made.scope_variables = [made.string("x")]
    made.scope_uses = [-2, 0]
    return made


def loaded(data: bytes, directory: Path, engine: str) -> HeapSnapshot:
    path = directory / "bad.heapsnapshot"
    path.write_bytes(data)
    return load(path, engine)


def refused(data: bytes, directory: Path, engine: str) -> str:
    with pytest.raises(BadSnapshot) as caught:
        loaded(data, directory, engine)
    return str(caught.value)


def changed(change: Callable[[dict[str, Any]], object]) -> bytes:
    document = sample().document()
    change(document)
    return json.dumps(document).encode()


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "the file is empty"),
        (b"\x00\x01\x02\x7f\x80", "the byte 0 stands at byte 0"),
        (b"hello", "'h' stands at byte 0"),
        (b"[]", "'[' stands at byte 0"),
        (b"{}", "'}' stands at byte 1"),
        (b'{"a": 1}', 'no "strings"'),
        (b'{"a": {"b": [1, "]}", 2]}, "c": "x", "d": null}', 'no "strings"'),
        (b'{"strings": []}', "before its head"),
        (b'{"nodes": [1]}', "before its head"),
        (b'{"snapshot": {"node_count": 1}, "strings": []}', 'no "meta"'),
        (b'{"snapshot": {"meta": {}}, "strings": []}', '"node_fields" lacks type, name'),
        (b'{"snapshot": [1, 2, "strings": []}', "no JSON"),
        (b'{"snapshot": {"meta": {"strings": []', "no end"),
        (b'{"snapshot": {"meta": nonsense}, "strings": []}', "no JSON"),
        (b'{"' + b"k" * 100_000, "no end"),
        (b"\x1f\x8b\x08 nothing", "gzip data are damaged"),
        (gzip.compress(sample().text().encode())[:-200], "gzip data end after"),
        (b'{"snapshot": ' + b"[" * 50_000, "no end"),
        (b'{"a": ' + b"[" * 50_000 + b"]" * 50_000 + b"}", 'no "strings"'),
    ],
)
def test_what_is_no_snapshot(tmp_path: Path, engine: str, data: bytes, words: str) -> None:
    assert words in refused(data, tmp_path, engine)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda d: d["snapshot"].update(node_count=30_000), 'node_count is 30,000, but "nodes" holds 14'),
        (lambda d: d["snapshot"].update(node_count=4_000_000_000), "node_count is 4,000,000,000, but"),
        (lambda d: d["snapshot"].update(node_count=3), 'but there are more "nodes"'),
        (lambda d: d["snapshot"].update(node_count=0), "it has no nodes"),
        (lambda d: d["snapshot"].update(node_count=-1), '"node_count" is no count'),
        (lambda d: d["snapshot"].update(node_count=True), '"node_count" is no count'),
        (lambda d: d["snapshot"].update(node_count="7"), '"node_count" is no count'),
        (lambda d: d["snapshot"].pop("edge_count"), '"edge_count" is missing'),
        (lambda d: d["snapshot"].update(edge_count=4_000_000_000), "head says 4,000,000,000"),
        (lambda d: d["snapshot"].update(root_index=6 * 10_000), "root_index 60000"),
        (lambda d: d["snapshot"].update(root_index=7), "root_index 7"),
        (lambda d: d["snapshot"]["meta"].update(node_types=[]), '"node_types" names no types'),
        (lambda d: d["snapshot"]["meta"].update(edge_fields=["type", 3]), '"edge_fields" is no list of names'),
        (lambda d: d["snapshot"]["meta"]["node_fields"].pop(), "damaged"),
        (lambda d: d["nodes"].pop(), "no multiple of 6"),
        (lambda d: d["nodes"].extend([1] * 6), 'more "nodes"'),
        (lambda d: d["edges"].pop(), "no multiple of 3"),
        (lambda d: d["edges"].__setitem__(2, 7), "edge 0 leads to 7, which is not the place of a node"),
        (lambda d: d["edges"].__setitem__(2, 6 * 10_000), "60,000 can't be the to_node of an edge"),
        (lambda d: d["edges"].__setitem__(2, -6), "-6 can't be the to_node of an edge"),
        (lambda d: d["edges"].__setitem__(0, 7), "7 can't be the type of an edge"),
        (lambda d: d["edges"].__setitem__(4, 9_999), "the name of edge 1 is string 9,999"),
        (lambda d: d["nodes"].__setitem__(0, 15), "15 can't be the type of a node"),
        (lambda d: d["nodes"].__setitem__(1, 9_999), "a node's name is string 9,999"),
        (lambda d: d["nodes"].__setitem__(3, -1), "-1 can't be the self_size of a node"),
        (lambda d: d["nodes"].__setitem__(3, 2**53 - 1), "sizes add up to more"),
        (lambda d: d["nodes"].__setitem__(3, 10**30), "node"),
        (lambda d: d["nodes"].__setitem__(3, 1.5), 'an integer of "nodes" was expected'),
        (lambda d: d["nodes"].__setitem__(3, None), 'an integer of "nodes" was expected'),
        (lambda d: d["nodes"].__setitem__(3, "x"), 'an integer of "nodes" was expected'),
        (lambda d: d["nodes"].__setitem__(3, [1]), 'an integer of "nodes" was expected'),
        (lambda d: d["nodes"].__setitem__(4, 9), "its nodes have"),
        (lambda d: d["nodes"].__setitem__(4, 4_000_000_000), "its nodes have"),
        (lambda d: d.update(nodes={}), '"[" was expected after "nodes"'),
        (lambda d: d.update(nodes=[]), 'but "nodes" holds 0'),
        (lambda d: d.pop("nodes"), 'it has no "nodes"'),
        (lambda d: d.pop("edges"), 'it has no "edges"'),
        (lambda d: d.pop("strings"), 'it has no "strings"'),
        (lambda d: d.update(strings=[]), "there are 0"),
        (lambda d: d.update(strings=[1]), "holds what is no string"),
        (lambda d: d.update(strings={}), '"[" was expected after "strings"'),
        (lambda d: d["locations"].__setitem__(0, 7), "a location is not of a node"),
        (lambda d: d["locations"].__setitem__(0, 60_000), "object_index of a location"),
        (lambda d: d["locations"].__setitem__(1, 2**40), "script_id of a location"),
        (lambda d: d["locations"].pop(), "no multiple of 4"),
        (lambda d: d["scopes"].pop(), "no multiple of 5"),
    ],
)
def test_what_is_damaged(tmp_path: Path, engine: str, change: Callable[[dict[str, Any]], object], words: str) -> None:
    assert words in refused(changed(change), tmp_path, engine)


def test_the_sample_itself_is_well(tmp_path: Path, engine: str) -> None:
    everything(loaded(sample().text().encode(), tmp_path, engine))


def test_cut_anywhere_it_is_refused(tmp_path: Path, engine: str) -> None:
    whole = sample().text().encode()
    for length in range(0, len(whole), 1 if len(whole) < 3000 else 7):
        refused(whole[:length], tmp_path, engine)
    refused(whole[:-1], tmp_path, engine)


def test_blanks_and_a_half_of_a_pair_are_taken(tmp_path: Path, engine: str) -> None:
    made = sample()
    text = json.dumps(made.document(), indent=1).replace("some ]", "\\ud83d half ]")
    snapshot = loaded(text.encode(), tmp_path, engine)
    assert snapshot.at(made.places["text"]).name.startswith("\ud83d half ]")


def test_a_key_that_comes_twice(tmp_path: Path, engine: str) -> None:
    text = sample().text()
    assert '"nodes" twice' in refused(text.replace('"edges"', '"nodes": [1], "edges"').encode(), tmp_path, engine)


def test_gzipped_and_across_pieces(tmp_path: Path, engine: str, monkeypatch: pytest.MonkeyPatch) -> None:
    import pagelens.analysis.heap.reader as reader

    whole = loaded(sample().text().encode(), tmp_path, engine)
    for piece in (1, 7, 100):
        monkeypatch.setattr(reader, "PIECE", piece)
        for data in (sample().text().encode(), gzip.compress(sample().text().encode())):
            again = loaded(data, tmp_path, engine)
            assert list(again.retained_sizes) == list(whole.retained_sizes)
            assert again.graph.names == whole.graph.names


def test_more_than_allowed_is_not_read(tmp_path: Path) -> None:
    path = tmp_path / "bomb.heapsnapshot.gz"
    path.write_bytes(gzip.compress(b'{"a": "' + b"x" * 50_000_000))
    tracemalloc.start()
    try:
        with pytest.raises(BadSnapshot, match="larger than 10,000,000 bytes, unpacked"):
            HeapSnapshot.load(path, max_bytes=10_000_000)
        assert tracemalloc.get_traced_memory()[1] < 60_000_000
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("count", [4_000_000_000, 2**52])
def test_nothing_is_allocated_on_the_heads_word(tmp_path: Path, engine: str, count: int) -> None:
    data = changed(lambda d: d["snapshot"].update(node_count=count, edge_count=count))
    loaded(sample().text().encode(), tmp_path, engine)
    tracemalloc.start()
    try:
        refused(data, tmp_path, engine)
        assert tracemalloc.get_traced_memory()[1] < 20_000_000
    finally:
        tracemalloc.stop()


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(FileFailed, match="There is no file"):
        HeapSnapshot.load(tmp_path / "none.heapsnapshot")
    with pytest.raises(FileFailed, match="no ordinary file"):
        HeapSnapshot.load(tmp_path)


# -- mutations -----------------------------------------------------------------------------------------


def everything(snapshot: HeapSnapshot) -> None:
    """Ask all there is to ask."""
    snapshot.statistics()
    for row in snapshot.classes():
        snapshot.class_nodes(row.id)
    for name in (
        "objectsRetainedByDetachedDomNodes",
        "objectsRetainedByConsole",
        "objectsRetainedByEventHandlers",
        "objectsRetainedByContexts",
        "sharedNativeContext",
        "noNativeContext",
    ):
        snapshot.classes(name)
    snapshot.native_contexts()
    snapshot.retained_by_contexts()
    snapshot.duplicate_strings()
    try:
        snapshot.analyze_contexts()
    except BadSnapshot:
        pass  # its scopes are looked at only now
    for place in range(min(snapshot.node_count, 50)):
        node = snapshot.at(place)
        assert node.name is not None
        assert node.class_name
        assert node.dominators[-1] == snapshot.root
        assert len(node.sorted_edges()) == node.edge_count
        node.retaining_paths(max_nodes=200)
        assert len(node.shortest_path) <= snapshot.node_count
    snapshot.query(class_name="o", property_name="n")
    snapshot.compare(snapshot)


def mutated(text: bytes, chance: random.Random) -> bytes:
    """The text with one to four things wrong with it."""
    data = bytearray(text)
    for _ in range(chance.randint(1, 4)):
        kind = chance.randrange(8)
        at = chance.randrange(len(data)) if data else 0
        end = min(len(data), at + chance.choice((1, 3, 30, 300)))
        if kind == 0:
            data[at:end] = bytes(chance.randrange(256) for _ in range(chance.randint(0, 4)))
        elif kind == 1:
            data[at:end] = b""
        elif kind == 2:
            data[at:at] = data[at:end]
        elif kind == 3:
            data = data[:at]
        elif kind == 4:
            data[at:at] = chance.choice(
                (b",", b"]", b"[", b"}", b'"', b"\\", b"-", b"0", b" ", b"\x00", b"1e9", b"null")
            )
        else:
            data = _other_number(data, at, chance)
    return bytes(data)


def _other_number(data: bytearray, at: int, chance: random.Random) -> bytearray:
    """Another number in place of the next one: this is what gets past the reader most often."""
    begin = next((place for place in range(at, len(data)) if data[place : place + 1].isdigit()), None)
    if begin is None:
        return data
    end = begin
    while end < len(data) and data[end : end + 1].isdigit():
        end += 1
    value = int(data[begin:end][:18])
    other = chance.choice(
        (0, 1, 2, 3, 5, 6, value + 1, value + 6, max(value - 6, 0), value * 6, 2**31, 2**32, 2**53, -1)
    )
    return data[:begin] + str(other).encode() + data[end:]


def mutations(count: int) -> Any:
    return [pytest.param(seed, id=str(seed)) for seed in range(count)]


def check_mutations(seeds: range, directory: Path) -> int:
    """Load mutations in both ways: the same is refused, and what is loaded can be asked everything."""
    text = sample().text().encode()
    path = directory / "mutated.heapsnapshot"
    answered = 0
    for seed in seeds:
        path.write_bytes(mutated(text, random.Random(seed)))
        found: list[HeapSnapshot] = []
        for engine in ENGINES:
            try:
                found.append(load(path, engine))
            except BadSnapshot:
                continue
            except PagelensError as error:
                pytest.fail(f"seed {seed}, {engine}: {error!r}")
        assert len(found) != 1, f"seed {seed}: one way refuses it"
        for snapshot in found:
            everything(snapshot)
        if found:
            answered += 1
            one, other = found
            for name in ("ids", "self_sizes", "retained_sizes", "distances", "detachedness"):
                assert list(getattr(one, name)) == list(getattr(other, name)), f"seed {seed}: {name}"
            assert one.classes() == other.classes(), f"seed {seed}"
    return answered


def test_mutated_snapshots_are_refused_or_answered(tmp_path: Path) -> None:
    assert check_mutations(range(120), tmp_path) > 5


@pytest.mark.long
@pytest.mark.parametrize("part", range(10))
def test_two_thousand_mutated_snapshots(tmp_path: Path, part: int) -> None:
    tracemalloc.start()
    try:
        assert check_mutations(range(1000 + 200 * part, 1200 + 200 * part), tmp_path) > 5
        assert tracemalloc.get_traced_memory()[1] < 100_000_000
    finally:
        tracemalloc.stop()
