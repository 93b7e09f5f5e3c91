"""Run the caller's JavaScript in a page and bring back its result as readable text."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from pagelens.browser.evaluation import (
    DEEP,
    FUNCTION,
    LINES_BEFORE,
    SERIALIZE,
    WRAPPER,
    Evaluation,
    lost,
    never_ran,
    own_lines,
    raise_if_failed,
    threw,
)
from pagelens.core.deadlines import TOOL
from pagelens.core.safe_text import escaped, one_line
from pagelens.errors import DocumentReplaced, InvalidInput

if TYPE_CHECKING:
    from pagelens.browser.element import Element
    from pagelens.browser.frame import Frame
    from pagelens.browser.page import Page

__all__ = ["MAX_CHARS", "MAX_DEPTH", "EvaluateResult", "ScriptKind", "evaluate"]

ScriptKind = Literal["function", "script"]

#: Defaults for what a result may hold; callers that write to a file ask for more.
MAX_CHARS = 20_000
MAX_DEPTH = 20

_MAKE_SERIALIZER = f"({SERIALIZE.source})()"

_NODE = re.compile("\x01([0-9]+)\x02")
#: A line of a stack inside a value: marked by the serializer.
_MARKED_PLACE = re.compile(r'\\u0003(at (?:[^"\\]|\\.)*)')


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
    args: Sequence[str | Element] = (),
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
        args: elements that the function gets, in order, by uid or selector. It runs in their frame. Such as are at hand
            are released.
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
    call = _Described(page, timeout, max_chars, max_depth, dialog_action)
    if kind == "script" or not FUNCTION.match(source):
        if args:
            raise InvalidInput(
                "Elements can be passed to a function only, and the source is none.", "Write it as (el) => …"
            )
        return await call.run_script(frame or page.main_frame, source)
    elements: list[Element] = []
    try:
        for target in args:
            elements.append(await page.element(target) if isinstance(target, str) else target)
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


class _Described(Evaluation):
    """One evaluation whose result becomes readable text."""

    def __init__(self, page: Page, timeout: float, max_chars: int, max_depth: int, dialog_action: str | None) -> None:
        super().__init__(page, timeout, dialog_action)
        self._max_chars = max_chars
        self._max_depth = max_depth

    async def run_function(self, frame: Frame, source: str, elements: Sequence[Element]) -> EvaluateResult:
        """Call a function and serialize its result in one command."""
        names = [f"pagelens${i}" for i in range(len(elements))]
        # The source stands on lines of its own, so its line numbers differ by a constant only; taken out of a list,
        # an arrow function gets no name from us.
        body = source.strip().rstrip(";")
        declaration = (
            f"async function {WRAPPER}(pagelens$s,pagelens$c,pagelens$d{''.join(',' + n for n in names)}){{try{{"
            f"const pagelens$f=[(\n{body}\n)][0];return pagelens$s(await(typeof pagelens$f==='function'"
            f"?pagelens$f({','.join(names)}):pagelens$f),pagelens$c,pagelens$d)}}"
            f"catch(pagelens$e){{return pagelens$s(pagelens$e,4000,4,true)}}}}"
        )
        try:
            return await self._call_function(frame, declaration, elements)
        except DocumentReplaced as error:
            if not never_ran(error):
                raise lost() from error
            # The document changed under our feet before anything ran.
            return await self._call_function(frame, declaration, elements)

    async def _call_function(self, frame: Frame, declaration: str, elements: Sequence[Element]) -> EvaluateResult:
        context, serializer = await self._helper(frame, _MAKE_SERIALIZER)
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
                    "serializationOptions": DEEP,
                },
            )
            result = await self._wait(frame, reply)
            raise_if_failed(result, LINES_BEFORE)
            return await self._described(frame, result["result"], LINES_BEFORE)
        finally:
            session.post("Runtime.releaseObjectGroup", {"objectGroup": self._group})
            for object_id in objects:
                session.post("Runtime.releaseObject", {"objectId": object_id})

    async def run_script(self, frame: Frame, source: str) -> EvaluateResult:
        """Run statements as the console does, then serialize the value of the last one."""
        context, serializer = await self._helper(frame, _MAKE_SERIALIZER)
        session = frame.session
        try:
            value = await self._run_expression(frame, context, source)
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
                    "serializationOptions": DEEP,
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
            raise_if_failed(result, 0)
            return await self._described(frame, result["result"], 0)
        finally:
            session.post("Runtime.releaseObjectGroup", {"objectGroup": self._group})

    async def _described(self, frame: Frame, result: dict[str, Any], lines_before: int) -> EvaluateResult:
        text, value_type, cut, nodes = (item["value"] for item in result["deepSerializedValue"]["value"])
        if value_type == "thrown":
            raise threw(_NODE.sub("", text), lines_before)
        if nodes:
            uids = await self._uids(frame, [node["value"]["backendNodeId"] for _, node in nodes])
            text = _NODE.sub(lambda m: f"uid=e{uids[int(m[1])]} " if uids[int(m[1])] else "", text)
        text = _MARKED_PLACE.sub(lambda m: own_lines(m[1], lines_before), text)
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
