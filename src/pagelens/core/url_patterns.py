"""Patterns of URLs, in the part of the URLPattern syntax that Chrome enforces for every request of a page.

The syntax is that of the web platform (https://urlpattern.spec.whatwg.org/): ``https://*.example.com/*``,
``*://localhost:*/*``, ``https://example.com/:user/settings``, ``http{s}?://example.com/a/{b/}?*``. Chrome takes more
than it enforces: a pattern that its network service can't read is passed over there without a word. Such patterns are
refused here, so whatever `UrlPattern` accepts holds for navigations, redirects, frames, workers and sockets alike.

The tokenizer, the parser and the regular expressions follow the algorithms of that specification; tests hold them to
what the browser's own ``URLPattern`` says.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cached_property
from ipaddress import AddressValueError, IPv4Address
from typing import NoReturn
from urllib.parse import quote

from pagelens.core.safe_text import one_line, shortened
from pagelens.core.url_parts import DEFAULT_PORTS, PATH_SAFE, QUERY_SAFE, UrlParts
from pagelens.core.url_pattern_syntax import ComponentParser, Splitter, tokens
from pagelens.errors import InvalidInput

__all__ = ["UrlPattern"]

#: The schemes of requests that go over the network.
_SCHEMES = ("http", "https", "ws", "wss")
_SOCKETS = {"http": "ws", "https": "wss"}
_LONGEST = 2000


class UrlPattern:
    """One pattern.

    Attributes:
        text: as it was written.

    Raises:
        InvalidInput: it is no URLPattern, or one that can't be enforced on every request; the message says why.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self._components = self._split()
        self._check_components()
        self._regexes = {name: self._regex(name) for name in ("protocol", "hostname", "port", "pathname", "search")}

    def __repr__(self) -> str:
        return f"UrlPattern({self.text!r})"

    def matches(self, url: UrlParts) -> bool:
        """Whether it matches; a pattern for ``https:`` matches the WebSockets of the same place, too."""
        schemes = [url.scheme, *(page for page, socket in _SOCKETS.items() if socket == url.scheme)]
        return any(self._regexes["protocol"].fullmatch(scheme) for scheme in schemes) and all(
            self._regexes[name].fullmatch(value)
            for name, value in (
                ("hostname", url.host),
                ("port", url.port),
                ("pathname", url.path),
                ("search", url.query),
            )
        )

    def rules(self, *, any_spelling: bool) -> list[str]:
        """What Chrome must be given, so that its rules say what `matches` says.

        Args:
            any_spelling: also for the host with a dot at its end, which names the same machine.
        """
        protocol, hostname = self._components["protocol"], self._components["hostname"]
        protocols = [protocol]
        for page, socket in _SOCKETS.items():
            if self._regexes["protocol"].fullmatch(page) and not self._regexes["protocol"].fullmatch(socket):
                protocols.append(socket)
        hosts = [hostname]
        if any_spelling and not hostname.endswith(("*", "]")) and not self._is_address:
            hosts.append(hostname + ".")
        port = self._components["port"]
        rest = (f":{port}" if port else "") + (self._components.get("pathname") or "/*")
        if "search" in self._components:
            rest += "\\?" + self._components["search"]
        return [f"{each}://{host}{rest}" for each in protocols for host in hosts]

    # -- what is refused -----------------------------------------------------------------------------

    def _refuse(self, why: str, hint: str = "") -> NoReturn:
        raise InvalidInput(
            f"The URL pattern {shortened(one_line(self.text), 200)!r} can't be used: {why}.",
            hint or "Write it as in https://*.example.com/* or *://localhost:*/*.",
        )

    def _check_components(self) -> None:
        parts = self._components
        if "protocol" in parts and not self._names_web_scheme(parts["protocol"]):
            scheme = parts["protocol"].replace("\\", "").strip("{}")
            hint = "Files follow --workspace, --allow-unrestricted-paths and --no-file-navigations."
            self._refuse(
                f"{one_line(scheme)}: is none of http, https, ws and wss, and only these go over the network",
                hint if scheme.lower() == "file" else "",
            )
        if "protocol" not in parts or not parts.get("hostname"):
            self._refuse(
                "it must begin with a scheme and a host",
                "For any scheme write *://example.com/*, for any port https://example.com:*/*.",
            )
        for name, harmless in (("username", ("*", "")), ("password", ("*", "")), ("hash", ("*",))):
            if parts.get(name, "*") not in harmless:
                self._refuse("requests carry no user, password or #fragment that could be compared", "Leave it out.")
        if not parts.get("pathname", "/*"):
            self._refuse("it names no path", "Write /* for all of them.")

    @cached_property
    def _is_address(self) -> bool:
        """Whether the host is an IPv4 address: Chrome takes a dot after it away by itself."""
        return re.fullmatch(r"[\d.]+", self._components["hostname"]) is not None

    # -- the whole into components (constructor string parser) ---------------------------------------

    def _split(self) -> dict[str, str]:
        if len(self.text) > _LONGEST:
            self._refuse(f"it is longer than {_LONGEST} characters")
        if any(not " " <= c <= "~" for c in self.text):
            self._refuse(
                "it has characters outside of printable ASCII",
                "Write host names as in xn--mnchen-3ya.de, and other characters of paths as in %C3%BC.",
            )
        if self.text != self.text.strip() or not self.text:
            self._refuse("it is empty, or begins or ends with a space")
        return Splitter(self.text, tokens(self.text), self._names_web_scheme).split()

    def _names_web_scheme(self, protocol: str) -> bool:
        regex = self._compile("protocol", protocol)
        return any(regex.fullmatch(scheme) for scheme in _SCHEMES)

    # -- a component into a regular expression -------------------------------------------------------

    def _regex(self, name: str) -> re.Pattern[str]:
        text = self._components.get(name)
        if text is None:
            return re.compile(".*", re.DOTALL)
        if name == "port":
            return self._port_regex(text)
        return self._compile(name, text)

    def _port_regex(self, text: str) -> re.Pattern[str]:
        protocol = self._components["protocol"]
        if text and text == str(DEFAULT_PORTS.get(protocol, "")):
            self._components["port"] = text = ""
        elif text in map(str, DEFAULT_PORTS.values()):
            matching = self._compile("protocol", self._components["protocol"])
            scheme = next((s for s, port in DEFAULT_PORTS.items() if str(port) == text and matching.fullmatch(s)), None)
            if scheme is not None:
                self._refuse(
                    f"the addresses of {scheme} never show their usual port {text}",
                    f"Write {scheme}://… without a port, in a pattern of its own.",
                )
        return self._compile("port", text)

    def _compile(self, name: str, text: str) -> re.Pattern[str]:
        encode: dict[str, Callable[[str], str]] = {
            "protocol": self._protocol_text,
            "hostname": self._host_text,
            "port": self._port_text,
            "pathname": self._path_text,
            "search": lambda fixed: quote(fixed, safe=QUERY_SAFE),
        }
        if name == "hostname":
            self._check_host(text)
        parser = ComponentParser(
            tokens(text, self._refuse),
            delimiter={"hostname": ".", "pathname": "/"}.get(name, ""),
            prefix="/" if name == "pathname" else "",
            encode=encode[name],
            refuse=self._refuse,
        )
        return re.compile(parser.regex(), re.DOTALL)

    # -- fixed text as it stands in a URL ------------------------------------------------------------

    def _protocol_text(self, fixed: str) -> str:
        if not re.fullmatch(r"[A-Za-z0-9+.-]*", fixed):
            self._refuse(f"{fixed!r} can't be part of a scheme")
        return fixed.lower()

    def _check_host(self, text: str) -> None:
        plain = text.replace("\\", "")
        # Chrome reads a part that ends so as an address, also beside a wildcard.
        if re.search(r"(^|\.)(\d+|0[xX][0-9a-fA-F]*)\.?$", plain):
            try:
                IPv4Address(plain)
            except AddressValueError:
                self._refuse(
                    "its host ends in a number, which Chrome takes for an IP address",
                    "Write such addresses in full, as in 127.0.0.1; wildcards can't stand for their parts.",
                )

    def _host_text(self, fixed: str) -> str:
        if fixed[:1] == "[" or fixed[-1:] == "]":
            if not re.fullmatch(r"\[?[0-9A-Fa-f:.]*\]?", fixed):
                self._refuse(f"{fixed!r} is no IPv6 address")
        elif not re.fullmatch(r"[A-Za-z0-9_.-]*", fixed):
            self._refuse(f"{fixed!r} can't be part of a host name")
        self._check_host(fixed)
        return fixed.lower()

    def _port_text(self, fixed: str) -> str:
        if not re.fullmatch(r"([1-9]\d{0,4})?", fixed) or int(fixed or 0) > 65535:
            self._refuse(f"{fixed!r} is no port")
        return fixed

    def _path_text(self, fixed: str) -> str:
        if re.search(r"(^|/)(\.|%2e){1,2}(/|$)", fixed, re.IGNORECASE):
            self._refuse("addresses have no . or .. among the parts of their path")
        return quote(fixed, safe=PATH_SAFE)
