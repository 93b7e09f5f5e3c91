"""One call of a tool, from before it is sent until it has ended."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from pagelens.browser.webmcp.model import CallStatus, WebMCPToolCall, WebMCPToolCallResult
from pagelens.errors import DialogOpen

if TYPE_CHECKING:
    from pagelens.browser.webmcp.tool import WebMCPTool

__all__ = ["Invocation"]


class Invocation:
    """A call of a tool: one of ours, or one that was seen because the page or another program made it.

    Made by `WebMCPTool.begin`. It goes on whether anybody waits for it or not.

    Attributes:
        tool: what is called.
        input: what it gets.
        call: what was called, once Chrome has given it an id.
        result: how it ended; None while it has not.
        is_waiting: a call of a form that waits for its turn; nothing has been sent.
        is_leaving: the form was submitted, and the submission loads another document: Chrome answers with what that
            one says.
    """

    def __init__(self, tool: WebMCPTool, input: dict[str, Any], call: WebMCPToolCall | None = None) -> None:
        self.tool = tool
        self.input = input
        self.call = call
        self.result: WebMCPToolCallResult | None = None
        self.is_waiting = False
        self.is_leaving = False
        self._is_ours = call is None
        self._announced = False
        self._doom = ""  # why its document was gone before it had an id
        self._left_by = ""  # the loader that the form's submission began
        self._verdict: tuple[CallStatus, str] | None = None
        self._callbacks: list[Callable[[], object]] = []

    def __repr__(self) -> str:
        state = self.result.status if self.result else "waiting" if self.is_waiting else "pending"
        return f"<Invocation of {self.tool.name[:60]!r} {state}>"

    @property
    def id(self) -> str | None:
        """Chrome's id of it, None before that is known."""
        return None if self.call is None else self.call.id

    @property
    def done(self) -> bool:
        """Whether it has ended."""
        return self.result is not None

    def on_done(self, callback: Callable[[], object]) -> Callable[[], None]:
        """Call back when it has ended (at once when it has); returns the function that ends that."""
        if self.result is not None:
            callback()
            return lambda: None
        self._callbacks.append(callback)

        def off() -> None:
            if callback in self._callbacks:
                self._callbacks.remove(callback)

        return off

    def cancel(self, status: CallStatus = "Canceled", text: str = "The call was cancelled.") -> None:
        """Cancel it in the page, as far as that can be done, and see to it that it ends soon. Returns at once.

        Args:
            status, text: how it ends when the page has not ended it otherwise meanwhile.
        """
        if self.result is None and self._verdict is None:
            self._verdict = (status, text)
            self.tool.registry.traffic.cancel(self)

    async def ended(self, timeout: float, cancel: asyncio.Event | None = None) -> WebMCPToolCallResult | None:
        """Wait for the end; None when it does not come in time, when `cancel` is set, or when a dialog holds the page.

        Nothing is cancelled, also when the waiting is.
        """
        if self.result is not None:
            return self.result
        loop = asyncio.get_running_loop()
        woken: asyncio.Future[None] = loop.create_future()

        def wake(*_: object) -> None:
            if not woken.done():
                woken.set_result(None)

        forget = self.on_done(wake)
        timer = loop.call_later(timeout, wake)
        watcher = None if cancel is None else asyncio.ensure_future(cancel.wait())
        if watcher is not None:
            watcher.add_done_callback(wake)
        # A crash or the page's end ends the call itself: of what interrupts, only dialogs concern it.
        stop = self.tool.registry.page.guard.listen(lambda error: wake() if isinstance(error, DialogOpen) else None)
        try:
            await woken
        finally:
            stop()
            timer.cancel()
            forget()
            if watcher is not None:
                watcher.cancel()
        return self.result

    async def outcome(self, timeout: float, cancel: asyncio.Event | None = None) -> WebMCPToolCallResult:
        """Wait for the end, and make it end: at the latest soon after `timeout` seconds.

        A dialog that holds the page ends the waiting with status Error, and the call goes on: somebody has to answer
        the dialog first.

        Raises:
            CancelledError: the task was cancelled; so is the call.
        """
        page = self.tool.registry.page
        try:
            result = await self.ended(timeout, cancel)
        except asyncio.CancelledError:
            self.cancel()
            raise
        if result is not None:
            return result
        if cancel is not None and cancel.is_set():
            self.cancel()
        elif page.held_by is not None:
            words = f"A dialog holds the page: {page.held_by.words()}. Answer it, and the call goes on."
            return WebMCPToolCallResult(self.id, self.call, "Error", None, words)
        else:
            text = f"timed out after {timeout:g} s"
            if page.dialog is not None:
                text += f", while a dialog was open: {page.dialog.words()}"
            self.cancel("Error", text)
        # Bounded: the registry ends what is cancelled.
        if self.result is None:
            over: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            forget = self.on_done(lambda: None if over.done() else over.set_result(None))
            try:
                await over
            finally:
                forget()
        assert self.result is not None
        return self.result

    # -- for the registry ----------------------------------------------------------------------------

    def _end(self, result: WebMCPToolCallResult) -> None:
        """It has ended; the first end counts."""
        if self.result is not None:
            return
        self.result = result
        callbacks, self._callbacks = self._callbacks, []
        for callback in callbacks:
            callback()
