"""From the text of a snapshot to a tree of `ElementNode`."""

from __future__ import annotations

import re

from pagelens.snapshot.outline.node import ACTIONABLE, ElementNode
from pagelens.snapshot.text_snapshot import ROLE_WORDS

__all__ = ["parse_snapshot"]

_LINE = re.compile(r'( *)(?:uid=(e\d+) )?([\w-]+)(?: "((?:[^"\\]|\\.)*)")?(?: (.*))?')
_STATE = re.compile(r'([a-z]+)="((?:[^"\\]|\\.)*)"|(\S+)')
_ESCAPED = re.compile(r"\\(.)")
#: An address always has one of these; a state never.
_OF_ADDRESSES = re.compile(r"[/.?#:]")
#: Lines of ours without uid whose words after the role are text as it is.
_BARE = frozenset(("row", "cell", "options", "colheader", "rowheader", "gridcell"))
#: An element without a role of its own can be acted on when it says one of these.
_ACTED = frozenset(("clickable", "editable", "focused"))


def parse_snapshot(text: str) -> ElementNode:
    """The tree of a snapshot's text; any text at all gives a tree, with what is no line of ours as texts.

    Args:
        text: of `TextSnapshot`, or a part of it (then a root without uid is put above it).
    """
    lines = text.split("\n")
    if lines[0].startswith("page "):
        root = _node(lines[0], 0)
        start = 1
    else:
        root = ElementNode("page")
        start = 0
    root.indent = -1
    path = [root]
    for number in range(start, len(lines)):
        line = lines[number]
        if line.strip(" ") == "":
            continue
        node = _node(line, number)
        node.start = number
        while path[-1].indent >= node.indent:
            path.pop().end = number
        path[-1].children.append(node)
        path.append(node)
    for node in path:
        node.end = len(lines)
    root.indent = 0
    for node in root.walk():
        if node is not root:
            node.indent += 1
    return root


def _node(line: str, number: int) -> ElementNode:
    body = line.lstrip(" ")
    indent = (len(line) - len(body)) // 2
    found = _LINE.fullmatch(line)
    role = "" if found is None else found[3]
    if found is None or not (found[2] or role in ROLE_WORDS):
        if len(body) > 1 and body[0] == body[-1] == '"':
            body = _unescaped(body[1:-1])
        return ElementNode("text", content=body, indent=indent, line=number)
    uid, name, rest = found[2] or "", found[4], found[5] or ""
    if not uid and role in _BARE:
        return ElementNode(role, content=body[len(role) :].strip(), indent=indent, line=number)
    states: list[str] = []
    value = ""
    for said in _STATE.finditer(rest):
        if said[1] is not None:
            if said[1] == "value":
                value = _unescaped(said[2])
        elif not _OF_ADDRESSES.search(said[3]):
            states.append(said[3])
    return ElementNode(
        role,
        uid,
        _unescaped(name or ""),
        indent=indent,
        states=tuple(states),
        value=value,
        has_interaction=uid != "" and (role in ACTIONABLE or not _ACTED.isdisjoint(states)),
        line=number,
    )


def _unescaped(text: str) -> str:
    return _ESCAPED.sub(r"\1", text) if "\\" in text else text
