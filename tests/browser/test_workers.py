"""Service and shared workers: which there are, in a browser of ours and in one of somebody else."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from pagelens.browser.host import BrowserHost
from pagelens.browser.page import Page
from pagelens.browser.workers import Worker, WorkerSession, origin_of
from pagelens.core.options import Options
from tests.support.running_chrome import Holder, RunningChrome
from tests.support.site import Response, Site

SCRIPT = "text/javascript"


async def until(condition: Callable[[], object]) -> None:
    async with asyncio.timeout(20):
        while not condition():  # noqa: ASYNC110
            await asyncio.sleep(0.01)


def with_workers(site: Site, extra: str = "") -> str:
    """A page that starts a service worker and a shared worker."""
    site.route(
        "/service.js",
        lambda _: Response(
            "oninstall = () => skipWaiting(); onactivate = (e) => e.waitUntil(clients.claim());"
            "onfetch = (e) => { fetched = e.request.url }",
            content_type=SCRIPT,
        ),
    )
    site.route("/shared.js", lambda _: Response("onconnect = () => {}", content_type=SCRIPT))
    return site.page(
        "<script>navigator.serviceWorker.register('/service.js');"
        "globalThis.shared = new SharedWorker('/shared.js', 'counter')</script>" + extra
    )


def running(host: BrowserHost, page: Page) -> list[Worker]:
    return [worker for worker in host.workers.of_page(page) if worker.is_running]


async def test_workers_of_a_page_are_known_by_ids(host: BrowserHost, page: Page) -> None:
    with Site() as site:
        sessions: list[WorkerSession] = []
        disconnect = host.workers.started.connect(sessions.append)
        await page.navigate(with_workers(site))
        await until(lambda: len(running(host, page)) == 2)
        disconnect()
        service, shared = sorted(running(host, page), key=lambda worker: worker.kind)
        assert (service.url, service.id) == (site.url("/service.js"), f"sw-{service.number}")
        assert (shared.url, shared.id, shared.name) == (site.url("/shared.js"), f"shared-{shared.number}", "counter")
        assert {(s.worker, s.was_running) for s in sessions} == {(service, False), (shared, False)}
        assert host.workers.get(service.id) is service
        await page.navigate("about:blank")
        assert host.workers.of_page(page) == []
        await until(lambda: not shared.is_running)
        assert host.workers.get(shared.id) is shared


async def test_workers_of_another_context_are_no_workers_of_the_page(host: BrowserHost, page: Page) -> None:
    with Site() as site:
        apart = await host.new_page(isolated_context="apart")
        url = with_workers(site)
        await page.navigate(url)
        await apart.navigate(url)
        await until(lambda: len(running(host, page)) == len(running(host, apart)) == 2)
        assert not set(running(host, page)) & set(running(host, apart))
        await apart.close()


async def test_a_service_worker_that_was_stopped_runs_again_and_holds_up_no_page(host: BrowserHost, page: Page) -> None:
    with Site() as site:
        await page.navigate(with_workers(site))
        await until(lambda: len(running(host, page)) == 2)
        worker = next(worker for worker in running(host, page) if worker.kind == "service_worker")
        await page.navigate(page.url)
        for _ in range(2):
            await page.session.send("ServiceWorker.enable")
            await page.session.send("ServiceWorker.stopAllWorkers")
            await until(lambda: not worker.is_running)
            result = await page.reload(timeout=10)
            assert result.outcome == "loaded"
            await until(lambda: worker.is_running)
        services = [worker for worker in host.workers.of_page(page) if worker.kind == "service_worker"]
        assert services == [worker]


async def test_in_a_browser_of_somebody_else_only_workers_of_pages_in_use_are_attached_to() -> None:
    with Site() as site, Site() as other:
        async with RunningChrome() as chrome, Holder(chrome) as user:
            await user.open(with_workers(site))
            await user.open(with_workers(other))
            await site.requested("/service.js")
            await other.requested("/service.js")
            host = BrowserHost(Options(browser_url=chrome.url))
            sessions: list[WorkerSession] = []
            host.workers.started.connect(sessions.append)
            try:
                await host.ensure_running()
                await until(lambda: len([w for w in host.workers.all() if w.is_running]) == 4)
                assert sessions == []
                page = next(page for page in host.pages.values() if page.url.startswith(site.origin))
                await page.ready()
                await host.workers.settle()
                assert {s.worker.kind for s in sessions} == {"service_worker", "shared_worker"}
                assert {s.worker.origin for s in sessions} == {site.origin}
                assert all(s.was_running and s.worker.session is s.session for s in sessions)
                # One of another origin, asked for by its id.
                far = next(w for w in host.workers.of(page.context_id, [other.origin]) if w.kind == "service_worker")
                await host.workers.attach(far)
                assert far.session is not None
                near = [s.worker for s in sessions if s.worker is not far]
                await page.navigate("about:blank")
                await until(lambda: all(worker.session is None for worker in near))
                assert far.session is not None
            finally:
                await host.close()


def test_origins() -> None:
    assert origin_of("https://a.example:8443/x?y://z") == "https://a.example:8443"
    assert origin_of("HTTP://A.example?q") == "http://a.example"
    assert origin_of("blob:http://a.example/5") == "http://a.example"
    assert origin_of("chrome-extension://abc/bg.js") == "chrome-extension://abc"
    assert origin_of("data:text/javascript,1") == "data:"
    assert origin_of("about:blank") == "about:"
