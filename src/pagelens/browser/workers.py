"""Service and shared workers: which there are, and a session of each that listeners may use.

Workers of one page only are sessions of that page (`pagelens.browser.page_sessions`). These belong to an origin.

What was measured (Chromium 156) and decided:

* A browser that we start attaches to each of them at its root, once, before its first script.
* A service worker that stops and starts again keeps its target and our session (``Inspector.targetCrashed``, then
  ``targetReloadedAfterCrash``); it waits for the debugger again, and with it the navigation that needs it
  (`NetworkRules.start_worker` lets it run).
* A browser that is not ours has workers of pages that nobody uses here. One is attached to while a page of its origin
  is in use, or when it was asked for by its id, and let go afterwards: who is attached to is kept running. It was not
  held at its start, but Chrome repeats what its console has said. Nothing here ever starts a worker.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from pagelens.browser.page_sessions import when_all
from pagelens.core.signals import Signal
from pagelens.errors import PagelensError, RecordNotFound

if TYPE_CHECKING:
    from pagelens.browser.host import BrowserHost
    from pagelens.browser.page import Page
    from pagelens.cdp.session import Reply, Session

__all__ = [
    "WORKER_NETWORK_ENABLE",
    "WORKER_TYPES",
    "Worker",
    "WorkerKind",
    "WorkerSession",
    "Workers",
    "origin_of",
    "origins_of",
]

WorkerKind = Literal["service_worker", "shared_worker"]

#: Types of targets that are workers of an origin.
WORKER_TYPES = frozenset({"service_worker", "shared_worker"})
#: Bodies of their responses are not kept for us (``enableDurableMessages``): Chromium 156 ends itself when it is asked
#: for one after the worker has stopped.
WORKER_NETWORK_ENABLE: tuple[str, dict[str, Any]] = ("Network.enable", {})
#: Workers that have ended and are still known.
MAX_ENDED = 50
#: How long to wait for what a worker had said before it was attached to. Seconds.
REPLAY = 2.0


@dataclass(eq=False)
class Worker:
    """A service or shared worker, over all its runs: started again, it is the same one.

    Attributes:
        number: ours, never used again while the host lives.
        url: of its script.
        name: of a shared worker, as its page chose it.
        context_id: Chrome's id of the browser context that it belongs to.
        target_id: Chrome's id; another one after some restarts.
        session: where it can be listened to; None while nothing is attached to it.
        is_running: whether it runs now.
    """

    number: int
    kind: WorkerKind
    url: str
    name: str
    context_id: str
    target_id: str
    session: Session | None = None
    is_running: bool = True
    #: Wanted by somebody whatever pages there are. In a browser that is not ours.
    is_pinned: bool = False
    _is_attaching: bool = False
    _replies: list[Reply] = field(default_factory=list)

    @property
    def id(self) -> str:
        """How tools call it: ``sw-1``, ``shared-2``."""
        return f"{'sw' if self.kind == 'service_worker' else 'shared'}-{self.number}"

    @property
    def origin(self) -> str:
        """The origin of its script."""
        return origin_of(self.url)


@dataclass(eq=False)
class WorkerSession:
    """A session of a worker that is about to be initialised.

    Listeners subscribe to `session`, and add commands to `init`; these are written before the worker runs.

    Attributes:
        was_running: it ran before it was attached to: Chrome repeats what its console has said so far.
        answered: called when all of `init` has been answered.
    """

    worker: Worker
    session: Session
    was_running: bool = False
    init: list[tuple[str, dict[str, Any]]] = field(default_factory=list)
    answered: list[Callable[[], object]] = field(default_factory=list)


class Workers:
    """The service and shared workers of one browser.

    Attributes:
        started: a session of a worker begins.
        forgotten: a worker that ended long ago is not known any more.
    """

    def __init__(self, host: BrowserHost) -> None:
        self.started: Signal[WorkerSession] = Signal("started")
        self.forgotten: Signal[Worker] = Signal("forgotten")
        self._host = host
        self._by_number: dict[int, Worker] = {}
        self._by_target: dict[str, Worker] = {}
        self._last = 0
        if host.options.is_attaching:
            host.page_created.connect(self._watch_page)

    # -- which there are -----------------------------------------------------------------------------

    def all(self) -> list[Worker]:
        """All that run, and some that have run, oldest first."""
        return list(self._by_number.values())

    def get(self, worker_id: str) -> Worker:
        """The worker that tools call so.

        Raises:
            RecordNotFound: there is none.
        """
        for worker in self._by_number.values():
            if worker.id == worker_id.strip():
                return worker
        known = ", ".join(worker.id for worker in self._by_number.values()) or "there are none"
        raise RecordNotFound(
            f"No service or shared worker has the id {worker_id[:100]!r}.", f"list_pages shows them: {known}."
        )

    def by_number(self, number: int) -> Worker | None:
        """The worker of this number, if it is still known."""
        return self._by_number.get(number)

    def of(self, context_id: str, origins: Iterable[str]) -> list[Worker]:
        """Those that belong to one of these origins in a browser context, oldest first."""
        wanted = set(origins)
        return [
            worker for worker in self._by_number.values() if worker.context_id == context_id and worker.origin in wanted
        ]

    def of_page(self, page: Page) -> list[Worker]:
        """Those that belong to what a page shows now, in any of its frames."""
        return self.of(page.context_id, origins_of(page))

    # -- in a browser that is not ours ---------------------------------------------------------------

    async def attach(self, worker: Worker) -> None:
        """Attach to a worker that runs, if that was not done yet, and hear what it has said so far."""
        worker.is_pinned = True
        self._consider(worker)
        await self.settle()

    async def settle(self) -> None:
        """Wait until the workers that are being attached to have told what they had said before. At most `REPLAY`."""
        end = asyncio.get_running_loop().time() + REPLAY
        for worker in list(self._by_number.values()):
            while worker._replies:  # when it has been attached to there are more of them
                reply = worker._replies.pop(0)
                try:
                    await reply.within(max(end - asyncio.get_running_loop().time(), 0))
                except PagelensError:
                    worker._replies.clear()  # it ended, or is too busy to say: what it says later is heard all the same

    def appeared(self, info: dict[str, Any]) -> None:
        """A worker of a browser that is not ours is there."""
        self._consider(self._known(info))

    def _watch_page(self, page: Page) -> None:
        def consider(_: object) -> None:
            for worker in list(self._by_number.values()):
                self._consider(worker)

        page.session_attached.connect(consider)
        page.navigated.connect(consider)
        page.closed_signal.connect(consider)

    def _consider(self, worker: Worker) -> None:
        """Attach to a worker that a page in use needs; let go of one that none does any more."""
        if not self._host.options.is_attaching:
            return
        # Only a service worker is ever started again.
        has_ended = worker.kind == "shared_worker" and not worker.is_running
        wanted = not has_ended and (worker.is_pinned or self._is_needed(worker))
        root = self._host.root
        if wanted and worker.is_running and worker.session is None and not worker._is_attaching:
            worker._is_attaching = True
            reply = root.post("Target.attachToTarget", {"targetId": worker.target_id, "flatten": True})
            reply.on_done(lambda: self._attach_answered(worker))
            worker._replies.append(reply)
        elif not wanted and worker.session is not None:
            root.post("Target.detachFromTarget", {"sessionId": worker.session.id})

    def _is_needed(self, worker: Worker) -> bool:
        return any(
            page.closed is None
            and not page.is_asleep
            and page.context_id == worker.context_id
            and worker.origin in origins_of(page)
            for page in self._host.pages.values()
        )

    @staticmethod
    def _attach_answered(worker: Worker) -> None:
        # The event came before the answer.
        worker._is_attaching = False

    # -- told by the host ----------------------------------------------------------------------------

    def attached(self, session: Session, info: dict[str, Any], *, waiting: bool) -> None:
        """There is a session of a worker; `waiting`: it has not run yet and waits for us."""
        worker = self._known(info)
        worker.session = session
        beginning = WorkerSession(worker, session, was_running=not waiting)
        session.on("Inspector.targetCrashed", lambda _: self._stopped(worker))
        session.on("Inspector.targetReloadedAfterCrash", lambda _: self._started_again(worker))
        self.started.emit(beginning)
        init = [("Runtime.enable", {}), ("Inspector.enable", {}), *beginning.init]
        replies = [session.post(method, params) for method, params in init]
        if waiting or not self._host.options.is_attaching:
            self._host.rules.start_worker(session)
        if not waiting:
            worker._replies += replies
        when_all(replies, beginning.answered)

    def introduce(self, listener: Callable[[WorkerSession], object]) -> None:
        """Show a listener of `started` that comes late the sessions there are; it hears what is said from now on."""
        for worker in self._by_number.values():
            if worker.session is not None:
                known = WorkerSession(worker, worker.session)
                listener(known)
                for method, params in known.init:
                    worker.session.post(method, params)

    def detached(self, session: Session) -> None:
        """A session has ended; its worker may run on."""
        worker = self._by_target.get(session.target_id)
        if worker is not None and worker.session is session:
            worker.session = None
            if self._host.options.is_attaching:
                self._consider(worker)  # it may be needed again by now
            else:
                self.gone(session.target_id)

    def gone(self, target_id: str) -> None:
        """A target does not exist any more."""
        worker = self._by_target.pop(target_id, None)
        if worker is not None:
            worker.is_running = worker._is_attaching = False
            worker.session = None
            worker._replies.clear()
            self._forget_some()

    def lost(self) -> None:
        """The connection is lost. Whoever is still there at the next one is the same worker as before."""
        for target_id in list(self._by_target):
            self.gone(target_id)

    def _stopped(self, worker: Worker) -> None:
        worker.is_running = False
        self._consider(worker)

    def _started_again(self, worker: Worker) -> None:
        worker.is_running = True

    def _known(self, info: dict[str, Any]) -> Worker:
        """The worker that a target is: the same one as before when it was started again."""
        target_id: str = info["targetId"]
        worker = self._by_target.get(target_id)
        if worker is not None:
            return worker
        kind: WorkerKind = info["type"]
        name = str(info.get("title", "")) if kind == "shared_worker" else ""
        context_id = str(info.get("browserContextId", ""))
        for ended in self._by_number.values():
            if not ended.is_running and (ended.kind, ended.url, ended.name, ended.context_id) == (
                kind,
                info["url"],
                name,
                context_id,
            ):
                self._by_target.pop(ended.target_id, None)
                ended.target_id = target_id
                ended.is_running = True
                worker = ended
                break
        else:
            self._last += 1
            worker = Worker(self._last, kind, str(info["url"]), name, context_id, target_id)
            self._by_number[worker.number] = worker
        self._by_target[target_id] = worker
        return worker

    def _forget_some(self) -> None:
        ended = [worker for worker in self._by_number.values() if not worker.is_running]
        for worker in ended[: max(len(ended) - MAX_ENDED, 0)]:
            del self._by_number[worker.number]
            self.forgotten.emit(worker)


def origin_of(url: str) -> str:
    """The origin of an address as text, ``https://example.com:8443``; its scheme alone where there is no host."""
    if url.startswith("blob:"):
        url = url[5:]
    scheme, separator, rest = url.partition("://")
    if not separator:
        return url.partition(":")[0].lower() + ":"
    host = rest
    for end in "/?#":
        host = host.partition(end)[0]
    return f"{scheme}://{host}".lower()


def origins_of(page: Page) -> set[str]:
    """The origins of all that a page shows."""
    return {origin_of(page.url)} | {origin_of(frame.url) for frame in page.frames.values() if frame.url}
