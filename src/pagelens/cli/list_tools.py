"""``pagelens tools``."""

from __future__ import annotations

import json
from typing import NoReturn

from pagelens.core.options import Options
from pagelens.server.app import App

__all__ = ["list_tools"]


def list_tools(options: Options, *, as_json: bool = False) -> int:
    """Print the tools that a client would get under `options`; returns the exit code."""
    served = App(options, _no_context).served
    if as_json:
        tools = [tool.model_dump(mode="json", by_alias=True, exclude_none=True) for tool in served]
        print(json.dumps(tools, indent=2, ensure_ascii=False))
        return 0
    width = max((len(tool.name) for tool in served), default=0)
    for tool in served:
        print(f"{tool.name:<{width}}  {(tool.description or '').splitlines()[0]}")
    return 0


def _no_context() -> NoReturn:
    raise AssertionError("listing tools calls none")
