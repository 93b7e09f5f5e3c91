"""Waiting for a page without ever waiting in vain."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from pagelens.cdp.session import Reply, Session
from pagelens.core.deadlines import COMMAND, DIALOG_GRACE, SNAPSHOT_SILENCE, patient
from pagelens.errors import CommandTimeout, PageCrashed, PagelensError, SessionClosed

if TYPE_CHECKING:
    from pagelens.browser.page import Page

__all__ = ["Guard"]

#: What a page that is throttled gets more of. Other times are a caller's own, or are waited in vain on purpose.
_USUAL = (COMMAND, SNAPSHOT_SILENCE)


class Guard:
    """Ends the waiting for a page's answers at once when a dialog, a crash or the page's end makes it vain."""

    def __init__(self, page: Page) -> None:
        self._page = page
        self._interrupts: set[asyncio.Future[PagelensError]] = set()
        self._listeners: list[Callable[[PagelensError], object]] = []

    def interrupt(self, error: PagelensError) -> None:
        """End all waiting with `error`."""
        for interrupt in self._interrupts:
            if not interrupt.done():
                interrupt.set_result(error)
        for listener in tuple(self._listeners):
            listener(error)
        self._page.loads.touch()

    def listen(self, listener: Callable[[PagelensError], object]) -> Callable[[], None]:
        """Tell `listener` of what ends the waiting, for what waits otherwise; returns the function that ends that."""
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener)

    async def wait(self, reply: Reply, timeout: float, session: Session | None) -> dict[str, Any]:
        """See `Page.guarded`."""
        page = self._page
        if timeout in _USUAL:
            timeout = patient(timeout, page.emulation.patience)
        if page.is_crashed and (session or page.session) is page.session:
            # Chrome keeps such commands for the page's next life, and answers none before.
            raise PageCrashed(page.crash_words())
        if page.held_by is not None and not reply.done:
            # Some commands are answered all the same: give them a moment.
            await _answer_or(reply, DIALOG_GRACE)
            if not reply.done:
                raise page.dialog_error()
        elif not reply.done:
            interrupt: asyncio.Future[PagelensError] = asyncio.get_running_loop().create_future()
            self._interrupts.add(interrupt)
            try:
                await _answer_or(reply, timeout, interrupt)
                if not reply.done and interrupt.done():
                    raise interrupt.result()
            finally:
                self._interrupts.discard(interrupt)
                interrupt.cancel()
        if not reply.done:
            if page.dialog is not None:
                raise page.dialog_error()  # whoever was to answer it took too long
            page.end_script(session)
            raise CommandTimeout(*_timeout_words(page, timeout))
        try:
            return reply.result()
        except SessionClosed as error:
            if page.closed is not None:
                raise page.closed_error() from error
            if page.is_crashed:
                raise PageCrashed(page.crash_words()) from error
            raise


async def _answer_or(reply: Reply, timeout: float, interrupt: asyncio.Future[PagelensError] | None = None) -> None:
    loop = asyncio.get_running_loop()
    done: asyncio.Future[None] = loop.create_future()

    def finish(*_: object) -> None:
        if not done.done():
            done.set_result(None)

    reply.on_done(finish)
    if interrupt is not None:
        interrupt.add_done_callback(finish)
    timer = loop.call_later(timeout, finish)
    try:
        await done
    finally:
        timer.cancel()


def _timeout_words(page: Page, timeout: float) -> tuple[str, str]:
    load = page.loads.of(page.main_frame.id)
    if load.is_under_way:
        return (
            f"The page did not answer within {timeout:g} s: it is navigating to "
            f"{page.printable(load.started_url)}, which has not answered yet.",
            "Try again later, or navigate elsewhere.",
        )
    return (
        f"The page did not answer within {timeout:g} s: its script was busy, so it was ended.",
        "The page may work again now; if it does not, reload it.",
    )
