"""Text that contains a text, with ``*`` for anything: how agents name addresses."""

from __future__ import annotations

__all__ = ["Wildcards"]


class Wildcards:
    """A pattern that is looked for anywhere in a text, whatever the case; ``*`` stands for anything. Takes linear time.

    Attributes:
        text: as it was written.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self._pieces = [piece for piece in text.lower().split("*") if piece]

    def __bool__(self) -> bool:
        """Whether it asks for anything."""
        return bool(self._pieces)

    def matches(self, text: str) -> bool:
        """Whether `text` contains it."""
        lower, at = text.lower(), 0
        for piece in self._pieces:
            at = lower.find(piece, at)
            if at < 0:
                return False
            at += len(piece)
        return True
