"""Addresses of browsers, as users give them."""

from __future__ import annotations

from urllib.parse import SplitResult, urlsplit

from pagelens.core.safe_text import one_line, shortened
from pagelens.errors import InvalidInput

__all__ = ["check_address"]


def check_address(flag: str, value: str, schemes: tuple[str, ...]) -> SplitResult:
    """An address that a user gave, taken apart.

    Raises:
        InvalidInput: it can't be one.
    """
    example = "http://127.0.0.1:9222" if "http" in schemes else "ws://127.0.0.1:9222/devtools/browser/ID"
    try:
        url = urlsplit(value.strip())
        usable = url.scheme in schemes and bool(url.hostname) and url.port != 0
    except ValueError:
        usable = False
    if not usable:
        raise InvalidInput(f"{flag} {shortened(one_line(value), 200)!r} is no address.", f"It looks like {example}.")
    return url
