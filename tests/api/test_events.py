"""Events of pages and browsers, and blocks that wait for them."""

from __future__ import annotations

import asyncio
import logging
from typing import Any

import pytest

import pagelens
from pagelens.errors import DeadlineExceeded, InvalidInput, PageClosed, PageCrashed
from tests.support.site import Response, Site


async def test_issues_are_events_of_their_own(page: pagelens.Page, site: Site) -> None:
    said: list[pagelens.ConsoleMessage] = []
    page.on("console", said.append)
    async with page.expect_event("issue") as caught:
        await page.goto(site.page("<form><input><input></form>"))
    message: pagelens.ConsoleMessage = caught.value
    assert (message.type, message.origin) == ("issue", "issue")
    issue = message.issue
    assert issue is not None
    assert (issue.code, issue.kind) == ("GenericIssue", "FormEmptyIdAndNameAttributesForInputError")
    assert issue.title == "A form field has neither id nor name"
    assert "Autofill" in issue.explanation
    assert issue.links[0].startswith("https://")
    await page.wait_for(function="() => document.readyState === 'complete'")
    found = [m for m in page.console_messages() if m.type == "issue"]
    assert found == [message]
    assert found[0].issue is not None
    assert found[0].issue.count == 2
    assert message not in said


async def test_who_says_it(page: pagelens.Page) -> None:
    with Site() as site:
        site.route("/s.js", lambda _: Response("console.log('from the worker')", content_type="text/javascript"))
        async with page.expect_event("console", lambda m: m.source == "shared_worker") as caught:
            await page.goto(site.page("<script>globalThis.w = new SharedWorker('/s.js')</script>"))
        message: pagelens.ConsoleMessage = caught.value
        assert (message.text, message.source_url, message.extension) == ("from the worker", site.url("/s.js"), None)
        assert message in page.console_messages()
        assert message.issue is None


async def test_console(page: pagelens.Page, site: Site) -> None:
    got: list[pagelens.ConsoleMessage] = []
    page.on("console", got.append)
    url = site.page("<script>console.log('a %d', 1, {b: 2})\nconsole.warn('w')</script>")
    await page.goto(url)
    assert [(message.type, message.text) for message in got] == [("log", "a 1 {b: 2}"), ("warn", "w")]
    first = got[0]
    assert (first.page, first.origin, first.source, first.url, first.line) == (page, "call", "page", url, 2)
    assert (first.column > 0, first.error, first.stack[0].url) == (True, None, url)
    assert first.timestamp > 1.6e12
    assert page.console_messages() == got
    await page.goto(site.page("<p>quiet"))
    assert page.console_messages() == []
    assert page.console_messages(include_preserved=True) == got


async def test_uncaught_errors(page: pagelens.Page, site: Site) -> None:
    got: list[pagelens.ConsoleMessage] = []
    page.on("uncaughterror", got.append)
    async with page.expect_event("uncaughterror", lambda message: "RangeError" in message.text):
        await page.goto(
            site.page("<script>Promise.reject(new RangeError('later'))\nthrow new TypeError('now')</script>")
        )
    by_name = {message.error.name: message for message in got if message.error}
    assert set(by_name) == {"TypeError", "RangeError"}
    assert by_name["RangeError"].error is not None
    assert by_name["RangeError"].error.in_promise
    assert "now" in by_name["TypeError"].text
    assert by_name["TypeError"].origin == "exception"


async def test_requests_and_responses(page: pagelens.Page, site: Site) -> None:
    seen: list[tuple[str, Any]] = []
    for name in ("request", "response", "requestfinished"):
        page.on(name, lambda payload, name=name: seen.append((name, payload)))
    home = site.page("<img src=/pixel.png>")
    await page.goto(site.url("/redirect", to=home))
    names = [(name, payload.url.removeprefix(site.origin).split("?")[0]) for name, payload in seen]
    path = home.removeprefix(site.origin)
    for name, url in (("request", "/redirect"), ("response", "/redirect"), ("request", path), ("response", path)):
        assert names.count((name, url)) == 1
    first, *_ = page.network_requests()
    assert (first.outcome, first.method, first.resource_type, first.is_navigation) == (
        "redirected", "GET", "document", True,
    )  # fmt: skip
    hop = first.redirected_to
    assert hop is not None
    assert (hop.url, hop.redirected_from) == (home, first)
    assert [payload for name, payload in seen if name == "requestfinished"].count(hop) == 1
    assert all(isinstance(payload, pagelens.Response) for name, payload in seen if name == "response")


async def test_navigations_of_frames(page: pagelens.Page, site: Site) -> None:
    got: list[pagelens.FrameNavigated] = []
    page.on("framenavigated", got.append)
    inner = site.url("/frame")
    url = site.page(f"<iframe src='{inner}'></iframe>")
    await page.goto(url)
    await page.goto(url + "#part")
    kinds = [(event.frame.is_main, event.url, event.kind) for event in got]
    assert kinds[0] == (True, url, "document")
    assert (False, inner, "document") in kinds
    assert kinds[-1] == (True, url + "#part", "same_document")


async def test_popups(page: pagelens.Page, browser: pagelens.Browser, site: Site) -> None:
    target = site.page("<title>Popup</title>")
    await page.goto(site.page(f"<a target=_blank href='{target}'>open</a>"))
    popups: list[pagelens.Page] = []
    pages: list[pagelens.Page] = []
    page.on("popup", popups.append)
    off = browser.on("page", pages.append)
    async with page.expect_page() as caught:
        effect = await page.click("css=a")
    off()
    popup = caught.value
    assert popups == pages == effect.new_pages == [popup]
    assert popup.url == target
    assert popup in browser.pages
    assert popup.opener is None or popup.opener is page
    await popup.goto(site.url("/"))
    assert await popup.title() == "Home"


async def test_downloads(page: pagelens.Page, site: Site, tmp_path: Any) -> None:
    await page.goto(site.page("<a href='/download?name=report.txt&size=2000'>get</a>"))
    seen: list[pagelens.Download] = []
    page.on("download", seen.append)
    async with page.expect_download() as caught:
        effect = await page.click("css=a")
    download = caught.value
    assert seen == [download] == effect.downloads
    assert download.suggested_name == "report.txt"
    assert download.page is page
    assert download.url == site.url("/download", name="report.txt", size=2000)
    path = await download.path()
    assert (download.state, download.received, path.stat().st_size) == ("completed", 2000, 2000)
    copy = await download.save_as(tmp_path / "new" / "copy.txt")
    assert copy.read_bytes() == path.read_bytes()
    await download.cancel()
    with pytest.raises(pagelens.PagelensError, match="can't be saved"):
        await download.save_as(copy / "below-a-file")


async def test_downloads_that_do_not_come_to_their_end(page: pagelens.Page, site: Site) -> None:
    async with page.expect_download() as caught:
        await page.goto(site.url("/download", name="slow.bin", size=50_000_000, ms=200))
    download = caught.value
    if download.state == "inProgress":
        with pytest.raises(DeadlineExceeded, match="not complete after"):
            await download.path(timeout=0.01)
        await download.cancel()
        with pytest.raises(pagelens.PagelensError, match="cancelled"):
            await download.path()


async def test_crash_and_close(browser: pagelens.Browser, site: Site) -> None:
    page = await browser.new_page()
    told: list[tuple[str, Any]] = []
    page.on("crash", lambda payload: told.append(("crash", payload)))
    page.once("close", lambda payload: told.append(("close", payload)))
    waiting = asyncio.ensure_future(page.evaluate("() => new Promise(() => {})"))
    async with page.expect_event("crash"):
        with pytest.raises(pagelens.PagelensError):
            await page.goto("chrome://crash")
    with pytest.raises(pagelens.PagelensError):
        await waiting
    assert page.is_crashed
    with pytest.raises(PageCrashed):
        await page.evaluate("1")
    await page.goto(site.url("/"))
    assert not page.is_crashed
    assert await page.evaluate("1") == 1
    async with page.expect_event("close"):
        await page.evaluate("() => { setTimeout(() => close(), 10) }")
        await page._engine.host.root.send("Target.closeTarget", {"targetId": page._engine.target_id})
    assert told == [("crash", page), ("close", page)]


async def test_waiting_ends_when_nothing_can_come(browser: pagelens.Browser) -> None:
    page = await browser.new_page()
    with pytest.raises(PageClosed):
        async with page.expect_event("console"):
            await page.close()
    with pytest.raises(PageClosed):
        async with page.expect_dialog():
            pass
    crashing = await browser.new_page()
    gone = crashing.expect_page()
    await gone.__aenter__()
    with pytest.raises(pagelens.PagelensError):
        await crashing.goto("chrome://crash")
    with pytest.raises(PageCrashed):
        await gone.__aexit__(None, None, None)
    await crashing.close()


async def test_expect_event(page: pagelens.Page) -> None:
    async with page.expect_event("console", lambda message: message.text == "3") as caught:
        await page.evaluate("() => { for (const n of [1, 2, 3, 4]) console.log(n) }")
    assert caught.value.text == "3"
    with pytest.raises(DeadlineExceeded, match="'console' of page"):
        async with page.expect_event("console", timeout=0.05):
            pass
    with pytest.raises(KeyError):
        async with page.expect_event("console", lambda message: {}[message.text]):
            await page.evaluate("() => console.log(1)")
    with pytest.raises(ZeroDivisionError):
        async with page.expect_event("console") as never:
            _ = 1 / 0
    with pytest.raises(InvalidInput, match="has not come"):
        _ = never.value
    with pytest.raises(InvalidInput, match="has no event"):
        async with page.expect_event("nosuch"):
            pass
    assert not page._events.has("console")


async def test_handlers_come_and_go(page: pagelens.Page) -> None:
    got: list[str] = []

    def keep(message: pagelens.ConsoleMessage) -> None:
        got.append("keep" + message.text)

    page.on("console", keep)
    page.once("console", lambda message: got.append("once" + message.text))
    off = page.on("console", lambda message: got.append("off" + message.text))
    await page.evaluate("() => console.log(1)")
    off()
    off()
    await page.evaluate("() => console.log(2)")
    page.off("console", keep)
    page.off("console", keep)
    await page.evaluate("() => console.log(3)")
    assert got == ["keep1", "once1", "off1", "keep2"]
    for call in (page.on, page.once, page.off):
        with pytest.raises(InvalidInput, match="has no event"):
            call("nosuch", keep)


async def test_asynchronous_handlers_take_one_event_after_another(page: pagelens.Page) -> None:
    got: list[str] = []
    done = asyncio.Event()
    release = asyncio.Event()

    async def slow(message: pagelens.ConsoleMessage) -> None:
        got.append("begin " + message.text)
        await release.wait()
        got.append("end " + message.text)
        if message.text == "2":
            done.set()

    page.on("console", slow)
    page.on("console", lambda message: got.append("other " + message.text))
    await page.evaluate("() => { console.log(1); console.log(2) }")
    release.set()
    await asyncio.wait_for(done.wait(), 5)
    assert [entry for entry in got if not entry.startswith("other")] == ["begin 1", "end 1", "begin 2", "end 2"]
    assert got.index("other 2") < got.index("end 1")


async def test_a_handler_may_use_the_page(page: pagelens.Page) -> None:
    titles: asyncio.Queue[str] = asyncio.Queue()

    async def read(message: pagelens.ConsoleMessage) -> None:
        await titles.put(await page.evaluate("document.title"))

    page.on("console", read)
    await page.set_content("<title>T</title><script>console.log(1)</script>")
    assert await asyncio.wait_for(titles.get(), 5) == "T"


async def test_a_failing_handler_is_logged(page: pagelens.Page, caplog: pytest.LogCaptureFixture) -> None:
    got: list[str] = []
    done = asyncio.Event()

    def broken(message: pagelens.ConsoleMessage) -> None:
        raise RuntimeError("plain")

    async def broken_later(message: pagelens.ConsoleMessage) -> None:
        if message.text == "2":
            done.set()
        raise RuntimeError("later")

    page.on("console", broken)
    page.on("console", broken_later)
    page.on("console", lambda message: got.append(message.text))
    with caplog.at_level(logging.ERROR, "pagelens"):
        await page.evaluate("() => { console.log(1); console.log(2) }")
        await asyncio.wait_for(done.wait(), 5)
        await asyncio.sleep(0)
    assert got == ["1", "2"]
    assert sum("handler of the event 'console' failed" in record.getMessage() for record in caplog.records) == 4
