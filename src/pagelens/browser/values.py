"""Run the caller's JavaScript with Python values as arguments, and bring its result back as a Python value.

================================  ===================================================================
JavaScript                        Python
================================  ===================================================================
undefined, null                   None
boolean, string                   bool, str (a lone surrogate stays one)
number                            int when it is a whole number of at most 2**53, else float; NaN and the
                                  infinities are floats, and so is -0
bigint                            int
Date                              datetime, aware, UTC; None when it is invalid; its milliseconds when
                                  its year is beyond 1 to 9999
Array, NodeList, arguments…       list (a hole is None); number arrays such as Float64Array too
ArrayBuffer, Uint8Array, DataView bytes
Map                               dict, or a list of pairs when a key can't be a key of one; Set: list
Error                             dict with ``name``, ``message``, ``stack`` and its own properties
an object with ``toJSON``         what that returns
any other object                  dict of its own enumerable properties
element                           an element of the page
function, symbol, promise, regexp, str: a description of it
window, document, text node
================================  ===================================================================

What is there twice, or inside itself, is one object in Python too. Arguments go the other way: None as null, int
beyond 2**53 as bigint, datetime as Date (naive ones are local time), bytes as Uint8Array, tuples as arrays.
"""

from __future__ import annotations

import base64
import json
import math
from collections.abc import Awaitable, Callable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from pagelens.browser.evaluation import (
    DEEP,
    FUNCTION,
    LINES_BEFORE,
    SERIALIZE,
    WRAPPER,
    Evaluation,
    lost,
    never_ran,
    raise_if_failed,
    threw,
)
from pagelens.browser.world import JsFunction
from pagelens.core.deadlines import TOOL
from pagelens.errors import DocumentReplaced, InvalidInput

if TYPE_CHECKING:
    from pagelens.browser.element import Element
    from pagelens.browser.frame import Frame

__all__ = ["evaluate_value"]

VALUES = JsFunction("pagelens.browser", "js/values.js")
_MAKE_VALUES = f"({VALUES.source})(({SERIALIZE.source})())"

#: Whole numbers up to this are exact in JavaScript.
_SAFE = 2**53
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


async def evaluate_value(
    frame: Frame,
    source: str,
    args: Sequence[Any] = (),
    *,
    timeout: float = TOOL,
    as_element: Callable[[Any], int | None] = lambda value: None,
    elements: Callable[[], Awaitable[Sequence[Element]]] | None = None,
    make_element: Callable[[Frame, int], Any],
) -> Any:
    """Run `source` in the frame's own world, wait for its promise, and return its value; see the module's table.

    Args:
        source: a function, or an expression or statements (without `args`) whose last value counts.
        args: what the function gets.
        timeout: seconds; then the script is ended.
        as_element: the index in `elements` of a value that stands for an element; None for other values.
        elements: awaited once `args` have been read: the elements among them, all in `frame`.
        make_element: makes the caller's object for an element in the result, from its frame and uid number.

    Raises:
        InvalidInput: an argument that can't be passed, or arguments for something that is no function.
        ScriptFailed: it does not compile, or threw: with the page's own words and the lines concerned.
        DeadlineExceeded: it ran, or its promise stayed open, for longer than `timeout`.
        DocumentReplaced: the page navigated before the script returned.
        DialogOpen, PageCrashed, PageClosed, FrameGone: the frame can't be asked.
    """
    valuation = _Valuation(frame, timeout, make_element)
    if FUNCTION.match(source):
        text = _Writer(as_element).text(list(args)) if args else ""
        return await valuation.call(source, text, await elements() if elements is not None else ())
    if args:
        raise InvalidInput(
            "Arguments can be passed to a function only, and the source is none.", "Write it as (a, b) => …"
        )
    return await valuation.run(source)


class _Valuation(Evaluation):
    """One evaluation whose result becomes a Python value."""

    def __init__(self, frame: Frame, timeout: float, make_element: Callable[[Frame, int], Any]) -> None:
        super().__init__(frame.page, timeout)
        self._frame = frame
        self._make_element = make_element

    async def call(self, source: str, text: str, elements: Sequence[Element]) -> Any:
        """Call a function with the arguments that `text` holds."""
        body = source.strip().rstrip(";")
        given = "...pagelens$v.in(pagelens$t,pagelens$e)" if text else ""
        declaration = (
            f"async function {WRAPPER}(pagelens$v,pagelens$t,...pagelens$e){{try{{"
            f"const pagelens$f=[(\n{body}\n)][0];return pagelens$v.out(await(typeof pagelens$f==='function'"
            f"?pagelens$f({given}):pagelens$f))}}"
            f"catch(pagelens$e){{return pagelens$v.thrown(pagelens$e)}}}}"
        )
        try:
            return await self._call(declaration, [{"value": text}], elements, LINES_BEFORE)
        except DocumentReplaced as error:
            if not never_ran(error):
                raise lost() from error
            # The document changed under our feet before anything ran.
            return await self._call(declaration, [{"value": text}], elements, LINES_BEFORE)

    async def run(self, source: str) -> Any:
        """Run statements as the console does."""
        context, _ = await self._helper(self._frame, _MAKE_VALUES)
        value = await self._run_expression(self._frame, context, source)
        declaration = f"async function {WRAPPER}(v,x){{try{{return v.out(await x)}}catch(e){{return v.thrown(e)}}}}"
        held: dict[str, Any] = {k: value[k] for k in ("objectId", "unserializableValue", "value") if k in value}
        try:
            return await self._call(declaration, [held], (), 0)
        except DocumentReplaced as error:
            raise lost() from error

    async def _call(
        self, declaration: str, arguments: Sequence[dict[str, Any]], elements: Sequence[Element], lines_before: int
    ) -> Any:
        frame = self._frame
        context, helper = await self._helper(frame, _MAKE_VALUES)
        objects = [await element.main_world_object() for element in elements]
        session = frame.session
        try:
            reply = session.post(
                "Runtime.callFunctionOn",
                {
                    "functionDeclaration": declaration,
                    "executionContextId": context,
                    "arguments": [{"objectId": helper}, *arguments, *({"objectId": held} for held in objects)],
                    "awaitPromise": True,
                    "userGesture": True,
                    "objectGroup": self._group,
                    "serializationOptions": DEEP,
                },
            )
            result = await self._wait(frame, reply)
            raise_if_failed(result, lines_before)
            parts = [item["value"] for item in result["result"]["deepSerializedValue"]["value"]]
            if len(parts) > 2:
                raise threw(parts[0], lines_before)
            text, nodes = parts
            numbers = await self._uids(frame, [node["value"]["backendNodeId"] for _, node in nodes]) if nodes else []
        finally:
            session.post("Runtime.releaseObjectGroup", {"objectGroup": self._group})
            for object_id in objects:
                session.post("Runtime.releaseObject", {"objectId": object_id})
        made = [self._make_element(frame, number) if number else None for number in numbers]
        return _Reader(text, made).value


class _Reader:
    """Makes the Python value of what ``js/values.js`` wrote."""

    def __init__(self, text: str, elements: Sequence[Any]) -> None:
        found = json.loads(text)
        self._elements = elements
        self._table: list[list[Any]] = found["t"]
        # Containers first, so that what refers to itself can.
        self._made: list[Any] = [{} if self._is_dict(entry) else [] for entry in self._table]
        for made, entry in zip(self._made, self._table, strict=True):
            self._fill(made, entry)
        self.value = self._of(found["v"])

    def _is_dict(self, entry: list[Any]) -> bool:
        if entry[0] == "m":
            return all(not isinstance(key, list) or key[0] in ("u", "n", "b", "d", "x") for key in entry[1::2])
        return bool(entry[0] == "o")

    def _fill(self, made: Any, entry: list[Any]) -> None:
        kind = entry[0]
        if kind in ("a", "s"):
            made.extend(map(self._of, entry[1:]))
        elif kind == "o":
            made.update(zip(entry[1::2], map(self._of, entry[2::2]), strict=True))
        elif kind == "m":
            pairs = zip(map(self._of, entry[1::2]), map(self._of, entry[2::2]), strict=True)
            if isinstance(made, dict):
                made.update(pairs)
            else:
                made.extend([key, value] for key, value in pairs)

    def _of(self, slot: Any) -> Any:
        if isinstance(slot, float):
            return int(slot) if slot.is_integer() and abs(slot) <= _SAFE else slot
        if isinstance(slot, int) and not isinstance(slot, bool):
            return slot if abs(slot) <= _SAFE else float(slot)
        if not isinstance(slot, list):
            return slot
        kind = slot[0]
        if isinstance(kind, int):
            entry = self._table[kind]
            return self._of(entry[1]) if entry[0] == "=" else self._made[kind]
        match kind:
            case "n":
                return -0.0 if slot[1] == "-0" else float(slot[1].replace("Infinity", "inf"))
            case "b":
                return int(slot[1])
            case "d":
                return None if slot[1] is None else _date(slot[1])
            case "y":
                return base64.b64decode(slot[1])
            case "e":
                return self._elements[slot[1]]
            case "x":
                return slot[1]
            case _:
                return None


def _date(milliseconds: int) -> datetime | int:
    try:
        return _EPOCH + timedelta(milliseconds=milliseconds)
    except OverflowError:
        return milliseconds


class _Writer:
    """Writes a Python value for ``js/values.js``."""

    def __init__(self, as_element: Callable[[Any], int | None]) -> None:
        self._as_element = as_element
        self._places: dict[int, int] = {}
        self._waiting: list[Any] = []

    def text(self, value: Any) -> str:
        """The text for `value`.

        Raises:
            InvalidInput: something in it has no counterpart in JavaScript.
        """
        root = self._slot(value)
        table: list[list[Any]] = []
        for container in self._waiting:  # grows as its items are written
            if isinstance(container, Mapping):
                entry = ["o"]
                for key, item in container.items():
                    if not isinstance(key, str):
                        raise InvalidInput(
                            f"A dict with the key {key!r} can't be passed to a page.", "Keys must be strings."
                        )
                    entry += [key, self._slot(item)]
                table.append(entry)
            else:
                table.append(["a", *map(self._slot, container)])
        return json.dumps({"v": root, "t": table}, separators=(",", ":"))

    def _slot(self, value: Any) -> Any:
        if value is None or isinstance(value, str | bool):
            return value
        if isinstance(value, int):
            return value if abs(value) <= _SAFE else ["b", str(int(value))]
        if isinstance(value, float):
            if math.isfinite(value) and (value != 0 or math.copysign(1, value) > 0):
                return value
            return ["n", "NaN" if math.isnan(value) else "-0" if value == 0 else f"{'-' if value < 0 else ''}Infinity"]
        if isinstance(value, datetime):
            return ["d", value.timestamp() * 1000]
        if isinstance(value, bytes | bytearray | memoryview):
            return ["y", base64.b64encode(value).decode()]
        index = self._as_element(value)
        if index is not None:
            return ["e", index]
        if isinstance(value, list | tuple | Mapping):
            place = self._places.setdefault(id(value), len(self._waiting))
            if place == len(self._waiting):
                self._waiting.append(value)
            return [place]
        raise InvalidInput(
            f"A {type(value).__name__} can't be passed to a page.",
            "None, bool, int, float, str, bytes, datetime, lists, dicts with string keys and elements of the page can.",
        )
