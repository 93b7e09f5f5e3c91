"""Wait for what an action caused, and for nothing else.

The recipe was measured over hundreds of navigations of every kind; it costs a few milliseconds when
nothing happens and never depends on the page coming to rest:

1. the action's own commands have been answered (the caller's part);
2. every task that was due has run, so a navigation it began has been announced;
3. a fetch or XHR that the action began has ended (up to `REQUESTS`), and the tasks after it have run;
4. for input: the next frame has been drawn, then 3 again.

Where the document is looked at for changes, 2 and 4 are one call, and 4 comes once more after 3.

All of it ends at once when a navigation is announced (it is followed until the page is usable), a dialog
opens, or the page goes away. A timer of 30 ms or more can't be seen from here: what it does is reported
by the next action (`Effect.earlier`).
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Literal

from pagelens.browser.changes import ChangeWatch
from pagelens.browser.effect import Effect
from pagelens.browser.follow import Followed, crossing, follow, interrupted, run_tasks
from pagelens.browser.loading import InFlight
from pagelens.core.deadlines import NAVIGATION, patient

if TYPE_CHECKING:
    from pagelens.browser.frame import Frame
    from pagelens.browser.page import Page

__all__ = ["Depth", "acting", "describe", "finish_downloads"]

Depth = Literal["input", "keys", "script"]

#: How long requests that the action began are waited for, in all. Seconds.
REQUESTS = 0.5
#: How long the body of an answered request is waited for: a page that does not read it never gets its end. Seconds.
BODY = 0.1
#: How long a main thread that does not yield is waited for. Seconds.
TASKS = 1.0
#: How long the first call in a document may take before an action goes unwatched. Seconds.
WORLD = 0.5
#: How long a new page may take to know its address, a download to begin and to be complete, before the reply. Seconds.
NEWCOMERS = 0.3
DOWNLOAD_BEGINS = 0.2
DOWNLOAD = 0.5

_REQUEST_TYPES = frozenset({"Fetch", "XHR"})


@asynccontextmanager
async def acting(page: Page, depth: Depth, frame: Frame | None) -> AsyncIterator[Effect]:
    """See `Page.acting`."""
    effect = Effect(earlier=page.take_news())
    mark = page.loads.serial
    page.watchers.append(effect)
    try:
        watch = await _look(page, depth, frame) if depth != "script" else None
        yield effect
        started = asyncio.get_running_loop().time()
        await _settle(page, depth, frame, mark, effect, watch)
        effect.waited_ms = round((asyncio.get_running_loop().time() - started) * 1000)
    finally:
        page.watchers.remove(effect)


async def _look(page: Page, depth: Depth, frame: Frame | None) -> ChangeWatch | None:
    """Order a look at the document before it is acted on."""
    acted_on = frame or page.main_frame
    if interrupted(page) or acted_on.is_detached or acted_on.is_crashed:
        return None
    if acted_on.world_context is None:
        # The first call in this document; whatever acts needs our world as well, and says why it can't have it.
        made = acted_on.create_world()
        made.on_done(page.loads.touch)
        await page.loads.wait(lambda: made.done or interrupted(page), WORLD)
        if not made.done or made.failed:
            return None
        acted_on.world_made(made)
    watch = ChangeWatch(acted_on)
    if depth == "keys":
        # Keys ask nothing of the page before they are pressed, and get there by another way than our calls.
        await watch.has_looked(lambda: interrupted(page))
    return watch


async def _settle(
    page: Page, depth: Depth, frame: Frame | None, mark: int, effect: Effect, watch: ChangeWatch | None
) -> None:
    loop = asyncio.get_running_loop()
    loads = page.loads
    acted_on = page.main_frame if frame is None or frame.is_detached else frame
    frames = [page.main_frame] if acted_on.is_main else [page.main_frame, acted_on]

    def stop() -> bool:
        return interrupted(page) or any(crossing(loads.of(f.id), mark) for f in frames)

    def awaited() -> list[InFlight]:
        now = loop.time()
        return [
            r for r in loads.pending(mark, types=_REQUEST_TYPES) if r.answered_at is None or now < r.answered_at + BODY
        ]

    async def requests_end(end: float) -> None:
        while not stop() and (requests := awaited()) and loop.time() < end:
            until = min([end, *(r.answered_at + BODY for r in requests if r.answered_at is not None)])
            await loads.wait(lambda: stop() or not awaited(), until - loop.time())
            if not awaited() and not stop():
                await run_tasks(acted_on, stop, TASKS)

    can_look = watch is not None and watch.is_armed
    if watch is not None and can_look and not stop():
        # Tasks, frame and look in one call: what is drawn next is the frame to wait for.
        effect.changes = await watch.seen(stop, draw=True, is_late=False, timeout=2 * TASKS)
    elif not stop():
        await run_tasks(acted_on, stop, TASKS)
    requests_until = loop.time() + REQUESTS
    had = bool(awaited()) or loads.had_since(mark, _REQUEST_TYPES)
    await requests_end(requests_until)
    if depth != "script" and not stop() and (had or not can_look):
        if watch is not None and can_look:
            is_late = loads.had_since(mark, _REQUEST_TYPES)
            effect.changes = await watch.seen(stop, draw=True, is_late=is_late, timeout=TASKS)
        else:
            await run_tasks(acted_on, stop, TASKS, draw=True)
        if awaited():
            await requests_end(requests_until)
            if watch is not None and not stop():
                effect.changes = await watch.seen(stop, draw=False, is_late=True)

    if not stop():
        effect.failed_requests = loads.failed_since(mark, _REQUEST_TYPES)
    end = loop.time() + patient(NAVIGATION, page.emulation.patience)
    for moved in frames:
        load = loads.of(moved.id)
        if crossing(load, mark):
            followed = await follow(moved, mark, end)
            describe(moved, followed, effect)
            if followed.outcome == "ended" and not effect.no_content:
                # Chrome announces a download a moment after the navigation to it has ended.
                await loads.wait(lambda: bool(effect.downloads) or interrupted(page), DOWNLOAD_BEGINS)
        if moved.is_main and load.moved_at > max(mark, load.committed_at) and not effect.navigated_to:
            effect.same_document_url = load.moved_url
    effect.closed = page.closed is not None
    effect.crashed = page.is_crashed
    await _newcomers(page, effect)


def describe(frame: Frame, followed: Followed, effect: Effect) -> None:
    """Write into `effect` how a navigation of `frame` went."""
    page = frame.page
    loads = page.loads
    if followed.outcome == "nothing" or (followed.outcome == "interrupted" and not followed.has_document):
        return
    status = loads.status.get(followed.loader_id)
    if followed.outcome == "ended":
        effect.no_content = effect.no_content or status in (204, 205)
        return
    address = loads.of(frame.id).started_url if followed.outcome == "waiting" else frame.url
    if not frame.is_main:
        effect.frame_navigated_to = address
        return
    effect.navigated_to = address
    effect.http_status = status
    effect.still_loading = followed.pending
    effect.is_unfinished = followed.outcome in ("loading", "waiting")
    if followed.outcome == "error":
        error = loads.failure.get(followed.loader_id, "net::ERR_FAILED")
        effect.navigation_error = page.host.rules.explained(address, error)


async def finish_downloads(page: Page, effect: Effect, timeout: float) -> None:
    """Give small downloads the time to complete, so that the reply can name the file."""
    await page.loads.wait(lambda: all(d.state != "inProgress" for d in effect.downloads), timeout)


async def _newcomers(page: Page, effect: Effect) -> None:
    end = asyncio.get_running_loop().time() + NEWCOMERS
    for newcomer in effect.new_pages:
        left = end - asyncio.get_running_loop().time()
        await newcomer.loads.wait(lambda: newcomer.knows_its_address or newcomer.closed is not None, left)  # noqa: B023
    if effect.downloads:
        await finish_downloads(page, effect, DOWNLOAD)
