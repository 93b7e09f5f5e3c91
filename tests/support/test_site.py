"""The site the other tests rely on."""

from __future__ import annotations

import asyncio
import urllib.error
import urllib.request

import pytest

from tests.support.site import Request, Response, Site


def fetch(url: str, data: bytes | None = None) -> tuple[int, dict[str, str], bytes]:
    try:
        with urllib.request.urlopen(urllib.request.Request(url, data), timeout=5) as reply:
            return reply.status, dict(reply.headers), reply.read()
    except urllib.error.HTTPError as error:
        return error.code, dict(error.headers), error.read()


async def test_a_page_is_served_on_both_origins_and_its_requests_are_remembered(site: Site) -> None:
    url = site.page("<p>from {other}</p>", title="Mine", headers={"X-Mine": "1"})
    status, headers, body = await asyncio.to_thread(fetch, url)
    assert (status, headers["X-Mine"]) == (200, "1")
    assert b"<title>Mine</title>" in body
    assert site.other_origin.encode() in body
    assert (await asyncio.to_thread(fetch, site.other(url)))[0] == 200
    path = url.removeprefix(site.origin)
    assert [request.headers["host"].partition(":")[0] for request in site.seen(path)] == ["127.0.0.1", "localhost"]


@pytest.mark.parametrize(
    ("path", "status", "part"),
    [
        ("/chain?n=4&to=/status/418", 418, b"Status 418"),
        ("/status/204", 204, b""),
        ("/nothing-here", 404, b"Not found"),
        ("/auth", 401, b"Outside"),
        ("/chunked?n=3&ms=1", 200, b"piece 2"),
        ("/gzip", 200, b"\x1f\x8b"),
        ("/download?name=a%20b.csv&size=5", 200, b"xxxxx"),
        ("/json?a=1", 200, b'"a": "1"'),
    ],
)
async def test_routes_answer_as_their_names_say(site: Site, path: str, status: int, part: bytes) -> None:
    got = await asyncio.to_thread(fetch, site.origin + path)
    assert got[0] == status
    assert part in got[2]


async def test_a_form_post_is_echoed(site: Site) -> None:
    _, _, body = await asyncio.to_thread(fetch, site.url("/echo"), b"name=A%20B&empty=")
    assert b"<h1>POST</h1>" in body
    assert b"name = A B" in body


async def test_several_cookies_are_several_headers(site: Site) -> None:
    request = Request("GET", "/cookies/set?a=1&b=2&HttpOnly=1", {})
    response = site._set_cookies(request)
    assert response.headers["Set-Cookie"] == ["a=1; Path=/; HttpOnly", "b=2; Path=/; HttpOnly"]


async def test_a_held_answer_waits_for_its_release(site: Site) -> None:
    fetching = asyncio.create_task(asyncio.to_thread(fetch, site.url("/hold/here")))
    await site.requested("/hold/here")
    assert not fetching.done()
    site.release("here")
    assert b"Held here" in (await asyncio.wait_for(fetching, 5))[2]


async def test_a_reset_is_a_reset(site: Site) -> None:
    with pytest.raises((ConnectionResetError, urllib.error.URLError)):
        await asyncio.to_thread(fetch, site.url("/reset"))


async def test_handlers_may_be_asynchronous(site: Site) -> None:
    async def answer(request: Request) -> Response:
        await asyncio.sleep(0)
        return Response(request.method, content_type="text/plain")

    url = site.route("/asynchronous", answer)
    assert (await asyncio.to_thread(fetch, url))[2] == b"GET"
