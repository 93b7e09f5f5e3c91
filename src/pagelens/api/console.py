"""What pages say in their console."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pagelens.collectors.console_message import ConsoleMessage as ConsoleRecord
from pagelens.collectors.console_message import Extension, MessageOrigin, MessageSource, StackFrame, UncaughtError
from pagelens.collectors.issues import IssueMessage

if TYPE_CHECKING:
    from pagelens.api.page import Page

__all__ = ["ConsoleMessage", "Issue"]


@dataclass(frozen=True, slots=True)
class Issue:
    """A problem that Chrome found in a page, as DevTools lists them.

    Attributes:
        code: Chrome's name for it: ``CookieIssue``, ``CorsIssue``, ``GenericIssue``…
        kind: what tells issues of one code apart, by Chrome's names; may be empty.
        title: what it is, in a line.
        explanation: what is wrong and what helps.
        links: where to read on.
        count: in how many things it was found so far.
        subjects: what these are, in a word or two each: cookies, addresses.
    """

    code: str
    kind: str
    title: str
    explanation: str
    links: tuple[str, ...]
    count: int
    subjects: tuple[str, ...]


class ConsoleMessage:
    """One message of a page's console: a ``console`` call, an uncaught error, an entry of the browser's log, or an
    issue that Chrome found."""

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
        """``log``, ``info``, ``debug``, ``warn``, ``error``, ``table``, ``trace``, ``dir``, ``assert``, ``issue``…"""
        return self._record.type

    @property
    def text(self) -> str:
        """What the console shows, raw page text: format strings filled in, objects as short previews."""
        return self._record.text

    @property
    def origin(self) -> MessageOrigin:
        """``call`` of the console, uncaught ``exception``, ``log`` of the browser (a failed request…), or ``issue``."""
        return self._record.origin

    @property
    def source(self) -> MessageSource:
        """``page`` (with its same-process frames), ``iframe`` in another process, ``worker`` of the page's own,
        ``service_worker``, ``shared_worker``, or ``content_script`` of an extension."""
        return self._record.source

    @property
    def source_url(self) -> str:
        """The script of the worker, or address of the frame in another process, as far as known; empty for the page."""
        return self._record.source_url

    @property
    def extension(self) -> Extension | None:
        """For a content script: whose it is."""
        return self._record.extension

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
    def issue(self) -> Issue | None:
        """For an issue: what it is, as of now; it may be found in more things later."""
        if not isinstance(self._record, IssueMessage):
            return None
        issue = self._record.issue
        text = issue.text
        return Issue(
            issue.code, issue.kind, text.title, text.explanation, text.links, issue.count, tuple(issue.subjects)
        )

    @property
    def error(self) -> UncaughtError | None:
        """For an uncaught error: what was thrown; else None."""
        return self._record.error
