"""What is told of tools and their calls: plain values."""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from pagelens.core.safe_text import quoted, shortened

if TYPE_CHECKING:
    from pagelens.browser.webmcp.tool import WebMCPTool

__all__ = [
    "CallStatus",
    "WebMCPAnnotations",
    "WebMCPException",
    "WebMCPLocation",
    "WebMCPToolCall",
    "WebMCPToolCallResult",
    "parse_input",
    "result_of",
]

log = logging.getLogger(__name__)

CallStatus = Literal["Completed", "Canceled", "Error"]


@dataclass(frozen=True, slots=True)
class WebMCPAnnotations:
    """What a page says of its tool; nothing makes it true.

    Attributes:
        read_only: it changes nothing.
        untrusted_content: its output may hold what strangers wrote.
        autosubmit: of a form: it is submitted as soon as it is filled.
        consequential: what it does can't easily be taken back.
        debugging: it is meant for developers.
    """

    read_only: bool = False
    untrusted_content: bool = False
    autosubmit: bool = False
    consequential: bool = False
    debugging: bool = False

    @classmethod
    def of(cls, told: Mapping[str, Any]) -> WebMCPAnnotations:
        """From the protocol's ``annotations``, where what is not there is False."""
        return cls(
            read_only=bool(told.get("readOnly")),
            untrusted_content=bool(told.get("untrustedContent")),
            autosubmit=bool(told.get("autosubmit")),
            consequential=bool(told.get("consequential")),
            debugging=bool(told.get("debugging")),
        )


@dataclass(frozen=True, slots=True)
class WebMCPLocation:
    """The place in a script that registered a tool; line and column count from 1."""

    url: str
    line: int
    column: int

    @classmethod
    def of(cls, stack: Mapping[str, Any] | None) -> WebMCPLocation | None:
        """The innermost call of a protocol ``stackTrace``; None when there is none."""
        frames = (stack or {}).get("callFrames") or []
        if not frames:
            return None
        return cls(frames[0]["url"], frames[0]["lineNumber"] + 1, frames[0]["columnNumber"] + 1)


@dataclass(frozen=True, slots=True)
class WebMCPException:
    """What a tool threw.

    Attributes:
        description: of an error its text with the stack; of anything else its JSON form.
        class_name: ``TypeError``; empty for what is no object.
        value: what was thrown when it is no object, else None.
    """

    description: str
    class_name: str = ""
    value: Any = None


@dataclass(frozen=True, slots=True)
class WebMCPToolCall:
    """One call of a tool, by us, by another program or by the page itself.

    Attributes:
        id: Chrome's id of it.
        input: what the tool gets.
    """

    id: str
    tool: WebMCPTool
    input: dict[str, Any] = field(hash=False)


@dataclass(frozen=True, slots=True)
class WebMCPToolCallResult:
    """How a call ended.

    Attributes:
        id: of the call; None when it was never sent.
        call: None when the call is not known.
        status: ``Completed``, ``Canceled`` or ``Error``.
        output: what the tool returned, as JSON has it; None unless Completed.
        error_text: why it was not completed, in words, raw: the page chooses some of them.
        exception: what the tool threw.
    """

    id: str | None
    call: WebMCPToolCall | None
    status: CallStatus
    output: Any = field(default=None, hash=False)
    error_text: str = ""
    exception: WebMCPException | None = field(default=None, hash=False)


def parse_input(text: object, tool: str) -> dict[str, Any]:
    """The ``input`` of ``WebMCP.toolInvoked``, which is text; an empty one when it is no JSON object."""
    try:
        value = json.loads(text) if isinstance(text, str) else text
    except ValueError:
        value = None
    if isinstance(value, dict):
        return value
    shown = quoted(shortened(str(text), 200))
    log.warning("the input of the page's tool %s is no JSON object: %s", quoted(tool), shown)
    return {}


def result_of(p: Mapping[str, Any], call: WebMCPToolCall | None) -> WebMCPToolCallResult:
    """What a ``WebMCP.toolResponded`` says."""
    status: CallStatus = p["status"]
    if status == "Completed":
        return WebMCPToolCallResult(p["invocationId"], call, status, p.get("output"))
    exception = _exception(p["exception"]) if "exception" in p else None
    text: str = p.get("errorText") or ""
    if not text and exception is not None:
        text = exception.description
    if not text:
        text = "The call was cancelled." if status == "Canceled" else "The tool failed without a word."
    return WebMCPToolCallResult(p["invocationId"], call, status, None, text, exception)


def _exception(thrown: Mapping[str, Any]) -> WebMCPException | None:
    if thrown.get("subtype") == "null":
        return None  # what Chrome gives for a script that was ended
    value = thrown.get("value")
    description = thrown.get("description")
    if description is None:
        description = thrown.get("unserializableValue") or json.dumps(value, ensure_ascii=False)
    return WebMCPException(description, thrown.get("className", ""), value)
