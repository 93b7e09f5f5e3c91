"""Bodies on disk: what Chrome would drop, in one file of bounded size that is gone with the process."""

from __future__ import annotations

import tempfile
import threading
from collections import deque
from collections.abc import Callable
from typing import IO

__all__ = ["MAX_STORE", "BodyStore", "StoredBody"]

#: Bytes that all bodies on disk may take together.
MAX_STORE = 512 * 1024 * 1024


class StoredBody:
    """A body in a `BodyStore`.

    Attributes:
        size: bytes.
        dropped: whether newer bodies have taken its place.
    """

    __slots__ = ("_start", "dropped", "size")

    def __init__(self, start: int, size: int) -> None:
        self._start = start
        self.size = size
        self.dropped = False


class BodyStore:
    """A ring of bodies in one temporary file: when it is full, the oldest make room for the newest.

    The file has no name (or, on Windows, is deleted when closed), so nothing is left behind even when this process is
    killed. It is made when the first body comes. May be used from several threads.

    Args:
        limit: bytes in all.
    """

    def __init__(self, limit: int = MAX_STORE) -> None:
        self.limit = limit
        self._file: IO[bytes] | None = None
        self._lock = threading.Lock()
        self._kept: deque[StoredBody] = deque()
        self._head = 0

    def put(self, data: bytes) -> StoredBody | None:
        """Keep a body; None when it is larger than the store.

        Raises:
            OSError: the disk is full, or there is no temporary directory.
        """
        with self._lock:
            if len(data) > self.limit:
                return None
            if self._file is None:
                self._file = tempfile.TemporaryFile(prefix="pagelens-bodies-")  # noqa: SIM115  # closed by close()
            if self._head + len(data) > self.limit:
                # What lies behind the head is the oldest, and the ring starts over.
                self._drop_while(lambda body: body._start >= self._head)
                self._head = 0
            end = self._head + len(data)
            # An empty body has a place too: in front of the others it must not keep them from being dropped.
            self._drop_while(lambda body: body._start < end and body._start + max(body.size, 1) > self._head)
            body = StoredBody(self._head, len(data))
            self._file.seek(self._head)
            self._file.write(data)
            self._file.flush()
            self._kept.append(body)
            self._head = end
            return body

    def get(self, body: StoredBody) -> bytes | None:
        """The body, or None when newer ones have taken its place."""
        with self._lock:
            if body.dropped or self._file is None:
                return None
            self._file.seek(body._start)
            return self._file.read(body.size)

    def close(self) -> None:
        """Drop everything. Idempotent; the store may be used again."""
        with self._lock:
            self._drop_while(lambda body: True)
            self._head = 0
            if self._file is not None:
                self._file.close()
                self._file = None

    def _drop_while(self, condition: Callable[[StoredBody], bool]) -> None:
        while self._kept and condition(self._kept[0]):
            self._kept.popleft().dropped = True
