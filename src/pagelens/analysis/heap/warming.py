"""Machine code for large heap snapshots, compiled in the background before anybody waits for it."""

from __future__ import annotations

import logging
import subprocess
import sys

from pagelens.analysis.heap import jit

__all__ = ["Warming", "is_warm"]

log = logging.getLogger(__name__)

_CODE = """
import os
if hasattr(os, "nice"):
    os.nice(19)
from pagelens.analysis.heap import jit
jit.warm()
"""


def is_warm() -> bool:
    """Whether there is nothing to compile: all is in the cache, or numba is not installed, or nothing can be kept."""
    directory = jit.cache_directory() if jit.available() else None
    if directory is None:
        return True
    version = f"py{sys.version_info.major}{sys.version_info.minor}"
    return sum(1 for _ in directory.rglob(f"*.{version}.nbi")) >= len(jit.SIGNATURES)


class Warming:
    """Compiles in a process of its own, when that is needed, with what CPU nobody else wants."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        if is_warm():
            return
        try:
            self._process = subprocess.Popen(
                [sys.executable, "-c", _CODE],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
            )
        except OSError as error:
            log.info("heap kernels can't be compiled in the background: %s", error)

    @property
    def is_running(self) -> bool:
        """Whether it is still at work."""
        return self._process is not None and self._process.poll() is None

    def close(self) -> None:
        """End it, finished or not: what it has compiled so far is kept."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None
