"""What went over a WebSocket or an event stream."""

from __future__ import annotations

import base64
from collections import deque
from typing import Literal

import msgspec

from pagelens.cdp.messages import decode_body

__all__ = ["Direction", "MessageKind", "StreamMessage", "StreamMessages"]

#: `sent` by the page, `received` by it.
Direction = Literal["sent", "received"]
#: `event`: of an event stream. `continuation`: a later piece of a message that came in several.
MessageKind = Literal["text", "binary", "event", "ping", "pong", "close", "continuation"]

#: Messages and bytes kept of one socket or stream; beyond it the oldest go.
MAX_MESSAGES = 5_000
MAX_WEIGHT = 8_000_000
#: What a message costs beside its text, about. Bytes.
BASE_WEIGHT = 200
#: A message above this size is kept as its beginning only. Bytes of the event.
BIG_MESSAGE = 1_000_000

_OPCODES: dict[int, MessageKind] = {0: "continuation", 1: "text", 2: "binary", 8: "close", 9: "ping", 10: "pong"}


class StreamMessage(msgspec.Struct, gc=False):
    """One message.

    Attributes:
        number: counts from 1 within its socket or stream.
        time: seconds on Chrome's monotonic clock.
        size: bytes of its content.
        text: its content; of a binary one in base64.
        event_name, event_id: of an event stream's message.
        is_cut: whether `text` is only the beginning.
    """

    number: int
    direction: Direction
    kind: MessageKind
    time: float
    size: int
    text: str
    event_name: str = ""
    event_id: str = ""
    is_cut: bool = False

    @property
    def data(self) -> bytes:
        """The content as bytes (its beginning, when `is_cut`)."""
        if self.kind != "text" and self.kind != "event":
            return base64.b64decode(self.text + "=" * (-len(self.text) % 4))
        return self.text.encode("utf-8", "surrogatepass")


class StreamMessages:
    """The messages of one socket or stream, oldest first, the newest `MAX_MESSAGES` of them.

    Attributes:
        total: how many there were, those no longer kept included.
        sent_bytes, received_bytes: content in all, in bytes.
        weight: about how many bytes the kept ones take.
    """

    __slots__ = ("_kept", "received_bytes", "sent_bytes", "total", "weight")

    def __init__(self) -> None:
        self._kept: deque[StreamMessage] = deque()
        self.total = 0
        self.sent_bytes = 0
        self.received_bytes = 0
        self.weight = 0

    def __len__(self) -> int:
        return len(self._kept)

    @property
    def kept(self) -> list[StreamMessage]:
        """Those that are kept, oldest first."""
        return list(self._kept)

    @property
    def dropped(self) -> int:
        """How many are no longer kept."""
        return self.total - len(self._kept)

    def add_frame(self, direction: Direction, raw: bytes) -> int:
        """Take a ``Network.webSocketFrameSent`` or ``…Received``; returns by how many bytes the weight has changed."""
        event = decode_body(raw)
        frame = event.get("response", {})
        kind = _OPCODES.get(int(frame.get("opcode", 1)), "binary")
        text = str(frame.get("payloadData", ""))
        size = (
            len(text.encode("utf-8", "surrogatepass")) if kind == "text" else len(text) * 3 // 4 - text.count("=", -2)
        )
        return self._add(StreamMessage(self.total + 1, direction, kind, float(event.get("timestamp", 0)), size, text))

    def add_event(self, raw: bytes) -> int:
        """Take a ``Network.eventSourceMessageReceived``; returns by how many bytes the weight has changed."""
        event = decode_body(raw)
        text = str(event.get("data", ""))
        return self._add(
            StreamMessage(
                self.total + 1,
                "received",
                "event",
                float(event.get("timestamp", 0)),
                len(text.encode("utf-8", "surrogatepass")),
                text,
                str(event.get("eventName", "")),
                str(event.get("eventId", "")),
            )
        )

    def _add(self, message: StreamMessage) -> int:
        before = self.weight
        self.total += 1
        if message.direction == "sent":
            self.sent_bytes += message.size
        else:
            self.received_bytes += message.size
        if len(message.text) > BIG_MESSAGE:
            message.text, message.is_cut = message.text[:BIG_MESSAGE], True
        self._kept.append(message)
        self.weight += BASE_WEIGHT + len(message.text)
        while len(self._kept) > 1 and (len(self._kept) > MAX_MESSAGES or self.weight > MAX_WEIGHT):
            self.weight -= BASE_WEIGHT + len(self._kept.popleft().text)
        return self.weight - before
