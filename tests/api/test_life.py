"""Launching, connecting, many pages at once, cancelling, and the end."""

from __future__ import annotations

import asyncio
import gc
import subprocess
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import psutil
import pytest
import pytest_asyncio

import pagelens
from pagelens.errors import AttachFailed, BrowserNotFound, ConnectionLost, InvalidInput, PagelensError
from tests.support.site import Site

HEAVY = ("mcp", "pydantic", "websockets", "PIL", "numpy", "opentelemetry")


def loaded_by(code: str) -> set[str]:
    """The top-level packages that are imported once `code` has run in a fresh interpreter."""
    script = f"import sys; {code}; print(' '.join({{name.partition('.')[0] for name in sys.modules}}))"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    return set(done.stdout.split())


def test_importing_costs_next_to_nothing() -> None:
    assert not loaded_by("import pagelens, pagelens.errors") & {*HEAVY, "asyncio", "msgspec"}
    assert not loaded_by("import pagelens; pagelens.launch; pagelens.Page") & set(HEAVY)


def test_every_name_is_there() -> None:
    for name in pagelens.__all__:
        assert getattr(pagelens, name) is not None
    assert set(pagelens.__all__) <= set(dir(pagelens))
    with pytest.raises(AttributeError, match="no attribute 'nosuch'"):
        _ = pagelens.nosuch


async def test_a_launched_browser_ends_with_its_block(site: Site) -> None:
    async with pagelens.launch(viewport=(800, 600), args=["--accept-lang=de"]) as browser:
        process = psutil.Process(browser._host._browser.pid)  # type: ignore[union-attr]
        assert browser.version.startswith("Chrome/")
        assert browser.is_connected
        assert len(browser.pages) == 1
        page = await browser.new_page()
        assert await page.evaluate("[innerWidth, innerHeight, navigator.language]") == [800, 600, "de"]
        assert await page.evaluate("'modelContext' in document || 'modelContext' in navigator") is False
        lost: list[object] = []
        browser.on("disconnected", lost.append)
        profile: Path = browser._host._browser.profile  # type: ignore[union-attr]
        assert await asyncio.to_thread(profile.exists)
    assert not process.is_running()
    assert not await asyncio.to_thread(profile.exists)
    assert not browser.is_connected
    for call in (browser.new_page(), browser.new_context(), page.evaluate("1"), page.goto(site.url("/"))):
        with pytest.raises(PagelensError):
            await call
    await browser.close()


async def test_a_profile_that_is_kept(tmp_path: Path, site: Site) -> None:
    for expected in ("", "kept=1"):
        async with pagelens.launch(user_data_dir=str(tmp_path / "profile"), webmcp=True) as browser:
            page = await browser.new_page()
            await page.goto(site.url("/"))
            assert await page.evaluate("document.cookie") == expected
            await page.evaluate("() => { document.cookie = 'kept=1; max-age=1000' }")
            assert await page.evaluate("'modelContext' in document || 'modelContext' in navigator") is True
    assert (tmp_path / "profile").exists()


async def test_what_can_t_be_launched() -> None:
    with pytest.raises(BrowserNotFound):
        async with pagelens.launch(executable_path="/no/such/browser"):
            pass
    with pytest.raises(InvalidInput):
        async with pagelens.launch(args=["--user-data-dir=/tmp/x"]):
            pass


async def test_a_browser_that_is_killed() -> None:
    async with pagelens.launch() as browser:
        page = await browser.new_page()
        lost = asyncio.Event()
        closed: list[object] = []
        browser.on("disconnected", lambda reason: lost.set())
        page.on("close", closed.append)
        waiting = asyncio.ensure_future(page.evaluate("() => new Promise(() => {})"))
        await asyncio.sleep(0)
        psutil.Process(browser._host._browser.pid).kill()  # type: ignore[union-attr]
        await asyncio.wait_for(lost.wait(), 10)
        with pytest.raises(PagelensError):
            await waiting
        assert closed == [page]
        assert browser.pages == []
        with pytest.raises(ConnectionLost):
            await browser.new_page()


# -- a browser that somebody else started ----------------------------------------------------------------


@pytest_asyncio.fixture(loop_scope="session")
async def served() -> AsyncIterator[tuple[pagelens.Browser, str, str]]:
    """A browser that serves a port: itself, its address, and its WebSocket."""
    async with pagelens.launch(args=["--remote-debugging-port=0"]) as browser:
        port, path = (Path(browser._host._browser.profile) / "DevToolsActivePort").read_text().split()  # type: ignore[union-attr]
        yield browser, f"http://127.0.0.1:{port}", f"ws://127.0.0.1:{port}{path}"


async def test_connecting(served: tuple[pagelens.Browser, str, str], site: Site) -> None:
    owner, address, socket = served
    theirs = await owner.new_page()
    await theirs.goto(site.page("<button onclick='console.log(1)'>b</button>", title="Theirs"))
    async with pagelens.connect(browser_url=address) as browser:
        assert browser.version == owner.version
        page = next(page for page in browser.pages if page.url == theirs.url)
        assert await page.title() == "Theirs"
        async with page.expect_event("console") as caught:
            await page.click("css=button")
        assert caught.value.text == "1"
        mine = await browser.new_page()
        await mine.goto(site.url("/"))
        async with await browser.new_context() as context:
            apart = await context.new_page()
            assert await apart.evaluate("1") == 1
    assert owner.is_connected
    assert not theirs.is_closed
    async with pagelens.connect(ws_endpoint=socket) as browser:
        page = next(page for page in browser.pages if page.url == theirs.url)
        assert await page.evaluate("document.title") == "Theirs"
        await page.set_content("<p>set</p>")
        assert "set" in (await page.snapshot()).text
        assert [frame.url for frame in page.frames] == [theirs.url]


async def test_ways_to_connect_exclude_each_other() -> None:
    for ways in ({}, {"browser_url": "http://127.0.0.1:9", "auto_connect": True}):
        with pytest.raises(InvalidInput, match="needs one"):
            async with pagelens.connect(**ways):  # type: ignore[arg-type]
                pass
    with pytest.raises(InvalidInput, match="ws_headers"):
        async with pagelens.connect(browser_url="http://127.0.0.1:9", ws_headers={"a": "b"}):
            pass
    with pytest.raises(InvalidInput, match="auto_connect only"):
        async with pagelens.connect(browser_url="http://127.0.0.1:9", channel="beta"):
            pass
    with pytest.raises(AttachFailed):
        async with pagelens.connect(browser_url="http://127.0.0.1:9"):
            pass


# -- many at once, and given up --------------------------------------------------------------------------


async def test_many_pages_at_once(browser: pagelens.Browser, site: Site, repeats: int) -> None:
    count = min(2 * repeats, 20)
    url = site.page("<button onclick='this.textContent = Number(this.textContent) + 1'>0</button><input>")

    async def work(number: int) -> tuple[int, list[str], str]:
        page = await browser.new_page()
        said: list[str] = []
        page.on("console", lambda message: said.append(message.text))
        await page.goto(url)
        await page.evaluate("(n) => { document.title = n }", str(number))
        button = await page.element("css=button")
        for _ in range(number % 4 + 1):
            await button.click()
        await page.fill("css=input", f"value {number}")
        await page.evaluate("() => console.log(document.title, document.querySelector('input').value)")
        clicks = int(await button.evaluate("(b) => b.textContent"))
        assert f'value="value {number}"' in (await page.snapshot()).text
        assert (await page.screenshot()).width == 1280
        title = await page.title()
        await page.close()
        return clicks, said, title

    async with asyncio.timeout(120):
        results = await asyncio.gather(*(work(number) for number in range(count)))
    assert results == [(n % 4 + 1, [f"{n} value {n}"], str(n)) for n in range(count)]


@pytest.mark.parametrize(
    "call",
    [
        lambda page, site: page.goto(site.url("/never")),
        lambda page, site: page.evaluate("() => { for (;;); }"),
        lambda page, site: page.evaluate("() => new Promise(() => {})"),
        lambda page, site: page.set_content("<img src=/never.png>"),
        lambda page, site: page.snapshot(),
        lambda page, site: page.screenshot(),
        lambda page, site: page.click("css=button"),
        lambda page, site: page.fill("css=input", "x" * 10_000),
        lambda page, site: page.elements("css=*"),
        lambda page, site: page.reload(),
    ],
)
@pytest.mark.parametrize(
    "after", [pytest.param(0, marks=pytest.mark.long), 0.003, pytest.param(0.02, marks=pytest.mark.long)]
)
async def test_a_call_that_is_given_up_leaves_the_page_in_order(
    page: pagelens.Page, site: Site, call: object, after: float
) -> None:
    await page.goto(site.page("<button onclick='document.title = 1'>b</button><input>"))
    task = asyncio.ensure_future(call(page, site))  # type: ignore[operator]
    await asyncio.sleep(after)
    task.cancel()
    await asyncio.wait([task])
    await page.goto(site.page("<button onclick='document.title = 2'>b</button>"))
    await page.click("css=button")
    assert await page.title() == "2"


async def test_waiting_that_is_given_up(page: pagelens.Page) -> None:
    async def wait() -> None:
        async with page.expect_event("console"):
            pass

    task = asyncio.ensure_future(wait())
    await asyncio.sleep(0)
    task.cancel()
    await asyncio.wait([task])
    assert task.cancelled()
    assert not page._events.has("console")


async def test_handlers_end_with_the_browser() -> None:
    ended: list[str] = []

    async def handler(message: pagelens.ConsoleMessage) -> None:
        try:
            await asyncio.Event().wait()
        finally:
            ended.append(message.text)

    async with pagelens.launch() as browser:
        page = browser.pages[0]
        page.on("console", handler)
        await page.evaluate("() => { console.log(1); console.log(2) }")
        await asyncio.sleep(0)
    assert ended == ["1"]
    assert not [task for task in asyncio.all_tasks() if task.get_name().startswith("pagelens handler")]


async def test_a_handler_may_end_the_browser() -> None:
    done = asyncio.Event()

    async with pagelens.launch() as browser:

        async def end(message: pagelens.ConsoleMessage) -> None:
            await browser.close()
            done.set()

        browser.pages[0].on("console", end)
        await browser.pages[0].evaluate("() => { setTimeout(() => console.log(1)) }")
        await asyncio.wait_for(done.wait(), 20)


async def test_closed_pages_are_not_kept(browser: pagelens.Browser) -> None:
    page = await browser.new_page()
    number = page.id
    await page.evaluate("() => console.log(1)")
    await page.close()
    assert number in browser._closed_pages
    del page
    for _ in range(3):
        await asyncio.sleep(0)
        gc.collect()
    assert number not in browser._closed_pages
