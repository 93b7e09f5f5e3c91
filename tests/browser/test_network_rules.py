"""Rules for addresses: enforced by the browser on every way out, and read by us as the browser reads them."""

from __future__ import annotations

import asyncio
import json
import random
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from pagelens.browser.host import BrowserHost
from pagelens.browser.input import click
from pagelens.browser.network_rules import UNTHROTTLED, Conditions
from pagelens.browser.page import Page
from pagelens.core.options import Options
from pagelens.core.url_parts import parse_url
from pagelens.core.url_patterns import UrlPattern
from pagelens.errors import InvalidInput, NavigationFailed, UrlNotAllowed
from tests.support.site import Response, Site


@asynccontextmanager
async def browser(**options: Any) -> AsyncIterator[BrowserHost]:
    host = BrowserHost(Options(headless=True, isolated=True, **options))
    await host.ensure_running()
    try:
        yield host
    finally:
        await host.close()


async def value(page: Page, expression: str, timeout: float = 60) -> Any:
    """What a script in the page returns, promises awaited."""
    params = {"expression": expression, "awaitPromise": True, "returnByValue": True}
    answer = await page.session.send("Runtime.evaluate", params, timeout=timeout)
    assert "exceptionDetails" not in answer, answer
    return answer["result"].get("value")


# -- our reading of patterns is the browser's ----------------------------------------------------------

# None of them has a space, so a word is an alternative; "_" stands for none, "␣" for a space.
_PATTERN = (
    "http https * ws wss http{s}? {http} HTTP h* *s :p file ftp",
    "a.com *.a.com * {*.}?a.com localhost 127.0.0.1 127.1 10.* *.1 A.com :sub.a.com a.com. [\\:\\:1] *a.com a.* "
    "b-c_d.e {a,b}.com a.:tld {www.}?a.com 3* *3 a..b",
    "_ _ _ :* :80 :443 :8080 :80* :{8080}? ::p",
    "_ / /* /a /a/* /*/b /:id /:id/x /a/:id? /{a/}?b /a␣b /%41 /*.js /a* /** /*+ /(.*) /a(.*) /:a/:b /:a/:a /x{y}* "
    "/x{/y}+ /./a /\\* /~\"<>|^` /{a}{b}? /'",
    "_ _ _ _ ? ?* \\?* ?a=1 ?{a}?=b ?'\"<> ?a␣b&*",
    "_ _ _ _ _ _ _ _ _ #* #x",
)
_ADDRESS = (
    "http https ws wss HTTP https http",
    "a.com www.a.com x.y.a.com xa.com A.COM a.com. localhost 127.0.0.1 127.1 2130706433 0x7f.1 [::1] [0:0::1] "
    "[::ffff:1.2.3.4] b-c_d.e a.org %61.com a%2ecom 3.3.3.3 a..b user:pw@a.com ａ.com a。com 017700000001",
    "_ _ _ :80 :443 :8080 :8081 :",
    "_ / /a /a/ /a/b /b /x /xy /xyy /x/y /a.js /d/a.js /a␣b /%41 /a/../b /a/%2e%2e/b /./a /a/.. /~\"<>|^` /' \\a\\b /ü "
    "/* /ab /{a} /% /a//b",
    "_ _ _ ? ?a=1 ?=b ?a=b ?'\"<> ?a␣b&c ?ü ?a?b",
    "_ _ #x",
)


def _made(choice: random.Random, scheme: str, *rest: str) -> str:
    words = [choice.choice(part.split()) for part in (scheme, *rest)]
    return (words[0] + "://" + "".join("" if word == "_" else word for word in words[1:])).replace("␣", " ")


@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.long) for seed in (1, 2))])
async def test_patterns_and_addresses_mean_what_they_mean_to_the_browser(page: Page, site: Site, seed: int) -> None:
    choice = random.Random(seed)
    texts = sorted({_made(choice, *_PATTERN) for _ in range(600)})
    addresses = sorted({_made(choice, *_ADDRESS) for _ in range(400)})
    await page.navigate(site.url("/blank"))
    known = await value(
        page,
        f"{json.dumps(addresses)}.map(a => {{ try {{ const u = new URL(a);"
        " return [u.protocol, u.hostname, u.port, u.pathname, u.search] } catch { return null } })",
    )
    parsed = []
    for address, expected in zip(addresses, known, strict=True):
        try:
            parts = parse_url(address)
        except ValueError:
            assert expected is None, address
            continue
        assert [f"{parts.scheme}:", parts.host, parts.port, parts.path, parts.query and f"?{parts.query}"] == expected
        parsed.append((address, parts))

    patterns = []
    for text in texts:
        try:
            patterns.append(UrlPattern(text))
        except InvalidInput:
            continue
    assert len(patterns) > 60
    rules = sorted({rule for pattern in patterns for rule in pattern.rules(any_spelling=False)})
    tests = await value(
        page,
        f"((addresses, rules, texts) => [rules, texts].map(list => list.map(r => {{ const p = new URLPattern(r);"
        f" return addresses.map(a => p.test(a) ? 1 : 0).join('') }})))"
        f"({json.dumps([a for a, _ in parsed])}, {json.dumps(rules)}, {json.dumps([p.text for p in patterns])})",
    )
    by_rule = dict(zip(rules, tests[0], strict=True))
    for pattern, itself in zip(patterns, tests[1], strict=True):
        own = [by_rule[rule] for rule in pattern.rules(any_spelling=False)]
        for place, (address, parts) in enumerate(parsed):
            ours = pattern.matches(parts)
            assert ours == any(row[place] == "1" for row in own), (pattern, address)
            if parts.scheme in ("http", "https"):  # sockets follow the pages of their place, a rule of our own
                assert ours == (itself[place] == "1"), (pattern, address)
    for rule in rules:  # Chrome's other list of patterns is the one that says what its network service can't read
        await page.session.send("Network.setBlockedURLs", {"urlPatterns": [{"urlPattern": rule, "block": False}]})


# -- every way out -------------------------------------------------------------------------------------


def _everything(site: Site) -> str:
    """A page that tries to reach ``/x-…`` on the other origin in every way there is; its own requests are allowed."""
    own, other = site.origin, site.other_origin
    sockets = other.replace("http", "ws", 1)
    script = "text/javascript"

    def serve(path: str, body: str, kind: str = script) -> None:
        site.route(path, lambda _: Response(body, content_type=kind))

    def reach(name: str) -> str:
        return f"fetch('{other}/x-{name}', {{mode: 'no-cors'}}).catch(() => 0);"

    serve(
        "/w.js",
        f"try {{ importScripts('{other}/x-worker-import.js') }} catch {{}} {reach('worker-fetch')}"
        f"new WebSocket('{sockets}/x-worker-ws'); new EventSource('{other}/x-worker-es'); new Worker('{own}/w2.js');",
    )
    serve("/w2.js", reach("nested-worker") + f"fetch('{own}/done/nested');")
    serve("/shared.js", reach("shared-worker") + f"new WebSocket('{sockets}/x-shared-ws'); fetch('{own}/done/shared');")
    serve(
        "/sw.js",
        f"oninstall = e => {{ skipWaiting(); e.waitUntil({reach('sw-install')[:-1]}) }};"
        "onactivate = e => e.waitUntil(clients.claim());"
        f"onfetch = e => {{ if (e.request.url.includes('via-sw')) e.respondWith({reach('sw-fetch')[:-1]}"
        f".then(() => fetch('{own}/done/sw')).then(() => new Response('sw'))) }}",
    )
    serve(
        "/x.css",
        f"@import '{other}/x-import.css'; @font-face {{ font-family: F; src: url({other}/x-font.woff2) }}"
        f" body {{ font-family: F; background: url({other}/x-background.png) }}",
        "text/css",
    )
    for name in ("image", "script", "frame", "events", "fetch"):
        site.route(f"/r-{name}", lambda r: Response("", 302, {"Location": f"{other}/x-redirected{r.path}"}))
    lists = json.dumps(
        {
            kind: [{"source": "list", "eagerness": "immediate", "urls": [f"{other}/x-{kind}", f"{own}/r-fetch?{kind}"]}]
            for kind in ("prefetch", "prerender")
        }
    )
    return site.page(
        f"""
        <link rel=stylesheet href=/x.css><link rel=preload as=script href={other}/x-preload.js>
        <link rel=prefetch href={other}/x-linkprefetch><link rel=modulepreload href={other}/x-modulepreload.js>
        <link rel=icon href={other}/x-icon.png><link rel=manifest href={other}/x-manifest>
        <script type=speculationrules>{lists}</script>
        <p>text <img src={other}/x-image><img srcset="{other}/x-srcset 1x"><img src=/r-image>
        <script src={other}/x-script.js></script><script src=/r-script></script>
        <script type=module>import('{other}/x-import.js').catch(() => 0)</script>
        <iframe src={other}/x-frame></iframe><iframe src=/r-frame></iframe>
        <iframe srcdoc="<img src={other}/x-srcdoc>"></iframe>
        <iframe src="data:text/html,<img src={other}/x-data-frame>"></iframe>
        <iframe name=target></iframe><form id=form action={other}/x-form target=target method=post></form>
        <object data={other}/x-object></object><embed src={other}/x-embed>
        <video src={other}/x-video preload=auto></video><audio src={other}/x-audio preload=auto></audio>
        <svg><image href={other}/x-svg-image /></svg><input type=image src={other}/x-input>
        <a id=ping href="/blank" ping={other}/x-ping target=_blank>ping</a>
        <script>
        new Worker('/w.js'); new SharedWorker('/shared.js').port.start();
        navigator.serviceWorker.register('/sw.js').then(() => navigator.serviceWorker.ready).then(() =>
          new Promise(r => navigator.serviceWorker.controller ? r() :
            navigator.serviceWorker.addEventListener('controllerchange', r))).then(() => fetch('/via-sw'));
        {reach("fetch")} fetch('/r-fetch').catch(() => 0);
        fetch('{other}/x-keepalive', {{mode: 'no-cors', keepalive: true, method: 'POST', body: 'a'}}).catch(() => 0);
        const xhr = new XMLHttpRequest(); xhr.open('GET', '{other}/x-xhr'); xhr.send();
        navigator.sendBeacon('{other}/x-beacon', 'd');
        new EventSource('{other}/x-events'); new EventSource('/r-events');
        new WebSocket('{sockets}/x-socket');
        form.submit(); ping.click(); window.open('{other}/x-popup');
        window.open('/redirect?to={other}/x-redirected-popup');
        new Worker(URL.createObjectURL(new Blob(["{reach("blob-worker")}"], {{type: 'text/javascript'}})));
        const frame = document.createElement('iframe');
        frame.src = URL.createObjectURL(new Blob(['<img src={other}/x-blob-frame>'], {{type: 'text/html'}}));
        document.body.append(frame);
        </script>
        """,
        headers={
            "Reporting-Endpoints": f'default="{other}/x-report"',
            "Content-Security-Policy-Report-Only": f"media-src 'none'; report-uri {other}/x-csp-report",
        },
    )


def _reached(site: Site) -> set[str]:
    """Paths that were asked for under the other origin's name."""
    return {r.path for r in site.requests if r.headers.get("host", "").startswith("localhost")}


async def _open_everything(host: BrowserHost, site: Site) -> Page:
    page = await host.new_page()
    await page.navigate(_everything(site))
    for name in ("nested", "shared", "sw"):
        await site.requested(f"/done/{name}", timeout=20)
    await asyncio.sleep(0.5)  # what leaks comes late or not at all: there is no event for nothing
    return page


RULES: dict[str, dict[str, Any]] = {
    "blocklist": {"blocked_url_patterns": ("http://localhost:*/*",)},
    "allowlist": {"allowed_url_patterns": ("http://127.0.0.1:*/*",)},
}


@pytest.mark.parametrize("rules", RULES)
async def test_nothing_that_is_refused_gets_out(rules: str) -> None:
    with Site() as site:
        async with browser(**RULES[rules]) as host:
            page = await _open_everything(host, site)
            assert _reached(site) == set()
            other = site.other_origin
            for address in (
                f"{other}/x-navigation",
                f"view-source:{other}/x-source",
                site.url("/redirect", to=f"{other}/x-redirected"),
                site.url("/chain", n=3, to=f"{other}/x-redirected", status=307),
                f"http://LOCALHOST:{site.port}/x-case",
                f"http://u:p@localhost:{site.port}/x-user",
            ):
                with pytest.raises(UrlNotAllowed, match="may not be loaded"):
                    await page.navigate(address)
            fresh = await host.new_page()
            await fresh.navigate(site.page(f"<a href={other}/x-link>go</a>"))
            async with fresh.acting("input") as effect:
                await click(fresh, "css=a")
            assert effect.navigation_error is not None
            assert "-url-pattern" in effect.navigation_error
            await fresh.navigate(site.page(f"<a download href={other}/x-load>d</a>"))
            async with fresh.acting("input"):
                await click(fresh, "css=a")
            isolated = await host.new_page(isolated_context="apart")
            with pytest.raises(UrlNotAllowed):
                await isolated.navigate(site.url("/redirect", to=f"{other}/x-context"))
            assert _reached(site) == set()


async def test_without_rules_all_of_these_get_out() -> None:
    """So that the test above can fail."""
    with Site() as site:
        async with browser() as host:
            await _open_everything(host, site)
            reached = _reached(site)
    assert len(reached) > 40, sorted(reached)
    for name in ("worker-ws", "nested-worker", "shared-worker", "shared-ws", "sw-install", "sw-fetch", "prefetch"):
        assert f"/x-{name}" in reached, sorted(reached)


async def test_many_popups_and_workers_at_once_are_all_held(repeats: int) -> None:
    with Site() as site:
        reach = f"fetch('{site.other_origin}/x-w', {{mode: 'no-cors'}}).catch(() => fetch('/done/w'))"
        site.route("/w.js", lambda _: Response(reach, content_type="text/javascript"))
        async with browser(blocked_url_patterns=("*://localhost:*/*",)) as host:
            for _ in range(max(1, repeats // 5)):
                page = await host.new_page()
                await page.navigate(
                    site.page(
                        "<script>for (let i = 0; i < 10; i++) {"
                        f"open('{site.other_origin}/x-p' + i); new Worker('/w.js?' + i); new SharedWorker('/w.js?' + i)"
                        "}</script>"
                    )
                )
                for opened in list(host.pages.values()):
                    await opened.wait_initialised()
                await site.requested("/done/w", timeout=20)
                for opened in list(host.pages.values()):
                    if opened.opener is page:
                        await opened.close()
            assert _reached(site) == set()


@pytest.mark.long
async def test_what_an_earlier_run_kept_is_not_shown(tmp_path: Any) -> None:
    """In the cache, or by a service worker that answers without the network."""
    with Site() as site:
        cacheable = {"Cache-Control": "max-age=3600"}
        secret = site.page("<h1>cached</h1>", headers=cacheable)
        site.route(
            "/sw.js",
            lambda _: Response(
                "oninstall = () => skipWaiting(); onactivate = e => e.waitUntil(clients.claim());"
                "onfetch = e => { if (e.request.url.includes('kept')) e.respondWith("
                "new Response('<h1>cached</h1>', {headers: {'Content-Type': 'text/html'}})) }",
                content_type="text/javascript",
            ),
        )
        kept = site.url("/kept")
        framing = site.page(f"<iframe src={secret}></iframe><iframe src={kept}></iframe>", other=True)
        async with _profile(tmp_path) as host:
            page = await host.new_page()
            await page.navigate(secret)
            ready = "navigator.serviceWorker.register('/sw.js').then(() => navigator.serviceWorker.ready).then(() => 1)"
            assert await value(page, ready) == 1
            await page.navigate(kept)
            assert await _texts(page) == ["cached"]
        async with _profile(tmp_path, blocked_url_patterns=(f"{site.origin}/*",)) as host:
            page = await host.new_page()
            await page.navigate(framing)
            await page.loads.wait(lambda: kept not in [frame.url for frame in page.frames.values()], 10)
            assert not any("cached" in text for text in await _texts(page))
            link = site.page(f"<a href={kept}>go</a>", other=True)
            await page.navigate(link)
            async with page.acting("input"):
                await click(page, "css=a")
            await page.loads.wait(lambda: page.url == "about:blank", 10)
            assert page.url == "about:blank"
            assert any("taken away" in line for line in page.take_news())


@asynccontextmanager
async def _profile(directory: Any, **options: Any) -> AsyncIterator[BrowserHost]:
    host = BrowserHost(Options(headless=True, user_data_dir=str(directory), **options))
    await host.ensure_running()
    try:
        yield host
    finally:
        await host.close()


async def _texts(page: Page) -> list[str]:
    texts = []
    for frame in page.frames.values():
        expression = {"expression": "document.documentElement.innerText", "returnByValue": True}
        if frame.main_context is not None:
            answer = await frame.session.send("Runtime.evaluate", {**expression, "contextId": frame.main_context})
            texts.append(str(answer["result"].get("value", "")))
    return texts


# -- composed with conditions --------------------------------------------------------------------------


async def test_offline_and_online_again_leave_the_policy_alone(site: Site) -> None:
    async with browser(blocked_url_patterns=(f"{site.origin}/status/*",)) as host:
        page = await host.new_page()
        await page.navigate(site.page(f"<iframe src={site.other_origin}/blank></iframe>"))

        async def reaches(path: str) -> Any:
            return await value(page, f"fetch('{path}').then(r => r.status, () => 'refused')")

        assert await reaches("/blank") == 200
        assert await reaches("/status/404") == "refused"
        await host.rules.set_conditions(page, Conditions(offline=True))
        assert host.rules.conditions_of(page).offline
        assert await reaches("/blank") == "refused"
        assert await value(page, "navigator.onLine") is False
        worker = "new Promise(r => { const w = new Worker(URL.createObjectURL(new Blob([`fetch('%s/json?cors')"
        worker += (
            ".then(() => postMessage('reached'), () => postMessage('refused'))`]))); w.onmessage = e => r(e.data) })"
        )
        assert await value(page, worker % site.origin) == "refused"
        with pytest.raises(NavigationFailed, match="ERR_INTERNET_DISCONNECTED"):
            await page.navigate(site.url("/blank"))
        await host.rules.set_conditions(page, UNTHROTTLED)
        await page.navigate(site.url("/blank"))
        assert await reaches("/blank") == 200
        assert await reaches("/status/404") == "refused"
        assert await value(page, "navigator.onLine") is True


async def test_latency_is_added_to_what_an_allowlist_lets_through(site: Site) -> None:
    async with browser(allowed_url_patterns=(f"{site.origin}/*",)) as host:
        page = await host.new_page()
        await page.navigate(site.url("/blank"))
        await host.rules.set_conditions(page, Conditions(latency=700))
        took = "(async () => { const t = performance.now(); await fetch('/json'); return performance.now() - t })()"
        assert await value(page, took) >= 690
        assert await value(page, f"fetch('{site.other_origin}/json?cors').then(() => 'reached', () => 'refused')") == (
            "refused"
        )


# -- around it -----------------------------------------------------------------------------------------


async def test_a_blocked_request_says_which_rule_blocked_it(site: Site) -> None:
    from pagelens.collectors.ids import IdCounter
    from pagelens.collectors.network_collector import NetworkCollector

    async with browser(blocked_url_patterns=(f"{site.origin}/pixel.png",)) as host:
        collectors: list[NetworkCollector] = []
        host.page_created.connect(lambda page: collectors.append(NetworkCollector(page, IdCounter())))
        page = await host.new_page()
        await page.navigate(site.page("<img src=/pixel.png>"))
        found = [r for r in collectors[-1].get_data() if r.url.endswith("/pixel.png")]
        assert [r.error_text for r in found] == [f"blocked by --blocked-url-pattern {site.origin}/pixel.png"]


async def test_addresses_that_run_scripts_are_refused_where_the_user_wants_none(site: Site) -> None:
    async with browser(javascript_evaluation=False) as host:
        page = await host.new_page()
        await page.navigate(site.url("/blank"))
        for address in ("javascript:1", "data:text/html,x", "vbscript:x"):
            with pytest.raises(UrlNotAllowed, match="--no-javascript-evaluation"):
                await page.navigate(address)
        assert page.url == site.url("/blank")
