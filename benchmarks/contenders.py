"""Whoever takes part in the timing: a server behind its client, or the bare floor. Both do operations by their kind."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from benchmarks.bare import BareChrome
from benchmarks.client import Client, image_size, text_of
from benchmarks.servers import ServerSpec, fill_in

__all__ = ["BARE", "BareContender", "Contender", "ServerContender"]

BARE = "bare CDP"


class Contender(Protocol):
    """One that takes part.

    After `do`, `last_text` and `last_image` hold what came back (text; characters of base64).
    """

    name: str
    last_text: str
    last_image: int

    async def start(self) -> None: ...

    def can(self, kind: str) -> bool: ...

    async def do(self, kind: str, **values: Any) -> float:
        """Do one operation; seconds."""

    async def look(self) -> None:
        """Take the snapshot in which `find` looks."""

    def find(self, role: str, name: str) -> Any:
        """What `ref` must be to mean this element."""

    async def close(self) -> None: ...


class ServerContender:
    """A server."""

    def __init__(self, spec: ServerSpec, cwd: str) -> None:
        self.spec = spec
        self.name = spec.name
        self.client = Client(spec.name, spec.command, cwd)
        self.tools: list[Mapping[str, Any]] = []
        self.last_text = ""
        self.last_image = 0
        self._snapshot = ""

    async def start(self) -> None:
        await self.client.start()
        self.tools = (await self.client.request("tools/list"))["tools"]

    def can(self, kind: str) -> bool:
        return self.spec.tools[kind][0] in {tool["name"] for tool in self.tools}

    async def do(self, kind: str, **values: Any) -> float:
        tool, arguments = self.spec.tools[kind]
        if "fields" in values:
            fields: Sequence[Mapping[str, Any]] = values["fields"]
            values["fields"] = [fill_in(self.spec.field, field) for field in fields]
        result = await self.client.call(tool, fill_in(arguments, values))
        self.last_text, self.last_image = text_of(result), image_size(result)
        return self.client.last_seconds

    async def look(self) -> None:
        await self.do("snapshot")
        self._snapshot = self.last_text

    def find(self, role: str, name: str) -> str:
        return self.spec.find(self._snapshot, role, name)

    async def close(self) -> None:
        await self.client.close()


class BareContender:
    """The floor. Its calls hold up the event loop, which does nothing else meanwhile."""

    name = BARE
    last_text = ""
    last_image = 0

    def __init__(self, browser: str, *, no_sandbox: bool) -> None:
        self._browser, self._no_sandbox = browser, no_sandbox

    async def start(self) -> None:
        self._chrome = BareChrome(self._browser, no_sandbox=self._no_sandbox)

    def can(self, kind: str) -> bool:
        return self._chrome.can(kind)

    async def do(self, kind: str, **values: Any) -> float:
        return self._chrome.do(kind, values)

    async def look(self) -> None:
        self._chrome.do("snapshot", {})

    def find(self, role: str, name: str) -> int:
        return self._chrome.find(role, name)

    async def close(self) -> None:
        self._chrome.close()
