"""The best outline that fits a number of lines.

Top-down: every block is owed one line; what is left is shared out by weight, up to what a block takes in full. What has
no room stands in a range, so that nothing is lost at any budget.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from pagelens.snapshot.outline.blocks import Block, blocks
from pagelens.snapshot.outline.fields import span
from pagelens.snapshot.outline.fold import Folder, Limits
from pagelens.snapshot.outline.lists import ListDetector
from pagelens.snapshot.outline.node import CONTROLS, ElementNode
from pagelens.snapshot.outline.ranges import UidRanges
from pagelens.snapshot.outline.words import bare, label

__all__ = ["BudgetFolder"]

#: What a block is worth, by the role of its first node.
_WEIGHTS = {
    "alert": 9,
    "alertdialog": 9,
    "dialog": 6,
    "main": 5,
    "heading": 4,
    "form": 4,
    "search": 4,
    "article": 2,
    "navigation": 0.7,
    "complementary": 0.7,
    "contentinfo": 0.4,
    "inert": 0.2,
}
_FIELD_WEIGHT = 4
#: Of headings and items of a block that gets one line: so many, so long, and up to so many characters.
_NAMED = 5
_NAME = 30
_NAMES_WIDTH = 80
_SHORT_WIDTH = 95


class BudgetFolder(Folder):
    """Prints what fits into a number of lines."""

    def __init__(self, ranges: UidRanges, detector: ListDetector, limits: Limits) -> None:
        super().__init__(ranges, detector, limits)
        self._costs: dict[int, int] = {}

    def within(self, root: ElementNode, room: int) -> list[str]:
        """What is below `root` in at most `room` lines. May be called again: what blocks take is known then."""
        self.lines = []
        self.printed = []
        self.fit(root.children, 1, room)
        return self.lines

    def fit(self, siblings: Sequence[ElementNode], depth: int, room: int) -> None:
        """Print some siblings and all below them in at most `room` lines, at least one."""
        parts = blocks(siblings, self.detector)
        costs = [self._cost(part) for part in parts]
        if sum(costs) <= room:
            for part in parts:
                self.block(part, depth)
            return
        if len(parts) > room:
            self._crowded(parts, depth, room)
            return
        for part, cost, given in zip(parts, costs, _shared(parts, costs, room), strict=True):
            self._fit_block(part, depth, cost, given)

    def _crowded(self, parts: Sequence[Block], depth: int, room: int) -> None:
        """Not even one line for each: those that are worth most get theirs, what is between them stands in ranges."""
        chosen, gaps = _worth_most(parts, max(room * 2 // 3, 1))
        kept = [parts[place] for place in chosen]
        shares = iter(_shared(kept, [self._cost(part) for part in kept], room - gaps))
        at = 0
        for place in [*chosen, len(parts)]:
            if place > at:
                self.put(depth, self.more(_count(parts[at:place]), [(parts[at].span[0], parts[place - 1].span[1])]))
            if place < len(parts):
                self._fit_block(parts[place], depth, self._cost(parts[place]), next(shares))
            at = place + 1

    def _fit_block(self, part: Block, depth: int, cost: int, room: int) -> None:
        if room >= cost:
            self.block(part, depth)
        elif room == 1 or (room == 2 and part.is_subtree):
            # A second line could only say that there is more.
            self._short(part, depth)
        elif part.is_subtree:
            node = part.nodes[0]
            self.put(depth, self.label(node))
            self.fit(node.children, depth + 1, room - 1)
        else:
            for lines in sorted({max(room - 2, 1), max(room // 2, 1), 1}, reverse=True):
                if self._try(part, depth, room, replace(self.limits, lines=lines, must_lines=lines)):
                    return
            self._short(part, depth)

    def _try(self, part: Block, depth: int, room: int, limits: Limits) -> bool:
        folder = Folder(self.ranges, self.detector, limits)
        folder.block(part, depth)
        if len(folder.lines) > room:
            return False
        self.lines += folder.lines
        self.printed += folder.printed
        return True

    def _cost(self, part: Block) -> int:
        key = id(part.nodes[0])
        if key not in self._costs:
            self._costs[key] = self._counted(part)
        return self._costs[key]

    def _counted(self, part: Block) -> int:
        """Lines that a block takes in full. A subtree takes its own and those of what is in it, so that nested ones
        are not printed once for each level."""
        folder = Folder(self.ranges, self.detector, self.limits)
        if part.is_subtree:
            text, last = folder.chain(part.nodes[0], 0)
            parts = blocks(last.children, self.detector)
            if parts and folder.only_run(text, parts) is None:
                return 1 + sum(self._cost(below) for below in parts)
        folder.block(part, 0)
        return len(folder.lines)

    def _short(self, part: Block, depth: int) -> None:
        """A block in one line."""
        if part.pattern is not None:
            self._short_run(part, depth)
        elif part.is_subtree:
            self._short_node(part.nodes[0], depth)
        else:
            self._short_leaves(part.nodes, depth)

    def _short_node(self, node: ElementNode, depth: int) -> None:
        text = self.label(node)
        if node.children:
            inside = (below for below in node.walk() if below is not node and below.type == "heading")
            if headings := [bare(below.content, _NAME) for below in inside if below.content][:_NAMED]:
                text += f" ({' / '.join(headings)})"
            text += " " + self.more(node.size - 1, [(node.line + 1, node.end)])
        self.put(depth, text)

    def _short_leaves(self, nodes: Sequence[ElementNode], depth: int) -> None:
        text = ""
        for place, node in enumerate(nodes):
            if text and len(text) + len(label(node)) > _SHORT_WIDTH:
                rest = nodes[place:]
                text += " " + self.more(len(rest), [span(rest)])
                break
            text += (" · " if text else "") + self.label(node)
        self.put(depth, text)

    def _short_run(self, part: Block, depth: int) -> None:
        pattern = part.pattern
        assert pattern is not None
        names: list[str] = []
        for item in pattern.items:
            name = next((bare(node.content, _NAME) for top in item for node in top.walk() if node.content), "")
            if name and name not in names:
                names.append(name)
            if sum(map(len, names)) > _NAMES_WIDTH:
                break
        text = f"{pattern.count} × {', '.join(node.type for node in pattern.sample)}"
        if names:
            text += f" ({' / '.join(names)})"
        self.put(depth, text + " " + self.more(pattern.count, [part.span]))


def _count(parts: Sequence[Block]) -> int:
    return sum(len(part.nodes) for part in parts)


def _worth_most(parts: Sequence[Block], room: int) -> tuple[list[int], int]:
    """The places of the blocks that get a line when so many lines are for them and for what lies between them; and how
    many stretches that leaves between them."""
    weights = [_weight(part) for part in parts]
    chosen: set[int] = set()
    gaps = 1
    for place in sorted(range(len(parts)), key=lambda place: -weights[place]):
        beside = sum(0 <= other < len(parts) and other not in chosen for other in (place - 1, place + 1))
        if len(chosen) + 1 + gaps + beside - 1 > room:
            break
        chosen.add(place)
        gaps += beside - 1
    return sorted(chosen), gaps


def _weight(part: Block) -> float:
    node = part.nodes[0]
    if node.type in CONTROLS or any(node.type in CONTROLS for node in part.nodes[:50]):
        return _FIELD_WEIGHT
    return _WEIGHTS.get(node.type, 1)


def _shared(parts: Sequence[Block], costs: Sequence[int], room: int) -> list[int]:
    """How many lines each block gets: one, and of what is left a part by its weight, never more than its cost."""
    given = [1] * len(parts)
    weights = [_weight(part) for part in parts]
    left = room - len(parts)
    wanting = [place for place, cost in enumerate(costs) if cost > 1]
    while left > 0 and wanting:
        unit = left / sum(weights[place] for place in wanting)
        sated = [place for place in wanting if costs[place] - given[place] <= unit * weights[place]]
        if not sated:
            for place in wanting:
                share = min(int(unit * weights[place]), left)
                given[place] += share
                left -= share
            for place in sorted(wanting, key=lambda place: -weights[place]):
                if left > 0 and given[place] < costs[place]:
                    given[place] += 1
                    left -= 1
            break
        for place in sated:
            left -= costs[place] - given[place]
            given[place] = costs[place]
        wanting = [place for place in wanting if costs[place] > given[place]]
    for place, part in enumerate(parts):
        if given[place] == 2 < costs[place] and part.is_subtree:
            given[place] = 1
            left += 1
    for place in sorted(range(len(parts)), key=lambda place: -weights[place]):
        more = min(costs[place] - given[place], left)
        if given[place] > 2:
            given[place] += more
            left -= more
    return given
