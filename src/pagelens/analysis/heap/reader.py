"""A snapshot file as bytes, piece by piece: plain or gzipped, never more than allowed, positions known."""

from __future__ import annotations

import os
import re
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO

from pagelens.errors import BadSnapshot, FileFailed

__all__ = ["MAX_BYTES", "PIECE", "Reader", "open_snapshot"]

#: The largest file that is read, unpacked.
MAX_BYTES = 2**30
#: Bytes read at a time. A piece and the numbers in it fit into a processor's cache.
PIECE = 1 << 20

_SPACE = re.compile(rb"[ \t\r\n]*")
_STRUCTURE = re.compile(rb'["\[\]{}]')
_STRING_END = re.compile(rb'[^"\\]*+(?:\\.[^"\\]*+)*+"', re.DOTALL)
#: The most bytes that a skipped string or the head may have.
_LONGEST = 16 << 20


class Reader:
    """The file's text with a place in it. ``piece[at:]`` is what has been read and not yet taken.

    Args:
        file: opened for binary reading; a gzip header is recognised.
        max_bytes: most bytes, unpacked.
        told: called after each piece with the bytes read so far and `part_done`; may raise to stop.
    """

    def __init__(
        self, file: BinaryIO, max_bytes: int = MAX_BYTES, told: Callable[[int, float], None] | None = None
    ) -> None:
        self._file = file
        self._max_bytes = max_bytes
        self._told = told
        self._ended = False
        self._raw_size = max(os.fstat(file.fileno()).st_size, 1)
        self._raw_read = 0
        self._unpack: zlib._Decompress | None = None
        self.piece = b""
        self.at = 0
        #: Bytes of the file, unpacked, before ``piece``.
        self._before = 0
        first = self._raw()
        if len(first) == 1:
            first += self._raw()
        if first[:2] == b"\x1f\x8b":
            self._unpack = zlib.decompressobj(zlib.MAX_WBITS | 16)
            first = self._unpacked(first)
        if not first:
            raise BadSnapshot("This is no heap snapshot: the file is empty.")
        self._append(first)

    # -- pieces --------------------------------------------------------------------------------------

    @property
    def position(self) -> int:
        """The place in the unpacked file."""
        return self._before + self.at

    @property
    def size(self) -> int:
        """Bytes read so far."""
        return self._before + len(self.piece)

    @property
    def part_done(self) -> float:
        """Of a whole analysis, the part that is done when the file has been read so far."""
        return 0.6 * min(self._raw_read / self._raw_size, 1.0)

    @property
    def ended(self) -> bool:
        """Whether the whole file has been read."""
        return self._ended

    def more(self) -> bool:
        """Read a piece and append it to what is left of the former; False at the end of the file."""
        return not self._ended and self._append(self._data())

    def read_up_to(self, size: int) -> bool:
        """Read until ``size`` bytes are there or the file ends; True when it ended."""
        parts = [self.piece]
        total = self.size
        while total <= size and not self._ended:
            data = self._data()
            if not data:
                self._ended = True
            total += len(data)
            self._check(total)
            if self._told is not None:
                self._told(total, self.part_done)
            parts.append(data)
        self.piece = b"".join(parts)
        return self._ended

    def take_all(self) -> bytes:
        """What is left of the file."""
        parts = [self.piece[self.at :]]
        while True:
            self._before += len(self.piece)
            self.piece, self.at = b"", 0
            if not self.more():
                break
            parts.append(self.piece)
        return b"".join(parts)

    def next_piece(self) -> bool:
        """Drop the piece, all of which was taken, and read another."""
        self.at = len(self.piece)
        return self.more()

    def _append(self, data: bytes) -> bool:
        if not data:
            self._ended = True
            return False
        self._before += self.at
        self.piece = self.piece[self.at :] + data if self.at < len(self.piece) else data
        self.at = 0
        self._check(self.size)
        if self._told is not None:
            self._told(self.size, self.part_done)
        return True

    def _check(self, size: int) -> None:
        if size > self._max_bytes:
            raise BadSnapshot(
                f"This file is larger than {self._max_bytes:,} bytes{', unpacked' if self._unpack else ''}, "
                "the most that is read."
            )

    def _raw(self) -> bytes:
        try:
            data = self._file.read(PIECE)
        except OSError as error:
            raise FileFailed(f"The file could not be read: {error.strerror or error}.") from error
        self._raw_read += len(data)
        return data

    def _data(self) -> bytes:
        """The next bytes, unpacked; none at the end of the file."""
        if self._unpack is None:
            return self._raw()
        if self._unpack.eof:
            return b""
        return self._unpacked(self._unpack.unconsumed_tail or self._raw())

    def _unpacked(self, packed: bytes) -> bytes:
        """Unpack the next bytes, at most a few pieces of them; reads on while there are none."""
        unpack = self._unpack
        assert unpack is not None
        try:
            while packed:
                data = unpack.decompress(packed, 4 * PIECE)
                if data or unpack.eof:
                    return data
                packed = unpack.unconsumed_tail or self._raw()
        except zlib.error as error:
            raise BadSnapshot(
                f"This file's gzip data are damaged after {self.size:,} bytes unpacked: {error}."
            ) from error
        raise BadSnapshot(f"This file is cut short: its gzip data end after {self.size:,} bytes unpacked.")

    # -- JSON ----------------------------------------------------------------------------------------

    def look(self) -> int:
        """The next byte that is no white space, not taken; -1 at the end of the file."""
        while True:
            match = _SPACE.match(self.piece, self.at)
            assert match is not None
            self.at = match.end()
            if self.at < len(self.piece):
                return self.piece[self.at]
            if not self.next_piece():
                return -1

    def expect(self, wanted: str, where: str) -> None:
        """Take one byte, which must be ``wanted``."""
        found = self.look()
        if found != ord(wanted):
            self.refuse(f'"{wanted}" was expected {where}', found)
        self.at += 1

    def string(self, what: str) -> bytes:
        """Take a JSON string; returns what stands between the quotes, escapes as they are."""
        self.expect('"', f"before {what}")
        while True:
            match = _STRING_END.match(self.piece, self.at)
            if match is not None:
                text = self.piece[self.at : match.end() - 1]
                self.at = match.end()
                return text
            if len(self.piece) - self.at > _LONGEST or not self.more():
                raise BadSnapshot(f"This file is cut short, or no heap snapshot: {what} has no end.")

    def balanced(self, what: str) -> bytes:
        """Take an object or array, brackets balanced; returns its text.

        Raises:
            BadSnapshot: the file ends in it, or it is larger than any head of a snapshot.
        """
        self.look()
        depth = 0
        scan = self.at
        while True:
            match = _STRUCTURE.search(self.piece, scan)
            if match is not None and match[0] == b'"':
                end = _STRING_END.match(self.piece, match.end())
                if end is not None:
                    scan = end.end()
                    continue
                scan = match.start()
            elif match is not None:
                depth += 1 if match[0] in b"[{" else -1
                scan = match.end()
                if depth <= 0:
                    text = self.piece[self.at : scan]
                    self.at = scan
                    return text
                continue
            else:
                scan = len(self.piece)
            done = scan - self.at
            if len(self.piece) - self.at > _LONGEST or not self.more():
                raise BadSnapshot(f"This file is cut short: {what} has no end.")
            scan = self.at + done

    def skip(self, what: str) -> None:
        """Take any JSON value and forget it, however long."""
        first = self.look()
        if first == 0x22:
            self.string(what)
            return
        if first < 0:
            self.refuse(f"{what} was expected", first)
        if first not in b"[{":
            while self.look() not in (0x2C, 0x7D, 0x5D, -1):
                self.at += 1
            return
        depth = 0
        while True:
            match = _STRUCTURE.search(self.piece, self.at)
            if match is None:
                if not self.next_piece():
                    raise BadSnapshot(f"This file is cut short: {what} has no end.")
                continue
            self.at = match.start()
            if match[0] == b'"':
                self.string(f"a string in {what}")
                continue
            self.at += 1
            depth += 1 if match[0] in b"[{" else -1
            if depth <= 0:
                return

    def refuse(self, expected: str, found: int | None = None) -> None:
        """Raise `BadSnapshot` for what stands at this place."""
        if found is None:
            found = self.look()
        if found < 0:
            raise BadSnapshot(f"This file is cut short: it ends after {self.position:,} bytes, where {expected}.")
        shown = repr(chr(found)) if 32 <= found < 127 else f"the byte {found}"
        raise BadSnapshot(f"This is no heap snapshot: {shown} stands at byte {self.position:,}, where {expected}.")


def open_snapshot(path: Path) -> BinaryIO:
    """Open a file for a `Reader`.

    Raises:
        FileFailed: it can't be opened, or is no ordinary file.
    """
    try:
        if not path.is_file():
            raise FileFailed(f"There is no file {path}." if not path.exists() else f"{path} is no ordinary file.")
        return path.open("rb", buffering=0)
    except OSError as error:
        raise FileFailed(f"{path} could not be opened: {error.strerror or error}.") from error
