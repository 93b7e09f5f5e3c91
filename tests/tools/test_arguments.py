"""Arguments of any shape: parameters, or one bounded error of ours. Never anything else."""

from __future__ import annotations

from typing import Any, Literal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import Field, model_validator

from pagelens.core.safe_text import json_safe
from pagelens.errors import InvalidInput
from pagelens.tools.arguments import nearest, parse_arguments
from pagelens.tools.definition import ToolParams


class Part(ToolParams):
    uid: str = Field(description="Which.")


class Params(ToolParams):
    uid: str = Field(description="Which.")
    count: int | None = Field(default=None, ge=0, description="How many.")
    quality: float = Field(default=1, le=100, description="How good.")
    names: list[Literal["error", "warn"]] | None = Field(default=None, description="Kinds.")
    parts: list[Part] | None = Field(default=None, description="Parts.")
    hard: bool = Field(default=False, description="Hard.")

    @model_validator(mode="after")
    def _fits(self) -> Params:
        if self.hard and self.count is None:
            raise ValueError("hard needs count")
        return self


def parse(**arguments: Any) -> Params:
    params = parse_arguments("tool", Params, arguments)
    assert isinstance(params, Params)
    return params


@pytest.mark.parametrize(
    ("sent", "meant"),
    [
        ({"uid": 12}, {"uid": "12"}),
        ({"count": "12"}, {"count": 12}),
        ({"count": 12.0}, {"count": 12}),
        ({"count": None, "quality": None}, {"count": None, "quality": 1}),
        ({"quality": "99.5"}, {"quality": 99.5}),
        ({"names": '["error", "warn"]'}, {"names": ["error", "warn"]}),
        ({"names": "error"}, {"names": ["error"]}),
        ({"parts": '[{"uid": "e1"}]'}, {"parts": [Part(uid="e1")]}),
        ({"hard": "true", "count": 0}, {"hard": True, "count": 0}),
    ],
)
def test_what_can_only_mean_one_thing_is_taken(sent: dict[str, Any], meant: dict[str, Any]) -> None:
    params = parse(**{"uid": "e1", **sent})
    assert {name: getattr(params, name) for name in meant} == meant


@pytest.mark.parametrize(
    ("sent", "words"),
    [
        ({"uid": None}, "uid must be a text, not null"),
        ({"uid": ["e1"]}, "uid must be a text, not a list"),
        ({"count": True}, "count must be a whole number, not true"),
        ({"count": 1.5}, "count must be a whole number, not 1.5"),
        ({"count": "many"}, 'count must be a whole number, not "many"'),
        ({"count": -1}, "count must be greater than or equal to 0, not -1"),
        ({"quality": float("nan")}, "quality must be"),
        ({"names": "[error]"}, "names must be a list"),
        ({"names": ["error", "fatal"]}, "names[1] must be 'error' or 'warn', not \"fatal\""),
        ({"parts": [{"uid": "e1", "value": 1}]}, "there is no parts[0].value"),
        ({"hard": True}, "hard needs count"),
        ({"Uid": "e2"}, 'there is no "Uid" (did you mean uid?)'),
        ({"part": []}, 'there is no "part" (did you mean parts?)'),
    ],
)
def test_everything_else_is_refused_in_words(sent: dict[str, Any], words: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        parse(**{"uid": "e1", **sent})
    assert words in str(caught.value)
    assert "tool takes uid, and optionally count, quality, names, parts, hard." in str(caught.value)


def test_a_lone_surrogate_reaches_the_tool_as_it_was_sent() -> None:
    assert parse(uid="x\ud800").uid == "x\ud800"


def test_nearest_folds_case_and_underscores() -> None:
    assert nearest("page_id", ["pageId", "pageIdx"]) == "pageId"
    assert nearest("xyzzy", ["pageId"]) is None


TEXT = st.text(st.characters(exclude_categories=())) | st.sampled_from(["uid", "count", "names", "[", "[1]", "{}"])
ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | TEXT,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXT, inner, max_size=4),
    max_leaves=6,
)


@settings(max_examples=100, derandomize=True, deadline=None)
@given(st.dictionaries(st.sampled_from([*Params.model_fields]) | TEXT, ANYTHING, max_size=8))
def test_any_arguments_give_parameters_or_one_short_error(arguments: dict[str, Any]) -> None:
    refused = ""
    try:
        assert isinstance(parse_arguments("tool", Params, arguments), Params)
    except InvalidInput as error:
        refused = str(error)
    assert len(json_safe(refused).encode()) < 8_000
