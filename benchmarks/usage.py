"""What a server's processes use, apart from its browser's."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass
from pathlib import Path

import psutil  # type: ignore[import-untyped]

__all__ = ["Usage", "browser_and_server", "usage_of"]


@dataclass(frozen=True)
class Usage:
    """CPU in seconds since the start (user and system), resident memory in bytes."""

    server_cpu: float
    server_memory: int
    browser_cpu: float
    browser_memory: int


def browser_and_server(pid: int) -> tuple[list[psutil.Process], list[psutil.Process]]:
    """The processes of the server `pid`, then those of its browser. Both are empty when it is gone."""
    try:
        root = psutil.Process(pid)
        children = root.children(recursive=True)
    except psutil.Error:
        return [], []
    server: list[psutil.Process] = [root]
    browser: list[psutil.Process] = []
    for child in children:
        with contextlib.suppress(psutil.Error):
            is_browser = "chrom" in child.name() or "chrom" in Path(child.exe()).name
            (browser if is_browser else server).append(child)
    return server, browser


def usage_of(pid: int) -> Usage:
    """What the server `pid` and its browser have used until now. A process that has ended is no longer counted."""
    server, browser = browser_and_server(pid)
    return Usage(*_sum(server), *_sum(browser))


def _sum(processes: list[psutil.Process]) -> tuple[float, int]:
    cpu, memory = 0.0, 0
    for process in processes:
        with contextlib.suppress(psutil.Error):
            times = process.cpu_times()
            cpu += times.user + times.system
            memory += process.memory_info().rss
    return cpu, memory
