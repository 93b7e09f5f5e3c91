"""A host in a browser that is not ours: what it lists, what it touches, what it leaves, and a line that breaks."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

import pytest
import pytest_asyncio

from pagelens.browser.evaluate import evaluate
from pagelens.browser.host import BrowserHost
from pagelens.browser.page import Page
from pagelens.browser.screenshot import screenshot
from pagelens.browser.tabs import bring_tab_to_front, page_in_front, tab_before
from pagelens.cdp.session import Reply, Session
from pagelens.cdp.websocket import WebSocketTransport
from pagelens.core.options import Options
from pagelens.errors import AttachFailed, ConnectionLost, PageClosed, PageCrashed, PageUnresponsive
from tests.support.running_chrome import Holder, Relay, RunningChrome
from tests.support.site import Site

#: A click on "Urgent Discard" of one row in Chrome's own page for it.
DISCARD = """(path) => {
  let rows = [];
  const walk = (root) => {
    for (const node of root.querySelectorAll('*')) {
      if (node.shadowRoot) walk(node.shadowRoot);
      if (node.tagName === 'TR' && node.innerText.includes(path)) rows.push(node);
    }
  };
  walk(document);
  for (const row of rows)
    for (const node of row.querySelectorAll('*'))
      if (!node.children.length && node.innerText.includes('Urgent Discard')) { node.click(); return true; }
  return false;
}"""


class Crowd:
    """A browser with thirty tabs, as a user has them; `of` gives the page of a kind, `loop` makes one loop for ever."""

    def __init__(self, chrome: RunningChrome, holder: Holder, urls: dict[str, str], loops: list[str]) -> None:
        self.chrome = chrome
        self.holder = holder
        self.urls = urls
        self._loops = loops

    async def loop(self, number: int) -> None:
        """Not before a test needs it: each takes all of a processor."""
        await self.holder.evaluate(self._loops[number], "void postMessage(1, '*')")

    def of(self, host: BrowserHost, kind: str) -> Page:
        return next(page for page in host.pages.values() if page.url == self.urls[kind])


@asynccontextmanager
async def attached_host(url: str) -> AsyncIterator[BrowserHost]:
    host = BrowserHost(Options(browser_url=url))
    try:
        await host.ensure_running()
        yield host
    finally:
        await host.close()


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def crowd(site: Site) -> AsyncIterator[Crowd]:
    chrome = RunningChrome()
    (chrome.profile / "Local State").write_text('{"internal_only_uis_enabled": true}')  # for chrome://discards
    async with chrome, Holder(chrome) as holder:
        urls: dict[str, str] = {}
        for number in range(23):
            urls[f"calm{number}"] = site.page(f"<h1>Calm {number}</h1>", title=f"Calm {number}")
            await holder.open(urls[f"calm{number}"])
        await until(lambda: all_have_addresses(holder))
        loops = []
        for number in range(2):
            urls[f"loop{number}"] = site.page("x<script>addEventListener('message', () => {while (1);})</script>")
            loops.append((await open_tab(holder, urls[f"loop{number}"]))[1])
        urls["crashed"] = site.page("it crashes")
        _, session = await open_tab(holder, urls["crashed"])
        await holder.send("Inspector.enable", session=session)
        await crash(holder, session)
        for number in range(2):
            urls[f"dialog{number}"] = site.page("a dialog")
            _, session = await open_tab(holder, urls[f"dialog{number}"])
            await holder.send("Page.enable", session=session)
            await holder.post("Runtime.evaluate", {"expression": "confirm('really?')"}, session)
            await holder.event(
                lambda e, s=session: e["method"] == "Page.javascriptDialogOpening" and e["sessionId"] == s
            )
        urls["discarded"] = site.page("<h1>Discarded</h1>", path="/discarded-tab")
        discarded = await holder.open(urls["discarded"])
        manager = await holder.open("chrome://discards/")
        session = await holder.attach(manager)
        # Chrome fills its table by a timer, gives a discarded tab another target, and closes one in its own time.
        await until(lambda: holder.evaluate(session, f"({DISCARD})('/discarded-tab')"))
        await until(lambda: is_gone(holder, discarded))
        await close_tab(holder, manager)
        await until(lambda: all_have_addresses(holder))
        made = Crowd(chrome, holder, urls, loops)
        await made.loop(0)
        yield made


async def until(done: Callable[[], Awaitable[object]]) -> None:
    """Ask the browser again and again: for what no event tells."""
    for _ in range(600):
        if await done():
            return
        await asyncio.sleep(0.05)
    raise TimeoutError


async def is_gone(holder: Holder, target_id: str) -> bool:
    return target_id not in await holder.targets()


async def all_have_addresses(holder: Holder) -> bool:
    return all(info["url"] for info in (await holder.targets()).values())


async def crash(holder: Holder, session: str) -> None:
    """Chrome refuses while it has anything to load: until it does not."""
    gone = asyncio.create_task(
        holder.event(lambda e: e["method"] == "Inspector.targetCrashed" and e["sessionId"] == session)
    )
    while not gone.done():
        refused = await holder.post("Page.crash", session=session)
        await asyncio.wait({gone, refused}, return_when=asyncio.FIRST_COMPLETED)
    await gone


async def open_tab(holder: Holder, url: str, **more: object) -> tuple[str, str]:
    """Open a tab, attach to it, and wait until it has loaded; returns its target id and the session."""
    target_id = await holder.open(url, **more)
    session = await holder.attach(target_id)
    await loaded(holder, session, url)
    return target_id, session


async def loaded(holder: Holder, session: str, url: str) -> None:
    there = json.dumps(url)
    await until(lambda: holder.evaluate(session, f"location.href === {there} && document.readyState === 'complete'"))


async def close_tab(holder: Holder, target_id: str) -> None:
    """Close a tab and wait until it is gone: Chrome answers before."""
    await holder.send("Target.closeTarget", {"targetId": target_id})
    await until(lambda: is_gone(holder, target_id))


@pytest_asyncio.fixture(loop_scope="session")
async def host(crowd: Crowd) -> AsyncIterator[BrowserHost]:
    async with attached_host(crowd.chrome.url) as attached:
        yield attached


# -- thirty tabs ---------------------------------------------------------------------------------------


async def test_all_are_listed_and_none_is_attached_to(crowd: Crowd, host: BrowserHost) -> None:
    assert sorted(page.url for page in host.pages.values()) == sorted([*crowd.urls.values(), "about:blank"])
    assert len(host.pages) == 30
    assert list(host.pages) == list(range(1, 31))
    assert all(page.is_asleep for page in host.pages.values())
    await host.refresh()
    assert crowd.of(host, "calm7").title == "Calm 7"
    # The holder is attached to these, and so is nobody else to any other.
    held = {crowd.urls[kind] for kind in ("loop0", "loop1", "crashed", "dialog0", "dialog1")}
    targets = await host.root.send("Target.getTargets", {"filter": [{"type": "page"}]})
    assert {info["url"] for info in targets["targetInfos"] if info["attached"]} == held


async def test_the_healthy_ones_work(crowd: Crowd, host: BrowserHost) -> None:
    for number in (0, 11, 22):
        page = crowd.of(host, f"calm{number}")
        await page.ready()
        assert (await evaluate(page, "() => document.title")).text == f'"Calm {number}"'
        assert not page.is_loading
    fresh = await host.new_page()
    result = await fresh.navigate(crowd.urls["calm3"])
    assert (result.outcome, result.status) == ("loaded", 200)
    await fresh.close()
    assert fresh.id not in host.pages


@pytest.mark.parametrize("kind", ["loop0", "dialog0"])
async def test_one_that_does_not_answer_is_an_error_in_bounded_time(crowd: Crowd, host: BrowserHost, kind: str) -> None:
    page = crowd.of(host, kind)
    with pytest.raises(PageUnresponsive, match=f"Page {page.id} was open before pagelens attached"):
        await page.ready()
    # It keeps nobody else waiting, and can be tried again.
    await crowd.of(host, "calm1").ready()
    with pytest.raises(PageUnresponsive):
        await page.ready()


async def test_emulation_waits_until_a_page_answers(
    crowd: Crowd, host: BrowserHost, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Chromium crashes where a page that a dialog holds is navigated with such a command waiting in it.
    posted: list[tuple[Session, str]] = []
    post = Session.post

    def noting(session: Session, method: str, params: dict[str, object] | None = None) -> Reply:
        posted.append((session, method))
        return post(session, method, params)

    def emulated(page: Page) -> bool:
        return any(session is page.session and method.startswith("Emulation.") for session, method in posted)

    monkeypatch.setattr(Session, "post", noting)
    calm, held = crowd.of(host, "calm4"), crowd.of(host, "dialog0")
    await calm.ready()
    with pytest.raises(PageUnresponsive):
        await held.ready()
    assert (emulated(calm), emulated(held)) == (True, False)


@pytest.mark.parametrize("kind", ["crashed", "discarded"])
async def test_one_without_a_process_is_known_at_once_and_revived_by_a_reload(
    crowd: Crowd, host: BrowserHost, kind: str
) -> None:
    page = crowd.of(host, kind)
    assert not page.is_crashed  # nobody asked yet
    await page.ready()
    assert page.is_crashed
    with pytest.raises(PageCrashed, match="it crashed, or Chrome discarded it to save memory"):
        page.raise_if_unusable()
    result = await page.reload()
    assert (result.outcome, result.url) == ("loaded", crowd.urls[kind])
    assert not page.is_crashed
    assert (await evaluate(page, "() => 6 * 7")).text == "42"


async def test_navigating_away_discards_a_dialog_from_before(crowd: Crowd, host: BrowserHost) -> None:
    page = crowd.of(host, "dialog1")
    result = await page.navigate(crowd.urls["calm0"])
    assert result.outcome == "loaded"
    assert (await evaluate(page, "() => document.title")).text == '"Calm 0"'


async def test_navigating_to_another_site_leaves_a_loop_behind(crowd: Crowd, host: BrowserHost, site: Site) -> None:
    page = crowd.of(host, "loop1")
    await crowd.loop(1)
    result = await page.navigate(site.other(crowd.urls["calm0"]))
    assert result.outcome == "loaded"
    assert (await evaluate(page, "() => document.title")).text == '"Calm 0"'


async def test_one_that_loops_can_be_closed_and_shown(crowd: Crowd, host: BrowserHost) -> None:
    page = crowd.of(host, "loop0")
    await page.bring_to_front()
    await page.close()
    assert page.closed is not None
    with pytest.raises(PageClosed):
        await page.ready()


# -- what is touched, and what is left -----------------------------------------------------------------


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def chrome() -> AsyncIterator[RunningChrome]:
    running = RunningChrome()
    (running.profile / "Default").mkdir()
    preferences = {"download": {"default_directory": str(running.profile / "saved"), "prompt_for_download": False}}
    (running.profile / "Default" / "Preferences").write_text(json.dumps(preferences))
    async with running:
        yield running


@pytest_asyncio.fixture(loop_scope="session")
async def holder(chrome: RunningChrome) -> AsyncIterator[Holder]:
    async with Holder(chrome) as other:
        before = set(await other.targets())
        yield other
        for target_id in set(await other.targets()) - before:
            await close_tab(other, target_id)


def page_at(host: BrowserHost, url: str) -> Page:
    return next(page for page in host.pages.values() if page.url == url)


async def test_the_users_tabs_stay_as_they_are(chrome: RunningChrome, holder: Holder, site: Site) -> None:
    url = site.page("<h1>Mine</h1>")
    _, session = await open_tab(holder, url)
    look = "[innerWidth, innerHeight, document.visibilityState, document.hasFocus()].join()"
    before = await holder.evaluate(session, look)
    async with attached_host(chrome.url) as host:
        fresh = await host.new_page(background=True)
        await fresh.navigate(site.url("/"))
        assert await holder.evaluate(session, look) == before
        # Once it is used, it behaves as if it were in front, for as long as we are there; its size stays.
        await page_at(host, url).ready()
        assert await holder.evaluate(session, look) == before.replace("hidden", "visible").replace("false", "true")
        fresh_target = fresh.target_id
    assert chrome.is_running()
    assert await holder.evaluate(session, look) == before
    # What we opened stays as well: it is the user's now.
    assert (await holder.targets())[fresh_target]["url"] == site.url("/")


async def test_other_peoples_new_tabs_are_listed_run_and_left_alone(
    chrome: RunningChrome, holder: Holder, site: Site
) -> None:
    async with attached_host(chrome.url) as host:
        url = site.page("<title>Theirs</title><script>window.ran = 1</script>", title="Theirs")
        target_id, session = await open_tab(holder, url)
        assert await holder.evaluate(session, "window.ran") == 1
        page = host.page_of_target(target_id)
        assert page is not None
        assert page.is_asleep
        await holder.send("Target.closeTarget", {"targetId": target_id})
        await page.loads.wait(lambda: page.closed is not None, 10)
        assert page.closed == "it was closed"


async def test_popups_of_used_pages_are_seen_from_their_first_request(
    chrome: RunningChrome, holder: Holder, site: Site
) -> None:
    target = site.page("<script>console.log('first word')</script>")
    opener = site.page(
        f"<a id=plain target=_blank href={target}>a</a><a id=named target=_blank rel=opener href={target}>"
    )
    await open_tab(holder, opener)
    async with attached_host(chrome.url) as host:
        page = page_at(host, opener)
        await page.ready()
        heard: list[str] = []

        def listen(newcomer: Page) -> None:
            newcomer.session_attached.connect(
                lambda attached: attached.session.on(
                    "Runtime.consoleAPICalled", lambda p: heard.append(p["args"][0]["value"])
                )
            )
            newcomer.session_attached.connect(
                lambda attached: attached.session.on(
                    "Network.requestWillBeSent", lambda p: heard.append(p["request"]["url"])
                )
            )

        host.page_created.connect(listen)
        for number, name in enumerate(("plain", "named"), 1):
            async with page.acting("script") as effect:
                await evaluate(page, f"() => document.getElementById('{name}').click()")
            (popup,) = effect.new_pages
            await popup.loads.wait(lambda: heard.count("first word") == number, 10)  # noqa: B023
            assert heard.count("first word") == heard.count(target) == number
            assert popup.opener is page
            assert not popup.is_asleep


async def test_popups_of_pages_not_in_use_are_only_listed(chrome: RunningChrome, holder: Holder, site: Site) -> None:
    target = site.page("<script>window.ran = 1</script>")
    opener, session = await open_tab(holder, site.page(f"<a id=a target=_blank href={target}>a</a>"))
    async with attached_host(chrome.url) as host:
        await holder.evaluate(session, "document.getElementById('a').click()")
        page = host.page_of_target(opener)
        assert page is not None
        await page.loads.wait(lambda: any(p.opener is page for p in host.pages.values()), 0.5)
        async with asyncio.timeout(10):
            while not (found := [p for p in host.pages.values() if p.url == target]):
                await host.refresh()
        assert found[0].is_asleep
        other = await holder.attach(found[0].target_id)
        await loaded(holder, other, target)
        assert await holder.evaluate(other, "window.ran") == 1


async def test_a_pages_own_download_goes_where_its_user_wants(
    chrome: RunningChrome, holder: Holder, site: Site
) -> None:
    async with attached_host(chrome.url) as host:
        page = await host.new_page()
        await page.navigate(site.url("/"))
        downloads = []
        page.download_changed.connect(downloads.append)
        url = site.url("/download", name="report.txt")
        await evaluate(page, f"() => {{ location.href = '{url}' }}")
        await page.loads.wait(lambda: any(d.state == "completed" for d in downloads), 10)
        assert downloads[-1].path is not None
        assert downloads[-1].path.parent == chrome.profile / "saved"


# -- which tab is in front -----------------------------------------------------------------------------


async def test_the_tab_in_front_can_be_told_and_put_back(chrome: RunningChrome, holder: Holder, site: Site) -> None:
    urls = [site.page(f"<h1>Tab {n}</h1>") for n in range(3)]
    targets = [(await open_tab(holder, url, newWindow=n == 0))[0] for n, url in enumerate(urls)]
    await holder.send("Target.activateTarget", {"targetId": targets[1]})
    async with attached_host(chrome.url) as host:
        front, behind = page_at(host, urls[1]), page_at(host, urls[2])
        assert await tab_before(front) is None
        tab = await tab_before(behind)
        assert tab is not None
        await behind.bring_to_front()
        assert await tab_before(behind) is None
        assert await tab_before(front) is not None
        assert await bring_tab_to_front(host, tab)
        assert await tab_before(front) is None
        assert (await page_in_front(host)) in host.pages.values()
        assert front.is_asleep  # none of this needs the pages
        await close_tab(holder, targets[1])
        assert not await bring_tab_to_front(host, tab)


async def test_a_used_tab_behind_another_one_can_be_photographed(
    chrome: RunningChrome, holder: Holder, site: Site
) -> None:
    urls = [site.page(f"<h1>Tab {n}</h1>") for n in range(2)]
    await open_tab(holder, urls[0])
    await open_tab(holder, urls[1], background=False)
    async with attached_host(chrome.url) as host:
        page = page_at(host, urls[0])
        former = await tab_before(page)
        assert former is not None
        await page.ready()
        assert (await screenshot(page)).width > 0
        assert await tab_before(page) == former  # again, or still


# -- the line ------------------------------------------------------------------------------------------


async def test_a_lost_line_is_made_again_and_pages_keep_their_ids(
    chrome: RunningChrome, holder: Holder, site: Site
) -> None:
    kept, closed = site.page("<button>Stay</button>"), site.page("goes")
    await open_tab(holder, kept)
    goes, _ = await open_tab(holder, closed)
    async with Relay(chrome.port) as relay, attached_host(relay.url) as host:
        page, gone = page_at(host, kept), page_at(host, closed)
        await page.ready()
        uid_element = await page.element("css=button")
        assert uid_element
        ids = {p.url: p.id for p in host.pages.values()}
        waiting = page.session.post("Runtime.evaluate", {"expression": "new Promise(() => {})", "awaitPromise": True})
        relay.cut()
        with pytest.raises(ConnectionLost):
            await page.guarded(waiting)
        assert not host.is_running
        assert page.closed is None
        assert page.is_asleep
        with pytest.raises(ConnectionLost):
            await host.root.send("Target.getTargets")
        await close_tab(holder, goes)
        opened = site.page("new")
        await open_tab(holder, opened)
        assert await asyncio.gather(*(host.ensure_running() for _ in range(5))) == [True, False, False, False, False]
        assert host.generation == 2
        assert gone.closed == "it was closed while the connection to Chrome was lost"
        assert {p.url: p.id for p in host.pages.values()} == {
            **{url: number for url, number in ids.items() if url != closed},
            opened: max(ids.values()) + 1,
        }
        await page.ready()
        assert (await evaluate(page, "() => document.querySelector('button').textContent")).text == '"Stay"'
        assert host.pages[page.id] is page


async def test_a_uid_survives_a_lost_line(chrome: RunningChrome, holder: Holder, site: Site) -> None:
    from pagelens.snapshot.text_snapshot import TextSnapshot

    url = site.page("<button onclick='this.textContent = 1'>Press</button>")
    await open_tab(holder, url)
    async with Relay(chrome.port) as relay, attached_host(relay.url) as host:
        page = page_at(host, url)
        await page.ready()
        text = (await TextSnapshot.take(page)).text
        uid = next(line for line in text.splitlines() if "Press" in line).split("uid=")[1].split()[0]
        relay.cut()
        await page.loads.wait(lambda: page.is_asleep, 10)
        await host.ensure_running()
        await page.ready()
        assert (await evaluate(page, "(button) => button.textContent", args=[uid])).text == '"Press"'


async def test_a_line_that_stops_forwarding_is_noticed_and_replaced(
    chrome: RunningChrome, site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(WebSocketTransport.__init__, "__kwdefaults__", {
        **(WebSocketTransport.__init__.__kwdefaults__ or {}), "ping_after": 0.2, "ping_deadline": 0.3
    })  # fmt: skip
    async with Relay(chrome.port) as relay, attached_host(relay.url) as host:
        page = await host.new_page()
        relay.stall()
        reply = page.session.post("Runtime.evaluate", {"expression": "1"})
        with pytest.raises(ConnectionLost, match="not even an answer to a ping"):
            await page.guarded(reply)
        relay.flow()
        assert await host.ensure_running()
        await page.ready()
        assert (await evaluate(page, "() => 1 + 1")).text == "2"
        await page.close()


async def test_a_browser_that_ended_is_said_and_its_successor_found(site: Site) -> None:
    first = RunningChrome()
    async with first:
        url = site.page("old")
        async with Holder(first) as holder:
            await holder.open(url)
        async with Relay(first.port) as relay, attached_host(relay.url) as host:
            old = page_at(host, url)
            await old.ready()
            await first.close()
            await old.loads.wait(lambda: old.is_asleep, 10)
            with pytest.raises(AttachFailed, match=f"- GET {relay.url}/json/version: "):
                await host.ensure_running()
            assert list(host.pages) == list(range(1, 1 + len(host.pages)))
            async with RunningChrome() as second:
                relay.to = second.port
                assert await host.ensure_running()
                assert old.closed is not None
                assert [page.url for page in host.pages.values()] == ["about:blank"]
                assert min(host.pages) > old.id


async def test_closing_the_host_leaves_everything_and_cant_be_undone(chrome: RunningChrome) -> None:
    async with attached_host(chrome.url) as host:
        page = await host.new_page()
    assert chrome.is_running()
    assert page.closed == "pagelens let go of it"
    with pytest.raises(ConnectionLost):
        await host.ensure_running()
    async with Holder(chrome) as holder:
        assert page.target_id in await holder.targets()
        await holder.send("Target.closeTarget", {"targetId": page.target_id})
