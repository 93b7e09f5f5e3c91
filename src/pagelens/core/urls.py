"""Addresses: what the user may mean by one, and which ones may be loaded. The one place that decides the latter."""

from __future__ import annotations

import re
from urllib.parse import urlsplit

from pagelens.core.options import Options
from pagelens.core.safe_text import one_line, shortened
from pagelens.core.url_parts import DEFAULT_PORTS, cleaned, parse_url
from pagelens.core.url_patterns import UrlPattern
from pagelens.errors import InvalidInput, UrlNotAllowed

__all__ = ["UrlPolicy", "innermost", "navigable", "without_credentials"]

_SCHEME = re.compile(r"[a-zA-Z][a-zA-Z0-9+.-]*:")
_HOST_PORT = re.compile(r"[\w.-]+:\d+(?:[/?#]|$)")
_LOCAL = re.compile(r"(localhost|127(?:\.\d{1,3}){3}|0\.0\.0\.0|\[::1\])(?=[:/?#]|$)", re.IGNORECASE)
#: Of these nothing is loaded from anywhere: their content comes from the page or the caller.
_HERE = ("data", "blob", "javascript")
#: Addresses that run what they contain.
_SCRIPTS = ("javascript", "data", "vbscript")


class UrlPolicy:
    """Which addresses pages may load, by ``--allowed-url-pattern`` and ``--blocked-url-pattern``.

    A blocked pattern wins over an allowed one. With allowed patterns, all that matches none of them is refused, also
    ``file:``, ``chrome:`` and extensions; addresses that load nothing (``about:blank``, ``data:``, ``blob:``) are not,
    for what they load is judged by itself.

    Raises:
        InvalidInput: a pattern can't be enforced.
    """

    def __init__(self, options: Options) -> None:
        self._allowed = [UrlPattern(text) for text in options.allowed_url_patterns]
        self._blocked = [UrlPattern(text) for text in options.blocked_url_patterns]
        self._may_script = options.javascript_evaluation
        self._may_read_files = options.file_navigations

    @property
    def has_rules(self) -> bool:
        """Whether anything that comes over the network is refused."""
        return bool(self._allowed or self._blocked)

    @property
    def is_allowlist(self) -> bool:
        """Whether what is not named is refused."""
        return bool(self._allowed)

    def blocked_rules(self) -> list[str]:
        """Patterns for Chrome, of what is refused."""
        return [rule for pattern in self._blocked for rule in pattern.rules(any_spelling=True)]

    def allowed_rules(self) -> list[str]:
        """Patterns for Chrome, of what is allowed when all else is not."""
        return [rule for pattern in self._allowed for rule in pattern.rules(any_spelling=False)]

    def check(self, url: str) -> None:
        """Refuse to load an address, be it for a page, or for ourselves (a source map).

        Raises:
            UrlNotAllowed: naming the flag.
        """
        why = self.refusal(url)
        if why is not None:
            raise self.refused(url, why)

    def check_navigation(self, url: str) -> None:
        """Refuse an address that a caller wants a page to show: as `check`, and what would run a script.

        Raises:
            UrlNotAllowed: naming the flag.
        """
        self.check(url)
        if not self._may_script and innermost(url)[0] in _SCRIPTS:
            raise self.refused(url, "it can run a script, and pagelens was started with --no-javascript-evaluation")

    def refusal(self, url: str) -> str | None:
        """Why an address may not be loaded, in words; None when it may."""
        scheme, address = innermost(url)
        if scheme == "file" and not self._may_read_files:
            return "pagelens was started with --no-file-navigations"
        if not self.has_rules or scheme in _HERE or address.lower() in ("about:blank", "about:srcdoc", ""):
            return None
        if address.lower().startswith(("about:blank#", "about:blank?", "about:srcdoc#")):
            return None
        if scheme in DEFAULT_PORTS:
            try:
                parts = parse_url(address)
            except ValueError as error:
                return f"{error}, so no --allowed-url-pattern or --blocked-url-pattern can be applied to it"
            # A dot after the host's name leads to the same machine.
            names = [parts] if not parts.host.endswith(".") else [parts, parts.without_last_dot()]
            for pattern in self._blocked:
                if any(pattern.matches(name) for name in names):
                    return f"blocked by --blocked-url-pattern {pattern.text}"
            if not self._allowed or any(pattern.matches(parts) for pattern in self._allowed):
                return None
        elif not self._allowed:
            return None
        more = f" and {len(self._allowed) - 5} more" if len(self._allowed) > 5 else ""
        return "it matches no --allowed-url-pattern: " + ", ".join(p.text for p in self._allowed[:5]) + more

    @staticmethod
    def refused(url: str, why: str) -> UrlNotAllowed:
        """The error for an address and the reason that `refusal` gave."""
        return UrlNotAllowed(
            f"{shortened(one_line(without_credentials(url)), 300)} may not be loaded: {why}.",
            "The user set this rule when starting pagelens; load another address, or ask the user.",
        )


def navigable(text: str) -> str:
    """The absolute address that `text` names.

    Without a scheme it gets ``https://``, or ``http://`` when it names this machine.

    Raises:
        InvalidInput: it can't be an address.
    """
    address = cleaned(text)
    if not address:
        raise InvalidInput("The url is empty.", "Give an absolute address, such as https://example.com/.")
    scheme = address.partition(":")[0].lower()
    if not _SCHEME.match(address) or (_HOST_PORT.match(address) and scheme not in (*_HERE, *_SCRIPTS)):
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


def without_credentials(url: str) -> str:
    """An address without the user and password it may contain, for printing."""
    return re.sub(r"^(\s*[a-zA-Z][a-zA-Z0-9+.-]*:[\\/]{2,})[^/?#\\]*@", r"\1", url)


def innermost(url: str) -> tuple[str, str]:
    """Scheme (lower case) and address behind ``view-source:``, however it is spelled."""
    address = cleaned(url)
    scheme, colon, rest = address.partition(":")
    while scheme.lower() == "view-source" and colon:
        address = cleaned(rest)
        scheme, colon, rest = address.partition(":")
    return (scheme.lower() if colon else ""), address


def _not_an_address(text: str, why: str) -> InvalidInput:
    return InvalidInput(
        f"{shortened(one_line(text), 200)!r} is not an address: {why}.",
        "Give an absolute address, such as https://example.com/.",
    )
