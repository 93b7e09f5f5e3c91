"""The frames of a page, kept true by its events."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from pagelens.browser.frame import Frame
from pagelens.cdp.session import Reply, Session

if TYPE_CHECKING:
    from pagelens.browser.page import Page

__all__ = ["Navigated", "NavigatedKind", "PageFrames"]

NavigatedKind = Literal["document", "same_document", "bfcache", "error"]


@dataclass(frozen=True)
class Navigated:
    """A frame shows something else: a new document, or another place in the same one."""

    frame: Frame
    url: str
    loader_id: str
    kind: NavigatedKind

    @property
    def is_main(self) -> bool:
        """Whether it was the page's main frame."""
        return self.frame.is_main


class PageFrames:
    """Follows which frames there are, what they show and in which session, and their execution contexts.

    Attributes:
        main: the page's main frame.
        by_id: every live frame.
    """

    def __init__(self, page: Page, target_id: str, session: Session) -> None:
        self._page = page
        self.main = Frame(page, target_id, None, session)
        self.by_id: dict[str, Frame] = {self.main.id: self.main}

    def listen(self, session: Session) -> None:
        """Subscribe to a session of the page that has documents."""
        on = session.on
        on("Page.frameAttached", lambda p: self.get(p["frameId"], p["parentFrameId"], session))
        on("Page.frameDetached", self._frame_detached)
        on("Page.frameNavigated", lambda p: self._frame_told(session, p))
        on("Page.navigatedWithinDocument", self._moved_within)
        on("Runtime.executionContextCreated", self._context_created)
        on("Runtime.executionContextDestroyed", lambda p: self._context_destroyed(session, p["executionContextId"]))
        on("Runtime.executionContextsCleared", lambda _: self._contexts_cleared(session))

    def get(self, frame_id: str, parent_id: str | None, session: Session) -> Frame:
        """The frame of this id, made when it is new."""
        frame = self.by_id.get(frame_id)
        if frame is None:
            parent = self.by_id.get(parent_id or "", self.main)
            frame = self.by_id[frame_id] = Frame(self._page, frame_id, parent, session)
        return frame

    def merge(self, reply: Reply, session: Session) -> None:
        """Take in the frames of an answered ``Page.getFrameTree``."""
        if reply.failed:
            return

        def take(tree: dict[str, Any]) -> None:
            described = tree["frame"]
            frame = self.get(described["id"], described.get("parentId"), session)
            if frame.told_by is session and frame.loader_id != described["loaderId"]:
                return  # the answer of a document that is gone, come after the event of the one that replaced it
            if not frame.url:
                frame.url = described["url"] + described.get("urlFragment", "")
                frame.name = described.get("name", "")
                frame.loader_id = described["loaderId"]
                frame.secure_context = described.get("secureContextType", "")
            load = self._page.loads.of(frame.id)
            begun = load.started_at > load.committed_at and load.started_loader == described["loaderId"]
            if begun or frame.loader_id not in ("", described["loaderId"]):
                # A document that came while the page was being initialised, too early for its event to be heard.
                self._frame_navigated(session, {"frame": described})
            load.loader_id = load.loader_id or described["loaderId"]
            for child in tree.get("childFrames", []):
                take(child)

        take(reply.result()["frameTree"])

    def _frame_detached(self, p: dict[str, Any]) -> None:
        frame = self.by_id.get(p["frameId"])
        if frame is not None and p.get("reason") != "swap" and not frame.is_main:
            self.remove(frame)

    def remove(self, frame: Frame) -> None:
        """A frame left the page, with all below it."""
        for gone in frame._detach():
            self.by_id.pop(gone.id, None)
            self._page.loads.frame_gone(gone.id)
            self._page.frame_detached.emit(gone)

    def _frame_told(self, session: Session, p: dict[str, Any]) -> None:
        self._frame_navigated(session, p)
        self.by_id[p["frame"]["id"]].told_by = session

    def _frame_navigated(self, session: Session, p: dict[str, Any]) -> None:
        described = p["frame"]
        if described.get("parentId") is None and described["id"] != self.main.id and session is self._page.session:
            # The main frame was exchanged for one that had been prepared elsewhere (prerendering).
            self.by_id.pop(self.main.id, None)
            self.main.id = described["id"]
            self.by_id[described["id"]] = self.main
        frame = self.get(described["id"], described.get("parentId"), session)
        frame.session = session
        frame.is_crashed = False
        for child in list(frame.children):
            self.remove(child)
        is_restore = p.get("type") == "BackForwardCacheRestore"
        kind: NavigatedKind = "bfcache" if is_restore else "error" if described.get("unreachableUrl") else "document"
        # A new page that gets the address it was opened for is no news.
        is_news = frame.url not in ("", "about:blank")
        frame.url = (described.get("unreachableUrl") or described["url"]) + described.get("urlFragment", "")
        frame.name = described.get("name", "")
        frame.loader_id = described["loaderId"]
        frame.secure_context = described.get("secureContextType", "")
        if frame.is_main:
            self._page.is_crashed = False
            self._page.dialogs.document_gone(session)
        if is_restore:
            # Its frames come back without being announced.
            tree = session.post("Page.getFrameTree")
            tree.on_done(lambda: self.merge(tree, session))
        self._page.loads.navigated(frame.id, frame.loader_id, kind)
        self._page.tell_navigated(Navigated(frame, frame.url, frame.loader_id, kind), is_news=is_news)

    def _moved_within(self, p: dict[str, Any]) -> None:
        frame = self.by_id.get(p["frameId"])
        if frame is not None:
            frame.url = p["url"]
            self._page.loads.moved_within(frame.id, frame.url)
            self._page.tell_navigated(Navigated(frame, frame.url, frame.loader_id, "same_document"), is_news=False)

    def _context_created(self, p: dict[str, Any]) -> None:
        context = p["context"]
        frame = self.by_id.get(context.get("auxData", {}).get("frameId", ""))
        if frame is not None:
            frame._context_created(context)

    def _context_destroyed(self, session: Session, context_id: int) -> None:
        for frame in self.by_id.values():
            if frame.session is session:
                frame._context_destroyed(context_id)

    def _contexts_cleared(self, session: Session) -> None:
        for frame in self.by_id.values():
            if frame.session is session:
                frame._contexts_cleared()

    def session_crashed(self, session: Session) -> None:
        """The process of frames outside the page's own died."""
        session.fail(lambda _: Frame.crash_error())
        for frame in self.by_id.values():
            if frame.session is session:
                frame.is_crashed = True
                frame._contexts_cleared()

    def session_closed(self, session: Session) -> None:
        """A frame moved back into its parent's process, if it has not been given that session already."""
        for frame in self.by_id.values():
            if frame.session is session and frame.parent is not None:
                frame.session = frame.parent.session
                frame._contexts_cleared()

    def renderer_gone(self) -> None:
        """No document of the page is there any more."""
        for frame in self.by_id.values():
            frame.told_by = None
            frame._contexts_cleared()

    def forget_documents(self) -> None:
        """Nothing is known any more, but that there is a main frame."""
        for child in list(self.main.children):
            self.remove(child)
        self.main.url = self.main.loader_id = ""
