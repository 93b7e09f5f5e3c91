"""What `BrowserHost` needs of a browser, whoever started it."""

from __future__ import annotations

from typing import Protocol

from pagelens.cdp.connection import Connection

__all__ = ["LiveBrowser"]


class LiveBrowser(Protocol):
    """A browser that is connected: `ChromeProcess`, which we started, or `AttachedBrowser`, which we did not.

    Attributes:
        connection: to the browser, started.
        product: e.g. ``Chrome/156.0.8078.108``.
        headless: whether it has no window.
        notes: what was decided on the user's behalf, one sentence each.
        owned: whether it is ours: to end, and to change as a whole.
    """

    @property
    def connection(self) -> Connection: ...

    @property
    def product(self) -> str: ...

    @property
    def headless(self) -> bool: ...

    @property
    def notes(self) -> list[str]: ...

    @property
    def owned(self) -> bool: ...

    async def close(self) -> None:
        """End an owned browser; let go of another one. Idempotent."""
