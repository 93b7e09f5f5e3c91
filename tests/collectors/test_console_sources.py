"""Who says it: service and shared workers, content scripts, extension pages; what was said before we came."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from pagelens.browser.host import BrowserHost
from pagelens.collectors.console_message import ConsoleMessage, Extension
from pagelens.collectors.issues import IssueMessage
from pagelens.core.options import Options
from pagelens.errors import RecordGone
from tests.collectors.conftest import Recorder
from tests.support.running_chrome import Holder, Relay, RunningChrome
from tests.support.site import Response, Site

SCRIPT = "text/javascript"


def lines(recorder: Recorder, preserved: bool = False) -> list[tuple[str, str]]:
    return [(m.source, m.text) for m in recorder.console.get_data(preserved)]


def texts(recorder: Recorder, source: str) -> list[str]:
    return [m.text for m in recorder.console.get_data() if m.source == source]


def with_workers(site: Site) -> str:
    """A page with a service worker that tells of each request, and a shared worker."""
    site.route(
        "/service.js",
        lambda _: Response(
            "console.log('service top'); oninstall = () => skipWaiting();"
            "onactivate = (e) => e.waitUntil(clients.claim());"
            "onfetch = (e) => console.log('fetch', new URL(e.request.url).pathname)",
            content_type=SCRIPT,
        ),
    )
    site.route(
        "/shared.js",
        lambda _: Response("console.log('shared top', {a: {b: 1}}); onconnect = () => {}", content_type=SCRIPT),
    )
    return site.page(
        "<script>console.log('page'); navigator.serviceWorker.register('/service.js');"
        "globalThis.shared = new SharedWorker('/shared.js')</script>"
    )


async def test_service_and_shared_workers_are_in_their_pages_list_once(recorder: Recorder) -> None:
    with Site() as site:
        url = with_workers(site)
        await recorder.page.navigate(url)
        await recorder.until(lambda: len(lines(recorder)) >= 3)
        await recorder.run("navigator.serviceWorker.ready.then(() => console.log('end'))")
        await recorder.until(lambda: len(lines(recorder)) >= 4)
        assert sorted(lines(recorder)) == [
            ("page", "end"),
            ("page", "page"),
            ("service_worker", "service top"),
            ("shared_worker", "shared top {a: {…}}"),
        ]
        service = next(m for m in recorder.console.get_data() if m.source == "service_worker")
        assert (service.worker_id[:3], service.source_url, service.url) == (
            "sw-",
            site.url("/service.js"),
            site.url("/service.js"),
        )
        assert recorder.console.lookup(service.id) is service
        # What the worker says of the navigation itself comes before the new document does, and belongs to it.
        await recorder.page.navigate(site.url("/blank"))
        path = url.removeprefix(site.origin)
        await recorder.page.navigate(url)
        await recorder.until(lambda: f"fetch {path}" in texts(recorder, "service_worker"))
        assert f"fetch {path}" == texts(recorder, "service_worker")[0]
        assert ("service_worker", "fetch /blank") not in lines(recorder)
        assert ("service_worker", "fetch /blank") in lines(recorder, preserved=True)
        await recorder.page.navigate("about:blank")
        assert lines(recorder) == []
        assert recorder.console.lookup(service.id) is service


async def test_another_page_of_the_origin_hears_of_a_worker_only_what_is_new(recorder: Recorder) -> None:
    with Site() as site:
        await recorder.page.navigate(with_workers(site))
        await recorder.until(lambda: texts(recorder, "service_worker"))
        first = recorder.console
        other = await recorder.host.new_page()
        await other.navigate(site.url("/blank"))
        second = recorder.consoles[other.id]
        await recorder.until(lambda: second.get_data())
        message = second.get_data()[0]
        assert (message.source, message.text) == ("service_worker", "fetch /blank")
        assert message in first.get_data()
        apart = await recorder.host.new_page(isolated_context="apart")
        await apart.navigate(site.url("/blank"))
        assert recorder.consoles[apart.id].get_data() == []


async def test_a_worker_that_says_too_much_keeps_the_newest(recorder: Recorder) -> None:
    with Site() as site:
        site.route(
            "/shared.js",
            lambda _: Response("for (let i = 0; i < 2500; i++) console.log('line', {i})", content_type=SCRIPT),
        )
        await recorder.page.navigate(site.page("<script>globalThis.w = new SharedWorker('/shared.js')</script>"))
        found = await recorder.until(
            lambda: t if (t := texts(recorder, "shared_worker"))[-1:] == ["line {i: 2499}"] else None
        )
        assert len(found) == 2000
        worker = recorder.host.workers.of_page(recorder.page)[0]
        console = recorder.workers.of(worker)
        assert console.cap_note() == f"500 older messages of {worker.id} dropped: the newest 2,000 are kept."
        assert len(console.objects) <= 150
        with pytest.raises(RecordGone, match=r"msgid=\d+ is no longer kept: a service or shared worker said it"):
            recorder.console.lookup(console.items[0].id - 1)


# -- extensions ----------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def extension(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An extension with content scripts in both worlds, a service worker and a page."""
    path = tmp_path_factory.mktemp("extension")
    manifest = {
        "manifest_version": 3,
        "name": "Test Helper",
        "version": "1.0",
        "background": {"service_worker": "background.js"},
        "content_scripts": [
            {"matches": ["<all_urls>"], "js": ["apart.js"], "run_at": "document_start", "all_frames": True},
            {"matches": ["<all_urls>"], "js": ["within.js"], "run_at": "document_end", "world": "MAIN"},
        ],
    }
    (path / "manifest.json").write_text(json.dumps(manifest))
    (path / "background.js").write_text("console.log('background', {a: 1}); self.onmessage = () => {}")
    (path / "apart.js").write_text("console.log('apart', {a: 1}); setTimeout(() => { throw new Error('apart boom') })")
    (path / "within.js").write_text("console.log('within'); setTimeout(() => { throw new Error('within boom') })")
    (path / "page.html").write_text("<script src=page.js></script>")
    (path / "page.js").write_text("console.log('own page')")
    return path


@pytest_asyncio.fixture(loop_scope="session")
async def extended(extension: Path) -> AsyncIterator[tuple[Recorder, str]]:
    """A page under record in a browser with the extension, and the extension's id."""
    host = BrowserHost(Options(headless=True, isolated=True))
    recorder = Recorder(host)
    try:
        await host.ensure_running()
        extension_id = (await host.root.send("Extensions.loadUnpacked", {"path": str(extension)}))["id"]
        await recorder.open()
        yield recorder, extension_id
    finally:
        recorder.disconnect()
        await host.close()


async def test_content_scripts_are_not_taken_for_the_page(extended: tuple[Recorder, str], site: Site) -> None:
    recorder, extension_id = extended
    for _ in range(2):  # its contexts come and go with the documents
        await recorder.page.navigate(site.page("<script>console.log('the page itself')</script>"))
        await recorder.until(lambda: len(lines(recorder)) >= 5)
        assert sorted(lines(recorder)) == [
            ("content_script", "Uncaught Error: apart boom"),
            ("content_script", "Uncaught Error: within boom"),
            ("content_script", "apart {a: 1}"),
            ("content_script", "within"),
            ("page", "the page itself"),
        ]
        known = Extension(extension_id, "Test Helper")
        assert {m.extension for m in recorder.console.get_data() if m.source != "page"} == {known}


async def test_an_extensions_own_pages_and_worker_are_no_content_scripts(extended: tuple[Recorder, str]) -> None:
    recorder, extension_id = extended
    await recorder.page.navigate(f"chrome-extension://{extension_id}/page.html")
    await recorder.until(lambda: ("page", "own page") in lines(recorder))
    worker = next(w for w in recorder.host.workers.all() if extension_id in w.url)
    assert worker.id.startswith("sw-")
    await recorder.until(lambda: recorder.workers.of(worker).items)
    (message,) = recorder.workers.of(worker).items
    assert (message.source, message.text, message.extension) == ("service_worker", "background {a: 1}", None)


# -- before we came ------------------------------------------------------------------------------------


async def test_what_was_said_before_attaching_keeps_its_times_and_order() -> None:
    with Site() as site:
        site.route("/quiet.js", lambda _: Response("console.log('from the worker', {a: 1})", content_type=SCRIPT))
        url = site.page(
            """<form><input></form><script>
            console.log('first', {deep: {a: 1}});
            navigator.serviceWorker.register('/service.js');
            const worker = new Worker('/quiet.js');
            setTimeout(() => { throw new Error('second') }, 30);
            setTimeout(() => fetch('/status/404').then(() => setTimeout(() => {
                console.log('fourth');
                document.title = 'said';
            }, 200)), 60);
            </script>"""
        )
        with_workers(site)
        async with RunningChrome() as chrome, Holder(chrome) as user:
            await user.open(url)
            async with asyncio.timeout(20):
                # Nothing announces that a page of somebody else has come so far.
                while not any(info["title"] == "said" for info in (await user.targets()).values()):  # noqa: ASYNC110
                    await asyncio.sleep(0.05)
            async with Relay(chrome.port) as relay:
                host = BrowserHost(Options(browser_url=relay.url))
                recorder = Recorder(host)
                try:
                    await host.ensure_running()
                    recorder.page = next(page for page in host.pages.values() if page.url == url)
                    await recorder.page.ready()
                    await host.workers.settle()
                    await recorder.until(lambda: texts(recorder, "worker"))
                    await recorder.console.settle()
                    check_backlog(recorder)
                    before = ids(recorder)
                    await recorder.run("console.log('fifth')")
                    await recorder.until(lambda: lines(recorder)[-1] == ("page", "fifth"))
                    # After a lost connection Chrome tells it all again: it is known already, and its objects live.
                    relay.cut()
                    await recorder.until(lambda: not host.is_running)
                    await host.ensure_running()
                    await recorder.page.ready()
                    await host.workers.settle()
                    await recorder.run("console.log('sixth')")
                    await recorder.until(lambda: lines(recorder)[-1] == ("page", "sixth"))
                    assert ids(recorder)[: len(before)] == before
                    said = [m.text for m in recorder.console.get_data() if m.type != "issue"]
                    assert said[len(before) :] == ["fifth", "sixth"]
                    (issue,) = [m for m in recorder.console.get_data() if isinstance(m, IssueMessage)]
                    assert issue.issue.count == 1
                    assert recorder.console.is_current(issue.issue.occurrences[0])
                    first = next(m for m in recorder.console.get_data() if m.text.startswith("first"))
                    assert first.session is recorder.page.session
                    value = await first.session.send("Runtime.getProperties", {"objectId": first.object_ids[0]})
                    assert any(member["name"] == "deep" for member in value["result"])
                finally:
                    recorder.disconnect()
                    await host.close()


def ids(recorder: Recorder) -> list[int]:
    return [m.id for m in recorder.console.get_data() if m.type != "issue"]


def check_backlog(recorder: Recorder) -> None:
    messages: list[ConsoleMessage] = [m for m in recorder.console.get_data() if m.type != "issue"]
    own = [m for m in messages if m.source == "page"]
    assert [m.text.split(":")[0] for m in own] == [
        "first {deep",
        "Uncaught Error",
        "Failed to load resource",
        "fourth",
    ]
    times = [m.timestamp for m in messages]
    assert times == sorted(times)
    assert own[-1].timestamp - own[0].timestamp >= 250
    assert [m.text for m in messages if m.source == "worker"] == ["from the worker {a: 1}"]
    assert next(m.text for m in messages if m.source == "service_worker") == "service top"
    assert any(m.type == "issue" for m in recorder.console.get_data())
