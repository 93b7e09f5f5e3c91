"""Requests and responses as the library shows them."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest

import pagelens
from pagelens.errors import DeadlineExceeded, FileFailed, PageClosed, RecordGone
from tests.support.site import Response, Site


async def test_what_was_asked_and_answered(page: pagelens.Page, site: Site) -> None:
    site.route("/api/items", lambda _: Response('{"a": [1, "ü"]}', 201, {"X-Made": "yes"}, "application/json"))
    await page.goto(site.url("/"))
    async with page.expect_event("response", lambda response: "/api/items" in response.url) as caught:
        await page.evaluate(
            "() => fetch('/api/items', {method: 'POST', body: 'b=1', headers: {'X-Ask': 'please'}})"
            ".then((r) => r.text())"
        )
    response = caught.value
    request = response.request
    assert (response.status, response.ok, response.from_cache, response.from_service_worker) == (201, True, None, False)
    assert {name.lower(): value for name, value in response.headers.items()}["x-made"] == "yes"
    assert (request.method, request.resource_type, request.post_data, request.source) == (
        "POST",
        "fetch",
        "b=1",
        "page",
    )
    assert {name.lower(): value for name, value in request.headers.items()}["x-ask"] == "please"
    assert await response.json() == {"a": [1, "ü"]}
    assert await response.text() == '{"a": [1, "ü"]}'
    assert await response.body() == '{"a": [1, "ü"]}'.encode()
    assert (await request.finished(), request.outcome, request.failure) == ("finished", "finished", None)
    assert request.duration is not None
    assert request.started > 1.6e9
    assert (request.response, request.page) == (response, page)
    assert request in page.network_requests()
    assert not request.is_navigation


async def test_bodies(page: pagelens.Page, site: Site) -> None:
    await page.goto(site.page("<img src=/pixel.png>"))
    picture = next(request for request in page.network_requests() if request.resource_type == "image")
    assert picture.response is not None
    assert (await picture.response.body()).startswith(b"\x89PNG")
    await page.goto(site.url("/gzip"))
    document = page.network_requests()[0].response
    assert document is not None
    assert "<" in await document.text()
    await page.goto(site.url("/redirect", to=site.url("/")))
    hop = page.network_requests()[0].response
    assert hop is not None
    assert (hop.status, hop.ok) == (302, False)
    with pytest.raises(RecordGone, match="redirect"):
        await hop.body()


async def test_failures(page: pagelens.Page, site: Site) -> None:
    await page.goto(site.url("/"))
    async with page.expect_event("requestfinished", lambda request: request.url.endswith("/reset")) as caught:
        await page.evaluate("() => fetch('/reset').catch(() => 0)")
    assert caught.value.outcome == "failed"
    assert (caught.value.failure or "").startswith("net::ERR_")
    assert caught.value.response is None


async def test_the_end_is_waited_for(page: pagelens.Page, browser: pagelens.Browser, site: Site) -> None:
    await page.goto(site.url("/"))
    async with page.expect_event("request", lambda request: "/hold/later" in request.url) as caught:
        await page.evaluate("() => { fetch('/hold/later').then((r) => r.text()) }")
    request = caught.value
    assert (request.outcome, request.response, request.duration) == ("pending", None, None)
    with pytest.raises(DeadlineExceeded, match="not loaded completely"):
        await request.finished(timeout=0.05)
    end = asyncio.ensure_future(request.finished())
    site.release("later")
    assert await end == "finished"

    other = await browser.new_page()
    await other.goto(site.url("/"))
    async with other.expect_event("request", lambda request: request.url.endswith("/never")) as caught:
        await other.evaluate("() => { fetch('/never') }")
    waiting = asyncio.ensure_future(caught.value.finished())
    await asyncio.sleep(0)
    await other.close()
    with pytest.raises(PageClosed):
        await waiting


async def test_what_was_sent_and_the_archive(page: pagelens.Page, site: Site, tmp_path: Path) -> None:
    await page.goto(site.url("/"))
    await page.evaluate("() => fetch('/echo', {method: 'POST', body: new Uint8Array([0, 255])}).then((r) => r.text())")
    await page.goto(site.url("/blank"))
    posted = next(r for r in page.network_requests(include_preserved=True) if r.method == "POST")
    assert await posted.body() == b"\x00\xff"
    assert await page.network_requests()[0].body() is None
    assert page.network_requests()[0].messages == []
    path = await page.export_har(tmp_path / "all.har", bodies=True)
    entries = json.loads(path.read_text())["log"]["entries"]
    assert site.url("/echo") in [entry["request"]["url"] for entry in entries]
    with pytest.raises(FileFailed):
        await page.export_har(tmp_path / "missing" / "all.har")
