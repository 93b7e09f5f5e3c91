"""Everything a page has said in its console, from its first script, and what Chrome has to say about it."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from itertools import chain
from typing import TYPE_CHECKING, ClassVar

import msgspec

from pagelens.browser.workers import origin_of, origins_of
from pagelens.cdp.messages import event_decoder
from pagelens.collectors.console_listener import ConsoleListener
from pagelens.collectors.console_message import ConsoleMessage
from pagelens.collectors.issues import AggregatedIssue, IssueAggregator, IssueMessage, Occurrence, PageEventSubscriber
from pagelens.collectors.page_collector import Navigation, PageCollector

if TYPE_CHECKING:
    from pagelens.browser.page import Page
    from pagelens.browser.page_frames import Navigated
    from pagelens.browser.page_sessions import AttachedSession
    from pagelens.browser.workers import Worker
    from pagelens.collectors.ids import IdCounter
    from pagelens.collectors.remote_objects import RemoteObjects
    from pagelens.collectors.worker_consoles import WorkerConsoles

__all__ = ["ConsoleCollector"]


#: How long to wait for what was said before. Seconds.
SETTLED = 2.0


class _Starting(msgspec.Struct, gc=False):
    """``Page.frameStartedNavigating``."""

    frameId: str = ""
    loaderId: str = ""


_decode_starting = event_decoder(_Starting)


class ConsoleCollector(PageCollector[ConsoleMessage]):
    """The console of one page: its frames in any process and its workers included, each told apart; content scripts of
    extensions; issues, each kind of them once.

    ``Runtime`` is enabled by the initialisation of every session; ``Log`` and ``Audits`` are added to it here. Messages
    from before the page was attached to have their true times, and the page's list is in order of time then.

    Args:
        workers: consoles of service and shared workers: what those of the page's origin have said since its navigation
            began is in its lists too, under the ids that they gave it.

    Attributes:
        objects: remote objects that messages refer to.
        issues: those of the current document.
    """

    max_items: ClassVar[int] = 10_000
    max_weight: ClassVar[int] = 32_000_000
    id_name: ClassVar[str] = "msgid"
    noun: ClassVar[str] = "console message"
    list_tool: ClassVar[str] = "list_console_messages"

    def __init__(self, page: Page, ids: IdCounter, workers: WorkerConsoles | None = None) -> None:
        self._page = page
        self._workers = workers
        self._listener = ConsoleListener(page.id, self._next_id, self._collect, self._all)
        self.objects = self._listener.objects
        self.issues = IssueAggregator(self._issue_changed)
        self._subscriber = PageEventSubscriber(self.issues)
        self._begun: dict[str, int] = {}
        self._backlogs: list[Callable[[], None]] = []
        super().__init__(page, ids)
        if workers is not None:
            self._disconnect.append(workers.collected.connect(self._worker_said))

    # -- for readers ---------------------------------------------------------------------------------

    def get_data(self, include_preserved: bool = False) -> list[ConsoleMessage]:
        shown = range(len(self._navigations) - 1, -1, -1) if include_preserved else (0,)
        return list(chain.from_iterable(self.messages(index) for index in shown))

    def messages(self, index: int) -> list[ConsoleMessage]:
        """What one navigation has recorded, oldest first; 0 is the current one. Workers of its origin included."""
        navigation = self._navigations[index]
        found = list(navigation.items)
        found += self._of_workers(index, navigation)
        if self._page.was_running:
            # What was said before we came is told by one source after the other.
            found.sort(key=lambda message: message.timestamp)
        elif len(found) > len(navigation.items):
            found.sort(key=lambda message: message.id)
        return found

    def lookup(self, number: int) -> ConsoleMessage:
        owner = self._ids.owner(number)
        if owner is not None and owner < 0 and self._workers is not None:
            return self._workers.lookup(number)
        return super().lookup(number)

    def holder(self, message: ConsoleMessage) -> RemoteObjects:
        """What holds the objects that a message refers to."""
        if message.worker_id and self._workers is not None:
            return self._workers.objects(message)
        return self.objects

    async def settle(self) -> None:
        """Wait until what was said before the page was attached to is known in full. At most `SETTLED` seconds."""
        await self._listener.settle(SETTLED)

    def is_current(self, occurrence: Occurrence) -> bool:
        """Whether the nodes that an issue speaks of can still be asked for."""
        return self._subscriber.is_current(occurrence)

    def _of_workers(self, index: int, navigation: Navigation[ConsoleMessage]) -> Iterator[ConsoleMessage]:
        if self._workers is None or self._closed:
            return
        origins = origins_of(self._page) if index == 0 else {origin_of(navigation.url)}
        end = self._navigations[index - 1].begun if index else float("inf")
        for console in self._workers.of_origins(self._page, origins):
            for message in console.items:
                if navigation.begun <= message.id < end:
                    yield message

    def _all(self) -> Iterator[ConsoleMessage]:
        return chain.from_iterable(navigation.items for navigation in self._navigations)

    # -- sessions ------------------------------------------------------------------------------------

    def _watch(self, attached: AttachedSession) -> None:
        session, source = attached.session, attached.kind
        url = "" if source == "page" else attached.url
        attached.init.append(("Log.enable", {}))
        tell = self._listener.watch(session, source, url, was_running=attached.was_running)
        if tell is not None:
            attached.answered.append(tell)
            self._backlogs.append(tell)
        if source != "worker":
            self._subscriber.watch(attached)
        if source == "page":
            session.on_raw("Page.frameStartedNavigating", self._navigation_starts)

    def _forgotten(self, item: ConsoleMessage) -> None:
        self._listener.forgotten(item)

    def _worker_said(self, said: tuple[Worker, ConsoleMessage]) -> None:
        worker, message = said
        if self._workers is not None and self._workers.hears(self._page, worker):
            self.collected.emit(message)

    def _issue_changed(self, issue: AggregatedIssue, occurrence: Occurrence) -> None:
        if issue.message is None:
            issue.message = IssueMessage(self._next_id(), self.page_id, issue, occurrence)
            self._collect(issue.message)
        elif issue.occurrences[-1] is occurrence:
            issue.message.weight += occurrence.size
            self._navigations[0].weight += occurrence.size

    # -- navigations ---------------------------------------------------------------------------------

    def _navigation_starts(self, raw: bytes) -> None:
        event = _decode_starting(raw)
        if event.frameId == self._page.main_frame.id:
            if len(self._begun) >= 20:
                del self._begun[next(iter(self._begun))]  # of those that came to nothing
            self._begun[event.loaderId] = self._ids.upcoming

    def _page_navigated(self, navigated: Navigated) -> None:
        before = self._navigations[0]
        if navigated.is_main and navigated.kind != "same_document":
            for tell in self._backlogs:
                tell()  # of the document that is gone now
            self._backlogs.clear()
        super()._page_navigated(navigated)
        current = self._navigations[0]
        if current is before:
            return
        current.begun = self._begun.get(navigated.loader_id, self._ids.upcoming)
        self._begun.clear()
        issues, left_over = self.issues.reset(navigated.loader_id)
        self._move_early(before, current, issues, navigated.loader_id)
        for occurrence in left_over:
            self.issues.add(occurrence)

    @staticmethod
    def _move_early(
        before: Navigation[ConsoleMessage], current: Navigation[ConsoleMessage], issues: list[IssueMessage], loader: str
    ) -> None:
        """What Chrome said of the new document's own request before it was there belongs to it."""
        early: deque[ConsoleMessage] = deque()
        for message in reversed(before.items):
            if message.id < current.begun:
                break
            if message in issues or (message.origin == "log" and message.request_id == loader):
                early.appendleft(message)
        for message in early:
            before.items.remove(message)
            before.weight -= message.weight
            current.weight += message.weight
        current.items.extend(early)
        if early:
            current.first_id = early[0].id
