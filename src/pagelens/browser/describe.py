"""Objects of a page that are known by reference, as readable text; and nodes that Chrome names by numbers, by uids.

An object is described in its own world, by the serializer that scripts' results go through: getters run, as they do
when its page looks at it. What is asked here is asked of a page that answers; nobody's script is ended for it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from pagelens.browser.evaluate import EvaluateResult
from pagelens.browser.evaluation import DEEP, SERIALIZE, Evaluation
from pagelens.browser.input import NAMED
from pagelens.browser.world import JsFunction
from pagelens.core.safe_text import escaped, one_line, shortened
from pagelens.errors import CommandTimeout, PagelensError, PageUnresponsive, ProtocolError, RecordGone

if TYPE_CHECKING:
    from pagelens.browser.frame import Frame
    from pagelens.browser.page import Page
    from pagelens.cdp.session import Session

__all__ = ["Describer", "node_uids", "words_of"]

#: How long a page may take to say that it answers at all, and to describe one object. Seconds.
ANSWER = 0.5
DESCRIBE = 3.0
#: Frames that are asked whose a node is.
MAX_FRAMES = 50

_FUNCTION = f"function(chars,depth,thrown){{'use strict';return ({SERIALIZE.source})()(this,chars,depth,thrown)}}"
_OWN_NODES = (
    "function(...nodes){return nodes.map((node) => "
    "node.isConnected && (node === document || node.ownerDocument === document))}"
)
_WORDS_OF = JsFunction("pagelens.browser", "js/words_of.js", needs=(NAMED,))
_NODE = re.compile("\x01([0-9]+)\x02")
#: A line of a stack inside a value: marked by the serializer.
_PLACE = re.compile(r"\\u0003|\x03")


class _Nodes(Evaluation):
    """Nodes that come along with a value, and what we hold of them meanwhile."""

    def __init__(self, page: Page) -> None:
        super().__init__(page, DESCRIBE)

    @property
    def group(self) -> str:
        """The name of the group of what is held."""
        return self._group

    async def uids(self, frame: Frame, nodes: Sequence[int]) -> list[int]:
        """Their uid numbers, 0 for those that went away."""
        return await self._uids(frame, nodes)


class Describer:
    """Describes objects of one session.

    Args:
        page: whose session it is; None for a service or shared worker.
    """

    def __init__(self, page: Page | None, session: Session) -> None:
        self._page = page
        self._session = session
        self._answers = False

    async def describe(
        self, object_id: str, frame: Frame | None = None, *, max_chars: int, max_depth: int, as_error: bool = False
    ) -> EvaluateResult:
        """The object of this id.

        Args:
            frame: whose it is, for the uids of elements in it.
            as_error: an error as the console shows it: message, stack and causes, on lines of their own.

        Raises:
            RecordGone: it is not there any more.
            PageUnresponsive: the page is busy, or a dialog holds it. PagelensError: it could not be described.
        """
        await self._make_sure()
        held = _Nodes(self._page) if self._page is not None else None
        group = held.group if held is not None else "pagelens-description"
        session = self._session
        reply = session.post(
            "Runtime.callFunctionOn",
            {
                "objectId": object_id,
                "functionDeclaration": _FUNCTION,
                "arguments": [{"value": max_chars}, {"value": max_depth}, {"value": as_error}],
                "objectGroup": group,
                "silent": True,
                "serializationOptions": DEEP,
            },
        )
        try:
            if self._page is not None:
                result = await self._page.guarded(reply, DESCRIBE, session=session)
            else:
                result = await self._of_worker(reply.within(DESCRIBE))
            if "exceptionDetails" in result:
                words = result["exceptionDetails"].get("exception", {}).get("description", "")
                raise PageUnresponsive(f"The object could not be read: {shortened(one_line(words), 200)}.")
            text, kind, cut, nodes = (item["value"] for item in result["result"]["deepSerializedValue"]["value"])
            uids: list[int] = []
            if nodes and held is not None and frame is not None:
                uids = await held.uids(frame, [node["value"]["backendNodeId"] for _, node in nodes])
            text = _NODE.sub(lambda m: f"uid=e{uid} " if (uid := _at(uids, int(m[1]))) else "", text)
            text = _PLACE.sub("", text)
            if kind != "thrown":
                text = escaped(text)
            return EvaluateResult(text, bool(cut), kind)
        except ProtocolError as error:
            raise RecordGone("Its document is gone.") from error
        finally:
            session.tell("Runtime.releaseObjectGroup", [{"objectGroup": group}])

    async def _make_sure(self) -> None:
        """See that the page answers: whatever it does instead must not be ended for the sake of a look."""
        if self._answers:
            return
        if self._page is not None:
            self._page.raise_if_unusable()
            if self._page.dialog is not None:
                raise PageUnresponsive("A dialog holds the page.")
        try:
            await self._session.send("Runtime.evaluate", {"expression": "0", "silent": True}, timeout=ANSWER)
        except CommandTimeout as error:
            raise PageUnresponsive("It is busy and does not answer.") from error
        self._answers = True

    async def _of_worker(self, answer: Any) -> dict[str, Any]:
        try:
            result: dict[str, Any] = await answer
        except CommandTimeout:
            # A getter that does not come to an end.
            self._session.tell("Runtime.terminateExecution", [{}])
            raise
        return result


async def node_uids(page: Page, session: Session, nodes: Sequence[int], frame_id: str = "") -> dict[int, int]:
    """The uid numbers of nodes that Chrome names by its numbers (``backendNodeId``), of those that are in the document.

    Args:
        session: where the numbers are valid.
        frame_id: the frame that they are in, if it is known; else all frames of the session are asked.
    """
    page.raise_if_unusable()
    known = page.frames.get(frame_id)
    frames = [known] if known is not None else [f for f in page.frames.values() if f.session is session][:MAX_FRAMES]
    found: dict[int, int] = {}
    left = list(dict.fromkeys(nodes))
    for frame in frames:
        if not left:
            break
        try:
            own = await _own_nodes(frame, left)
            uids = await _Nodes(page).uids(frame, own) if own else []
        except PagelensError:
            continue  # the frame went away, or does not answer: what it has is shown without a uid
        found |= {node: uid for node, uid in zip(own, uids, strict=True) if uid}
        left = [node for node in left if node not in found]
    return found


async def words_of(frame: Frame, uids: Sequence[int]) -> dict[int, str]:
    """What to call the elements of these uid numbers, as in ``<button#go> "Go"``; raw, of those that are there."""
    words = await frame.call(_WORDS_OF, list(uids))
    return {uid: text for uid, text in zip(uids, words, strict=True) if text}


async def _own_nodes(frame: Frame, nodes: Sequence[int]) -> list[int]:
    """Those of the nodes that are in the frame's document."""
    session = frame.session
    context = await frame.isolated_context()
    group = "pagelens-nodes"
    try:
        replies = [
            session.post(
                "DOM.resolveNode", {"backendNodeId": node, "executionContextId": context, "objectGroup": group}
            )
            for node in nodes
        ]
        objects: dict[int, str] = {}
        for node, reply in zip(nodes, replies, strict=True):
            try:
                objects[node] = (await frame.guarded(reply))["object"]["objectId"]
            except ProtocolError:
                continue  # it is gone
        if not objects:
            return []
        result = await frame.guarded(
            session.post(
                "Runtime.callFunctionOn",
                {
                    "functionDeclaration": _OWN_NODES,
                    "executionContextId": context,
                    "arguments": [{"objectId": object_id} for object_id in objects.values()],
                    "returnByValue": True,
                },
            )
        )
        return [node for node, is_own in zip(objects, result["result"]["value"], strict=True) if is_own]
    finally:
        session.tell("Runtime.releaseObjectGroup", [{"objectGroup": group}])


def _at(items: Sequence[int], index: int) -> int:
    return items[index] if index < len(items) else 0
