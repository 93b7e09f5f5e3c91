"""An address taken apart as browsers do (https://url.spec.whatwg.org/), however it is spelled."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from ipaddress import AddressValueError, IPv6Address
from urllib.parse import quote, unquote_to_bytes

__all__ = ["DEFAULT_PORTS", "PATH_SAFE", "QUERY_SAFE", "UrlParts", "cleaned", "parse_url"]

#: The schemes that have a host, and their usual ports, which addresses leave out.
DEFAULT_PORTS = {"http": 80, "https": 443, "ws": 80, "wss": 443, "ftp": 21}

# What `quote` must leave as it is, so that it encodes what browsers encode. Letters, digits and _.-~ are left anyway.
PATH_SAFE = "!$%&'()*+,/:;=@[]\\"
QUERY_SAFE = "!$%&()*+,/:;=?@[]^`{}|\\"

_SCHEME = re.compile(r"([a-zA-Z][a-zA-Z0-9+.-]*):")
_FORBIDDEN_IN_HOST = re.compile(r"[\x00-\x20\"#%/:;<>?@\[\\\]^`{|}\x7f]")
_DOT = re.compile(r"\.|%2e", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class UrlParts:
    """The parts of an address that rules look at, in the spelling browsers give them.

    Attributes:
        scheme: lower case, without the colon.
        host: lower case; ``[::1]`` for IPv6; empty when the scheme has none.
        port: digits; empty for the scheme's usual one.
        path: encoded, without ``.`` and ``..``; for other schemes than http(s), ws(s) and ftp whatever follows.
        query: encoded, without the ``?``.
    """

    scheme: str
    host: str = ""
    port: str = ""
    path: str = ""
    query: str = ""

    def without_last_dot(self) -> UrlParts:
        """The same place: ``example.com.`` and ``example.com`` are one machine."""
        return replace(self, host=self.host.removesuffix("."))


def cleaned(text: str) -> str:
    """An address without what browsers take out before they read it: outer spaces and controls, inner tabs and line
    ends."""
    stripped = text.strip("".join(map(chr, range(0x21))))
    return re.sub(r"[\t\n\r]", "", stripped)


def parse_url(text: str) -> UrlParts:
    """Take an absolute address apart.

    Raises:
        ValueError: it is none, in a word or two why.
    """
    address = cleaned(text)
    match = _SCHEME.match(address)
    if match is None:
        raise ValueError("it has no scheme")
    scheme = match[1].lower()
    rest = address[match.end() :].partition("#")[0]
    if scheme not in DEFAULT_PORTS:
        return UrlParts(scheme, path=rest)
    rest, _, query = rest.partition("?")
    authority, slash, path = rest.replace("\\", "/").lstrip("/").partition("/")
    host, port = _host_and_port(authority.rpartition("@")[2])
    if port == str(DEFAULT_PORTS[scheme]):
        port = ""
    return UrlParts(scheme, host, port, _path(slash + path), quote(query, safe=QUERY_SAFE, errors="replace"))


def _host_and_port(text: str) -> tuple[str, str]:
    match = re.fullmatch(r"(\[[^\]]*\]|[^:]*)(?::(\d*))?", text, re.ASCII)
    if match is None:
        raise ValueError("its host or port can't be read")
    host, port = match[1], match[2] or ""
    if port:
        port = str(int(port))
        if int(port) > 65535:
            raise ValueError("there is no such port")
    return (_ipv6(host) if host.startswith("[") else _name(host)), port


def _ipv6(text: str) -> str:
    try:
        address = IPv6Address(text[1:-1])
    except AddressValueError:
        raise ValueError("its host is no IPv6 address") from None
    if address.ipv4_mapped is not None:
        # Python writes the last four bytes as digits, browsers as two groups.
        high, low = divmod(int(address) & 0xFFFFFFFF, 1 << 16)
        return f"[::ffff:{high:x}:{low:x}]"
    return f"[{address.compressed}]"


def _name(text: str) -> str:
    try:
        host = unquote_to_bytes(text).decode("utf-8")
        # Full-width letters, ideographic dots and the like are other spellings of the same name.
        host = host.lower() if host.isascii() else host.encode("idna").decode("ascii").lower()
    except UnicodeError:
        raise ValueError("its host can't be read") from None
    if not host:
        raise ValueError("it names no host")
    if _FORBIDDEN_IN_HOST.search(host):
        raise ValueError("its host has characters that host names can't have")
    labels = host.removesuffix(".").split(".")
    if re.fullmatch(r"\d+|0x[0-9a-f]*", labels[-1]):
        return _ipv4(labels)
    return host


def _ipv4(labels: list[str]) -> str:
    """``127.1``, ``0x7f000001`` and ``017700000001`` are all 127.0.0.1."""
    if len(labels) > 4:
        raise ValueError("its host is no IPv4 address")
    numbers = [_number(label) for label in labels]
    last = numbers.pop()
    if any(number > 255 for number in numbers) or last >= 256 ** (4 - len(numbers)):
        raise ValueError("its host is no IPv4 address")
    for place, number in enumerate(numbers):
        last += number << (8 * (3 - place))
    return ".".join(str(last >> shift & 255) for shift in (24, 16, 8, 0))


def _number(label: str) -> int:
    try:
        if label.startswith("0x"):
            return int(label[2:] or "0", 16)
        return int(label, 8 if len(label) > 1 and label.startswith("0") else 10)
    except ValueError:
        raise ValueError("its host is no IPv4 address") from None


def _path(text: str) -> str:
    out: list[str] = []
    segments = text.split("/")[1:] or [""]
    for number, segment in enumerate(segments):
        plain = _DOT.sub(".", segment)
        is_last = number == len(segments) - 1
        if plain == "..":
            del out[-1:]
        elif plain != ".":
            out.append(quote(segment, safe=PATH_SAFE, errors="replace"))
        if plain in (".", "..") and is_last:
            out.append("")
    return "/" + "/".join(out)
