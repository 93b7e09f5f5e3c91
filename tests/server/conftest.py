"""Fixtures for the server without a browser."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from pagelens.core.options import Options
from pagelens.server.handler import ToolHandler
from pagelens.server.locks import Locks
from tests.server import toys
from tests.server.toys import ToyContext, toy_tools


@pytest.fixture(autouse=True)
def _forgotten() -> Iterator[None]:
    yield
    toys.EVENTS.clear()
    toys.GATES.clear()


@pytest.fixture
def context() -> ToyContext:
    return ToyContext()


@pytest.fixture
def locks() -> Locks:
    return Locks()


@pytest.fixture
def handler(context: ToyContext, locks: Locks) -> Callable[..., ToolHandler]:
    """``handler("echo")``: a toy tool in the pipeline."""

    def make(name: str, options: Options | None = None) -> ToolHandler:
        tool = next(tool for tool in toy_tools() if tool.name == name)
        provide: Any = lambda: context  # noqa: E731
        return ToolHandler(tool, provide, options or Options(), locks)

    return make
