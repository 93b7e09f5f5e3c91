"""JavaScript dialogs: alert, confirm, prompt and beforeunload."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from typing import Literal

from pagelens.cdp.session import Session
from pagelens.core.safe_text import quoted, shortened

__all__ = ["Dialog", "DialogType"]

DialogType = Literal["alert", "confirm", "prompt", "beforeunload"]


@dataclass(eq=False)
class Dialog:
    """A dialog that holds its page until it is handled: no script runs, nothing is painted.

    Attributes:
        type: which kind.
        message: the page's text, raw; empty for ``beforeunload``, whose words are Chrome's.
        default_value: what a prompt proposes.
        url: the document that opened it.
        session: where it was reported and must be answered.
        outcome: ``accepted``, ``dismissed``, or ``gone`` (its document went away); None while it is open.
        is_attended: somebody is about to answer it: calls wait for that, and are not ended by the dialog.
    """

    type: DialogType
    message: str
    default_value: str
    url: str
    session: Session
    outcome: str | None = None
    is_attended: bool = False
    closed: asyncio.Event = field(default_factory=asyncio.Event)

    def words(self) -> str:
        """The dialog in a few words, safe to print: ``confirm "Delete it?"``."""
        text = f"{self.type} {quoted(shortened(self.message, 500))}" if self.message else self.type
        if self.type == "prompt" and self.default_value:
            text += f" (default {quoted(shortened(self.default_value, 200))})"
        return text

    def close(self, outcome: str) -> None:
        """Note its end."""
        if self.outcome is None:
            self.outcome = outcome
        self.closed.set()
