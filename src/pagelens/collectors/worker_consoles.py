"""What service and shared workers say: they belong to an origin, not to a page, and may have none open."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, ClassVar

from pagelens.collectors.console_listener import ConsoleListener
from pagelens.collectors.console_message import ConsoleMessage
from pagelens.collectors.remote_objects import RemoteObjects
from pagelens.core.signals import Signal
from pagelens.errors import RecordGone

if TYPE_CHECKING:
    from pagelens.browser.page import Page
    from pagelens.browser.workers import Worker, Workers, WorkerSession
    from pagelens.collectors.ids import IdCounter

__all__ = ["WorkerConsole", "WorkerConsoles"]


#: How long to wait for what was said before. Seconds.
SETTLED = 2.0


class WorkerConsole:
    """The console of one worker, over all its runs. The newest `max_items` messages are kept.

    Attributes:
        worker: whose.
        items: oldest first.
        dropped: how many a cap has cost.
    """

    max_items: ClassVar[int] = 2_000
    max_weight: ClassVar[int] = 8_000_000

    def __init__(self, worker: Worker, consoles: WorkerConsoles, ids: IdCounter) -> None:
        self.worker = worker
        self.items: deque[ConsoleMessage] = deque()
        self.dropped = 0
        self._consoles = consoles
        self._weight = 0
        self._by_id: dict[int, ConsoleMessage] = {}
        owner = -worker.number
        self._listener = ConsoleListener(owner, lambda: ids.next(owner), self._collect, lambda: self.items)
        self.objects = self._listener.objects

    def get_by_id(self, number: int) -> ConsoleMessage | None:
        """The message of this id, while it is kept."""
        return self._by_id.get(number)

    def cap_note(self) -> str | None:
        """What a cap has cost, as a sentence; None when it cost nothing."""
        if not self.dropped:
            return None
        return f"{self.dropped:,} older messages of {self.worker.id} dropped: the newest {self.max_items:,} are kept."

    def watch(self, begun: WorkerSession) -> None:
        """Listen to a session of the worker."""
        if ("Log.enable", {}) not in begun.init:
            begun.init.append(("Log.enable", {}))
        worker = begun.worker
        tell = self._listener.watch(
            begun.session, worker.kind, worker.url, worker_id=worker.id, was_running=begun.was_running
        )
        if tell is not None:
            begun.answered.append(tell)

    async def settle(self) -> None:
        """Wait until what was said before the worker was attached to is known in full. At most `SETTLED` seconds."""
        await self._listener.settle(SETTLED)

    def forget(self) -> None:
        """Keep nothing."""
        for message in self.items:
            self._listener.forgotten(message)
        self.items.clear()
        self._by_id.clear()

    def _collect(self, message: ConsoleMessage) -> None:
        if self._consoles.is_closed:
            return  # its sessions live on, for others
        self.items.append(message)
        self._by_id[message.id] = message
        self._weight += message.weight
        while len(self.items) > 1 and (len(self.items) > self.max_items or self._weight > self.max_weight):
            oldest = self.items.popleft()
            self._weight -= oldest.weight
            self.dropped += 1
            del self._by_id[oldest.id]
            self._listener.forgotten(oldest)
        self._consoles.collected.emit((self.worker, message))


class WorkerConsoles:
    """The consoles of all service and shared workers, as one agent numbers their messages.

    Attributes:
        collected: a worker has said something.
        is_closed: nothing is recorded any more.

    Args:
        ids: the counter of messages; those of workers belong to no page.
    """

    def __init__(self, workers: Workers, ids: IdCounter) -> None:
        self.collected: Signal[tuple[Worker, ConsoleMessage]] = Signal("collected")
        self._workers = workers
        self._ids = ids
        self._by_number: dict[int, WorkerConsole] = {}
        self.is_closed = False
        self._disconnect = [workers.started.connect(self._started), workers.forgotten.connect(self._forgotten)]
        workers.introduce(self._started)

    def close(self) -> None:
        """Take no more in, and keep nothing."""
        self.is_closed = True
        for disconnect in self._disconnect:
            disconnect()
        for console in self._by_number.values():
            console.forget()

    def of(self, worker: Worker) -> WorkerConsole:
        """The console of a worker; empty when nothing was heard of it."""
        console = self._by_number.get(worker.number)
        if console is None:
            console = self._by_number[worker.number] = WorkerConsole(worker, self, self._ids)
        return console

    def of_origins(self, page: Page, origins: set[str]) -> list[WorkerConsole]:
        """The consoles of workers of these origins in the page's browser context."""
        found = self._workers.of(page.context_id, origins)
        return [console for worker in found if (console := self._by_number.get(worker.number)) is not None]

    def hears(self, page: Page, worker: Worker) -> bool:
        """Whether a worker belongs to what a page shows now."""
        return worker in self._workers.of_page(page)

    def objects(self, message: ConsoleMessage) -> RemoteObjects:
        """What holds the objects that a worker's message refers to."""
        console = self._by_number.get(-message.page_id)
        return console.objects if console is not None else RemoteObjects()

    def lookup(self, number: int) -> ConsoleMessage:
        """The message that a worker was given this id for.

        Raises:
            RecordGone: it is no longer kept.
        """
        owner = self._ids.owner(number) or 0
        console = self._by_number.get(-owner)
        message = console.get_by_id(number) if console is not None else None
        if message is not None:
            return message
        why = "it ended long ago" if console is None else f"the newest {console.max_items:,} messages of it are kept"
        raise RecordGone(
            f"msgid={number} is no longer kept: a service or shared worker said it, and {why}.",
            "list_console_messages shows the ids there are.",
        )

    def _started(self, begun: WorkerSession) -> None:
        self.of(begun.worker).watch(begun)

    def _forgotten(self, worker: Worker) -> None:
        console = self._by_number.pop(worker.number, None)
        if console is not None:
            console.forget()
