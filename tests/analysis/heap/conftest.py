"""Compiled code is compiled once: in `make test` for the comparison with the oracle only."""

from __future__ import annotations

from pathlib import Path

import pytest


@pytest.hookimpl(tryfirst=True)  # before those marked long are taken out
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        is_here = item.path.parent == Path(__file__).parent
        if is_here and "compiled" in item.name and item.path.stem != "test_oracle":
            item.add_marker(pytest.mark.long)
