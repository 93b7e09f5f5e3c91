"""The recorded requests in a file that other tools open."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING, ClassVar

from pagelens.response.formatters.har import HarFormatter
from pagelens.response.order import Order
from pagelens.response.output import Output

if TYPE_CHECKING:
    from pagelens.context.mcp_context import McpContext

__all__ = ["HarSection"]


class HarSection:
    """Writes an HTTP archive and says what is in it."""

    key: ClassVar[str] = "HAR"

    def __init__(self) -> None:
        self._path = ""
        self._size = 0
        self._requests = 0
        self._notes: list[str] = []

    def wanted(self, order: Order) -> bool:
        return order.har is not None

    async def compute(self, order: Order, context: McpContext) -> None:
        wanted = order.har
        page = order.page or context.current_page()
        assert wanted is not None
        assert page is not None
        network = page.network
        navigations = network.navigations if wanted.preserved else network.navigations[:1]
        formatter = HarFormatter(
            bodies=network.bodies if wanted.bodies else None, redact_headers=context.options.redact_network_headers
        )
        archive = await formatter.to_json(list(reversed(navigations)))
        data = await asyncio.to_thread(lambda: json.dumps(archive, ensure_ascii=False, indent=1).encode())
        self._path = str(await context.write_file(wanted.file_path, data))
        self._size = len(data)
        self._requests = len(archive["log"]["entries"])
        note = network.cap_note(wanted.preserved)
        if note:
            self._notes.append(note)
        if context.options.redact_network_headers:
            self._notes.append("Values of secret headers are left out.")

    def render(self, out: Output) -> None:
        out.line(f"HAR with {self._requests:,} requests written to {self._path} ({self._size:,} bytes).")
        for note in self._notes:
            out.line(note)
        out.json["harFilePath"] = self._path
