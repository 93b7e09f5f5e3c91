"""Compiles the functions of `kernels.py` with numba, and keeps the machine code for the next process.

Nothing here is imported before a snapshot needs it: numba costs about half a second of CPU. A kernel is compiled (or
read from the cache) when it is first called. The cache lies beside this package where that can be written, else in the
user's cache directory; it is told apart by a digest of the source, so no version of pagelens runs another's code.
"""

from __future__ import annotations

import hashlib
import importlib.util
import logging
import os
import sys
import threading
import types
from collections.abc import Callable
from pathlib import Path
from typing import Any

from pagelens.analysis.heap import kernels
from pagelens.errors import ExtraMissing

__all__ = ["Compiled", "available", "cache_directory", "compiled", "is_loaded", "warm"]

log = logging.getLogger(__name__)

_U8, _U32, _I32, _I64, _INT = "uint8[::1]", "uint32[::1]", "int32[::1]", "int64[::1]", "int64"
_GRAPH = (_U32, _U32, _U8, _U32)  # first_edge, targets, edge_types, edge_names

#: The signature of each kernel that is called from outside: what it returns, then what it takes.
SIGNATURES: dict[str, tuple[str, ...]] = {
    "parse_numbers": (_INT, 'Array(uint8, 1, "C", readonly=True)', _INT, _INT, _I64, _INT, _I64),
    "spread_detachedness": ("void", _U32, _U32, _U8, _U8, _U8, _INT, _INT, _INT),
    "edge_flags": (_INT, *_GRAPH, _I64, _U32, _U32, _I64, *(_INT,) * 7, _U8),
    "own_shallow_sizes": ("void", _U32, _U32, _U8, _U8, _U32, _I64, *(_INT,) * 7),
    "dominators": (_INT, _U32, _U32, _U8, _INT, _I64, _U32, _I64),
    "find_distances": ("void", _U32, _U32, _U32, _U8, _U32, _INT, _U32, _INT, _I32),
    "mark_names": ("void", _U8, _U32, _INT, _INT, _U8),
    "name_classes": ("void", _U8, _U32, _U32, _U32, _INT, _INT, _U32, _U32, _U32),
    "plain_shapes": (_INT, _U32, _U8, _U32, _U8, _U32, _INT, _INT, _INT, _U32, _U32, _U32),
    "locate_classes": (_INT, _U32, _I64, _I64, _I64, _U8, _INT, _U32, _INT, _U32, _U32),
    "class_table": ("void", _U32, _I64, _I64, _U32, _INT, _U8, _I64, _U32),
    "attribute_contexts": ("void", *_GRAPH, _U32, _U8, *(_INT,) * 5, _I32),
    "reach": ("void", *_GRAPH, _U8, _INT, _INT, _U8, _U8, *(_INT,) * 4, _U8),
    "retainer_index": ("void", _U32, _U32, _U32, _U32),
    "nearest_retainers": (
        "Tuple((int64, int64))",
        _U32,
        _U32,
        _U32,
        _U8,
        _I32,
        _INT,
        _INT,
        _INT,
        _U32,
        _U32,
    ),
    "gather_nodes": (_INT, _U8, _U32, _INT, _U8, _I64, _INT, _U32),
    "gather_strings": (_INT, _U32, _U8, _U32, _U8, _U32, _I64, _INT, _INT, _INT, _U32, _U32),
    "internal_targets": ("void", *_GRAPH, _U32, _INT, _INT, _U32),
    "array_sizes": ("void", *_GRAPH, _U8, _U32, _I64, _U8, *(_INT,) * 5, _I64),
    "match_objects": ("void", _I64, _I64, _U32, _I64, _I64, _I64, _U32, _I64, _U8, _U8, _I64),
}

#: Functions of `kernels.py` that only other kernels call: they become part of these.
_PARTS = ("_spread", "_flood", "_best", "_search", "_widen", "_slot", "_wider")

_lock = threading.Lock()
_loaded: Compiled | None = None


class Compiled:
    """The kernels as attributes, compiled for numpy arrays; they let go of the GIL while they run."""

    def __init__(self) -> None:
        import numba
        import numpy

        self._numba: Any = numba
        self._lock = threading.Lock()
        self._cache = cache_directory()
        self._globals: dict[str, Any] = dict(vars(kernels))
        for name, dtype in (("uint8s", numpy.uint8), ("uint32s", numpy.uint32), ("int64s", numpy.int64)):
            self._globals[name] = numba.njit(_zeros(numpy, dtype))
        for name in _PARTS:
            self._globals[name] = numba.njit(nogil=True)(self._twin(name))

    def __getattr__(self, name: str) -> Callable[..., Any]:
        if name not in SIGNATURES:
            raise AttributeError(name)
        with self._lock:
            if name not in self.__dict__:
                self.__dict__[name] = self._compile(name)
            made: Callable[..., Any] = self.__dict__[name]
            return made

    def _compile(self, name: str) -> Callable[..., Any]:
        returned, *taken = SIGNATURES[name]
        signature = f"{returned}({', '.join(taken)})"
        config = self._numba.config
        # numba reads the directory from its configuration while it makes a kernel; other users of numba in this
        # process keep their own.
        before = config.CACHE_DIR
        if self._cache is not None:
            config.CACHE_DIR = str(self._cache)
        try:
            make = self._numba.njit(signature, nogil=True, cache=self._cache is not None)
            made: Callable[..., Any] = make(self._twin(name))
            return made
        finally:
            config.CACHE_DIR = before

    def _twin(self, name: str) -> types.FunctionType:
        """A copy of a kernel that sees compiled functions where the original sees plain ones."""
        plain = getattr(kernels, name)
        twin = types.FunctionType(plain.__code__, self._globals, name, plain.__defaults__)
        twin.__module__, twin.__qualname__ = plain.__module__, plain.__qualname__
        return twin


def _zeros(numpy: Any, dtype: Any) -> Callable[[int], Any]:
    def zeros(n: int) -> Any:
        return numpy.zeros(n, dtype)

    return zeros


def available() -> bool:
    """Whether numpy and numba are installed (they are not imported to find out)."""
    return all(
        sys.modules[name] is not None if name in sys.modules else importlib.util.find_spec(name) is not None
        for name in ("numpy", "numba")
    )


def is_loaded() -> bool:
    """Whether the kernels are in this process already, so that using them costs nothing."""
    return _loaded is not None


def compiled() -> Compiled:
    """The kernels, loaded at the first call.

    Raises:
        ExtraMissing: numpy or numba is not installed, or broken.
    """
    global _loaded
    with _lock:
        if _loaded is None:
            try:
                _loaded = Compiled()
            except ImportError as error:
                raise ExtraMissing(
                    f"Large heap snapshots need numpy and numba, which can't be loaded: {error}.",
                    "Install them with: pip install 'pagelens[heap]'",
                ) from error
        return _loaded


def warm(progress: Callable[[str], None] | None = None) -> int:
    """Compile all kernels that the cache lacks, so that no snapshot waits for it; returns how many there are.

    Takes about half a minute of CPU the first time, and a second later on. `pagelens doctor --warm` calls it.
    """
    kernels_ = compiled()
    for name in SIGNATURES:
        if progress is not None:
            progress(name)
        getattr(kernels_, name)
    return len(SIGNATURES)


def cache_directory() -> Path | None:
    """Where machine code is kept, made if need be; None where nothing can be written (each process compiles anew)."""
    digest = hashlib.sha256(Path(kernels.__file__).read_bytes() + repr(SIGNATURES).encode()).hexdigest()[:16]
    for parent in _places():
        directory = parent / f"kernels-{digest}"
        try:
            directory.mkdir(parents=True, exist_ok=True)
        except OSError:
            continue
        if os.access(directory, os.W_OK):
            return directory
    log.warning("No directory for compiled code can be written: heap kernels are compiled by each process anew.")
    return None


def _places() -> list[Path]:
    import platformdirs

    return [Path(__file__).parent / "__pycache__", platformdirs.user_cache_path("pagelens") / "heap"]
