"""Tools that a page offers by the discovery event, as it was done before WebMCP.

A page listens for ``devtoolstooldiscovery`` on its window and answers with ``event.respondWith({name, description,
tools})``, at once or a task later, as often as it has groups. A tool is ``{name, description, inputSchema, execute}``.
Everything here happens in the main frame's own world, where the page's functions are.

A schema may ask for an element of the page: ``{"type": "object", "x-mcp-type": "HTMLElement"}``. An agent names it by
``{"uid": "e12"}``; elements that a tool returns come back so.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice
from typing import TYPE_CHECKING, Any

from pagelens.browser.uids import UIDS
from pagelens.browser.values import evaluate_value
from pagelens.browser.world import JsFunction
from pagelens.core.deadlines import COMMAND, TOOL
from pagelens.core.safe_text import quoted, shortened
from pagelens.errors import DocumentReplaced, InvalidInput, ScriptFailed, ToolGone

if TYPE_CHECKING:
    from pagelens.browser.element import Element
    from pagelens.browser.page import Page
    from pagelens.browser.uids import DocumentKey

__all__ = [
    "Discovery",
    "ThirdPartyTool",
    "ToolGroup",
    "discover",
    "execute",
    "gone",
    "listens",
    "replace_html_elements_with_uids",
]

_ASK = JsFunction("pagelens.browser", "js/third_party_ask.js")
_GROUPS = JsFunction("pagelens.browser", "js/third_party_groups.js")
_EXECUTE = JsFunction("pagelens.browser", "js/third_party_execute.js")
_PLAIN = JsFunction("pagelens.browser", "js/plain_result.js")
_TIMERS_RUN = JsFunction("pagelens.browser", "js/timers_run.js")
SHOW_NODES = JsFunction("pagelens.browser", "js/show_nodes.js", needs=(UIDS,))

_RUN = f"async (...given) => (\n{_EXECUTE.source}\n)((\n{_PLAIN.source}\n), ...given)"
_EVENT = "devtoolstooldiscovery"
_UID = re.compile(r"(?:uid=)?e\d{1,15}|(?:css|text)=.+", re.DOTALL)
_OUR_PLACE = re.compile(r"\n *at (?:async )?(?:\S+ \()?script:\d+:\d+\)?$", re.MULTILINE)
#: Schemas are followed so deep.
_DEEPEST = 100
#: And so deep within one place: choices of choices, references that lead to themselves.
_DEEPEST_CHOICE = 8
_MOST_CHOICES = 200


@dataclass(frozen=True, slots=True)
class ThirdPartyTool:
    """One tool of a group.

    Attributes:
        input_schema: as the page gave it; None when it gave none.
        shown_schema: the same for agents: elements are ``{"uid": …}``.
    """

    name: str
    description: str
    input_schema: dict[str, Any] | None

    @property
    def shown_schema(self) -> dict[str, Any] | None:
        return None if self.input_schema is None else replace_html_elements_with_uids(self.input_schema)


@dataclass(frozen=True, slots=True)
class ToolGroup:
    """Tools that belong together; names and descriptions are the page's own words, raw."""

    name: str
    description: str
    tools: list[ThirdPartyTool]


@dataclass(frozen=True, slots=True)
class Discovery:
    """What a page has answered.

    Attributes:
        document: the document that answered; tools of another one are gone.
        groups: in the order of the answers.
        skipped: what of the answers was no group or tool, and why; the page's words in them are raw.
    """

    document: DocumentKey
    groups: list[ToolGroup] = field(default_factory=list)
    skipped: list[str] = field(default_factory=list)

    def find(self, name: str) -> list[tuple[int, ThirdPartyTool]]:
        """The tools of this name, each with its group's index; ``group/name`` is a name too."""
        tools = [(index, tool) for index, group in enumerate(self.groups) for tool in group.tools]
        found = [(index, tool) for index, tool in tools if tool.name == name]
        return found or [(index, tool) for index, tool in tools if f"{self.groups[index].name}/{tool.name}" == name]


async def discover(page: Page) -> Discovery:
    """Ask the page which tools it has.

    Raises:
        DialogOpen, PageCrashed, PageClosed, CommandTimeout, DocumentReplaced: the page can't be asked.
    """
    frame = page.main_frame
    document = frame.document_key
    await _evaluate(page, _ASK.source, timeout=COMMAND)
    await frame.call(_TIMERS_RUN)
    answer = await _evaluate(page, _GROUPS.source, timeout=COMMAND)
    if frame.document_key != document:
        raise DocumentReplaced("The page navigated while it was asked for its tools.", "Try again.")
    groups = [
        ToolGroup(
            str(group["name"]),
            str(group["description"]),
            [
                ThirdPartyTool(
                    str(tool["name"]),
                    str(tool["description"]),
                    json.loads(tool["schema"]) if isinstance(tool["schema"], str) else None,
                )
                for tool in group["tools"]
            ],
        )
        for group in answer["groups"]
    ]
    return Discovery(document, groups, [str(why) for why in answer["skipped"]])


async def listens(page: Page) -> bool:
    """Whether a script of the page listens for the discovery event. Does nothing that the page could notice.

    Raises:
        As `discover`.
    """
    frame = page.main_frame
    if frame.main_context is None:
        return False
    window = await frame.guarded(
        frame.session.post("Runtime.evaluate", {"expression": "window", "contextId": frame.main_context})
    )
    object_id = window["result"].get("objectId")
    if object_id is None:
        return False
    try:
        reply = await frame.guarded(frame.session.post("DOMDebugger.getEventListeners", {"objectId": object_id}))
    finally:
        frame.session.post("Runtime.releaseObject", {"objectId": object_id})
    return any(listener["type"] == _EVENT for listener in reply["listeners"])


async def execute(
    page: Page, discovery: Discovery, group: int, tool: ThirdPartyTool, params: dict[str, Any], *, timeout: float = TOOL
) -> Any:
    """Run a tool and return what it returned, as a JSON value: elements are ``{"uid": "e12"}``, other things that JSON
    lacks are words. The elements are lines of the next snapshot.

    Args:
        group: the index of its group in `discovery`.
        params: as an agent gives them, valid for `ThirdPartyTool.shown_schema`.
        timeout: seconds; then the tool is ended.

    Raises:
        ToolGone: the page has another document now, or no such tool.
        ScriptFailed: the tool threw; with its own words.
        ElementError: a uid leads to no element. InvalidInput: it leads into another frame.
        DeadlineExceeded, DocumentReplaced, DialogOpen, PageCrashed, PageClosed: as `evaluate_value`.
    """
    frame = page.main_frame
    if frame.document_key != discovery.document:
        raise gone(tool.name)
    held: list[Element] = []
    marked = _Marking(tool.input_schema).marked(params)
    targets = list(dict.fromkeys(_targets(marked)))
    numbers: list[int] = []
    try:
        for target in targets:
            element = await page.element(target.name)
            held.append(element)
            if element.frame is not frame:
                raise InvalidInput(
                    f"{target.name} is in a frame of the page, and the page's tools reach its own elements only.",
                    "Pass an element of the page itself.",
                )

        async def elements() -> list[Element]:
            return held

        def shown(_: object, number: int) -> dict[str, str]:
            numbers.append(number)
            return {"uid": f"e{number}"}

        found = await _evaluate(
            page,
            _RUN,
            group,
            discovery.groups[group].name,
            tool.name,
            marked,
            timeout=timeout,
            as_element=lambda value: targets.index(value) if isinstance(value, _Target) else None,
            elements=elements,
            make_element=shown,
        )
    except ScriptFailed as error:
        # Lines of the stack that are ours say nothing to whoever called the tool.
        words = _OUR_PLACE.sub("", error.message.removeprefix("The script threw "))
        raise ScriptFailed(f"The page's tool {quoted(shortened(tool.name, 100))} threw {words}") from error
    finally:
        for element in held:
            await element.release()
    if not found["found"]:
        raise gone(tool.name)
    if numbers:
        await _show(page, numbers)
    return found.get("value")


async def _show(page: Page, numbers: list[int]) -> None:
    try:
        await page.main_frame.call(SHOW_NODES, numbers)
    except DocumentReplaced:
        pass  # its elements went with it


def gone(name: str) -> ToolGone:
    """The error for a tool that was there."""
    return ToolGone(
        f"The page no longer offers the tool {quoted(shortened(name, 100))}.",
        "List its tools again to see what it offers.",
    )


async def _evaluate(page: Page, source: str, *args: Any, timeout: float, **more: Any) -> Any:
    more.setdefault("make_element", lambda frame, number: None)
    return await evaluate_value(page.main_frame, source, args, timeout=timeout, **more)


# -- elements in schemas and values ----------------------------------------------------------------------


def replace_html_elements_with_uids(schema: Any, *, depth: int = 0) -> Any:
    """A copy of a JSON schema in which an element of the page is an object with its ``uid``."""
    if not isinstance(schema, Mapping) or depth > _DEEPEST:
        return schema
    if _is_element(schema):
        kept = {
            key: value for key, value in schema.items() if key not in ("type", "x-mcp-type", "properties", "required")
        }
        return {**kept, "type": "object", "properties": {"uid": {"type": "string"}}, "required": ["uid"]}
    return {key: _replaced(key, value, depth + 1) for key, value in schema.items()}


def _replaced(key: str, value: Any, depth: int) -> Any:
    if key in ("properties", "patternProperties", "$defs", "definitions") and isinstance(value, Mapping):
        return {name: replace_html_elements_with_uids(inner, depth=depth) for name, inner in value.items()}
    if key in ("anyOf", "allOf", "oneOf", "prefixItems", "items") and isinstance(value, list):
        return [replace_html_elements_with_uids(inner, depth=depth) for inner in value]
    if key in ("items", "additionalProperties", "not", "if", "then", "else"):
        return replace_html_elements_with_uids(value, depth=depth)
    return value


def _is_element(schema: Any) -> bool:
    return isinstance(schema, Mapping) and schema.get("x-mcp-type") == "HTMLElement"


@dataclass(frozen=True, slots=True)
class _Target:
    """Stands for an element in parameters."""

    name: str


class _Marking:
    """Puts a `_Target` in place of every ``{"uid": …}`` that stands for an element.

    It does where the schema asks for an element, or says nothing about that place.
    """

    def __init__(self, schema: Mapping[str, Any] | None) -> None:
        self._root = schema or {}

    def marked(self, params: dict[str, Any]) -> dict[str, Any]:
        """Parameters, for a schema of an object."""
        choices = list(islice(self._choices(self._root), _MOST_CHOICES))
        return {key: self._marked(value, _for_key(choices, key), 0) for key, value in params.items()}

    def _marked(self, value: Any, schema: Any, depth: int) -> Any:
        if depth > _DEEPEST:
            return value
        choices = list(islice(self._choices(schema), _MOST_CHOICES))
        if isinstance(value, dict):
            if _names_element(value) and (not choices or any(map(_is_element, choices))):
                return _Target(value["uid"])
            return {key: self._marked(inner, _for_key(choices, key), depth + 1) for key, inner in value.items()}
        if isinstance(value, list):
            return [self._marked(inner, _for_index(choices, index), depth + 1) for index, inner in enumerate(value)]
        return value

    def _choices(self, schema: Any, depth: int = 0) -> Iterator[Mapping[str, Any]]:
        """The schemas that may hold at one place; none when anything may be there."""
        if not isinstance(schema, Mapping) or not schema or depth > _DEEPEST_CHOICE:
            return
        yield schema
        if isinstance(schema.get("$ref"), str):
            yield from self._choices(self._referred(schema["$ref"]), depth + 1)
        for key in ("anyOf", "allOf", "oneOf"):
            for inner in schema.get(key) or ():
                yield from self._choices(inner, depth + 1)

    def _referred(self, pointer: str) -> Any:
        """What ``#/$defs/name`` stands for; None when it is not there, or elsewhere."""
        found: Any = self._root if pointer == "#" or pointer.startswith("#/") else None
        for step in pointer.split("/")[1:]:
            found = found.get(step.replace("~1", "/").replace("~0", "~")) if isinstance(found, Mapping) else None
        return found


def _names_element(value: dict[str, Any]) -> bool:
    uid = value.get("uid")
    return len(value) == 1 and isinstance(uid, str) and _UID.fullmatch(uid) is not None


def _for_key(choices: list[Mapping[str, Any]], key: str) -> Any:
    found = [choice["properties"][key] for choice in choices if key in (choice.get("properties") or {})]
    return {"anyOf": found} if found else None


def _for_index(choices: list[Mapping[str, Any]], index: int) -> Any:
    found: list[Any] = []
    for choice in choices:
        first = choice.get("prefixItems") or (choice["items"] if isinstance(choice.get("items"), list) else [])
        if index < len(first):
            found.append(first[index])
        elif isinstance(choice.get("items"), Mapping):
            found.append(choice["items"])
    return {"anyOf": found} if found else None


def _targets(value: Any) -> Iterator[_Target]:
    if isinstance(value, _Target):
        yield value
    elif isinstance(value, dict):
        for inner in value.values():
            yield from _targets(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _targets(inner)
