"""Finds runs of like siblings: lists, tables, rows of cards."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from pagelens.snapshot.outline.node import APART, CONTROLS, ElementNode, role_set
from pagelens.snapshot.outline.simhash import DomSimHash

__all__ = ["ListDetector", "ListPattern"]

#: Items by their role alone: rows keep what differs.
SEMANTIC = role_set(
    "item row option tab menuitem menuitemradio menuitemcheckbox treeitem article cell gridcell term definition"
)
#: So many bits may differ between two shapes of one kind.
NEAR = 3
#: So many repeats make a run.
LEAST = 3
#: The longest period, e.g. date, link, text.
LONGEST_PERIOD = 3
#: A text of so many characters is prose, not a field of an item.
PROSE = 40

_Shape = tuple[str, int]


@dataclass(frozen=True, slots=True)
class ListPattern:
    """A run of like items among the children of one element.

    Attributes:
        type: ``semantic`` when the role alone makes them items, else ``structural``.
        start: the place of its first node among the siblings.
        end: the place after its last node.
        count: how many items.
        sample: the first item.
        items: all items, each as many nodes as the run's period.
        refs: the uids of the items' own nodes, those that have one.
    """

    type: Literal["semantic", "structural"]
    start: int
    end: int
    count: int
    sample: tuple[ElementNode, ...]
    items: tuple[tuple[ElementNode, ...], ...]
    refs: tuple[str, ...]

    @property
    def period(self) -> int:
        """Nodes an item."""
        return len(self.sample)


class ListDetector:
    """Splits siblings into runs and single nodes, in their order; a node is in one run at most.

    What was found is kept: a tree that is printed more than once must not change meanwhile.
    """

    def __init__(self) -> None:
        # By the identity of the siblings, which are kept alive beside it.
        self._known: dict[int, tuple[Sequence[ElementNode], list[ListPattern | ElementNode]]] = {}

    def detect(self, siblings: Sequence[ElementNode]) -> list[ListPattern | ElementNode]:
        """Runs and single nodes, from the first sibling to the last."""
        known = self._known.get(id(siblings))
        if known is None:
            known = self._known[id(siblings)] = (siblings, self._detect(siblings))
        return known[1]

    def _detect(self, siblings: Sequence[ElementNode]) -> list[ListPattern | ElementNode]:
        recurring = _recurring(siblings)
        found: list[ListPattern | ElementNode] = []
        place = 0
        while place < len(siblings):
            pattern = self._at(siblings, place, recurring)
            if pattern is None:
                found.append(siblings[place])
                place += 1
            else:
                found.append(pattern)
                place = pattern.end
        return found

    def _at(self, siblings: Sequence[ElementNode], start: int, recurring: frozenset[_Shape]) -> ListPattern | None:
        first = siblings[start]
        if first.type in APART:
            return None
        for period in range(1, LONGEST_PERIOD + 1):
            if start + LEAST * period > len(siblings):
                return None
            head = siblings[start : start + period]
            if period > 1 and (
                any(node.type in APART for node in head)
                or any(_alike(head[0], node, recurring) for node in head[1:])
                or any(node.type == "text" and len(node.content) >= PROSE for node in head)
            ):
                continue
            end = start + period
            while end < len(siblings) and _alike(
                siblings[end - period] if period > 1 else first, siblings[end], recurring
            ):
                end += 1
            count = (end - start) // period
            if count >= LEAST:
                return _pattern(siblings, start, count, period)
        return None


def _pattern(siblings: Sequence[ElementNode], start: int, count: int, period: int) -> ListPattern:
    items = tuple(tuple(siblings[at : at + period]) for at in range(start, start + count * period, period))
    return ListPattern(
        "semantic" if all(node.type in SEMANTIC for node in items[0]) else "structural",
        start,
        start + count * period,
        count,
        items[0],
        items,
        tuple(node.ref for item in items for node in item if node.ref),
    )


def _recurring(siblings: Sequence[ElementNode]) -> frozenset[_Shape]:
    """Shapes that occur often enough among these siblings to be variants of one template."""
    counted = Counter((node.type, node.signature) for node in siblings if node.children)
    return frozenset(shape for shape, count in counted.items() if count >= LEAST)


def _alike(one: ElementNode, other: ElementNode, recurring: frozenset[_Shape]) -> bool:
    if one.type != other.type or one.has_interaction != other.has_interaction or one.type in APART:
        return False
    if one.type in SEMANTIC or one.type == "text":
        return True
    if not one.children and not other.children:
        return one.type not in CONTROLS or one.type in ("checkbox", "radio", "switch")
    if one.type in CONTROLS or bool(one.children) != bool(other.children):
        return False
    if DomSimHash.distance(one.signature, other.signature) <= NEAR:
        return True
    if (one.type, one.signature) in recurring and (other.type, other.signature) in recurring:
        mine, theirs = set(one.roles), set(other.roles)
        return 2 * len(mine & theirs) >= len(mine | theirs)
    return False
