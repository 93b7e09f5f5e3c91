"""The ring of bodies on disk: bounded, newest kept, never mixed up."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from pagelens.collectors.body_store import BodyStore, StoredBody


def test_what_is_put_comes_back_until_newer_ones_need_the_room() -> None:
    store = BodyStore(limit=100)
    kept = [(store.put(bytes([n]) * 30), bytes([n]) * 30) for n in range(3)]
    assert [store.get(body) for body, _ in kept if body] == [data for _, data in kept]
    fourth = store.put(b"x" * 30)
    assert fourth is not None
    first = kept[0][0]
    assert first is not None
    assert first.dropped
    assert store.get(first) is None
    assert store.get(fourth) == b"x" * 30
    store.close()


def test_one_that_is_larger_than_the_store() -> None:
    store = BodyStore(limit=10)
    small = store.put(b"small")
    assert store.put(b"x" * 11) is None
    assert small is not None
    assert store.get(small) == b"small"
    store.close()
    assert store.get(small) is None


@pytest.mark.parametrize("seed", range(5))
def test_at_random_what_is_given_back_is_what_was_put(seed: int) -> None:
    chance = random.Random(seed)
    store = BodyStore(limit=1_000)
    put: list[tuple[StoredBody, bytes]] = []
    for _ in range(400):
        data = chance.randbytes(chance.choice([0, 1, 7, 100, 333, 1_000]))
        body = store.put(data)
        assert body is not None
        put.append((body, data))
        alive = [(b, d) for b, d in put if not b.dropped]
        assert alive[-1] == (body, data), "the newest is always there"
        assert sum(b.size for b, _ in alive) <= 1_000
        for kept, expected in alive:
            assert store.get(kept) == expected
    dropped = [b.dropped for b, d in put if d]
    assert dropped == sorted(dropped, reverse=True), "the oldest go first"
    store.close()


def test_nothing_of_it_is_to_be_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    store = BodyStore()
    assert store.put(b"body") is not None
    assert list(tmp_path.iterdir()) == []
    store.close()
