"""One tool of a page."""

from __future__ import annotations

import asyncio
import itertools
from collections import deque
from typing import TYPE_CHECKING, Any

from pagelens.browser.element import Element
from pagelens.browser.webmcp.model import WebMCPAnnotations, WebMCPLocation, WebMCPToolCallResult
from pagelens.browser.world import JsFunction
from pagelens.core.deadlines import TOOL
from pagelens.core.json_schema import JsonSchema, NotJson, json_type, plain_json
from pagelens.core.safe_text import quoted
from pagelens.errors import DocumentReplaced, FrameGone, PageClosed, PageCrashed, ProtocolError

if TYPE_CHECKING:
    from pagelens.browser.frame import Frame
    from pagelens.browser.webmcp.calls import Invocation
    from pagelens.browser.webmcp.registry import WebMCP
    from pagelens.cdp.session import Session

__all__ = ["WebMCPTool"]

IS_CONNECTED = JsFunction("pagelens.browser", "js/is_connected.js")

_serials = itertools.count(1)


class WebMCPTool:
    """A tool that a document offers, from its registration until that, or the document, is gone.

    A tool that is registered anew, also by a form whose attributes changed, is another one.

    Attributes:
        registry: what it belongs to.
        serial: our number for it, never used again.
        name, description: the page's words, raw.
        input_schema: JSON schema of the input; None when there is none.
        annotations: what the page says of it.
        location: where it was registered; None for forms.
        frame_id: the frame of the document that offers it.
        session: where commands for it go.
        gone: why it is offered no more, in words (``the page navigated to …``); None while it is.
    """

    def __init__(self, registry: WebMCP, session: Session, told: dict[str, Any]) -> None:
        self.registry = registry
        self.serial = next(_serials)
        self.session = session
        self.name: str = told["name"]
        self.description: str = told.get("description", "")
        schema = told.get("inputSchema")
        self.input_schema: dict[str, Any] | None = schema if isinstance(schema, dict) else None
        self.annotations = WebMCPAnnotations.of(told.get("annotations") or {})
        self.location = WebMCPLocation.of(told.get("stackTrace"))
        self.frame_id: str = told["frameId"]
        self.gone: str | None = None
        self._told = told
        self._form_node: int | None = told.get("backendNodeId")
        self._frame: Frame | None = None
        self._checker: JsonSchema | None = None
        # Of a form: what Chrome has not answered yet (an invocation before its id is known, then the id), and the
        # calls that wait for their turn.
        self._occupied: set[object] = set()
        self._queue: deque[Invocation] = deque()

    def __repr__(self) -> str:
        return f"<WebMCPTool {self.name[:60]!r} of {self.frame_id[:8]}{' gone' if self.gone else ''}>"

    @property
    def is_form(self) -> bool:
        """Whether it is a ``<form toolname=…>``. Such a tool has one call at a time."""
        return self._form_node is not None

    @property
    def frame(self) -> Frame:
        """The frame whose document offers it."""
        if self._frame is None:
            page = self.registry.page
            # Tools may be told of before their frame is.
            self._frame = page.frames.get(self.frame_id) or page.tree.get(self.frame_id, None, self.session)
        return self._frame

    async def form_element(self) -> Element | None:
        """The form, for the caller to release; None for a tool of a script, and once the form is gone.

        Raises:
            DialogOpen, CommandTimeout: the page can't be asked.
        """
        if self._form_node is None or self.gone is not None:
            return None
        frame = self.frame
        try:
            context = await frame.isolated_context()
            reply = self.session.post(
                "DOM.resolveNode", {"backendNodeId": self._form_node, "executionContextId": context}
            )
            resolved = await frame.guarded(reply)
        except (ProtocolError, DocumentReplaced, FrameGone, PageCrashed, PageClosed):
            return None  # no such node, or no such document any more
        element = Element(frame, resolved["object"]["objectId"], f"the form of {quoted(self.name[:60])}")
        try:
            is_there = await element.call(IS_CONNECTED)
        except (DocumentReplaced, FrameGone, PageCrashed, PageClosed):
            return None
        if is_there:
            return element
        await element.release()
        return None

    def faults(self, input: object) -> list[str]:
        """What is wrong with an input, each fault in words; none: []."""
        return self._checked(input, validate=True)[1]

    def begin(self, input: object = None, *, validate: bool = True) -> Invocation:
        """Call the tool and return at once; the `Invocation` tells when and how it ends.

        Never raises: what can't be sent is an invocation that has ended already, with status Error and no id.

        Args:
            input: a JSON object as a dict; None is an empty one.
            validate: hold it against `input_schema` first.
        """
        return self.registry.traffic.begin(self, *self._checked(input, validate=validate))

    async def execute(
        self,
        input: object = None,
        *,
        cancel: asyncio.Event | None = None,
        timeout: float = TOOL,
        validate: bool = True,
    ) -> WebMCPToolCallResult:
        """Call the tool and wait for its end. Failures are results.

        Args:
            input, validate: as `begin`.
            cancel: cancels the call in the page when it is set; also one that is set already.
            timeout: seconds; then the call is cancelled, and the result is an Error that says so.

        Raises:
            WebMCPUnavailable: the browser or the page has no WebMCP.
            CancelledError: the task was cancelled; so is the call in the page, as far as that can be done.
        """
        if self.gone is None:
            await self.registry.raise_if_unavailable()
        if cancel is not None and cancel.is_set():
            return WebMCPToolCallResult(None, None, "Canceled", None, "The call was cancelled before it began.")
        return await self.begin(input, validate=validate).outcome(timeout, cancel)

    def _checked(self, input: object, *, validate: bool) -> tuple[dict[str, Any], list[str]]:
        """The input as JSON has it, and what is wrong with it."""
        if input is None:
            input = {}
        try:
            plain = plain_json(input)
        except NotJson as error:
            return {}, [str(error)]
        if not isinstance(plain, dict):
            return {}, [f"it must be a JSON object, and is {json_type(plain)}"]
        if not validate or self.input_schema is None:
            return plain, []
        if self._checker is None:
            self._checker = JsonSchema(self.input_schema)
        return plain, self._checker.faults(plain)
