"""Events: handlers that are told of them, and blocks that wait for one."""

from __future__ import annotations

import asyncio
import inspect
import logging
from collections import deque
from collections.abc import Awaitable, Callable, Iterable
from types import TracebackType
from typing import Any, Generic, Self, TypeVar
from weakref import WeakSet, finalize, ref

from pagelens.api.tasks import Tasks
from pagelens.core.safe_text import quoted
from pagelens.errors import DeadlineExceeded, InvalidInput

__all__ = ["Emitter", "EventStream", "Expectation", "Handler", "filtered"]

log = logging.getLogger(__name__)

T = TypeVar("T")
V = TypeVar("V")

#: So many events wait in a stream for whoever iterates over it; then the oldest are dropped.
STREAM = 10_000

#: Gets an event's payload. What it returns is awaited when it can be.
Handler = Callable[[Any], object]


class Emitter:
    """Hands out the events of one object.

    Handlers are called in the order they were registered, at once: a plain function must be quick. What a handler
    returns is awaited in a task when it can be, so coroutine functions will do; one handler's events are worked off
    one after another. An exception is logged and costs nobody else the event.

    Args:
        owner: what to call the object in messages.
        names: the events there are.
    """

    def __init__(self, owner: str, names: Iterable[str], tasks: Tasks) -> None:
        self._owner = owner
        self._tasks = tasks
        self._subscriptions: dict[str, list[_Subscription]] = {name: [] for name in names}
        self._streams: WeakSet[EventStream] = WeakSet()

    def on(self, name: str, handler: Handler, *, once: bool = False) -> Callable[[], None]:
        """Call `handler` at each event `name`, or only at the next; returns the function that ends it.

        Raises:
            InvalidInput: there is no such event.
        """
        subscriptions = self._of(name)
        subscription = _Subscription(name, handler, once, self._tasks)
        subscriptions.append(subscription)

        def off() -> None:
            if subscription in subscriptions:
                subscriptions.remove(subscription)

        return off

    def off(self, name: str, handler: Handler) -> None:
        """Call `handler` no more at `name`; one that was registered twice goes on once. Unknown ones are passed over.

        Raises:
            InvalidInput: there is no such event.
        """
        subscriptions = self._of(name)
        for subscription in subscriptions:
            # `==` and not `is`: a bound method is made anew each time it is looked up.
            if subscription.handler == handler:
                subscriptions.remove(subscription)
                return

    def stream(self, name: str) -> EventStream:
        """The payloads of the event `name` from now on.

        Raises:
            InvalidInput: there is no such event.
        """
        self._of(name)
        stream = EventStream(name)
        held = ref(stream)  # a stream that nobody holds any more listens no more

        def put(payload: object) -> None:
            stream = held()
            if stream is not None:
                stream._put(payload)

        off = self.on(name, put)
        stream._off = off
        finalize(stream, off).atexit = False
        self._streams.add(stream)
        return stream

    def end_streams(self) -> None:
        """No event will come any more."""
        for stream in list(self._streams):
            stream.close()

    def has(self, name: str) -> bool:
        """Whether anybody listens to `name`."""
        return bool(self._subscriptions[name])

    def emit(self, name: str, payload: object, *, when_done: Callable[[], None] | None = None) -> None:
        """Tell the handlers of `name`; `when_done` is called when the last of them has come to its end."""
        subscriptions = self._subscriptions[name]
        called = tuple(subscriptions)
        left = len(called) + 1

        def one_done() -> None:
            nonlocal left
            left -= 1
            if left == 0 and when_done is not None:
                when_done()

        for subscription in called:
            if subscription.once and subscription in subscriptions:
                subscriptions.remove(subscription)
            subscription.call(payload, one_done)
        one_done()

    def _of(self, name: str) -> list[_Subscription]:
        try:
            return self._subscriptions[name]
        except KeyError:
            raise InvalidInput(
                f"{self._owner} has no event {quoted(str(name))}.", f"Events: {', '.join(self._subscriptions)}."
            ) from None


class _Subscription:
    """One handler, with what it has not worked off yet."""

    def __init__(self, name: str, handler: Handler, once: bool, tasks: Tasks) -> None:
        self.name = name
        self.handler = handler
        self.once = once
        self._tasks = tasks
        self._waiting: deque[tuple[Awaitable[object], Callable[[], None]]] = deque()
        self._is_running = False

    def call(self, payload: object, done: Callable[[], None]) -> None:
        try:
            result = self.handler(payload)
        except Exception:
            self._log()
            done()
            return
        if not inspect.isawaitable(result):
            done()
            return
        self._waiting.append((result, done))
        if not self._is_running:
            self._is_running = True
            self._tasks.start(self._work_off(), f"handler of {self.name}")

    async def _work_off(self) -> None:
        try:
            while self._waiting:
                work, done = self._waiting.popleft()
                try:
                    await work
                except Exception:
                    self._log()
                done()
        finally:
            self._is_running = False
            for work, _ in self._waiting:
                if inspect.iscoroutine(work):
                    work.close()  # cancelled: it never begins

    def _log(self) -> None:
        log.exception("a handler of the event %r failed: %r", self.name, self.handler)


class EventStream:
    """The payloads of an event, from the moment it was made, for ``async for``.

    It ends when its owner does, and with `close`, which the end of a ``with`` block calls::

        with page.webmcp.events("toolinvoked") as calls:
            async for call in calls:
                print(call.tool.name)

    Payloads that nobody has taken yet are kept, the last `STREAM` of them.
    """

    def __init__(self, name: str) -> None:
        self._name = name
        self._kept: deque[Any] = deque()
        self._dropped = 0
        self._woken: asyncio.Event = asyncio.Event()
        self._is_closed = False
        self._off: Callable[[], None] = lambda: None

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> Any:
        while not self._kept:
            if self._is_closed:
                raise StopAsyncIteration
            self._woken.clear()
            await self._woken.wait()
        return self._kept.popleft()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Listen no more; what has come is still given out. Idempotent."""
        self._off()
        self._is_closed = True
        self._woken.set()

    def _put(self, payload: object) -> None:
        if len(self._kept) == STREAM:
            self._kept.popleft()
            self._dropped += 1
            if self._dropped == 1:
                log.warning("nobody takes the events %r from their stream: the oldest are dropped", self._name)
        self._kept.append(payload)
        self._woken.set()


class Expectation(Generic[V]):
    """Waits for something that the body of its ``async with`` causes.

    It listens from the moment the block is entered; leaving the block waits until it has happened::

        async with page.expect_event("console", timeout=5) as caught:
            await page.click("text=Log")
        print(caught.value.text)

    When the body raises, nothing is waited for. Leaving the block raises:

    * `DeadlineExceeded`: it did not happen within the time, which counts from entering;
    * `PageClosed`, `PageCrashed`: it can't happen any more;
    * what the predicate raised.

    Args:
        what: what is waited for, in words.
        timeout: seconds.
        connect: listens; gets what to call with the value, and with an error; returns the function that ends it.
        begin: awaited first.
        finish: awaited with the value before the block is left.
    """

    def __init__(
        self,
        what: str,
        timeout: float,
        connect: Callable[[Callable[[V], None], Callable[[BaseException], None]], Callable[[], None]],
        *,
        hint: str = "",
        begin: Callable[[], Awaitable[None]] | None = None,
        finish: Callable[[V], Awaitable[None]] | None = None,
    ) -> None:
        self._what = what
        self._timeout = timeout
        self._hint = hint
        self._connect = connect
        self._begin = begin
        self._finish = finish
        self._found: asyncio.Future[V] | None = None
        self._disconnect: Callable[[], None] = lambda: None
        self._end = 0.0

    @property
    def value(self) -> V:
        """What was waited for.

        Raises:
            InvalidInput: it has not come yet; it has when the block was left.
        """
        if self._found is None or not self._found.done() or self._found.cancelled():
            raise InvalidInput(f"{self._what} has not come yet.", "Leave the `async with` block first: that waits.")
        return self._found.result()

    async def __aenter__(self) -> Self:
        if self._begin is not None:
            await self._begin()
        loop = asyncio.get_running_loop()
        found: asyncio.Future[V] = loop.create_future()
        self._found = found
        self._end = loop.time() + self._timeout

        def happened(value: V) -> None:
            if not found.done():
                found.set_result(value)

        def failed(error: BaseException) -> None:
            if not found.done():
                found.set_exception(error)

        self._disconnect = self._connect(happened, failed)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        found = self._found
        assert found is not None
        try:
            if error is not None:
                return
            left = self._end - asyncio.get_running_loop().time()
            await asyncio.wait([found], timeout=max(left, 0))
            if not found.done():
                raise DeadlineExceeded(f"{self._what} did not come within {self._timeout:g} s.", self._hint)
            value = found.result()
            if self._finish is not None:
                await self._finish(value)
        finally:
            self._disconnect()
            if not found.done():
                found.cancel()
            elif not found.cancelled():
                found.exception()  # seen, also when the body's own error overtook it


def filtered(
    predicate: Callable[[T], bool] | None, happened: Callable[[T], None], failed: Callable[[BaseException], None]
) -> Callable[[T], bool]:
    """A listener that passes on what `predicate` accepts, and what it raises; it returns whether it took the value."""

    def listener(value: T) -> bool:
        try:
            wanted = predicate is None or bool(predicate(value))
        except Exception as error:
            failed(error)
            return False
        if wanted:
            happened(value)
        return wanted

    return listener
