"""Small tools and a context without a browser, for everything about the server that needs no page."""

from __future__ import annotations

import asyncio
import sys
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Literal

from pydantic import Field

from pagelens.browser.emulated import NOTHING
from pagelens.core.files import FilePolicy
from pagelens.core.options import Options
from pagelens.errors import ElementGone, PageNotFound
from pagelens.tools.definition import (
    FileUse,
    PageToolRequest,
    ToolDefinition,
    ToolParams,
    ToolRequest,
    define_page_tool,
    define_tool,
)

__all__ = ["EVENTS", "Events", "ToyContext", "ToyDialog", "ToyPage", "toy_tools"]


class Events(list[str]):
    """What the toys did, in order."""

    def __init__(self) -> None:
        super().__init__()
        self._changed = asyncio.Event()

    def append(self, event: str) -> None:
        super().append(event)
        self._changed.set()

    async def until(self, *wanted: str) -> None:
        """Wait until all of these have happened."""
        async with asyncio.timeout(10):
            while not set(wanted) <= set(self):
                self._changed.clear()
                await self._changed.wait()


#: Of all toys; tests clear it.
EVENTS = Events()


@dataclass
class ToyDialog:
    type: str = "confirm"
    message: str = "Delete it?"
    default_value: str = ""

    def words(self) -> str:
        return f'{self.type} "{self.message}"'


class ToyPage:
    """As much of an `McpPage` as the pipeline and the sections ask for."""

    def __init__(self, number: int) -> None:
        self.id = number
        self.page = SimpleNamespace(id=number, closed=None, dialog=None, unreported=[])
        self.emulation = SimpleNamespace(settings=NOTHING, window=None, patience=1.0)
        self.printable_url = "about:blank"
        self.request_rules: dict[int, Any] = {}

    @property
    def dialog(self) -> Any:
        return self.page.dialog

    def take_news(self) -> list[str]:
        return []


@dataclass
class ToyContext:
    """A context whose browser starts in no time and counts how often it was asked to."""

    options: Options = field(default_factory=Options)
    starts: int = 0
    open: dict[int, ToyPage] = field(default_factory=dict)
    selected_id: int | None = None
    file_policy: FilePolicy = field(default_factory=FilePolicy)
    host: Any = field(default_factory=lambda: SimpleNamespace(generation=0))
    is_one_of_several: bool = False
    start_failure: Exception | None = None
    starting: asyncio.Event | None = None

    def add(self, number: int) -> ToyPage:
        page = self.open[number] = ToyPage(number)
        if self.selected_id is None:
            self.selected_id = number
        return page

    async def keep_file(self, name: str, data: bytes) -> Path:
        raise AssertionError("no reply is so long")

    def pages(self) -> list[ToyPage]:
        return list(self.open.values())

    def current_page(self) -> ToyPage | None:
        return self.open.get(self.selected_id) if self.selected_id is not None else None

    def selected_page(self) -> ToyPage:
        page = self.current_page()
        assert page is not None
        return page

    def page(self, number: int) -> ToyPage:
        if number not in self.open:
            raise PageNotFound(f"There is no page {number}.", "Call list_pages.")
        return self.open[number]

    async def ensure_browser(self) -> None:
        EVENTS.append("browser")
        self.starts += 1
        if self.starting is not None:
            await self.starting.wait()
        if self.start_failure is not None:
            raise self.start_failure
        if not self.open:
            self.host.generation += 1
            self.add(1)

    async def ready(self, page: ToyPage, *, answering: bool = True) -> None:
        """All toys are."""

    def drain_notices(self) -> list[Any]:
        return []


class EchoParams(ToolParams):
    text: str = Field(description="What to say.")
    times: int = Field(default=1, ge=1, le=5, description="How often.")
    loud: bool | None = Field(default=None, description="In capitals.")
    voice: Literal["high", "low"] = Field(default="low", description="How.")


class WaitParams(ToolParams):
    name: str = Field(default="", description="Name for the log of the test.")
    timeout: int | None = Field(default=None, description="Longest wait in ms.")


class SaveParams(ToolParams):
    filePath: str | None = Field(default=None, description="Where to.")


#: Set by a test to let the toys that wait go on.
GATES: dict[str, asyncio.Event] = {}


def gate(name: str) -> asyncio.Event:
    return GATES.setdefault(name, asyncio.Event())


async def _hold(name: str) -> None:
    EVENTS.append(f"{name} begins")
    try:
        await gate(name).wait()
    except asyncio.CancelledError:
        await asyncio.sleep(0)  # a cleanup that awaits must be able to
        EVENTS.append(f"{name} cancelled")
        raise
    EVENTS.append(f"{name} ends")


def toy_tools(options: Options | None = None) -> list[ToolDefinition]:
    """The tools, new ones at each call."""

    @define_tool(
        name="echo", title="Echo", category="debugging", description="Says it.", read_only=True, params=EchoParams
    )
    async def echo(request: ToolRequest[EchoParams], response: Any, context: Any) -> None:
        EVENTS.append("echo")
        params = request.params
        text = params.text.upper() if params.loud else params.text
        for _ in range(params.times):
            response.append_line(text)

    @define_page_tool(
        name="look", title="Look", category="debugging", description="Reads.", read_only=True, params=WaitParams
    )
    async def look(request: PageToolRequest[WaitParams], response: Any, context: Any) -> None:
        response.append_line(f"looked at page {request.page.id}")
        await _hold(request.params.name or "look")

    @define_page_tool(
        name="poke", title="Poke", category="input", description="Writes.", read_only=False, params=WaitParams
    )
    async def poke(request: PageToolRequest[WaitParams], response: Any, context: Any) -> None:
        response.append_line(f"poked page {request.page.id}")
        await _hold(request.params.name or "poke")

    @define_page_tool(
        name="press",
        title="Press",
        category="input",
        description="Needs a page without a dialog.",
        read_only=False,
        blocked_by_dialog=True,
        params=SaveParams,
        verify_files={"filePath": FileUse("write", ".txt")},
    )
    async def press(request: PageToolRequest[SaveParams], response: Any, context: Any) -> None:
        EVENTS.append("press")
        response.append_line(f"path {request.paths.get('filePath')}")

    @define_tool(name="break", title="Break", category="debugging", description="A bug.", read_only=True)
    async def break_(request: ToolRequest[Any], response: Any, context: Any) -> None:
        response.append_line("so far so good")
        raise KeyError("secret detail")

    @define_tool(name="refuse", title="Refuse", category="debugging", description="A refusal.", read_only=True)
    async def refuse(request: ToolRequest[Any], response: Any, context: Any) -> None:
        response.append_line("this far it came")
        raise ElementGone("uid=e1 is gone.", "Take a new snapshot.")

    @define_tool(
        name="slow",
        title="Slow",
        category="debugging",
        description="Has a deadline.",
        read_only=True,
        params=WaitParams,
        deadline=lambda params: 0.05,
    )
    async def slow(request: ToolRequest[WaitParams], response: Any, context: Any) -> None:
        response.append_line("began")
        await _hold("slow")

    @define_tool(name="step", title="Step", category="debugging", description="Tells progress.", read_only=True)
    async def step(request: ToolRequest[Any], response: Any, context: Any) -> None:
        for number in (1, 2, 3):
            await request.progress(number, 3, f"step {number}")
        response.append_line("three steps")

    @define_tool(name="mangle", title="Mangle", category="debugging", description="Bad text.", read_only=True)
    async def mangle(request: ToolRequest[Any], response: Any, context: Any) -> None:
        response.append_line("half a pair: \ud800")

    @define_tool(name="stray", title="Stray", category="debugging", description="Prints.", read_only=True)
    async def stray(request: ToolRequest[Any], response: Any, context: Any) -> None:
        print("not for the client")
        child = await asyncio.create_subprocess_exec(sys.executable, "-c", "print('nor this', input())")
        await child.wait()
        response.append_line("printed")

    @define_tool(name="hidden", title="Hidden", category="webmcp", description="Off by default.", read_only=True)
    async def hidden(request: ToolRequest[Any], response: Any, context: Any) -> None:
        response.append_line("seen")

    return [echo, look, poke, press, break_, refuse, slow, step, mangle, stray, hidden]
