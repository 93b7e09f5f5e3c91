"""A console message in words and in JSON, and repeats folded into one."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, NotRequired, TypedDict

from pagelens.collectors.console_text import remote_text
from pagelens.core.safe_text import one_line, quoted, safe_block, shortened
from pagelens.response.formatters.network import url_text

if TYPE_CHECKING:
    from pagelens.analysis.source_maps import Mapped
    from pagelens.collectors.console_message import ConsoleMessage
    from pagelens.collectors.source_mapper import Place
    from pagelens.context.console_details import ConsoleDetails

__all__ = [
    "LINE_CHARS",
    "ConsoleFormatter",
    "ConsoleMessageDetailsJson",
    "ConsoleMessageJson",
    "ConsoleRow",
    "FoldedMessage",
    "fold",
    "place_text",
    "time_text",
]

#: Characters of a message in a list; calls of a stack in the details and in a list.
LINE_CHARS = 500
STACK_CALLS = 50
LIST_STACK_CALLS = 10
#: Characters of an extension's name.
NAME_CHARS = 60


class ExtensionJson(TypedDict):
    """An extension whose content script it is; `name` is missing when it is not known."""

    id: str
    name: NotRequired[str]


class OriginalJson(TypedDict):
    """Where a place in a script comes from, by its source map; `line` and `column` count from 1."""

    url: str
    line: int
    column: int


class StackFrameJson(TypedDict):
    """One call of a stack trace; `original` where a source map leads."""

    function: str
    url: str
    line: int
    column: int
    original: NotRequired[OriginalJson]


class ConsoleMessageJson(TypedDict):
    """A message in a list. `textLength` is there when `text` is cut, `count` when it was
    repeated, `stackTrace` when stack traces were asked for; `line` and `column` count from 1. `source` is missing for
    the page itself, else `iframe`, `worker`, `service_worker`, `shared_worker` or `content_script`."""

    id: int
    type: str
    text: str
    argsCount: int
    textLength: NotRequired[int]
    count: NotRequired[int]
    url: NotRequired[str]
    line: NotRequired[int]
    column: NotRequired[int]
    original: NotRequired[OriginalJson]
    source: NotRequired[str]
    sourceUrl: NotRequired[str]
    workerId: NotRequired[str]
    extension: NotRequired[ExtensionJson]
    stackTrace: NotRequired[list[StackFrameJson]]


class ConsoleRow(TypedDict):
    """A message as a row of a table. `source` is file, line and column, empty when unknown; `note` is what else there
    is to say, words with commas between and without spaces: ``x3,worker``."""

    msgid: int
    type: str
    source: str
    text: str
    note: str | None
    stack: NotRequired[str]


class ConsoleMessageDetailsJson(ConsoleMessageJson):
    """A message in full. `timestamp` in milliseconds since 1970. `args` has the arguments as they are now, or what was
    thrown; as they were when it was said where `notes` tell why. `requestId` is the reqid of the request that the
    browser's log speaks of."""

    timestamp: float
    origin: str
    args: list[str]
    notes: NotRequired[list[str]]
    causes: NotRequired[list[str]]
    requestId: NotRequired[int]
    uncaught: NotRequired[bool]
    handledLater: NotRequired[bool]
    logSource: NotRequired[str]


@dataclass(frozen=True, slots=True)
class FoldedMessage:
    """A message and how many times it was said in a row; `message` is the first."""

    message: ConsoleMessage
    count: int


def fold(messages: Iterable[ConsoleMessage]) -> list[FoldedMessage]:
    """Neighbours of the same type, text, argument count and source as one, as the console shows them."""
    folded: list[FoldedMessage] = []
    last_key: object = None
    for message in messages:
        key = message.fold_key
        if folded and key == last_key:
            folded[-1] = FoldedMessage(folded[-1].message, folded[-1].count + 1)
        else:
            folded.append(FoldedMessage(message, 1))
        last_key = key
    return folded


class ConsoleFormatter:
    """Shows one message.

    Args:
        message: the record.
        count: how often it was repeated without a break.
        details: what was found out about it, for the detailed forms.
        with_stack: show its stack trace in a list, too.
        sources: for places in scripts (URL, line, column), where in their sources they come from.
        source_map_problem: why the map of its script is not used, for the detailed forms.
    """

    def __init__(
        self,
        message: ConsoleMessage,
        count: int = 1,
        *,
        details: ConsoleDetails | None = None,
        with_stack: bool = False,
        sources: Mapping[Place, Mapped] | None = None,
        source_map_problem: str | None = None,
    ) -> None:
        self._message = message
        self._sources = sources or {}
        self._source_map_problem = source_map_problem
        self._count = count
        self._details = details
        self._with_stack = with_stack

    # -- concise -------------------------------------------------------------------------------------

    def to_string(self) -> str:
        """One line: ``msgid=3 [error] Uncaught TypeError: x is not a function (app.js:12:5)``."""
        message = self._message
        parts = [f"msgid={message.id}", f"[{one_line(message.type)}]"]
        text = self._line()
        if text:
            parts.append(text)
        if self._count > 1:
            parts.append(f"(x{self._count})")
        place = self._place()
        if place:
            parts.append(f"({place})")
        if message.source != "page":
            parts.append(f"[{self._who()}]")
        if message.handled_later:
            parts.append("[handled later]")
        return "\n".join([" ".join(parts), *(f"  {line}" for line in self._listed_stack())])

    def to_json(self) -> ConsoleMessageJson:
        """The line as data."""
        message = self._message
        found: ConsoleMessageJson = {
            "id": message.id,
            "type": message.type,
            "text": shortened(safe_block(message.text[: LINE_CHARS * 4]), LINE_CHARS),
            "argsCount": message.args_count,
        }
        self._add_optional(found)
        if message.text_length > LINE_CHARS:
            found["textLength"] = message.text_length
        if self._with_stack:
            found["stackTrace"] = self._stack_json(LIST_STACK_CALLS)
        return found

    def to_row(self) -> ConsoleRow:
        """The line as a row of a table."""
        message = self._message
        notes = [f"x{self._count}"] if self._count > 1 else []
        if message.source != "page":
            notes.append(self._who_in_a_word())
        if message.handled_later:
            notes.append("handled-later")
        row: ConsoleRow = {
            "msgid": message.id,
            "type": one_line(message.type),
            "source": self._place(),
            "text": self._line(),
            "note": ",".join(notes) or None,
        }
        if stack := self._listed_stack():
            row["stack"] = " < ".join(stack)
        return row

    # -- detailed ------------------------------------------------------------------------------------

    def to_string_detailed(self) -> str:
        """Type, place, time and the whole text, then the arguments in full, the stack and causes of errors."""
        message = self._message
        lines = [f"msgid={message.id} [{one_line(message.type)}]{f' (x{self._count})' if self._count > 1 else ''}"]
        lines += [f"  {line}" for line in self._whole_text().split("\n")]
        if message.url:
            place = place_text(message.url, message.line, message.column)
            mapped = self._mapped(message.url, message.line, message.column)
            lines.append(f"at {mapped_text(mapped)} (in the script {place})" if mapped is not None else f"at {place}")
        if self._source_map_problem:
            lines.append(f"The source map of the script is not used: {one_line(self._source_map_problem)}")
        lines.append(f"time: {time_text(message.timestamp)}")
        if message.source != "page":
            lines.append(f"said by: {self._who()} {url_text(message.source_url)}".rstrip())
        if message.log_source:
            lines.append(f"about: {one_line(message.log_source)}")
        if self._details is not None and self._details.request is not None:
            lines.append(f"request: reqid={self._details.request}")
        if message.handled_later:
            lines.append("The rejection was handled later.")
        lines += self._argument_lines()
        stack = self.stack_lines()
        if stack:
            lines += ["Stack:", *(f"  {line}" for line in stack)]
        for causes in self._causes():
            lines += ["Caused by:", *(f"  {line}" for line in causes.split("\n"))]
        return "\n".join(lines)

    def to_json_detailed(self) -> ConsoleMessageDetailsJson:
        """Everything that is recorded; has all keys of `to_json`, with the text in full."""
        message = self._message
        found: ConsoleMessageDetailsJson = {
            "id": message.id,
            "type": message.type,
            "text": self._whole_text(),
            "argsCount": message.args_count,
            "timestamp": message.timestamp,
            "origin": message.origin,
            "args": self._args(),
            "stackTrace": self._stack_json(STACK_CALLS),
        }
        self._add_optional(found)
        if message.text_length > len(message.text):
            found["textLength"] = message.text_length
        if notes := self._notes():
            found["notes"] = [f"Argument {place + 1}: {note}" for place, note in sorted(notes.items())]
        if causes := self._causes():
            found["causes"] = causes
        if self._details is not None and self._details.request is not None:
            found["requestId"] = self._details.request
        if message.origin == "exception":
            found["uncaught"] = True
        if message.handled_later:
            found["handledLater"] = True
        if message.log_source:
            found["logSource"] = message.log_source
        return found

    # -- parts ---------------------------------------------------------------------------------------

    def _add_optional(self, found: ConsoleMessageJson) -> None:
        message = self._message
        if self._count > 1:
            found["count"] = self._count
        if message.url:
            found["url"] = url_text(message.url)
        if message.line:
            found["line"] = message.line
        if message.column:
            found["column"] = message.column
        mapped = self._mapped(message.url, message.line, message.column)
        if mapped is not None:
            found["original"] = _original(mapped)
        if message.source != "page":
            found["source"] = message.source
            if message.source_url:
                found["sourceUrl"] = url_text(message.source_url)
            if message.worker_id:
                found["workerId"] = message.worker_id
            if message.extension is not None:
                found["extension"] = {"id": one_line(message.extension.id)}
                if message.extension.name:
                    found["extension"]["name"] = shortened(one_line(message.extension.name), NAME_CHARS)

    def _who(self) -> str:
        """Who says it, when it is not the page: ``service worker sw-1``, ``content script of "Helper"``."""
        message = self._message
        words = message.source.replace("_", " ")
        if message.extension is not None:
            name = shortened(one_line(message.extension.name), NAME_CHARS)
            return f"{words} of {quoted(name)}" if name else f"{words} of {one_line(message.extension.id)}"
        return f"{words} {message.worker_id}".rstrip()

    def _who_in_a_word(self) -> str:
        """The same without spaces: ``service-worker:sw-1``."""
        message = self._message
        who = message.worker_id
        if message.extension is not None:
            name = re.sub(r"[\s,()]+", "-", shortened(one_line(message.extension.name), NAME_CHARS)).strip("-")
            who = name or one_line(message.extension.id)
        return message.source.replace("_", "-") + (f":{who}" if who else "")

    def _line(self) -> str:
        message = self._message
        # Folding white space costs time in proportion to the text: never more of it than can be shown.
        text = one_line(message.text[: LINE_CHARS * 4])
        if message.text_length <= LINE_CHARS * 4 and len(text) <= LINE_CHARS:
            return text
        return f"{shortened(text, LINE_CHARS).removesuffix('…')}… ({message.text_length:,} characters)"

    def _whole_text(self) -> str:
        message = self._message
        whole = message.text
        text = safe_block(whole)
        if message.text_length <= len(whole):
            return text
        return f"{text}… (of {message.text_length:,} characters; the beginnings of very long texts are kept)"

    def _args(self) -> list[str]:
        """The arguments, or what was thrown, in full as far as that is known."""
        values = self._details.values if self._details is not None else {}
        return [safe_block(values.get(place) or remote_text(arg)) for place, arg in enumerate(self._message.args())]

    def _notes(self) -> dict[int, str]:
        return self._details.notes if self._details is not None else {}

    def _causes(self) -> list[str]:
        """What errors among the arguments were caused by, each with its stack."""
        causes = self._details.causes if self._details is not None else {}
        return [safe_block(text).replace("\n  caused by ", "\ncaused by ") for _, text in sorted(causes.items())]

    def _argument_lines(self) -> list[str]:
        message = self._message
        args = self._args()
        values = self._details.values if self._details is not None else {}
        notes = self._notes()
        if message.origin == "exception":
            # An error is in the text already, with its stack below.
            thrown = [] if message.error is not None and message.error.name else args[:1]
            if not values and not notes:
                return []
            return [f"Thrown: {thrown[0]}" for _ in thrown] + [notes[0] for _ in thrown if 0 in notes]
        if message.origin != "call" or (len(args) < 2 and not values and not notes):
            return []
        lines = ["Arguments:"]
        for place, arg in enumerate(args):
            # Texts are in the message itself, whole.
            text = arg if place in values else shortened(one_line(arg), LINE_CHARS)
            first, *rest = text.split("\n")
            lines += [f"  {place + 1}. {first}", *(f"     {line}" for line in rest)]
            if place in notes:
                lines.append(f"     {notes[place]}")
        return lines

    # Where calls of stacks become text, and nowhere else.

    def stack_lines(self, most: int = STACK_CALLS) -> list[str]:
        """Its stack trace, a line a call, innermost first."""
        stack = self._message.stack()
        lines = []
        for frame in stack[:most]:
            mapped = self._mapped(frame.url, frame.line, frame.column)
            place = place_text(frame.url, frame.line, frame.column) if mapped is None else mapped_text(mapped)
            lines.append(f"{shortened(one_line(frame.function), 200) or '(anonymous)'} {place}")
        if len(stack) > most:
            lines.append(f"… {len(stack) - most} more calls")
        return lines

    def _stack_json(self, most: int) -> list[StackFrameJson]:
        calls: list[StackFrameJson] = []
        for f in self._message.stack()[:most]:
            call: StackFrameJson = {
                "function": one_line(f.function),
                "url": url_text(f.url),
                "line": f.line,
                "column": f.column,
            }
            mapped = self._mapped(f.url, f.line, f.column)
            if mapped is not None:
                call["original"] = _original(mapped)
            calls.append(call)
        return calls

    def _mapped(self, url: str, line: int, column: int) -> Mapped | None:
        return self._sources.get((url, line, column))

    def _listed_stack(self) -> list[str]:
        return self.stack_lines(LIST_STACK_CALLS) if self._with_stack else []

    def _place(self) -> str:
        """File, line and column; the whole address when the browser speaks of a resource."""
        message = self._message
        if not message.url:
            return f"line {message.line}" if message.line and message.origin != "call" else ""
        if not message.line:
            return url_text(message.url)
        mapped = self._mapped(message.url, message.line, message.column)
        if mapped is not None:
            return f"{_file_name(mapped.source)}:{mapped.line}:{mapped.column}"
        return f"{_file_name(message.url)}:{message.line}{f':{message.column}' if message.column else ''}"


def _file_name(url: str) -> str:
    """The last part of a URL's path; its host and path when that is empty. Scripts may call themselves anything."""
    if url.startswith("data:"):
        return url_text(url)
    path = url.split("?", 1)[0].split("#", 1)[0]
    name = path.rsplit("/", 1)[-1] or path.split("://", 1)[-1]
    return shortened(one_line(name), 100)


def place_text(url: str, line: int, column: int) -> str:
    """A place in a script: its whole address, line and column as far as they are known."""
    return f"{url_text(url)}{f':{line}' if line else ''}{f':{column}' if column else ''}"


def mapped_text(mapped: Mapped) -> str:
    """A place in a source: its whole address, line and column."""
    return place_text(mapped.source, mapped.line, mapped.column)


def _original(mapped: Mapped) -> OriginalJson:
    return {"url": url_text(mapped.source), "line": mapped.line, "column": mapped.column}


def time_text(timestamp: float) -> str:
    """Milliseconds since 1970 as date and time."""
    try:
        return datetime.fromtimestamp(timestamp / 1000, UTC).isoformat(sep=" ", timespec="milliseconds")[:23] + " UTC"
    except (OverflowError, ValueError, OSError):
        return "unknown"
