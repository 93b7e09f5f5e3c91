"""Isolated contexts: what they keep apart, how long they last, and those that somebody else made."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest_asyncio

from pagelens.browser.evaluate import evaluate
from pagelens.browser.host import BrowserHost
from pagelens.browser.page import Page
from pagelens.core.options import Options
from tests.support.running_chrome import Holder, RunningChrome
from tests.support.site import Site


@pytest_asyncio.fixture(loop_scope="session")
async def opened(host: BrowserHost) -> AsyncIterator[None]:
    """Closes what a test has opened."""
    before = set(host.pages)
    yield
    for number, page in list(host.pages.items()):
        if number not in before:
            await page.close()


async def contexts(host: BrowserHost) -> set[str]:
    return set((await host.root.send("Target.getBrowserContexts"))["browserContextIds"])


async def value(page: Page, expression: str) -> str:
    return (await evaluate(page, f"() => {expression}")).text


STORE = """(async () => {
  localStorage.setItem('who', '%s');
  document.cookie = 'who=%s';
  await new Promise((done) => {
    const open = indexedDB.open('who-%s');
    open.onsuccess = open.onerror = done;
  });
})()"""
READ = """(async () => [
  localStorage.getItem('who'), document.cookie, (await indexedDB.databases()).map((d) => d.name).join()
].join(' | '))()"""


async def test_cookies_and_storage_are_kept_apart_and_shared_by_name(
    host: BrowserHost, site: Site, opened: None
) -> None:
    url = site.page("<h1>Who</h1>")
    pages = {name: await host.new_page(isolated_context=name) for name in (None, "red", "blue")}
    for name, page in pages.items():
        await page.navigate(url)
        assert page.context_name == name
        await value(page, STORE % (name, name, name))
    for name, page in pages.items():
        assert await value(page, READ) == f'"{name} | who={name} | who-{name}"'
    again = await host.new_page(isolated_context="red")
    await again.navigate(url)
    assert again.context_id == pages["red"].context_id
    assert await value(again, READ) == '"red | who=red | who-red"'


async def test_a_context_ends_with_its_last_page_and_its_name_begins_anew(
    host: BrowserHost, site: Site, opened: None
) -> None:
    url = site.page("<h1>Who</h1>")
    first, second = [await host.new_page(isolated_context="brief") for _ in range(2)]
    context_id = first.context_id
    await first.navigate(url)
    await value(first, "document.cookie = 'a=1'")
    await first.close()
    assert context_id in await contexts(host)
    await second.close()
    assert context_id not in await contexts(host)
    third = await host.new_page(isolated_context="brief")
    await third.navigate(url)
    assert third.context_id != context_id
    assert await value(third, "document.cookie") == '""'


async def test_many_at_once_share_one_context(host: BrowserHost, opened: None) -> None:
    before = await contexts(host)
    pages = await asyncio.gather(*(host.new_page(isolated_context="crowd") for _ in range(4)))
    assert len({page.context_id for page in pages}) == 1
    assert len(await contexts(host) - before) == 1
    # Closing all but one while another one opens keeps it.
    fifth, *_ = await asyncio.gather(host.new_page(isolated_context="crowd"), *(page.close() for page in pages))
    assert fifth.context_id == pages[0].context_id
    assert fifth.closed is None


async def test_a_popup_belongs_to_its_openers_context(host: BrowserHost, site: Site, opened: None) -> None:
    page = await host.new_page(isolated_context="parent")
    await page.navigate(site.page(f"<a id=a target=_blank href={site.url('/')}>a</a>"))
    async with page.acting("script") as effect:
        await value(page, "document.getElementById('a').click()")
    (popup,) = effect.new_pages
    assert popup.context_name == "parent"
    await page.close()
    assert page.context_id in await contexts(host)
    await popup.close()
    assert page.context_id not in await contexts(host)


async def test_downloads_of_an_isolated_page_are_saved_like_others(host: BrowserHost, site: Site, opened: None) -> None:
    page = await host.new_page(isolated_context="loader")
    await page.navigate(site.url("/"))
    async with page.acting("script") as effect:
        await value(page, f"void (location.href = '{site.url('/download', name='apart.txt')}')")
    (download,) = effect.downloads
    assert download.path is not None
    assert download.path.parent == host.downloads.directory
    download.path.unlink()


async def test_names_do_not_outlive_the_browser(browser_options: Options) -> None:
    own = BrowserHost(browser_options)
    try:
        await own.ensure_running()
        first = await own.new_page(isolated_context="red")
        assert own._browser is not None
        await own._browser.connection.close()
        await own.ensure_running()
        second = await own.new_page(isolated_context="red")
        assert second.context_id != first.context_id
        assert second.context_name == "red"
    finally:
        await own.close()


async def test_contexts_that_somebody_else_made(site: Site) -> None:
    async with RunningChrome() as chrome, Holder(chrome) as holder:
        theirs = (await holder.send("Target.createBrowserContext"))["browserContextId"]
        target_id = await holder.open(site.url("/"), browserContextId=theirs)
        host = BrowserHost(Options(browser_url=chrome.url))
        try:
            await host.ensure_running()
            page = host.page_of_target(target_id)
            assert page is not None
            name = page.context_name
            assert name == theirs[:8]
            assert [p.context_name for p in host.pages.values() if p is not page] == [None]
            beside = await host.new_page(isolated_context=name)
            assert beside.context_id == theirs
            ours = await host.new_page(isolated_context="ours")
            await beside.close()
            await page.close()
            assert theirs in await contexts(host)  # not ours to end
            await ours.close()
            assert ours.context_id not in await contexts(host)
        finally:
            await host.close()
