"""What an item of a run says: its fields in the page's order, and which of them a row has room for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pagelens.snapshot.outline.node import CONTROLS, MUST, ElementNode, role_set
from pagelens.snapshot.outline.ranges import Span
from pagelens.snapshot.outline.words import CELL, cut
from pagelens.snapshot.outline.wrappers import squashed

__all__ = ["Field", "fields", "is_said_before", "span"]

#: A list inside an item from this length on is one field.
_LIST = 3
#: A name of so many letters that another one starts with is said by that.
_TELLING = 8
#: They hold fields and are none.
_HOLDERS = role_set("item row cell colheader rowheader gridcell list group generic options")


@dataclass(slots=True)
class Field:
    """One thing that an item says.

    Attributes:
        node: the element or text.
        rank: what comes first when there is no room for all: 0 must be said.
        group: more than zero: it stands for a list of so many like elements.
    """

    node: ElementNode
    rank: int
    group: int = 0


def span(nodes: Sequence[ElementNode]) -> Span:
    """The lines that neighbours take up in the snapshot, from the first to the end of the last."""
    return nodes[0].start, nodes[-1].end


def fields(item: Sequence[ElementNode], limit: int | None = None) -> list[Field]:
    """The fields of an item, in the page's order; only the first `limit` if that is given."""
    found: list[Field] = []
    for entry in _fields(item):
        found.append(entry)
        if limit is not None and len(found) >= limit:
            break
    return found


def is_said_before(node: ElementNode, names: Sequence[str]) -> bool:
    """Whether one of `names`, which stand before it in the same item, says its name as well."""
    shown = squashed(cut(node.content, CELL))
    if not shown or not node.has_interaction:
        return False
    for name in names:
        before = squashed(cut(name, CELL))
        if shown == before or (len(shown) >= _TELLING and before.startswith(shown)):
            return True
    return False


def _fields(item: Sequence[ElementNode]) -> Iterator[Field]:
    acts = sum(node.acts for node in item)
    top = set(map(id, item))
    stack = [(node, False) for node in reversed(item)]
    while stack:
        node, in_heading = stack.pop()
        children = node.children
        if id(node) not in top and _is_list(node, acts):
            yield Field(node, 2, len(children))
            continue
        is_heading = node.type == "heading"
        says = node.content or node.has_interaction or node.value or (node.ref and node.type not in _HOLDERS)
        # A heading without a name says what is in it.
        if says and node.type != "options" and not (is_heading and not node.content and children):
            yield Field(node, _rank(node, in_heading))
        stack += [(child, in_heading or is_heading) for child in reversed(children)]


def _is_list(node: ElementNode, acts: int) -> bool:
    children = node.children
    return (
        len(children) >= _LIST
        and not node.musts
        and not node.has_interaction
        and children[0].type != "text"
        and node.acts < 0.6 * acts
        and all(child.type == children[0].type for child in children)
    )


def _rank(node: ElementNode, in_heading: bool) -> int:
    if in_heading or node.type in MUST or node.type in CONTROLS:
        return 0
    return 1 if node.has_interaction else 2
