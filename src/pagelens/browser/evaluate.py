"""Run the caller's JavaScript in a page and bring back its result as readable text.

The script runs in the page's own world. Its result is turned into one string there, by
``js/serialize.js``, in the same call: a value need not survive until a second command (the script may
have begun a navigation, and then a page answers nothing more until the new document is there). DOM
nodes come along as Chrome's node ids and get their uids in our isolated world.
"""

from __future__ import annotations

import asyncio
import itertools
import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal
from weakref import WeakKeyDictionary

from pagelens.browser.uids import UIDS
from pagelens.browser.world import JsFunction
from pagelens.core.deadlines import TOOL
from pagelens.core.safe_text import escaped, one_line, safe_block, shortened
from pagelens.errors import (
    CommandTimeout,
    DeadlineExceeded,
    DialogOpen,
    DocumentReplaced,
    InvalidInput,
    NoDialog,
    ProtocolError,
    ScriptFailed,
)

if TYPE_CHECKING:
    from pagelens.browser.element import Element
    from pagelens.browser.frame import Frame
    from pagelens.browser.page import Page
    from pagelens.cdp.session import Reply

__all__ = ["MAX_CHARS", "MAX_DEPTH", "EvaluateResult", "ScriptKind", "evaluate"]

ScriptKind = Literal["function", "script"]

#: Defaults for what a result may hold; callers that write to a file ask for more.
MAX_CHARS = 20_000
MAX_DEPTH = 20

SERIALIZE = JsFunction("pagelens.browser", "js/serialize.js")
UIDS_OF = JsFunction("pagelens.browser", "js/uids_of.js", needs=(UIDS,))

#: Name of the wrapper around the caller's function: recognised in stacks, where it says nothing.
_WRAPPER = "pagelensEvaluate"
#: Lines of the wrapper before the caller's source.
_LINES_BEFORE = 1
#: Comments and white space, then what a function begins with. A parenthesis may also begin an expression: fine.
_FUNCTION = re.compile(
    r"(?:\s|//[^\n]*\n|/\*(?:[^*]|\*(?!/))*\*/)*"
    r"(?:async\b\s*(?:function\b|\(|[\w$]+\s*=>)|function\b|\(|[\w$]+\s*=>)"
)
_NODE = re.compile("\x01([0-9]+)\x02")
_ANONYMOUS = re.compile(r"<anonymous>:(\d+):(\d+)")
#: The name that V8 gives to a nameless function which we call.
_CALLED_BY_US = re.compile(r"pagelens\$f \((.*)\)$")
_PLACE = re.compile(r"    at ")
#: A line of a stack inside a value: marked by the serializer.
_MARKED_PLACE = re.compile(r'\\u0003(at (?:[^"\\]|\\.)*)')
#: After a script was ended, how long its answer may take. Seconds.
_END_GRACE = 1.0

_groups = itertools.count(1)
#: The serializer of each frame's current document: (session id, context id, remote object).
_serializers: WeakKeyDictionary[Frame, tuple[str, int, str]] = WeakKeyDictionary()


@dataclass(frozen=True)
class EvaluateResult:
    """What a script returned.

    Attributes:
        text: the value, JSON where JSON can say it; harmful characters appear as escapes.
        truncated: whether something was left out; the places are marked with ``…``.
        value_type: ``undefined``, ``number``, ``string``, ``object``, ``array``, ``node``, ``Map``…
        note: what the reader must know besides: what was cut, or that a value was lost. May be empty.
    """

    text: str
    truncated: bool
    value_type: str
    note: str = ""


async def evaluate(
    page: Page,
    source: str,
    *,
    kind: ScriptKind = "function",
    args: Sequence[str] = (),
    timeout: float = TOOL,
    frame: Frame | None = None,
    max_chars: int = MAX_CHARS,
    max_depth: int = MAX_DEPTH,
    dialog_action: str | None = None,
) -> EvaluateResult:
    """Run `source` in the page's own world, wait for its promise, and describe the result.

    Args:
        source: a function (``(el) => el.value``, also async, also ``function``), or with `kind` ``script``
            statements, whose last expression counts and which may use await. A plain expression will do for both.
        args: uids or selectors of elements that the function gets, in order. It runs in their frame.
        timeout: seconds; then the script is ended.
        frame: where to run; the elements' frame, else the main frame, when None.
        max_chars, max_depth: limits of the text. What is cut is said.
        dialog_action: what to do with dialogs that the script opens: ``accept``, ``dismiss``, or the text to
            answer a prompt with. When None, a dialog ends the wait with `DialogOpen`.

    Raises:
        ScriptFailed: it does not compile, or threw: with the page's own words and the lines concerned.
        DeadlineExceeded: it ran, or its promise stayed open, for longer than `timeout`.
        DocumentReplaced: the page navigated before the script returned.
        InvalidInput: elements of several frames, or elements for something that is no function.
        ElementError, DialogOpen, PageCrashed, PageClosed: see `Page.element` and `Page.guarded`.
    """
    call = _Evaluation(page, timeout, max_chars, max_depth, dialog_action)
    if kind == "script" or not _FUNCTION.match(source):
        if args:
            raise InvalidInput(
                "Elements can be passed to a function only, and the source is none.", "Write it as (el) => …"
            )
        return await call.run_script(frame or page.main_frame, source)
    elements: list[Element] = []
    try:
        for target in args:
            elements.append(await page.element(target))
        frames = {element.frame for element in elements}
        if frame is not None:
            frames.add(frame)
        if len(frames) > 1:
            raise InvalidInput(
                "The elements belong to different frames, and no script reaches both.",
                "Evaluate once in each frame, with the elements of that frame.",
            )
        return await call.run_function(frames.pop() if frames else page.main_frame, source, elements)
    finally:
        for element in elements:
            await element.release()


class _Evaluation:
    """One evaluation: its limits, and the remote objects to release after it."""

    def __init__(self, page: Page, timeout: float, max_chars: int, max_depth: int, dialog_action: str | None) -> None:
        self._page = page
        self._timeout = timeout
        self._end = asyncio.get_running_loop().time() + timeout
        self._max_chars = max_chars
        self._max_depth = max_depth
        self._dialog_action = dialog_action
        self._group = f"pagelens-{next(_groups)}"

    async def run_function(self, frame: Frame, source: str, elements: Sequence[Element]) -> EvaluateResult:
        """Call a function and serialize its result in one command."""
        names = [f"pagelens${i}" for i in range(len(elements))]
        # The source stands on lines of its own, so its line numbers differ by a constant only; taken out of a list,
        # an arrow function gets no name from us.
        body = source.strip().rstrip(";")
        declaration = (
            f"async function {_WRAPPER}(pagelens$s,pagelens$c,pagelens$d{''.join(',' + n for n in names)}){{try{{"
            f"const pagelens$f=[(\n{body}\n)][0];return pagelens$s(await(typeof pagelens$f==='function'"
            f"?pagelens$f({','.join(names)}):pagelens$f),pagelens$c,pagelens$d)}}"
            f"catch(pagelens$e){{return pagelens$s(pagelens$e,4000,4,true)}}}}"
        )
        try:
            return await self._call_function(frame, declaration, elements)
        except DocumentReplaced as error:
            if not _never_ran(error):
                raise _lost() from error
            # The document changed under our feet before anything ran.
            return await self._call_function(frame, declaration, elements)

    async def _call_function(self, frame: Frame, declaration: str, elements: Sequence[Element]) -> EvaluateResult:
        context, serializer = await self._serializer(frame)
        objects = [await element.main_world_object() for element in elements]
        session = frame.session
        try:
            reply = session.post(
                "Runtime.callFunctionOn",
                {
                    "functionDeclaration": declaration,
                    "executionContextId": context,
                    "arguments": [
                        {"objectId": serializer},
                        {"value": self._max_chars},
                        {"value": self._max_depth},
                        *({"objectId": object_id} for object_id in objects),
                    ],
                    "awaitPromise": True,
                    "userGesture": True,
                    "objectGroup": self._group,
                    "serializationOptions": _DEEP,
                },
            )
            result = await self._wait(frame, reply)
            _raise_if_failed(result, _LINES_BEFORE)
            return await self._described(frame, result["result"], _LINES_BEFORE)
        finally:
            session.post("Runtime.releaseObjectGroup", {"objectGroup": self._group})
            for object_id in objects:
                session.post("Runtime.releaseObject", {"objectId": object_id})

    async def run_script(self, frame: Frame, source: str) -> EvaluateResult:
        """Run statements as the console does, then serialize the value of the last one."""
        context, serializer = await self._serializer(frame)
        session = frame.session
        try:
            reply = session.post(
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
                raise _lost() from error
            _raise_if_failed(result, 0)
            value = result["result"]
            if (simple := _simple(value)) is not None:
                return simple
            reply = session.post(
                "Runtime.callFunctionOn",
                {
                    "functionDeclaration": "async function(s,c,d,v){try{return s(await v,c,d)}"
                    "catch(e){return s(e,4000,4,true)}}",
                    "executionContextId": context,
                    "arguments": [
                        {"objectId": serializer},
                        {"value": self._max_chars},
                        {"value": self._max_depth},
                        # By reference where there is one; a bigint has its own spelling.
                        {k: value[k] for k in ("objectId", "unserializableValue", "value") if k in value},
                    ],
                    "awaitPromise": True,
                    "objectGroup": self._group,
                    "serializationOptions": _DEEP,
                },
            )
            try:
                result = await self._wait(frame, reply)
            except DocumentReplaced:
                return EvaluateResult(
                    escaped(one_line(value.get("description", value["type"]))),
                    True,
                    value.get("subtype", value["type"]),
                    "The page navigated before this value could be read; only its class is known. "
                    "A function is read in time: pass one.",
                )
            _raise_if_failed(result, 0)
            return await self._described(frame, result["result"], 0)
        finally:
            session.post("Runtime.releaseObjectGroup", {"objectGroup": self._group})

    # -- waiting -------------------------------------------------------------------------------------

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
                if answered and not reply.failed and not _was_ended(reply.result()):
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

    async def _serializer(self, frame: Frame) -> tuple[int, str]:
        """The document's execution context and its serializer, made on first use."""
        if frame.main_context is None:
            # Between two documents Chrome holds this until the new one, with its contexts, is there.
            await frame.isolated_context()
        context = frame.main_context
        if context is None:
            raise DocumentReplaced("The page is between two documents.", "Try again.")
        session = frame.session
        known = _serializers.get(frame)
        if known is not None and known[:2] == (session.id, context):
            return context, known[2]
        reply = session.post(
            "Runtime.evaluate", {"expression": f"({SERIALIZE.source})()", "contextId": context, "silent": True}
        )
        result = await frame.guarded(reply, self._timeout)
        _raise_if_failed(result, 0)
        object_id: str = result["result"]["objectId"]
        _serializers[frame] = (session.id, context, object_id)
        return context, object_id

    # -- the result ----------------------------------------------------------------------------------

    async def _described(self, frame: Frame, result: dict[str, Any], lines_before: int) -> EvaluateResult:
        text, value_type, cut, nodes = (item["value"] for item in result["deepSerializedValue"]["value"])
        if value_type == "thrown":
            raise ScriptFailed(f"The script threw {_stack(_NODE.sub('', text), lines_before)}")
        if nodes:
            uids = await self._uids(frame, [node["value"]["backendNodeId"] for _, node in nodes])
            text = _NODE.sub(lambda m: f"uid=e{uids[int(m[1])]} " if uids[int(m[1])] else "", text)
        text = _MARKED_PLACE.sub(lambda m: _own_lines(m[1], lines_before), text)
        return EvaluateResult(escaped(text), bool(cut), value_type, self._cut_words(cut))

    def _cut_words(self, cut: str) -> str:
        if not cut:
            return ""
        limits = []
        if "size" in cut:
            limits.append(f"{self._max_chars:,} characters")
        if "depth" in cut:
            limits.append(f"{self._max_depth} levels")
        return (
            f"The result was cut at {' and '.join(limits)} (marked …): "
            "return less, or pass filePath to save it with wider limits."
        )

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


#: Makes Chrome describe the serializer's list, and name the nodes in it, in the reply itself.
_DEEP = {
    "serialization": "deep",
    "maxDepth": 3,
    "additionalParameters": {"maxNodeDepth": 0, "includeShadowTree": "none"},
}


def _never_ran(error: DocumentReplaced) -> bool:
    cause = error.__cause__
    return isinstance(cause, ProtocolError) and "Cannot find context" in cause.protocol_message


def _was_ended(result: dict[str, Any]) -> bool:
    details = result.get("exceptionDetails", {})
    return "terminated" in details.get("text", "") or "terminated" in details.get("exception", {}).get(
        "description", ""
    )


def _lost() -> DocumentReplaced:
    return DocumentReplaced(
        "The page navigated before the script returned, so its result is lost.",
        "What it did before that is done. Take a snapshot to see where the page is now.",
    )


def _simple(value: dict[str, Any]) -> EvaluateResult | None:
    """The result for a value that needs nothing from the page, None for others."""
    kind = value["type"]
    if kind == "undefined":
        return EvaluateResult("undefined", False, "undefined")
    if value.get("subtype") == "null":
        return EvaluateResult("null", False, "null")
    if kind == "boolean":
        return EvaluateResult("true" if value["value"] else "false", False, "boolean")
    if kind == "number":
        return EvaluateResult(value.get("unserializableValue") or value["description"], False, "number")
    return None


def _raise_if_failed(result: dict[str, Any], lines_before: int) -> None:
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
            hint = "Write it as a function: () => { … }" if "Illegal return" in words else ""
        raise ScriptFailed(
            f"The script does not compile: {_stack(words, 0)} (line {line}, column {details['columnNumber'] + 1}).",
            hint,
        )
    raise ScriptFailed(f"The script threw {_stack(words, lines_before)}")


def _stack(text: str, lines_before: int) -> str:
    """An error's text and stack: our wrapper's frames dropped, the caller's lines numbered as he wrote them."""
    lines = [line for line in safe_block(text).split("\n") if not (_PLACE.match(line) and _WRAPPER in line)]
    shown = [_own_lines(shortened(line, 300), lines_before) if _PLACE.match(line) else line for line in lines]
    return shortened("\n".join(shown), 4000)


def _own_lines(text: str, lines_before: int) -> str:
    text = _ANONYMOUS.sub(lambda m: f"script:{max(int(m[1]) - lines_before, 1)}:{m[2]}", text)
    return _CALLED_BY_US.sub(r"\1", text)
