"""A typed notification that listeners connect to. Synchronous, in order of connecting."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Generic, TypeVar

__all__ = ["Signal"]

log = logging.getLogger(__name__)

T = TypeVar("T")


class Signal(Generic[T]):
    """Something that happens again and again to its owner.

    Listeners are plain functions and must be quick: they run where the event is handled. One that
    raises is logged and costs no other listener its event.
    """

    __slots__ = ("_listeners", "name")

    def __init__(self, name: str) -> None:
        self.name = name
        self._listeners: list[Callable[[T], object]] = []

    def connect(self, listener: Callable[[T], object]) -> Callable[[], None]:
        """Call `listener` at each emit; returns the function that disconnects it (idempotent)."""
        self._listeners.append(listener)

        def disconnect() -> None:
            if listener in self._listeners:
                self._listeners.remove(listener)

        return disconnect

    def emit(self, value: T) -> None:
        """Tell all listeners that are connected now."""
        for listener in tuple(self._listeners):
            try:
                listener(value)
            except Exception:
                log.exception("a listener for %s failed", self.name)
