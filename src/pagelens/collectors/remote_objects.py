"""Objects of the page that its console messages refer to: held for a while, never for long.

Every object that a console call reports is kept alive in the page for us until we release it: left alone
we would be the leak that a heap snapshot finds. The newest few stay, so that a full value can still be
asked for; everything older is released as it falls out. That costs the page nothing it would not pay
anyway: V8 itself keeps the arguments of its newest 1,000 console messages.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pagelens.cdp.session import Session

__all__ = ["RemoteObjects"]


class RemoteObjects:
    """The remote objects that one page's messages hold, oldest released first.

    Args:
        limit: how many stay alive.
        batch: how many beyond that may wait for being released together.
    """

    def __init__(self, limit: int = 100, batch: int = 50) -> None:
        self._limit = limit
        self._batch = batch
        self._held: dict[tuple[str, str], Session] = {}

    @property
    def limit(self) -> int:
        """How many stay alive at least."""
        return self._limit

    def __len__(self) -> int:
        return len(self._held)

    def hold(self, session: Session, object_ids: Iterable[str]) -> None:
        """A message refers to these objects."""
        for object_id in object_ids:
            self._held[session.id, object_id] = session
        if len(self._held) > self._limit + self._batch:
            self._release(list(self._held)[: len(self._held) - self._limit])

    def is_alive(self, session: Session, object_id: str) -> bool:
        """Whether the object can still be asked about (unless its document is gone)."""
        return session.closed is None and (session.id, object_id) in self._held

    def release(self, session: Session, object_ids: Iterable[str]) -> None:
        """The message that refers to them is no longer kept."""
        self._release([key for object_id in object_ids if (key := (session.id, object_id)) in self._held])

    def release_all(self) -> int:
        """Keep none of them; returns how many there were."""
        count = len(self._held)
        self._release(list(self._held))
        return count

    def forget(self, session: Session) -> None:
        """All contexts of the session are gone, its objects with them."""
        for key in [key for key, holder in self._held.items() if holder is session]:
            del self._held[key]

    def _release(self, keys: list[tuple[str, str]]) -> None:
        found: dict[Session, list[dict[str, str]]] = {}
        for key in keys:
            found.setdefault(self._held.pop(key), []).append({"objectId": key[1]})
        for session, params in found.items():
            # Nobody waits for the answers: an object that is gone already is as good as released.
            session.tell("Runtime.releaseObject", params)
