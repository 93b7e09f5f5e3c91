"""Python values in and out of pages."""

from __future__ import annotations

import json
import math
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import pagelens
from pagelens.errors import DeadlineExceeded, DocumentReplaced, InvalidInput, ScriptFailed
from tests.support.site import Site

#: Nothing here needs more than a fresh document.
REUSES_PAGE = True

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@pytest.mark.parametrize(
    ("source", "value"),
    [
        ("undefined", None),
        ("null", None),
        ("true", True),
        ("1", 1),
        ("-1.5", -1.5),
        ("2 ** 53", 2**53),
        ("2 ** 60", float(2**60)),
        ("1e300", 1e300),
        ("Infinity", math.inf),
        ("-Infinity", -math.inf),
        ("2n ** 70n", 2**70),
        ("'a\"\\n\\u2028\\u0000'", 'a"\n\u2028\0'),
        ("'\\ud800'", "\ud800"),
        ("'😀'", "😀"),
        ("new Date(1.5e12)", EPOCH + timedelta(seconds=1.5e9)),
        ("new Date(NaN)", None),
        ("new Date(8.64e15)", 8_640_000_000_000_000),
        ("[1, , 'a', [null]]", [1, None, "a", [None]]),
        ("({a: {b: [true]}, 1: 2, [Symbol('s')]: 3})", {"1": 2, "a": {"b": [True]}}),
        ("({__proto__: null, x: 1})", {"x": 1}),
        ("JSON.parse('{\"__proto__\": 1}')", {"__proto__": 1}),
        ("new (class Point { constructor() { this.x = 1 } get y() { return 2 } })", {"x": 1}),
        ("new Map([['a', 1], [2, {b: 3}]])", {"a": 1, 2: {"b": 3}}),
        ("new Map([[{k: 1}, 'v']])", [[{"k": 1}, "v"]]),
        ("new Set(['a', ['b']])", ["a", ["b"]]),
        ("new Uint8Array([0, 255])", b"\x00\xff"),
        ("new Uint8Array([1, 2, 3, 4]).subarray(1, 3)", b"\x02\x03"),
        ("new Uint8Array([7, 8]).buffer", b"\x07\x08"),
        ("new DataView(new Uint8Array([7, 8]).buffer, 1)", b"\x08"),
        ("new Float32Array([1.5, 2])", [1.5, 2]),
        ("[Object(1), Object('s'), Object(false), Object(3n)]", [1, "s", False, 3]),
        ("(function () { return arguments })(1, 2)", [1, 2]),
        ("new URL('http://a.example/b')", "http://a.example/b"),
        ("({toJSON() { return {made: 1} }})", {"made": 1}),
        ("[/x/gi, Symbol('s'), function named() {}]", ["/x/gi", "Symbol(s)", "[function named]"]),
        ("[document, document.createTextNode('t')]", ["#document", '#text "t"']),
        ("[new Promise(() => {})]", ["[Promise]"]),
        ("Promise.resolve([1])", [1]),
        ("let a = 2; a * 3", 6),
        ("await new Promise((r) => setTimeout(r, 1, 5))", 5),
        ("() => 7", 7),
        ("async () => 8", 8),
        ("function f() { return 9 }", 9),
        ("(1, 10)", 10),
    ],
)
async def test_values_come_out_as_python_s(page: pagelens.Page, source: str, value: Any) -> None:
    got = await page.evaluate(source)
    assert got == value
    assert type(got) is type(value)


async def test_nan_and_negative_zero(page: pagelens.Page) -> None:
    nan, zero = await page.evaluate("[NaN, -0]")
    assert math.isnan(nan)
    assert isinstance(zero, float)
    assert math.copysign(1, zero) == -1


async def test_errors_are_dicts_with_their_own_properties(page: pagelens.Page) -> None:
    error = await page.evaluate("() => Object.assign(new TypeError('bad'), {code: 7})")
    assert error["name"] == "TypeError"
    assert error["message"] == "bad"
    assert error["code"] == 7
    assert "TypeError: bad" in error["stack"]


async def test_what_is_there_twice_is_one_object(page: pagelens.Page) -> None:
    value = await page.evaluate("() => { const a = {x: 1}; a.self = a; return [a, a, [a]] }")
    assert value[0] is value[1] is value[2][0] is value[0]["self"]
    arg: list[Any] = [1]
    arg.append(arg)
    assert await page.evaluate("(a) => a[1] === a && a[0] === 1", arg) is True


async def test_depth_and_size_have_no_end_in_sight(page: pagelens.Page) -> None:
    deep = await page.evaluate("() => { let a = 0; for (let i = 0; i < 20000; i++) a = [a]; return a }")
    for _ in range(20000):
        (deep,) = deep
    assert deep == 0
    wide = await page.evaluate("() => Array.from({length: 200000}, (_, i) => ({i}))")
    assert len(wide) == 200_000
    assert wide[-1] == {"i": 199_999}
    nested: Any = 0
    for _ in range(3000):
        nested = {"a": nested}
    count = "(a) => { let n = 0; while (a) { a = a.a; n += 1 } return n }"
    assert await page.evaluate(count, nested) == 3000


async def test_arguments_arrive_as_javascript_s(page: pagelens.Page) -> None:
    when = datetime(2024, 2, 3, 4, 5, 6, 789000, tzinfo=timezone(timedelta(hours=2)))
    kinds = await page.evaluate(
        "(...a) => a.map((x) => x === null ? 'null' : x instanceof Date ? x.toISOString()"
        " : x instanceof Uint8Array ? 'bytes ' + x : Array.isArray(x) ? 'array ' + x.length : typeof x + ' ' + x)",
        *[None, True, 1, 1.5, math.inf, -0.0, 2**60, "s\ud800", b"\x01\xff", bytearray(b"a"), when, (1, 2), {"a": 1}],
    )
    assert kinds == [
        "null", "boolean true", "number 1", "number 1.5", "number Infinity", "number 0", f"bigint {2**60}",
        "string s\ud800", "bytes 1,255", "bytes 97", "2024-02-03T02:05:06.789Z", "array 2", "object [object Object]",
    ]  # fmt: skip
    assert await page.evaluate("(x) => Object.is(x, -0)", -0.0) is True
    assert await page.evaluate("(o) => [Object.keys(o), ({}).x]", {"__proto__": {"x": 1}}) == [["__proto__"], None]


PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.binary(max_size=20),
    lambda inner: st.lists(inner, max_size=5) | st.dictionaries(st.text(max_size=5), inner, max_size=5),
    max_leaves=20,
)


def _same(a: Any, b: Any) -> bool:
    if isinstance(a, float) and math.isnan(a):
        return isinstance(b, float) and math.isnan(b)
    if isinstance(a, float | int) and not isinstance(a, bool):
        return bool(a == b) and not isinstance(b, bool)
    if isinstance(a, list):
        return isinstance(b, list) and len(a) == len(b) and all(map(_same, a, b))
    if isinstance(a, dict):
        return isinstance(b, dict) and set(a) == set(b) and all(_same(a[key], b[key]) for key in a)
    return type(a) is type(b) and bool(a == b)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(value=PLAIN)
async def test_what_goes_in_comes_out(page: pagelens.Page, value: Any) -> None:
    assert _same(value, await page.evaluate("(x) => x", value))


@pytest.mark.parametrize(
    ("value", "words"),
    [(object(), "object can't be passed"), ({1: 2}, "the key 1"), ([{2, 3}], "A set can't"), (len, "can't be passed")],
)
async def test_what_can_t_be_passed_is_said(page: pagelens.Page, value: Any, words: str) -> None:
    with pytest.raises(InvalidInput, match=words):
        await page.evaluate("(x) => x", value)


async def test_arguments_need_a_function(page: pagelens.Page) -> None:
    with pytest.raises(InvalidInput, match="function only"):
        await page.evaluate("document.title", 1)


async def test_what_the_script_throws(page: pagelens.Page) -> None:
    with pytest.raises(ScriptFailed, match=r"TypeError: (?s:.)*script:2:"):
        await page.evaluate("() => {\n null.x }")
    with pytest.raises(ScriptFailed, match="threw 5"):
        await page.evaluate("() => { throw 5 }")
    with pytest.raises(ScriptFailed, match="does not compile"):
        await page.evaluate("() => {{")
    with pytest.raises(ScriptFailed, match="getter is broken"):
        await page.evaluate("() => ({get a() { throw new Error('getter is broken') }})")
    with pytest.raises(ScriptFailed, match="revoked"):
        await page.evaluate("() => { const p = Proxy.revocable({}, {}); p.revoke(); return [p.proxy] }")


async def test_an_endless_script_is_ended_and_the_page_goes_on(page: pagelens.Page) -> None:
    with pytest.raises(DeadlineExceeded, match="ran for"):
        await page.evaluate("() => { for (;;); }", timeout=0.3)
    with pytest.raises(DeadlineExceeded, match="promise is still open"):
        await page.evaluate("() => new Promise(() => {})", timeout=0.3)
    assert await page.evaluate("1 + 1") == 2


async def test_a_script_that_navigates_loses_its_value(page: pagelens.Page, site: Site) -> None:
    with pytest.raises(DocumentReplaced):
        await page.evaluate("(url) => new Promise(() => { location.href = url })", site.page("<title>Next</title>"))
    assert await page.evaluate("() => document.readyState !== undefined") is True


@pytest.mark.parametrize(
    "damage",
    [
        "Array.prototype.toJSON = String.prototype.toJSON = () => 'broken'",
        "globalThis.Map = class Map {}; globalThis.Set = class Set {}; globalThis.Node = class Node {}",
        "JSON.stringify = () => 'broken'",
        "Array.prototype.push = Array.prototype.map = Array.prototype.join = () => { throw 1 }",
    ],
)
async def test_pages_that_change_their_globals(page: pagelens.Page, damage: str) -> None:
    await page.set_content(f"<p id=p>text</p><script>{damage}</script>")
    value = await page.evaluate("(a) => ({list: [1, 'x', {a}], p: document.querySelector('p')})", {"n": [1]})
    assert value["list"] == [1, "x", {"a": {"n": [1]}}]
    assert isinstance(value["p"], pagelens.Element)


async def test_json_agrees(page: pagelens.Page) -> None:
    text = json.dumps({"a": [1, 2.5, None, "ü", {"b": []}], "c": {}})
    assert await page.evaluate("(text) => JSON.parse(text)", text) == json.loads(text)
