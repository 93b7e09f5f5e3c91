"""The JavaScript heap: snapshots taken, understood and compared; what leaks."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any, Literal

from pydantic import Field

from pagelens.context.memory import find_memory_leaks as hunt
from pagelens.context.memory import script_action, take_snapshot
from pagelens.core.progress import telling
from pagelens.core.safe_text import one_line
from pagelens.errors import InvalidInput
from pagelens.tools.definition import (
    FileUse,
    PageToolRequest,
    ToolDefinition,
    ToolParams,
    ToolRequest,
    define_page_tool,
    define_tool,
)
from pagelens.tools.steps import Step, step_action

if TYPE_CHECKING:
    from pagelens.analysis.heap import HeapSnapshot
    from pagelens.context.mcp_context import McpContext
    from pagelens.response.mcp_response import McpResponse

__all__ = [
    "analyze_heapsnapshot_contexts",
    "close_heapsnapshot",
    "compare_heapsnapshots",
    "find_memory_leaks",
    "get_heapsnapshot_class_nodes",
    "get_heapsnapshot_details",
    "get_heapsnapshot_dominators",
    "get_heapsnapshot_duplicate_strings",
    "get_heapsnapshot_edges",
    "get_heapsnapshot_object_details",
    "get_heapsnapshot_retainers",
    "get_heapsnapshot_retaining_paths",
    "get_heapsnapshot_summary",
    "query_heapsnapshot_objects",
    "take_heapsnapshot",
]

#: Seconds for reading a file of any size, while the caller hears of progress.
READING = 900.0

FilterName = Literal[
    "objectsRetainedByDetachedDomNodes",
    "objectsRetainedByConsole",
    "objectsRetainedByEventHandlers",
    "objectsRetainedByContexts",
    "sharedNativeContext",
    "noNativeContext",
    "attributedToSpecificNativeContext",
]
#: Written the same in every tool, said once here.
_FILE = "A .heapsnapshot file."
_NODE_ID = "Id of an object in this snapshot."
_RANGE = "Bytes: 10KB (at least), 1MB-2MB, -1MB."


class TakeHeapsnapshotParams(ToolParams):
    filePath: str = Field(description="The file to write; .heapsnapshot is added.")


@define_page_tool(
    name="take_heapsnapshot",
    title="Take heap snapshot",
    category="debugging",
    description="Collects garbage and writes all that lives in the page's JavaScript heap to a file.",
    read_only=False,
    params=TakeHeapsnapshotParams,
    blocked_by_dialog=True,
    verify_files={"filePath": FileUse("write", ".heapsnapshot")},
    deadline=lambda _: READING,
    is_long=True,
)
async def take_heapsnapshot(
    request: PageToolRequest[TakeHeapsnapshotParams], response: McpResponse, context: McpContext
) -> None:
    async with telling(request.progress) as tell:
        with context.file_policy.writing(request.paths["filePath"]) as (file, path):
            size = await take_snapshot(request.page, file, tell)
    response.append_line(f"Heap snapshot written to {one_line(str(path))} ({size:,} bytes).")


# -- questions about a file ----------------------------------------------------------------------------


class FileParams(ToolParams):
    filePath: str = Field(description=_FILE)
    maxNameLength: int | None = Field(default=None, ge=1, description="Characters of a name; default 120.")


class PagedParams(FileParams):
    pageIdx: int | None = Field(default=None, ge=0, description="Page to show, from 0.")
    pageSize: int | None = Field(default=None, gt=0, description="Rows a page; default 20.")


class ClassesParams(PagedParams):
    filterName: FilterName | None = Field(default=None, description="Only what this keeps.")
    objectId: int | None = Field(default=None, description="Native context, for attributedToSpecificNativeContext.")


class ClassNodesParams(ClassesParams):
    id: int = Field(description="Of the class, from get_heapsnapshot_details.")


class NodeParams(FileParams):
    nodeId: int = Field(description=_NODE_ID)


class PagedNodeParams(PagedParams):
    nodeId: int = Field(description=_NODE_ID)


class PathsParams(NodeParams):
    maxDepth: int | None = Field(default=None, description="Longest path; default 30.")
    maxNodes: int | None = Field(default=None, description="Most steps looked at; default 5000.")
    maxSiblings: int | None = Field(default=None, description="Most retainers of one object; default 100.")


class EdgesParams(PagedNodeParams):
    sortBy: Literal["retainedSize", "selfSize", "name"] | None = Field(
        default=None, description="Default: retainedSize."
    )
    retainedSize: str | None = Field(default=None, description=_RANGE)
    excludePrimitives: bool | None = Field(default=None, description="Leave out numbers, true, false, null, undefined.")


class QueryParams(PagedParams):
    className: str | None = Field(default=None, description="Regular expression for the object's name.")
    propertyName: str | None = Field(default=None, description="Regular expression for one of its properties.")
    nodeType: str | None = Field(default=None, description="V8's type: object, closure, string, native…")
    selfSize: str | None = Field(default=None, description=_RANGE)
    retainedSize: str | None = Field(default=None, description=_RANGE)
    isDetached: bool | None = Field(default=None, description="Only detached DOM nodes, or none.")
    sortBy: Literal["retainedSize", "selfSize", "id"] | None = Field(default=None, description="Default: retainedSize.")


class CompareParams(ToolParams):
    baseFilePath: str = Field(description="The earlier snapshot.")
    currentFilePath: str = Field(description="The later one, of the same page.")
    classIndex: int | None = Field(default=None, description="Show the objects of this class of the comparison.")
    maxNameLength: int | None = Field(default=None, ge=1, description="Characters of a name; default 120.")
    pageIdx: int | None = Field(default=None, ge=0, description="Page to show, from 0.")
    pageSize: int | None = Field(default=None, gt=0, description="Rows a page; default 20.")


class ContextsParams(PagedParams):
    scopeInfoNodeId: int | None = Field(default=None, description="Show the variables of this scope.")
    retainedSize: str | None = Field(default=None, description=_RANGE)


def _question(
    view: str, *, name: str, title: str, description: str, params: type[FileParams] | type[CompareParams]
) -> ToolDefinition:
    """A tool that asks one question about one file, or two."""
    files = [field for field in params.model_fields if field.lower().endswith("path")]

    async def handler(request: ToolRequest[Any], response: McpResponse, context: McpContext) -> None:
        given = request.params.model_dump(exclude_none=True, exclude={*files, "pageSize", "pageIdx"})
        for size in ("selfSize", "retainedSize"):
            if size in given:
                from pagelens.analysis.heap.sizes import size_range

                given[size] = size_range(given[size])
        snapshots = await _loaded(request, context, files)
        response.attach_heap(
            view,
            snapshots,
            page_size=getattr(request.params, "pageSize", None),
            page_idx=getattr(request.params, "pageIdx", None),
            **given,
        )

    declare: Callable[[Callable[..., Awaitable[None]]], ToolDefinition] = define_tool(
        name=name,
        title=title,
        category="memory",
        description=description,
        read_only=True,
        params=params,
        open_world=False,
        needs_browser=False,
        verify_files=dict.fromkeys(files, "read"),
        deadline=lambda _: READING,
        is_long=True,
    )
    return declare(handler)


async def _loaded(request: ToolRequest[Any], context: McpContext, files: list[str]) -> list[HeapSnapshot]:
    """The snapshots in files; each is read once, whoever asks, and stays loaded."""
    snapshots: list[HeapSnapshot] = []
    async with telling(request.progress) as tell:
        for number, name in enumerate(files):
            snapshots.append(
                await context.heap.get(
                    request.paths[name],
                    lambda now, at=number: tell(at + now.done, len(files), str(now)),  # type: ignore[misc]
                )
            )
    return snapshots


get_heapsnapshot_summary = _question(
    "summary",
    name="get_heapsnapshot_summary",
    title="Heap summary",
    description="Loads a heap snapshot and shows what it consists of.",
    params=FileParams,
)
get_heapsnapshot_details = _question(
    "classes",
    name="get_heapsnapshot_details",
    title="Heap classes",
    description="Lists the classes of a heap snapshot, those that retain most first.",
    params=ClassesParams,
)
get_heapsnapshot_class_nodes = _question(
    "class_nodes",
    name="get_heapsnapshot_class_nodes",
    title="Objects of a class",
    description="Lists the objects of one class, those that retain most first.",
    params=ClassNodesParams,
)
get_heapsnapshot_object_details = _question(
    "details",
    name="get_heapsnapshot_object_details",
    title="Heap object",
    description="Shows one object of a heap snapshot: sizes, and in words and as a path what holds it.",
    params=NodeParams,
)
get_heapsnapshot_retainers = _question(
    "retainers",
    name="get_heapsnapshot_retainers",
    title="Retainers",
    description="Lists what refers to an object and so keeps it alive, the nearest to the roots first.",
    params=PagedNodeParams,
)
get_heapsnapshot_retaining_paths = _question(
    "retaining_paths",
    name="get_heapsnapshot_retaining_paths",
    title="Retaining paths",
    description="Shows all paths from an object up to the page's roots, within limits.",
    params=PathsParams,
)
get_heapsnapshot_dominators = _question(
    "dominators",
    name="get_heapsnapshot_dominators",
    title="Dominators",
    description="Lists the objects without any one of which an object would be freed.",
    params=NodeParams,
)
get_heapsnapshot_edges = _question(
    "edges",
    name="get_heapsnapshot_edges",
    title="References of an object",
    description="Lists what an object refers to.",
    params=EdgesParams,
)
get_heapsnapshot_duplicate_strings = _question(
    "duplicate_strings",
    name="get_heapsnapshot_duplicate_strings",
    title="Duplicate strings",
    description="Lists texts that a heap holds several times.",
    params=PagedParams,
)
query_heapsnapshot_objects = _question(
    "query",
    name="query_heapsnapshot_objects",
    title="Find heap objects",
    description="Lists the objects of a heap snapshot for which all conditions hold.",
    params=QueryParams,
)
compare_heapsnapshots = _question(
    "compare",
    name="compare_heapsnapshots",
    title="Compare heap snapshots",
    description="Lists what a later snapshot has and an earlier one has not, class by class.",
    params=CompareParams,
)
analyze_heapsnapshot_contexts = _question(
    "contexts",
    name="analyze_heapsnapshot_contexts",
    title="Dead variables of closures",
    description="Lists scopes whose closures keep variables alive that nothing can read any more.",
    params=ContextsParams,
)


class CloseHeapsnapshotParams(ToolParams):
    filePath: str = Field(description=_FILE)


@define_tool(
    name="close_heapsnapshot",
    title="Close heap snapshot",
    category="memory",
    description="Frees the memory of a loaded heap snapshot; the file stays.",
    read_only=False,
    params=CloseHeapsnapshotParams,
    open_world=False,
    lock="none",
    needs_browser=False,
    verify_files={"filePath": "read"},
)
async def close_heapsnapshot(
    request: ToolRequest[CloseHeapsnapshotParams], response: McpResponse, context: McpContext
) -> None:
    was_loaded = context.heap.close(request.paths["filePath"])
    response.append_line("Closed." if was_loaded else "It was not loaded.")


class FindMemoryLeaksParams(ToolParams):
    function: str | None = Field(
        default=None, description="What may leak, as a JavaScript function: `async () => { … }`."
    )
    steps: list[Step] | None = Field(
        default=None, min_length=1, max_length=50, description="Or as steps, like those of run_steps."
    )
    repeats: int = Field(default=5, ge=1, le=1000, description="Times it is done between two snapshots.")
    timeout: int | None = Field(default=None, ge=0, description="Milliseconds for all of it.")


@define_page_tool(
    name="find_memory_leaks",
    title="Find memory leaks",
    category="memory",
    description="Does something in the page again and again around three heap snapshots; tells what grows each time "
    "and what holds it.",
    read_only=False,
    params=FindMemoryLeaksParams,
    blocked_by_dialog=True,
    conditions=("javascript_evaluation",),
    is_long=True,
)
async def find_memory_leaks(
    request: PageToolRequest[FindMemoryLeaksParams], response: McpResponse, context: McpContext
) -> None:
    params = request.params
    if (params.function is None) == (params.steps is None):
        raise InvalidInput("Either function or steps says what may leak.", "Give one of them.")
    if params.steps is not None:
        action = step_action(params.steps, request.page, context)
    else:
        action = script_action(request.page, params.function or "")
    async with telling(request.progress) as tell:
        report = await hunt(request.page, action, repeats=params.repeats, tell=tell)
    response.attach_leaks(report)
