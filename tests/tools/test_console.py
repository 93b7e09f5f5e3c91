"""list_console_messages and get_console_message: what is listed, and one message in full."""

from __future__ import annotations

import asyncio
import re
from pathlib import Path
from typing import Any

import pytest

from pagelens.collectors.issues import IssueMessage
from tests.support.site import Response, Site
from tests.tools.conftest import Agent

SCRIPT = "text/javascript"


async def listed(agent: Agent, count: int = 1, **arguments: Any) -> list[dict[str, Any]]:
    """The messages listed, once there are `count`."""
    async with asyncio.timeout(20):
        while True:
            reply = await agent.call("list_console_messages", **arguments)
            assert not reply.is_error, reply.text
            found: list[dict[str, Any]] = reply.structured["consoleMessages"]
            if len(found) >= count:
                return found
            await asyncio.sleep(0.05)


async def shown(agent: Agent, msgid: int, **arguments: Any) -> tuple[str, dict[str, Any]]:
    """One message in full: text and JSON."""
    reply = await agent.call("get_console_message", msgid=msgid, **arguments)
    assert not reply.is_error, reply.text
    return reply.text, reply.structured["consoleMessage"]


# -- one in full ---------------------------------------------------------------------------------------


async def test_objects_are_shown_in_full_while_they_live(agent: Agent, site: Site) -> None:
    await agent.ok(
        "navigate_page",
        url=site.page(
            "<p id=here>x</p><script>globalThis.state = {a: {b: [1, 2, {c: 'deep'}]}};"
            "console.log('plain', state, document.getElementById('here'), new Map([['k', 1]]), 'text');"
            "console.log('only text')</script>"
        ),
    )
    first, second = await listed(agent, 2)
    assert first["text"] == "plain {a: {…}} <p#here> Map(1) {'k' => 1} text"
    await agent.ok("evaluate_script", function="() => { state.later = true }")
    text, found = await shown(agent, first["id"])
    assert '2. {"a":{"b":[1,2,{"c":"deep"}]},"later":true}' in text
    assert re.search(r"3\. uid=e\d+ <p#here>", text)
    assert '4. Map(1) {"k"=>1}' in text
    assert "5. text" in text
    assert re.search(r"time: \d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3} UTC", text)
    assert "Stack:\n  (anonymous) http" in text
    assert found["args"][1] == '{"a":{"b":[1,2,{"c":"deep"}]},"later":true}'
    assert found["stackTrace"][0]["url"] == site.url(found["url"].removeprefix(site.origin))
    assert "Arguments" not in (await shown(agent, second["id"]))[0]
    assert "notes" not in found


async def test_of_objects_that_are_gone_the_preview_is_left(agent: Agent, site: Site) -> None:
    url = site.page("<script>for (let i = 0; i < 400; i++) console.log('n', {i, deep: {i}})</script>")
    await agent.ok("navigate_page", url=url)
    messages = await listed(agent, 400, pageSize=1000)
    text, found = await shown(agent, messages[0]["id"])
    assert "2. {i: 0, deep: {…}}" in text
    assert "     As it was when it was said: its document is gone, or it was let go" in text
    assert found["notes"][0].startswith("Argument 2: As it was when it was said")
    assert '2. {"i":399,"deep":{"i":399}}' in (await shown(agent, messages[-1]["id"]))[0]
    await agent.ok("navigate_page", url=site.url("/blank"))
    text, found = await shown(agent, messages[-1]["id"])
    assert "Said 1 navigation ago." in text
    assert "2. {i: 399, deep: {…}}\n     As it was when it was said: its document is gone." in text
    assert found["navigationsAgo"] == 1


async def test_a_frame_that_is_gone_takes_its_objects_along(agent: Agent, site: Site) -> None:
    inner = site.page("<script>console.log('inner', {a: {b: 1}})</script>")
    for frame in (inner, site.other(inner)):
        await agent.ok("navigate_page", url=site.page(f"<iframe src='{frame}'></iframe>"))
        (message,) = await listed(agent)
        assert '2. {"a":{"b":1}}' in (await shown(agent, message["id"]))[0]
        await agent.ok("evaluate_script", function="() => document.querySelector('iframe').remove()")
        text, _ = await shown(agent, message["id"])
        assert "2. {a: {…}}\n     As it was when it was said: it" in text
        assert "is gone" in text


async def test_errors_with_their_stacks_and_causes(agent: Agent, site: Site) -> None:
    url = site.page(
        """<script>
        function outer() {
            try { inner() } catch (cause) { throw new RangeError('outer failed', {cause}) }
        }
        function inner() { throw new TypeError('inner failed', {cause: {code: 7}}) }
        try { outer() } catch (error) { console.error('caught', error) }
        outer();
        </script>"""
    )
    await agent.ok("navigate_page", url=url)
    caught, uncaught = await listed(agent, 2)
    for message in (caught, uncaught):
        text, found = await shown(agent, message["id"])
        assert "Caused by:\n  TypeError: inner failed\n      at inner" in text
        assert 'caused by {"code":7}' in text
        assert found["causes"][0].startswith("TypeError: inner failed")
    text, found = await shown(agent, caught["id"])
    assert "2. RangeError: outer failed\n         at outer" in text
    text, found = await shown(agent, uncaught["id"])
    assert found["uncaught"]
    assert "Uncaught RangeError: outer failed" in text
    assert "Stack:\n  outer http" in text


async def test_something_thrown_that_is_no_error(agent: Agent, site: Site) -> None:
    await agent.ok("navigate_page", url=site.page("<script>throw {code: 7, why: {deep: {er: 1}}}</script>"))
    (message,) = await listed(agent)
    text, _ = await shown(agent, message["id"])
    assert 'Thrown: {"code":7,"why":{"deep":{"er":1}}}' in text


async def test_what_cant_be_read_costs_neither_the_page_nor_the_message(agent: Agent, site: Site) -> None:
    script = """
        console.log({get a() { throw new Error('no') }, b: 1});
        console.log(new Proxy({}, {ownKeys() { throw new Error('never') }}));
        console.log({get a() { for (;;); }});
        console.log(Promise.resolve({a: 1}), Symbol('s'), function named() {}, 5n);
    """
    await agent.ok("navigate_page", url=site.page(f"<script>{script}</script>"))
    getter, proxy, endless, odd = await listed(agent, 4)
    assert "[getter threw: Error" in (await shown(agent, getter["id"]))[0]
    assert "unreadable" in (await shown(agent, proxy["id"]))[0]
    text, _ = await shown(agent, endless["id"])
    assert "As it was when it was said: it can't be read now." in text
    text, _ = await shown(agent, odd["id"])
    assert "1. Promise {<fulfilled>: {…}}" in text
    assert "3. [function named]" in text
    assert "42" in await agent.ok("evaluate_script", function="() => 42")


async def test_a_page_that_is_busy_is_not_disturbed(agent: Agent, site: Site) -> None:
    await agent.ok("navigate_page", url=site.page("<script>console.log('busy', {a: {b: 1}})</script>"))
    (message,) = await listed(agent)
    page = agent.context.selected_page().page
    work = page.session.post(
        "Runtime.evaluate",
        {"expression": "{const end = performance.now() + 2500; while (performance.now() < end); 'done'}"},
    )
    text, _ = await shown(agent, message["id"])
    assert "2. {a: {…}}\n     As it was when it was said: it can't be read now. It is busy" in text
    assert (await work.within(20))["result"]["value"] == "done"
    await agent.ok("navigate_page", url=site.page("<script>console.log('held', {a: 1}); alert('hold')</script>"))
    (message,) = await listed(agent)
    assert "A dialog holds the page." in (await shown(agent, message["id"]))[0]
    await agent.ok("handle_dialog", action="accept")


async def test_a_long_text_is_whole_and_in_a_file_where_it_does_not_fit(agent: Agent, site: Site) -> None:
    script = (
        "console.log('x'.repeat(40000)); console.log('y\\n'.repeat(30000) + 'end'); console.log('z'.repeat(100000))"
    )
    await agent.ok("navigate_page", url=site.page(f"<script>{script}</script>"))
    first, second, third = await listed(agent, 3)
    text, found = await shown(agent, first["id"])
    assert "x" * 40_000 in text
    assert found["text"] == "x" * 40_000
    text, _ = await shown(agent, second["id"])
    path = re.search(r"All of it: (\S+)", text)
    assert path is not None
    kept = await asyncio.to_thread(Path(path[1]).read_text, "utf-8")
    assert kept.count("  y\n") == 30_000
    text, _ = await shown(agent, third["id"])
    assert "z" * 30_000 in text
    assert "All of it: " in text


async def test_the_request_that_the_browser_speaks_of(agent: Agent, site: Site) -> None:
    await agent.ok("navigate_page", url=site.url("/status/404"))
    await agent.ok("evaluate_script", function="() => fetch('/status/500')")
    document, fetched = await listed(agent, 2, types=["error"])
    requests = (await agent.call("list_network_requests")).structured["networkRequests"]
    by_url = {request["url"]: request["requestId"] for request in requests}
    for message, path in ((document, "/status/404"), (fetched, "/status/500")):
        text, found = await shown(agent, message["id"])
        assert f"request: reqid={by_url[site.url(path)]}" in text
        assert found["requestId"] == by_url[site.url(path)]
        assert found["logSource"] == "network"


async def test_a_folded_id_opens_too(agent: Agent, site: Site) -> None:
    await agent.ok("navigate_page", url=site.page("<script>for (let i = 0; i < 5; i++) console.log('same')</script>"))
    (message,) = await listed(agent)
    assert message["count"] == 5
    for msgid in range(message["id"], message["id"] + 5):
        assert (await shown(agent, msgid))[1]["text"] == "same"


async def test_ids_that_lead_nowhere_say_why(agent: Agent, site: Site) -> None:
    url = site.page("<script>console.log('one')</script>")
    await agent.ok("navigate_page", url=url)
    (message,) = await listed(agent)
    first = agent.context.selected_page().id
    for bad in (0, -1, 10**9, message["id"] + 1000):
        assert f"No console message has msgid={bad}" in await not_shown(agent, bad)
    await agent.ok("new_page", url=url)
    (other,) = await listed(agent)
    assert f"was recorded on page {first}, not on page" in await not_shown(agent, message["id"])
    assert "one" in (await shown(agent, message["id"], pageId=first))[0]
    await agent.ok("close_page", pageId=agent.context.selected_page().id)
    assert "is no longer kept: page" in await not_shown(agent, other["id"], pageId=first)
    for _ in range(3):
        await agent.ok("navigate_page", url=site.url("/blank"), pageId=first)
    assert "the page has moved on" in await not_shown(agent, message["id"], pageId=first)


async def not_shown(agent: Agent, msgid: int, **arguments: Any) -> str:
    reply = await agent.call("get_console_message", msgid=msgid, **arguments)
    assert reply.is_error
    assert reply.structured["failedSections"] == ["console message"]
    return reply.text


# -- lists ---------------------------------------------------------------------------------------------


async def test_text_filter_types_and_stack_traces(agent: Agent, site: Site) -> None:
    script = site.text(
        "function inner() { console.warn('Price is [5] EUR') } function outer() { inner() } outer();"
        "console.log('nothing'); console.error('the PRICE again')",
        name="Shop.js",
        content_type=SCRIPT,
    )
    await agent.ok("navigate_page", url=site.page(f"<script src='{script}'></script><script>console.log('x')</script>"))
    await listed(agent, 4)
    assert [m["text"] for m in await listed(agent, filter="price")] == ["Price is [5] EUR", "the PRICE again"]
    assert [m["text"] for m in await listed(agent, filter="[5]")] == ["Price is [5] EUR"]
    assert [m["text"] for m in await listed(agent, filter="price", types=["error"])] == ["the PRICE again"]
    assert len(await listed(agent, filter="shop.JS")) == 3
    nothing = await agent.ok("list_console_messages", filter="no such thing", types=["error"])
    assert 'None of 4 messages is of these types and contains "no such thing".' in nothing
    plain = await agent.ok("list_console_messages")
    assert "stack:" not in plain
    stacks = await agent.ok("list_console_messages", includeStackTraces=True, filter="price is")
    assert f"  stack: inner {script}:1:28 < outer {script}:1:" in stacks
    (message,) = await listed(agent, includeStackTraces=True, filter="price is")
    assert [call["function"] for call in message["stackTrace"]] == ["inner", "outer", ""]
    assert (await shown(agent, message["id"]))[1].items() >= message.items()


async def test_issues_are_listed_explained_and_lead_to_elements_and_requests(agent: Agent, site: Site) -> None:
    site.route(
        "/issues.html",
        lambda _: Response(
            "<p>quirks</p><form><input><input></form><iframe srcdoc='<input>'></iframe>"
            f"<script>fetch('{site.other_origin}/json').catch(() => 0)</script>",
            headers={"Set-Cookie": "a=1; SameSite=None"},
        ),
    )
    for _ in range(2):  # those of the document's own request come before the document, each time
        await agent.ok("navigate_page", url=site.url("/issues.html"))
        messages = await listed(agent, 4, types=["issue"])
    by_code = {message["issueCode"]: message for message in messages}
    assert by_code.keys() == {"CookieIssue", "QuirksModeIssue", "GenericIssue", "CorsIssue"}
    cookie, form, cors = (by_code[code] for code in ("CookieIssue", "GenericIssue", "CorsIssue"))
    assert cookie["text"] == "Cookie not stored: SameSite=None needs Secure: a"
    assert form["count"] == 3
    listing = await agent.ok("list_console_messages", types=["issue"])
    assert re.search(rf"{form['id']} issue\(x3\)\S* A form field has neither id nor name", listing)

    requests = (await agent.call("list_network_requests")).structured["networkRequests"]
    by_url = {request["url"]: request["requestId"] for request in requests}
    text, found = await shown(agent, cookie["id"])
    assert f"request reqid={by_url[site.url('/issues.html')]} " in text
    assert found["occurrences"][0]["requestId"] == by_url[site.url("/issues.html")]
    text, found = await shown(agent, cors["id"])
    assert f"request reqid={by_url[site.other_origin + '/json']} " in text
    assert "Access-Control-Allow-Origin" in text

    text, found = await shown(agent, form["id"])
    uids = [one["uid"] for one in found["occurrences"]]
    assert len(set(uids)) == 3
    assert f"1. uid={uids[0]}" in text
    for uid in uids:
        assert "INPUT" in await agent.ok("evaluate_script", function="(el) => el.tagName", args=[uid])
    await agent.ok("evaluate_script", function="() => document.querySelector('form').remove()")
    found = (await shown(agent, form["id"]))[1]
    assert len([one for one in found["occurrences"] if "uid" in one]) == 1
    # It is looked at again whenever the form changes, and found again: one record all the same.
    record = agent.context.selected_page().console.lookup(form["id"])
    assert isinstance(record, IssueMessage)
    assert record.issue.count == 3
    await agent.ok("navigate_page", url=site.url("/blank"))
    text, found = await shown(agent, form["id"])
    assert "an element that is gone" in text
    assert "Said 1 navigation ago." in text


async def test_workers_are_listed_and_their_consoles_chosen(agent: Agent) -> None:
    with Site() as site:
        site.route(
            "/service.js",
            lambda _: Response(
                "console.log('service', {a: {b: 1}}); oninstall = () => skipWaiting();"
                "onactivate = (e) => e.waitUntil(clients.claim()); onmessage = () => console.log('told')",
                content_type=SCRIPT,
            ),
        )
        site.route("/shared.js", lambda _: Response("console.log('shared')", content_type=SCRIPT))
        url = site.page(
            "<script>console.log('page'); navigator.serviceWorker.register('/service.js');"
            "globalThis.w = new SharedWorker('/shared.js', 'my \"name\"')</script>"
        )
        await agent.ok("navigate_page", url=url)
        messages = await listed(agent, 3)
        by_source = {message.get("source", "page"): message for message in messages}
        service, shared = by_source["service_worker"], by_source["shared_worker"]
        page_id = agent.context.selected_page().id
        pages = await agent.call("list_pages")
        assert f"{service['workerId']}: service worker {site.url('/service.js')} [of page {page_id}]" in pages.text
        assert f'{shared["workerId"]}: shared worker {site.url("/shared.js")} "my \\"name\\""' in pages.text
        described = {worker["id"]: worker for worker in pages.structured["workers"]}
        assert described[service["workerId"]]["pages"] == [page_id]
        listing = await agent.ok("list_console_messages")
        assert (
            f"With its workers {service['workerId']} " in listing
            or f"With its workers {shared['workerId']} " in listing
        )
        assert f"log(service-worker:{service['workerId']})@service.js:1:9 service {{a: {{…}}}}" in listing
        alone = await agent.call("list_console_messages", serviceWorkerId=service["workerId"])
        assert f"Console messages of {service['workerId']} ({site.url('/service.js')})" in alone.text
        assert [m["id"] for m in alone.structured["consoleMessages"]] == [service["id"]]
        text, found = await shown(agent, service["id"])
        assert '2. {"a":{"b":1}}' in text
        assert f"said by: service worker {service['workerId']} {site.url('/service.js')}" in text
        assert found["workerId"] == service["workerId"]
        # A worker has its console also when no page of it is there, or another one is asked.
        await agent.ok("new_page", url="about:blank")
        assert "With its workers" not in await agent.ok("list_console_messages")
        alone = await agent.call("list_console_messages", serviceWorkerId=service["workerId"])
        assert len(alone.structured["consoleMessages"]) == 1
        assert "service" in (await shown(agent, service["id"]))[0]
        missing = await agent.call("list_console_messages", serviceWorkerId="sw-9999")
        assert missing.is_error
        assert "No service or shared worker has the id" in missing.text


async def test_paging_goes_on_where_it_was(agent: Agent, site: Site) -> None:
    url = site.page("<script>for (let i = 0; i < 45; i++) console.log('line ' + i)</script>")
    await agent.ok("navigate_page", url=url)
    await listed(agent, 20)
    text = await agent.ok("list_console_messages")
    assert "Showing 1-20 of 45 (page 1 of 3). Next: pageIdx 1." in text
    seen = [m["text"] for index in range(3) for m in await listed(agent, pageIdx=index)]
    assert seen == [f"line {i}" for i in range(45)]


@pytest.mark.parametrize("size", [12_000, pytest.param(20_000, marks=pytest.mark.long)])
async def test_a_long_list_keeps_nobody_waiting(agent: Agent, site: Site, size: int) -> None:
    await agent.ok("navigate_page", url=site.url("/blank"))
    for start in range(0, size, 2000):
        await agent.ok(
            "evaluate_script",
            function=f"() => {{ for (let i = {start}; i < {start + 2000}; i++) console.log('line', {{i}}) }}",
        )
    console = agent.context.selected_page().console
    async with asyncio.timeout(60):
        # The record's state is what is waited for: no single event announces it.
        while not (said := console.get_data()) or said[-1].text != f"line {{i: {size - 1}}}":  # noqa: ASYNC110
            await asyncio.sleep(0.05)
    turns = 0

    async def count() -> None:
        nonlocal turns
        while True:
            turns += 1
            await asyncio.sleep(0)

    counting = asyncio.create_task(count())
    reply = await agent.call("list_console_messages", filter=f"i: {size - 1}", pageSize=5)
    counting.cancel()
    assert [m["text"] for m in reply.structured["consoleMessages"]] == [f"line {{i: {size - 1}}}"]
    assert f"{size - 10_000:,} older console messages dropped" in reply.text
    assert turns >= 10
