"""What all evaluations of the caller's JavaScript share: waiting, deadlines, dialogs, errors, uids of nodes.

The script runs in the page's own world. Its result is made into text there, in the same call: a value need not
survive until a second command (the script may have begun a navigation, and then a page answers nothing more until
the new document is there). DOM nodes come along as Chrome's node ids and get their uids in our isolated world.
"""

from __future__ import annotations

import asyncio
import itertools
import json
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from pagelens.browser.uids import UIDS
from pagelens.browser.world import JsFunction
from pagelens.core.safe_text import safe_block, shortened
from pagelens.errors import (
    CommandTimeout,
    DeadlineExceeded,
    DialogOpen,
    DocumentReplaced,
    NoDialog,
    ProtocolError,
    ScriptFailed,
)

if TYPE_CHECKING:
    from pagelens.browser.frame import Frame
    from pagelens.browser.page import Page
    from pagelens.cdp.session import Reply

__all__ = [
    "DEEP",
    "FUNCTION",
    "LINES_BEFORE",
    "SERIALIZE",
    "WRAPPER",
    "Evaluation",
    "lost",
    "never_ran",
    "own_lines",
    "raise_if_failed",
    "release_helpers",
    "stack",
    "threw",
]

SERIALIZE = JsFunction("pagelens.browser", "js/serialize.js")
UIDS_OF = JsFunction("pagelens.browser", "js/uids_of.js", needs=(UIDS,))

#: Name of the wrapper around the caller's function: recognised in stacks, where it says nothing.
WRAPPER = "pagelensEvaluate"
#: Lines of the wrapper before the caller's source.
LINES_BEFORE = 1
#: Comments and white space, then what a function begins with. A parenthesis may also begin an expression: fine.
FUNCTION = re.compile(
    r"(?:\s|//[^\n]*\n|/\*(?:[^*]|\*(?!/))*\*/)*"
    r"(?:async\b\s*(?:function\b|\(|[\w$]+\s*=>)|function\b|\(|[\w$]+\s*=>)"
)
_ANONYMOUS = re.compile(r"<anonymous>:(\d+):(\d+)")
#: The name that V8 gives to a nameless function which we call.
_CALLED_BY_US = re.compile(r"pagelens\$f \((.*)\)$")
_PLACE = re.compile(r"    at ")
#: After a script was ended, how long its answer may take. Seconds.
_END_GRACE = 1.0

_groups = itertools.count(1)
#: Our helpers in each frame's current document, by the source that makes them: (place, object id). A context's number
#: does not tell the place: each renderer process counts from 1, and a session moves from process to process.
_helpers: WeakKeyDictionary[Frame, dict[str, tuple[tuple[str, str, int], str]]] = WeakKeyDictionary()

#: Makes Chrome describe the serializer's list, and name the nodes in it, in the reply itself.
DEEP = {
    "serialization": "deep",
    "maxDepth": 3,
    "additionalParameters": {"maxNodeDepth": 0, "includeShadowTree": "none"},
}


class Evaluation:
    """One evaluation: its limits, and the remote objects to release after it.

    Args:
        timeout: seconds for all of it.
        dialog_action: what to do with dialogs that the script opens: ``accept``, ``dismiss``, or the text to answer
            a prompt with. When None, a dialog ends the wait with `DialogOpen`.
    """

    def __init__(self, page: Page, timeout: float, dialog_action: str | None = None) -> None:
        self._page = page
        self._timeout = timeout
        self._end = asyncio.get_running_loop().time() + timeout
        self._dialog_action = dialog_action
        self._group = f"pagelens-{next(_groups)}"

    async def _run_expression(self, frame: Frame, context: int, source: str) -> dict[str, Any]:
        """Run statements as the console does; returns the remote object of the last one's value."""
        reply = frame.session.post(
            "Runtime.evaluate",
            {
                "expression": source,
                "contextId": context,
                "replMode": True,
                "awaitPromise": True,
                "userGesture": True,
                "objectGroup": self._group,
            },
        )
        try:
            result = await self._wait(frame, reply)
        except DocumentReplaced as error:
            raise lost() from error
        raise_if_failed(result, 0)
        value: dict[str, Any] = result["result"]
        return value

    async def _wait(self, frame: Frame, reply: Reply) -> dict[str, Any]:
        """The reply, with dialogs answered on the way if so ordered, and the deadline in the script's terms."""
        loop = asyncio.get_running_loop()
        while True:
            try:
                return await frame.guarded(reply, max(self._end - loop.time(), 0.001))
            except DialogOpen:
                if self._dialog_action is None:
                    raise
                await self._answer_dialog(self._dialog_action)
            except asyncio.CancelledError:
                # Whoever wanted the value no longer does: an endless loop must not outlive the call.
                self._page.end_script(frame.session)
                raise
            except CommandTimeout as error:
                if self._page.loads.of(frame.id).is_under_way:
                    raise
                # What was running has just been ended. If that was the script, its answer says so; if it was something
                # else that had kept the page, the script runs now; an open promise stays silent.
                reply.on_done(self._page.loads.touch)
                answered = await self._page.loads.wait(lambda: reply.done, _END_GRACE)
                if answered and not reply.failed and not was_ended(reply.result()):
                    return reply.result()
                raise DeadlineExceeded(*self._too_long(answered)) from error

    async def _answer_dialog(self, answer: str) -> None:
        try:
            await self._page.handle_dialog(answer != "dismiss", None if answer in ("accept", "dismiss") else answer)
        except NoDialog:
            pass  # somebody else was quicker

    def _too_long(self, was_running: bool) -> tuple[str, str]:
        if was_running:
            return (
                f"The script ran for {self._timeout:g} s without coming to an end, and was ended.",
                "The page works again. Look for an endless loop, or pass a longer timeout.",
            )
        return (
            f"The script had not finished after {self._timeout:g} s: its promise is still open.",
            "What it waits for may never happen. The page goes on. Pass a longer timeout if it needs one.",
        )

    # -- the serializer ------------------------------------------------------------------------------

    async def _helper(self, frame: Frame, source: str) -> tuple[int, str]:
        """The document's execution context and what `source`, an expression, makes there; made on first use."""
        if frame.main_context is None:
            # Between two documents Chrome holds this until the new one, with its contexts, is there.
            await frame.isolated_context()
        context = frame.main_context
        if context is None:
            raise DocumentReplaced("The page is between two documents.", "Try again.")
        session = frame.session
        place = (session.id, frame.loader_id, context)
        helpers = _helpers.setdefault(frame, {})
        known = helpers.get(source)
        if known is not None and known[0] == place:
            return context, known[1]
        reply = session.post("Runtime.evaluate", {"expression": source, "contextId": context, "silent": True})
        result = await frame.guarded(reply, self._timeout)
        raise_if_failed(result, 0)
        object_id: str = result["result"]["objectId"]
        helpers[source] = (place, object_id)
        return context, object_id

    async def _uids(self, frame: Frame, backend_ids: Sequence[int]) -> list[int]:
        """The uids of nodes, 0 for those that went away meanwhile."""
        session = frame.session
        try:
            context = await frame.isolated_context()
            replies = [
                session.post(
                    "DOM.resolveNode",
                    {"backendNodeId": backend_id, "executionContextId": context, "objectGroup": self._group},
                )
                for backend_id in backend_ids
            ]
            found: dict[int, str] = {}
            for position, reply in enumerate(replies):
                try:
                    found[position] = (await frame.guarded(reply))["object"]["objectId"]
                except ProtocolError:
                    continue  # the node was dropped between the two commands
            if not found:
                return [0] * len(backend_ids)
            listed = await frame.guarded(
                session.post(
                    "Runtime.callFunctionOn",
                    {
                        "functionDeclaration": "function(...nodes){return nodes}",
                        "executionContextId": context,
                        "arguments": [{"objectId": object_id} for object_id in found.values()],
                        "objectGroup": self._group,
                    },
                )
            )
            object_id = listed["result"]["objectId"]
            numbers = await frame.call_on(UIDS_OF, object_id)
            if numbers is None:
                await frame.give_uids(len(found))
                numbers = await frame.call_on(UIDS_OF, object_id)
        except (DocumentReplaced, DialogOpen):
            # The value is known; its nodes are out of reach now, and uids for them would lead nowhere.
            return [0] * len(backend_ids)
        uids = dict(zip(found, numbers, strict=True))
        return [uids.get(position, 0) for position in range(len(backend_ids))]


def never_ran(error: DocumentReplaced) -> bool:
    cause = error.__cause__
    return isinstance(cause, ProtocolError) and "Cannot find context" in cause.protocol_message


def was_ended(result: dict[str, Any]) -> bool:
    details = result.get("exceptionDetails", {})
    return "terminated" in details.get("text", "") or "terminated" in details.get("exception", {}).get(
        "description", ""
    )


def lost() -> DocumentReplaced:
    return DocumentReplaced(
        "The page navigated before the script returned, so its result is lost.",
        "What it did before that is done. Take a snapshot to see where the page is now.",
    )


def raise_if_failed(result: dict[str, Any], lines_before: int) -> None:
    details = result.get("exceptionDetails")
    if not details:
        return
    exception = details.get("exception", {})
    words = exception.get("description") or json.dumps(exception.get("value", details.get("text", "")))
    if words.startswith("SyntaxError") and "stackTrace" not in details:
        line = max(details["lineNumber"] - lines_before, 0) + 1
        if lines_before:
            hint = "It must be one function, such as () => document.title; statements can be run as a script."
        else:
            hint = "Write it as a function: () => { … }." if "Illegal return" in words else ""
        raise ScriptFailed(
            f"The script does not compile: {stack(words, 0)} (line {line}, column {details['columnNumber'] + 1}).",
            hint,
        )
    raise threw(words, lines_before)


def threw(text: str, lines_before: int) -> ScriptFailed:
    """The error for what the caller's script threw: its own words, as a sentence when it has no stack."""
    words = stack(text, lines_before)
    is_sentence = "\n" in words or words.endswith((".", "!", "?", "…"))
    return ScriptFailed(f"The script threw {words}{'' if is_sentence else '.'}")


def stack(text: str, lines_before: int) -> str:
    """An error's text and stack: our wrapper's frames dropped, the caller's lines numbered as he wrote them."""
    lines = [line for line in safe_block(text).split("\n") if not (_PLACE.match(line) and WRAPPER in line)]
    shown = [own_lines(shortened(line, 300), lines_before) if _PLACE.match(line) else line for line in lines]
    return shortened("\n".join(shown), 4000)


def own_lines(text: str, lines_before: int) -> str:
    text = _ANONYMOUS.sub(lambda m: f"script:{max(int(m[1]) - lines_before, 1)}:{m[2]}", text)
    return _CALLED_BY_US.sub(r"\1", text)


def release_helpers(page: Page) -> None:
    """Let go of what we keep in the page for the next evaluation; that one makes it anew."""
    for frame in page.frames.values():
        for _, object_id in _helpers.pop(frame, {}).values():
            frame.session.post("Runtime.releaseObject", {"objectId": object_id})
