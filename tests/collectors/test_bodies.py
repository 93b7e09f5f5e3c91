"""Bodies: right to the byte, over navigations and the end of whoever asked, and the reason when there is none."""

from __future__ import annotations

import asyncio
import gzip
import os
from collections.abc import AsyncIterator

import pytest

from pagelens.collectors import bodies as bodies_module
from pagelens.collectors.network_request import NetworkRequest
from pagelens.errors import RecordGone
from tests.collectors.conftest import Recorder
from tests.support.site import PIXEL, Request, Response, Site


async def received(recorder: Recorder, request: NetworkRequest) -> bytes:
    body = await recorder.network.bodies.response_body(request)
    assert body.is_complete
    return body.data


async def sent(recorder: Recorder, request: NetworkRequest) -> bytes | None:
    body = await recorder.network.bodies.request_body(request)
    return None if body is None else body.data


@pytest.mark.parametrize(
    ("data", "content_type", "headers"),
    [
        ("plain täxt €".encode(), "text/plain; charset=utf-8", {}),
        ("latin täxt".encode("latin-1"), "text/plain; charset=iso-8859-1", {}),
        ("日本語".encode("shift_jis"), "text/html; charset=shift_jis", {}),
        (b'{"a": [1, 2]}', "application/json", {}),
        (bytes(range(256)) * 40, "application/octet-stream", {}),
        (PIXEL, "image/png", {}),
        (gzip.compress(b"packed " * 5_000), "text/plain", {"Content-Encoding": "gzip"}),
        (b"", "text/plain", {}),
    ],
    ids=["utf-8", "latin-1", "shift-jis", "json", "binary", "image", "gzip", "empty"],
)
async def test_a_response_to_the_byte(
    recorder: Recorder, site: Site, data: bytes, content_type: str, headers: dict[str, str]
) -> None:
    site.route("/body", lambda _: Response(data, 200, headers, content_type))
    await recorder.page.navigate(site.url("/blank"))
    await recorder.run("fetch('/body').then(r => r.arrayBuffer()).then(() => 0)")
    request = await recorder.ended("/body")
    whole = gzip.decompress(data) if headers else data
    assert await received(recorder, request) == whole
    # Over navigations, to another process too.
    await recorder.page.navigate(site.other(site.url("/blank")))
    await recorder.page.navigate(site.url("/blank"))
    assert await received(recorder, request) == whole


async def test_thirty_megabytes(recorder: Recorder, site: Site) -> None:
    data = os.urandom(30 * 1024 * 1024)
    site.route("/large", lambda _: Response(data, content_type="application/octet-stream"))
    await recorder.page.navigate(site.url("/blank"))
    await recorder.run("fetch('/large').then(r => r.arrayBuffer()).then(() => 0)")
    assert await received(recorder, await recorder.ended("/large")) == data


async def test_what_a_worker_and_a_frame_got_outlives_them(recorder: Recorder, site: Site) -> None:
    script = site.text(
        "onmessage = async e => { await (await fetch('/json?by=worker')).text(); postMessage(1) }",
        name="worker.js",
        content_type="text/javascript",
    )
    await recorder.page.navigate(site.url("/blank"))
    await recorder.run(f"""(async () => {{
        const worker = new Worker('{script}');
        await new Promise(done => {{ worker.onmessage = done; worker.postMessage(0) }});
        worker.terminate();
        const frame = document.createElement('iframe');
        frame.src = '{site.other(site.url("/frame", text="far"))}';
        document.body.append(frame);
        await new Promise(done => frame.onload = done);
        frame.remove();
    }})()""")
    by_worker, by_frame = recorder.request("/json"), recorder.request("/frame")
    await recorder.until(lambda: by_worker.session.closed and by_frame.session.closed)
    assert b'"by"' in await received(recorder, by_worker)
    assert b"far" in await received(recorder, by_frame)


@pytest.mark.long
async def test_what_chrome_would_drop_is_on_disk(
    recorder: Recorder, site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    """More than Chrome keeps of one page: nothing is lost, and only what would have been was fetched."""
    made: dict[str, bytes] = {}

    def answer(request: Request) -> Response:
        made[request.query["n"]] = os.urandom(9 * 1024 * 1024)
        return Response(made[request.query["n"]], content_type="application/octet-stream")

    site.route("/nine", answer)
    await recorder.page.navigate(site.url("/blank"))
    for n in range(20):
        await recorder.run(f"fetch('/nine?n={n}').then(r => r.arrayBuffer()).then(() => 0)")
    requests = recorder.requests("/nine")
    await recorder.until(lambda: len(recorder.network.bodies._responses) >= 20 - 6)
    assert len(recorder.network.bodies._responses) < 20
    # Another process: what its renderer kept beside is gone.
    await recorder.page.navigate(site.other(site.url("/blank")))
    for n, request in enumerate(requests):
        assert await received(recorder, request) == made[str(n)], n


async def test_what_is_sent_outlives_its_document(recorder: Recorder, site: Site) -> None:
    await recorder.page.navigate(site.url("/blank"))
    site.forget()
    await recorder.run("""(async () => {
        const post = (name, body, more) => fetch('/echo?' + name, {method: 'POST', body, ...more}).then(r => r.text());
        await post('text', 'hällo');
        await post('bytes', new Uint8Array([0, 1, 200, 255, 10]));
        await post('blob', new Blob([new Uint8Array([0, 255, 10]), 'txt']));
        await post('long', 'x'.repeat(200_000));
        const form = new FormData();
        form.append('field', 'välue');
        form.append('file', new File(['content ÿ'], 'name.txt'));
        await post('form', form);
        await post('keepalive', 'kept', {keepalive: true});
        navigator.sendBeacon('/echo?beacon', 'beacon');
    })()""")
    await recorder.until(lambda: len(site.seen("/echo")) >= 7)
    await recorder.page.navigate(site.other(site.url("/blank")))
    await recorder.page.navigate(site.url("/blank"))
    seen = {request.target.partition("?")[2]: request.body for request in site.seen("/echo")}
    assert len(seen) == 7
    for request in recorder.requests("/echo", True):
        name = request.url.partition("?")[2]
        assert await sent(recorder, request) == seen[name], name


async def test_a_form_that_navigates(recorder: Recorder, site: Site) -> None:
    await recorder.page.navigate(site.page("<form method=post action=/echo><input name=a value='1 & 2'></form>"))
    await recorder.run("document.forms[0].submit()")
    request = await recorder.ended("/echo", True)
    assert await sent(recorder, request) == b"a=1+%26+2"
    assert b"1 &amp; 2" in await received(recorder, request)


async def test_no_body_was_sent(recorder: Recorder, site: Site) -> None:
    await recorder.page.navigate(site.url("/blank"))
    assert await sent(recorder, recorder.data()[0]) is None


async def test_why_there_is_none(recorder: Recorder, site: Site) -> None:
    await recorder.page.navigate(site.url("/redirect", to="/blank"))
    await recorder.run("""(async () => {
        await fetch('/status/204');
        await fetch('/json', {method: 'HEAD'});
        await fetch('/reset').catch(() => 0);
        const control = new AbortController();
        const held = fetch('/hold/bodies', {signal: control.signal}).catch(() => 0);
        setTimeout(() => control.abort(), 100);
        await held;
        fetch('/hold/bodies-later').catch(() => 0);
    })()""")
    first = recorder.data()[0]
    with pytest.raises(RecordGone, match=rf"redirect.*next hop is reqid={first.id + 1}"):
        await received(recorder, first)
    assert await received(recorder, await recorder.ended("/status/204")) == b""
    assert await received(recorder, await recorder.ended("/json")) == b""
    with pytest.raises(RecordGone, match=r"the request failed \(net::ERR_"):
        await received(recorder, await recorder.ended("/reset"))
    with pytest.raises(RecordGone, match="given up by the page"):
        await received(recorder, await recorder.ended("/hold/bodies"))
    with pytest.raises(RecordGone, match="not been answered"):
        await received(recorder, recorder.request("/hold/bodies-later"))
    site.release("bodies")
    site.release("bodies-later")


async def test_a_response_that_still_arrives(recorder: Recorder, site: Site) -> None:
    more = asyncio.Event()

    async def pieces() -> AsyncIterator[bytes]:
        yield b"first "
        await more.wait()
        yield b"second "
        await asyncio.sleep(60)

    site.route("/stream", lambda _: Response(pieces(), content_type="text/plain"))
    await recorder.page.navigate(site.url("/blank"))
    await recorder.run(
        "new Promise(first => fetch('/stream').then(async r => { for await (const piece of r.body) first(0) }))"
    )
    request = await recorder.until(lambda: next((r for r in recorder.requests("/stream") if r.status), None))
    body = await recorder.network.bodies.response_body(request)
    assert (body.data, body.is_complete) == (b"first ", False)
    assert site._loop is not None
    site._loop.call_soon_threadsafe(more.set)
    await recorder.until(lambda: bodies_of(recorder, request) == b"first second ")
    body = await recorder.network.bodies.response_body(request)
    assert (body.data, body.is_complete) == (b"first second ", False)


def bodies_of(recorder: Recorder, request: NetworkRequest) -> bytes:
    return bytes(recorder.network.bodies._streams[request.request_id])


async def test_a_store_too_small_says_so(recorder: Recorder, site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bodies_module, "RESCUE_AFTER", 1)
    recorder.network.bodies._store.limit = 150_000
    site.route("/part", lambda _: Response(b"x" * 100_000, content_type="application/octet-stream"))
    await recorder.page.navigate(site.url("/blank"))
    for n in range(2):
        await recorder.run(f"fetch('/part?{n}').then(r => r.arrayBuffer()).then(() => 0)")
    first, second = recorder.requests("/part")
    await recorder.until(lambda: second.id in recorder.network.bodies._responses)
    with pytest.raises(RecordGone, match="newer ones have taken its place"):
        await received(recorder, first)
    assert await received(recorder, second) == b"x" * 100_000
