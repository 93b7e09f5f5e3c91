"""A text that is too long is cut between lines."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from pagelens.response.budget import cut_text


def test_short_text_stays() -> None:
    cut = cut_text("a\nb", 3)
    assert (cut.text, cut.is_cut, cut.shown_lines, cut.total_lines) == ("a\nb", False, 2, 2)


def test_whole_lines() -> None:
    cut = cut_text("aaaa\nbbbb\ncccc", 9)
    assert (cut.text, cut.is_cut, cut.shown_lines, cut.total_lines) == ("aaaa\nbbbb", True, 2, 3)
    assert cut_text("aaaa\nbbbb\ncccc", 8).text == "aaaa"


def test_one_line_that_is_too_long_is_cut_inside() -> None:
    assert cut_text("aaaaaa", 4).text == "aaaa"


@given(st.text("ab\n", max_size=60), st.integers(1, 60))
def test_never_more_than_the_limit_and_always_a_beginning(text: str, limit: int) -> None:
    cut = cut_text(text, limit)
    assert len(cut.text) <= limit
    assert text.startswith(cut.text)
    assert cut.is_cut == (cut.text != text)
    assert cut.total_chars == len(text)
