"""Ranges of sizes as people write them: ``1MB-2MB``, ``10KB``, ``-1MB``."""

from __future__ import annotations

import re

from pagelens.errors import InvalidInput

__all__ = ["size_range"]

_UNITS = {"": 1, "b": 1, "kb": 2**10, "mb": 2**20, "gb": 2**30}
_SIZE = r"(\d+(?:\.\d+)?)\s*([kmg]?b)?"
_RANGE = re.compile(rf"\s*(?:{_SIZE})?\s*(-?)\s*(?:{_SIZE})?\s*", re.IGNORECASE | re.ASCII)


def size_range(text: str | None) -> tuple[int | None, int | None]:
    """The smallest and the largest size in bytes, both included; None where there is no bound.

    A single size is the smallest. KB, MB and GB are powers of 1024.

    Raises:
        InvalidInput: it is no such range.
    """
    if text is None:
        return None, None
    match = _RANGE.fullmatch(text) if len(text) < 100 else None
    if match is None or not (match[1] or match[4]) or (match[4] and not match[3]):
        raise InvalidInput(f"{text[:100]!r} is no range of sizes.", "Write 10KB (at least that), 1MB-2MB, or -500KB.")
    least = _bytes(match[1], match[2])
    most = _bytes(match[4], match[5])
    if least is not None and most is not None and least > most:
        raise InvalidInput(f"The range {text[:100]!r} ends before it begins.", "Write the smaller size first.")
    return least, most


def _bytes(number: str | None, unit: str | None) -> int | None:
    return None if number is None else int(float(number) * _UNITS[(unit or "").lower()])
