"""Timeouts as callers give them."""

from __future__ import annotations

import pytest

from pagelens.core.deadlines import LONGEST, seconds_of


@pytest.mark.parametrize(
    ("milliseconds", "seconds"),
    [(None, 7), (0, 7), (-5, 7), (-(10**400), 7), (1, 0.001), (1500, 1.5), (10**7, LONGEST), (10**400, LONGEST)],
)
def test_a_timeout_of_any_size_is_seconds(milliseconds: int | None, seconds: float) -> None:
    assert seconds_of(milliseconds, 7) == seconds
