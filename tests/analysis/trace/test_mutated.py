"""Damaged traces are analysed as far as they go, or refused; they break nothing."""

from __future__ import annotations

import gzip
import json
import random
import re
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pagelens.analysis.trace import Trace
from pagelens.analysis.trace.report import html_report
from pagelens.errors import BadTrace
from tests.analysis.trace.made import URL, MadeTrace, rich_trace
from tests.support.data import data_file

_VALUE = re.compile(rb'(?<=:)(?:-?[0-9.]+|true|false|"[^"\\\n]{0,40}")')
_OTHERS = [b"null", b'"x"', b"[]", b"{}", b"-1", b"1e300", b"0", b"true", b"9007199254740993", b'""', b"12.5"]


def mutated(text: bytes, chance: random.Random, kind: int) -> bytes:
    if kind == 0:
        return text[: chance.randrange(len(text))]
    if kind == 1:
        changed = bytearray(text)
        for _ in range(chance.choice((1, 5))):
            changed[chance.randrange(len(changed))] = chance.randrange(256)
        return bytes(changed)
    if kind == 2:
        return _VALUE.sub(lambda match: chance.choice(_OTHERS) if chance.random() < 0.01 else match[0], text)
    return b"\n".join(line for line in text.split(b"\n") if chance.random() > 0.05)


def survive(name: str, count: int) -> None:
    text = gzip.decompress(data_file("data", "traces", f"{name}.json.gz").read_bytes())
    chance = random.Random(name)
    analysed = 0
    for number in range(count):
        try:
            trace = Trace.load(mutated(text, chance, number % 4))
        except BadTrace:
            continue
        analysed += 1
        ask_everything(trace)
    assert analysed > count // 4


def ask_everything(trace: Trace) -> None:
    for load in trace.navigations:
        load.activities()
        load.scripts()
        for function in load.functions()[:3]:
            load.tasks_of(function)
        for task in load.long_tasks[:3]:
            load.behind(task.ts, task.end)
        json.dumps([insight.figures for insight in load.insights.values()], allow_nan=False)
    for thread in trace.threads():
        assert all(node.own_ms >= -1e-6 for _, node in thread.calls.totals(trace.begin, trace.end).tree().walk())
    html_report(trace)


@pytest.mark.data
@pytest.mark.parametrize("name", ["own-clean", "own-noviewport"])
def test_mutated_traces(name: str) -> None:
    survive(name, 24)


@pytest.mark.data
@pytest.mark.long
@pytest.mark.parametrize("name", ["own-clean", "own-spa", "own-dom", "own-third", "own-js", "own-cache", "own-redir"])
def test_many_mutated_traces(name: str) -> None:
    survive(name, 400)


#: What may stand in the place of any value.
VALUES = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(2**63), 2**63),
    st.floats(allow_nan=False, allow_infinity=False),
    st.text(max_size=5),
    st.sampled_from(["", "F" * 32, "A" * 32, URL, "data:,", "http://[", "\ud800", "</script>"]),
    st.just([]),
    st.just({}),
)


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The ways to all values in a JSON-like one."""
    found = [path]
    if isinstance(value, dict | list):
        for key, part in value.items() if isinstance(value, dict) else enumerate(value):
            found += places(part, (*path, key))
    return found


EVENTS = rich_trace().events


@settings(max_examples=60, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_any_value_in_the_place_of_any_other(data: st.DataObject) -> None:
    """One to five values of a small trace, changed to whatever may be there."""
    changed_values(data)


@pytest.mark.long
@settings(max_examples=2_000, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_many_values_in_the_place_of_others(data: st.DataObject) -> None:
    changed_values(data)


def changed_values(data: st.DataObject) -> None:
    made = MadeTrace()
    made.events = json.loads(json.dumps(EVENTS))
    for _ in range(data.draw(st.integers(1, 5))):
        event = data.draw(st.sampled_from(made.events))
        *way, last = data.draw(st.sampled_from(places(event)[1:]))
        for key in way:
            event = event[key]
        event[last] = data.draw(VALUES)
    try:
        trace = Trace.load(made.text(form=data.draw(st.sampled_from(["chrome", "indented"]))))
    except BadTrace:
        return
    ask_everything(trace)
