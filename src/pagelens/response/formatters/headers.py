"""Headers for a reader, without what would let whoever reads them act as the user."""

from __future__ import annotations

import re

from pagelens.core.safe_text import one_line, shortened

__all__ = ["header_lines", "is_secret", "redacted"]

#: Characters of one header's value.
HEADER_CHARS = 4_000
_SECRET = frozenset({"cookie", "set-cookie", "authorization", "proxy-authorization", "x-api-key", "x-csrf-token"})
_SECRET_WORDS = re.compile(r"token|secret|password|api-?key|credential|session-?id", re.IGNORECASE)


def is_secret(name: str) -> bool:
    """Whether a header of this name carries credentials."""
    return name.lower() in _SECRET or _SECRET_WORDS.search(name) is not None


def redacted(name: str, value: str) -> str:
    """The value of a header with its secrets replaced by their lengths.

    Of cookies the names stay, of ``Set-Cookie`` the attributes, of ``Authorization`` the scheme: what is needed to see
    that something was sent, and how. A header that carries no credentials comes back as it is.
    """
    if not is_secret(name):
        return value
    match name.lower():
        case "cookie":
            return "; ".join(_without_value(pair) for pair in value.split("; "))
        case "set-cookie":
            lines = []
            for line in value.split("\n"):
                pair, semicolon, attributes = line.partition(";")
                lines.append(_without_value(pair) + semicolon + attributes)
            return "\n".join(lines)
        case "authorization" | "proxy-authorization" if " " in value:
            scheme, _, secret = value.partition(" ")
            return f"{scheme} {_gone(secret)}"
        case _:
            return _gone(value)


def header_lines(headers: dict[str, str]) -> list[str]:
    """One line a header, two spaces in front; those that came several times get a line each time."""
    return [
        f"  {one_line(name)}: {shortened(one_line(part), HEADER_CHARS)}"
        for name, value in headers.items()
        for part in value.split("\n")
    ]


def _without_value(pair: str) -> str:
    name, equals, value = pair.partition("=")
    return f"{name}={_gone(value)}" if equals else _gone(pair)


def _gone(secret: str) -> str:
    return f"(redacted, {len(secret)} characters)"
