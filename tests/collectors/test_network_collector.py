"""The record of requests equals what the server saw."""

from __future__ import annotations

import asyncio
import uuid

import pytest

from tests.collectors.conftest import Recorder
from tests.support.site import PIXEL, Request, Response, Site


def paths(recorder: Recorder, preserved: bool = False) -> list[str]:
    return ["/" + r.url.split("/", 3)[-1] for r in recorder.data(preserved) if r.url.startswith("http")]


async def test_a_document_its_image_and_headers(recorder: Recorder, site: Site) -> None:
    site.route("/shot.png", lambda _: Response(PIXEL, content_type="image/png"))
    url = site.page("<img src=/shot.png>", headers={"Set-Cookie": "secret=1; HttpOnly"})
    await recorder.page.navigate(url)
    image = await recorder.ended("/shot.png")
    document = recorder.data()[0]

    assert document.url == url
    assert (document.method, document.resource_type, document.status) == ("GET", "document", 200)
    assert document.is_main_document
    assert (image.resource_type, image.status, image.outcome) == ("image", 200, "finished")
    assert image.initiator_type == "parser"
    assert image.body_bytes == len(PIXEL)
    assert document.id < image.id
    # HttpOnly cookies and what was really sent are only in ExtraInfo.
    assert "secret=1" in {k.lower(): v for k, v in document.response_headers().items()}["set-cookie"]
    seen = site.seen("/shot.png")[-1]
    sent = {name.lower(): value for name, value in image.request_headers().items()}
    for name in ("cookie", "referer", "user-agent", "accept"):
        assert sent[name] == seen.headers[name]


@pytest.mark.parametrize("status", [200, 404, 500, 401])
async def test_status(recorder: Recorder, site: Site, status: int) -> None:
    await recorder.page.navigate(site.url("/blank"))
    await recorder.run(f"fetch('/status/{status}').then(r => r.text())")
    request = await recorder.ended(f"/status/{status}")
    assert (request.status, request.outcome, request.resource_type) == (status, "finished", "fetch")


async def test_redirect_chain_of_the_document(recorder: Recorder, site: Site) -> None:
    await recorder.page.navigate(site.url("/chain", n=3, to="/blank", status=302))
    document = await recorder.ended("/blank")
    hops = recorder.data()
    assert hops[-1] is document
    assert [hop.status for hop in hops] == [302, 302, 302, 200]
    assert [hop.outcome for hop in hops] == ["redirected"] * 3 + ["finished"]
    assert len({hop.id for hop in hops}) == 4
    assert len({hop.request_id for hop in hops}) == 1
    assert document.redirect_chain == hops[:3]
    assert hops[0].redirected_to is hops[1]
    for hop in hops[:3]:
        location = {k.lower(): v for k, v in hop.response_headers().items()}["location"]
        assert hop.redirected_to is not None
        assert hop.redirected_to.url.endswith(location)
        assert hop.has_raw_response_headers
        assert hop.response()["status"] == 302
        assert hop.ended is not None
        assert hop.ended >= hop.started


async def test_extra_info_skips_a_hop_from_the_cache(recorder: Recorder, site: Site) -> None:
    site.route("/moved", lambda _: Response("", 301, {"Location": "/json?moved", "Cache-Control": "max-age=600"}))
    site.route("/first", lambda _: Response("", 302, {"Location": "/moved"}))
    await recorder.page.navigate(site.url("/blank"))
    await recorder.run("fetch('/moved').then(r => r.text())")
    site.forget()
    await recorder.run("fetch('/first').then(r => r.text())")
    last = await recorder.until(
        lambda: next((r for r in recorder.requests("/json")[1:] if r.state == "finished"), None)
    )
    first, cached = last.redirect_chain
    assert not site.seen("/moved")
    assert (first.status, cached.status, last.status) == (302, 301, 200)
    assert cached.expects_extra is False
    assert first.response_headers()["Location"] == "/moved"
    assert not cached.has_raw_response_headers
    assert last.response_headers()["Content-Type"] == "application/json"


async def test_redirect_loop_fails(recorder: Recorder, site: Site) -> None:
    await recorder.page.navigate(site.url("/blank"))
    await recorder.run("fetch('/loop').catch(() => 0)")
    last = await recorder.until(lambda: recorder.network.find(lambda r: r.state == "failed" and "loop" in r.url))
    assert last.error_text == "net::ERR_TOO_MANY_REDIRECTS"
    assert len(recorder.requests("/loop")) == len(site.seen("/loop"))


async def test_not_modified_is_304(recorder: Recorder, site: Site) -> None:
    def answer(request: Request) -> Response:
        if request.headers.get("if-none-match") == '"one"':
            return Response("", 304, {"ETag": '"one"', "Cache-Control": "no-cache"})
        return Response("body", 200, {"ETag": '"one"', "Cache-Control": "no-cache"}, "text/plain")

    path = f"/etag-{uuid.uuid4().hex}"  # nothing of it is in the browser's cache yet
    site.route(path, answer)
    await recorder.page.navigate(site.url("/blank"))
    text = await recorder.run(f"fetch('{path}').then(r => r.text()).then(() => fetch('{path}')).then(r => r.text())")
    assert text == "body"
    await recorder.until(lambda: [r.state for r in recorder.requests(path)] == ["finished"] * 2)
    assert [r.status for r in recorder.requests(path)] == [200, 304]
    assert [r.headers.get("if-none-match") for r in site.seen(path)] == [None, '"one"']


async def test_cached_requests_are_told_apart(recorder: Recorder, site: Site) -> None:
    site.route("/kept", lambda _: Response("kept", 200, {"Cache-Control": "max-age=600"}, "text/plain"))
    await recorder.page.navigate(site.url("/blank"))
    await recorder.run("fetch('/kept').then(r => r.text()).then(() => fetch('/kept')).then(r => r.text())")
    await recorder.until(lambda: [r.state for r in recorder.requests("/kept")] == ["finished"] * 2)
    assert [r.from_cache for r in recorder.requests("/kept")] == [None, "disk"]
    assert len(site.seen("/kept")) == 1


async def test_preflight_and_its_request(recorder: Recorder, site: Site) -> None:
    def answer(request: Request) -> Response:
        headers: dict[str, str | list[str]] = {
            "Access-Control-Allow-Origin": site.origin,
            "Access-Control-Allow-Headers": "x-a",
            "Access-Control-Allow-Methods": "PUT",
        }
        return Response("", 204, headers) if request.method == "OPTIONS" else Response("ok", 200, headers)

    site.route("/cross", answer)
    await recorder.page.navigate(site.url("/blank"))
    options = "{method: 'PUT', headers: {'x-a': '1'}, body: '{}'}"
    await recorder.run(f"fetch('{site.other_origin}/cross', {options}).then(r => r.text())")
    await recorder.until(lambda: [r.state for r in recorder.requests("/cross")] == ["finished"] * 2)
    preflight = next(r for r in recorder.requests("/cross") if r.resource_type == "preflight")
    put = next(r for r in recorder.requests("/cross") if r.resource_type == "fetch")
    assert (preflight.method, preflight.status) == ("OPTIONS", 204)
    assert preflight.preflight_for == put.request_id
    assert (put.method, put.status, put.has_body, put.post_data()) == ("PUT", 200, True, "{}")
    assert [r.method for r in site.seen("/cross")] == ["OPTIONS", "PUT"]


async def test_blocked_by_cors_keeps_the_status_the_server_sent(recorder: Recorder, site: Site) -> None:
    await recorder.page.navigate(site.url("/blank"))
    await recorder.run(f"fetch('{site.other_origin}/status/404').catch(() => 0)")
    request = await recorder.ended("/status/404")
    assert (request.outcome, request.cors_error) == ("blocked", "MissingAllowOriginHeader")
    await recorder.until(lambda: request.status == 404)


async def test_aborted_failed_and_blocked_are_told_apart(recorder: Recorder, site: Site) -> None:
    await recorder.page.navigate(site.url("/blank"))
    session = recorder.page.session
    await session.send("Network.setBlockedURLs", {"urlPatterns": [{"urlPattern": "*://*:*/forbidden", "block": True}]})
    await recorder.run("""(async () => {
        globalThis.control = new AbortController();
        fetch('/never', {signal: control.signal}).catch(() => 0);
        await fetch('/reset').catch(() => 0);
        await fetch('/forbidden').catch(() => 0);
    })()""")
    await site.requested("/never")
    assert recorder.request("/never").outcome == "pending"
    assert recorder.network.pending == [recorder.request("/never")]
    await recorder.run("control.abort()")
    aborted = await recorder.ended("/never")
    assert (aborted.outcome, aborted.error_text) == ("aborted", "net::ERR_ABORTED")
    # Chrome tries a reset connection again by itself; the last word counts.
    failed = await recorder.ended("/reset")
    assert failed.outcome == "failed"
    assert failed.error_text in ("net::ERR_CONNECTION_RESET", "net::ERR_EMPTY_RESPONSE")
    blocked = await recorder.ended("/forbidden")
    assert (blocked.outcome, blocked.blocked_reason) == ("blocked", "inspector")
    assert recorder.network.pending == []


async def test_beacon_keepalive_xhr_and_data_urls(recorder: Recorder, site: Site) -> None:
    site.route("/beacon", lambda _: Response("", 204))
    site.route("/alive", lambda _: Response("ok"))
    await recorder.page.navigate(site.url("/blank"))
    await recorder.run("""(async () => {
        navigator.sendBeacon('/beacon', 'b');
        await fetch('/alive', {method: 'POST', body: 'k', keepalive: true}).then(r => r.text());
        const xhr = new XMLHttpRequest(); xhr.open('GET', '/json');
        await new Promise(done => { xhr.onloadend = done; xhr.send(); });
        await fetch('data:text/plain,' + 'x'.repeat(100000)).then(r => r.text());
        await fetch(URL.createObjectURL(new Blob(['blob']))).then(r => r.text());
    })()""")
    beacon = await recorder.ended("/beacon")
    assert (beacon.method, beacon.resource_type, beacon.status) == ("POST", "ping", 204)
    alive = await recorder.ended("/alive")
    assert (alive.method, alive.status, alive.post_data()) == ("POST", 200, "k")
    assert (await recorder.ended("/json")).resource_type == "xhr"
    data = recorder.network.find(lambda r: r.url.startswith("data:"))
    assert data is not None
    assert data.url_length == 100_016
    assert len(data.url) == 200
    assert data.weight < 5_000
    await recorder.until(lambda: data.state == "finished")
    assert data.body_bytes == 100_000
    assert recorder.network.find(lambda r: r.url.startswith("blob:")) is not None
    assert site.seen("/beacon")[-1].body == b"b"


async def test_worker_requests_are_recorded_once(recorder: Recorder, site: Site) -> None:
    script = site.text(
        "fetch('/json?w').then(r => r.json()).then(postMessage)", name="w.js", content_type="text/javascript"
    )
    await recorder.page.navigate(site.url("/blank"))
    site.forget()
    await recorder.run(f"new Promise(r => {{ globalThis.w = new Worker('{script}'); w.onmessage = r; }})")
    inner = await recorder.ended("/json")
    outer = await recorder.ended("/w.js")
    assert (outer.resource_type, outer.status) == ("script", 200)
    assert (inner.source, inner.status) == ("worker", 200)
    assert inner.session.target_type == "worker"
    assert outer.session is inner.session
    assert len(site.seen("/json")) == 1


async def test_a_body_that_nobody_reads_is_not_called_pending(recorder: Recorder, site: Site) -> None:
    await recorder.page.navigate(site.url("/blank"))
    await recorder.run("fetch('/json').then(r => { globalThis.unread = r; })")
    request = recorder.request("/json")
    assert (request.status, request.outcome) == (200, "receiving")
    await recorder.run("unread.text()")
    assert (await recorder.ended("/json")).outcome == "finished"


async def test_frames_in_both_processes(recorder: Recorder, site: Site) -> None:
    inner = site.page("<script>fetch('/json?inner').then(r => r.text())</script>", path="/inner.html")
    await recorder.page.navigate(
        site.page(f"<iframe src='{inner}'></iframe><iframe src='{site.other(inner)}'></iframe>")
    )
    await recorder.until(lambda: [r.state for r in recorder.requests("/json")] == ["finished"] * 2)
    await recorder.until(lambda: [r.state for r in recorder.requests("/inner.html")] == ["finished"] * 2)
    same, cross = sorted(recorder.requests("/json"), key=lambda r: "localhost" in r.url)
    assert (same.source, cross.source) == ("page", "iframe")
    assert same.session is recorder.page.session
    assert cross.session is not recorder.page.session
    document = next(r for r in recorder.requests("/inner.html") if "localhost" in r.url)
    assert document.resource_type == "document"
    assert not document.is_main_document
    assert document.session is cross.session


async def test_event_source_and_websocket(recorder: Recorder, site: Site) -> None:
    site.route("/endless", _endless_events)
    await recorder.page.navigate(site.url("/blank"))
    await recorder.run("""(async () => {
        globalThis.source = new EventSource('/endless');
        await new Promise(done => source.addEventListener('tick', done));
        globalThis.socket = new WebSocket(location.origin.replace('http', 'ws') + '/json');
        await new Promise(done => socket.onerror = done);
    })()""")
    stream = recorder.request("/endless")
    assert (stream.resource_type, stream.status, stream.outcome) == ("eventsource", 200, "open")
    socket = await recorder.until(lambda: recorder.network.find(lambda r: r.resource_type == "websocket" and r.ended))
    assert socket.outcome == "failed"
    assert "Unexpected response code: 200" in socket.error_text
    assert socket.request_headers()["Upgrade"] == "websocket"
    await recorder.run("source.close()")
    await recorder.until(lambda: stream.state == "failed")
    assert stream.outcome == "aborted"


async def _endless_events(request: Request) -> Response:
    async def events():  # type: ignore[no-untyped-def]
        yield b"event: tick\ndata: 1\n\n"
        await asyncio.Event().wait()

    return Response(events(), content_type="text/event-stream")


async def test_all_requests_equal_what_the_server_saw(recorder: Recorder, site: Site) -> None:
    await recorder.page.navigate(site.url("/blank"))
    site.forget()
    await recorder.run("""Promise.all(Array.from({length: 300}, (_, i) => fetch(
        '/json?n=' + i, i % 3 ? {} : {method: 'POST', body: 'x' + i}).then(r => r.text())))""")
    await recorder.until(lambda: sum(r.state == "finished" for r in recorder.requests("/json")) == 300)
    recorded = sorted((r.method, r.url.rpartition("?")[2], r.post_data()) for r in recorder.requests("/json"))
    seen = sorted((r.method, r.target.rpartition("?")[2], r.body.decode() or None) for r in site.seen("/json"))
    assert recorded == seen
    ids = [r.id for r in recorder.data()]
    assert ids == sorted(set(ids))


# -- navigations ------------------------------------------------------------------------------------------


async def test_navigation_kinds_that_split(recorder: Recorder, site: Site) -> None:
    target = site.page("<p>target<script>fetch('/json?late')</script>", path="/target.html")
    first = site.page(
        f"<a id=a href='{target}'>go</a><form id=f method=post action='/echo'><input name=q value=1></form>"
        "<script>fetch('/json?first')</script>",
        path="/split.html",
    )

    async def start() -> None:
        await recorder.page.navigate(first)
        await recorder.until(lambda: recorder.requests("/json"))

    await start()
    await recorder.run("document.querySelector('#a').click()")
    await recorder.until(lambda: paths(recorder) == ["/target.html", "/json?late"])
    assert paths(recorder, True)[-4:] == ["/split.html", "/json?first", "/target.html", "/json?late"]

    await start()
    await recorder.run("document.querySelector('#f').submit()")
    await recorder.until(lambda: paths(recorder) == ["/echo"])
    assert recorder.data()[0].method == "POST"

    await recorder.page.navigate(site.url("/redirect", to="/target.html"))
    await recorder.until(lambda: len(paths(recorder)) == 3)
    assert [r.status for r in recorder.data()][:2] == [302, 200]

    before = [r.id for r in recorder.data()]
    await recorder.page.reload()
    await recorder.until(lambda: len(paths(recorder)) == 2)
    assert not set(before) & {r.id for r in recorder.data()}
    assert [r.id for r in recorder.data(True)][-5:-2] == before


async def test_navigations_that_do_not_split(recorder: Recorder, site: Site) -> None:
    await recorder.page.navigate(site.page("<p>stays", path="/stays.html"))
    await recorder.run("location.hash = 'x'; history.pushState({}, '', '/pushed'); history.replaceState({}, '', '/r')")
    await recorder.run("void (location = '/status/204')")
    nothing = await recorder.ended("/status/204")
    assert (nothing.outcome, nothing.status, nothing.resource_type) == ("finished", 204, "document")
    await recorder.run("void (location = '/download?size=5')")
    download = await recorder.ended("/download")
    await recorder.until(lambda: download.outcome == "download")
    await recorder.run("void (location = '/never')")
    await site.requested("/never")
    await recorder.page.session.send("Page.stopLoading")
    assert (await recorder.ended("/never")).outcome == "aborted"
    assert paths(recorder) == ["/stays.html", "/status/204", "/download?size=5", "/never"]
    assert len(recorder.network.navigations) == 2


async def test_back_forward_cache_splits(recorder: Recorder, site: Site) -> None:
    one = site.page("<p>one", path="/bf1.html")
    await recorder.page.navigate(one)
    await recorder.page.navigate(site.page("<p>two", path="/bf2.html"))
    await recorder.page.go_back()
    assert recorder.page.url == one
    current = paths(recorder)
    # Restored without a request when the cache had it, else loaded again: either way a new navigation.
    assert current in ([], ["/bf1.html"])
    assert paths(recorder, True) == ["/bf1.html", "/bf2.html", *current]


async def test_error_page_splits_and_its_own_images_are_left_out(recorder: Recorder, site: Site) -> None:
    await recorder.page.navigate(site.url("/blank"))
    with pytest.raises(Exception, match=r"ERR_CONNECTION_REFUSED|ERR_UNSAFE_PORT"):
        await recorder.page.navigate("http://127.0.0.1:9/")
    await recorder.until(lambda: len(recorder.network.navigations) == 3)
    await recorder.until(lambda: recorder.page.loads.of(recorder.page.main_frame.id).milestones >= {"load"})
    (failed,) = recorder.data()
    assert failed.outcome == "failed"
    assert failed.error_text.startswith("net::ERR_")


async def test_requests_left_behind_are_not_pending_for_ever(recorder: Recorder, site: Site) -> None:
    await recorder.page.navigate(site.page("<script>fetch('/never')</script>", other=True))
    await site.requested("/never")
    # To another site, and so to another process: nobody is left to report the end.
    await recorder.page.navigate(site.url("/blank"))
    hanging = recorder.request("/never", preserved=True)
    await recorder.until(lambda: hanging.outcome in ("unfinished", "aborted"))
    assert hanging not in recorder.network.pending


async def test_three_navigations_then_no_longer_kept(recorder: Recorder, site: Site) -> None:
    numbers = []
    for name in "abcd":
        await recorder.page.navigate(site.page(f"<p>{name}", path=f"/nav-{name}.html"))
        numbers.append((await recorder.ended(f"/nav-{name}.html")).id)
        assert paths(recorder) == [f"/nav-{name}.html"]
    assert paths(recorder, True) == ["/nav-b.html", "/nav-c.html", "/nav-d.html"]
    assert recorder.network.lookup(numbers[1]).url.endswith("/nav-b.html")
    with pytest.raises(Exception, match=rf"reqid={numbers[0]} is no longer kept.*moved on") as caught:
        recorder.network.lookup(numbers[0])
    assert caught.value.code == "record_gone"  # type: ignore[attr-defined]


async def test_ids_of_other_and_closed_pages(recorder: Recorder, site: Site) -> None:
    first = recorder.page
    await first.navigate(site.url("/blank"))
    number = recorder.data()[0].id
    second = await recorder.open()
    await second.navigate(site.url("/blank"))
    assert recorder.data()[0].id > number
    with pytest.raises(Exception, match=f"recorded on page {first.id}.*pageId {first.id}"):
        recorder.network.lookup(number)
    await first.close()
    for collector in (recorder.network, recorder.networks[first.id]):
        with pytest.raises(Exception, match=f"page {first.id} was closed"):
            collector.lookup(number)
    assert recorder.networks[first.id].get_data(True) == []
    with pytest.raises(Exception, match="No request has reqid=999999"):
        recorder.network.lookup(999_999)


async def test_crash_ends_what_was_pending(recorder: Recorder, site: Site) -> None:
    await recorder.page.navigate(site.url("/blank"))
    await recorder.run("void fetch('/never')")
    await recorder.until(lambda: recorder.requests("/never"))
    recorder.page.session.post("Page.crash")
    await recorder.until(lambda: recorder.page.is_crashed)
    assert recorder.request("/never").left_behind == "the page crashed"


async def test_popup_is_recorded_from_its_first_request(recorder: Recorder, site: Site) -> None:
    target = site.page("<p>popup", path="/popup.html")
    await recorder.page.navigate(site.url("/blank"))
    await recorder.run(f"void window.open('{target}')")
    # The page that the browser starts with may be announced as late as this, too: only a popup has an opener.
    pages = recorder.host.pages
    popup = await recorder.until(
        lambda: next((c for n, c in recorder.networks.items() if pages[n].opener is recorder.page), None)
    )
    await recorder.until(lambda: any(r.url == target and r.state == "finished" for r in popup.get_data()))
