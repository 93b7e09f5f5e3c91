"""What the end-to-end tests ask again and again."""

from __future__ import annotations

import re

from tests.support.client import McpClient, Reply
from tests.support.site import Site

__all__ = ["OFFLINE", "PROMPT", "page_ids", "says", "still_works"]

#: The tests stay on this machine: every other host is "not found", at once.
OFFLINE = "--chrome-arg=--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost"

#: Seconds a call on a difficult page may take when nothing has to be waited out.
PROMPT = 10


async def page_ids(agent: McpClient) -> list[int]:
    """The ids of the open pages, as ``list_pages`` shows them."""
    reply = await agent.ok("list_pages")
    return [int(found) for found in re.findall(r"^\s*(\d+): ", reply.text, re.M)]


async def still_works(agent: McpClient, site: Site) -> None:
    """The next call works, on this very page."""
    reply = await agent.ok("navigate_page", url=site.url("/"))
    assert reply.seconds < PROMPT, reply
    assert 'heading "Home"' in await agent.snapshot()


def says(reply: Reply, *patterns: str) -> None:
    """All these patterns are in the reply, in any case."""
    for pattern in patterns:
        assert re.search(pattern, reply.text, re.I), f"no {pattern!r} in {reply}"
