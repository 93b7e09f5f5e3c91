"""Snapshots that stay loaded between questions: a bounded number of bytes, the longest unused leave first."""

from __future__ import annotations

import asyncio
import gc
import os
from collections import OrderedDict
from dataclasses import dataclass
from pathlib import Path

from pagelens.analysis.heap.snapshot import HeapSnapshot
from pagelens.analysis.progress import Progress, Statement
from pagelens.errors import FileFailed

__all__ = ["SnapshotStore"]

#: Bytes of memory that loaded snapshots may take together: one of a 1 GB file fits.
MAX_MEMORY = 2 * 2**30
#: And how many there may be, whatever their size.
MAX_SNAPSHOTS = 12
#: Of the memory that the system could still give, the part that is left to others.
_SPARE = 256 * 2**20

_Version = tuple[int, int, int]


@dataclass(slots=True)
class _Loading:
    """A load that several callers may wait for; it ends when none of them does."""

    task: asyncio.Task[HeapSnapshot]
    listeners: list[Progress]
    waiting: int = 0


class SnapshotStore:
    """Loaded snapshots by file. Not thread-safe: it belongs to one event loop.

    A file that changed since is loaded anew. Under pressure (too many bytes, or the system runs out of memory) the
    snapshots that were not asked for longest are dropped; one that somebody still holds lives until they let go.

    Args:
        max_memory: bytes that snapshots may take together. The last one stays even if it is larger by itself.
        max_snapshots: how many.
    """

    def __init__(self, max_memory: int = MAX_MEMORY, max_snapshots: int = MAX_SNAPSHOTS) -> None:
        self._max_memory = max_memory
        self._max_snapshots = max_snapshots
        self._kept: OrderedDict[Path, tuple[_Version, HeapSnapshot]] = OrderedDict()
        self._loading: dict[tuple[Path, _Version], _Loading] = {}

    @property
    def paths(self) -> list[Path]:
        """The files that are loaded, the one unused longest first."""
        return list(self._kept)

    @property
    def memory(self) -> int:
        """Bytes of memory that the loaded snapshots take, about."""
        return sum(snapshot.memory for _, snapshot in self._kept.values())

    async def get(self, path: str | os.PathLike[str], progress: Progress | None = None) -> HeapSnapshot:
        """The snapshot in a file, loaded (in a thread) if it is not.

        Callers that want the same file at the same time wait for one load; it is stopped when all have been cancelled.

        Raises:
            FileFailed, BadSnapshot, ExtraMissing: as `HeapSnapshot.load`.
        """
        resolved, version = await asyncio.to_thread(_identified, path)
        kept = self._kept.get(resolved)
        if kept is not None:
            if kept[0] == version:
                self._kept.move_to_end(resolved)
                return kept[1]
            del self._kept[resolved]
        key = (resolved, version)
        loading = self._loading.get(key)
        if loading is None:
            loading = self._begin(key)
        if progress is not None:
            loading.listeners.append(progress)
        loading.waiting += 1
        try:
            return await asyncio.shield(loading.task)
        finally:
            loading.waiting -= 1
            if progress is not None:
                loading.listeners.remove(progress)
            if not loading.waiting and not loading.task.done():
                loading.task.cancel()
                await asyncio.wait([loading.task])

    def close(self, path: str | os.PathLike[str]) -> bool:
        """Forget a snapshot; False when it was not loaded."""
        closed = self._kept.pop(Path(path).resolve(), None) is not None
        if closed:
            gc.collect()
        return closed

    def clear(self) -> None:
        """Forget all of them."""
        self._kept.clear()

    def _begin(self, key: tuple[Path, _Version]) -> _Loading:
        listeners: list[Progress] = []

        def tell(statement: Statement) -> None:
            for listener in list(listeners):
                listener(statement)

        async def load() -> HeapSnapshot:
            path, version = key
            try:
                self._make_room(3 * version[1])
                snapshot = await HeapSnapshot.load_async(path, progress=tell)
                self._keep(path, version, snapshot)
                return snapshot
            finally:
                del self._loading[key]

        loading = _Loading(asyncio.create_task(load(), name=f"load {key[0].name}"), listeners)
        self._loading[key] = loading
        return loading

    def _keep(self, path: Path, version: _Version, snapshot: HeapSnapshot) -> None:
        self._kept[path] = (version, snapshot)
        self._kept.move_to_end(path)
        while len(self._kept) > 1 and (len(self._kept) > self._max_snapshots or self.memory > self._max_memory):
            self._kept.popitem(last=False)

    def _make_room(self, needed: int) -> None:
        """Drop snapshots while the system could not give what is needed now."""
        while self._kept:
            available = _available_memory()
            if available is None or available > needed + _SPARE:
                return
            self._kept.popitem(last=False)
            gc.collect()


def _identified(path: str | os.PathLike[str]) -> tuple[Path, _Version]:
    resolved = Path(path).resolve()
    return resolved, _version(resolved)


def _version(path: Path) -> _Version:
    try:
        status = path.stat()
    except OSError as error:
        raise FileFailed(f"{path} can't be read: {error.strerror or error}.") from error
    return status.st_mtime_ns, status.st_size, status.st_ino


def _available_memory() -> int | None:
    """Bytes that the system could give without swapping; None where it does not say."""
    try:
        with open("/proc/meminfo", encoding="ascii") as file:
            for line in file:
                if line.startswith("MemAvailable:"):
                    return int(line.split()[1]) * 1024
    except (OSError, ValueError, IndexError):
        return None  # no Linux, or no /proc: the bound on bytes has to do
    return None
