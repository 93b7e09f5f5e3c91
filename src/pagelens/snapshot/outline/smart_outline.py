"""A page's outline: a snapshot in a tenth of its tokens, with every element printed or in a stated range.

Shrink (`UselessWrapperRemover`), find runs (`ListDetector` by `DomSimHash`), fold (`Folder`), and if it is still too
much, share out the lines there are (`BudgetFolder`).
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pagelens.core.safe_text import shortened
from pagelens.snapshot.outline.budget import BudgetFolder
from pagelens.snapshot.outline.fold import Folder, Limits
from pagelens.snapshot.outline.lists import ListDetector
from pagelens.snapshot.outline.node import ElementNode, bottom_up, measure
from pagelens.snapshot.outline.parse import parse_snapshot
from pagelens.snapshot.outline.ranges import UidRanges
from pagelens.snapshot.outline.simhash import DomSimHash
from pagelens.snapshot.outline.words import within
from pagelens.snapshot.outline.wrappers import UselessWrapperRemover

if TYPE_CHECKING:
    from pagelens.snapshot.text_snapshot import TextSnapshot

__all__ = ["MAX_LINES", "MIN_LINES", "Outline", "OutlineOptions", "OutlineStats", "SmartOutline", "estimated_tokens"]

#: Lines of an outline unless more are asked for.
MAX_LINES = 1000
#: The fewest lines that can be asked for.
MIN_LINES = 10
#: Lines of one run: more and more, until enough names are printed.
_RUNGS = (8, 16, 48, 144, 432)
#: That is: so much of the distinct names of what can be acted on.
_NAMES = 0.6
#: What is nested deeper is printed as if it were at this level.
_DEEPEST = 60
#: Characters of a token, roughly, and never too many: of letters, digits and marks as outlines have them; others.
_CHARS_A_TOKEN = 2.4
_URL = 150
#: No line holds more rows than this.
_ROWS_A_LINE = 10
#: What the first two lines take, at most and usually.
_HEAD_CHARS = 320
_HEAD_TOKENS = 50


@dataclass(frozen=True, slots=True)
class OutlineOptions:
    """How much an outline may say.

    Attributes:
        max_lines: at most so many lines, all counted; at least 10.
        max_tokens: at most about so many tokens, estimated on the high side; None: any.
        max_chars: at most so many characters; None: any.
        depth: levels of the tree; what is below stands in ranges; None: all.
    """

    max_lines: int = MAX_LINES
    max_tokens: int | None = None
    max_chars: int | None = None
    depth: int | None = None


@dataclass(frozen=True, slots=True)
class OutlineStats:
    """Lines of the tree: of the snapshot, without useless wrappers, and of the outline."""

    raw: int
    shrunk: int
    folded: int


@dataclass(frozen=True, slots=True)
class Outline:
    """An outline of a page.

    Attributes:
        text: with its first line, ``Page outline (388/5526 lines)``.
        stats: how many lines there were and are.
    """

    text: str
    stats: OutlineStats


class SmartOutline:
    """Makes outlines. No browser is needed.

    Attributes:
        stats: of the outline that was made last.
    """

    def __init__(self, options: OutlineOptions | None = None) -> None:
        self.options = options or OutlineOptions()
        self.stats = OutlineStats(0, 0, 0)

    def generate(self, snapshot: TextSnapshot | str) -> str:
        """The outline of a snapshot, or of its text; the first line says ``Page outline (388/5526 lines)``."""
        with _collector_paused():
            return self._generate(snapshot if isinstance(snapshot, str) else snapshot.text)

    def _generate(self, text: str) -> str:
        root = parse_snapshot(text)
        ranges = UidRanges(root)
        raw = text.count("\n") + 1
        UselessWrapperRemover().remove(root)
        _flatten(root)
        nodes = bottom_up(root)
        measure(nodes)
        hashes = DomSimHash()
        for node in nodes:
            node.signature = hashes.of(node)
        lines = self._fitted(root, ranges)
        head = _first_line(text)
        self.stats = OutlineStats(raw, root.size, len(lines) + 2)
        return "\n".join([f"Page outline ({self.stats.folded}/{raw} lines)", head, *lines])

    def _fitted(self, root: ElementNode, ranges: UidRanges) -> list[str]:
        options = self.options
        room = max(options.max_lines, MIN_LINES) - 2
        detector = ListDetector()
        depth = 10**9 if options.depth is None else max(options.depth, 1)
        names = {node.content for node in root.walk() if node.has_interaction and node.content}
        best: Folder | None = None
        # More rows of one run would not fit in any case.
        rows = _ROWS_A_LINE * (room + 1)
        limits = Limits(must_lines=rows, depth=depth)
        for rung in _RUNGS:
            limits = Limits(rung, rows, depth=depth)
            folder = Folder(ranges, detector, limits)
            folder.siblings(root.children, 1)
            if best is None or len(folder.lines) <= room:
                best = folder
            said = {node.content for node in folder.printed if node.content}
            if len(said) >= _NAMES * len(names) or len(folder.lines) > room:
                break
        assert best is not None
        lines = best.lines
        fitting = BudgetFolder(ranges, detector, limits)
        if len(lines) > room:
            lines = fitting.within(root, room)
        if not self._is_short(lines):
            low, high = 1, len(lines)
            while low < high:
                middle = (low + high + 1) // 2
                if self._is_short(fitting.within(root, middle)):
                    low = middle
                else:
                    high = middle - 1
            lines = fitting.within(root, low)
        return lines

    def _is_short(self, lines: list[str]) -> bool:
        options = self.options
        text = "\n".join(lines)
        if options.max_chars is not None and len(text) > options.max_chars - _HEAD_CHARS:
            return False
        return options.max_tokens is None or estimated_tokens(text) <= options.max_tokens - _HEAD_TOKENS


@contextmanager
def _collector_paused() -> Iterator[None]:
    """A large page's nodes all live until its outline is made: the collector would look at all of them again and again,
    in vain, and at more each time."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def estimated_tokens(text: str) -> int:
    """About how many tokens a model sees in an outline, rather too many than too few."""
    plain = sum(char.isascii() for char in text)
    return round(plain / _CHARS_A_TOKEN + len(text) - plain)


def _first_line(text: str) -> str:
    first = text.split("\n", 1)[0]
    if not first.startswith("page "):
        return "page"
    title, _, url = first.removeprefix("page ").rpartition(" url=")
    return f"page {within(title[1:-1].replace(chr(92), ''), 100)} {shortened(url, _URL)}".rstrip()


def _flatten(root: ElementNode) -> None:
    """Print what is nested deeper than anybody reads at one level: no recursion gets deeper than that."""
    stack = [(root, 0)]
    while stack:
        node, level = stack.pop()
        if level < _DEEPEST:
            stack += [(child, level + 1) for child in node.children]
            continue
        below = list(node.walk())[1:]
        for inner in below:
            inner.children = []
            inner.start, inner.end = inner.line, inner.line + 1
        node.children = below
