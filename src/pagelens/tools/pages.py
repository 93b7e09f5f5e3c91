"""Pages: list, open, select, close, navigate, and answer their dialogs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from pydantic import Field, model_validator

from pagelens.core.deadlines import NAVIGATION, TOOL_MARGIN, seconds_of
from pagelens.core.options import Options
from pagelens.core.safe_text import quoted
from pagelens.tools.definition import (
    PageToolRequest,
    ToolDefinition,
    ToolParams,
    ToolRequest,
    define_page_tool,
    define_tool,
    tool_factory,
)

if TYPE_CHECKING:
    from pagelens.context.mcp_context import McpContext
    from pagelens.response.mcp_response import McpResponse

__all__ = ["close_page", "handle_dialog", "list_pages", "navigate_page", "new_page", "select_page"]


#: Longest name of an isolated context.
CONTEXT_CHARS = 100


def _seconds(timeout: int | None) -> float:
    return seconds_of(timeout, NAVIGATION)


class ListPagesParams(ToolParams):
    pageSize: int | None = Field(default=None, gt=0, description="Default: all.")
    pageIdx: int | None = Field(default=None, ge=0, description="Part to show, from 0.")


class NewPageParams(ToolParams):
    url: str = Field(description="URL to load.")
    background: bool | None = Field(default=None, description="Do not bring it to the front.")
    isolatedContext: str | None = Field(
        default=None,
        description="Name: pages with the same name share cookies and storage, with no other pages.",
    )
    timeout: int | None = Field(default=None, description="Most ms to wait for loading; 0: default.")

    @model_validator(mode="after")
    def _named(self) -> NewPageParams:
        if self.isolatedContext is not None and not 1 <= len(self.isolatedContext.strip()) <= CONTEXT_CHARS:
            raise ValueError(f"isolatedContext is a name of 1 to {CONTEXT_CHARS} characters")
        return self


class SelectPageParams(ToolParams):
    pageId: int = Field(description="Id from list_pages.")
    bringToFront: bool | None = Field(default=None, description="Also show it in front of other windows.")


class ClosePageParams(ToolParams):
    pageId: int = Field(description="Id from list_pages.")


class NavigatePageParams(ToolParams):
    type: Literal["url", "back", "forward", "reload"] | None = Field(default=None, description="Default: url.")
    url: str | None = Field(default=None, description="Target, for type url.")
    ignoreCache: bool | None = Field(default=None, description="Bypass the cache.")
    handleBeforeUnload: Literal["accept", "dismiss"] | None = Field(
        default=None, description="Answer to a beforeunload dialog; default: accept, the page is left."
    )
    timeout: int | None = Field(default=None, description="Most ms to wait for loading; 0: default.")

    @model_validator(mode="after")
    def _target(self) -> NavigatePageParams:
        if self.type in (None, "url") and not self.url:
            raise ValueError("give url, or type back, forward or reload")
        if self.type not in (None, "url") and self.url:
            raise ValueError(f"url goes with type url, not with {self.type}")
        return self


class ScriptedNavigatePageParams(NavigatePageParams):
    """As it is unless the user forbade JavaScript of the agent's own."""

    initScript: str | None = Field(default=None, description="JavaScript to run before the new document's own.")

    @model_validator(mode="after")
    def _script(self) -> ScriptedNavigatePageParams:
        if self.initScript is not None and self.type in ("back", "forward"):
            raise ValueError("initScript goes with type url or reload")
        return self


class HandleDialogParams(ToolParams):
    action: Literal["accept", "dismiss"] = Field(description="OK or Cancel.")
    promptText: str | None = Field(default=None, description="Text to answer a prompt with.")


@define_tool(
    name="list_pages",
    title="List pages",
    category="navigation",
    description="Lists open pages with id, URL and title. Always answers, even when a page is stuck.",
    read_only=True,
    params=ListPagesParams,
    lock="none",
)
async def list_pages(request: ToolRequest[ListPagesParams], response: McpResponse, context: McpContext) -> None:
    response.include_pages(page_size=request.params.pageSize, page_idx=request.params.pageIdx)
    response.include_workers()


@define_tool(
    name="new_page",
    title="New page",
    category="navigation",
    description="Opens a new page, selects it and loads a URL.",
    read_only=False,
    params=NewPageParams,
    lock="none",
    deadline=lambda params: _seconds(params.timeout) + TOOL_MARGIN,
)
async def new_page(request: ToolRequest[NewPageParams], response: McpResponse, context: McpContext) -> None:
    isolated = request.params.isolatedContext
    page = await context.new_page(background=bool(request.params.background), isolated_context=isolated)
    response.for_page(page)
    where = f" in the isolated context {quoted(isolated)}" if isolated is not None else ""
    response.append_line(f"Opened page {page.id}{where}; it is selected now.")
    response.attach_navigation(await page.navigate(request.params.url, timeout=_seconds(request.params.timeout)))
    response.mention_page_tools()


@define_tool(
    name="select_page",
    title="Select page",
    category="navigation",
    description="Makes a page the one that tools use when no pageId is given.",
    read_only=False,
    params=SelectPageParams,
    lock="none",
)
async def select_page(request: ToolRequest[SelectPageParams], response: McpResponse, context: McpContext) -> None:
    page = context.select(request.params.pageId)
    response.for_page(page)
    if request.params.bringToFront:
        await page.bring_to_front()
    response.append_line(f"Page {page.id} is selected now: {page.printable_url}")
    response.mention_page_tools()


@define_tool(
    name="close_page",
    title="Close page",
    category="navigation",
    description="Closes a page, also one that is stuck. After the last one a blank page is opened.",
    read_only=False,
    destructive=True,
    params=ClosePageParams,
    lock="none",
)
async def close_page(request: ToolRequest[ClosePageParams], response: McpResponse, context: McpContext) -> None:
    before = context.selected_id
    selected = await context.close_page(request.params.pageId)
    text = f"Closed page {request.params.pageId}."
    if before != selected.id:
        text += f" Page {selected.id} is selected now: {selected.printable_url}"
    response.append_line(text)


async def _navigate_page(
    request: PageToolRequest[NavigatePageParams], response: McpResponse, context: McpContext
) -> None:
    params = request.params
    result = await request.page.navigate(
        params.url or "",
        how=params.type or "url",
        timeout=seconds_of(params.timeout, 0) or None,
        ignore_cache=bool(params.ignoreCache),
        before_unload=params.handleBeforeUnload or "accept",
        init_script=getattr(params, "initScript", None),
    )
    verbs = {"back": "Went back to", "forward": "Went forward to", "reload": "Reloaded"}
    response.attach_navigation(result, verbs.get(params.type or "", "Navigated to"))
    response.mention_page_tools()


@tool_factory
def navigate_page(options: Options) -> ToolDefinition:
    return define_page_tool(
        name="navigate_page",
        title="Navigate",
        category="navigation",
        description="Loads a URL, or goes back, forward or reloads. Returns once the page is usable; "
        "what still loads is named.",
        read_only=False,
        params=ScriptedNavigatePageParams if options.javascript_evaluation else NavigatePageParams,
        lock="write",
        blocked_by_dialog=True,
        needs_answer=False,
        deadline=lambda params: _seconds(params.timeout) + TOOL_MARGIN,
    )(_navigate_page)


@define_page_tool(
    name="handle_dialog",
    title="Handle dialog",
    category="input",
    description="Answers the open alert, confirm, prompt or beforeunload dialog.",
    read_only=False,
    params=HandleDialogParams,
    lock="none",
)
async def handle_dialog(
    request: PageToolRequest[HandleDialogParams], response: McpResponse, context: McpContext
) -> None:
    accept = request.params.action == "accept"
    done = await request.page.handle_dialog(accept, request.params.promptText)
    if done.report is not None:
        response.append_line(f"{'Accepted' if accept else 'Dismissed'} {done.report.words()}.")
    response.attach_effect(done.effect)
