"""Issues that Chrome finds in a page (DevTools' Issues panel), each kind of them once.

Facts about the event (``Audits.issueAdded``, Chromium 156, seen):

- Chrome tells of the same problem again whenever it looks again: a form field without a name twice at load, and once
  more whenever the form changes.
- It has no time. What concerns the document's own request (a cookie that it sets) comes before the new document does.
- Nodes are named by numbers of the renderer process, requests by Chrome's ids.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import msgspec

from pagelens.cdp.messages import decode_body
from pagelens.collectors.console_message import ConsoleMessage, StackFrame, stack_frames
from pagelens.collectors.issue_kinds import Details, issue_kind, issue_subject, object_in, text_in
from pagelens.collectors.issue_texts import IssueText, issue_text
from pagelens.core.safe_text import json_safe

if TYPE_CHECKING:
    from pagelens.browser.page_sessions import AttachedSession
    from pagelens.cdp.session import Session

__all__ = ["AggregatedIssue", "IssueAggregator", "IssueMessage", "Occurrence", "PageEventSubscriber"]

#: Occurrences of one issue that are kept, and that are told apart.
OCCURRENCES_KEPT = 50
OCCURRENCES_KNOWN = 1_000
#: Kinds of issues told apart in one navigation.
MAX_ISSUES = 500
#: An event above this size is kept without what makes it long. Bytes.
BIG_EVENT = 16_384
#: Characters of one text, items of one list in such an event.
LONG_TEXT = 2_000
LONG_LIST = 50
#: What an issue costs beside its details, about. Bytes.
BASE_WEIGHT = 600

_NODES = ("violatingNodeId", "nodeId", "documentNodeId")
#: Chrome counts lines and columns from 0 here.
_LOCATIONS = ("sourceCodeLocation", "location")
#: Members that differ although the thing is the same.
_VOLATILE = frozenset({"scriptId"})


@dataclass(frozen=True, slots=True, eq=False)
class Occurrence:
    """One thing that an issue was found in.

    Attributes:
        session: that told of it; node numbers are valid there, in its document number `document`.
        details: as they came.
        time: when we heard of it, milliseconds since 1970.
    """

    code: str
    kind: str
    session: Session
    document: int
    details: Details
    time: float
    size: int

    @property
    def request_id(self) -> str:
        """Chrome's id of the request concerned; empty when there is none."""
        request = object_in(self.details, "request") or object_in(self.details, "failedRequestInfo")
        return text_in(request, "requestId")

    @property
    def request_url(self) -> str:
        """Its address."""
        request = object_in(self.details, "request") or object_in(self.details, "failedRequestInfo")
        return text_in(request, "url")

    @property
    def node(self) -> int:
        """Chrome's number of the node concerned, 0 when there is none."""
        return next((value for name in _NODES if isinstance(value := self.details.get(name), int)), 0)

    @property
    def frame_id(self) -> str:
        """The frame concerned, as far as it is known."""
        for name in ("frame", "affectedFrame", "blockedFrame", "frameAncestor"):
            if found := text_in(object_in(self.details, name), "frameId"):
                return found
        return text_in(self.details, "frameId")

    @property
    def location(self) -> tuple[str, int, int]:
        """URL, line and column, counted from 1; 0 when unknown."""
        for name in _LOCATIONS:
            place = object_in(self.details, name)
            if place:
                line, column = (place.get(part) for part in ("lineNumber", "columnNumber"))
                return (
                    text_in(place, "url"),
                    line + 1 if isinstance(line, int) else 0,
                    column + 1 if isinstance(column, int) else 0,
                )
        return ("", 0, 0)

    @property
    def subject(self) -> str:
        """What it is about, in a word or two; may be empty."""
        return issue_subject(self.code, self.details)

    def identity(self) -> bytes:
        """Equal for occurrences that are one thing told of twice."""
        # Node numbers of two processes may be the same by chance. Of the page itself the aggregator knows one document.
        where = ""
        if self.node:
            where = "page" if self.session.target_type == "page" else f"{self.session.target_id} {self.document}"
        return msgspec.json.encode([where, _steady(self.details)])


@dataclass(slots=True, eq=False)
class AggregatedIssue:
    """All that is the same issue in a page.

    Attributes:
        code: Chrome's name for it, ``CookieIssue``…
        kind: what tells issues of one code apart, by Chrome's names.
        occurrences: the first `OCCURRENCES_KEPT`.
        count: how many there were, as far as they were told apart.
        message: its record.
    """

    code: str
    kind: str
    occurrences: list[Occurrence] = field(default_factory=list)
    count: int = 0
    message: IssueMessage | None = None
    _known: set[bytes] = field(default_factory=set)

    @property
    def text(self) -> IssueText:
        """What it means."""
        return issue_text(self.code, self.occurrences[0].details)

    @property
    def has_more(self) -> bool:
        """Whether there may have been more than are counted."""
        return len(self._known) >= OCCURRENCES_KNOWN

    @property
    def subjects(self) -> list[str]:
        """What it is about, each once."""
        return list(dict.fromkeys(one.subject for one in self.occurrences if one.subject))

    def add(self, occurrence: Occurrence) -> bool:
        """Take one in; returns whether it is a new one."""
        identity = occurrence.identity()
        if identity in self._known:
            for index, known in enumerate(self.occurrences):
                if known.session.closed is not None and known.identity() == identity:
                    # Told again after a lost connection: its node can be reached where it was told now.
                    self.occurrences[index] = occurrence
            return False
        if self.has_more:
            return False
        self._known.add(identity)
        self.count += 1
        if len(self.occurrences) < OCCURRENCES_KEPT:
            self.occurrences.append(occurrence)
        return True

    def take(self, request_id: str) -> list[Occurrence]:
        """Take out what concerns a request."""
        taken = [one for one in self.occurrences if one.request_id == request_id]
        for one in taken:
            self.occurrences.remove(one)
            self._known.discard(one.identity())
        self.count -= len(taken)
        return taken


class IssueAggregator:
    """Groups what is the same issue by code and kind, and tells repeats from new things. One page's, until it
    navigates.

    Args:
        changed: called with an issue and the new thing it was found in; its first has no `AggregatedIssue.message` yet.
    """

    def __init__(self, changed: Callable[[AggregatedIssue, Occurrence], None]) -> None:
        self._changed = changed
        self._issues: dict[tuple[str, str], AggregatedIssue] = {}

    @property
    def issues(self) -> list[AggregatedIssue]:
        """Those of the current document, in the order in which they were first found."""
        return list(self._issues.values())

    def add(self, occurrence: Occurrence) -> None:
        """Something was found."""
        key = (occurrence.code, occurrence.kind)
        issue = self._issues.get(key)
        if issue is None:
            if len(self._issues) >= MAX_ISSUES:
                return
            issue = self._issues[key] = AggregatedIssue(*key)
        if issue.add(occurrence):
            self._changed(issue, occurrence)

    def reset(self, loader_id: str) -> tuple[list[IssueMessage], list[Occurrence]]:
        """The page shows another document. What concerns that document's own request was told before.

        Returns:
            Records that are all about it: they are the new document's; and what else belongs to it, taken out of issues
            of the old one, to be added anew when the records have moved.
        """
        moved: list[IssueMessage] = []
        left_over: list[Occurrence] = []
        kept: dict[tuple[str, str], AggregatedIssue] = {}
        for key, issue in self._issues.items():
            early = sum(1 for one in issue.occurrences if one.request_id == loader_id) if loader_id else 0
            if early and early == issue.count and issue.message is not None:
                kept[key] = issue
                moved.append(issue.message)
            elif early:
                left_over += issue.take(loader_id)
        self._issues = kept
        return moved, left_over


class PageEventSubscriber:
    """Subscribes to what sessions of a page report of issues, and hands it to an aggregator."""

    def __init__(self, aggregator: IssueAggregator) -> None:
        self._aggregator = aggregator
        self._documents: dict[str, int] = {}

    def watch(self, attached: AttachedSession) -> None:
        """Listen to a session that is about to be initialised."""
        session = attached.session
        self._documents[session.id] = 0
        session.on_raw("Audits.issueAdded", lambda raw: self._added(session, raw))
        session.on_raw("Runtime.executionContextsCleared", lambda _: self._cleared(session))
        session.on_closed(lambda _: self._closed(session))
        attached.init.append(("Audits.enable", {}))

    def is_current(self, occurrence: Occurrence) -> bool:
        """Whether the numbers of nodes in it still mean something: its process shows the same document."""
        return self._documents.get(occurrence.session.id) == occurrence.document

    def _added(self, session: Session, raw: bytes) -> None:
        issue = decode_body(raw).get("issue", {})
        code = str(issue.get("code", ""))
        details = next((value for value in issue.get("details", {}).values() if isinstance(value, dict)), {})
        if len(raw) > BIG_EVENT:
            details = _shorter(details)
        size = BASE_WEIGHT + min(len(raw), BIG_EVENT)
        kind, document = issue_kind(code, details), self._documents.get(session.id, 0)
        self._aggregator.add(Occurrence(code, kind, session, document, details, time.time() * 1000, size))

    def _closed(self, session: Session) -> None:
        self._documents.pop(session.id, None)

    def _cleared(self, session: Session) -> None:
        if session.id in self._documents:
            self._documents[session.id] += 1


class IssueMessage(ConsoleMessage):
    """An issue among a page's console messages: one record, however often it is found.

    Attributes:
        issue: what it is; it may still grow.
    """

    __slots__ = ("issue",)

    def __init__(self, number: int, page_id: int, issue: AggregatedIssue, first: Occurrence) -> None:
        event = msgspec.json.encode({"issue": {"code": issue.code, "details": json_safe(first.details)}})
        super().__init__(number, page_id, first.session, "page", "", "issue", "issue", first.time, event)
        self.issue = issue
        self.frame_id = first.frame_id
        self.weight = first.size

    @property
    def _first(self) -> Occurrence:
        return self.issue.occurrences[0]

    @property
    def text(self) -> str:
        """Its title, and what it was found in."""
        subjects = self.issue.subjects
        shown = ", ".join(subjects[:3])
        more = f" and {len(subjects) - 3} more" if len(subjects) > 3 else ""
        return self.issue.text.title + (f": {shown}{more}" if shown else "")

    @property
    def text_length(self) -> int:
        return len(self.text)

    @property
    def location(self) -> tuple[str, int, int]:
        return self._first.location

    @property
    def args_count(self) -> int:
        return 0

    @property
    def fold_key(self) -> tuple[object, ...]:
        """Issues are aggregated already: two of them are never the same."""
        return ("issue", self.id)

    def args(self) -> list[dict[str, Any]]:
        return []

    def stack(self) -> list[StackFrame]:
        return stack_frames(self._first.details.get("stackTrace"))

    @property
    def request_id(self) -> str:
        return self._first.request_id


def _steady(value: Any) -> Any:
    """A copy of details without what differs although the thing is the same."""
    if isinstance(value, dict):
        return {key: _steady(member) for key, member in value.items() if key not in _VOLATILE}
    if isinstance(value, list):
        return [_steady(member) for member in value]
    return json_safe(value)


def _shorter(value: Any) -> Any:
    """A copy of details with long texts and lists cut."""
    if isinstance(value, str):
        return value[:LONG_TEXT]
    if isinstance(value, dict):
        return {key: _shorter(member) for key, member in value.items()}
    if isinstance(value, list):
        return [_shorter(member) for member in value[:LONG_LIST]]
    return value
