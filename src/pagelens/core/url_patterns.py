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
from dataclasses import dataclass
from functools import cached_property
from ipaddress import AddressValueError, IPv4Address
from typing import Literal, NoReturn
from urllib.parse import quote

from pagelens.core.safe_text import one_line, shortened
from pagelens.core.url_parts import DEFAULT_PORTS, PATH_SAFE, QUERY_SAFE, UrlParts
from pagelens.errors import InvalidInput

__all__ = ["UrlPattern"]

_Kind = Literal["open", "close", "regexp", "name", "char", "escaped", "modifier", "asterisk", "end", "invalid"]
_State = Literal[
    "init", "protocol", "authority", "username", "password", "hostname", "port", "pathname", "search", "hash", "done"
]
#: The schemes of requests that go over the network.
_SCHEMES = ("http", "https", "ws", "wss")
_SOCKETS = {"http": "ws", "https": "wss"}
_LONGEST = 2000


@dataclass(frozen=True, slots=True)
class _Token:
    kind: _Kind
    index: int
    value: str


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
        return _Splitter(self.text, self._tokens(self.text, strict=False), self._names_web_scheme).split()

    def _names_web_scheme(self, protocol: str) -> bool:
        regex = self._compile("protocol", protocol)
        return any(regex.fullmatch(scheme) for scheme in _SCHEMES)

    # -- tokens --------------------------------------------------------------------------------------

    def _tokens(self, text: str, *, strict: bool) -> list[_Token]:
        tokens: list[_Token] = []
        index = 0
        simple: dict[str, _Kind] = {"*": "asterisk", "+": "modifier", "?": "modifier", "{": "open", "}": "close"}
        while index < len(text):
            char = text[index]
            start = index
            index += 1
            if char in simple:
                tokens.append(_Token(simple[char], start, char))
            elif char == "\\" and index < len(text):
                tokens.append(_Token("escaped", start, text[index]))
                index += 1
            elif char == ":" and (name := re.compile(r"[A-Za-z_$][\w$]*", re.ASCII).match(text, index)):
                index = name.end()
                tokens.append(_Token("name", start, name.group()))
            elif char == "(" and (end := self._end_of_group(text, index)) is not None:
                tokens.append(_Token("regexp", start, text[index:end]))
                index = end + 1
            elif char in "\\:(":
                if strict:
                    self._refuse(f"{char} stands alone in {text!r}", f"Write \\{char} where it stands for itself.")
                tokens.append(_Token("invalid", start, char))
            else:
                tokens.append(_Token("char", start, char))
        tokens.append(_Token("end", len(text), ""))
        return tokens

    @staticmethod
    def _end_of_group(text: str, index: int) -> int | None:
        """Where the parenthesis closes; None when it doesn't, or is empty or begins with ``?``."""
        depth = 1
        start = index
        while index < len(text):
            char = text[index]
            if index == start and char == "?":
                return None
            if char == "\\":
                index += 2
                continue
            if char == ")":
                depth -= 1
                if depth == 0:
                    return index if index > start else None
            elif char == "(":
                depth += 1
                if text[index + 1 : index + 2] != "?":
                    return None
            index += 1
        return None

    # -- a component into a regular expression -------------------------------------------------------

    def _regex(self, name: str) -> re.Pattern[str]:
        text = self._components.get(name)
        if text is None:
            return re.compile(".*", re.DOTALL)
        if name == "protocol" and not self._names_web_scheme(text):
            scheme = text.replace("\\", "").strip("{}")
            hint = "Files follow --workspace, --allow-unrestricted-paths and --no-file-navigations."
            self._refuse(
                f"{one_line(scheme)}: is none of http, https, ws and wss, and only these go over the network",
                hint if scheme.lower() == "file" else "",
            )
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
        parser = _ComponentParser(
            self._tokens(text, strict=True),
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


class _Splitter:
    """The specification's "constructor string parser"."""

    def __init__(self, text: str, tokens: list[_Token], is_web_scheme: Callable[[str], bool]) -> None:
        self.text = text
        self.tokens = tokens
        self.is_web_scheme = is_web_scheme
        self.result: dict[str, str] = {}
        self.state: _State = "init"
        self.start = 0
        self.index = 0
        self.step = 1
        self.depth = 0
        self.brackets = 0
        self.is_web = False

    def split(self) -> dict[str, str]:
        while self.index < len(self.tokens):
            self.step = 1
            kind = self.tokens[self.index].kind
            if kind == "end":
                if self.state == "init":
                    self._rewind()
                    self._change("hash" if self._is("#") else "search" if self._is_query() else "pathname", 0)
                elif self.state == "authority":
                    self._rewind("hostname")
                else:
                    self._change("done", 0)
                    break
            elif kind == "open":
                self.depth += 1
            elif self.depth:
                self.depth -= kind == "close"
            else:
                self._in_state()
            self.index += self.step
        if "hostname" in self.result:
            self.result.setdefault("port", "")
        return self.result

    def _in_state(self) -> None:
        state = self.state
        if state == "init":
            if self._is(":"):
                self._rewind("protocol")
        elif state == "protocol":
            if self._is(":"):
                self.is_web = self.is_web_scheme(self._component())
                slashes = self._is("/", 1) and self._is("/", 2)
                self._change("authority" if slashes or self.is_web else "pathname", 3 if slashes else 1)
        elif state == "authority":
            if self._is("@"):
                self._rewind("username")
            elif self._is("/") or self._is_query() or self._is("#"):
                self._rewind("hostname")
        elif state in ("username", "password"):
            if state == "username" and self._is(":"):
                self._change("password", 1)
            elif self._is("@"):
                self._change("hostname", 1)
        elif state == "hostname" and self._is("["):
            self.brackets += 1
        elif state == "hostname" and self._is("]"):
            self.brackets -= 1
        elif state == "hostname" and self._is(":") and not self.brackets:
            self._change("port", 1)
        elif state in ("hostname", "port") and self._is("/"):
            self._change("pathname", 0)
        elif state in ("hostname", "port", "pathname") and self._is_query():
            self._change("search", 1)
        elif state != "hash" and self._is("#"):
            self._change("hash", 1)

    def _is(self, char: str, ahead: int = 0) -> bool:
        at = self.index + ahead
        token = self.tokens[min(at, len(self.tokens) - 1)]
        return token.value == char and token.kind in ("char", "escaped", "invalid")

    def _is_query(self) -> bool:
        if self._is("?"):
            return True
        if self.tokens[self.index].value != "?":
            return False
        # After one of these it is a modifier.
        return self.index == 0 or self.tokens[self.index - 1].kind not in ("name", "regexp", "close", "asterisk")

    def _component(self) -> str:
        return self.text[self.tokens[self.start].index : self.tokens[self.index].index]

    def _change(self, state: _State, skip: int) -> None:
        old = self.state
        order = ("protocol", "authority", "username", "password", "hostname", "port", "pathname", "search", "hash")
        if old not in ("init", "authority", "done"):
            self.result[old] = self._component()
        if old != "init" and state != "done":
            before, after = order.index(old), order.index(state)
            if before < order.index("hostname") and after > order.index("hostname"):
                self.result.setdefault("hostname", "")
            if before < order.index("pathname") and after > order.index("pathname"):
                self.result.setdefault("pathname", "/" if self.is_web else "")
            if before < order.index("search") and after > order.index("search"):
                self.result.setdefault("search", "")
        self.state = state
        self.index += skip
        self.start = self.index
        self.step = 0

    def _rewind(self, state: _State | None = None) -> None:
        self.index = self.start
        self.step = 0
        self.state = state or self.state


class _ComponentParser:
    """The specification's "parse a pattern string" and "generate a regular expression", in one go."""

    def __init__(
        self,
        tokens: list[_Token],
        *,
        delimiter: str,
        prefix: str,
        encode: Callable[[str], str],
        refuse: Callable[[str, str], NoReturn],
    ) -> None:
        self.tokens = tokens
        self.delimiter = delimiter
        self.prefix = prefix
        self.encode = encode
        self.refuse = refuse
        self.index = 0
        self.fixed = ""
        self.names: set[str] = set()
        self.out: list[str] = []

    def regex(self) -> str:
        while self.index < len(self.tokens):
            char = self._take("char")
            name = self._take("name")
            wildcard = self._wildcard(name)
            if name or wildcard:
                prefix = char.value if char else ""
                if prefix != self.prefix:
                    self.fixed += prefix
                    prefix = ""
                self._part(prefix, name, wildcard, "")
                continue
            text = char or self._take("escaped")
            if text is not None:
                self.fixed += text.value
            elif self._take("open"):
                before = self._text()
                name = self._take("name")
                wildcard = self._wildcard(name)
                after = self._text()
                self._need("close")
                self._part(before, name, wildcard, after)
            else:
                self._flush()
                self._need("end")
        return "".join(self.out)

    def _take(self, kind: _Kind) -> _Token | None:
        if self.index < len(self.tokens) and self.tokens[self.index].kind == kind:
            self.index += 1
            return self.tokens[self.index - 1]
        return None

    def _need(self, kind: _Kind) -> None:
        if self._take(kind) is None:
            stray = self.tokens[min(self.index, len(self.tokens) - 1)]
            self.refuse(f"{stray.value or 'its end'!r} is not expected where it stands", "")

    def _wildcard(self, name: _Token | None) -> _Token | None:
        token = self._take("regexp")
        if token is not None and token.value != ".*":
            self.refuse(
                f"Chrome enforces no regular expressions such as ({token.value})", "Use *, :name and {…}? in its place."
            )
        return token or (None if name else self._take("asterisk"))

    def _text(self) -> str:
        text = ""
        while token := self._take("char") or self._take("escaped"):
            text += token.value
        return text

    def _flush(self) -> None:
        if self.fixed:
            self.out.append(re.escape(self.encode(self.fixed)))
            self.fixed = ""

    def _part(self, prefix: str, name: _Token | None, wildcard: _Token | None, suffix: str) -> None:
        token = self._take("modifier") or self._take("asterisk")
        modifier = token.value if token else ""
        if name is None and wildcard is None and not modifier:
            self.fixed += prefix
            return
        self._flush()
        if name is None and wildcard is None:
            if prefix:
                self.out.append(f"(?:{re.escape(self.encode(prefix))}){modifier}")
            return
        if name is not None:
            if not self.delimiter:
                self.refuse(f"Chrome enforces :{name.value} only in hosts and paths", "Use * in its place.")
            if name.value in self.names:
                self.refuse(f":{name.value} stands in it twice", "")
            self.names.add(name.value)
        value = f"[^{re.escape(self.delimiter)}]+?" if wildcard is None else ".*"
        before, after = re.escape(self.encode(prefix)), re.escape(self.encode(suffix))
        if modifier in ("", "?"):
            self.out.append(f"(?:{before}(?:{value}){after}){modifier}")
        else:
            repeated = f"(?:{before}(?:{value})(?:{after}{before}(?:{value}))*{after})"
            self.out.append(repeated + ("?" if modifier == "*" else ""))
