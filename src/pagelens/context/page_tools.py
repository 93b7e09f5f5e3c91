"""The tools that a page offers to agents: what there is, found by name, run, and what became of it."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from pagelens.browser.element import Element
from pagelens.browser.third_party import Discovery, ThirdPartyTool, ToolGroup, discover, execute, listens
from pagelens.browser.webmcp import Invocation, WebMCPTool, WebMCPToolCall, WebMCPToolCallResult
from pagelens.browser.world import JsFunction
from pagelens.core.deadlines import COMMAND, TOOL, patient
from pagelens.core.json_schema import faults
from pagelens.core.safe_text import one_line, quoted, shortened
from pagelens.errors import InvalidInput, PagelensError, UnknownTool, WebMCPUnavailable

if TYPE_CHECKING:
    from pagelens.browser.frame import Frame
    from pagelens.context.mcp_page import Done, McpPage

__all__ = ["FRAME_CHARS", "PageToolResult", "PageTools", "json_object"]

log = logging.getLogger(__name__)

_NEXT_TASK = JsFunction("pagelens.browser", "js/next_task.js")
_TIMERS_RUN = JsFunction("pagelens.browser", "js/timers_run.js")
_SUBMIT_BUTTON = JsFunction("pagelens.browser", "js/submit_button.js")

#: A tool ends before the tool that calls it, with words of its own. Seconds.
LIMIT = TOOL - 5
#: Characters of what was received instead of an object, and of a name in an error.
SHOWN = 200
#: Seconds that a page may take to tell of its tools before a reply is made without them.
MOMENT = 0.5
#: Characters of a frame's id that tell it from others.
FRAME_CHARS = 8
#: So many calls that ended late are kept to be told.
MOST_LATE = 50
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
        self._expected: list[Invocation] = []
        self._late: list[PageToolResult] = []

    def take_late(self) -> list[PageToolResult]:
        """How calls have ended that had not when their replies were made; forgets it."""
        late, self._late = self._late, []
        return late

    async def settled(self) -> bool:
        """Give the page a moment to tell what it has registered so far (forms come a little after their elements);
        whether it answers at all. Ends nothing in a page that does not."""
        page = self._page.page
        reply = page.main_frame.post_call(_TIMERS_RUN)
        if reply is None or page.dialog is not None:
            return False
        reply.on_done(page.loads.touch)
        return await page.loads.wait(lambda: reply.done, MOMENT) and not reply.failed

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
        if any(tool.name == name for tool in self._debugging()) and not self._is_discovered(name):
            return await self._execute_webmcp(self._choose(self._debugging(), name, None), given)
        index, tool = await self._find(name)
        check(tool.name, tool.shown_schema, given)
        timeout = patient(LIMIT, self._page.emulation.patience)

        async def run() -> PageToolResult:
            assert self._discovery is not None
            output = await execute(self._page.page, self._discovery, index, tool, given, timeout=timeout)
            return PageToolResult(tool.name, output=output)

        return await self._page.act("script", run)

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
            raise unknown(name, [*names, *(tool.name for tool in self._debugging())])
        return found[0]

    def _is_discovered(self, name: str) -> bool:
        known = self._discovery
        return (
            known is not None and known.document == self._page.page.main_frame.document_key and bool(known.find(name))
        )

    # -- WebMCP --------------------------------------------------------------------------------------

    def webmcp_tools(self) -> list[WebMCPTool]:
        """What the page offers by WebMCP, without the tools that are marked for debugging."""
        return [tool for tool in self._page.page.webmcp.tools() if not tool.annotations.debugging]

    def debugging_groups(self) -> list[ToolGroup]:
        """The page's WebMCP tools that are marked for debugging, as a group; none when there are none."""
        tools = [ThirdPartyTool(tool.name, tool.description, tool.input_schema) for tool in self._debugging()]
        return [ToolGroup("WebMCP", "Tools that the page marks for debugging", tools)] if tools else []

    async def webmcp_unavailable(self) -> str:
        """Why the page can't offer tools by WebMCP, in words; empty when it can, or nobody knows."""
        try:
            await self._page.page.webmcp.raise_if_unavailable()
        except WebMCPUnavailable as error:
            return str(error)
        return ""

    async def execute_webmcp(self, name: str, input: str | None, frame: str | None = None) -> Done[PageToolResult]:
        """Run a WebMCP tool of the page. A form that a person is to submit is only filled: the report says so.

        Args:
            input: the JSON text of an object; None for an empty one.
            frame: the beginning of the id of the frame that offers it, where several do.

        Raises:
            InvalidInput: `input` is no object, or does not fit the tool's schema; or the name is of several.
            UnknownTool: the page has no such tool. WebMCPUnavailable: it can have none.
        """
        given = json_object(input, "input")
        self._page.page.raise_if_unusable()
        return await self._execute_webmcp(await self._webmcp_tool(name, frame), given)

    async def cancel_webmcp(self, name: str, frame: str | None = None) -> int:
        """Cancel what has not ended of the calls of a tool that were made here; returns how many there were. Raises as
        `execute_webmcp`."""
        tool = await self._webmcp_tool(name, frame)
        pending = [call for call in self._expected if call.tool is tool]
        for call in reversed(pending):  # first those that wait for their turn, or it would come
            call.cancel()
        for call in pending:
            await call.ended(COMMAND)
        return len(pending)

    async def _webmcp_tool(self, name: str, frame: str | None) -> WebMCPTool:
        offered = self.webmcp_tools()
        if not any(tool.name == name for tool in offered):
            await self._page.page.webmcp.raise_if_unavailable()
            if any(tool.name == name for tool in self._debugging()):
                raise UnknownTool(
                    f"The page marks its tool {_name(name)} for debugging.",
                    "execute_3p_developer_tool runs such tools (--category-third-party).",
                )
        return self._choose(offered, name, frame)

    def _debugging(self) -> list[WebMCPTool]:
        return [tool for tool in self._page.page.webmcp.tools() if tool.annotations.debugging]

    def _choose(self, offered: Sequence[WebMCPTool], name: str, frame: str | None) -> WebMCPTool:
        found = [tool for tool in offered if tool.name == name]
        if not found:
            raise unknown(name, list(dict.fromkeys(tool.name for tool in offered)))
        if frame is not None:
            found = [tool for tool in found if tool.frame_id.lower().startswith(frame.lower())]
            if not found:
                raise UnknownTool(
                    f"No frame {quoted(shortened(frame, SHOWN))} offers a tool {_name(name)}.",
                    "The list of the page's tools has the frames.",
                )
        if len(found) > 1:
            frames = [f"{tool.frame_id[:FRAME_CHARS].lower()} ({_url(tool.frame)})" for tool in found]
            raise InvalidInput(
                f"Several frames of the page offer a tool {_name(name)}.",
                f"Say which: frame is {', or '.join(frames)}.",
            )
        return found[0]

    async def _execute_webmcp(self, tool: WebMCPTool, given: dict[str, Any]) -> Done[PageToolResult]:
        refuse_faults(tool.name, tool.faults(given))
        timeout = patient(LIMIT, self._page.emulation.patience)

        async def run() -> PageToolResult:
            invocation = tool.begin(given, validate=False)
            if tool.is_form and not tool.annotations.autosubmit:
                return await self._filled(invocation)
            result = await invocation.outcome(timeout)
            if invocation.done:
                return _told(tool, result)
            self._expect(invocation)
            return PageToolResult(tool.name, "Pending", error=result.error_text)

        return await self._page.act("script", run, None if tool.frame.is_main else tool.frame)

    async def _filled(self, invocation: Invocation) -> PageToolResult:
        """Wait until a form is filled; it is for somebody else to submit it."""
        tool = invocation.tool
        if not invocation.is_waiting:
            await self._begun(invocation)
        if invocation.result is not None:
            return _told(tool, invocation.result)
        self._expect(invocation)
        if invocation.is_waiting:
            return PageToolResult(
                tool.name,
                "Pending",
                error="an earlier call of this form has not ended, and its turn comes after that. Submit the form, or "
                f"cancel with execute_webmcp_tool toolName={_name(tool.name)} cancel=true.",
            )
        uid = await self._submit_uid(tool)
        submit = f"click uid={uid}, its submit button" if uid else "submit it (it has no submit button)"
        return PageToolResult(
            tool.name,
            "Pending",
            error=f"it is a form, whose fields are filled now and which is not submitted. To submit it, {submit}; to "
            f"cancel, call execute_webmcp_tool with toolName={_name(tool.name)} and cancel=true. "
            "What comes of it is told with a later reply.",
            submit_uid=uid,
        )

    async def _begun(self, invocation: Invocation) -> None:
        """Wait until Chrome has taken the call, or ended it."""
        tool = invocation.tool
        taken: asyncio.Future[None] = asyncio.get_running_loop().create_future()

        def take() -> None:
            if not taken.done():
                taken.set_result(None)

        def seen(call: WebMCPToolCall) -> None:
            if call.tool is tool:
                take()

        forget = invocation.on_done(take)
        stop = tool.registry.tool_invoked.connect(seen)
        try:
            async with asyncio.timeout(COMMAND):
                await taken
            # The form is filled by the time that the page answers; a call with a bad value has ended then.
            await tool.frame.call(_NEXT_TASK)
        except TimeoutError:
            log.info("the form of the tool %s was not filled within %g s", quoted(tool.name), COMMAND)
        finally:
            stop()
            forget()

    async def _submit_uid(self, tool: WebMCPTool) -> str | None:
        form = await tool.form_element()
        if form is None:
            return None
        try:
            object_id = await form.frame.call_on_for_object(_SUBMIT_BUTTON, form.object_id)
            if object_id is None:
                return None
            button = Element(form.frame, object_id, "the submit button")
            number = await button.uid_number()
            await button.release()
            return f"e{number}"
        except PagelensError as error:
            log.info("the submit button of the tool %s can't be found: %s", quoted(tool.name), error)
            return None
        finally:
            await form.release()

    def _expect(self, invocation: Invocation) -> None:
        """Tell of this call's end with a later reply."""

        def ended() -> None:
            assert invocation.result is not None
            self._expected.remove(invocation)
            self._late.append(replace(_told(invocation.tool, invocation.result), is_late=True))
            del self._late[:-MOST_LATE]

        self._expected.append(invocation)
        invocation.on_done(ended)


def _told(tool: WebMCPTool, result: WebMCPToolCallResult) -> PageToolResult:
    untrusted = tool.annotations.untrusted_content
    return PageToolResult(tool.name, result.status, result.output, result.error_text, is_untrusted=untrusted)


def _url(frame: Frame) -> str:
    return shortened(one_line(frame.url), 100)


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
    refuse_faults(name, faults(schema, given) if schema else [])


def refuse_faults(name: str, found: Sequence[str]) -> None:
    """Raise `InvalidInput` for what is wrong with what a tool is to get, if anything is."""
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
