"""How nodes are written in an outline, so that the text can be parsed back.

``e12 link "Home" [current]``, ``e13 textbox "Search" ="lamp"``, ``"a text of the page"``. In runs and rows names stand
bare; a bare text that could be taken for anything of ours is put in quotes there.
"""

from __future__ import annotations

import re

from pagelens.core.safe_text import quoted, shortened
from pagelens.snapshot.outline.node import ElementNode

__all__ = ["CELL", "LABEL", "bare", "cut", "field_text", "label", "marks", "within"]

#: Characters of a name in a label and in a cell of a row.
LABEL = 50
CELL = 40
#: Characters of a control's value, of one state and of all states: they are not cut like names.
_VALUE = 120
_STATE = 30
#: Characters of cells or options that stand in one line.
_LINE_OF_CELLS = 100

#: A bare text with any of this in it could be taken for something else.
_AMBIGUOUS = re.compile(r'["\\\[\]|·›×]|\be\d+\b|^[+…]|:$|^\w:')
#: The same in a row of cells, which are apart by ``|``.
_AMBIGUOUS_ROW = re.compile(r"[\[\]·›×]|\be\d+\b")
_CELL_END = re.compile(r"(?<!\\)(?:\\\\)*\|")


def marks(node: ElementNode) -> str:
    """States and value, each only if there is one: `` [checked] ="on"``."""
    said = " ".join(shortened(state, _STATE) for state in node.states[:6])
    text = f" [{said}]" if said else ""
    if node.value and node.value != node.content:
        text += f" ={within(node.value, _VALUE)}"
    return text


def cut(text: str, limit: int) -> str:
    """At most `limit` characters, with ``…`` as the last where something is missing."""
    return text if len(text) <= limit else text[: limit - 1].rstrip() + "…"


def within(text: str, limit: int) -> str:
    """A text in quotes, cut; one of many quotes is cut more, for each of them takes two characters."""
    shown = quoted(cut(text, limit))
    return shown if len(shown) <= limit + 20 else quoted(cut(text, limit // 2))


def bare(text: str, limit: int) -> str:
    """A text that stands without quotes, unless it could be misread."""
    shown = cut(text, limit)
    return within(text, limit) if _AMBIGUOUS.search(shown) else shown


def label(node: ElementNode, limit: int = LABEL) -> str:
    """A node as it stands in the tree."""
    if node.type == "text":
        return within(node.content, limit)
    if node.type == "options":
        return f"{len(_CELL_END.findall(node.content)) + 1} options: {bare(node.content, _LINE_OF_CELLS)}"
    if node.type == "row" and not node.ref:
        return f"row {bare_row(node, _LINE_OF_CELLS)}".rstrip()
    if not node.ref:
        return f"{node.type} {within(node.content, limit) if node.content else ''}".rstrip() + marks(node)
    return f"{node.ref} {node.type}" + (f" {within(node.content, limit)}" if node.content else "") + marks(node)


def bare_row(node: ElementNode, limit: int) -> str:
    """The cells of a row of texts."""
    shown = cut(node.content, limit)
    return within(node.content, limit) if _AMBIGUOUS_ROW.search(shown) else shown


def field_text(node: ElementNode, limit: int, *, role: str, with_name: bool = True) -> str:
    """A node in a run or a row: ``e12 Home``; its role is said unless it is `role`, what the others are."""
    name = ""
    if with_name:
        name = bare_row(node, _LINE_OF_CELLS) if node.type == "row" and not node.ref else bare(node.content, limit)
    if not name:
        says_role = node.type != "text"
    else:
        says_role = node.type not in (role, "text", "row", "cell", "item", "generic", "img")
    # A picture's uid is of no use here: what it shows is said.
    ref = node.ref if node.has_interaction or says_role else ""
    words = [ref, node.type if says_role else "", name]
    return " ".join(word for word in words if word) + marks(node)
