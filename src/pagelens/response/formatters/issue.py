"""An issue that Chrome found in a page, in words and in JSON."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NotRequired, TypedDict

from pagelens.collectors.issues import IssueMessage
from pagelens.core.safe_text import json_safe, one_line, safe_block, shortened
from pagelens.response.formatters.console import (
    LINE_CHARS,
    ConsoleFormatter,
    ConsoleMessageDetailsJson,
    ConsoleMessageJson,
    ConsoleRow,
    place_text,
    time_text,
)
from pagelens.response.formatters.network import url_text

if TYPE_CHECKING:
    from pagelens.analysis.source_maps import Mapped
    from pagelens.collectors.console_message import ConsoleMessage
    from pagelens.collectors.issues import Occurrence
    from pagelens.collectors.source_mapper import Place
    from pagelens.context.console_details import ConsoleDetails

__all__ = ["IssueDetailsJson", "IssueFormatter", "IssueJson", "formatter_of"]

#: Characters of what an issue is about, and of its details.
SUBJECT_CHARS = 200
DETAILS_CHARS = 2_000


class IssueJson(ConsoleMessageJson):
    """An issue in a list. `count`, as of a message, is in how many things it was found."""

    issueCode: str


class OccurrenceJson(TypedDict):
    """One thing that an issue was found in. `requestId` is a reqid; `uid` is there while its element is."""

    subject: NotRequired[str]
    requestId: NotRequired[int]
    requestUrl: NotRequired[str]
    uid: NotRequired[str]
    url: NotRequired[str]
    line: NotRequired[int]
    column: NotRequired[int]
    details: dict[str, Any]


class IssueDetailsJson(IssueJson, ConsoleMessageDetailsJson):
    """An issue in full. `kind` is what tells issues of one code apart, by Chrome's own names."""

    kind: str
    title: str
    explanation: str
    links: list[str]
    occurrences: list[OccurrenceJson]


class IssueFormatter:
    """Shows one issue, beside other messages as one of them.

    Args:
        message: the record.
        details: its requests and elements by our ids, for the detailed forms.
    """

    def __init__(self, message: IssueMessage, details: ConsoleDetails | None = None) -> None:
        self._message = message
        self._issue = message.issue
        self._details = details
        self._plain = ConsoleFormatter(message, message.issue.count, details=details)

    # -- concise -------------------------------------------------------------------------------------

    def to_string(self) -> str:
        """One line: ``msgid=7 [issue] Document in quirks mode``."""
        return self._plain.to_string()

    def to_row(self) -> ConsoleRow:
        """The line as a row of a table."""
        return self._plain.to_row()

    def to_json(self) -> IssueJson:
        """The line as data."""
        return {**self._plain.to_json(), "issueCode": one_line(self._issue.code)}

    # -- detailed ------------------------------------------------------------------------------------

    def to_string_detailed(self) -> str:
        """What it means, what it was found in, and what Chrome says of it."""
        message, issue = self._message, self._issue
        text = issue.text
        more = " or more" if issue.has_more else ""
        count = f" (x{issue.count}{more})" if issue.count > 1 else ""
        lines = [f"msgid={message.id} [issue] {one_line(issue.code)}{count}"]
        lines += [f"  {line}" for line in (self._title(), *self._explanation().split("\n")) if line]
        if text.links:
            lines.append(f"Read on: {' '.join(text.links)}")
        lines.append(f"time: {time_text(message.timestamp)} (when pagelens heard of it)")
        lines.append("Found in:" if issue.count > 1 else "Found in: " + self._found_in(issue.occurrences[0]))
        if issue.count > 1:
            lines += [f"  {number}. {self._found_in(one)}" for number, one in enumerate(issue.occurrences, 1)]
            if issue.count > len(issue.occurrences):
                lines.append(f"  … {issue.count - len(issue.occurrences)}{more} more")
        stack = self._plain.stack_lines()
        if stack:
            lines += ["Stack:", *(f"  {line}" for line in stack)]
        lines.append(f"Details{' of the first' if issue.count > 1 else ''}: {self._raw(issue.occurrences[0])}")
        return "\n".join(lines)

    def to_json_detailed(self) -> IssueDetailsJson:
        """Everything that is known; has all keys of `to_json`."""
        return {
            **self._plain.to_json_detailed(),
            "issueCode": one_line(self._issue.code),
            "kind": one_line(self._issue.kind),
            "title": self._title(),
            "explanation": self._explanation(),
            "links": list(self._issue.text.links),
            "occurrences": [self._occurrence(one) for one in self._issue.occurrences],
        }

    # -- parts ---------------------------------------------------------------------------------------

    def _title(self) -> str:
        return shortened(one_line(self._issue.text.title), LINE_CHARS)

    def _explanation(self) -> str:
        return safe_block(self._issue.text.explanation)

    def _found_in(self, one: Occurrence) -> str:
        parts = []
        reqid, uid = self._reqid(one), self._uid(one)
        if one.subject and one.subject != one.request_url:
            parts.append(shortened(one_line(one.subject), SUBJECT_CHARS))
        if reqid is not None or one.request_url:
            number = f"reqid={reqid} " if reqid is not None else ""
            parts.append(f"request {number}{url_text(one.request_url)}".strip())
        if one.node:
            parts.append(f"uid={uid}" if uid else "an element that is gone or can't be asked for now")
        place = place_text(*one.location)
        if place:
            parts.append(f"at {place}")
        return "; ".join(parts) or "the document"

    def _occurrence(self, one: Occurrence) -> OccurrenceJson:
        found: OccurrenceJson = {"details": json_safe(_visible(one.details))}
        reqid, uid = self._reqid(one), self._uid(one)
        if one.subject:
            found["subject"] = shortened(one_line(one.subject), SUBJECT_CHARS)
        if reqid is not None:
            found["requestId"] = reqid
        if one.request_url:
            found["requestUrl"] = url_text(one.request_url)
        if uid:
            found["uid"] = uid
        url, line, column = one.location
        if url:
            found["url"] = url_text(url)
        if line:
            found["line"] = line
        if column:
            found["column"] = column
        return found

    def _reqid(self, one: Occurrence) -> int | None:
        return self._details.requests.get(one.request_id) if self._details is not None else None

    def _uid(self, one: Occurrence) -> str:
        number = self._details.uids.get((one.session.id, one.node), 0) if self._details is not None else 0
        return f"e{number}" if number else ""

    @staticmethod
    def _raw(one: Occurrence) -> str:
        text = json.dumps(json_safe(_visible(one.details)), ensure_ascii=False)
        return shortened(one_line(text), DETAILS_CHARS)


def formatter_of(
    message: ConsoleMessage,
    count: int = 1,
    details: ConsoleDetails | None = None,
    *,
    with_stack: bool = False,
    sources: Mapping[Place, Mapped] | None = None,
) -> ConsoleFormatter | IssueFormatter:
    """The formatter for a message of any kind."""
    if isinstance(message, IssueMessage):
        return IssueFormatter(message, details)
    return ConsoleFormatter(
        message,
        count,
        details=details,
        with_stack=with_stack,
        sources=sources if details is None else details.sources,
        source_map_problem=details.source_map_problem if details is not None else None,
    )


def _visible(value: Any) -> Any:
    """Details with every text made safe to print."""
    if isinstance(value, str):
        return one_line(value)
    if isinstance(value, dict):
        return {one_line(str(key)): _visible(member) for key, member in value.items()}
    if isinstance(value, list):
        return [_visible(member) for member in value]
    return value
