"""A page at a time: every item once, and words and JSON that agree."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pagelens.response.pagination import DEFAULT_PAGE_SIZE, paginate


def test_words() -> None:
    first = paginate(range(57))
    assert first.lines() == ["Showing 1-20 of 57 (page 1 of 3). Next: pageIdx 1."]
    assert paginate(range(57), 20, 1).lines() == [
        "Showing 21-40 of 57 (page 2 of 3). Next: pageIdx 2. Previous: pageIdx 0."
    ]
    assert paginate(range(57), 20, 2).lines() == ["Showing 41-57 of 57 (page 3 of 3). Previous: pageIdx 1."]
    assert paginate(range(3), 20).lines() == ["Showing 1-3 of 3 (page 1 of 1)."]
    assert paginate([]).lines() == []


@pytest.mark.parametrize("index", [3, 99, -1])
def test_a_page_that_does_not_exist_is_the_first(index: int) -> None:
    page = paginate(range(57), 20, index)
    assert page.invalid
    assert list(page.items) == list(range(20))
    assert page.lines()[0] == "There is no such page; the first one is shown."
    assert page.to_json()["invalidPage"]


@given(st.integers(0, 200), st.one_of(st.none(), st.integers(1, 50)))
def test_the_pages_together_are_the_list(total: int, size: int | None) -> None:
    seen: list[int] = []
    index = 0
    while True:
        page = paginate(range(total), size, index)
        assert not page.invalid
        assert len(page.items) <= (size or DEFAULT_PAGE_SIZE)
        seen += page.items
        json = page.to_json()
        assert json["endIndex"] - json["startIndex"] == len(page.items)
        assert json["hasPreviousPage"] == (index > 0)
        if not json["hasNextPage"]:
            assert json["totalPages"] == index + 1
            break
        index += 1
    assert seen == list(range(total))
