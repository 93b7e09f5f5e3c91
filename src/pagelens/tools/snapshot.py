"""The page as text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pydantic import Field

from pagelens.errors import InvalidInput
from pagelens.tools.definition import FileUse, PageToolRequest, ToolParams, define_page_tool

if TYPE_CHECKING:
    from pagelens.context.mcp_context import McpContext
    from pagelens.response.mcp_response import McpResponse

__all__ = ["get_outline", "search_snapshot", "take_snapshot"]

#: Limits of what can be asked for.
_FEWEST_LINES = 10
_MOST_LINES = 20_000
_MOST_TOKENS = 1_000_000
_FEWEST_TOKENS = 200
_MOST_LEVELS = 100
_MOST_CONTEXT = 20
_MOST_RESULTS = 1_000
#: So much of a reply an outline may take: JSON writes its quotes and ends of lines with two characters.
_SHARE_OF_REPLY = 0.85


class TakeSnapshotParams(ToolParams):
    verbose: bool | None = Field(default=None, description="Include elements without meaning of their own too.")
    filePath: str | None = Field(default=None, description="Write it to this file instead of the reply.")
    uid: str | None = Field(
        default=None,
        description="Only this element, its URL whole, and what is in it: a uid, a range (e12-e40) or a selector.",
    )
    diff: bool | None = Field(default=None, description="Only what has changed since the last snapshot.")
    maxTokens: int | None = Field(
        default=None, ge=_FEWEST_TOKENS, le=_MOST_TOKENS, description="About so many; a cursor leads to the rest."
    )
    cursor: str | None = Field(default=None, description="Go on with a snapshot that was too long, where it ended.")


@define_page_tool(
    name="take_snapshot",
    title="Take snapshot",
    category="debugging",
    description="Shows the page as text: every element with its uid, in all frames and shadow roots. "
    "Prefer it to a screenshot; take a new one after the page changed.",
    read_only=False,  # filePath writes
    params=TakeSnapshotParams,
    lock="read",
    blocked_by_dialog=True,
    verify_files={"filePath": FileUse("write", ".txt")},
)
async def take_snapshot(
    request: PageToolRequest[TakeSnapshotParams], response: McpResponse, context: McpContext
) -> None:
    params = request.params
    verbose, path = bool(params.verbose), request.paths.get("filePath")
    if params.cursor is not None and (params.uid is not None or params.diff):
        raise InvalidInput("A cursor goes on with a snapshot as it was.", "Leave out uid and diff, or the cursor.")
    if params.cursor is not None:
        request.page.kept_snapshots.at(params.cursor)  # says so when there is none
    changes = await request.page.snapshot_difference(verbose=verbose, target=params.uid) if params.diff else None
    if changes is not None:
        response.attach_snapshot(changes, file_path=path)
    elif params.uid is not None:
        taken = await request.page.snapshot(verbose=verbose, target=params.uid)
        response.attach_snapshot(taken, file_path=path, max_tokens=params.maxTokens)
    else:
        response.include_snapshot(verbose=verbose, file_path=path, cursor=params.cursor, max_tokens=params.maxTokens)
    response.attach_devtools_data()
    response.mention_page_tools()


class GetOutlineParams(ToolParams):
    uid: str | None = Field(
        default=None, description="Open this part: a uid, a range of the outline (e12-e40) or a selector."
    )
    maxLines: int | None = Field(
        default=None, ge=_FEWEST_LINES, le=_MOST_LINES, description="The best outline in so many lines (default 1000)."
    )
    maxTokens: int | None = Field(
        default=None, ge=_FEWEST_TOKENS, le=_MOST_TOKENS, description="In about so many tokens, rather fewer."
    )
    depth: int | None = Field(default=None, ge=1, le=_MOST_LEVELS, description="Levels of the tree.")


@define_page_tool(
    name="get_outline",
    title="Get outline",
    category="debugging",
    description="Shows a long page in a tenth of its snapshot: lists and tables are folded to one row an item with its "
    "uids; what is not printed is in a stated range of uids, which uid opens. Elements are used by the same uids.",
    read_only=True,
    params=GetOutlineParams,
    lock="read",
    blocked_by_dialog=True,
)
async def get_outline(request: PageToolRequest[GetOutlineParams], response: McpResponse, context: McpContext) -> None:
    params = request.params
    outline = await request.page.outline(
        target=params.uid,
        max_lines=params.maxLines,
        max_tokens=params.maxTokens,
        max_chars=int(_SHARE_OF_REPLY * context.options.max_reply_chars),
        depth=params.depth,
    )
    response.attach_outline(outline)


class SearchSnapshotParams(ToolParams):
    pattern: str = Field(min_length=1, description="Regular expression (ripgrep), matched line by line.")
    ignoreCase: bool | None = Field(default=None, description="Capital and small letters are the same.")
    context: int | None = Field(default=None, ge=0, le=_MOST_CONTEXT, description="Lines around each match.")
    maxResults: int | None = Field(default=None, ge=1, le=_MOST_RESULTS, description="Matches shown (default 30).")


@define_page_tool(
    name="search_snapshot",
    title="Search snapshot",
    category="debugging",
    description="Searches the page's snapshot (all frames, also what an outline folds) and shows each match with its "
    "uid, under what it is in.",
    read_only=True,
    params=SearchSnapshotParams,
    lock="read",
    blocked_by_dialog=True,
)
async def search_snapshot(
    request: PageToolRequest[SearchSnapshotParams], response: McpResponse, context: McpContext
) -> None:
    params = request.params
    found = await request.page.search(
        params.pattern,
        ignore_case=bool(params.ignoreCase),
        context=params.context or 0,
        max_results=params.maxResults,
    )
    response.attach_search(found)
