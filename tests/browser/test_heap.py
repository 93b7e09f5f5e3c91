"""Taking heap snapshots: silence, disks that are full."""

from __future__ import annotations

import asyncio
import io
from pathlib import Path

import pytest

from pagelens.analysis.heap import HeapSnapshot
from pagelens.browser import heap
from pagelens.browser.heap import SnapshotProgress, take_heap_snapshot
from pagelens.browser.page import Page
from pagelens.errors import CommandTimeout, FileFailed, PageClosed


class Disk(io.BytesIO):
    """A file on a disk that is full after so many bytes."""

    def __init__(self, room: int) -> None:
        super().__init__()
        self._room = room

    def write(self, data: object) -> int:
        if self.tell() > self._room:
            raise OSError(28, "No space left on device")
        return super().write(data)  # type: ignore[arg-type]


async def test_it_is_written_as_it_comes(page: Page, tmp_path: Path) -> None:
    seen: list[SnapshotProgress] = []
    path = tmp_path / "a.heapsnapshot"
    with path.open("wb") as file:
        size = await take_heap_snapshot(page, file, seen.append)
    assert path.stat().st_size == size == seen[-1].written
    assert any(not one.written and 0 < one.done <= one.total for one in seen)
    assert HeapSnapshot.load(path).node_count > 1000


async def test_one_that_nobody_waits_for_does_not_end_up_in_the_next(page: Page, tmp_path: Path) -> None:
    begun = asyncio.Event()
    given_up = asyncio.create_task(take_heap_snapshot(page, io.BytesIO(), lambda _: begun.set()))
    await begun.wait()
    given_up.cancel()
    await asyncio.wait([given_up])
    path = tmp_path / "b.heapsnapshot"
    with path.open("wb") as file:
        await take_heap_snapshot(page, file)
    assert HeapSnapshot.load(path).node_count > 1000


async def test_silence_is_an_error(page: Page, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(heap, "SILENCE", 0.0)
    with pytest.raises(CommandTimeout, match="said nothing"):
        await take_heap_snapshot(page, io.BytesIO())


async def test_a_full_disk_is_an_error_and_the_page_works_on(page: Page) -> None:
    with pytest.raises(FileFailed, match="No space left"):
        await take_heap_snapshot(page, Disk(200_000))
    assert await take_heap_snapshot(page, io.BytesIO()) > 1_000_000


async def test_a_closed_page(page: Page) -> None:
    await page.close()
    with pytest.raises(PageClosed):
        await take_heap_snapshot(page, io.BytesIO())
