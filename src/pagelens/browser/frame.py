"""A frame: one document at a time, in the page's own process or another one."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from pagelens.browser.uids import GIVE_UIDS, DocumentKey
from pagelens.browser.world import OURS, JsFunction, World
from pagelens.cdp.session import Reply, Session
from pagelens.core.deadlines import COMMAND
from pagelens.errors import DocumentReplaced, FrameGone, InternalError, PageCrashed, ProtocolError, SessionClosed

if TYPE_CHECKING:
    from pagelens.browser.page import Page

__all__ = ["Frame"]

#: What Chrome says when the document of a command went away while it ran.
_DOCUMENT_WENT = (
    "Cannot find context with specified id",
    "Execution context was destroyed",
    "Inspected target navigated or closed",
    "Not attached to an active page",
    "Cannot find default execution context",
    "uniqueContextId not found",
)


class Frame:
    """One frame of a page. Frames come and go with their elements; a frame's document with navigations.

    Attributes:
        id: Chrome's frame id; for a frame in a process of its own it is the target id too.
        page: the page it belongs to.
        parent: the frame that holds it, None for the main frame.
        children: frames inside it, in the order they appeared.
        session: where commands for this frame go. It changes when the frame moves to another process.
        url: the document's address, with its fragment.
        name: the frame element's name at the time of the last navigation.
        loader_id: identifies the document; another one after each navigation.
        secure_context: Chrome's word for whether the document is a secure context (``Secure``, ``SecureLocalhost``,
            ``InsecureScheme``, ``InsecureAncestor``); empty while that is not known.
        main_context: execution context id of the document's own world, None between documents.
        is_detached: whether it has left the page for good.
        is_crashed: whether its process died; only a navigation of the frame or the page brings it back.
        told_by: the session whose event told of the document that is there; None as long as only an answer did.
    """

    def __init__(self, page: Page, frame_id: str, parent: Frame | None, session: Session) -> None:
        self.id = frame_id
        self.page = page
        self.parent = parent
        self.children: list[Frame] = []
        self.session = session
        self.url = ""
        self.name = ""
        self.loader_id = ""
        self.secure_context = ""
        self.main_context: int | None = None
        self.is_detached = False
        self.is_crashed = False
        self.told_by: Session | None = None
        self._world: World | None = None
        if parent is not None:
            parent.children.append(self)

    def __repr__(self) -> str:
        return f"<Frame {self.id[:8]} {self.url[:80]}>"

    @property
    def is_main(self) -> bool:
        """Whether this is the page's main frame."""
        return self.parent is None

    @property
    def is_out_of_process(self) -> bool:
        """Whether it lives in another process than its parent: it has a session of its own."""
        return self.parent is not None and self.session is not self.parent.session

    @property
    def document_key(self) -> DocumentKey:
        """Identifies the current document, for uids."""
        return DocumentKey(self.page.id, self.id, self.loader_id)

    def subtree(self) -> list[Frame]:
        """This frame and all below it, parents first."""
        return [self, *(f for child in self.children for f in child.subtree())]

    # -- our page-side functions ---------------------------------------------------------------------

    async def isolated_context(self) -> int:
        """The execution context id of our isolated world, made on first use."""
        return (await self._isolated_world()).context_id

    async def call(self, function: JsFunction, *args: Any, timeout: float = COMMAND) -> Any:
        """Run one of our page-side functions in our isolated world.

        Args:
            function: what to run.
            args: JSON-like values.
            timeout: seconds; then the script is ended in the page.

        Returns:
            What it returned (a promise is awaited), as a JSON-like value. Let large results be one string.

        Raises:
            DocumentReplaced: the document went away while it ran, or the frame did (`FrameGone`).
            DialogOpen, PageCrashed, PageClosed, CommandTimeout: see `Page.guarded`.
            InternalError: our own function threw; a fault of ours.
        """
        result = await self._call(function, [{"value": arg} for arg in args], by_value=True, timeout=timeout)
        return result.get("value")

    async def call_on(self, function: JsFunction, object_id: str, *args: Any, timeout: float = COMMAND) -> Any:
        """Like `call`, with the node `object_id` (of our isolated world) as the first argument."""
        arguments = [{"objectId": object_id}, *({"value": arg} for arg in args)]
        result = await self._call(function, arguments, by_value=True, timeout=timeout)
        return result.get("value")

    async def call_on_all(self, function: JsFunction, object_ids: Iterable[str], *, timeout: float = COMMAND) -> Any:
        """Like `call`, with several nodes of our isolated world as the arguments."""
        arguments = [{"objectId": object_id} for object_id in object_ids]
        result = await self._call(function, arguments, by_value=True, timeout=timeout)
        return result.get("value")

    async def call_for_object(self, function: JsFunction, *args: Any, timeout: float = COMMAND) -> str | None:
        """Like `call`, but the result stays in the page: returns its remote object id, None for null."""
        result = await self._call(function, [{"value": arg} for arg in args], by_value=False, timeout=timeout)
        return result.get("objectId")

    async def call_on_for_object(self, function: JsFunction, object_id: str, *, timeout: float = COMMAND) -> str | None:
        """Like `call_on`, but the result stays in the page: returns its remote object id, None for null."""
        result = await self._call(function, [{"objectId": object_id}], by_value=False, timeout=timeout)
        return result.get("objectId")

    async def give_uids(self, count: int) -> None:
        """Hand `count` more unused uids to the document's registry (``lib.uids``)."""
        numbers = self.page.host.uids.reserve(count, self.document_key)
        await self.call(GIVE_UIDS, numbers.start, numbers.stop - 1)

    def post_call(self, function: JsFunction, *args: Any) -> Reply | None:
        """Order a call without waiting for it; None while the document has no world of ours, or is gone.

        The reply's result is that of ``Runtime.callFunctionOn``. What is ordered next runs after it.
        """
        world = self._world
        if world is None or self.is_detached or self.is_crashed:
            return None
        if missing := world.missing(function):
            self.session.post("Runtime.evaluate", {"expression": missing, "contextId": world.context_id})
            world.has_now(function)
        return self._post(world, function, [{"value": arg} for arg in args], by_value=True)

    def _post(self, world: World, function: JsFunction, arguments: list[dict[str, Any]], *, by_value: bool) -> Reply:
        return self.session.post(
            "Runtime.callFunctionOn",
            {
                "functionDeclaration": f"function(...a){{return __pagelens.fn.{function.name}(...a)}}\n{OURS}\n",
                "executionContextId": world.context_id,
                "arguments": arguments,
                "returnByValue": by_value,
                "awaitPromise": True,
            },
        )

    async def _call(
        self, function: JsFunction, arguments: list[dict[str, Any]], *, by_value: bool, timeout: float
    ) -> dict[str, Any]:
        try:
            return await self._call_once(function, arguments, by_value=by_value, timeout=timeout)
        except ProtocolError as error:
            # The end of an earlier script that hung may strike the next one, which has done nothing wrong.
            if "Execution was terminated" not in error.protocol_message:
                raise
        return await self._call_once(function, arguments, by_value=by_value, timeout=timeout)

    async def _call_once(
        self, function: JsFunction, arguments: list[dict[str, Any]], *, by_value: bool, timeout: float
    ) -> dict[str, Any]:
        world = await self._isolated_world()
        if missing := world.missing(function):
            installed = self.session.post("Runtime.evaluate", {"expression": missing, "contextId": world.context_id})
            _raise_if_threw(await self.guarded(installed, timeout), function)
            world.has_now(function)
        result = await self.guarded(self._post(world, function, arguments, by_value=by_value), timeout)
        _raise_if_threw(result, function)
        value: dict[str, Any] = result["result"]
        return value

    async def guarded(self, reply: Reply, timeout: float = COMMAND) -> dict[str, Any]:
        """`Page.guarded`, with Chrome's words for a vanished document turned into `DocumentReplaced`."""
        if self.is_crashed:
            raise self.crash_error()  # Chrome answers such commands never
        try:
            return await self.page.guarded(reply, timeout, session=self.session)
        except SessionClosed as error:
            self._raise_why_gone(error)
        except ProtocolError as error:
            if any(words in error.protocol_message for words in _DOCUMENT_WENT):
                self._raise_why_gone(error)
            raise
        raise AssertionError("unreachable")

    @staticmethod
    def crash_error() -> PageCrashed:
        """The error for a frame whose process died while the page's own lives."""
        return PageCrashed("The frame's process crashed.", "Reload the page to bring the frame back.")

    def _raise_why_gone(self, error: ProtocolError) -> None:
        if self.page.is_crashed:
            raise PageCrashed(self.page.crash_words()) from error
        if self.page.closed is not None:
            raise self.page.closed_error() from error
        if self.is_detached:
            raise FrameGone("The frame was removed from the page.", "Take a new snapshot.") from error
        raise DocumentReplaced(
            f"The {'page' if self.is_main else 'frame'} navigated while it was being read"
            f"{f' (now {self.url})' if self.url else ''}.",
            "Try again, now that the new document is there.",
        ) from error

    async def _isolated_world(self) -> World:
        if self.is_detached:
            raise FrameGone("The frame is no longer in the page.", "Take a new snapshot.")
        if self._world is None:
            made = self.create_world()
            await self.guarded(made)
            self.world_made(made)
            assert self._world is not None
        return self._world

    @property
    def world_context(self) -> int | None:
        """The execution context id of our isolated world, None while the document has none."""
        return self._world.context_id if self._world else None

    def create_world(self) -> Reply:
        """Order our isolated world; Chrome gives the same one back when the document already has it."""
        return self.session.post(
            "Page.createIsolatedWorld", {"frameId": self.id, "worldName": self.page.host.world_name}
        )

    def world_made(self, made: Reply) -> int:
        """Take note of the answer to `create_world`; returns the world's execution context id."""
        context_id: int = made.result()["executionContextId"]
        # Several may have ordered it at once: all got the same world.
        if self._world is None or self._world.context_id != context_id:
            self._world = World(context_id)
        return context_id

    # -- told by the page ----------------------------------------------------------------------------

    def _context_created(self, context: dict[str, Any]) -> None:
        if context["auxData"].get("isDefault"):
            self.main_context = context["id"]

    def _context_destroyed(self, context_id: int) -> None:
        if self.main_context == context_id:
            self.main_context = None
        if self._world is not None and self._world.context_id == context_id:
            self._world = None

    def _contexts_cleared(self) -> None:
        self.main_context = None
        self._world = None

    def _detach(self) -> list[Frame]:
        """Leave the page, with all frames below; returns them."""
        gone = self.subtree()
        for frame in gone:
            frame.is_detached = True
            frame._contexts_cleared()
        if self.parent is not None and self in self.parent.children:
            self.parent.children.remove(self)
        return gone


def _raise_if_threw(result: dict[str, Any], function: JsFunction) -> None:
    details = result.get("exceptionDetails")
    if details:
        words = details.get("exception", {}).get("description") or details.get("text", "")
        raise InternalError(
            f"pagelens' own page function {function.name} failed: {words}", "This is a fault of pagelens."
        )
