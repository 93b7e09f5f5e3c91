"""Contexts: pages with cookies and storage of their own."""

from __future__ import annotations

import pytest

import pagelens
from pagelens.errors import InvalidInput, PageClosed
from tests.support.site import Site


async def test_nothing_is_shared(browser: pagelens.Browser, page: pagelens.Page, site: Site) -> None:
    async with await browser.new_context() as one, await browser.new_context() as two:
        pages = [page, await one.new_page(), await two.new_page()]
        for name, each in zip("abc", pages, strict=True):
            await each.goto(site.url("/cookies/set", who=name))
            await each.evaluate("(name) => localStorage.setItem('who', name)", name)
        for name, each in zip("abc", pages, strict=True):
            await each.goto(site.url("/"))
            assert await each.evaluate("[document.cookie, localStorage.who]") == [f"who={name}", name]
        second = await one.new_page()
        await second.goto(site.url("/"))
        assert await second.evaluate("document.cookie") == "who=b"
        assert one.pages == [pages[1], second]
        assert [each.context for each in pages] == [browser.contexts[0], one, two]
        assert {one, two} <= set(browser.contexts)
        assert one.name != two.name
        async with second.expect_page() as caught:
            await second.evaluate("() => { open('/') }")
        assert caught.value.context is one
    assert pages[1].is_closed
    assert caught.value.is_closed
    assert not page.is_closed
    assert not {one, two} & set(browser.contexts)
    await page.evaluate("() => { localStorage.clear(); document.cookie = 'who=; max-age=0' }")


async def test_a_context_outlives_its_pages(browser: pagelens.Browser, site: Site) -> None:
    context = await browser.new_context()
    page = await context.new_page()
    await page.goto(site.url("/cookies/set", kept="1"))
    await page.close()
    page = await context.new_page()
    await page.goto(site.url("/"))
    assert await page.evaluate("document.cookie") == "kept=1"
    await context.close()
    await context.close()
    with pytest.raises(PageClosed):
        await page.evaluate("1")
    with pytest.raises(InvalidInput, match="is closed"):
        await context.new_page()


async def test_the_default_context_stays(browser: pagelens.Browser) -> None:
    with pytest.raises(InvalidInput, match="default context"):
        await browser.contexts[0].close()


async def test_downloads_of_a_context(browser: pagelens.Browser, site: Site) -> None:
    async with await browser.new_context() as context:
        page = await context.new_page()
        async with page.expect_download() as caught:
            await page.goto(site.url("/download", name="c.txt", size=5))
        assert (await caught.value.path()).stat().st_size == 5
