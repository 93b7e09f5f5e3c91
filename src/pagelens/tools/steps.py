"""Several actions in one call: a model's turn costs more than all of them."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any

from pydantic import Field, model_validator

from pagelens.core.deadlines import TOOL, TOOL_MARGIN, seconds_of
from pagelens.core.options import Options
from pagelens.core.safe_text import quoted, shortened
from pagelens.errors import InvalidInput, PagelensError
from pagelens.response.mcp_response import McpResponse
from pagelens.tools.arguments import nearest, parse_arguments
from pagelens.tools.definition import PageToolRequest, ToolDefinition, ToolParams, define_page_tool

if TYPE_CHECKING:
    from pagelens.context.mcp_context import McpContext
    from pagelens.context.mcp_page import McpPage

__all__ = ["Step", "run_steps", "step_action"]

#: Besides the tools of the category "input".
_MORE = frozenset({"wait_for", "evaluate_script", "navigate_page"})
#: So many steps at most, and so many wrong ones are named.
_MOST = 50
_NAMED = 10


class Step(ToolParams):
    """One action."""

    tool: str = Field(description="An input tool (click, fill, press_key…), wait_for, navigate_page, evaluate_script.")
    arguments: dict[str, Any] = Field(default_factory=dict, description="Its arguments, without pageId.")

    @model_validator(mode="before")
    @classmethod
    def _flat(cls, given: Any) -> Any:
        """Arguments beside the name of the tool can only mean one thing."""
        if isinstance(given, dict) and "tool" in given and "arguments" not in given:
            return {"tool": given["tool"], "arguments": {key: given[key] for key in given if key != "tool"}}
        return given


class RunStepsParams(ToolParams):
    steps: list[Step] = Field(min_length=1, max_length=_MOST, description="What to do, one after the other.")
    includeSnapshot: bool | None = Field(default=None, description="Add a snapshot at the end.")

    @property
    def timeout(self) -> float:
        """What the steps were given for timeouts, in milliseconds: a timeout of the call's own."""
        given = [step.arguments.get("timeout") for step in self.steps]
        return sum(ms for ms in given if isinstance(ms, int | float) and ms > 0)


@define_page_tool(
    name="run_steps",
    title="Run steps",
    category="input",
    description="Does several actions in one call, each as its own tool would. All are checked before the first is "
    "done; the first that fails ends it. Says what each did.",
    read_only=False,
    params=RunStepsParams,
    needs_answer=False,
    deadline=lambda params: TOOL + seconds_of(params.timeout, 0) + (TOOL_MARGIN if params.timeout else 0),
)
async def run_steps(request: PageToolRequest[RunStepsParams], response: McpResponse, context: McpContext) -> None:
    steps = _checked(request.params.steps, context.options)
    total = len(steps)
    wants_snapshot = bool(request.params.includeSnapshot)
    number = 0
    is_done = False
    try:
        for number, (tool, params) in enumerate(steps, 1):
            own = McpResponse()
            own.order.page = request.page
            try:
                tool.refuse_behind_dialog(request.page)
                paths = tool.verified_paths(params, context.file_policy)
                await tool.handler(PageToolRequest(params, paths, page=request.page), own, context)
            except Exception as error:
                response.attach_step(tool.name, own, error)
                raise
            response.attach_step(tool.name, own)
            wants_snapshot = wants_snapshot or own.order.snapshot is not None
            await request.progress(number, total, f"{number} of {total} steps")
        is_done = True
    finally:
        response.include_snapshot(wants_snapshot)
        rest = f", {'the last' if total - number == 1 else f'the {total - number} after it'} not run" * (number < total)
        said = f"Ran {total} steps." if is_done else f"Step {number} of {total} failed{rest}."
        response.append_line(said)


def step_action(steps: list[Step], page: McpPage, context: McpContext) -> Callable[[], Awaitable[None]]:
    """A function that does these steps on a page, silently; the first that fails raises.

    Raises:
        InvalidInput: as for `run_steps`, at once.
    """
    checked = _checked(steps, context.options)

    async def run() -> None:
        for tool, params in checked:
            tool.refuse_behind_dialog(page)
            own = McpResponse()
            own.order.page = page
            paths = tool.verified_paths(params, context.file_policy)
            await tool.handler(PageToolRequest(params, paths, page=page), own, context)

    return run


def _checked(steps: list[Step], options: Options) -> list[tuple[ToolDefinition, ToolParams]]:
    """The tool and parameters of each step.

    Raises:
        InvalidInput: tools that there are not, and wrong arguments, of all steps.
    """
    from pagelens.tools import create_tools  # this tool is one of them

    tools = {tool.name: tool for tool in create_tools(options) if _is_step(tool, options)}
    checked: list[tuple[ToolDefinition, ToolParams]] = []
    wrong: list[str] = []
    for number, step in enumerate(steps, 1):
        tool = tools.get(step.tool)
        if tool is None:
            near = nearest(step.tool, tools)
            named = quoted(shortened(step.tool, 60))
            wrong.append(f"step {number}: {named} is no step" + (f" (did you mean {near}?)" if near else ""))
            continue
        try:
            if "pageId" in step.arguments:
                raise InvalidInput(f"{tool.name} works on the page of run_steps: leave pageId out")
            checked.append((tool, parse_arguments(tool.name, tool.arguments(options), step.arguments)))
        except PagelensError as error:
            wrong.append(f"step {number}: {error.message.rstrip('.')}")
    if wrong:
        more = [f"{len(wrong) - _NAMED} more steps"] if len(wrong) > _NAMED else []
        raise InvalidInput(
            f"No step was run. {'; '.join([*wrong[:_NAMED], *more])}.".replace(". step", ". Step", 1),
            f"Steps can be {', '.join(sorted(tools))}.",
        )
    return checked


def _is_step(tool: ToolDefinition, options: Options) -> bool:
    is_meant = tool.annotations.category == "input" or tool.name in _MORE
    return is_meant and tool.is_page_tool and tool.name != "run_steps" and tool.missing_flag(options) is None
