"""JSON-RPC messages as lines of bytes, whatever a client or a page puts into them.

The SDK's own stdio transport drops a line that its parser refuses (``"\\ud800"``, a lone surrogate, is legal JSON that
pydantic's parser does not take), and ends when it can't encode a reply. Here the first is read by the standard library
instead, what can't be read at all is answered, and the second can't happen.
"""

from __future__ import annotations

import json
import logging
from typing import Any

from mcp_types import (
    INTERNAL_ERROR,
    INVALID_REQUEST,
    PARSE_ERROR,
    ErrorData,
    JSONRPCError,
    JSONRPCMessage,
    JSONRPCRequest,
    JSONRPCResponse,
    jsonrpc_message_adapter,
)
from pydantic import ValidationError

from pagelens.core.safe_text import json_safe, without_surrogates

__all__ = ["decode", "encode", "is_answer_to", "refusal"]

log = logging.getLogger(__name__)


def decode(line: bytes) -> list[JSONRPCMessage | JSONRPCError]:
    """The messages of one line: one, or several when it is a batch; none for a blank line.

    What can't be understood is returned as the `JSONRPCError` to answer it with, marked by `refusal`.
    """
    try:
        return [jsonrpc_message_adapter.validate_json(line, by_name=False)]
    except ValidationError:
        pass  # rare: a lone surrogate, a batch, or nonsense
    if not line.strip():
        return []
    try:
        value = json.loads(line.decode("utf-8-sig", "replace"))
    except (ValueError, RecursionError) as error:
        return [refusal(None, PARSE_ERROR, f"This line is not JSON: {error}")]
    if isinstance(value, list) and value:
        return [_message(each) for each in value]
    return [_message(value)]


class Refusal(JSONRPCError):
    """An answer of the transport itself to what never reached the server."""


def refusal(request_id: Any, code: int, message: str) -> Refusal:
    """The answer to something that is not a message; `request_id` is used if it can be one."""
    known = request_id if isinstance(request_id, str | int) and not isinstance(request_id, bool) else None
    return Refusal(jsonrpc="2.0", id=known, error=ErrorData(code=code, message=message))


def _message(value: Any) -> JSONRPCMessage | Refusal:
    try:
        return jsonrpc_message_adapter.validate_python(value, by_name=False)
    except (ValidationError, RecursionError):
        request_id = value.get("id") if isinstance(value, dict) else None
        return refusal(request_id, INVALID_REQUEST, "This is JSON, but not a JSON-RPC 2.0 message.")


def is_answer_to(message: JSONRPCMessage, request_id: int | str) -> bool:
    """Whether the server (not the transport) answers that request with `message`."""
    if not isinstance(message, JSONRPCResponse | JSONRPCError) or isinstance(message, Refusal):
        return False
    return message.id == request_id


def encode(message: JSONRPCMessage) -> bytes:
    """One message as a line, newline included. Never fails: what can't be encoded is replaced."""
    try:
        return message.model_dump_json(by_alias=True, exclude_unset=True).encode() + b"\n"
    except ValueError:
        pass  # a lone surrogate that slipped through, e.g. one that the client sent as its request's id
    try:
        value = json_safe(message.model_dump(by_alias=True, exclude_unset=True))
        return json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=str).encode() + b"\n"
    except (ValueError, TypeError, RecursionError):
        log.exception("a message could not be encoded")
    answered = message.id if isinstance(message, JSONRPCRequest | JSONRPCResponse | JSONRPCError) else None
    if isinstance(answered, str):
        answered = without_surrogates(answered)
    return encode(refusal(answered, INTERNAL_ERROR, "The reply could not be encoded; pagelens' log has the details."))
