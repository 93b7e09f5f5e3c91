"""A message of a WebSocket or event stream in words and in JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, NotRequired, TypedDict

from pagelens.core.safe_text import one_line, safe_block, shortened

if TYPE_CHECKING:
    from pagelens.collectors.stream_messages import StreamMessage

__all__ = ["StreamFormatter", "StreamMessageJson"]

#: Characters of a message in a list, and of one that is asked for.
LINE_CHARS = 300
TEXT_CHARS = 20_000


class StreamMessageJson(TypedDict):
    """A message. `time` in milliseconds since the socket was opened; `size` in bytes; `data` is text, or base64 of a
    binary one; `cut` when it is only the beginning."""

    number: int
    direction: str
    kind: str
    time: float
    size: int
    data: str
    cut: NotRequired[bool]
    eventName: NotRequired[str]
    eventId: NotRequired[str]


class StreamFormatter:
    """Shows one message.

    Args:
        message: the record.
        opened: when its socket or stream was opened, seconds on the same clock.
        whole: all of it, not one line.
    """

    def __init__(self, message: StreamMessage, opened: float, *, whole: bool = False) -> None:
        self._message = message
        self._ms = round(max(message.time - opened, 0) * 1000, 1)
        self._limit = TEXT_CHARS if whole else LINE_CHARS
        self._whole = whole

    def to_string(self) -> str:
        """One line: ``#12 sent +1530.2ms {"op":"ping"}``."""
        message = self._message
        parts = [f"#{message.number}", message.direction, f"+{self._ms:g}ms"]
        if message.kind != "text":
            name = f" {one_line(message.event_name)}" if message.event_name not in ("", "message") else ""
            parts.append(f"[{message.kind}{name}{f' id {one_line(message.event_id)}' if message.event_id else ''}]")
        text = self._text()
        if message.kind == "binary":
            parts.append(f"{message.size:,} bytes, base64")
        elif message.is_cut or len(message.text) > self._limit:
            parts.append(f"({message.size:,} bytes)")
        parts.append(text)
        return " ".join(parts)

    def to_json(self) -> StreamMessageJson:
        """The line as data."""
        message = self._message
        found: StreamMessageJson = {
            "number": message.number,
            "direction": message.direction,
            "kind": message.kind,
            "time": self._ms,
            "size": message.size,
            "data": shortened(safe_block(message.text[: self._limit + 1]), self._limit),
        }
        if message.is_cut or len(message.text) > self._limit:
            found["cut"] = True
        if message.event_name:
            found["eventName"] = one_line(message.event_name)
        if message.event_id:
            found["eventId"] = one_line(message.event_id)
        return found

    def _text(self) -> str:
        text = self._message.text[: self._limit * 4]
        return shortened(safe_block(text) if self._whole else one_line(text), self._limit)
