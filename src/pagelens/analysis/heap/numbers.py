"""Where the numbers of a snapshot live: numpy arrays with compiled kernels, or lists with plain ones."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Sequence
from itertools import accumulate
from typing import Any, Literal, Protocol

from pagelens.analysis.heap import kernels

__all__ = ["Column", "CompiledNumbers", "Kind", "Numbers", "PlainNumbers"]

#: Unsigned of 1 and 4 bytes, signed of 4 and 8.
Kind = Literal["u1", "u4", "i4", "i8"]
_TYPECODES: dict[Kind, str] = {"u1": "B", "u4": "I", "i4": "i", "i8": "q"}
_SIZES: dict[Kind, int] = {"u1": 1, "u4": 4, "i4": 4, "i8": 8}


class Column(Protocol):
    """An array that grows with what is read, never with what was announced."""

    def extend(self, values: Any) -> None:
        """Append values (which are in the range of its kind)."""

    def done(self) -> Any:
        """The array, when nothing more will come."""


class Numbers(Protocol):
    """One way to hold and work on arrays of integers."""

    #: `kernels.py`, or its compiled twin.
    kernels: Any
    #: Whether kernels are compiled.
    compiled: bool

    def zeros(self, kind: Kind, length: int) -> Any:
        """An array of zeros."""

    def full(self, kind: Kind, length: int, value: int) -> Any:
        """An array of one value."""

    def of(self, kind: Kind, values: Iterable[int]) -> Any:
        """An array of these values."""

    def export(self, kind: Kind, values: Any) -> Any:
        """For a caller: a numpy array where numpy is installed, else an `array.array`."""

    def prefix(self, values: Any, length: int) -> Sequence[int]:
        """The first numbers, as Python integers."""

    def sorted_places(self, values: Any) -> Any:
        """The places of the values in ascending order, stable, as ``i8``."""

    def find(self, values: Any, value: int) -> int:
        """The first place of a value, -1 when it is not there."""

    def size_of(self, kind: Kind, values: Any) -> int:
        """Bytes that an array takes, about."""

    def bounds(self, values: Any) -> tuple[int, int]:
        """The least and the greatest of some values."""

    def total(self, values: Any) -> int:
        """The sum, exact."""

    def low_bits(self, values: Any, mask: int) -> Any:
        """Each value's lowest bits."""

    def divided(self, values: Any, divisor: int) -> tuple[Any, bool]:
        """The quotients, and whether all divisions came out even."""

    def running_total(self, values: Any) -> Any:
        """Zero, and then the sums of the first values, as ``u4``."""

    def column(self, kind: Kind) -> Column:
        """An array that grows."""


class PlainNumbers:
    """Lists: for small files, and where numpy and numba are not installed."""

    kernels: Any = kernels
    compiled = False

    def zeros(self, kind: Kind, length: int) -> Any:
        return [0] * length

    def full(self, kind: Kind, length: int, value: int) -> Any:
        return [value] * length

    def of(self, kind: Kind, values: Iterable[int]) -> Any:
        return list(values)

    def export(self, kind: Kind, values: Any) -> Any:
        try:
            import numpy
        except ImportError:
            return array(_TYPECODES[kind], values)
        return numpy.array(values, kind)

    def prefix(self, values: Any, length: int) -> Sequence[int]:
        part: Sequence[int] = values[:length]
        return part

    def sorted_places(self, values: Any) -> Any:
        return sorted(range(len(values)), key=values.__getitem__)

    def find(self, values: Any, value: int) -> int:
        try:
            return int(values.index(value))
        except ValueError:
            return -1

    def size_of(self, kind: Kind, values: Any) -> int:
        # A place of eight bytes, and an object of its own for most numbers of the larger kinds.
        return len(values) * (8 if kind == "u1" else 30)

    def bounds(self, values: Any) -> tuple[int, int]:
        return min(values), max(values)

    def total(self, values: Any) -> int:
        return sum(values)

    def low_bits(self, values: Any, mask: int) -> Any:
        return [value & mask for value in values]

    def divided(self, values: Any, divisor: int) -> tuple[Any, bool]:
        quotients = [value // divisor for value in values]
        return quotients, sum(quotients) * divisor == sum(values)

    def running_total(self, values: Any) -> Any:
        return [0, *accumulate(values)]

    def column(self, kind: Kind) -> Column:
        return _ListColumn()


class CompiledNumbers:
    """numpy arrays and compiled kernels, from the extra ``pagelens[heap]``."""

    compiled = True

    def __init__(self) -> None:
        from pagelens.analysis.heap.jit import compiled

        self.kernels: Any = compiled()
        import numpy

        self.numpy = numpy

    def zeros(self, kind: Kind, length: int) -> Any:
        return self.numpy.zeros(length, kind)

    def full(self, kind: Kind, length: int, value: int) -> Any:
        return self.numpy.full(length, value, kind)

    def of(self, kind: Kind, values: Iterable[int]) -> Any:
        return self.numpy.array(list(values), kind)

    def export(self, kind: Kind, values: Any) -> Any:
        view = values.view()
        view.flags.writeable = False
        return view

    def prefix(self, values: Any, length: int) -> Sequence[int]:
        part: Sequence[int] = values[:length].tolist()
        return part

    def sorted_places(self, values: Any) -> Any:
        return self.numpy.argsort(values, kind="stable").astype("i8", copy=False)

    def find(self, values: Any, value: int) -> int:
        places = self.numpy.flatnonzero(values == value)
        return int(places[0]) if len(places) else -1

    def size_of(self, kind: Kind, values: Any) -> int:
        return _SIZES[kind] * len(values)

    def bounds(self, values: Any) -> tuple[int, int]:
        return int(values.min()), int(values.max())

    def total(self, values: Any) -> int:
        # Values are below 2**53: halves of 2**26 and 2**27 can't overflow for any number of them that fits in memory.
        return (int((values >> 26).sum(dtype="i8")) << 26) + int((values & 0x3FFFFFF).sum(dtype="i8"))

    def low_bits(self, values: Any, mask: int) -> Any:
        return values & mask

    def divided(self, values: Any, divisor: int) -> tuple[Any, bool]:
        quotients = values // divisor
        return quotients, bool((quotients * divisor == values).all())

    def running_total(self, values: Any) -> Any:
        total = self.numpy.zeros(len(values) + 1, "u4")
        self.numpy.cumsum(values, out=total[1:])
        return total

    def column(self, kind: Kind) -> Column:
        return _ArrayColumn(self.numpy, kind)


class _ListColumn:
    def __init__(self) -> None:
        self._values: list[int] = []

    def extend(self, values: Any) -> None:
        self._values.extend(values)

    def done(self) -> Any:
        return self._values


class _ArrayColumn:
    def __init__(self, numpy: Any, kind: Kind) -> None:
        self._values = numpy.empty(1 << 16, kind)
        self._length = 0

    def extend(self, values: Any) -> None:
        length = self._length + len(values)
        if length > len(self._values):
            # Grown where it lies, by the system's `realloc`: pages that were not written cost nothing.
            self._values.resize(max(length, 2 * len(self._values)), refcheck=False)
        self._values[self._length : length] = values
        self._length = length

    def done(self) -> Any:
        self._values.resize(self._length, refcheck=False)
        return self._values
