"""Damaged traces are analysed as far as they go, or refused; they break nothing."""

from __future__ import annotations

import gzip
import json
import random
import re

import pytest

from pagelens.analysis.trace import Trace
from pagelens.errors import BadTrace
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
        for load in trace.navigations:
            load.activities()
            load.functions()
            json.dumps([insight.figures for insight in load.insights.values()], allow_nan=False)
    assert analysed > count // 4


@pytest.mark.data
@pytest.mark.parametrize("name", ["own-clean", "own-noviewport"])
def test_mutated_traces(name: str) -> None:
    survive(name, 24)


@pytest.mark.data
@pytest.mark.long
@pytest.mark.parametrize("name", ["own-clean", "own-spa", "own-dom", "own-third", "own-js", "own-cache", "own-redir"])
def test_many_mutated_traces(name: str) -> None:
    survive(name, 400)
