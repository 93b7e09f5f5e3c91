"""Messages of the Chrome DevTools Protocol on the wire, decoded as late as possible.

Only the envelope of a message is decoded when it arrives; `result` and `params` stay raw bytes until
somebody wants them. On an 8 MB reply that is 5 ms instead of 180. Chrome sends lone surrogates as
``\\ud800`` escapes, which fast decoders refuse: those messages go through the standard library.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, TypeVar

import msgspec

from pagelens.core.safe_text import json_safe

__all__ = ["Envelope", "ErrorBody", "decode_body", "decode_envelope", "encode_body", "encode_command", "event_decoder"]


class ErrorBody(msgspec.Struct, gc=False):
    """The ``error`` member of a reply."""

    code: int = 0
    message: str = ""
    data: str = ""


class Envelope(msgspec.Struct, gc=False):
    """One message: a reply (``id`` set), an event (``method`` set), or a complaint about bad JSON (neither)."""

    id: int | None = None
    method: str = ""
    sessionId: str = ""
    params: msgspec.Raw = msgspec.Raw(b"")
    result: msgspec.Raw = msgspec.Raw(b"")
    error: ErrorBody | None = None


_decode_envelope = msgspec.json.Decoder(Envelope).decode
_decode_any = msgspec.json.Decoder().decode
_encode = msgspec.json.Encoder().encode


def decode_envelope(data: bytes) -> Envelope:
    """Decode one message's envelope.

    Raises:
        ValueError: the bytes are no JSON object of this shape.
    """
    try:
        return _decode_envelope(data)
    except (msgspec.DecodeError, UnicodeDecodeError):
        # A lone surrogate in the envelope itself (an error message quoting page text), or invalid UTF-8.
        message = json.loads(data.decode("utf-8", "replace"))
        if not isinstance(message, dict):
            raise ValueError("a CDP message must be an object") from None
        error = message.get("error")
        return Envelope(
            id=message.get("id"),
            method=message.get("method", ""),
            sessionId=message.get("sessionId", ""),
            params=msgspec.Raw(json.dumps(message.get("params", {})).encode()),
            result=msgspec.Raw(json.dumps(message.get("result", {})).encode()),
            error=ErrorBody(error.get("code", 0), error.get("message", ""), str(error.get("data", "")))
            if error
            else None,
        )


def decode_body(raw: bytes | msgspec.Raw) -> dict[str, Any]:
    """Decode a reply's ``result`` or an event's ``params``. Lone surrogates survive as Python code points."""
    data = bytes(raw)
    if not data:
        return {}
    try:
        body = _decode_any(data)
    except (msgspec.DecodeError, UnicodeDecodeError):
        body = json.loads(data.decode("utf-8", "replace"))
    return body if isinstance(body, dict) else {}


def encode_command(message: dict[str, Any]) -> bytes:
    """Encode a command. Lone surrogates in its strings become ``\\ud800`` escapes, which Chrome accepts."""
    return encode_body(message)


def encode_body(body: dict[str, Any]) -> bytes:
    """The opposite of `decode_body`."""
    try:
        return _encode(body)
    except UnicodeEncodeError:
        return json.dumps(body, separators=(",", ":")).encode("ascii")


E = TypeVar("E", bound=msgspec.Struct)


def event_decoder(kind: type[E]) -> Callable[[bytes], E]:
    """A function from an event's JSON to `kind`. Lone surrogates, which the decoder refuses, become U+FFFD."""
    fast = msgspec.json.Decoder(kind).decode

    def decode(data: bytes) -> E:
        try:
            return fast(data)
        except (msgspec.DecodeError, UnicodeDecodeError):
            return fast(msgspec.json.encode(json_safe(decode_body(data))))

    return decode
