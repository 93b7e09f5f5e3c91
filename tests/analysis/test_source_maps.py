"""Places in generated scripts are found in their sources."""

from __future__ import annotations

import base64
import json
import random
from itertools import pairwise
from typing import Any

import pytest

from pagelens.analysis.source_maps import Mapped, SourceMap, SourceMapError, source_map_url

DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"


def vlq(number: int) -> str:
    value = (-number << 1) | 1 if number < 0 else number << 1
    text = ""
    while True:
        value, digit = value >> 5, value & 31
        text += DIGITS[digit | (32 if value else 0)]
        if not value:
            return text


def encoded(lines: list[list[tuple[int, ...]]]) -> str:
    """Mappings of absolute segments: (column, source, line, column, name), of which one, four or five are given."""
    before = [0, 0, 0, 0, 0]
    written = []
    for line in lines:
        before[0] = 0
        segments = []
        for segment in line:
            segments.append("".join(vlq(value - before[index]) for index, value in enumerate(segment)))
            before[: len(segment)] = segment
        written.append(",".join(segments))
    return ";".join(written)


def a_map(lines: list[list[tuple[int, ...]]], **more: Any) -> bytes:
    return json.dumps(
        {"version": 3, "sources": ["a.ts", "lib/b.ts"], "names": ["one", "two"], "mappings": encoded(lines), **more}
    ).encode()


URL = "http://host/js/app.js.map"


def test_places() -> None:
    found = SourceMap(a_map([[(0, 0, 0, 0), (10, 1, 4, 2, 1), (20,)], [], [(3, 0, 9, 1, 0)]]), URL)
    assert found.sources == ["http://host/js/a.ts", "http://host/js/lib/b.ts"]
    assert found.locate(1, 1) == Mapped("http://host/js/a.ts", 1, 1)
    assert found.locate(1, 10) == Mapped("http://host/js/a.ts", 1, 1)
    assert found.locate(1, 11) == Mapped("http://host/js/lib/b.ts", 5, 3, "two")
    assert found.locate(1, 21) is None, "a segment of one field belongs to no source"
    assert found.locate(2, 1) is None
    assert found.locate(3, 3) is None, "nothing is mapped before the first segment"
    assert found.locate(3, 4) == Mapped("http://host/js/a.ts", 10, 2, "one")
    assert found.locate(4, 1) is None
    assert found.locate(0, 0) is None


@pytest.mark.parametrize(
    ("root", "source", "resolved"),
    [
        ("", "../src/a.ts", "http://host/src/a.ts"),
        ("/src", "a.ts", "http://host/src/a.ts"),
        ("https://cdn/x/", "a.ts", "https://cdn/x/a.ts"),
        ("", "webpack://app/./a.ts", "webpack://app/./a.ts"),
        ("", "http://[::1", "http://[::1"),
    ],
)
def test_addresses_of_sources(root: str, source: str, resolved: str) -> None:
    found = SourceMap(a_map([[(0, 0, 0, 0)]], sources=[source], sourceRoot=root), URL)
    assert found.sources == [resolved]


def test_sections_and_ignored_sources() -> None:
    first, second = json.loads(a_map([[(0, 0, 0, 0)]])), json.loads(a_map([[(0, 1, 7, 0)]], ignoreList=[1]))
    found = SourceMap(
        json.dumps(
            {
                "version": 3,
                "sections": [
                    {"offset": {"line": 0, "column": 0}, "map": first},
                    {"offset": {"line": 0, "column": 100}, "map": second},
                    {"offset": {"line": 5, "column": 2}, "map": first},
                ],
            }
        ),
        URL,
    )
    assert found.locate(1, 50) == Mapped("http://host/js/a.ts", 1, 1)
    assert found.locate(1, 101) == Mapped("http://host/js/lib/b.ts", 8, 1, is_ignored=True)
    assert found.locate(6, 2) is None
    assert found.locate(6, 3) == Mapped("http://host/js/a.ts", 1, 1)


@pytest.mark.parametrize("seed", range(4))
def test_at_random(seed: int) -> None:
    chance = random.Random(seed)
    lines = []
    for _ in range(30):
        columns = sorted(chance.sample(range(500), chance.randrange(20)))
        lines.append(
            [
                (c, chance.randrange(2), chance.randrange(10_000), chance.randrange(300), chance.randrange(2))
                for c in columns
            ]
        )
    found = SourceMap(a_map(lines), URL)
    for number, line in enumerate(lines, 1):
        for here, after in pairwise([*line, (501, 0, 0, 0, 0)]):
            column, source, source_line, source_column, name = here
            expected = Mapped(found.sources[source], source_line + 1, source_column + 1, ["one", "two"][name])
            assert found.locate(number, column + 1) == found.locate(number, after[0]) == expected


def test_segments_out_of_order_are_put_in_order() -> None:
    found = SourceMap(a_map([[(20, 0, 2, 0), (5, 0, 1, 0)]]), URL)
    place = found.locate(1, 10)
    assert place is not None
    assert place.line == 2


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"<html>", "no JSON"),
        (b"[]", "no JSON object"),
        (b"", "no JSON"),
        (b"[" * 100_000, "no JSON"),
        (b'{"version": 2, "mappings": ""}', "version is 2"),
        (b'{"version": 3, "mappings": 7}', "no text"),
    ],
)
def test_what_is_no_map(data: bytes, why: str) -> None:
    with pytest.raises(SourceMapError, match=why):
        SourceMap(data, URL)


@pytest.mark.parametrize("mappings", ["A!AA", "g" * 40, "AAAÄ"])
def test_damaged_mappings(mappings: str) -> None:
    found = SourceMap(json.dumps({"version": 3, "sources": ["a"], "mappings": mappings}), URL)
    with pytest.raises(SourceMapError):
        found.locate(1, 1)


@pytest.mark.parametrize("seed", range(50))
def test_damaged_at_random_gives_a_place_or_says_so(seed: int) -> None:
    chance = random.Random(seed)
    data = bytearray(a_map([[(0, 0, 0, 0), (10, 1, 4, 2, 1)]], sourceRoot="x"))
    for _ in range(3):
        data[chance.randrange(len(data))] = chance.randrange(256)
    try:
        SourceMap(bytes(data), URL).locate(1, 11)
    except SourceMapError:
        pass


@pytest.mark.parametrize(
    ("script", "headers", "url"),
    [
        ("f()\n//# sourceMappingURL=app.js.map", {}, "app.js.map"),
        ("f()\n//# sourceMappingURL=app.js.map\n\n", {}, "app.js.map"),
        ("f()\n//@ sourceMappingURL=old.map", {}, "old.map"),
        ("f()\n/*# sourceMappingURL=c.map */", {}, "c.map"),
        ("f()", {"SourceMap": "header.map"}, "header.map"),
        ("f()\n//# sourceMappingURL=x.map", {"x-sourcemap": "header.map"}, "header.map"),
        ("'\\n//# sourceMappingURL=no.map'; f()", {}, None),
        ("//# sourceMappingURL=early.map\nf()", {}, None),
        ("f()", {}, None),
        ("", {}, None),
        ("f()\n//# sourceMappingURL=a.map\n//# sourceMappingURL=b.map", {}, "b.map"),
    ],
)
def test_where_a_script_says_its_map_is(script: str, headers: dict[str, str], url: str | None) -> None:
    assert source_map_url(script, headers) == url


def test_an_inline_map_is_found_behind_a_long_script() -> None:
    inline = "data:application/json;base64," + base64.b64encode(b"x" * 300_000).decode()
    assert source_map_url("f();" * 100_000 + "\n//# sourceMappingURL=" + inline) == inline
