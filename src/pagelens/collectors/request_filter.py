"""Which requests a list is to show."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, get_args

from pagelens.collectors.network_request import Outcome
from pagelens.core.safe_text import one_line, shortened
from pagelens.core.wildcards import Wildcards
from pagelens.errors import InvalidInput

if TYPE_CHECKING:
    from pagelens.collectors.network_request import NetworkRequest

__all__ = ["RequestFilter"]

_OUTCOMES: tuple[str, ...] = get_args(Outcome)
_RANGE = re.compile(r"(?:(?P<class>[1-5])xx|(?P<from>\d{3})(?:-(?P<to>\d{3}))?)", re.IGNORECASE)


class RequestFilter:
    """Matches requests by type, address and how they were answered; what is not given matches all.

    Args:
        resource_types: e.g. ``fetch``, ``document``.
        url: what the address contains, whatever the case; ``*`` stands for anything.
        status: one or several, with commas: ``404``, ``4xx``, ``500-599``, or an outcome (``failed``, ``pending``…).

    Raises:
        InvalidInput: `status` has a part that is none of these.
    """

    def __init__(self, resource_types: Sequence[str] = (), url: str | None = None, status: str | None = None) -> None:
        self._types = frozenset(resource_types)
        self._url = Wildcards(url or "")
        self._status = status or ""
        self._tests = [self._test(part.strip()) for part in self._status.split(",")] if self._status.strip() else []

    def __bool__(self) -> bool:
        return bool(self._types or self._url or self._tests)

    def __str__(self) -> str:
        parts = []
        if self._types:
            parts.append(f"type {', '.join(sorted(self._types))}")
        if self._url:
            parts.append(f"URL with {shortened(one_line(self._url.text), 200)}")
        if self._tests:
            parts.append(f"status {one_line(self._status)}")
        return "; ".join(parts)

    def matches(self, request: NetworkRequest) -> bool:
        """Whether the list shows it."""
        if self._types and request.resource_type not in self._types:
            return False
        if not self._url.matches(request.url):
            return False
        return not self._tests or any(test(request) for test in self._tests)

    @staticmethod
    def _test(text: str) -> Callable[[NetworkRequest], bool]:
        word = text.lower()
        if word in _OUTCOMES:
            return lambda request: request.outcome == word
        found = _RANGE.fullmatch(text)
        if found is None:
            raise InvalidInput(
                f"{shortened(one_line(text), 100)!r} is no status.",
                f"Give 404, 4xx, 400-499 or one of {', '.join(_OUTCOMES)}; several with commas.",
            )
        if found["class"]:
            first = int(found["class"]) * 100
            last = first + 99
        else:
            first = int(found["from"])
            last = int(found["to"] or first)
        return lambda request: request.status is not None and first <= request.status <= last
