"""The rows under a run's first item: of each other item its uid and the fields that vary."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from pagelens.core.safe_text import quoted
from pagelens.snapshot.outline.fields import Field, fields, is_said_before, span
from pagelens.snapshot.outline.lists import ListPattern
from pagelens.snapshot.outline.node import ElementNode
from pagelens.snapshot.outline.ranges import Span, UidRanges
from pagelens.snapshot.outline.words import CELL, bare, cut, field_text, marks

__all__ = ["Row", "RowWriter"]

#: A row is broken before it gets longer than this.
_LONGEST = 315
#: What has no room in it may be said in so many characters more.
_FOR_THE_REST = 20
#: Actions that so many items share get a letter.
_LETTERS = "abcdef"
_OFTEN = 3
#: Links to what another one in the row leads to as well are told from it by their role.
_PLAIN = "link"

_Thing = tuple[str, str, str, tuple[str, ...]]


@dataclass(slots=True)
class Row:
    """One item: its line, or lines when it is long, and the nodes in it that can be acted on and are printed."""

    lines: list[str] = field(default_factory=list)
    printed: list[ElementNode] = field(default_factory=list)


class RowWriter:
    """Writes rows.

    Args:
        pattern: the run.
        items: those of its items that get a row.
        ranges: for what has no room.
        most: fields of one row, besides those that must be said.

    Attributes:
        legend: what the letters stand for, e.g. `` (a=button "Add to cart")``; empty without letters.
        rows: one for each item.
    """

    def __init__(
        self, pattern: ListPattern, items: Sequence[Sequence[ElementNode]], ranges: UidRanges, most: int
    ) -> None:
        self._ranges = ranges
        self._most = most
        said = [fields(pattern.sample), *map(fields, items)]
        counted: Counter[_Thing] = Counter()
        actions: set[_Thing] = set()
        for item in said:
            counted.update({_thing(entry.node) for entry in item if not entry.group})
            actions.update(_thing(entry.node) for entry in item if not entry.group and _is_action(entry.node))
        self._same = {thing for thing, count in counted.items() if count == len(said)}
        shared = [thing for thing in actions if thing[1] and counted[thing] >= max(_OFTEN, len(said) / 2)]
        first = {_thing(entry.node): place for place, entry in reversed(list(enumerate(said[0])))}
        shared.sort(key=lambda thing: (first.get(thing, len(first)), thing))
        self._letters = dict(zip(shared, _LETTERS, strict=False))
        explained = ", ".join(
            f"{letter}={thing[0]} {quoted(cut(thing[1], CELL))}" for thing, letter in self._letters.items()
        )
        self.legend = f" ({explained})" if explained else ""
        self.rows = [self._row(item, found) for item, found in zip(items, said[1:], strict=True)]

    def _row(self, item: Sequence[ElementNode], found: Sequence[Field]) -> Row:
        wanted = [entry for entry in found if not self._is_dull(entry)]
        kept = {id(entry) for entry in sorted(wanted, key=lambda entry: entry.rank)[: self._most]}
        row = Row()
        cells: list[str] = []
        hidden: list[Span] = []
        names: list[str] = []
        letters: set[str] = set()
        for entry in wanted:
            node = entry.node
            if id(entry) not in kept and entry.rank > 0:
                hidden.append(_span(entry))
                continue
            cells.append(self._cell(entry, names, letters))
            if node.has_interaction and not entry.group:
                row.printed.append(node)
        if item[0].ref and all(entry.node is not item[0] for entry in found):
            cells[:1] = [f"{item[0].ref}: {cells[0]}"] if cells else [item[0].ref]
        if hidden:
            uids = self._ranges.text(hidden)
            cells.append(f"+{len(hidden)} {uids}".rstrip())
        row.lines = _broken(cells or ["(same)"])
        return row

    def _is_dull(self, entry: Field) -> bool:
        node = entry.node
        return not entry.group and not node.has_interaction and entry.rank > 0 and _thing(node) in self._same

    def _cell(self, entry: Field, names: list[str], letters: set[str]) -> str:
        node = entry.node
        if entry.group:
            what = node.content or node.children[0].content or node.children[0].type
            return f"{entry.group} × {bare(what, CELL)} {self._ranges.text([span([node])])}".rstrip()
        letter = self._letters.get(_thing(node))
        if letter is not None and letter not in letters:
            letters.add(letter)
            return f"{letter}:{node.ref}"
        is_known = is_said_before(node, names)
        names.append(node.content)
        return field_text(node, CELL, role="" if is_known else _PLAIN, with_name=not is_known) or marks(node).strip()


def _thing(node: ElementNode) -> _Thing:
    return node.type, node.content, node.value, node.states


def _is_action(node: ElementNode) -> bool:
    return node.has_interaction


def _span(entry: Field) -> Span:
    """The lines of a field that has no room: of a list all, else its own; what is in it has fields of its own."""
    node = entry.node
    return span([node]) if entry.group else (node.line, node.line + 1)


def _broken(cells: Sequence[str]) -> list[str]:
    """The cells of a row in one line, or in more when that gets too long."""
    lines = [cells[0]]
    for cell in cells[1:]:
        room = _LONGEST + (_FOR_THE_REST if cell.startswith("+") else 0)
        if len(lines[-1]) + len(cell) + 3 > room:
            lines.append("| " + cell)
        else:
            lines[-1] += " | " + cell
    return lines
