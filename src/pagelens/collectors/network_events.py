"""The few members of Network events that a list needs; the rest stays undecoded until somebody asks.

A page can send tens of thousands of these. Decoding into structs skips what is not named here, at
about a quarter of the cost of building dictionaries. Names are those of the protocol.
"""

from __future__ import annotations

import msgspec

__all__ = [
    "CorsErrorStatus",
    "DataReceived",
    "ExtraInfo",
    "Initiator",
    "LoadingFailed",
    "LoadingFinished",
    "RequestWillBeSent",
    "Response",
    "ResponseReceived",
    "ServedFromCache",
    "WebSocketEvent",
]


class _Request(msgspec.Struct, gc=False):
    url: str = ""
    method: str = "GET"
    urlFragment: str = ""
    hasPostData: bool = False


class Initiator(msgspec.Struct, gc=False):
    """Who asked: `parser`, `script`, `preload`, `preflight`…; a preflight names the request it is for."""

    type: str = "other"
    requestId: str = ""


class Response(msgspec.Struct, gc=False):
    """What a list says of a response."""

    status: int = 0
    fromDiskCache: bool = False
    fromServiceWorker: bool = False
    fromPrefetchCache: bool = False


class RequestWillBeSent(msgspec.Struct):
    """``Network.requestWillBeSent``; a `redirectResponse` ends the hop before."""

    requestId: str
    loaderId: str = ""
    request: _Request = msgspec.field(default_factory=_Request)
    timestamp: float = 0.0
    wallTime: float = 0.0
    initiator: Initiator = msgspec.field(default_factory=Initiator)
    redirectHasExtraInfo: bool = False
    redirectResponse: Response | None = None
    type: str = "Other"
    frameId: str = ""


class ExtraInfo(msgspec.Struct, gc=False):
    """``Network.requestWillBeSentExtraInfo`` and ``responseReceivedExtraInfo`` (only that has a status)."""

    requestId: str
    statusCode: int = 0


class ResponseReceived(msgspec.Struct, gc=False):
    """``Network.responseReceived``."""

    requestId: str
    type: str = "Other"
    timestamp: float = 0.0
    hasExtraInfo: bool = False
    response: Response = msgspec.field(default_factory=Response)


class DataReceived(msgspec.Struct, gc=False):
    """``Network.dataReceived``; `data` (base64) only of a response that is being streamed to us."""

    requestId: str
    dataLength: int = 0
    data: str = ""


class LoadingFinished(msgspec.Struct, gc=False):
    """``Network.loadingFinished``."""

    requestId: str
    timestamp: float = 0.0
    encodedDataLength: float = 0.0


class CorsErrorStatus(msgspec.Struct, gc=False):
    """Which CORS rule stopped a request."""

    corsError: str = ""
    failedParameter: str = ""


class LoadingFailed(msgspec.Struct, gc=False):
    """``Network.loadingFailed``."""

    requestId: str
    timestamp: float = 0.0
    errorText: str = ""
    canceled: bool = False
    blockedReason: str = ""
    corsErrorStatus: CorsErrorStatus | None = None


class ServedFromCache(msgspec.Struct, gc=False):
    """``Network.requestServedFromCache``: the renderer's memory cache."""

    requestId: str


class _HandshakeResponse(msgspec.Struct, gc=False):
    status: int = 0


class WebSocketEvent(msgspec.Struct, gc=False):
    """``Network.webSocketCreated``, ``…WillSendHandshakeRequest``, ``…HandshakeResponseReceived``,
    ``…FrameError``, ``…Closed``; of frames and of ``eventSourceMessageReceived`` only whose they are."""

    requestId: str
    url: str = ""
    timestamp: float = 0.0
    wallTime: float = 0.0
    errorMessage: str = ""
    response: _HandshakeResponse | None = None
