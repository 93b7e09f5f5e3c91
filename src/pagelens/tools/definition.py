"""What a tool is: a name, words for the agent, parameters, how it may run beside others, and a handler.

A tool module declares and nothing else::

    class ClickParams(ToolParams):
        uid: str = Field(description="Element to click: uid from the snapshot, or a css=/text= selector.")
        dblClick: bool = Field(default=False, description="Double click.")

    @define_page_tool(
        name="click",
        title="Click",
        category="input",
        description="Clicks an element.",
        read_only=False,
        params=ClickParams,
        blocked_by_dialog=True,
    )
    async def click(request: PageToolRequest[ClickParams], response: McpResponse, context: McpContext) -> None:
        await request.page.click(request.params.uid, count=2 if request.params.dblClick else 1)
        response.append_line("Clicked.")

The pipeline around the handler (arguments, locks, browser, paths, dialog, deadline) is `pagelens.server.handler`.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Generic, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field, create_model

from pagelens.core.options import Options
from pagelens.errors import DialogOpen
from pagelens.tools.categories import CATEGORIES, category_flag, is_category_on

if TYPE_CHECKING:
    from pagelens.context.mcp_context import McpContext
    from pagelens.context.mcp_page import McpPage
    from pagelens.core.files import FilePolicy
    from pagelens.response.mcp_response import McpResponse

__all__ = [
    "READ",
    "WRITE",
    "FileUse",
    "Lock",
    "NoParams",
    "PageToolRequest",
    "ToolAnnotations",
    "ToolDefinition",
    "ToolFactory",
    "ToolParams",
    "ToolRequest",
    "define_page_tool",
    "define_tool",
    "tool_factory",
]

Lock = Literal["none", "read", "write"]


class ToolParams(BaseModel):
    """Base of every tool's parameters.

    Field names are camelCase, as the agent sends them; every field has a description. A parameter that may be
    left out has a default: None ("not given", not shown in the schema) or a value (shown).
    """

    model_config = ConfigDict(
        extra="forbid",
        frozen=True,
        coerce_numbers_to_str=True,  # value: 42 where a text is wanted can only mean "42"
        allow_inf_nan=False,
        defer_build=True,  # built when first used: tools/list and start stay quick
        protected_namespaces=(),
    )


class NoParams(ToolParams):
    """A tool without parameters."""


P = TypeVar("P", bound=ToolParams)


@dataclass(frozen=True)
class ToolAnnotations:
    """What a client may show or decide by.

    Attributes:
        category: key of `pagelens.tools.categories.CATEGORIES`.
        title: a few words for people.
        read_only: no effect on page, browser or disk.
        destructive: may lose something the user has (only meaningful when not read-only).
        open_world: reaches beyond this machine (a page may be anywhere).
        conditions: names of boolean `Options` attributes that must all be on for the tool to be served.
    """

    category: str
    title: str
    read_only: bool
    destructive: bool = False
    open_world: bool = True
    conditions: tuple[str, ...] = ()


@dataclass(frozen=True)
class FileUse:
    """How a parameter that is a path is used.

    Attributes:
        mode: whether the file is read or written.
        extension: for a written file, as `FilePolicy.check_write` takes it; or a function of the parameters.
        own: of these, the endings by which a file that exists is replaced without ``overwrite``; all when None.
    """

    mode: Literal["read", "write"]
    extension: str | Sequence[str] | Callable[[Any], str | Sequence[str]] = ""
    own: Sequence[str] | None = None

    def extension_for(self, params: ToolParams) -> str | Sequence[str]:
        """The ending a written file shall have."""
        return self.extension(params) if callable(self.extension) else self.extension


READ = FileUse("read")
WRITE = FileUse("write")


async def _no_progress(done: float, total: float | None = None, message: str | None = None) -> None:
    """Progress that nobody asked for."""


Progress = Callable[..., Awaitable[None]]


@dataclass(frozen=True)
class ToolRequest(Generic[P]):
    """One call of a tool.

    Attributes:
        params: validated.
        paths: for each parameter in `verify_files` that was given, the resolved path it stands for.
        progress: ``await progress(done, total=None, message=None)``; does nothing when the client asked for none.
    """

    params: P
    paths: Mapping[str, Path] = field(default_factory=dict)
    progress: Progress = _no_progress


@dataclass(frozen=True)
class PageToolRequest(ToolRequest[P]):
    """One call of a page tool; `page` is fixed when the call arrives, whatever is selected later."""

    page: McpPage = field(kw_only=True)


@dataclass(frozen=True)
class ToolDefinition:
    """A tool; made with `define_tool` or `define_page_tool`.

    Attributes:
        params: the tool's own parameters; `arguments` adds ``pageId`` for page tools, ``overwrite`` for those that
            write files.
        lock: a page tool's hold on its page, or another tool's on the browser as a whole: reads share, writes are
            alone, "none" never waits.
        blocked_by_dialog: refused while the page has a dialog open.
        needs_answer: refused while the page gives no sign of life; matters in a browser that ran before us.
        needs_browser: a browser is started for it.
        is_long: it may take minutes when the caller hears of its progress.
        verify_files: parameters that are paths, and how they are used.
        deadline: seconds for the handler given its parameters; None means the usual.
    """

    name: str
    description: str
    annotations: ToolAnnotations
    handler: Callable[[Any, McpResponse, McpContext], Awaitable[None]]
    params: type[ToolParams] = NoParams
    lock: Lock = "none"
    blocked_by_dialog: bool = False
    needs_answer: bool = True
    needs_browser: bool = True
    is_long: bool = False
    verify_files: Mapping[str, FileUse] = field(default_factory=lambda: MappingProxyType({}))
    is_page_tool: bool = False
    deadline: Callable[[Any], float] | None = None

    def __post_init__(self) -> None:
        if self.annotations.category not in CATEGORIES:
            raise ValueError(f"{self.name}: there is no category {self.annotations.category!r}")
        missing = self.verify_files.keys() - self.params.model_fields.keys()
        if missing:
            raise ValueError(f"{self.name}: verify_files names no parameter: {sorted(missing)}")
        if self.annotations.read_only and any(use.mode == "write" for use in self.verify_files.values()):
            raise ValueError(f"{self.name}: a tool that writes files is not read-only")
        if self.is_page_tool and "pageId" in self.params.model_fields:
            raise ValueError(f"{self.name}: pageId is added by define_page_tool")
        if self._writes_files and "overwrite" in self.params.model_fields:
            raise ValueError(f"{self.name}: overwrite is added for verify_files")

    @property
    def _writes_files(self) -> bool:
        return any(use.mode == "write" for use in self.verify_files.values())

    @cached_property
    def _unrouted(self) -> type[ToolParams]:
        if not self._writes_files:
            return self.params
        return create_model(
            self.params.__name__,
            __base__=self.params,
            overwrite=(bool | None, Field(default=None, description="Replace a file of another type.")),
        )

    @cached_property
    def _routed(self) -> type[ToolParams]:
        return create_model(
            self.params.__name__,
            __base__=self._unrouted,
            pageId=(int | None, Field(default=None, description="Default: the selected page.")),
        )

    def arguments(self, options: Options) -> type[ToolParams]:
        """The model of what a client may send: `params`, ``overwrite`` for a tool that writes files, and ``pageId``
        for a page tool (unless routing is off, or only the slim tools are served)."""
        routes = options.page_id_routing and not options.slim
        return self._routed if self.is_page_tool and routes else self._unrouted

    def refuse_behind_dialog(self, page: McpPage) -> None:
        """Raise `DialogOpen` when the page has a dialog open that the tool can't work behind."""
        if self.blocked_by_dialog and page.dialog is not None:
            raise DialogOpen(
                f"{self.name} was not run: page {page.id} is held by a dialog, {page.dialog.words()}.",
                "Call handle_dialog, then try again.",
            )

    def verified_paths(self, params: ToolParams, policy: FilePolicy) -> dict[str, Path]:
        """The resolved path of each parameter in `verify_files` that was given.

        Raises:
            PathNotAllowed, FileFailed: a file may not be used so.
        """
        paths: dict[str, Path] = {}
        for name, use in self.verify_files.items():
            given = getattr(params, name)
            if given is None:
                continue
            if use.mode == "read":
                paths[name] = policy.check_read(given)
            else:
                paths[name] = policy.check_write(
                    given,
                    extension=use.extension_for(params),
                    own=use.own,
                    overwrite=bool(getattr(params, "overwrite", False)),
                )
        return paths

    def missing_flag(self, options: Options) -> str | None:
        """How to start pagelens to have this tool served, e.g. ``with --category-webmcp``; None when it is."""
        if not is_category_on(self.annotations.category, options.categories):
            return "with " + category_flag(self.annotations.category)
        for condition in self.annotations.conditions:
            if not getattr(options, condition):
                flag = condition.replace("_", "-")
                # What is on unless the user says otherwise is missing because the user did.
                return f"without --no-{flag}" if getattr(Options(), condition) else f"with --{flag}"
        return None


class ToolFactory:
    """A tool that takes shape only once the options are known; made with `tool_factory`."""

    def __init__(self, make: Callable[[Options], ToolDefinition]) -> None:
        self._make = make

    def create(self, options: Options) -> ToolDefinition:
        """The tool under these options."""
        return self._make(options)


def tool_factory(make: Callable[[Options], ToolDefinition]) -> ToolFactory:
    """A tool made from the options: ``tool_factory(lambda options: define_tool(...)(handler))``; also a decorator."""
    return ToolFactory(make)


def _uses(files: Mapping[str, FileUse | Literal["read", "write"]] | None) -> Mapping[str, FileUse]:
    return {name: FileUse(use) if isinstance(use, str) else use for name, use in (files or {}).items()}


def define_tool(
    *,
    name: str,
    description: str,
    category: str,
    title: str,
    read_only: bool,
    params: type[P] = NoParams,  # type: ignore[assignment]  # mypy: a TypeVar can't have a default before PEP 696
    destructive: bool = False,
    open_world: bool = True,
    conditions: Sequence[str] = (),
    lock: Lock | None = None,
    needs_browser: bool = True,
    verify_files: Mapping[str, FileUse | Literal["read", "write"]] | None = None,
    deadline: Callable[[P], float] | None = None,
    is_long: bool = False,
) -> Callable[[Callable[[ToolRequest[P], McpResponse, McpContext], Awaitable[None]]], ToolDefinition]:
    """Declare a tool that isn't about one page (or names its page itself).

    Args:
        lock: on the browser as a whole. By default "none" for a read-only tool, else "write" (one at a time). A
            browser-wide lock and a page's lock don't wait for each other.
        verify_files: ``{"filePath": "write"}``, or a `FileUse` with the extension a written file gets.
        deadline: seconds for the handler. By default 30, or a ``timeout`` parameter (milliseconds) and a margin.

    Other arguments: see `ToolAnnotations` and `ToolDefinition`.
    """

    def declare(handler: Callable[[ToolRequest[P], McpResponse, McpContext], Awaitable[None]]) -> ToolDefinition:
        return ToolDefinition(
            name=name,
            description=description,
            annotations=ToolAnnotations(category, title, read_only, destructive, open_world, tuple(conditions)),
            handler=handler,
            params=params,
            lock=lock or ("none" if read_only else "write"),
            verify_files=_uses(verify_files),
            deadline=deadline,
            needs_browser=needs_browser,
            is_long=is_long,
        )

    return declare


def define_page_tool(
    *,
    name: str,
    description: str,
    category: str,
    title: str,
    read_only: bool,
    params: type[P] = NoParams,  # type: ignore[assignment]  # as above
    destructive: bool = False,
    open_world: bool = True,
    conditions: Sequence[str] = (),
    lock: Lock | None = None,
    blocked_by_dialog: bool = False,
    needs_answer: bool = True,
    verify_files: Mapping[str, FileUse | Literal["read", "write"]] | None = None,
    deadline: Callable[[P], float] | None = None,
    is_long: bool = False,
) -> Callable[[Callable[[PageToolRequest[P], McpResponse, McpContext], Awaitable[None]]], ToolDefinition]:
    """Declare a tool that works on one page: ``request.page``, by its optional ``pageId`` or the selected one.

    Args:
        lock: on that page. By default "read" for a read-only tool, else "write".

    Other arguments: see `define_tool`.
    """

    def declare(handler: Callable[[PageToolRequest[P], McpResponse, McpContext], Awaitable[None]]) -> ToolDefinition:
        return ToolDefinition(
            name=name,
            description=description,
            annotations=ToolAnnotations(category, title, read_only, destructive, open_world, tuple(conditions)),
            handler=handler,
            params=params,
            lock=lock or ("read" if read_only else "write"),
            blocked_by_dialog=blocked_by_dialog,
            needs_answer=needs_answer,
            verify_files=_uses(verify_files),
            is_page_tool=True,
            deadline=deadline,
            is_long=is_long,
        )

    return declare
