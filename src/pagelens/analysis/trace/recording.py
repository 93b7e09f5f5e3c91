"""The events of a trace, sorted: those whose arguments matter by name, all others as times on their threads."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import msgspec

from pagelens.analysis.trace.reader import NotByLine, Notes, RawEvent, batches, whole
from pagelens.analysis.trace.schema import NEEDED, CallFrame, ProfileArgs
from pagelens.errors import BadTrace

__all__ = ["Event", "Recording", "Slice", "Thread", "record"]

_A = TypeVar("_A", bound=msgspec.Struct)

#: A process and a thread in it.
Thread = tuple[int, int]
#: Layouts and style recalculations that are shorter are nowhere asked for one by one. Microseconds.
LARGE_UPDATE = 40_000
#: Calls that are shorter name no function.
_LONG_CALL = 1_000
_LARGEST_TIME = 2**53
_MOST_SCREENSHOTS = 300

_decoders = {name: msgspec.json.Decoder(form) for name, form in NEEDED.items()}
_PROFILE = frozenset({"Profile", "ProfileChunk"})
_CALLS = frozenset({"FunctionCall", "EvaluateScript"})
_TIMED = frozenset({"X", "I", "B", "E"})
_LARGE = frozenset({"Layout", "UpdateLayoutTree"})


class Event(NamedTuple):
    """An event whose arguments are known."""

    name: str
    ph: str
    ts: float
    dur: float
    pid: int
    tid: int
    id: str
    args: Any

    @property
    def end(self) -> float:
        return self.ts + self.dur


class Slice(NamedTuple):
    """What a thread did for a time; sorts as it nests: the earlier first, of two that begin together the longer."""

    ts: float
    minus_dur: float
    name: str


class Recording:
    """A trace's events.

    Attributes:
        count: how many the file has.
        skipped: how many of them have another form than Chrome's.
        begin, end: the time that they span, in microseconds of Chrome's clock.
        host_dpr: the pixel ratio of the screen it was recorded on, when DevTools emulated another.
        slices: by thread, what it did and that took time.
        calls: by thread and begin, the function that was called (long calls only).
        screenshots: when each was taken, and the JPEG in base64; some of them, when there are many.
        profiles: by process and profile, its pieces in their order.
    """

    def __init__(self, *, instants: bool = False) -> None:
        self._instants = instants
        self.count = 0
        self.skipped = 0
        self.begin = float("inf")
        self.end = float("-inf")
        self.host_dpr: float | None = None
        self.slices: dict[Thread, list[Slice]] = {}
        self.calls: dict[tuple[int, int, float], CallFrame] = {}
        self.screenshots: list[tuple[float, str]] = []
        self.profiles: dict[tuple[int, str], list[tuple[float, int, ProfileArgs]]] = {}
        self._events: dict[str, list[Event]] = {}
        self._open: dict[Thread, list[tuple[list[Slice], int, str]]] = {}

    def of(self, *names: str) -> list[Event]:
        """The events of these names, the earliest first."""
        if len(names) == 1:
            return self._events.get(names[0], [])
        return sorted((event for name in names for event in self._events.get(name, ())), key=_time)

    def add(self, batch: Iterable[RawEvent]) -> None:
        begin, end, slices_of = self.begin, self.end, self.slices
        skipped, instants = 0, self._instants
        count = 0
        for raw in batch:
            count += 1
            name, ts, dur = raw.name, raw.ts, raw.dur
            if not (0 <= ts < _LARGEST_TIME and 0 <= dur < _LARGEST_TIME):
                skipped += 1
                continue
            if name in NEEDED and not self._needed(raw):
                continue
            ph = raw.ph
            if not ts or ph not in _TIMED or name[-5:] == "::UMA":
                continue
            if ts < begin:
                begin = ts
            if ts + dur > end:
                end = ts + dur
            if ph == "X":
                if dur or instants:
                    thread = (raw.pid, raw.tid)
                    try:
                        slices_of[thread].append(Slice(ts, -dur, name))
                    except KeyError:
                        slices_of[thread] = [Slice(ts, -dur, name)]
            elif ph != "I" or instants:
                self._other(raw)
        self.begin, self.end = begin, end
        self.count += count
        self.skipped += skipped

    def finish(self) -> None:
        """Sort what was read."""
        for events in self._events.values():
            events.sort(key=_time)
        for thread, slices in self.slices.items():
            if not self._instants and thread in self._open:  # what begun never ended
                slices[:] = [one for one in slices if one.minus_dur]
            slices.sort()
        self.screenshots.sort()
        for pieces in self.profiles.values():
            pieces.sort(key=lambda piece: piece[0])

    def _needed(self, raw: RawEvent) -> bool:
        name = raw.name
        if (name in _LARGE and raw.dur < LARGE_UPDATE) or (name in _CALLS and raw.dur < _LONG_CALL):
            return True
        try:
            args: Any = _decoders[name].decode(raw.args)
        except msgspec.DecodeError:
            self.skipped += 1
            return False
        if name in _PROFILE:
            self.profiles.setdefault((raw.pid, str(raw.id)), []).append((raw.ts, raw.tid, args))
        elif name in _CALLS:
            if args.data is not None:
                self.calls[raw.pid, raw.tid, raw.ts] = args.data
        elif name == "Screenshot":
            if args.snapshot:
                self.screenshots.append((raw.ts, args.snapshot))
                if len(self.screenshots) > _MOST_SCREENSHOTS:
                    # Every second one is enough for a filmstrip, and they are large.
                    self.screenshots = self.screenshots[::2]
        else:
            identity = str(raw.id if raw.id is not None else (raw.id2 or {}).get("local", ""))
            event = Event(name, raw.ph, raw.ts, raw.dur, raw.pid, raw.tid, identity, args)
            self._events.setdefault(name, []).append(event)
        return True

    def _other(self, raw: RawEvent) -> None:
        """What has its begin and its end in two events, or no end."""
        thread = (raw.pid, raw.tid)
        if raw.ph == "E":
            opened = self._open.get(thread)
            if opened:
                slices, at, begun = opened.pop()
                if begun == raw.name:
                    slices[at] = Slice(slices[at].ts, slices[at].ts - raw.ts, begun)
            return
        slices = self.slices.setdefault(thread, [])
        if raw.ph == "B":
            self._open.setdefault(thread, []).append((slices, len(slices), raw.name))
        slices.append(Slice(raw.ts, -raw.dur, raw.name))


def _time(event: Event) -> float:
    return event.ts


def record(source: Path | bytes, told: Callable[[int], None] | None = None, *, instants: bool = False) -> Recording:
    """Read a trace.

    Args:
        source: the file, or its bytes, plain or gzipped.
        told: called after each batch with the number of events so far; may raise to stop.
        instants: keep what takes no time as well, as DevTools' trees do.

    Raises:
        BadTrace: it is no trace, cut short, damaged, or too large.
        FileFailed: it can't be read.
    """
    # What is decoded lives until the end: looking for garbage in between costs a third of the time.
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        return _record(source, told, instants)
    except RecursionError as error:
        raise BadTrace("This file is damaged: its data are nested deeper than any trace's.") from error
    finally:
        if was_enabled:
            gc.enable()


def _record(source: Path | bytes, told: Callable[[int], None] | None, instants: bool) -> Recording:
    found, notes = Recording(instants=instants), Notes()
    try:
        for batch in batches(source, notes):
            found.add(batch)
            if told is not None:
                told(found.count)
    except NotByLine:
        found, notes = Recording(instants=instants), Notes()
        found.add(whole(source, notes))
    found.skipped += notes.skipped
    found.count += notes.skipped
    found.host_dpr = notes.host_dpr
    if not found.count:
        raise BadTrace("This trace is empty: it has no events.")
    found.finish()
    return found
