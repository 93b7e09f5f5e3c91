"""Values held against schemas of strangers: every fault is named, and no schema does harm."""

from __future__ import annotations

import logging
from typing import Any

import pytest

from pagelens.core.json_schema import MOST, JsonSchema, NotJson, faults, json_type, plain_json

SCHEMA = {
    "type": "object",
    "properties": {
        "a": {"type": "number", "minimum": 1},
        "kind": {"enum": ["x", "y"]},
        "name": {"type": "string", "pattern": "^a+$"},
        "list": {"type": "array", "items": {"anyOf": [{"type": "string"}, {"type": ["integer", "null"]}]}},
        "fixed": {"const": 1},
    },
    "required": ["a", "b c"],
    "additionalProperties": False,
}


def test_every_fault_is_named() -> None:
    value = {"a": "1", "kind": "z", "name": "b", "list": ["s", None, [1]], "fixed": {"x": 1}, "bogus": 1}
    assert faults(SCHEMA, value) == [
        'a: must be number, but is string ("1")',
        'kind: "z" is none of "x", "y"',
        'name: "b" does not match "^a+$"',
        "list[2]: [1] is not valid under any of the given schemas "
        "(must be string, but is array; must be integer or null, but is array)",
        'fixed: must be 1, but is {"x": 1}',
        '"b c" is missing',
        '"bogus" is not among its properties ("a", "kind", "name", "list", "fixed")',
    ]
    assert faults(SCHEMA, {"a": 1, "b c": 0}) == [
        '"b c" is not among its properties ("a", "kind", "name", "list", "fixed")'
    ]
    assert faults({**SCHEMA, "additionalProperties": True}, {"a": 1, "b c": 0}) == []
    assert faults(SCHEMA, 5)[0] == "must be object, but is number (5)"
    assert faults({"required": ["a'b", "c"]}, {}) == ['"a\'b" is missing', '"c" is missing']
    nested = {"properties": {"o": {"additionalProperties": {"type": "string"}}}}
    assert faults(nested, {"o": {"x": 1}}) == ["o.x: must be string, but is number (1)"]
    by_name = {"patternProperties": {"^n_": {"type": "number"}}, "additionalProperties": False}
    assert faults(by_name, {"n_a": "1", "other": 2}) == [
        'n_a: must be number, but is string ("1")',
        '"other" is not among its properties',
    ]
    assert len(faults({"items": {"type": "string"}}, list(range(1000)))) == MOST
    long = faults({"enum": ["x" * 1000]}, "y" * 100_000)[0]
    assert len(long) <= 300


@pytest.mark.parametrize(
    ("schema", "value"),
    [
        ({"type": 17}, {}),
        ({"properties": []}, {}),
        ({"$ref": "#"}, {}),
        ({"$ref": "http://127.0.0.1:1/schema"}, {}),
        ({"$ref": "file:///etc/passwd"}, {}),
        ({"pattern": "(?=look)ahead"}, "x"),
        ({"pattern": "[^]"}, "x"),
    ],
)
def test_what_can_t_be_checked_is_no_fault(
    schema: dict[str, Any], value: Any, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.INFO):
        assert faults(schema, value) == []


@pytest.mark.parametrize(
    "schema",
    [
        {"pattern": "^(a+)+$"},
        {"patternProperties": {"^(a+)+$": {}}, "additionalProperties": False},
        {"patternProperties": {"^(a+)+$": {}}, "unevaluatedProperties": False},
        {"propertyNames": {"pattern": "^(a|a)*$"}},
        {
            "$defs": {f"d{n}": {"allOf": [{"$ref": f"#/$defs/d{n + 1}"}] * 2} for n in range(40)} | {"d40": {}},
            "$ref": "#/$defs/d0",
        },
    ],
)
def test_a_hostile_schema_ends(schema: dict[str, Any]) -> None:
    # Without a limit each of these takes longer than a life.
    ready = JsonSchema(schema)
    assert ready.is_usable
    ready.faults("a" * 60 + "b")
    ready.faults({"a" * 60 + "b": 1})


def test_plain_json() -> None:
    assert plain_json({"a": (1, 2.5, None, True, "x"), "b": {}}) == {"a": [1, 2.5, None, True, "x"], "b": {}}
    loop: list[Any] = []
    loop.append(loop)
    for value, words in (
        ({"a": {1}}, "a is a set, which has no JSON form"),
        ({"a": [{2: 1}]}, "a[0] has the key 2, and JSON's keys are text"),
        (float("inf"), "the value is inf, which JSON has no number for"),
        (loop, "nested more than 200 levels deep"),
    ):
        with pytest.raises(NotJson) as caught:
            plain_json(value)
        assert words in str(caught.value)


def test_names_of_types() -> None:
    values = [None, True, 1, 1.5, "x", [], (), {}, set()]
    names = ["null", "boolean", "number", "number", "string", "array", "array", "object", "no JSON"]
    assert [json_type(value) for value in values] == names
