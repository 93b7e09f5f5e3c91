"""Timeouts as callers give them."""

from __future__ import annotations

import asyncio

import pytest

from pagelens.core.deadlines import (
    HIGHEST,
    LONGEST,
    NAVIGATION,
    REPLY,
    TOOL,
    Limits,
    deadline,
    limits,
    patient,
    seconds_of,
)


@pytest.mark.parametrize(
    ("milliseconds", "seconds"),
    [(None, 7), (0, 7), (-5, 7), (-(10**400), 7), (1, 0.001), (1500, 1.5), (10**7, LONGEST), (10**400, LONGEST)],
)
def test_a_timeout_of_any_size_is_seconds(milliseconds: int | None, seconds: float) -> None:
    assert seconds_of(milliseconds, 7) == seconds


def test_limits_of_a_page_that_is_not_throttled_are_the_usual_ones() -> None:
    for has_progress in (False, True):
        assert limits(1, has_progress=has_progress) == Limits(TOOL, NAVIGATION)


@pytest.mark.parametrize("patience", [1, 1.1, 1.5, 2, 5, 10])
def test_limits_grow_up_to_the_highest_or_beyond_it_with_progress(patience: float) -> None:
    found = limits(patience, has_progress=False)
    assert found.tool == min(TOOL * patience, HIGHEST - REPLY)
    assert NAVIGATION <= found.navigation <= min(NAVIGATION * patience, found.tool - 5)
    assert limits(patience, has_progress=True) == Limits(TOOL * patience, NAVIGATION * patience)


async def test_a_usual_deadline_grows_as_far_as_the_one_around_it_allows() -> None:
    assert patient(10, 1) == 10
    assert patient(10, 3) == 30
    assert patient(10, 8) == HIGHEST
    async with deadline(30, "a call"):
        assert patient(10, 2) == 20
        assert patient(10, 8) == pytest.approx(25, abs=1)
        async with deadline(100, "a step in it"):
            assert patient(10, 8) == pytest.approx(25, abs=1), "the outer one ends first"
        async with deadline(12, "a step in it"):
            assert patient(10, 8) == 10, "never less than usual"
            assert await asyncio.create_task(_patient_in_a_task()) == 10
        assert patient(10, 8) == pytest.approx(25, abs=1)
    assert patient(10, 8) == HIGHEST


async def _patient_in_a_task() -> float:
    return patient(10, 8)
