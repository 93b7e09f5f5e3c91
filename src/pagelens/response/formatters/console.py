"""A console message in words and in JSON, and repeats folded into one."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, NotRequired, TypedDict

from pagelens.collectors.console_text import remote_text
from pagelens.core.safe_text import one_line, safe_block, shortened
from pagelens.response.formatters.network import url_text

if TYPE_CHECKING:
    from pagelens.collectors.console_message import ConsoleMessage, StackFrame

__all__ = ["ConsoleFormatter", "ConsoleMessageDetailsJson", "ConsoleMessageJson", "ConsoleRow", "FoldedMessage", "fold"]

#: Characters of a message in a list, of one in the details, calls of a stack in the details.
LINE_CHARS = 500
TEXT_CHARS = 20_000
STACK_CALLS = 50


class ConsoleMessageJson(TypedDict):
    """A message in a list. `textLength` is there when `text` is cut, `count` when it was
    repeated; `line` and `column` count from 1."""

    id: int
    type: str
    text: str
    argsCount: int
    textLength: NotRequired[int]
    count: NotRequired[int]
    url: NotRequired[str]
    line: NotRequired[int]
    column: NotRequired[int]
    source: NotRequired[str]
    sourceUrl: NotRequired[str]


class ConsoleRow(TypedDict):
    """A message as a row of a table. `source` is file, line and column, empty when unknown; `note` is what else there
    is to say, words with commas between and without spaces: ``x3,worker``."""

    msgid: int
    type: str
    source: str
    text: str
    note: str | None


class StackFrameJson(TypedDict):
    """One call of a stack trace."""

    function: str
    url: str
    line: int
    column: int


class ConsoleMessageDetailsJson(ConsoleMessageJson):
    """A message in full. `timestamp` in milliseconds since 1970."""

    timestamp: float
    origin: str
    args: list[str]
    stackTrace: list[StackFrameJson]
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
    """

    def __init__(self, message: ConsoleMessage, count: int = 1) -> None:
        self._message = message
        self._count = count

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
            parts.append(f"[{message.source}]")
        if message.handled_later:
            parts.append("[handled later]")
        return " ".join(parts)

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
        return found

    def to_row(self) -> ConsoleRow:
        """The line as a row of a table."""
        message = self._message
        notes = [f"x{self._count}"] if self._count > 1 else []
        if message.source != "page":
            notes.append(message.source)
        if message.handled_later:
            notes.append("handled-later")
        return {
            "msgid": message.id,
            "type": one_line(message.type),
            "source": self._place(),
            "text": self._line(),
            "note": ",".join(notes) or None,
        }

    # -- detailed ------------------------------------------------------------------------------------

    def to_string_detailed(self) -> str:
        """Type, place and the whole text, then the arguments and the stack."""
        message = self._message
        lines = [f"msgid={message.id} [{one_line(message.type)}]{f' (x{self._count})' if self._count > 1 else ''}"]
        lines += [f"  {line}" for line in self._whole_text().split("\n")]
        if message.url:
            lines.append(f"at {_place_in_full(message.url, message.line, message.column)}")
        if message.source != "page":
            lines.append(f"said by: {message.source} {url_text(message.source_url)}".rstrip())
        if message.handled_later:
            lines.append("The rejection was handled later.")
        args = self._args() if message.origin == "call" else []
        if len(args) > 1:
            lines.append("Arguments:")
            lines += [f"  {number}. {shortened(one_line(arg), LINE_CHARS)}" for number, arg in enumerate(args, 1)]
        stack = message.stack()
        if stack:
            lines.append("Stack:")
            lines += [f"  {_call(frame)}" for frame in stack[:STACK_CALLS]]
            if len(stack) > STACK_CALLS:
                lines.append(f"  … {len(stack) - STACK_CALLS} more calls")
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
            "stackTrace": [
                {"function": one_line(f.function), "url": url_text(f.url), "line": f.line, "column": f.column}
                for f in message.stack()[:STACK_CALLS]
            ],
        }
        self._add_optional(found)
        if message.text_length > TEXT_CHARS:
            found["textLength"] = message.text_length
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
        if message.source != "page":
            found["source"] = message.source
            if message.source_url:
                found["sourceUrl"] = url_text(message.source_url)

    def _line(self) -> str:
        message = self._message
        # Folding white space costs time in proportion to the text: never more of it than can be shown.
        text = one_line(message.text[: LINE_CHARS * 4])
        if message.text_length <= LINE_CHARS * 4 and len(text) <= LINE_CHARS:
            return text
        return f"{shortened(text, LINE_CHARS).removesuffix('…')}… ({message.text_length:,} characters)"

    def _whole_text(self) -> str:
        message = self._message
        text = safe_block(message.text)
        if message.text_length <= TEXT_CHARS:
            return text
        return f"{text[:TEXT_CHARS]}… ({message.text_length:,} characters)"

    def _args(self) -> list[str]:
        return [shortened(safe_block(remote_text(arg)), TEXT_CHARS) for arg in self._message.args()]

    def _place(self) -> str:
        """File, line and column; the whole address when the browser speaks of a resource."""
        message = self._message
        if not message.url:
            return f"line {message.line}" if message.line and message.origin != "call" else ""
        if not message.line:
            return url_text(message.url)
        return f"{_file_name(message.url)}:{message.line}{f':{message.column}' if message.column else ''}"


def _file_name(url: str) -> str:
    """The last part of a URL's path; its host and path when that is empty. Scripts may call themselves anything."""
    if url.startswith("data:"):
        return url_text(url)
    path = url.split("?", 1)[0].split("#", 1)[0]
    name = path.rsplit("/", 1)[-1] or path.split("://", 1)[-1]
    return shortened(one_line(name), 100)


def _place_in_full(url: str, line: int, column: int) -> str:
    return f"{url_text(url)}{f':{line}' if line else ''}{f':{column}' if column else ''}"


def _call(frame: StackFrame) -> str:
    name = shortened(one_line(frame.function), 200) or "(anonymous)"
    return f"{name} {_place_in_full(frame.url, frame.line, frame.column)}"
