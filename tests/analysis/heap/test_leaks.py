"""What grows each time, from heaps made by hand; patterns that would take for ever."""

from __future__ import annotations

from pathlib import Path

import pytest

from pagelens.analysis.heap import HeapSnapshot
from pagelens.analysis.heap.leaks import Leak, find_leaks
from pagelens.analysis.heap.patterns import Pattern
from pagelens.errors import InvalidInput
from tests.analysis.heap.made import MadeHeap


def base() -> MadeHeap:
    """A window with a list, and a map of what is new in it."""
    made = MadeHeap()
    made.node("gc", "synthetic", "(GC roots)")
    made.edge("root", "gc", "element", 1)
    made.node("window", "native", "Window / a", 10)
    made.edge("gc", "window", "element", 1)
    made.node("list", name="Array", size=16, held_by="window")
    made.node("elements", "array", "", 80)
    made.edge("list", "elements", "internal", "elements")
    return made


def loaded(made: MadeHeap, folder: Path) -> HeapSnapshot:
    return made.load(folder, "plain")


def leaks(folder: Path, rounds: list[range], kind: str = "object", name: str = "Row", repeats: int = 3) -> list[Leak]:
    snapshots = []
    for numbers in rounds:
        made = base()
        for number in numbers:
            made.node(f"row {number}", kind, name, 40, id=10_001 + 2 * number)
            made.edge("elements", f"row {number}", "element", number)
        snapshots.append(loaded(made, folder))
    return find_leaks(snapshots, repeats)


def test_what_grows_each_time(tmp_path: Path) -> None:
    (leak,) = leaks(tmp_path, [range(3), range(6), range(9)])
    assert (leak.name, leak.count, leak.first, leak.second, leak.retained_size) == ("Row", 6, 3, 3, 240)
    assert leak.held_by == "held by `list` (Array) of window"
    assert str(leak) == "6 Row, held by `list` (Array) of window"
    assert leak.path[-1] == "Row"


@pytest.mark.parametrize(
    ("rounds", "why"),
    [
        ([range(3), range(6), range(6)], "once only"),
        ([range(3), range(3), range(6)], "not at first"),
        ([range(3), range(5), range(7)], "less often than the action"),
        ([range(9), range(3, 12), range(6, 15)], "as many went"),
        ([range(3), range(6), range(3)], "all of it went"),
    ],
)
def test_what_does_not(tmp_path: Path, rounds: list[range], why: str) -> None:
    assert leaks(tmp_path, rounds) == [], why


def test_what_the_engine_makes_is_not_told(tmp_path: Path) -> None:
    grows = [range(3), range(6), range(9)]
    for kind, name in (("code", "x"), ("hidden", "x"), ("object", "system / Context"), ("native", "blink::Thing")):
        assert leaks(tmp_path, grows, kind, name) == []
    assert len(leaks(tmp_path, grows, "native", "<li>")) == 1


def test_a_list_that_grows_at_its_end(tmp_path: Path) -> None:
    """Each new object is dominated by the one before: they are told by the first of them."""
    snapshots = []
    for count in (3, 6, 9):
        made = base()
        holder = "window"
        for number in range(count):
            made.node(f"link {number}", name="Link", size=24, id=10_001 + 2 * number)
            made.edge(holder, f"link {number}", "property", "next")
            holder = f"link {number}"
        snapshots.append(loaded(made, tmp_path))
    (leak,) = find_leaks(snapshots, 3)
    assert leak.contents == (("Link", 5),)
    assert leak.retained_size == 6 * 24


def test_patterns() -> None:
    for text, yes, no in (
        ("row", "ARROW", "ro"),
        ("^row$", "row", "rows"),
        ("(ro+w|col)s?$", "the roows", "colt"),
        (r"(a)\1", "baa", "ab"),
    ):
        with Pattern(text) as fits:
            fits.prepare([yes, no])
            assert (fits(yes), fits(no)) == (True, False), text
    for wrong in ("(", "x" * 1001, "(?P<a"):
        with pytest.raises(InvalidInput):
            Pattern(wrong)


def test_a_pattern_that_would_take_years_is_given_up() -> None:
    with Pattern("(a+)+$", 0.3) as fits, pytest.raises(InvalidInput, match="took longer than"):
        fits("a" * 60 + "b")
