"""Requests answered, failed, held up and rewritten by rules, wherever in the page they come from."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from pagelens.browser.page import Page
from pagelens.browser.request_rules import MAX_RULES, RequestRule
from pagelens.errors import InvalidInput, NavigationFailed, RecordNotFound
from tests.support.site import Request, Response, Site


async def run(page: Page, script: str) -> Any:
    reply = page.session.post(
        "Runtime.evaluate", {"expression": f"({script})()", "awaitPromise": True, "returnByValue": True}
    )
    result = await page.guarded(reply)
    assert "exceptionDetails" not in result, result
    return result["result"].get("value")


async def fetched(page: Page, path: str, options: str = "{}") -> Any:
    return await run(
        page,
        f"async () => {{ try {{ const r = await fetch('{path}', {options}); return [r.status, await r.text(), "
        "r.headers.get('x-by')] } catch (error) { return String(error) } }",
    )


async def test_an_answer_of_our_own(page: Page, site: Site) -> None:
    await page.navigate(site.url("/blank"))
    number = await page.requests.add(
        RequestRule(url="/api/*", action="fulfill", status=418, headers={"X-By": "rule"}, body="täpot".encode())
    )
    site.forget()
    assert await fetched(page, "/api/kettle") == [418, "täpot", "rule"]
    assert not site.seen("/api/kettle")
    assert (await fetched(page, "/json"))[0] == 200
    assert page.requests.active[number][1] == 1
    await page.requests.clear(number)
    assert (await fetched(page, "/api/kettle"))[0] == 404
    assert site.seen("/api/kettle")


async def test_the_document_itself(page: Page, site: Site) -> None:
    await page.requests.add(
        RequestRule(
            url="/app", action="fulfill", headers={"Content-Type": "text/html"}, body=b"<title>Made</title><h1>up</h1>"
        )
    )
    result = await page.navigate(site.url("/app"))
    assert (result.outcome, result.status) == ("loaded", 200)
    assert await run(page, "() => document.title + location.pathname") == "Made/app"
    await page.requests.clear()
    await page.requests.add(RequestRule(url="/app", action="fail", reason="ConnectionReset"))
    with pytest.raises(NavigationFailed, match="ERR_CONNECTION_RESET"):
        await page.navigate(site.url("/app"))
    await page.requests.clear()
    await page.navigate(site.url("/blank"))


async def test_failures_and_how_often(page: Page, site: Site) -> None:
    await page.navigate(site.url("/blank"))
    await page.requests.add(RequestRule(url="/json", action="fail", reason="InternetDisconnected", times=2))
    assert [await fetched(page, "/json") for _ in range(2)] == ["TypeError: Failed to fetch"] * 2
    assert (await fetched(page, "/json"))[0] == 200


async def test_which_requests(page: Page, site: Site) -> None:
    await page.navigate(site.url("/blank"))
    rules = page.requests
    await rules.add(RequestRule(url="/json", action="fulfill", method="post", status=201))
    await rules.add(RequestRule(url="/json", action="fulfill", resource_types=frozenset({"image"}), status=202))
    await rules.add(RequestRule(url="q=1*r=2", action="fulfill", status=203))
    assert (await fetched(page, "/json"))[0] == 200
    assert (await fetched(page, "/json", "{method: 'POST'}"))[0] == 201
    assert (await fetched(page, "/json?q=1&r=2"))[0] == 203
    assert [used for _, used in rules.active.values()] == [1, 0, 1]


async def test_held_up_but_nothing_else(page: Page, site: Site) -> None:
    await page.navigate(site.url("/blank"))
    await page.requests.add(RequestRule(url="/json?slow", action="delay", delay=0.4))
    site.forget()
    order = await run(
        page,
        """async () => {
            const order = [];
            const get = name => fetch('/json?' + name).then(r => r.text()).then(() => order.push(name));
            await Promise.all([get('slow'), get('quick')]);
            return order;
        }""",
    )
    assert order == ["quick", "slow"]
    assert len(site.seen("/json")) == 2


async def test_rewritten(page: Page, site: Site) -> None:
    def answer(request: Request) -> Response:
        told = {name: request.headers.get(name) for name in ("x-own", "x-page", "accept")}
        return Response(json.dumps([request.method, request.body.decode(), told]), content_type="application/json")

    site.route("/real", answer)
    await page.navigate(site.url("/blank"))
    await page.requests.add(
        RequestRule(
            url="/wished-for",
            action="rewrite",
            to_url=site.url("/real"),
            to_method="PUT",
            to_body=b"other",
            headers={"X-Own": "yes", "X-Page": None},
        )
    )
    status, text, _ = await fetched(page, "/wished-for", "{method: 'POST', body: 'mine', headers: {'X-Page': 'p'}}")
    assert status == 200
    assert json.loads(text) == ["PUT", "other", {"x-own": "yes", "x-page": None, "accept": "*/*"}]
    assert not site.seen("/wished-for")


async def test_frames_workers_and_other_origins(page: Page, site: Site) -> None:
    await page.navigate(site.page(f"<iframe id=f src='{site.other(site.url('/frame', text='far'))}'></iframe>"))
    await page.requests.add(RequestRule(url="/made", action="fulfill", body=b"made", headers={"X-By": "rule"}))
    script = site.text(
        "onmessage = async () => postMessage(await (await fetch('/made?worker')).text())",
        name="worker.js",
        content_type="text/javascript",
    )
    assert (
        await run(
            page,
            f"() => new Promise(done => {{ const worker = new Worker('{script}');"
            "worker.onmessage = event => done(event.data); worker.postMessage(0) })",
        )
        == "made"
    )
    far = next(frame for frame in page.frames.values() if frame.is_out_of_process)
    answer = await far.session.send(
        "Runtime.evaluate",
        {"expression": "fetch('/made').then(r => r.text())", "awaitPromise": True, "returnByValue": True},
    )
    assert answer["result"]["value"] == "made"
    # A script may read an answer of another origin, also after a preflight.
    other = site.other(site.url("/made"))
    assert await fetched(page, other, "{method: 'PUT', headers: {'X-Asked': '1'}}") == [200, "made", None]
    assert not site.seen("/made")


async def test_over_navigations_and_a_new_frame(page: Page, site: Site) -> None:
    await page.requests.add(RequestRule(url="/made", action="fulfill", body=b"made"))
    for url in (site.url("/blank"), site.other(site.url("/blank"))):
        await page.navigate(url)
        assert (await fetched(page, "/made"))[1] == "made"
    frame = site.url("/frame", text="near")
    await run(
        page,
        f"() => new Promise(done => {{ const f = document.createElement('iframe'); f.src = '{frame}';"
        "f.onload = done; document.body.append(f) }).then(() => 0)",
    )
    far = next(frame for frame in page.frames.values() if frame.is_out_of_process)
    answer = await far.session.send(
        "Runtime.evaluate",
        {"expression": "fetch('/made').then(r => r.text())", "awaitPromise": True, "returnByValue": True},
    )
    assert answer["result"]["value"] == "made"


async def test_many_at_once(page: Page, site: Site) -> None:
    await page.navigate(site.url("/blank"))
    await page.requests.add(RequestRule(url="n=7*", action="fulfill", body=b"seven"))
    found = await run(
        page,
        "async () => { const all = await Promise.all(Array.from({length: 100}, (_, n) =>"
        " fetch('/json?n=' + n).then(r => r.text()))); return all.filter(text => text == 'seven').length }",
    )
    assert found == 11


@pytest.mark.parametrize(
    "wrong",
    [
        {"action": "fulfill", "status": 99},
        {"action": "fail", "reason": "Tired"},
        {"action": "delay", "delay": -1},
        {"action": "delay", "delay": 1e9},
        {"action": "fulfill", "headers": {"a b": "c"}},
        {"action": "fulfill", "headers": {"a": "b\r\nc: d"}},
        {"action": "fulfill", "headers": {"": "b"}},
    ],
)
def test_what_can_not_be_right_is_said(wrong: dict[str, Any]) -> None:
    with pytest.raises(InvalidInput):
        RequestRule(url="x", **wrong)


async def test_bounds_and_unknown_rules(page: Page) -> None:
    with pytest.raises(RecordNotFound, match="no request rule 7"):
        await page.requests.clear(7)
    for _ in range(MAX_RULES):
        await page.requests.add(RequestRule(url="x", action="fail"))
    with pytest.raises(InvalidInput, match="rules already"):
        await page.requests.add(RequestRule(url="x", action="fail"))
    assert await page.requests.clear() == MAX_RULES
    assert page.requests.active == {}


async def test_a_page_that_closes_while_a_request_is_held_up(page: Page, site: Site) -> None:
    await page.navigate(site.url("/blank"))
    await page.requests.add(RequestRule(url="/json", action="delay", delay=0.3))
    page.session.post("Runtime.evaluate", {"expression": "fetch('/json')"})
    await asyncio.sleep(0.1)
    await page.close()
    await asyncio.sleep(0.4)
