"""Bodies of responses: they stay in Chrome until somebody asks."""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING

from pagelens.errors import ProtocolError, RecordGone

if TYPE_CHECKING:
    from pagelens.collectors.network_request import NetworkRequest

__all__ = ["response_body"]


async def response_body(request: NetworkRequest) -> bytes:
    """The body of an answered request, decompressed (CDP ``Network.getResponseBody``).

    Raises:
        RecordGone: Chrome has none, with its reason.
        ConnectionLost, CommandTimeout: Chrome did not answer.
    """
    try:
        reply = await request.session.send("Network.getResponseBody", {"requestId": request.request_id})
    except ProtocolError as error:
        raise RecordGone(
            f"Chrome has no body for reqid={request.id}: {error.protocol_message}.",
            "Ask before the page moves on, or load it again.",
        ) from error
    body: str = reply["body"]
    if reply["base64Encoded"]:
        return base64.b64decode(body)
    return body.encode("utf-8", "surrogatepass")
