"""What one page has said, kept for its last navigations and found again by id."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Iterator
from itertools import chain
from typing import TYPE_CHECKING, ClassVar, Generic, Protocol, TypeVar

from pagelens.core.signals import Signal
from pagelens.errors import RecordGone, RecordNotFound

if TYPE_CHECKING:
    from pagelens.browser.page import Page
    from pagelens.browser.page_frames import Navigated
    from pagelens.browser.page_sessions import AttachedSession
    from pagelens.collectors.ids import IdCounter

__all__ = ["Navigation", "PageCollector", "Record"]


class Record(Protocol):
    """What a collector keeps.

    Attributes:
        id: stamped at birth from the session's `IdCounter`.
        weight: about how many bytes it holds.
    """

    id: int
    weight: int


T = TypeVar("T", bound=Record)


class Navigation(Generic[T]):
    """What was recorded between two document changes of the main frame.

    Attributes:
        url: the document's URL when it was committed; empty before the first navigation.
        items: oldest first.
        first_id: the first id that was recorded here, also after its item was dropped.
        begun: the first id that was given out after the navigation had begun, to whomever.
        weight: sum of the items' weights.
        dropped: how many items a cap has cost.
    """

    __slots__ = ("begun", "dropped", "first_id", "items", "url", "weight")

    def __init__(self, url: str) -> None:
        self.url = url
        self.items: deque[T] = deque()
        self.first_id: int | None = None
        self.begun = 0
        self.weight = 0
        self.dropped = 0


class PageCollector(ABC, Generic[T]):
    """Records one page from before its first request until it is closed.

    Storage is a stack of navigations, newest first, `NAVIGATIONS` in all with the current one. Only a
    document change of the main frame starts a new one: not a fragment or ``pushState``, not a 204, a
    download or an aborted load; a restore from the back/forward cache and an error page do. An item is
    gone after the third later navigation. Each navigation holds at most `max_items` items and
    `max_weight` bytes; beyond that its oldest are dropped and counted.

    Subclasses subscribe to the sessions of the page in `_watch` and hand over items with `_collect`.

    Attributes:
        collected: a new item was recorded.

    Args:
        page: connect before its first session is announced (`BrowserHost.page_created`).
        ids: one counter for all pages of the session.
    """

    #: Navigations kept, the current one included.
    NAVIGATIONS: ClassVar[int] = 3
    #: Items and bytes kept for one navigation.
    max_items: ClassVar[int]
    max_weight: ClassVar[int]
    #: How an id is written, what it names, and the tool that lists them: for messages.
    id_name: ClassVar[str]
    noun: ClassVar[str]
    list_tool: ClassVar[str]

    def __init__(self, page: Page, ids: IdCounter) -> None:
        self.page_id = page.id
        self.collected: Signal[T] = Signal("collected")
        self._ids = ids
        self._by_id: dict[int, T] = {}
        self._navigations: deque[Navigation[T]] = deque([Navigation("")])
        self._closed = False
        self._disconnect: list[Callable[[], None]] = [
            page.session_attached.connect(self._watch),
            page.navigated.connect(self._page_navigated),
            page.closed_signal.connect(lambda reason: self._page_closed()),
        ]

    def catch_up(self, page: Page) -> None:
        """Listen to the sessions that `page` had before this collector was made; what they said so far is lost."""
        page.introduce(self._watch)

    # -- for readers ---------------------------------------------------------------------------------

    def get_data(self, include_preserved: bool = False) -> list[T]:
        """What the current navigation has recorded, oldest first; with the ones before it if asked."""
        if not include_preserved:
            return list(self._navigations[0].items)
        return list(chain.from_iterable(navigation.items for navigation in reversed(self._navigations)))

    def get_by_id(self, number: int) -> T | None:
        """The item of this id, from any navigation that is kept; `lookup` says why there is none."""
        return self._by_id.get(number)

    def find(self, matches: Callable[[T], bool]) -> T | None:
        """The newest item that matches."""
        for navigation in self._navigations:
            for item in reversed(navigation.items):
                if matches(item):
                    return item
        return None

    def lookup(self, number: int) -> T:
        """The item of this id.

        Raises:
            RecordNotFound: the id was never given out, or to another page that is still open.
            RecordGone: its page was closed, has navigated three times since, or said too much.
        """
        item = self._by_id.get(number)
        if item is not None:
            return item
        name = f"{self.id_name}={number}"
        listing = f"{self.list_tool} shows the ids there are."
        if not self._ids.was_given(number):
            raise RecordNotFound(f"No {self.noun} has {name}.", listing)
        owner = self._ids.owner(number)
        if owner is not None and self._ids.has_ended(owner):
            raise RecordGone(f"{name} is no longer kept: page {owner} was closed.", listing)
        if owner is not None and owner != self.page_id:
            raise RecordNotFound(
                f"{name} was recorded on page {owner}, not on page {self.page_id}.", f"Ask with pageId {owner}."
            )
        kept_from = next((n.first_id for n in reversed(self._navigations) if n.first_id is not None), None)
        if kept_from is not None and number >= kept_from:
            raise RecordGone(f"{name} is no longer kept: {self._cap_text()}.", listing)
        raise RecordGone(
            f"{name} is no longer kept: records are kept for the current navigation and the "
            f"{self.NAVIGATIONS - 1} before it, and the page has moved on.",
            listing,
        )

    @property
    def navigations(self) -> list[Navigation[T]]:
        """The navigations kept, newest first. To be read only."""
        return list(self._navigations)

    @property
    def is_closed(self) -> bool:
        """Whether the page was closed; nothing is kept then."""
        return self._closed

    def cap_note(self, include_preserved: bool = False) -> str | None:
        """What a cap has cost the list, as a sentence; None when it cost nothing."""
        shown: Iterator[Navigation[T]] | list[Navigation[T]]
        shown = iter(self._navigations) if include_preserved else [self._navigations[0]]
        dropped = sum(navigation.dropped for navigation in shown)
        if not dropped:
            return None
        return f"{dropped:,} older {self.noun}{'s' if dropped > 1 else ''} dropped: {self._cap_text()}."

    def _cap_text(self) -> str:
        return (
            f"the newest {self.max_items:,} {self.noun}s of a navigation are kept, "
            f"up to {self.max_weight // 1_000_000} MB"
        )

    # -- for subclasses ------------------------------------------------------------------------------

    @abstractmethod
    def _watch(self, attached: AttachedSession) -> None:
        """A session of the page exists (page, iframe or worker); its init batch is not yet written."""

    def _boundary(self, navigated: Navigated) -> int | None:
        """The id of the first current item that belongs to the new document already; None when there is none."""
        return None

    def _forgotten(self, item: T) -> None:
        """An item is no longer kept."""

    def _is_protected(self, item: T) -> bool:
        """Whether a cap passes over this item (only asked for the oldest few of a navigation)."""
        return False

    def _next_id(self) -> int:
        return self._ids.next(self.page_id)

    def _collect(self, item: T) -> None:
        """Keep a new item of the current navigation; its id is the highest so far."""
        current = self._navigations[0]
        if current.first_id is None:
            current.first_id = item.id
        current.items.append(item)
        current.weight += item.weight
        self._by_id[item.id] = item
        if len(current.items) > self.max_items or current.weight > self.max_weight:
            self._cut(current)
        self.collected.emit(item)

    def _add_weight(self, item: T, more: int) -> None:
        """An item that is kept has grown."""
        item.weight += more
        for navigation in self._navigations:
            if navigation.first_id is not None and item.id >= navigation.first_id:
                navigation.weight += more
                if navigation.weight > self.max_weight:
                    self._cut(navigation)
                return

    # -- navigations ---------------------------------------------------------------------------------

    def _page_navigated(self, navigated: Navigated) -> None:
        if not navigated.is_main or navigated.kind == "same_document":
            return
        current = self._navigations[0]
        new: Navigation[T] = Navigation(navigated.url)
        boundary = self._boundary(navigated)
        if boundary is not None:
            moved: list[T] = []
            while current.items and current.items[-1].id >= boundary:
                moved.append(current.items.pop())
            moved.reverse()
            new.items.extend(moved)
            new.first_id = boundary
            new.weight = sum(item.weight for item in moved)
            current.weight -= new.weight
            if current.first_id == boundary:
                current.first_id = None
        self._navigations.appendleft(new)
        while len(self._navigations) > self.NAVIGATIONS:
            self._drop(self._navigations.pop())

    def _page_closed(self) -> None:
        self._closed = True
        self._ids.end(self.page_id)
        for navigation in self._navigations:
            self._drop(navigation)
        self._navigations = deque([Navigation("")])
        for disconnect in self._disconnect:
            disconnect()

    def _drop(self, navigation: Navigation[T]) -> None:
        for item in navigation.items:
            self._by_id.pop(item.id, None)
            self._forgotten(item)

    def _cut(self, navigation: Navigation[T]) -> None:
        items = navigation.items
        while len(items) > 1 and (len(items) > self.max_items or navigation.weight > self.max_weight):
            index = 0
            while index < min(len(items) - 1, 25) and self._is_protected(items[index]):
                index += 1
            item = items[index]
            del items[index]
            navigation.weight -= item.weight
            navigation.dropped += 1
            self._by_id.pop(item.id, None)
            self._forgotten(item)
