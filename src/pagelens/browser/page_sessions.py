"""The sessions of a page: its own, those of frames in other processes, and workers'."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from pagelens.cdp.session import Reply, Session
from pagelens.errors import PageCrashed, PagelensError

if TYPE_CHECKING:
    from pagelens.browser.page import Page

__all__ = ["NETWORK_ENABLE", "AttachedSession", "PageSessions", "run_when_ready", "when_all"]

log = logging.getLogger(__name__)

#: Response bodies stay in Chrome, across navigations, up to these many bytes in all and for one resource.
BODY_BUFFER = 128 * 1024 * 1024
BODY_LIMIT = 64 * 1024 * 1024
NETWORK_ENABLE: tuple[str, dict[str, Any]] = (
    "Network.enable",
    {"enableDurableMessages": True, "maxTotalBufferSize": BODY_BUFFER, "maxResourceBufferSize": BODY_LIMIT},
)

#: Commands that are not written to a document before it is known to answer, by how they begin.
_NOT_WHEN_HELD = "Emulation."

_CACHE_OFF: tuple[str, dict[str, Any]] = ("Network.setCacheDisabled", {"cacheDisabled": True})

SessionKind = Literal["page", "iframe", "worker"]


@dataclass(eq=False)
class AttachedSession:
    """A session that is about to start: the page's own, a frame in another process, or a worker.

    Listeners subscribe to `session` and add commands to `init`; all of it is written before the target
    runs its first script.

    Attributes:
        frame_id: the frame, None for workers.
        url: what the target shows or runs, as far as it is known; often empty at this moment.
        ready: commands that must be accepted before the target may run, one after the other. For workers only: a page
            is not let loose before it has answered anyway.
        was_running: it ran before it was attached to: Chrome repeats what was said in it so far.
        answered: called when all of `init` has been answered, but for what a document that was there gets later.
    """

    session: Session
    kind: SessionKind
    frame_id: str | None
    url: str
    init: list[tuple[str, dict[str, Any]]] = field(default_factory=list)
    ready: list[tuple[str, dict[str, Any]]] = field(default_factory=list)
    was_running: bool = False
    answered: list[Callable[[], object]] = field(default_factory=list)


def run_when_ready(session: Session, commands: list[tuple[str, dict[str, Any]]]) -> None:
    """Write one command after the other, each when the former has been answered, then let the target run.

    When one is refused the target stays paused: it must not run without.
    """
    if not commands:
        session.post("Runtime.runIfWaitingForDebugger")
        return
    (method, params), *rest = commands
    reply = session.post(method, params)

    def answered() -> None:
        if session.closed is not None:
            return
        try:
            reply.result()
        except PagelensError as error:
            log.error("%r is not let run: %s", session, error)
        else:
            run_when_ready(session, rest)

    reply.on_done(answered)


def when_all(replies: Sequence[Reply], callbacks: Sequence[Callable[[], object]]) -> None:
    """Call back once every one of the commands has been answered, or has failed.

    The last to be written need not be the last to be answered: some domains live in Chrome's browser process.
    """
    left = len(replies)

    def one_done() -> None:
        nonlocal left
        left -= 1
        if left == 0:
            for callback in callbacks:
                callback()

    for reply in replies if callbacks else ():
        reply.on_done(one_done)


class PageSessions:
    """Attaches to all that runs in a page, each before its first script."""

    def __init__(self, page: Page) -> None:
        self._page = page
        self._by_id: dict[str, AttachedSession] = {}
        self._bypassing = 0
        self._own_init: list[tuple[str, dict[str, Any]]] = []
        self._own_answered: list[Callable[[], object]] = []

    def attach(self, attached: AttachedSession) -> None:
        """Write the initialisation of a session; only then does its target run."""
        page = self._page
        session = attached.session
        self._by_id[session.id] = attached
        session.on("Target.attachedToTarget", self._child_attached)
        session.on("Target.detachedFromTarget", self._child_detached)
        init: list[tuple[str, dict[str, Any]]] = [("Runtime.enable", {})]
        if attached.kind == "worker":
            page.loads.listen_network(session)
        else:
            self._listen_document(session)
            init += [
                ("Page.enable", {}),
                ("Inspector.enable", {}),
                ("Page.setLifecycleEventsEnabled", {"enabled": True}),
                # A hidden page behaves as if it were in front: its frames are drawn and its input works.
                ("Emulation.setFocusEmulationEnabled", {"enabled": True}),
            ]
        init += [
            NETWORK_ENABLE,
            ("Target.setAutoAttach", page.host.auto_attach(root=False)),
        ]
        if self._bypassing:
            init.append(_CACHE_OFF)
        page.session_attached.emit(attached)
        page.requests.attached(attached)
        init += attached.init
        # Chromium crashes where a page that a dialog holds is navigated while one of these waits for the dialog's end.
        late = [command for command in init if attached.was_running and command[0].startswith(_NOT_WHEN_HELD)]
        # Written without awaiting: a paused target answers nothing until the last of these lets it run.
        replies = [session.post(method, params) for method, params in init if (method, params) not in late]
        when_all(replies, attached.answered)
        if late:
            replies[0].on_done(lambda: self._write_late(attached, late))
        if attached.ready:
            run_when_ready(session, attached.ready)
        else:
            replies.append(session.post("Runtime.runIfWaitingForDebugger"))
        if attached.kind == "page":
            self._own_init = init
            self._own_answered = attached.answered
            replies.append(self._read_tree())
        for reply in replies:
            reply.on_done(lambda reply=reply: self._init_answered(reply, attached))  # type: ignore[misc]
        if attached.kind == "page":
            replies[-1].on_done(page.initialised)

    def _write_late(self, attached: AttachedSession, commands: list[tuple[str, dict[str, Any]]]) -> None:
        if attached.session.closed is not None:
            return
        for method, params in commands:
            reply = attached.session.post(method, params)
            reply.on_done(lambda reply=reply: self._init_answered(reply, attached))  # type: ignore[misc]

    def introduce(self, listener: Callable[[AttachedSession], None]) -> None:
        """Show a listener that comes late each session there is; what it asks for is written now."""
        for known in list(self._by_id.values()):
            attached = AttachedSession(known.session, known.kind, known.frame_id, known.url)
            listener(attached)
            for method, params in [*attached.init, *attached.ready]:
                attached.session.post(method, params)

    def bypass_cache(self) -> Callable[[], None]:
        """Let nothing that runs in the page use the browser's cache until the function that is returned is called.

        Chrome keeps this by session: a frame in another process would go on using it.
        """
        self._bypassing += 1
        self._post_to_all(*_CACHE_OFF)
        is_over = False

        def use_it_again() -> None:
            nonlocal is_over
            if is_over:
                return
            is_over = True
            self._bypassing -= 1
            if not self._bypassing:
                self._post_to_all("Network.setCacheDisabled", {"cacheDisabled": False})

        return use_it_again

    def _post_to_all(self, method: str, params: dict[str, Any]) -> None:
        for attached in self._by_id.values():
            if attached.session.closed is None:
                attached.session.post(method, params)

    def repeat(self) -> None:
        """Write the page's own initialisation once more: what was written to a page without a process is lost."""
        for method, params in self._own_init:
            self._page.session.post(method, params)
        for callback in self._own_answered:
            callback()  # the answers are lost as well
        self._read_tree()

    def _read_tree(self) -> Reply:
        page, session = self._page, self._page.session
        tree = session.post("Page.getFrameTree")
        tree.on_done(lambda: page.tree.merge(tree, session))
        return tree

    def _init_answered(self, reply: Reply, attached: AttachedSession) -> None:
        if reply.failed and attached.session.closed is None and self._page.closed is None and not self._page.is_crashed:
            try:
                reply.result()
            except PageCrashed:
                pass  # the page tells
            except PagelensError as error:
                # Workers lack some domains; anything else would blind us, so it must be seen.
                level = logging.DEBUG if attached.kind == "worker" else logging.WARNING
                log.log(level, "initialising %s of page %d: %s", attached.kind, self._page.id, error)

    def _child_attached(self, p: dict[str, Any]) -> None:
        info = p["targetInfo"]
        kind = info["type"]
        was_running = not p["waitingForDebugger"]
        session = self._page.session.connection.open_session(
            p["sessionId"], target_id=info["targetId"], target_type=kind
        )
        if kind == "iframe":
            frame = self._page.tree.get(info["targetId"], info.get("parentFrameId"), session)
            frame.session = session
            if was_running and not frame.url:
                frame.url = info["url"]  # its navigation was before us, and the page's own tree leaves it out
            frame._contexts_cleared()
            self.attach(AttachedSession(session, "iframe", frame.id, info["url"], was_running=was_running))
        elif kind in ("worker", "shared_worker", "worklet", "audio_worklet"):
            self.attach(AttachedSession(session, "worker", None, info["url"], was_running=was_running))
        elif kind == "service_worker":
            self._page.host.rules.start_worker(session)
        else:
            session.post("Runtime.runIfWaitingForDebugger")

    def _child_detached(self, p: dict[str, Any]) -> None:
        attached = self._by_id.pop(p["sessionId"], None)
        self._page.session.connection.close_session(p["sessionId"], "its target was closed")
        if attached is not None:
            self._page.tree.session_closed(attached.session)

    def forget(self) -> None:
        """The connection is lost: none of them exists any more."""
        self._by_id.clear()

    def _listen_document(self, session: Session) -> None:
        page = self._page
        page.tree.listen(session)
        page.dialogs.listen(session)
        page.news.listen(session)
        page.loads.listen(session)
        session.on("Inspector.targetCrashed", lambda _: page.session_crashed(session))
        session.on("Inspector.targetReloadedAfterCrash", lambda _: page.revived())
