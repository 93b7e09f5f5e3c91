"""Text from pages made safe to print: it can never forge structure or break the wire.

A page chooses its own names, titles, console lines and URLs. Printed raw, a newline starts a line
that looks like ours, a bidi control reorders what a person reads, a zero-width character hides
inside a word, and one lone UTF-16 surrogate makes the JSON encoder fail and with it the server.
This module is the only place that decides what happens to them.
"""

from __future__ import annotations

import re
from typing import Any

__all__ = ["escaped", "fenced", "json_safe", "one_line", "quoted", "safe_block", "shortened", "without_surrogates"]

_SURROGATES = re.compile("[\ud800-\udfff]")
_SPACE = re.compile(r"[ \t\n\r\f\v\x85\xa0\u2028\u2029]+")
_LINE_END = re.compile("\r\n|[\r\x85\u2028\u2029]")
# Controls (C0 without \t \n \r, DEL, C1), zero width, bidi marks and isolates, word joiners, BOM, tags.
_INVISIBLE = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\u00ad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"
    "\U000e0000-\U000e007f]"
)
# Ends of line that a terminal or a splitter may honour, besides \n.
_LINE_ENDS = re.compile("[\r\v\f\x85\u2028\u2029]")
# Emoji sequences are joined by U+200D: keep it between two symbols, so that families stay whole.
_EMOJI_JOIN = re.compile(
    "(?<=[\u2600-\u27bf\ufe0f\U0001f000-\U0001faff])\u200d(?=[\u2600-\u27bf\U0001f000-\U0001faff])"
)


def without_surrogates(text: str) -> str:
    """`text` with every lone surrogate replaced by U+FFFD, so that it encodes as UTF-8."""
    return _SURROGATES.sub("\ufffd", text) if not text.isascii() else text


def _visible(text: str) -> str:
    if "\u200d" in text:
        text = _EMOJI_JOIN.sub("\ue0ff", text)
        return _INVISIBLE.sub("", text).replace("\ue0ff", "\u200d")
    return _INVISIBLE.sub("", text)


def one_line(text: str) -> str:
    """Page text as part of one line: white space folded, invisible and control characters gone."""
    if text.isascii() and text.isprintable() and "  " not in text:
        return text.strip()
    return _SPACE.sub(" ", _visible(without_surrogates(text))).strip()


def safe_block(text: str) -> str:
    """Page text that may keep its lines (source code, a JSON value): only the harmful characters go."""
    if text.isascii() and text.replace("\n", "").isprintable():
        return text
    return _visible(_LINE_END.sub("\n", without_surrogates(text)))


def fenced(text: str) -> str:
    """A block in a fence longer than any inside: the text can't close it and go on as if it were ours."""
    fence = "```"
    while fence in text:
        fence += "`"
    return f"{fence}\n{text}\n{fence}"


def escaped(text: str) -> str:
    """JSON or JSON-like text with harmful characters as ``\\u200b`` escapes: the value stays what it was."""
    if text.isascii() and text.isprintable():
        return text
    if "\u200d" in text:
        return _escape_invisible(_EMOJI_JOIN.sub("\ue0ff", text)).replace("\ue0ff", "\u200d")
    return _escape_invisible(text)


def _escape_invisible(text: str) -> str:
    text = _SURROGATES.sub(_as_escape, text)
    return _LINE_ENDS.sub(_as_escape, _INVISIBLE.sub(_as_escape, text))


def _as_escape(match: re.Match[str]) -> str:
    units = match[0].encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[i]:02x}{units[i + 1]:02x}" for i in range(0, len(units), 2))


def quoted(text: str) -> str:
    """One line in double quotes, with quotes and backslashes escaped: `"Save \\"as\\""`."""
    return '"' + one_line(text).replace("\\", "\\\\").replace('"', '\\"') + '"'


def shortened(text: str, limit: int) -> str:
    """`text` cut to at most `limit` characters, with an ellipsis as its last when something was cut."""
    return text if len(text) <= limit else text[: max(limit - 1, 0)] + "…"


def json_safe(value: Any) -> Any:
    """A copy of a JSON-like value whose strings and keys all encode as UTF-8.

    The last step before anything leaves the process: whatever slipped past the formatters, one lone
    surrogate would end the SDK's stdio server.
    """
    if isinstance(value, str):
        return without_surrogates(value)
    if isinstance(value, dict):
        return {without_surrogates(k) if isinstance(k, str) else k: json_safe(v) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [json_safe(v) for v in value]
    return value
