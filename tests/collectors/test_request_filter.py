"""Which requests a list shows."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from pagelens.collectors.request_filter import RequestFilter
from pagelens.errors import InvalidInput


def request(url: str = "http://host/Path?q=1", status: int | None = 200, outcome: str = "finished") -> Any:
    return SimpleNamespace(url=url, status=status, outcome=outcome, resource_type="fetch")


@pytest.mark.parametrize(
    ("pattern", "matches"),
    [
        ("", True),
        ("*", True),
        ("path", True),
        ("HOST/", True),
        ("http*q=", True),
        ("h*o*s*t*1", True),
        ("q=1*host", False),
        ("other", False),
        (".", False),
    ],
)
def test_address(pattern: str, matches: bool) -> None:
    assert RequestFilter(url=pattern).matches(request()) is matches


@pytest.mark.parametrize(
    ("status", "matching"),
    [
        ("404", {404}),
        ("4xx", {400, 404, 499}),
        ("4XX, 500-501", {400, 404, 499, 500, 501}),
        ("finished", {200, 304, 400, 404, 499, 500, 501, 502}),
        ("pending,304", {None, 304}),
    ],
)
def test_status(status: str, matching: set[int | None]) -> None:
    chosen = RequestFilter(status=status)
    found = {
        code
        for code in (None, 200, 304, 400, 404, 499, 500, 501, 502)
        if chosen.matches(request(status=code, outcome="finished" if code else "pending"))
    }
    assert found == matching


@pytest.mark.parametrize("status", ["4", "abc", "404;500", "6xx", "200-", ",", "-1", "４０４x"])
def test_what_is_no_status_is_said(status: str) -> None:
    with pytest.raises(InvalidInput, match=r"no status.*4xx"):
        RequestFilter(status=status)


def test_nothing_given_is_no_filter() -> None:
    assert not RequestFilter()
    assert not RequestFilter((), "", " ")
    assert RequestFilter(("fetch",)).matches(request())
    assert not RequestFilter(("image",)).matches(request())
    assert str(RequestFilter(("xhr", "fetch"), "api*", "4xx")) == "type fetch, xhr; URL with api*; status 4xx"
