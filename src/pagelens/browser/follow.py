"""Follow a navigation that is under way to the moment its page is usable."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from pagelens.browser.loading import FrameLoad
from pagelens.cdp.session import Reply

if TYPE_CHECKING:
    from pagelens.browser.frame import Frame
    from pagelens.browser.page import Page

__all__ = ["Followed", "crossing", "follow", "interrupted", "run_tasks"]

#: After DOMContentLoaded, no request beginning or ending for this long means usable. Seconds.
QUIET = 0.5
#: After DOMContentLoaded, a page whose requests never rest is taken to be usable after this long. Seconds.
BUSY = 5.0
#: An announced navigation begins within this time or not at all (a ``javascript:`` link). Seconds.
ANNOUNCED = 0.3
#: How long tasks that are due are waited for after the load event. Seconds.
TASKS = 0.1
#: So many navigations in a row are followed (redirects by script); after that, the page is described as it is.
HOPS = 10

FollowOutcome = Literal["nothing", "loaded", "usable", "loading", "waiting", "bfcache", "error", "ended", "interrupted"]


@dataclass
class Followed:
    """How a navigation went.

    Attributes:
        outcome: ``nothing`` (announced, never begun), ``loaded``, ``usable`` (DOM ready and quiet),
            ``loading`` (new document, DOM not ready in time), ``waiting`` (no answer in time),
            ``bfcache``, ``error`` (Chrome's error page), ``ended`` (no new document: 204, download, aborted),
            ``interrupted`` (dialog, crash, page closed).
        loader_id: the document that was begun last.
        has_document: whether the frame shows a new document.
        pending: addresses that the document still waits for.
    """

    outcome: FollowOutcome
    loader_id: str = ""
    has_document: bool = False
    pending: list[str] = field(default_factory=list)


def interrupted(page: Page) -> bool:
    """Whether nothing more can be learnt by waiting: a dialog is open, or the page or the line to it is gone."""
    return page.held_by is not None or page.is_crashed or page.is_asleep or page.closed is not None


def crossing(load: FrameLoad, mark: int) -> bool:
    """Whether a cross-document navigation was announced, begun or made since `mark`.

    An announcement that a same-document navigation has fulfilled (a fragment link) does not count.
    """
    announced = load.requested_at > max(mark, load.moved_at)
    return announced or load.started_at > mark or load.committed_at > mark


async def run_tasks(frame: Frame, stop: Callable[[], bool], timeout: float, *, draw: bool = False) -> bool:
    """Let the frame's main thread run all tasks that are due, with `draw` through its next frame as well.

    Ends early when `stop` holds. Returns whether the tasks ran. Uses our isolated world, where timers are
    Chrome's own whatever the page made of its own.
    """
    loads = frame.page.loads
    end = asyncio.get_running_loop().time() + timeout

    async def answered(reply: Reply) -> bool:
        reply.on_done(loads.touch)
        left = end - asyncio.get_running_loop().time()
        await loads.wait(lambda: reply.done or stop(), left)
        return reply.done and not reply.failed

    context_id = frame.world_context
    if context_id is None:
        made = frame.create_world()
        if not await answered(made):
            return False
        context_id = frame.world_made(made)
    timers = "requestAnimationFrame(()=>setTimeout(r,0));setTimeout(r,50)" if draw else "setTimeout(r,0)"
    return await answered(
        frame.session.post(
            "Runtime.evaluate",
            {"expression": f"new Promise(r=>{{{timers}}})", "contextId": context_id, "awaitPromise": True},
        )
    )


async def follow(frame: Frame, mark: int, end: float) -> Followed:
    """Follow what has begun in `frame` since `mark` until loop time `end`."""
    page = frame.page
    loads = page.loads
    for _ in range(HOPS):
        load = loads.of(frame.id)
        outcome = await _until_document(page, load, mark, end)
        if outcome is not None:
            return outcome
        mark = load.committed_at
        if load.committed_kind == "error":
            return Followed("error", load.loader_id, True)
        if load.committed_kind == "bfcache":
            return Followed("bfcache", load.loader_id, True)
        state = await _until_usable(page, load, mark, end)
        if state == "loaded":
            # Scripts of the load event often navigate on in a task of their own.
            await run_tasks(frame, lambda: interrupted(page) or crossing(load, mark), TASKS)  # noqa: B023
            state = "superseded" if crossing(load, mark) and not interrupted(page) else state
        if state == "superseded":
            continue
        pending = [] if state == "loaded" else [r.url for r in loads.pending() if r.frame_id == frame.id]
        return Followed(state, load.loader_id, True, pending)
    return Followed("loading", loads.of(frame.id).loader_id, True)


async def _until_document(page: Page, load: FrameLoad, mark: int, end: float) -> Followed | None:
    """Wait for the new document; returns None when it is there, else how the navigation ended."""
    loop = asyncio.get_running_loop()
    loads = page.loads

    def settled() -> bool:
        return (
            load.committed_at > mark
            or interrupted(page)
            or (load.started_at > mark and load.stopped_at > load.started_at)
        )

    if load.started_at <= mark and load.committed_at <= mark:
        # Only announced so far.
        await loads.wait(
            lambda: settled() or load.started_at > mark or load.moved_at > load.requested_at,
            min(ANNOUNCED, end - loop.time()),
        )
        if not settled() and load.started_at <= mark:
            return Followed("nothing")
    await loads.wait(settled, end - loop.time())
    if load.committed_at > mark:
        return None
    if interrupted(page):
        return Followed("interrupted", load.started_loader)
    if load.started_at > mark and load.stopped_at > load.started_at:
        return Followed("ended", load.started_loader)
    return Followed("waiting", load.started_loader)


async def _until_usable(
    page: Page, load: FrameLoad, mark: int, end: float
) -> Literal["loaded", "usable", "loading", "superseded", "interrupted"]:
    loop = asyncio.get_running_loop()
    loads = page.loads
    ready_since: float | None = None

    def changed() -> bool:
        return (
            "load" in load.milestones
            or interrupted(page)
            or crossing(load, mark)
            or (ready_since is None and "DOMContentLoaded" in load.milestones)
        )

    while True:
        now = loop.time()
        if interrupted(page):
            return "interrupted"
        if crossing(load, mark):
            return "superseded"
        if "load" in load.milestones:
            return "loaded"
        until = end
        if "DOMContentLoaded" in load.milestones:
            ready_since = ready_since or now
            until = min(end, max(loads.active_at, ready_since) + QUIET, ready_since + BUSY)
            if now >= until:
                return "usable"
        elif now >= end:
            return "loading"
        await loads.wait(changed, until - now)
