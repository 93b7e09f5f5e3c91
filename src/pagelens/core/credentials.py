"""Users and passwords for servers and proxies that ask for them, each bound to one origin."""

from __future__ import annotations

from dataclasses import dataclass, field
from urllib.parse import unquote, urlsplit

from pagelens.core.url_parts import DEFAULT_PORTS, parse_url
from pagelens.errors import InvalidInput

__all__ = ["Credentials", "origin_of", "parse_credentials"]

_LOOK = "Write it as in https://user:password@example.com, with @ : / % in user or password as %40 %3A %2F %25."


@dataclass(frozen=True, slots=True)
class Credentials:
    """What to answer when this origin asks. Neither user nor password is ever printed.

    Attributes:
        origin: e.g. ``https://example.com``, ``http://127.0.0.1:8080``.
    """

    origin: str
    user: str = field(repr=False)
    password: str = field(repr=False)


def parse_credentials(text: str) -> Credentials:
    """Read ``https://user:password@host[:port]``; what is written after the port does not count.

    Raises:
        InvalidInput: it isn't of that form. The message does not repeat it.
    """
    try:
        authority = urlsplit(text.strip()).netloc
        origin = origin_of(text)
    except ValueError:
        raise InvalidInput("A value of --http-credentials is no address.", _LOOK) from None
    user, colon, password = authority.rpartition("@")[0].partition(":")
    if not text.strip().lower().startswith(("http://", "https://")) or not user or not colon:
        raise InvalidInput("A value of --http-credentials has no scheme (http, https), user or password.", _LOOK)
    return Credentials(origin, unquote(user), unquote(password))


def origin_of(url: str) -> str:
    """Scheme, host and port of an address, as browsers write it.

    Raises:
        ValueError: it has none.
    """
    parts = parse_url(url)
    if parts.scheme not in DEFAULT_PORTS:
        raise ValueError("it has no origin")
    return f"{parts.scheme}://{parts.host}" + (f":{parts.port}" if parts.port else "")
