"""Searching, taking parts of and comparing texts of snapshots; no browser."""

from __future__ import annotations

import pytest

from pagelens.errors import ElementNotFound, InvalidInput
from pagelens.snapshot.difference import compare
from pagelens.snapshot.part import part_of
from pagelens.snapshot.search import search_text

#: No test begins with what is in the page: they open documents of their own.
REUSES_PAGE = "as it is"

PAGE = """page "Shop" url=http://127.0.0.1/
uid=e1 main
  uid=e2 list "Results"
    item
      uid=e3 link "Lamp" /3
      $3
    item
      uid=e4 link "Chair" /4
      $4
  uid=e5 button "More\""""


async def test_matches_are_shown_under_what_they_are_in() -> None:
    found = await search_text(PAGE, r"\$\d|MORE", ignore_case=True)
    assert (found.total, found.shown, found.searched) == (3, 3, 10)
    assert found.lines == (
        "  uid=e1 main",
        '    uid=e2 list "Results"',
        "      item",
        ">       $3",
        "      item",
        ">       $4",
        '>   uid=e5 button "More"',
    )
    assert found.uids == ("e2", "e5")


async def test_context_and_limits() -> None:
    found = await search_text(PAGE, "link", context=1, max_results=1)
    assert found.text.startswith("2 matches in 10 lines (1 shown, 1 more):\n")
    assert [line for line in found.lines if "$3" in line] == ["        $3"]
    assert "Chair" not in found.text
    assert (await search_text(PAGE, "Table")).text == "No matches in 10 lines."
    assert (await search_text(PAGE, "^link|^uid=e5")).total == 1  # without indentation


async def test_ripgrep_says_what_is_wrong_with_a_pattern() -> None:
    for pattern, words in (("[", "unclosed character class"), ("(?=x)", "look-around"), ("a{9999999}", "size")):
        with pytest.raises(InvalidInput, match=words):
            await search_text(PAGE, pattern)
    assert (await search_text("page\n" + "a" * 50_000, "(a*)*(a|aa)*$b")).total == 0


def test_parts() -> None:
    assert part_of(PAGE, "e2").split("\n")[1:3] == ['uid=e2 list "Results"', "  item"]
    assert part_of(PAGE, "[e3-e4]").split("\n")[1:] == [
        '  uid=e3 link "Lamp" /3',
        "  $3",
        "item",
        '  uid=e4 link "Chair" /4',
    ]
    assert part_of(PAGE, "e5…e3") == part_of(PAGE, "e3-e5")
    with pytest.raises(ElementNotFound):
        part_of(PAGE, "e9")
    with pytest.raises(InvalidInput):
        part_of(PAGE, "nine")


def test_differences() -> None:
    now = PAGE.replace('    item\n      uid=e3 link "Lamp" /3\n      $3\n', "").replace('"More"', '"More" disabled')
    now += '\n  uid=e6 status "Saved"'
    found = compare(PAGE, now)
    assert (found.added, found.removed, found.changed) == (1, 3, 1)
    assert found.lines == (
        "  uid=e1 main",
        '    uid=e2 list "Results"',
        "-     item",
        '-       uid=e3 link "Lamp" /3',
        "-       $3",
        '~   uid=e5 button "More" disabled (was: button "More")',
        '+   uid=e6 status "Saved"',
    )
    assert compare(PAGE, PAGE).lines == ()
    back = compare(now, PAGE)
    assert (back.added, back.removed, back.changed) == (3, 1, 1)
    assert [line[0] for line in back.lines] == [" ", "-", " ", "+", "+", "+", "~"]
