"""The dialogs of a page: noted, answered, and what is to be said of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from pagelens.browser.dialogs import Dialog
from pagelens.cdp.session import Session
from pagelens.errors import DialogOpen, NoDialog, ProtocolError, SessionClosed

if TYPE_CHECKING:
    from pagelens.browser.page import Page

__all__ = ["BeforeUnload", "PageDialogs"]

BeforeUnload = Literal["accept", "dismiss"]


class PageDialogs:
    """Follows the dialogs of one page. At most one is open at a time.

    Attributes:
        open: the dialog that is open now.
        before_unload: what to answer a ``beforeunload`` dialog while a navigation is ordered, None otherwise.
        stayed: whether the last ordered navigation was refused by such a dialog.
        is_asking_to_stay: whether such a dialog has been answered and is about to close.
    """

    def __init__(self, page: Page) -> None:
        self._page = page
        self.open: Dialog | None = None
        self.before_unload: BeforeUnload | None = None
        self.stayed = False
        self.is_asking_to_stay = False

    @property
    def holding(self) -> Dialog | None:
        """The open dialog, unless somebody is about to answer it."""
        return None if self.open is None or self.open.is_attended else self.open

    def error(self) -> DialogOpen:
        """The error for a command that can't be answered while a dialog is open."""
        words = self.open.words() if self.open else "a dialog"
        return DialogOpen(
            f"Page {self._page.id} is held by an open dialog: {words}.", "Call handle_dialog to accept or dismiss it."
        )

    def leave(self, dialog: Dialog) -> None:
        """Who was about to answer `dialog` has not done so: if it is still open, it holds the page from now on."""
        dialog.is_attended = False
        if self.open is dialog:
            self._page.guard.interrupt(self.error())

    async def handle(self, accept: bool, text: str | None = None) -> Dialog:
        """Accept or dismiss the open dialog.

        Args:
            text: what to enter into a prompt before accepting; its default value when None.

        Raises:
            NoDialog: none is open.
        """
        dialog = self.open
        if dialog is None:
            raise NoDialog(f"Page {self._page.id} has no open dialog.", "Nothing needs to be handled.")
        params: dict[str, Any] = {"accept": accept}
        if accept and dialog.type == "prompt":
            params["promptText"] = dialog.default_value if text is None else text
        try:
            await dialog.session.send("Page.handleJavaScriptDialog", params)
        except ProtocolError as error:
            if "No dialog is showing" not in error.protocol_message and not isinstance(error, SessionClosed):
                raise
            self.over(dialog, "gone")
            raise NoDialog("The dialog had already been closed.", "Nothing needs to be handled.") from error
        # The event that closes it follows the reply; whoever comes next must not meet a closed dialog.
        self.over(dialog, "accepted" if accept else "dismissed")
        return dialog

    def document_gone(self, session: Session | None = None) -> None:
        """The document that opened the dialog went away; any document of the page when `session` is None."""
        if self.open is not None and session in (None, self.open.session):
            self.over(self.open, "gone")

    def listen(self, session: Session) -> None:
        """Subscribe to a session of the page that has documents."""
        session.on("Page.javascriptDialogOpening", lambda p: self._opening(session, p))
        session.on("Page.javascriptDialogClosed", self._closed)

    def _opening(self, session: Session, p: dict[str, Any]) -> None:
        dialog = Dialog(p["type"], p["message"], p.get("defaultPrompt", ""), p["url"], session)
        if dialog.type == "beforeunload" and self.before_unload is not None:
            accept = self.before_unload == "accept"
            self.stayed = not accept
            self.is_asking_to_stay = True
            self._page.loads.touch()
            session.post("Page.handleJavaScriptDialog", {"accept": accept})
            return
        self.open = dialog
        self._page.dialog_opened.emit(dialog)
        for effect in self._page.watchers:
            effect.dialog = dialog
        if not dialog.is_attended:
            self._page.guard.interrupt(self.error())

    def _closed(self, p: dict[str, Any]) -> None:
        if self.is_asking_to_stay:
            self.is_asking_to_stay = False
            self._page.loads.touch()
        if self.open is not None:
            self.over(self.open, "accepted" if p["result"] else "dismissed")

    def over(self, dialog: Dialog, outcome: str) -> None:
        """A dialog is closed; says so once."""
        if dialog.outcome is not None:
            return
        dialog.close(outcome)
        if self.open is dialog:
            self.open = None
        self._page.dialog_closed.emit(dialog)
        self._page.loads.touch()
