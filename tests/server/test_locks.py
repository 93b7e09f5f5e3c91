"""Locks: reads share, writes are alone, first in first out, and nothing is ever left behind."""

from __future__ import annotations

import asyncio

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pagelens.errors import LockTimeout
from pagelens.server.locks import BROWSER, Locks, Place


def _held(*places: Place) -> list[bool]:
    return [place.is_held for place in places]


async def test_reads_share_and_a_write_waits_for_them() -> None:
    locks = Locks()
    one = locks.queue(1, "read", "a", "Page 1")
    two = locks.queue(1, "read", "b", "Page 1")
    write = locks.queue(1, "write", "c", "Page 1")
    late = locks.queue(1, "read", "d", "Page 1")
    assert _held(one, two, write, late) == [True, True, False, False]
    one.release()
    assert _held(two, write, late) == [True, False, False]
    two.release()
    assert _held(write, late) == [True, False]
    write.release()
    assert late.is_held
    late.release()
    assert len(locks) == 0


async def test_pages_and_the_browser_do_not_wait_for_each_other() -> None:
    locks = Locks()
    places = [locks.queue(key, "write", "tool", "It") for key in (1, 2, BROWSER)]
    assert all(place.is_held for place in places)
    assert not locks.queue(BROWSER, "write", "other", "The browser").is_held


async def test_a_wait_in_vain_names_the_holders() -> None:
    locks = Locks()
    locks.queue(3, "read", "take_snapshot", "Page 3")
    locks.queue(3, "read", "evaluate_script", "Page 3")
    waiting = locks.queue(3, "write", "click", "Page 3")
    behind = locks.queue(3, "read", "look", "Page 3")
    with pytest.raises(LockTimeout, match=r"Page 3 is busy: take_snapshot, for \d+ s and evaluate_script"):
        await waiting.turn(timeout=0.01)
    assert behind.is_held  # the one that gave up stands in nobody's way


async def test_cancelled_while_waiting_gives_the_place_back() -> None:
    locks = Locks()
    first = locks.queue(1, "write", "a", "Page 1")
    second = locks.queue(1, "write", "b", "Page 1")
    third = locks.queue(1, "write", "c", "Page 1")
    waiter = asyncio.create_task(second.turn())
    await asyncio.sleep(0)
    waiter.cancel()
    # The turn comes before the cancelled waiter has run: it must not be granted a dead future, nor keep the turn.
    first.release()
    with pytest.raises(asyncio.CancelledError):
        await waiter
    await third.turn(timeout=5)
    third.release()
    assert len(locks) == 0


async def test_release_twice_releases_once() -> None:
    locks = Locks()
    first = locks.queue(1, "write", "a", "Page 1")
    second = locks.queue(1, "write", "b", "Page 1")
    third = locks.queue(1, "write", "c", "Page 1")
    first.release()
    first.release()
    assert _held(first, second, third) == [False, True, False]


MOVES = st.lists(
    st.one_of(
        st.tuples(st.just("queue"), st.sampled_from([1, 2]), st.sampled_from(["read", "write"])),
        st.tuples(st.sampled_from(["release", "cancel"]), st.integers(0, 30), st.just("")),
    ),
    max_size=60,
)


@settings(max_examples=200, derandomize=True, deadline=None)
@given(MOVES)
def test_invariants_hold_whatever_happens(moves: list[tuple[str, int, str]]) -> None:
    asyncio.run(_play(moves))


async def _play(moves: list[tuple[str, int, str]]) -> None:
    locks = Locks()
    waiters: dict[Place, asyncio.Task[None]] = {}
    queues: dict[int, list[Place]] = {1: [], 2: []}
    for move, number, mode in moves:
        if move == "queue":
            place = locks.queue(number, mode, "tool", "It")  # type: ignore[arg-type]
            queues[number].append(place)
            waiters[place] = asyncio.create_task(place.turn(timeout=60))
        else:
            alive = [*queues[1], *queues[2]]
            if not alive:
                continue
            place = alive[number % len(alive)]
            if move == "release":
                place.release()
            else:
                waiters[place].cancel()
                await asyncio.gather(waiters[place], return_exceptions=True)
                place.release()  # a caller does so in any case: a waiter cancelled before it ran could not
            queues[int(place.key)].remove(place)  # type: ignore[call-overload]
        for queue in queues.values():
            _check(queue)
    for queue in queues.values():
        while queue:
            await asyncio.wait_for(waiters[queue[0]], 5)  # whoever is first has the turn, always
            queue.pop(0).release()
            _check(queue)
    await asyncio.gather(*waiters.values(), return_exceptions=True)
    assert len(locks) == 0


def _check(queue: list[Place]) -> None:
    held = [place.is_held for place in queue]
    modes = [place.mode for place in queue]
    reads_in_front = next((index for index, mode in enumerate(modes) if mode == "write"), len(modes))
    expected = [index < max(reads_in_front, 1) for index in range(len(queue))]
    assert held == expected, list(zip(modes, held, strict=True))
