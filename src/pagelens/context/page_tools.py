"""The tools that a page offers to agents: what there is, found by name, run, and what became of it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pagelens.browser.third_party import Discovery, ThirdPartyTool, ToolGroup, discover, execute, listens
from pagelens.core.deadlines import TOOL, patient
from pagelens.core.safe_text import one_line, quoted, shortened
from pagelens.errors import InvalidInput, UnknownTool

if TYPE_CHECKING:
    from pagelens.context.mcp_page import Done, McpPage

__all__ = ["PageToolResult", "PageTools", "json_object"]

#: A tool ends before the tool that calls it, with words of its own. Seconds.
LIMIT = TOOL - 5
#: Characters of what was received instead of an object, and of a name in an error.
SHOWN = 200
#: So many names are listed to who asked for one that there is not.
MOST_NAMES = 30


@dataclass(frozen=True, slots=True)
class PageToolResult:
    """What became of a call of a page's tool; names and values are the page's, raw.

    Attributes:
        tool: its name.
        status: ``Completed``, ``Canceled``, ``Error``, or ``Pending``: it waits for somebody to submit a form.
        output: what it returned, JSON-like; None when it has not.
        error: why there is no output.
        is_untrusted: the page itself says that the output has content of strangers in it.
        submit_uid: of a pending form, the button that submits it, as in ``e12``.
        is_late: it comes after the reply of the call that began it.
    """

    tool: str
    status: str = "Completed"
    output: Any = None
    error: str = ""
    is_untrusted: bool = False
    submit_uid: str | None = None
    is_late: bool = False


class PageTools:
    """The tools of one page, by the older discovery and by WebMCP."""

    def __init__(self, page: McpPage) -> None:
        self._page = page
        self._discovery: Discovery | None = None

    # -- the older discovery -------------------------------------------------------------------------

    async def discover(self) -> Discovery:
        """Ask the page for its groups of tools; see `pagelens.browser.third_party`."""
        self._discovery = await discover(self._page.page)
        return self._discovery

    async def listens(self) -> bool:
        """Whether the page would answer `discover`; does nothing that it could notice."""
        return await listens(self._page.page)

    async def execute_third_party(self, name: str, params: str | None) -> Done[PageToolResult]:
        """Run a tool of one of the page's groups.

        Args:
            name: of the tool, or ``group/tool`` where several groups have one of this name.
            params: the JSON text of an object; None for an empty one.

        Raises:
            InvalidInput: `params` is no object, or does not fit the tool's schema; or the name is of several.
            UnknownTool: the page has no such tool. ToolGone: no longer.
            ScriptFailed: the tool threw.
        """
        given = json_object(params, "params")
        self._page.page.raise_if_unusable()
        index, tool = await self._find(name)
        check(tool.name, tool.shown_schema, given)
        timeout = patient(LIMIT, self._page.emulation.patience)

        async def run() -> PageToolResult:
            assert self._discovery is not None
            output = await execute(self._page.page, self._discovery, index, tool, given, timeout=timeout)
            return PageToolResult(tool.name, output=output)

        return await self._page.act("script", run)

    def debugging_groups(self) -> list[ToolGroup]:
        """The page's WebMCP tools that are marked for debugging, as a group; none when there are none."""
        return []

    async def _find(self, name: str) -> tuple[int, ThirdPartyTool]:
        """A tool and its group's index: of what was discovered last, unless that is no longer there or lacks it."""
        discovery = self._discovery
        if discovery is None or discovery.document != self._page.page.main_frame.document_key:
            discovery = None
        found = discovery.find(name) if discovery is not None else []
        if not found:
            discovery = await self.discover()
            found = discovery.find(name)
        assert discovery is not None
        if len(found) > 1:
            names = [f"{discovery.groups[index].name}/{tool.name}" for index, tool in found]
            raise InvalidInput(f"Several groups of the page have a tool {_name(name)}.", f"Say which: {_names(names)}.")
        if not found:
            names = [tool.name for group in discovery.groups for tool in group.tools]
            raise unknown(name, names)
        return found[0]


def json_object(text: str | None, what: str) -> dict[str, Any]:
    """The object that a JSON text holds; an empty one without a text.

    Raises:
        InvalidInput: it holds none; says what was received.
    """
    if text is None or not text.strip():
        return {}
    try:
        found = json.loads(text, parse_constant=_no_json)
    except (ValueError, RecursionError) as error:
        why = "is nested too deep" if isinstance(error, RecursionError) else f"is no JSON ({one_line(str(error))})"
    else:
        if isinstance(found, dict):
            return found
        why = "is no JSON object"
    raise InvalidInput(
        f"{what} {why}. Received: {shortened(one_line(text), SHOWN)}", 'Give the text of an object: {"name": "value"}.'
    )


def _no_json(constant: str) -> None:
    raise ValueError(f"{constant} is no JSON")


def check(name: str, schema: Mapping[str, Any] | None, given: dict[str, Any]) -> None:
    """Hold what a tool is to get against its schema.

    Raises:
        InvalidInput: it does not fit; says every fault.
    """
    from pagelens.core.json_schema import faults

    found = faults(schema, given) if schema else []
    if found:
        words = "; ".join(shortened(one_line(fault), SHOWN) for fault in found[:10])
        more = f"; and {len(found) - 10} more" if len(found) > 10 else ""
        raise InvalidInput(
            f"The tool {_name(name)} was not run, what it is to get does not fit its schema: {words}{more}.",
            "Its schema is in the list of the page's tools.",
        )


def unknown(name: str, names: Sequence[str]) -> UnknownTool:
    """The error for a name that no tool of the page has."""
    if not names:
        return UnknownTool(f"The page offers no tool {_name(name)}, and no other.", "It may offer tools later.")
    return UnknownTool(f"The page offers no tool {_name(name)}.", f"It offers {_names(names)}.")


def _name(name: str) -> str:
    return quoted(shortened(name, SHOWN))


def _names(names: Sequence[str]) -> str:
    shown = ", ".join(_name(name) for name in names[:MOST_NAMES])
    return shown + (f" and {len(names) - MOST_NAMES} more" if len(names) > MOST_NAMES else "")
