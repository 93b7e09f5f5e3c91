"""Addresses: what the user may mean by one."""

from __future__ import annotations

import re
from urllib.parse import urlsplit

from pagelens.core.safe_text import one_line, shortened
from pagelens.errors import InvalidInput

__all__ = ["navigable"]

_SCHEME = re.compile(r"[a-zA-Z][a-zA-Z0-9+.-]*:")
_HOST_PORT = re.compile(r"[\w.-]+:\d+(?:[/?#]|$)")
_LOCAL = re.compile(r"(localhost|127(?:\.\d{1,3}){3}|0\.0\.0\.0|\[::1\])(?=[:/?#]|$)", re.IGNORECASE)


def navigable(text: str) -> str:
    """The absolute address that `text` names.

    Without a scheme it gets ``https://``, or ``http://`` when it names this machine.

    Raises:
        InvalidInput: it can't be an address.
    """
    address = text.strip()
    if not address:
        raise InvalidInput("The url is empty.", "Give an absolute address, such as https://example.com/.")
    if not _SCHEME.match(address) or _HOST_PORT.match(address):
        address = ("http://" if _LOCAL.match(address) else "https://") + address.removeprefix("//")
    scheme = address.partition(":")[0].lower()
    try:
        parts = urlsplit(address)
        _ = parts.port  # parsed only on access
    except ValueError as error:
        raise _not_an_address(text, str(error)) from error
    if scheme in ("http", "https", "ws", "wss", "ftp") and (not parts.hostname or " " in parts.netloc):
        raise _not_an_address(text, "it names no host")
    return address


def _not_an_address(text: str, why: str) -> InvalidInput:
    return InvalidInput(
        f"{shortened(one_line(text), 200)!r} is not an address: {why}.",
        "Give an absolute address, such as https://example.com/.",
    )
