"""What service and shared workers ask for, and what a service worker answers, told apart and linked."""

from __future__ import annotations

import pytest

from pagelens.collectors.network_request import NetworkRequest
from pagelens.errors import RecordGone
from tests.collectors.conftest import Recorder
from tests.support.site import Response, Site

WORKER = """
oninstall = event => { event.waitUntil(fetch('/json?by=install').then(r => r.text())); skipWaiting() };
onactivate = event => event.waitUntil(clients.claim());
onfetch = event => {
  const path = new URL(event.request.url).pathname;
  if (path === '/made-up') event.respondWith(new Response('made by the worker', {headers: {'X-By': 'worker'}}));
  if (path === '/passed-on') event.respondWith(fetch(event.request));
  if (path === '/elsewhere') event.respondWith(fetch('/json?instead'));
};
"""


@pytest.fixture
def worker_site() -> Site:
    site = Site()
    site.route("/sw.js", lambda _: Response(WORKER, content_type="text/javascript"))
    site.route("/passed-on", lambda _: Response("from the server", content_type="text/plain"))
    return site


async def controlled(recorder: Recorder, site: Site) -> None:
    await recorder.page.navigate(
        site.page("<script>globalThis.ready = navigator.serviceWorker.register('/sw.js')</script>")
    )
    await recorder.run("""(async () => {
        await ready;
        if (!navigator.serviceWorker.controller)
            await new Promise(done => navigator.serviceWorker.oncontrollerchange = done);
    })()""")


async def body(recorder: Recorder, request: NetworkRequest) -> bytes:
    return (await recorder.network.bodies.response_body(request)).data


async def test_a_service_worker(recorder: Recorder, worker_site: Site) -> None:
    with worker_site as site:
        await controlled(recorder, site)
        texts = await recorder.run("""(async () => {
            const found = [];
            for (const path of ['/made-up', '/passed-on', '/elsewhere', '/blank'])
                found.push(await (await fetch(path)).text());
            return found;
        })()""")
        assert texts[:2] == ["made by the worker", "from the server"]
        await recorder.until(lambda: len([r for r in recorder.requests("/json") if r.ended]) >= 2)

        by_install, instead = recorder.requests("/json")
        assert (by_install.source, instead.source) == ("service_worker", "service_worker")
        assert (by_install.outcome, instead.outcome) == ("finished", "finished")

        made_up = recorder.request("/made-up")
        assert (made_up.source, made_up.from_service_worker, made_up.status) == ("page", True, 200)
        assert not site.seen("/made-up")
        assert recorder.network.asked_by_worker(made_up) == []
        assert await body(recorder, made_up) == b"made by the worker"
        assert {n.lower(): v for n, v in made_up.response_headers().items()}["x-by"] == "worker"

        of_page, of_worker = sorted(recorder.requests("/passed-on"), key=lambda r: r.source)
        assert (of_page.source, of_page.from_service_worker) == ("page", True)
        assert (of_worker.source, of_worker.from_service_worker) == ("service_worker", False)
        assert len(site.seen("/passed-on")) == 1
        assert recorder.network.asked_by_worker(of_page) == [of_worker]
        assert await body(recorder, of_page) == b"from the server"
        with pytest.raises(RecordGone, match="passed it on without reading it"):
            await body(recorder, of_worker)
        assert b'"instead"' in await body(recorder, recorder.request("/elsewhere"))
        assert b'"by"' in await body(recorder, by_install)

        untouched = recorder.request("/blank")
        assert untouched.source == "page"
        assert len(site.seen("/blank")) == 1


async def test_what_a_service_worker_asked_for_belongs_to_pages_of_its_origin(
    recorder: Recorder, worker_site: Site
) -> None:
    with worker_site as site:
        other = await recorder.host.new_page()
        await other.navigate(site.other(site.url("/blank")))
        await controlled(recorder, site)
        await recorder.run("fetch('/passed-on').then(r => r.text())")
        await recorder.until(lambda: len(recorder.requests("/passed-on")) == 2)
        assert not [r for r in recorder.networks[other.id].get_data(True) if r.source == "service_worker"]


async def test_bodies_outlive_a_service_worker_that_stops(recorder: Recorder, worker_site: Site) -> None:
    with worker_site as site:
        await controlled(recorder, site)
        await recorder.run("fetch('/passed-on').then(r => r.text())")
        await recorder.until(lambda: all(r.ended for r in recorder.requests("/passed-on")))
        (worker,) = recorder.host.workers.of_page(recorder.page)
        await recorder.host.root.send("Target.closeTarget", {"targetId": worker.target_id})
        await recorder.until(lambda: not worker.is_running)
        by_install, of_page = recorder.request("/json"), recorder.requests("/passed-on")[0]
        assert by_install.source == "service_worker"
        assert b'"by"' in await body(recorder, by_install)
        assert await body(recorder, of_page) == b"from the server"


async def test_a_shared_worker(recorder: Recorder, site: Site) -> None:
    script = site.text(
        "onconnect = async e => { await (await fetch('/json?by=shared')).text(); e.ports[0].postMessage(1) }",
        name="shared.js",
        content_type="text/javascript",
    )
    await recorder.page.navigate(site.url("/blank"))
    await recorder.run(f"""new Promise(done => {{
        globalThis.shared = new SharedWorker('{script}');
        shared.port.onmessage = done;
    }}).then(() => 0)""")
    request = await recorder.ended("/json")
    assert (request.source, request.outcome) == ("shared_worker", "finished")
    assert b'"shared"' in await body(recorder, request)
