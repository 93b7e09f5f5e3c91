"""A trace file as events, batch by batch: plain or gzipped, an array or an object, never more than allowed.

Chrome writes one event on a line, so that a file can be decoded while it is read, a few megabytes at a time. A file
written otherwise is decoded as a whole.
"""

from __future__ import annotations

import json
import re
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import msgspec

from pagelens.errors import BadTrace, FileFailed

__all__ = ["MAX_BYTES", "NotByLine", "Notes", "RawEvent", "batches", "whole"]

#: The largest trace that is read, unpacked.
MAX_BYTES = 2**30
#: Bytes decoded at a time. Larger pieces take more memory and are no faster.
PIECE = 4 << 20

#: Between two events on lines of their own; can't stand inside an event unless somebody else wrote the file.
_BETWEEN = b"},\n{"
_EVENTS = re.compile(rb'"traceEvents"\s*:\s*\[')
_LONE_SURROGATE = re.compile(
    rb"\\u[dD][89abAB][0-9a-fA-F]{2}(?!\\u[dD][c-fC-F])|(?<!\\u[dD][89abAB]..)\\u[dD][c-fC-F][0-9a-fA-F]{2}"
)
_HOST_DPR = re.compile(rb'"hostDPR"\s*:\s*([0-9]{1,3}(?:\.[0-9]{1,9})?)')
#: Metadata that matter are at most so far from an end of the file.
_MOST_METADATA = 64 << 10
#: The most bytes of other things that may stand before the events.
_MOST_BEFORE = 64 << 20


_PERFETTO = "a binary one of Perfetto's, perhaps; record it as JSON"
#: What files of other forms begin with.
_BINARY = (
    (b"PK\x03\x04", "a ZIP archive: unpack it"),
    (b"\x1f\x8b", "it is packed twice: unpack it once"),
    (b"\xff\xfe", "it is in UTF-16: save it as UTF-8"),
    (b"\xfe\xff", "it is in UTF-16: save it as UTF-8"),
    (b"\n", _PERFETTO),
)


class RawEvent(msgspec.Struct, gc=False):
    """An event with its arguments not yet decoded."""

    name: str = ""
    ph: str = ""
    ts: int | float = 0
    pid: int = 0
    tid: int = 0
    dur: int | float = 0
    id: str | int | None = None
    id2: dict[str, str] | None = None
    args: msgspec.Raw = msgspec.Raw(b"{}")


class _Tail(msgspec.Struct):
    traceEvents: list[RawEvent]


class _LooseTail(msgspec.Struct):
    traceEvents: list[msgspec.Raw]


_event = msgspec.json.Decoder(RawEvent)
_list = msgspec.json.Decoder(list[RawEvent])
_loose_list = msgspec.json.Decoder(list[msgspec.Raw])
_tail = msgspec.json.Decoder(_Tail)
_loose_tail = msgspec.json.Decoder(_LooseTail)


@dataclass(slots=True)
class Notes:
    """What is learned of a file beside its events.

    Attributes:
        skipped: how many events are none of Chrome's form.
        host_dpr: the pixel ratio of the screen that DevTools recorded it on, when it emulated another.
    """

    skipped: int = 0
    host_dpr: float | None = None

    def read_metadata(self, text: bytes) -> None:
        # Inside of a text, quotes have a backslash before them.
        if (found := _HOST_DPR.search(text)) is not None:
            self.host_dpr = float(found[1]) or None


class NotByLine(Exception):
    """The file is damaged, or not written one event on a line."""


def batches(source: Path | bytes, notes: Notes) -> Iterator[list[RawEvent]]:
    """The events of a file that has one on a line.

    Args:
        source: the file, or its bytes.
        notes: gets what else is learned.

    Raises:
        NotByLine: it is written otherwise, or damaged: `whole` says which.
        BadTrace, FileFailed: as `whole`.
    """
    pieces = _unpacked(source)
    rest = b""
    is_object: bool | None = None
    for piece in pieces:
        rest += piece
        if is_object is None:
            if len(rest) < 2:
                continue
            begin = rest.removeprefix(b"\xef\xbb\xbf").lstrip(b" \t\r\n")
            if begin[:1] == b"[":
                is_object, rest = False, begin[1:]
            elif begin[:1] == b"{":
                found = _EVENTS.search(begin)
                if found is None:
                    if len(begin) > _MOST_BEFORE:
                        raise NotByLine
                    continue
                is_object, rest = True, begin[found.end() :]
                notes.read_metadata(begin[: found.start()])
            else:
                raise NotByLine
        cut = rest.rfind(_BETWEEN)
        if cut >= 0 and len(rest) >= PIECE:
            part, rest = rest[: cut + 1], rest[cut + 3 :]
            yield _decoded(b"[" + part + b"]", False, notes)
        elif len(rest) > _MOST_BEFORE:
            raise NotByLine
    if is_object is None:
        raise NotByLine
    notes.read_metadata(rest[-_MOST_METADATA:])
    yield _decoded(b'{"traceEvents":[' + rest if is_object else b"[" + rest, is_object, notes)


def _decoded(text: bytes, is_object: bool, notes: Notes) -> list[RawEvent]:
    try:
        return _tail.decode(text).traceEvents if is_object else _list.decode(text)
    except msgspec.ValidationError:
        # An event of another form costs itself only.
        pass
    except msgspec.DecodeError as error:
        mended = _LONE_SURROGATE.sub(rb"\\ufffd", text)
        if mended == text:
            raise NotByLine from error
        # Half of a character, which texts of pages may end with.
        return _decoded(mended, is_object, notes)
    try:
        loose = _loose_tail.decode(text).traceEvents if is_object else _loose_list.decode(text)
    except msgspec.DecodeError as error:
        raise NotByLine from error
    kept = []
    for raw in loose:
        try:
            kept.append(_event.decode(raw))
        except msgspec.DecodeError:
            continue
    notes.skipped += len(loose) - len(kept)
    return kept


def whole(source: Path | bytes, notes: Notes) -> list[RawEvent]:
    """The events of a file of any form.

    Raises:
        BadTrace: it is no trace, cut short, damaged, or too large.
        FileFailed: it can't be read.
    """
    text = b"".join(_unpacked(source)).removeprefix(b"\xef\xbb\xbf").strip(b" \t\r\n")
    if not text:
        raise BadTrace("This is no trace: the file is empty.")
    if text[:1] not in b"[{":
        kind = next((words for begin, words in _BINARY if text.startswith(begin)), "")
        if not kind and b"\0" in text[:64]:
            kind = _PERFETTO
        raise BadTrace(f"This is no trace in JSON{f' ({kind})' if kind else ''}: it begins with {text[:12]!r}.")
    if text[:1] == b"{":
        _refuse_foreign(text)
    notes.read_metadata(text[:_MOST_METADATA] + text[-_MOST_METADATA:])
    try:
        return _decoded(text, text[:1] == b"{", notes)
    except NotByLine as error:
        cause = error.__cause__
        words = str(cause)
        if "truncated" in words or ("trailing" not in words and text[-1:] not in b"]}"):
            raise BadTrace(f"This trace is cut short: it ends after {len(text):,} bytes, within its data.") from cause
        raise BadTrace(f"This trace is damaged: {words[:160]}.") from cause


def _refuse_foreign(text: bytes) -> None:
    if _EVENTS.search(text):
        return
    head = text[:4096]
    known = (
        (rb'"snapshot"\s*:', "a heap snapshot; see: pagelens heap --help"),
        (rb'"(?:libs|geckoProfile|profilerOverhead|interval|meta)"\s*:', "a profile of Firefox's"),
        (rb'"(?:nodes|samples|timeDeltas)"\s*:', "a CPU profile (.cpuprofile) without events"),
        (rb'"log"\s*:', "a HAR file"),
        (rb'"resourceSpans"\s*:', "an OpenTelemetry trace"),
        (rb'"lighthouseVersion"\s*:', "a report of Lighthouse's"),
        (rb'"recording"\s*:', "a recording of Safari's"),
    )
    what = next((words for pattern, words in known if re.search(pattern, head)), "")
    if what:
        raise BadTrace(f"This is no trace of Chrome's but {what}.")
    try:
        json.loads(text)
    except (ValueError, RecursionError) as error:
        raise BadTrace(f"This file is damaged, or cut short after {len(text):,} bytes: {str(error)[:120]}.") from error
    raise BadTrace("This is no trace of Chrome's: it has no traceEvents.")


def _unpacked(source: Path | bytes) -> Iterator[bytes]:
    """The bytes, unpacked, at most `PIECE` at a time or a little more."""
    total = 0
    unpack: zlib._Decompress | None = None
    first = True
    for raw in _raw(source):
        if first and raw[:2] == b"\x1f\x8b":
            unpack = zlib.decompressobj(zlib.MAX_WBITS | 16)
        first = False
        while raw:
            if unpack is None:
                data, raw = raw, b""
            else:
                try:
                    data = unpack.decompress(raw, PIECE)
                except zlib.error as error:
                    raise BadTrace(
                        f"This file's gzip data are damaged after {total:,} bytes unpacked: {error}."
                    ) from error
                raw = b"" if unpack.eof else unpack.unconsumed_tail
            total += len(data)
            if total > MAX_BYTES:
                raise BadTrace(f"This trace is larger than {MAX_BYTES:,} bytes, the most that is read.")
            if data:
                yield data
    if unpack is not None and not unpack.eof and (last := unpack.flush()):
        yield last
    if unpack is not None and not unpack.eof:
        raise BadTrace(f"This file is cut short: its gzip data end after {total:,} bytes unpacked.")


def _raw(source: Path | bytes) -> Iterator[bytes]:
    if isinstance(source, bytes):
        for at in range(0, len(source), PIECE):
            yield source[at : at + PIECE]
        return
    try:
        if not source.is_file():
            raise FileFailed(f"There is no file {source}." if not source.exists() else f"{source} is no ordinary file.")
        with source.open("rb") as file:
            while piece := file.read(PIECE):
                yield piece
    except OSError as error:
        raise FileFailed(f"{source} could not be read: {error.strerror or error}.") from error
