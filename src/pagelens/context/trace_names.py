"""What a trace speaks of, by the names that tools take: elements by uid, requests by reqid, places by source."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from pagelens.browser.describe import node_uids, words_of
from pagelens.errors import PagelensError

if TYPE_CHECKING:
    from pagelens.analysis.source_maps import Mapped
    from pagelens.analysis.trace import PageLoad
    from pagelens.collectors.source_mapper import Place
    from pagelens.context.mcp_context import McpContext
    from pagelens.context.mcp_page import McpPage
    from pagelens.context.tracing import PageTrace

__all__ = ["TraceNames", "trace_names"]

#: Elements that are looked for.
MAX_NODES = 40


@dataclass(slots=True)
class TraceNames:
    """Names for what was in a trace and is still known.

    Attributes:
        uids: of elements that still live, by Chrome's numbers.
        words: what to call these elements, by uid.
        reqids: of recorded requests, by Chrome's ids.
        redirects: of the document, the requests that were redirected: reqid and address.
        sources: where places in scripts come from.
        frame: Chrome's id of the main frame, whose elements `uids` are; empty when the page is gone.
    """

    uids: dict[int, int] = field(default_factory=dict)
    words: dict[int, str] = field(default_factory=dict)
    reqids: dict[str, int] = field(default_factory=dict)
    redirects: list[tuple[int, str]] = field(default_factory=list)
    sources: dict[Place, Mapped] = field(default_factory=dict)
    frame: str = ""


async def trace_names(
    context: McpContext, trace: PageTrace, load: PageLoad, nodes: Iterable[int], places: Iterable[Place]
) -> TraceNames:
    """Find names. Never raises for a page that is gone, or does not answer."""
    names = TraceNames()
    page = next((page for page in context.pages() if page.id == trace.page_id), None)
    if page is None or page.page.closed is not None:
        return names
    names.frame = page.page.main_frame.id
    for request in page.network.get_data(True):
        names.reqids[request.request_id] = request.id
        if load.document is not None and request.request_id == load.document.id:
            names.redirects = [(hop.id, hop.url) for hop in request.redirect_chain]
    names.sources = await page.sources.locate(places)
    wanted = [node for node in dict.fromkeys(nodes) if node > 0][:MAX_NODES]
    if wanted and _is_there(page, trace, load) and page.dialog is None:
        try:
            main = page.page.main_frame
            names.uids = await node_uids(page.page, main.session, wanted, main.id)
            names.words = await words_of(main, list(names.uids.values()))
        except PagelensError:
            pass  # the page does not answer: its elements are shown without uids
    return names


def _is_there(page: McpPage, trace: PageTrace, load: PageLoad) -> bool:
    """Whether the document is still there: in another one Chrome's numbers name other elements."""
    # Before the first navigation the trace has the document that was there when it began.
    document = load.document.id if load.document is not None else trace.conditions.document
    return bool(document) and document == page.page.main_frame.loader_id
