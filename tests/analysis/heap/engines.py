"""Loads snapshots in a chosen way: with lists and plain Python, or with numpy and compiled kernels."""

from __future__ import annotations

from pathlib import Path
from unittest import mock

from pagelens.analysis.heap import HeapSnapshot
from pagelens.analysis.heap import snapshot as snapshot_module
from pagelens.analysis.heap.numbers import CompiledNumbers, Numbers, PlainNumbers
from pagelens.analysis.heap.reader import Reader
from pagelens.analysis.progress import Job

ENGINES = ("plain", "compiled")


def load(path: Path, engine: str) -> HeapSnapshot:
    """`HeapSnapshot.load`, with one of `ENGINES`."""

    def choose(reader: Reader, job: Job) -> Numbers:
        if engine == "compiled":
            return CompiledNumbers()
        reader.read_up_to(2**30)
        return PlainNumbers()

    with mock.patch.object(snapshot_module, "_numbers_for", choose):
        return HeapSnapshot.load(path)
