"""Compiling in the background: only when something is missing, and ended with whoever began it."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from pagelens.analysis.heap import jit
from pagelens.analysis.heap.warming import Warming, is_warm


def test_it_runs_only_while_something_is_missing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jit, "cache_directory", lambda: tmp_path)
    assert not is_warm()
    warming = Warming()
    assert warming.is_running
    warming.close()
    assert not warming.is_running
    version = f"py{sys.version_info.major}{sys.version_info.minor}"
    for name in jit.SIGNATURES:
        (tmp_path / f"kernels.{name}-1.{version}.nbi").touch()
    assert is_warm()
    assert not Warming().is_running


def test_without_numba_or_a_cache_there_is_nothing_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jit, "cache_directory", lambda: None)
    assert is_warm()
    monkeypatch.setattr(jit, "available", lambda: False)
    assert is_warm()
