"""The list of pages is shown whole, unless a part of it is asked for or it does not fit."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

from pagelens.browser.host import BrowserHost
from pagelens.context.mcp_context import McpContext
from pagelens.core.options import Options
from pagelens.response.mcp_response import McpResponse, RenderedResponse


def context_with(count: int, **options: Any) -> McpContext:
    """A context that has so many pages open."""
    chosen = Options(**options)
    context = McpContext(BrowserHost(chosen), chosen)
    pages = [
        SimpleNamespace(
            id=number,
            url=f"https://tabs.example/{number}",
            title=f"Tab {number}",
            opener_id=None,
            is_loading=False,
            is_crashed=False,
            dialog=None,
            page=SimpleNamespace(has_devtools=False, context_name=None),
        )
        for number in range(1, count + 1)
    ]
    context.pages = lambda: cast(Any, pages)  # type: ignore[method-assign]
    return context


async def show(context: McpContext, **wanted: int) -> RenderedResponse:
    response = McpResponse()
    response.include_pages(**wanted)
    return await response.handle(context)


async def test_all_of_them_without_a_word_about_paging() -> None:
    reply = await show(context_with(30))
    assert reply.text.splitlines()[:2] == ["## Pages", '1: https://tabs.example/1 "Tab 1"']
    assert len(reply.text.splitlines()) == 31
    assert "pagination" not in reply.structured


async def test_a_part_when_it_is_asked_for() -> None:
    reply = await show(context_with(30), page_size=12, page_idx=2)
    assert reply.text.splitlines()[1] == "Showing 25-30 of 30 (page 3 of 3). Previous: pageIdx 1."
    assert [page["id"] for page in reply.structured["pages"]] == list(range(25, 31))
    assert reply.structured["pagination"]["hasPreviousPage"]
    reply = await show(context_with(30), page_idx=1)
    assert [page["id"] for page in reply.structured["pages"]] == list(range(21, 31))


async def test_a_part_when_they_do_not_fit() -> None:
    context = context_with(2_000, max_reply_chars=10_000)
    reply = await show(context)
    assert len(reply.text) <= 10_000
    pages = reply.structured["pages"]
    assert [page["id"] for page in pages] == list(range(1, len(pages) + 1))
    assert 150 < len(pages) < 2_000
    assert f": no more fit. Next: pageSize {len(pages)}, pageIdx 1." in reply.text
    following = await show(context, page_size=len(pages), page_idx=1)
    assert following.structured["pages"][0]["id"] == len(pages) + 1


async def test_encoded() -> None:
    text = (await show(context_with(2, data_format="toon"))).text
    assert text.splitlines()[1:] == [
        "pages[2]{id,url,title}:",
        '  1,"https://tabs.example/1",Tab 1',
        '  2,"https://tabs.example/2",Tab 2',
    ]
