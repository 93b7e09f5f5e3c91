"""Prints a tree with its runs folded: the first item in full, then what differs in the others, then a range."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pagelens.snapshot.outline.blocks import Block, blocks
from pagelens.snapshot.outline.fields import Field, fields, is_said_before, span
from pagelens.snapshot.outline.lists import ListDetector, ListPattern
from pagelens.snapshot.outline.node import ElementNode
from pagelens.snapshot.outline.ranges import Span, UidRanges
from pagelens.snapshot.outline.rows import RowWriter
from pagelens.snapshot.outline.words import CELL, LABEL, field_text, label

__all__ = ["Folder", "Limits"]

#: Characters of a line that leaves, small items or chained nodes share.
WIDTH = 120
#: No line that nodes are chained in gets longer.
_LONGEST = 300
#: No line is indented further, in levels.
_DEEPEST_INDENT = 30
#: Items of at most so many fields share lines.
_SMALL = 3
#: A text from this length on in an item makes it too big to share lines.
_PROSE = 40


@dataclass(frozen=True, slots=True)
class Limits:
    """How much is printed.

    Attributes:
        lines: of one run or flow, before a range.
        must_lines: the same for runs with fields of forms or headings in them; None: all.
        fields: of one row, besides those that must be said.
        depth: levels; what is deeper stands in ranges.
    """

    lines: int = 8
    must_lines: int | None = None
    fields: int = 12
    depth: int = 10**9


class Folder:
    """Writes lines; one for each outline.

    Attributes:
        lines: what was written, indented by one space a level.
        printed: the nodes that can be acted on and stand there with uid and name.
    """

    def __init__(self, ranges: UidRanges, detector: ListDetector, limits: Limits) -> None:
        self.ranges = ranges
        self.detector = detector
        self.limits = limits
        self.lines: list[str] = []
        self.printed: list[ElementNode] = []

    def put(self, depth: int, text: str) -> None:
        """Add a line."""
        self.lines.append(" " * min(depth, _DEEPEST_INDENT) + text)

    def label(self, node: ElementNode) -> str:
        """The words of a node, noted as printed."""
        if node.has_interaction:
            self.printed.append(node)
        return label(node)

    def siblings(self, siblings: Sequence[ElementNode], depth: int) -> None:
        """Print some siblings and all below them."""
        for block in blocks(siblings, self.detector):
            self.block(block, depth)

    def block(self, block: Block, depth: int) -> None:
        """Print one block."""
        if block.pattern is not None:
            self.run(block.pattern, depth)
        elif block.is_subtree:
            self.node(block.nodes[0], depth)
        else:
            self.leaves(block.nodes, depth)

    def leaves(self, nodes: Sequence[ElementNode], depth: int) -> None:
        """Print childless neighbours, as many a line as fit."""
        self._packed(depth, "", [[node] for node in nodes], None)

    def node(self, node: ElementNode, depth: int) -> None:
        """Print a node and all below it; where there is one thing in one thing, in one line."""
        text, node = self.chain(node, depth)
        if node.children and depth >= self.limits.depth:
            text += " " + self.more(node.size - 1, [(node.line + 1, node.end)])
        if not node.children or depth >= self.limits.depth:
            self.put(depth, text)
            return
        parts = blocks(node.children, self.detector)
        if (only := self.only_run(text, parts)) is not None:
            self._small_run(only, depth, text + " › ")
            return
        self.put(depth, text)
        for part in parts:
            self.block(part, depth + 1)

    def chain(self, node: ElementNode, depth: int) -> tuple[str, ElementNode]:
        """The words of a node and, while there is one thing in it, of that; and the last of them."""
        text = self.label(node)
        while len(node.children) == 1 and len(text) < WIDTH and depth < self.limits.depth:
            if len(text) + len(label(node.children[0])) > _LONGEST:
                break
            node = node.children[0]
            text += " › " + self.label(node)
        return text, node

    def only_run(self, text: str, parts: Sequence[Block]) -> ListPattern | None:
        """The run that is all there is below a line of these words, if it can go on in that line."""
        only = parts[0].pattern if len(parts) == 1 else None
        return only if only is not None and len(text) < WIDTH // 2 and self._small(only) else None

    def run(self, pattern: ListPattern, depth: int) -> None:
        """Print a run: small items side by side, big ones as a table under the first."""
        if self._small(pattern):
            self._small_run(pattern, depth, "")
        else:
            self._table(pattern, depth)

    # ---- small items

    def _small(self, pattern: ListPattern) -> bool:
        if pattern.period > 1:
            return all(not node.children for node in pattern.sample)
        # Items that hold more than fields, e.g. a menu in a menu, need their own lines.
        return all(
            node.size <= 2 * _SMALL and (not node.children or _fits(fields(item, _SMALL + 1)))
            for item in pattern.items
            for node in item
        )

    def _small_run(self, pattern: ListPattern, depth: int, head: str) -> None:
        sample = fields(pattern.sample, _SMALL)
        role = next((entry.node.type for entry in sample if entry.node.has_interaction), "")
        words = list(dict.fromkeys(entry.node.type for entry in sample))
        own = pattern.sample[0].type
        shape = own if words in ([own], []) or pattern.period > 1 else f"{own} › {', '.join(words)}"
        if pattern.period > 1:
            shape = ", ".join(node.type for node in pattern.sample)
        self._packed(depth, f"{head}{pattern.count} × {shape}: ", pattern.items, role)

    def _packed(self, depth: int, head: str, items: Sequence[Sequence[ElementNode]], role: str | None) -> None:
        """Items side by side, after `head`; with a role each is its fields, without a label."""
        most = self._most(any(node.musts for item in items for node in item))
        line, is_fresh, used = head, True, 0
        inner = " " if head else ""
        for place, item in enumerate(items):
            mark = len(self.printed)
            text = self.label(item[0]) if role is None else self._small_item(item, role)
            if not is_fresh and len(line) + len(text) + 3 > WIDTH:
                if used + 1 >= most and len(items) - place > 1:
                    del self.printed[mark:]
                    self.put(depth, line)
                    rest = [node for left in items[place:] for node in left]
                    self.put(depth, inner + self.more(len(items) - place, [span(rest)]))
                    return
                self.put(depth, line)
                used += 1
                line, is_fresh = inner, True
            line += text if is_fresh else " · " + text
            is_fresh = False
        self.put(depth, line.rstrip())

    def _small_item(self, item: Sequence[ElementNode], role: str) -> str:
        said: list[str] = []
        names: list[str] = []
        found = fields(item)
        for entry in found:
            node = entry.node
            is_known = is_said_before(node, names)
            if node.has_interaction:
                self.printed.append(node)
            said.append(field_text(node, CELL if said else LABEL, role=role, with_name=not is_known))
            names.append(node.content)
        if item[0].ref and all(entry.node is not item[0] for entry in found):
            said[:1] = [f"{item[0].ref}: {said[0]}"] if said else [item[0].ref]
        return " | ".join(said)

    # ---- big items

    def _table(self, pattern: ListPattern, depth: int) -> None:
        for block in [Block([node]) for node in pattern.sample]:
            self.block(block, depth)
        rest = pattern.items[1:]
        has_musts = any(node.musts for item in rest for node in item)
        count = min(len(rest), self._most(has_musts))
        if len(rest) - count == 1:
            count += 1
        if count:
            writer = RowWriter(pattern, rest[:count], self.ranges, self.limits.fields)
            of = f"like {pattern.sample[0].ref}" if pattern.sample[0].ref else "such items"
            self.put(depth + 1, f"{len(rest)} more {of}{writer.legend}:")
            line = ""
            for row in writer.rows:
                for text in row.lines:
                    if line and len(line) + len(text) + 3 > WIDTH:
                        self.put(depth + 1, line)
                        line = text
                    else:
                        line += (" · " if line else "") + text
                self.printed += row.printed
            self.put(depth + 1, line)
        if count < len(rest):
            hidden = [node for item in rest[count:] for node in item]
            self.put(depth + 1, self.more(len(rest) - count, [span(hidden)]))

    def _most(self, has_musts: bool) -> int:
        if not has_musts:
            return self.limits.lines
        return 10**9 if self.limits.must_lines is None else self.limits.must_lines

    def more(self, count: int, spans: Sequence[Span]) -> str:
        """``… 8 more [e310-e317]``."""
        return f"… {count} more {self.ranges.text(spans)}".rstrip()


def _fits(found: Sequence[Field]) -> bool:
    return len(found) <= _SMALL and not any(
        entry.group or (entry.node.type == "text" and len(entry.node.content) >= _PROSE) for entry in found
    )
