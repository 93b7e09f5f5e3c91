"""What pages say in their console."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pagelens.collectors.console_message import ConsoleMessage as ConsoleRecord
from pagelens.collectors.console_message import MessageOrigin, MessageSource, StackFrame, UncaughtError

if TYPE_CHECKING:
    from pagelens.api.page import Page

__all__ = ["ConsoleMessage"]


class ConsoleMessage:
    """One message of a page's console: a ``console`` call, an uncaught error, or an entry of the browser's log."""

    def __init__(self, page: Page, record: ConsoleRecord) -> None:
        self._page = page
        self._record = record

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ConsoleMessage) and other._record is self._record

    def __hash__(self) -> int:
        return hash(self._record)

    def __repr__(self) -> str:
        return f"<ConsoleMessage {self.id} {self.type} {self.text[:80]!r}>"

    @property
    def id(self) -> int:
        """Our number for it, unique in the browser (the tools' ``msgid``)."""
        return self._record.id

    @property
    def page(self) -> Page:
        """The page that said it."""
        return self._page

    @property
    def type(self) -> str:
        """``log``, ``info``, ``debug``, ``warn``, ``error``, ``table``, ``trace``, ``dir``, ``assert``…"""
        return self._record.type

    @property
    def text(self) -> str:
        """What the console shows, raw page text: format strings filled in, objects as short previews."""
        return self._record.text

    @property
    def origin(self) -> MessageOrigin:
        """``call`` of the console, uncaught ``exception``, or ``log`` of the browser (a failed request…)."""
        return self._record.origin

    @property
    def source(self) -> MessageSource:
        """``page`` (with its same-process frames), ``iframe`` in another process, or ``worker``."""
        return self._record.source

    @property
    def url(self) -> str:
        """The script it came from, or the resource that the browser speaks of; empty when unknown."""
        return self._record.url

    @property
    def line(self) -> int:
        """Counted from 1; 0 when unknown."""
        return self._record.line

    @property
    def column(self) -> int:
        """Counted from 1; 0 when unknown."""
        return self._record.column

    @property
    def timestamp(self) -> float:
        """Milliseconds since 1970."""
        return self._record.timestamp

    @property
    def stack(self) -> list[StackFrame]:
        """Where it was said, innermost call first; empty when unknown."""
        return self._record.stack()

    @property
    def error(self) -> UncaughtError | None:
        """For an uncaught error: what was thrown; else None."""
        return self._record.error
