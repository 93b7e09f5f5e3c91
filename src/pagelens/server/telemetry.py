"""What a tool call cost, told to OpenTelemetry: silent until the user installs and points an exporter.

Only the tool's name, its duration, the size of its reply and an error code are ever told: no parameters, no URLs, no
page text. The API package alone records nothing and opens no connection. The SDK's own middleware adds a span for each
message (method, tool name, request id) under the same rule: our handlers never raise, so it never sees page text.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from opentelemetry.metrics import Histogram

__all__ = ["record_call"]


@cache
def _instruments() -> tuple[Histogram, Histogram]:
    # Imported at the first tool call: nothing else needs the metrics half of the API.
    from opentelemetry.metrics import get_meter

    from pagelens._version import __version__

    meter = get_meter("pagelens", __version__)
    return (
        meter.create_histogram(
            "pagelens.tool.duration", unit="s", description="Time from a call's arrival to its reply"
        ),
        meter.create_histogram("pagelens.tool.reply.size", unit="By", description="Size of a reply: text and images"),
    )


def record_call(tool: str, seconds: float, size: int, error_code: str | None) -> None:
    """Tell what one call cost.

    Args:
        tool: a name from our own list of tools (never one that a client made up).
        size: bytes of text and images in the reply.
        error_code: code of the error, None for success.
    """
    duration, reply_size = _instruments()
    attributes = {"pagelens.tool": tool}
    if error_code is not None:
        attributes["error.type"] = error_code
    duration.record(seconds, attributes)
    reply_size.record(size, attributes)
