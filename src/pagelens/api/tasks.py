"""The tasks that one browser's handlers run in."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any

__all__ = ["Tasks"]


class Tasks:
    """Owner of tasks that nobody awaits: keeps them alive, and ends them with the browser."""

    def __init__(self) -> None:
        self._running: set[asyncio.Task[None]] = set()
        self._is_closed = False

    def start(self, work: Coroutine[Any, Any, None], name: str) -> None:
        """Run `work`, which deals with its own exceptions; after `close` it never begins."""
        if self._is_closed:
            work.close()
            return
        task = asyncio.get_running_loop().create_task(work, name=f"pagelens {name}")
        self._running.add(task)
        task.add_done_callback(self._running.discard)

    async def close(self) -> None:
        """Cancel what runs and wait for its end; the task that calls this is left alone."""
        self._is_closed = True
        current = asyncio.current_task()
        others = [task for task in self._running if task is not current]
        for task in others:
            task.cancel()
        await asyncio.gather(*others, return_exceptions=True)
