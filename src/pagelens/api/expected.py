"""Blocks that wait for a page's events and navigations."""

from __future__ import annotations

import re
from collections.abc import Callable
from types import TracebackType
from typing import TYPE_CHECKING, Any

from pagelens.api.effects import NavigationResult, result_of
from pagelens.api.events import Expectation, filtered
from pagelens.browser.effect import Effect as EngineEffect
from pagelens.browser.navigation import await_navigation
from pagelens.errors import InvalidInput, PageCrashed

if TYPE_CHECKING:
    from typing import Self

    from pagelens.api.dialog import DialogDesk
    from pagelens.api.events import Emitter
    from pagelens.api.page import Page

__all__ = ["NavigationExpectation", "UrlPattern", "expect_event"]

#: Which address is meant: exactly this one, one that the pattern is found in, or one that the function accepts.
UrlPattern = str | re.Pattern[str] | Callable[[str], bool]


def expect_event(
    page: Page,
    events: Emitter,
    desk: DialogDesk,
    name: str,
    predicate: Callable[[Any], bool] | None,
    timeout: float,
) -> Expectation[Any]:
    """An expectation of one event of `page`."""
    engine = page._engine

    def connect(happened: Callable[[Any], None], failed: Callable[[BaseException], None]) -> Callable[[], None]:
        listener = filtered(predicate, happened, failed)
        disconnect = [desk.expect(listener) if name == "dialog" else events.on(name, listener)]
        if engine.closed is not None:
            failed(engine.closed_error())
        if name != "close":
            disconnect.append(engine.closed_signal.connect(lambda _: failed(engine.closed_error())))
            if name != "crash":
                disconnect.append(engine.crashed.connect(lambda _: failed(PageCrashed(engine.crash_words()))))

        def off() -> None:
            for end in disconnect:
                end()

        return off

    async def finish(value: Any) -> None:
        if name == "popup":
            await value._arrived(timeout)

    return Expectation(f"The event {name!r} of page {page.id}", timeout, connect, begin=engine.ready, finish=finish)


class NavigationExpectation:
    """Waits for a navigation of a page's main frame that the body of its ``async with`` begins.

    Leaving the block waits until the page is usable. It raises `DeadlineExceeded` when none came within the time,
    which counts from leaving; `NavigationFailed` when one came and failed; `PageClosed`, `PageCrashed` and
    `DialogOpen` when none can come. When the body raises, nothing is waited for.
    """

    def __init__(self, page: Page, url: UrlPattern | None, timeout: float) -> None:
        self._page = page
        self._url = url
        self._timeout = timeout
        self._effect = EngineEffect()
        self._mark = 0
        self._value: NavigationResult | None = None

    @property
    def value(self) -> NavigationResult:
        """How the navigation went.

        Raises:
            InvalidInput: it has not come yet; it has when the block was left.
        """
        if self._value is None:
            raise InvalidInput(
                "The navigation has not come yet.", "Leave the `async with` block first: that waits for it."
            )
        return self._value

    async def __aenter__(self) -> Self:
        engine = self._page._engine
        await engine.ready()
        self._mark = engine.loads.serial
        engine.watchers.append(self._effect)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        engine = self._page._engine
        try:
            if error is None:
                result = await await_navigation(engine, self._effect, self._mark, self._timeout, self._wanted)
                self._value = result_of(self._page, result)
        finally:
            engine.watchers.remove(self._effect)

    def _wanted(self, url: str) -> bool:
        if self._url is None:
            return True
        if isinstance(self._url, str):
            return self._url == url
        if isinstance(self._url, re.Pattern):
            return self._url.search(url) is not None
        return self._url(url)
