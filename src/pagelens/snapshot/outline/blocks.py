"""Splits the children of an element into what is printed together: a line of leaves, a subtree, a run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pagelens.snapshot.outline.fields import span
from pagelens.snapshot.outline.lists import ListDetector, ListPattern
from pagelens.snapshot.outline.node import APART, ElementNode
from pagelens.snapshot.outline.ranges import Span

__all__ = ["Block", "blocks"]

#: They only hold together what is in them: it is printed in their place.
_TRANSPARENT = frozenset(("item", "cell", "colheader", "rowheader", "gridcell"))


@dataclass(frozen=True, slots=True)
class Block:
    """Neighbours that are printed together.

    Attributes:
        nodes: all nodes of it.
        pattern: the run that they are; None when `nodes` are one subtree, or leaves that share lines.
    """

    nodes: Sequence[ElementNode]
    pattern: ListPattern | None = None

    @property
    def is_subtree(self) -> bool:
        """One node that gets a line of its own."""
        return self.pattern is None and not _shares_lines(self.nodes[0])

    @property
    def span(self) -> Span:
        """Its lines in the snapshot."""
        return span(self.nodes)


def blocks(siblings: Sequence[ElementNode], detector: ListDetector) -> list[Block]:
    """The blocks of some siblings, in their order."""
    found: list[Block] = []
    leaves: list[ElementNode] = []
    for part in detector.detect(siblings):
        if isinstance(part, ListPattern):
            nodes = [node for item in part.items for node in item]
            if part.period == 1 and part.sample[0].type == "text":
                leaves += nodes
                continue
        else:
            nodes = [part]
            if _shares_lines(part):
                leaves.append(part)
                continue
        if leaves:
            found.append(Block(leaves))
            leaves = []
        if isinstance(part, ListPattern):
            found.append(Block(nodes, part))
        elif part.type in _TRANSPARENT and not part.has_interaction and not part.content and not part.states:
            found += blocks(part.children, detector)
        else:
            found.append(Block(nodes))
    if leaves:
        found.append(Block(leaves))
    return found


def _shares_lines(node: ElementNode) -> bool:
    return not node.children and node.type not in APART
