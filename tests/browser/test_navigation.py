"""Navigation: each kind ends with its own true words, in bounded time."""

from __future__ import annotations

import asyncio
import socket
import uuid
from collections.abc import AsyncIterator

import pytest

from pagelens.browser.page import Page
from pagelens.core.urls import navigable
from pagelens.errors import DialogOpen, InvalidInput, NavigationFailed, PageClosed
from tests.support.site import Response, Site


async def text(page: Page) -> str:
    result = await page.session.send("Runtime.evaluate", {"expression": "document.body.innerText"})
    return str(result["result"].get("value"))


async def test_a_page_that_loads(page: Page, site: Site) -> None:
    url = site.page("<title>Hello</title><p>here", path="/hello.html")
    result = await page.navigate(url)
    assert (result.outcome, result.status, result.url, result.pending) == ("loaded", 200, url, [])
    assert page.url == url
    assert await text(page) == "here"


async def test_redirects_end_at_the_last_address(page: Page, site: Site) -> None:
    last = site.url("/blank")
    result = await page.navigate(site.url("/chain", n=3, to=last))
    assert (result.outcome, result.url, result.status) == ("loaded", last, 200)


@pytest.mark.parametrize("status", [404, 500])
async def test_an_http_error_is_a_page_with_its_status(page: Page, site: Site, status: int) -> None:
    result = await page.navigate(site.url(f"/status/{status}"))
    assert (result.outcome, result.status) == ("loaded", status)


async def test_an_http_error_without_a_body(page: Page, site: Site) -> None:
    url = site.route("/empty-error", lambda _: Response("", 404))
    result = await page.navigate(url)
    assert (result.outcome, result.status) == ("loaded", 404)


async def test_an_image_that_never_ends_is_said_and_not_waited_for(page: Page, site: Site) -> None:
    url = site.page("<h1>There</h1><img src=/never.png>", path="/endless.html")
    result = await page.navigate(url)
    assert result.outcome == "usable"
    assert result.pending == [site.url("/never.png")]
    assert await text(page) == "There"


async def test_an_alert_while_loading_ends_the_wait(page: Page, site: Site) -> None:
    url = site.page("<h1>x</h1><script>alert('stop')</script><p>after", path="/alert.html")
    result = await page.navigate(url)
    assert result.outcome == "dialog"
    assert result.dialog is not None
    assert result.dialog.words() == 'alert "stop"'
    with pytest.raises(DialogOpen, match="handle_dialog"):
        await page.navigate(site.url("/blank"))
    await page.handle_dialog(True)
    assert page.dialog is None
    assert await page.loads.wait(lambda: not page.is_loading, 10)
    assert "after" in await text(page)


async def test_a_script_that_moves_on_while_loading_is_followed(page: Page, site: Site) -> None:
    last = site.url("/slow", ms=30)
    url = site.page(f"<script>location.replace({last!r})</script>", path="/moves-on.html")
    result = await page.navigate(url)
    assert (result.outcome, result.url) == ("loaded", last)


async def test_a_script_that_moves_on_after_load_is_followed(page: Page, site: Site) -> None:
    last = site.url("/slow", ms=30, x="after-load")
    url = site.page(f"<script>onload = () => setTimeout(() => location.href = {last!r})</script>", path="/later.html")
    result = await page.navigate(url)
    assert (result.outcome, result.url) == ("loaded", last)


async def test_same_document(page: Page, site: Site) -> None:
    url = site.page("<p id=there>x", path="/same.html")
    await page.navigate(url)
    result = await page.navigate(url + "#there")
    assert (result.outcome, result.url, page.url) == ("same_document", url + "#there", url + "#there")


async def test_no_content_leaves_the_page_as_it_is(page: Page, site: Site) -> None:
    url = site.page("<p>stays", path="/stays.html")
    await page.navigate(url)
    result = await page.navigate(site.url("/status/204"))
    assert (result.outcome, result.status, result.url) == ("no_content", 204, url)
    assert await text(page) == "stays"


async def test_a_download_is_a_download(page: Page, site: Site) -> None:
    result = await page.navigate(site.url("/download", name="report.csv", size=2000))
    assert result.outcome == "download"
    assert result.download is not None
    assert (result.download.state, result.download.suggested_name) == ("completed", "report.csv")
    assert result.download.path is not None
    assert result.download.path.name.startswith("report")
    assert result.download.path.stat().st_size == result.download.received
    result.download.path.unlink()


async def test_nobody_listens(page: Page) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = f"http://127.0.0.1:{free.getsockname()[1]}/"
    with pytest.raises(NavigationFailed, match=r"ERR_CONNECTION_REFUSED.*Nothing listens"):
        await page.navigate(address)
    assert (await page.navigate("about:blank")).outcome == "loaded"


async def test_a_connection_that_breaks(page: Page, site: Site) -> None:
    with pytest.raises(NavigationFailed, match=r"net::ERR_"):
        await page.navigate(site.url("/reset"))


async def test_redirects_in_a_circle(page: Page, site: Site) -> None:
    with pytest.raises(NavigationFailed, match=r"circle"):
        await page.navigate(site.url("/loop"))


@pytest.mark.parametrize("address", ["", "   ", "http://", "http://[::1", "https://a b/"])
async def test_what_is_no_address_is_refused(page: Page, address: str) -> None:
    with pytest.raises(InvalidInput):
        await page.navigate(address)


async def test_a_server_that_does_not_answer_in_time(page: Page, site: Site) -> None:
    url = site.page("<p>before", path="/before.html")
    await page.navigate(url)
    with pytest.raises(NavigationFailed, match=r"did not answer within 1 s"):
        await page.navigate(site.url("/never"), timeout=1)
    assert await text(page) == "before"
    assert (await page.navigate(site.url("/blank"))).outcome == "loaded"


async def test_a_timeout_longer_than_the_default_is_honoured(page: Page, site: Site) -> None:
    result = await page.navigate(site.url("/slow", ms=1500), timeout=40)
    assert (result.outcome, result.status) == ("loaded", 200)


async def test_a_document_that_never_ends(page: Page, site: Site) -> None:
    async def forever() -> AsyncIterator[bytes]:
        yield b"<h1>begun</h1>" + b" " * 2000
        await asyncio.sleep(3600)

    url = site.route("/forever", lambda _: Response(forever()))
    result = await page.navigate(url, timeout=2)
    assert result.outcome == "loading"
    assert await text(page) == "begun"


async def test_history(page: Page, site: Site) -> None:
    one, two = site.page("<p>one", path="/one.html"), site.page("<p>two", path="/two.html")
    await page.navigate(one)
    await page.navigate(two)
    result = await page.go_back()
    assert result.url == one
    assert result.outcome in ("loaded", "bfcache")
    assert await text(page) == "one"
    result = await page.go_forward()
    assert result.url == two
    assert await text(page) == "two"
    with pytest.raises(NavigationFailed, match="last entry"):
        await page.go_forward()


async def test_back_to_a_page_in_the_back_forward_cache(page: Page, site: Site) -> None:
    # Test pages are served as not to be stored, which would keep them out of that cache.
    one = site.route(
        "/b1.html", lambda _: Response("<p>one<script>n = 1</script>", headers={"Cache-Control": "private"})
    )
    two = site.page("<p>two", path="/b2.html")
    await page.navigate(one)
    await page.session.send("Runtime.evaluate", {"expression": "n = 42"})
    await page.navigate(site.other(two))
    result = await page.go_back()
    assert (result.outcome, result.url) == ("bfcache", one)
    kept = await page.session.send("Runtime.evaluate", {"expression": "n"})
    assert kept["result"]["value"] == 42


async def test_back_within_a_document(page: Page, site: Site) -> None:
    url = site.page("<p id=a>x", path="/within.html")
    await page.navigate(url)
    await page.navigate(url + "#a")
    result = await page.go_back()
    assert (result.outcome, result.url) == ("same_document", url)


async def test_reload(page: Page, site: Site) -> None:
    url = site.page("<p>again", path="/again.html")
    await page.navigate(url)
    before = len(site.seen("/again.html"))
    result = await page.reload()
    assert (result.outcome, result.url) == ("loaded", url)
    assert len(site.seen("/again.html")) == before + 1


async def test_reload_past_the_cache(page: Page, site: Site) -> None:
    path = f"/kept-{uuid.uuid4().hex}.css"  # not in the browser's cache yet
    site.route(path, lambda _: Response("p{}", 200, {"Cache-Control": "max-age=9999"}, "text/css"))
    await page.navigate(site.page(f"<link rel=stylesheet href={path}><p>x", path="/cached.html"))
    await page.reload(ignore_cache=True)
    assert len(site.seen(path)) == 2


async def test_past_the_cache_in_frames_of_other_sites(page: Page, site: Site) -> None:
    for name in ("/kept-there.css", "/kept-by-worker.js"):
        kind = "text/css" if name.endswith("css") else "text/javascript"
        site.route(name, lambda _, kind=kind: Response("", 200, {"Cache-Control": "max-age=9999"}, kind))  # type: ignore[misc]
    worker = "new Worker(URL.createObjectURL(new Blob([`importScripts('{other}/kept-by-worker.js'); postMessage(1)`])))"
    inside = site.page(
        f"<link rel=stylesheet href=/kept-there.css><script>{worker}.onmessage = () => fetch('/done')</script>",
        path="/kept-frame.html",
        other=True,
    )
    site.route("/done", lambda _: Response("x", 200, {"Cache-Control": "no-store"}))
    url = site.page(f"<iframe src='{inside}'></iframe>")
    await page.navigate(url)
    await site.requested("/done")
    use_cache = page.bypass_cache()
    for is_over in (False, True):
        site.forget()
        if is_over:
            use_cache()
        await page.navigate("about:blank")
        await page.navigate(url)
        await site.requested("/done")
        for name in ("/kept-there.css", "/kept-by-worker.js"):
            assert len(site.seen(name)) == (0 if is_over else 1), name


BEFORE_UNLOAD = "<script>addEventListener('beforeunload', e => e.preventDefault())</script><button id=b>x</button>"


async def test_a_page_that_asks_to_stay_is_left(page: Page, site: Site) -> None:
    await page.navigate(site.page(BEFORE_UNLOAD, path="/asks.html"))
    await touch(page)
    assert (await page.navigate(site.url("/blank"))).outcome == "loaded"


async def test_a_page_that_asks_to_stay_stays(page: Page, site: Site) -> None:
    url = site.page(BEFORE_UNLOAD, path="/asks.html")
    await page.navigate(url)
    await touch(page)
    with pytest.raises(NavigationFailed, match="asked to stay"):
        await page.navigate(site.url("/blank"), before_unload="dismiss")
    assert page.url == url
    with pytest.raises(NavigationFailed, match="asked to stay"):
        await page.reload(before_unload="dismiss")
    await page.reload()
    await page.close()


async def touch(page: Page) -> None:
    """A user gesture, without which no page may ask to stay."""
    await page.session.send("Runtime.evaluate", {"expression": "0", "userGesture": True})


async def test_the_init_script_runs_first_and_only_in_that_load(page: Page, site: Site) -> None:
    url = site.page("<p id=out><script>out.textContent = globalThis.early ?? 'none'</script>", path="/early.html")
    await page.navigate(url, init_script="globalThis.early = 'first'")
    assert await text(page) == "first"
    await page.navigate(url)
    assert await text(page) == "none"


async def test_a_loop_at_load_does_not_keep_the_page(page: Page, site: Site) -> None:
    url = site.page("<p>before<script>for (;;);</script>", path="/loops.html")
    result = await page.navigate(url, timeout=2)
    assert result.outcome == "loading"
    result = await page.navigate(site.url("/blank"))
    assert result.outcome == "loaded"


async def test_a_crash_and_back(page: Page, site: Site) -> None:
    url = site.page("<p>alive", path="/alive.html")
    await page.navigate(url)
    page.session.post("Page.crash")
    assert await page.loads.wait(lambda: page.is_crashed, 10)
    result = await page.reload()
    assert (result.outcome, page.is_crashed) == ("loaded", False)
    assert await text(page) == "alive"
    page.session.post("Page.crash")
    assert await page.loads.wait(lambda: page.is_crashed, 10)
    assert (await page.navigate(url)).outcome == "loaded"
    assert await text(page) == "alive"


async def test_to_another_process_and_back(page: Page, site: Site) -> None:
    url = site.page("<p>here", path="/here.html")
    for address in (url, site.other(url), url):
        result = await page.navigate(address)
        assert (result.outcome, result.url) == ("loaded", address)
        assert await text(page) == "here"


async def test_a_meta_refresh_is_followed_when_it_is_due(page: Page, site: Site) -> None:
    last = site.url("/blank")
    url = site.page(f"<meta http-equiv=refresh content='0;url={last}'><p>soon", path="/refresh.html")
    result = await page.navigate(url)
    assert result.url == last
    later = site.page(f"<meta http-equiv=refresh content='60;url={last}'><p>later", path="/refresh-later.html")
    result = await page.navigate(later)
    assert (result.url, result.outcome) == (later, "loaded")


async def test_a_page_that_closes_while_it_is_loaded(page: Page, site: Site) -> None:
    navigation = asyncio.ensure_future(page.navigate(site.url("/never")))
    await page.loads.wait(lambda: page.loads.of(page.main_frame.id).is_under_way, 5)
    await page.close()
    with pytest.raises(PageClosed):
        await navigation


async def test_addresses_without_a_scheme() -> None:
    assert navigable("example.com") == "https://example.com"
    assert navigable("localhost:8080/x") == "http://localhost:8080/x"
    assert navigable("127.0.0.1") == "http://127.0.0.1"
    assert navigable("example.com:8443") == "https://example.com:8443"
    assert navigable("about:blank") == "about:blank"
    assert navigable("data:text/html,<p>x") == "data:text/html,<p>x"
    assert navigable(" file:///tmp/x ") == "file:///tmp/x"


async def test_after_a_failure_the_next_step_is_taken_at_once(page: Page, site: Site) -> None:
    """Committed, Chrome's error page may still be taking over: history and reload were refused then."""
    await page.navigate(site.page("<h1>here</h1>"))
    for _ in range(8):
        with pytest.raises(NavigationFailed, match="ERR_"):
            await page.navigate("http://127.0.0.1:9/")
        await page.go_back()
        assert await text(page) == "here"
