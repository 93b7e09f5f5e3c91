"""How a URLPattern is read: tokenizer and parsers of https://urlpattern.spec.whatwg.org/, without regular expressions.

Used by `pagelens.core.url_patterns` only.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, NoReturn

__all__ = ["ComponentParser", "Refuse", "Splitter", "Token", "tokens"]

#: Raises an error that says why, and perhaps what to write in its place.
Refuse = Callable[[str, str], NoReturn]

_Kind = Literal["open", "close", "regexp", "name", "char", "escaped", "modifier", "asterisk", "end", "invalid"]
_State = Literal[
    "init", "protocol", "authority", "username", "password", "hostname", "port", "pathname", "search", "hash", "done"
]


@dataclass(frozen=True, slots=True)
class Token:
    kind: _Kind
    index: int
    value: str


def tokens(text: str, refuse: Refuse | None = None) -> list[Token]:
    """The specification's tokenizer; strict, that is refusing what makes no token, when it is told how to refuse."""
    found: list[Token] = []
    index = 0
    simple: dict[str, _Kind] = {"*": "asterisk", "+": "modifier", "?": "modifier", "{": "open", "}": "close"}
    while index < len(text):
        char = text[index]
        start = index
        index += 1
        if char in simple:
            found.append(Token(simple[char], start, char))
        elif char == "\\" and index < len(text):
            found.append(Token("escaped", start, text[index]))
            index += 1
        elif char == ":" and (name := re.compile(r"[A-Za-z_$][\w$]*", re.ASCII).match(text, index)):
            index = name.end()
            found.append(Token("name", start, name.group()))
        elif char == "(" and (end := _end_of_group(text, index)) is not None:
            found.append(Token("regexp", start, text[index:end]))
            index = end + 1
        elif char in "\\:(":
            if refuse is not None:
                refuse(f"{char} stands alone in {text!r}", f"Write \\{char} where it stands for itself.")
            found.append(Token("invalid", start, char))
        else:
            found.append(Token("char", start, char))
    found.append(Token("end", len(text), ""))
    return found


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


class Splitter:
    """The specification's "constructor string parser"."""

    def __init__(self, text: str, stream: list[Token], is_web_scheme: Callable[[str], bool]) -> None:
        self.text = text
        self.tokens = stream
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


class ComponentParser:
    """The specification's "parse a pattern string" and "generate a regular expression", in one go."""

    def __init__(
        self,
        stream: list[Token],
        *,
        delimiter: str,
        prefix: str,
        encode: Callable[[str], str],
        refuse: Refuse,
    ) -> None:
        self.tokens = stream
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

    def _take(self, kind: _Kind) -> Token | None:
        if self.index < len(self.tokens) and self.tokens[self.index].kind == kind:
            self.index += 1
            return self.tokens[self.index - 1]
        return None

    def _need(self, kind: _Kind) -> None:
        if self._take(kind) is None:
            stray = self.tokens[min(self.index, len(self.tokens) - 1)]
            self.refuse(f"{stray.value or 'its end'!r} is not expected where it stands", "")

    def _wildcard(self, name: Token | None) -> Token | None:
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

    def _part(self, prefix: str, name: Token | None, wildcard: Token | None, suffix: str) -> None:
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
