"""JavaScript dialogs, and who answers them."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import TYPE_CHECKING

from pagelens.browser.dialogs import Dialog as EngineDialog
from pagelens.browser.dialogs import DialogType
from pagelens.errors import ConnectionLost, NoDialog, PageClosed, ProtocolError

if TYPE_CHECKING:
    from pagelens.api.events import Emitter
    from pagelens.api.page import Page
    from pagelens.api.tasks import Tasks

__all__ = ["Dialog", "DialogDesk"]

log = logging.getLogger(__name__)


class Dialog:
    """An alert, confirm, prompt or beforeunload dialog. It holds its page until it is answered."""

    def __init__(self, page: Page, dialog: EngineDialog) -> None:
        self._page = page
        self._dialog = dialog

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Dialog) and other._dialog is self._dialog

    def __hash__(self) -> int:
        return hash(self._dialog)

    def __repr__(self) -> str:
        return f"<Dialog {self._dialog.words()}{f' {self.outcome}' if self.outcome else ''}>"

    @property
    def page(self) -> Page:
        """The page that it holds."""
        return self._page

    @property
    def type(self) -> DialogType:
        """``alert``, ``confirm``, ``prompt`` or ``beforeunload``."""
        return self._dialog.type

    @property
    def message(self) -> str:
        """The page's text; empty for ``beforeunload``."""
        return self._dialog.message

    @property
    def default_value(self) -> str:
        """What a prompt proposes."""
        return self._dialog.default_value

    @property
    def url(self) -> str:
        """The document that opened it."""
        return self._dialog.url

    @property
    def outcome(self) -> str | None:
        """``accepted``, ``dismissed``, or ``gone`` with its document; None while it is open."""
        return self._dialog.outcome

    async def accept(self, text: str | None = None) -> None:
        """Answer OK; for a prompt with `text`, or with what it proposes when None.

        Raises:
            NoDialog: it is no longer open.
        """
        await self._answer(True, text)

    async def dismiss(self) -> None:
        """Answer Cancel (for an alert the same as OK, for a ``beforeunload``: stay on the page).

        Raises:
            NoDialog: it is no longer open.
        """
        await self._answer(False, None)

    async def _answer(self, accept: bool, text: str | None) -> None:
        engine = self._page._engine
        if engine.dialog is not self._dialog:
            raise NoDialog(f"The {self.type} is no longer open ({self.outcome}).", "Nothing needs to be handled.")
        await engine.handle_dialog(accept, text)


class DialogDesk:
    """Decides at once what happens with each dialog of a page.

    Somebody waits for it with ``expect_dialog``: it stays open, and calls that it holds up end. Else there are
    handlers of ``dialog``: calls wait until these have answered; when the last handler has ended without an answer,
    the dialog holds the page as before. Else nobody is there: it is dismissed, with a line in the log (``beforeunload``
    is accepted: the page is left).
    """

    def __init__(self, page: Page, events: Emitter, tasks: Tasks) -> None:
        self._page = page
        self._events = events
        self._tasks = tasks
        self._expecting: list[Callable[[Dialog], bool]] = []
        page._engine.dialog_opened.connect(self._opened)
        if page._engine.dialog is not None:
            # It was there before us; whoever opened the page has not seen to it.
            self._opened(page._engine.dialog)

    def expect(self, listener: Callable[[Dialog], bool]) -> Callable[[], None]:
        """Leave dialogs open that `listener` takes (returns True for), until the returned function is called."""
        self._expecting.append(listener)
        return lambda: self._expecting.remove(listener)

    def _opened(self, opened: EngineDialog) -> None:
        dialog = Dialog(self._page, opened)
        if any([listener(dialog) for listener in self._expecting]):  # noqa: C419 (each is told)
            self._events.emit("dialog", dialog)
            return
        opened.is_attended = True
        if self._events.has("dialog"):
            self._events.emit("dialog", dialog, when_done=lambda: self._page._engine.dialogs.leave(opened))
            return
        accept = opened.type == "beforeunload"
        log.info("%s %s on %s: no handler", "accepted" if accept else "dismissed", opened.words(), self._page)
        self._tasks.start(self._answer(dialog, accept), "unhandled dialog")

    @staticmethod
    async def _answer(dialog: Dialog, accept: bool) -> None:
        try:
            await (dialog.accept() if accept else dialog.dismiss())
        except (NoDialog, PageClosed, ConnectionLost):
            pass  # it went away by itself
        except ProtocolError as error:
            log.warning("the dialog %r could not be answered: %s", dialog, error)
