"""Files for what a reply has no room for."""

from __future__ import annotations

import asyncio
import logging
import shutil
from collections import deque
from pathlib import Path

from pagelens.core.files import FilePolicy

__all__ = ["KeptFiles"]

log = logging.getLogger(__name__)

#: The newest so many files are kept.
MOST = 50


class KeptFiles:
    """Files that nobody asked for by name, in a folder of one agent's own; gone when its context is closed.

    Args:
        policy: says where the folder may be.
    """

    def __init__(self, policy: FilePolicy) -> None:
        self._policy = policy
        self._folder: Path | None = None
        self._count = 0
        self._files: deque[Path] = deque()

    async def keep(self, name: str, data: bytes) -> Path:
        """Write a file; returns where it is. `name` gets a number: ``snapshot.txt`` becomes ``snapshot-1.txt``.

        Raises:
            FileFailed: it can't be written.
        """
        return await asyncio.to_thread(self._keep, name, data)

    def close(self) -> None:
        """Remove them all. Idempotent."""
        folder, self._folder = self._folder, None
        self._files.clear()
        if folder is not None:
            shutil.rmtree(folder, onerror=_not_removed)

    def _keep(self, name: str, data: bytes) -> Path:
        if self._folder is None or not self._folder.is_dir():
            self._folder = self._policy.make_own_folder()
            self._files.clear()
        self._count += 1
        named = Path(name)
        written = self._policy.write_bytes(self._folder / f"{named.stem}-{self._count}{named.suffix}", data)
        self._files.append(written)
        while len(self._files) > MOST:
            self._files.popleft().unlink(missing_ok=True)
        return written


def _not_removed(function: object, path: str, failure: object) -> None:
    log.warning("%s could not be removed", path)
