"""``python -m benchmarks.data_formats``: what lists cost an agent in each data format; writes docs/data-formats.md.

The page console.html (51 requests, 100 messages) and two snapshots, each in one reply: from pagelens as text, TOON and
GCF, and from the peers, chrome-devtools-mcp also with its TOON. The exit code is 1 when one of our lists in plain
text is not smaller than the peers' in plain text.
"""

from __future__ import annotations

import asyncio
import os
import re
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import msgspec
import platformdirs

from benchmarks.client import Client, text_of
from benchmarks.report import table
from benchmarks.servers import OURS, PACKAGES, ServerSpec, fill_in, install_peers, servers
from benchmarks.site import running_site
from benchmarks.tokens import count_tokens
from pagelens.browser.find import find_browser
from pagelens.core.options import DATA_FORMATS, Options
from pagelens.errors import PagelensError

PAGE = Path(__file__).parents[1] / "docs" / "data-formats.md"
BEGIN, END = "<!-- measured -->", "<!-- end of what was measured -->"
PLAIN, JSON = "plain text", "JSON"


@dataclass(frozen=True)
class Reply:
    """One of the replies that are weighed.

    Attributes:
        name: its row of the table.
        page: what is loaded before.
        kind: the tool, as in `ServerSpec.tools`.
        key: of its data in the structured reply.
        is_judged: ours must be the smallest.
    """

    name: str
    page: str
    kind: str
    key: str
    is_judged: bool = False


REPLIES = (
    Reply("51 requests", "console", "network", "networkRequests", is_judged=True),
    Reply("100 messages", "console", "console", "consoleMessages", is_judged=True),
    Reply("snapshot of a form", "form", "snapshot", "snapshot"),
    Reply("snapshot of a shop", "shop", "snapshot", "snapshot"),
)
#: So much of everything that nothing is left out.
_ALL = {"pageSize": 1000}
#: What chrome-devtools-mcp needs to write TOON.
TOON_FLAG = "--experimentalDataFormat=toon"
TOON_PACKAGE = {"@toon-format/toon": "4.4.0"}
_FLAGS = ("--max-reply-chars=10000000",)


def main() -> int:
    """Returns 0, or 1 when a list of ours was not the smallest or nothing could be measured."""
    cache = platformdirs.user_cache_path("pagelens-benchmarks")
    try:
        browser = str(find_browser(Options()).path)
        install_peers(cache, {**PACKAGES, **TOON_PACKAGE})
    except (PagelensError, OSError) as error:
        print(f"benchmarks: {error}", file=sys.stderr)
        return 1
    no_sandbox = hasattr(os, "geteuid") and os.geteuid() == 0
    with tempfile.TemporaryDirectory(prefix="pagelens-bench-") as folder, running_site() as site:
        ours, *peers = servers(browser, cache, Path(folder), no_sandbox=no_sandbox)
        weights = asyncio.run(_all(ours, peers, site, folder))
    text = _measured(weights)
    print(text)
    _write(text)
    missed = [reply.name for reply in REPLIES if reply.is_judged and not _is_smallest(weights, reply, peers)]
    for name in missed:
        print(f"missed: {name}: ours in plain text is not the smallest", file=sys.stderr)
    return 1 if missed else 0


Weights = dict[str, dict[str, int]]


async def _all(ours: ServerSpec, peers: list[ServerSpec], site: str, folder: str) -> Weights:
    """Tokens of each reply, by who sent it."""
    weights: Weights = {}
    plain = replace(ours, command=(*ours.command, *_FLAGS, "--structured-content"))
    weights[PLAIN], data = await _weigh(plain, site, folder)
    weights[JSON] = {name: count_tokens(msgspec.json.encode(found).decode()) for name, found in data.items()}
    for name in DATA_FORMATS:
        spec = replace(ours, command=(*ours.command, *_FLAGS, f"--data-format={name}"))
        weights[name], _ = await _weigh(spec, site, folder)
    toon = [replace(peer, name=f"{peer.name}, TOON", command=(*peer.command, TOON_FLAG)) for peer in peers[:1]]
    for peer in (*peers, *toon):
        weights[peer.name], _ = await _weigh(peer, site, folder)
    return weights


async def _weigh(spec: ServerSpec, site: str, folder: str) -> tuple[dict[str, int], dict[str, Any]]:
    """Tokens of each reply of one server, and its data."""
    print(" ".join([spec.name, *(flag for flag in spec.command if "data-format" in flag)]), flush=True)
    client = await Client(spec.name, spec.command, folder).start()
    tokens: dict[str, int] = {}
    data: dict[str, Any] = {}
    try:
        for reply in REPLIES:
            await _call(client, spec, "navigate", {"url": f"{site}/{reply.page}.html"})
            result = await _call(client, spec, reply.kind, {}, **(_ALL if reply.key != "snapshot" else {}))
            while reply.page == "console" and not _is_complete(reply, text_of(result)):
                result = await _call(client, spec, reply.kind, {}, **_ALL)  # the page is still at it
            tokens[reply.name] = count_tokens(text_of(result))
            data[reply.name] = result.get("structuredContent", {}).get(reply.key)
    finally:
        await client.close()
    return tokens, data


async def _call(client: Client, spec: ServerSpec, kind: str, values: Mapping[str, Any], **more: Any) -> dict[str, Any]:
    tool, arguments = spec.tools[kind]
    # Playwright's lists take no page size: they always show all.
    more = {} if tool.startswith("browser_") else more
    return await client.call(tool, {**fill_in(arguments, values), **more})


def _is_complete(reply: Reply, text: str) -> bool:
    if reply.kind == "console":
        return len(set(re.findall(r"message number (\d+)", text))) == 100
    return "i=49" in text and not re.search("pending|receiving", text)


def _is_smallest(weights: Weights, reply: Reply, peers: list[ServerSpec]) -> bool:
    return weights[PLAIN][reply.name] < min(weights[peer.name][reply.name] for peer in peers)


def _measured(weights: Weights) -> str:
    peers = [name for name in weights if name not in (PLAIN, JSON, *DATA_FORMATS)]
    columns = [PLAIN, *DATA_FORMATS, JSON, *peers]
    head = ["tokens (o200k)", *(f"{OURS}, {name}" for name in (PLAIN, *map(str.upper, DATA_FORMATS), JSON)), *peers]
    rows = [[reply.name, *(f"{weights[column][reply.name]:,}" for column in columns)] for reply in REPLIES]
    return table(head, rows)


def _write(text: str) -> None:
    page = PAGE.read_text(encoding="utf-8")
    before, _, rest = page.partition(BEGIN)
    after = rest.partition(END)[2]
    PAGE.write_text(f"{before}{BEGIN}\n{text}\n{END}{after}", encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
