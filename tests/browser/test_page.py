"""Pages as they live: frames, popups, dialogs, downloads, crashes, and calls that must not hang on any of it."""

from __future__ import annotations

import asyncio

import pytest

from pagelens.browser import settle
from pagelens.browser.host import BrowserHost
from pagelens.browser.page import Page
from pagelens.browser.page_frames import Navigated
from pagelens.browser.page_news import POPUP_LIMIT
from pagelens.browser.page_sessions import AttachedSession
from pagelens.browser.process import ChromeProcess
from pagelens.browser.world import JsFunction
from pagelens.errors import (
    CommandTimeout,
    DialogOpen,
    DocumentReplaced,
    ElementAmbiguous,
    ElementGone,
    ElementNotFound,
    FrameGone,
    InvalidInput,
    NoDialog,
    PageClosed,
    PageCrashed,
    PageNotFound,
    ProtocolError,
)
from tests.support.site import Site

QUERIED = JsFunction("pagelens.browser", "js/queried.js")


async def run(page: Page, expression: str, **params: object) -> object:
    """Evaluate in the page's own world, past every guard of ours."""
    answer = await page.session.send(
        "Runtime.evaluate",
        {"expression": expression, "returnByValue": True, "awaitPromise": True, **params},
        timeout=60,
    )
    assert "exceptionDetails" not in answer, answer
    return answer["result"].get("value")


async def until(page: Page, condition: object, timeout: float = 10) -> None:
    assert await page.loads.wait(condition, timeout)  # type: ignore[arg-type]


# -- frames --------------------------------------------------------------------------------------------


async def test_frames_of_both_kinds(page: Page, site: Site) -> None:
    url = site.page(
        f"<iframe name=near src=/frame></iframe><iframe name=far src='{site.url('/frame', other=True)}'></iframe>"
        "<iframe name=inline srcdoc='<p>inline'></iframe>",
        path="/frames.html",
    )
    await page.navigate(url)
    by_name = {frame.name: frame for frame in page.main_frame.children}
    assert set(by_name) == {"near", "far", "inline"}
    assert [by_name[n].is_out_of_process for n in ("near", "far", "inline")] == [False, True, False]
    assert by_name["far"].url == site.url("/frame", other=True)
    for frame in page.main_frame.subtree():
        assert await frame.call(QUERIED) is None  # our world works in each


async def test_a_frame_that_moves_to_another_process_and_back(page: Page, site: Site) -> None:
    await page.navigate(site.page("<iframe src=/frame></iframe>", path="/moving.html"))
    frame = page.main_frame.children[0]
    for other in (True, False, True):
        goal = site.url("/frame", other=other, n=int(other))
        await run(page, f"document.querySelector('iframe').src = {goal!r}")
        await until(page, lambda: page.main_frame.children[0].url == goal)  # noqa: B023
        frame = page.main_frame.children[0]
        assert frame.is_out_of_process is other
        assert await frame.call(QUERIED) is None


async def test_frames_inside_frames_across_processes(page: Page, site: Site) -> None:
    innermost = site.url("/frame")
    middle = site.page(f"<iframe name=inner src='{innermost}'></iframe>", path="/middle.html", other=True)
    await page.navigate(site.page(f"<iframe name=outer src='{middle}'></iframe>", path="/outer.html"))
    outer = page.main_frame.children[0]
    inner = outer.children[0]
    assert (outer.name, inner.name) == ("outer", "inner")
    assert outer.is_out_of_process
    assert inner.is_out_of_process
    assert inner.url == innermost
    assert await inner.call(QUERIED) is None


async def test_a_removed_frame_is_gone(page: Page, site: Site) -> None:
    far = site.url("/frame", other=True)
    await page.navigate(site.page(f"<iframe src=/frame></iframe><iframe src='{far}'></iframe>", path="/removed.html"))
    near, far_frame = page.main_frame.children
    await run(page, "document.querySelectorAll('iframe').forEach(f => f.remove())")
    await until(page, lambda: not page.main_frame.children)
    assert near.is_detached
    assert far_frame.is_detached
    with pytest.raises(FrameGone):
        await near.call(QUERIED)
    assert list(page.frames.values()) == [page.main_frame]


async def test_navigating_away_drops_the_frames(page: Page, site: Site) -> None:
    await page.navigate(site.page("<iframe src=/frame></iframe><iframe src=/frame></iframe>", path="/two.html"))
    assert len(page.frames) == 3
    await page.navigate(site.url("/blank"))
    assert list(page.frames) == [page.main_frame.id]


async def test_the_late_answer_of_a_document_that_is_gone_changes_nothing(page: Page, site: Site) -> None:
    await page.navigate(site.page("<iframe srcdoc='inside'></iframe>"))
    tree = page.session.post("Page.getFrameTree")
    await tree.within(10)
    here = site.page("<h1>Here</h1>", title="Here")
    await page.navigate(here)
    loader_id = page.main_frame.loader_id
    told: list[Navigated] = []
    page.navigated.connect(told.append)
    # A dialog held the document: it answers on its way out, and Chrome passes that on after the news of the next one.
    page.tree.merge(tree, page.session)
    assert (page.url, page.main_frame.loader_id, page.main_frame.children, told) == (here, loader_id, [], [])
    assert page.loads.of(page.main_frame.id).loader_id == loader_id
    # What is said of the document that is there counts.
    await run(page, "document.body.append(document.createElement('iframe'))")
    await until(page, lambda: len(page.main_frame.children) == 1)


async def test_frames_return_from_the_back_forward_cache(page: Page, site: Site) -> None:
    from tests.support.site import Response

    cached = {"Cache-Control": "private"}
    site.route("/kept-frame", lambda _: Response("<p>frame", headers=cached))
    url = site.route("/kept.html", lambda _: Response("<iframe src=/kept-frame></iframe>", headers=cached))
    await page.navigate(url)
    await page.navigate(site.url("/blank", other=True))
    result = await page.go_back()
    assert result.outcome == "bfcache"
    await until(page, lambda: len(page.main_frame.children) == 1)
    assert page.main_frame.children[0].url == site.url("/kept-frame")
    assert await page.main_frame.children[0].call(QUERIED) is None


async def test_navigations_are_told(page: Page, site: Site) -> None:
    told: list[Navigated] = []
    page.navigated.connect(told.append)
    url = site.page("<iframe src=/frame></iframe>", path="/told.html")
    await page.navigate(url)
    await page.navigate(url + "#x")
    assert [(n.url, n.kind) for n in told if n.is_main] == [(url, "document"), (url + "#x", "same_document")]
    assert site.url("/frame") in [n.url for n in told if not n.is_main]


# -- sessions ------------------------------------------------------------------------------------------


async def test_observers_are_there_before_the_first_script(host: BrowserHost, site: Site) -> None:
    seen: list[tuple[str, str]] = []

    def observe(created: Page) -> None:
        def attached(attached: AttachedSession) -> None:
            kind = attached.kind
            attached.session.on("Runtime.consoleAPICalled", lambda p: seen.append((kind, p["args"][0]["value"])))

        created.session_attached.connect(attached)

    disconnect = host.page_created.connect(observe)
    try:
        page = await host.new_page()
        worker = site.text("console.log('worker first line')", name="w.js", content_type="text/javascript")
        far = site.page("<script>console.log('frame first line')</script>", path="/first-far.html", other=True)
        url = site.page(
            "<script>console.log('page first line')</script>"
            f"<iframe src='{far}'></iframe><script>new Worker('{worker}')</script>",
            path="/first.html",
        )
        await page.navigate(url)
        wanted = {("page", "page first line"), ("iframe", "frame first line"), ("worker", "worker first line")}
        await until(page, lambda: set(seen) >= wanted)
        await page.close()
    finally:
        disconnect()


async def test_popups_are_there_before_their_first_script(page: Page, host: BrowserHost, site: Site) -> None:
    seen: list[str] = []

    def observe(created: Page) -> None:
        def attached(attached: AttachedSession) -> None:
            attached.session.on("Runtime.consoleAPICalled", lambda p: seen.append(p["args"][0]["value"]))

        created.session_attached.connect(attached)

    disconnect = host.page_created.connect(observe)
    try:
        await page.navigate(site.url("/blank"))
        popup_url = site.page("<script>console.log('popup first line')</script>", path="/popup-first.html")
        async with page.acting("script") as effect:
            await run(page, f"void open({popup_url!r})", userGesture=True)
        popup = effect.new_pages[0]
        assert popup.opener is page
        assert popup.url == popup_url
        await until(popup, lambda: seen == ["popup first line"])
    finally:
        disconnect()


# -- popups --------------------------------------------------------------------------------------------


@pytest.mark.long
async def test_more_popups_than_a_page_may_have_are_closed_and_said(page: Page, host: BrowserHost, site: Site) -> None:
    await page.navigate(site.url("/blank"))
    await run(
        page, f"for (let i = 0; i < {POPUP_LIMIT + 5}; i++) open('/blank?' + i, '_blank', 'popup'); 0", userGesture=True
    )
    await until(page, lambda: page.news.refused_popups == 5, 20)
    mine = [p for p in host.pages.values() if p.opener is page]
    assert len(mine) == POPUP_LIMIT
    assert any("5 more popups were closed" in line for line in page.take_news())
    for popup in mine:
        await popup.close()


async def test_a_popup_that_closes_itself(page: Page, host: BrowserHost, site: Site) -> None:
    closing = site.page("<script>close()</script>", path="/closes.html")
    await page.navigate(site.url("/blank"))
    async with page.acting("script") as effect:
        await run(page, f"void open({closing!r})", userGesture=True)
    popup = effect.new_pages[0]
    await until(popup, lambda: popup.closed is not None)
    with pytest.raises(PageClosed, match=f"Page {popup.id} is closed"):
        host.page(popup.id)
    with pytest.raises(PageNotFound, match="no page 99999"):
        host.page(99999)


# -- dialogs -------------------------------------------------------------------------------------------


async def test_a_dialog_in_an_action_is_its_effect(page: Page, site: Site) -> None:
    await page.navigate(site.url("/blank"))
    async with page.acting("script") as effect:
        page.session.post("Runtime.evaluate", {"expression": "answer = prompt('Name?', 'Ada')"})
        await until(page, lambda: page.dialog is not None)
    assert effect.dialog is page.dialog is not None
    assert effect.dialog.words() == 'prompt "Name?" (default "Ada")'
    await page.handle_dialog(True, "Grace")
    assert await run(page, "answer") == "Grace"
    assert effect.dialog.outcome == "accepted"


async def test_a_dialog_from_a_timer_stops_calls_at_once(page: Page, site: Site) -> None:
    await page.navigate(site.url("/blank"))
    await run(page, "void setTimeout(() => answer = confirm('Sure?'), 30)")
    await until(page, lambda: page.dialog is not None)
    with pytest.raises(DialogOpen, match=r'confirm "Sure\?".*handle_dialog'):
        await page.main_frame.call(QUERIED)
    await page.handle_dialog(False)
    assert await run(page, "answer") is False
    with pytest.raises(NoDialog):
        await page.handle_dialog(True)


async def test_a_dialog_opening_during_a_call_ends_the_wait(page: Page, site: Site) -> None:
    await page.navigate(site.url("/blank"))
    waiting = page.session.post("Runtime.evaluate", {"expression": "alert('now')"})
    with pytest.raises(DialogOpen, match='alert "now"'):
        await page.guarded(waiting)
    await page.handle_dialog(True)


async def test_a_dialog_in_a_frame_of_another_process(page: Page, site: Site) -> None:
    far = site.page("<script>setTimeout(() => alert('from far'))</script>", path="/far-alert.html", other=True)
    result = await page.navigate(site.page(f"<iframe src='{far}'></iframe>", path="/holds-far.html"))
    await until(page, lambda: page.dialog is not None)
    assert result.outcome in ("dialog", "loaded", "usable")
    assert page.dialog is not None
    assert page.dialog.message == "from far"
    await page.handle_dialog(True)
    assert await page.main_frame.children[0].call(QUERIED) is None


async def test_one_dialog_after_another(page: Page, site: Site) -> None:
    await page.navigate(site.url("/blank"))
    page.session.post("Runtime.evaluate", {"expression": "alert(1); alert(2); alert(3)"})
    for number in "123":
        await until(page, lambda: page.dialog is not None and page.dialog.message == number)  # noqa: B023
        await page.handle_dialog(True)
    assert await run(page, "1") == 1


# -- calls that must not hang --------------------------------------------------------------------------


async def test_an_endless_loop_is_ended_by_the_deadline(page: Page, site: Site) -> None:
    await page.navigate(site.url("/blank"))
    stuck = page.session.post("Runtime.evaluate", {"expression": "for (;;);"})
    with pytest.raises(CommandTimeout, match="script was busy, so it was ended"):
        await page.main_frame.call(QUERIED, timeout=0.5)
    with pytest.raises(ProtocolError, match="terminated"):
        await stuck.within(5)
    assert await page.main_frame.call(QUERIED) is None


async def test_a_loop_does_not_keep_the_page_from_leaving(page: Page, site: Site) -> None:
    await page.navigate(site.url("/blank"))
    page.session.post("Runtime.evaluate", {"expression": "for (;;);"})
    assert (await page.navigate(site.url("/"))).outcome == "loaded"


async def test_a_crash_fails_what_waits(page: Page, site: Site) -> None:
    await page.navigate(site.url("/blank"))
    waiting = page.session.post("Runtime.evaluate", {"expression": "new Promise(() => 0)", "awaitPromise": True})
    page.session.post("Page.crash")
    with pytest.raises(PageCrashed, match="Navigate or reload"):
        await page.guarded(waiting)
    with pytest.raises(PageCrashed):
        await page.main_frame.call(QUERIED)


async def test_a_page_that_just_goes_elsewhere_is_closed(host: BrowserHost, site: Site) -> None:
    for number in range(6):
        page = await host.new_page()
        await page.navigate(site.page("<h1>here</h1>"))
        page.session.post("Runtime.evaluate", {"expression": f"location.href = '{site.url(f'/hold/closing{number}')}'"})
        await site.requested(f"/hold/closing{number}")
        # Chrome says yes to who closes it now, and the document that takes over never hears of it.
        site.release(f"closing{number}")
        await page.close()
        assert page.closed is not None
        assert page.id not in host.pages
        targets = (await host.root.send("Target.getTargets"))["targetInfos"]
        assert page.target_id not in [target["targetId"] for target in targets]


async def test_closing_fails_what_waits(page: Page, site: Site) -> None:
    await page.navigate(site.url("/blank"))
    waiting = page.session.post("Runtime.evaluate", {"expression": "new Promise(() => 0)", "awaitPromise": True})
    await page.close()
    with pytest.raises(PageClosed):
        await page.guarded(waiting)
    await page.close()  # once more is no error


async def test_a_navigation_ends_a_call_with_a_clear_word(page: Page, site: Site) -> None:
    await page.navigate(site.url("/blank"))
    waiting = page.session.post("Runtime.evaluate", {"expression": "new Promise(() => 0)", "awaitPromise": True})
    navigation = asyncio.ensure_future(page.navigate(site.url("/", other=True)))
    with pytest.raises(DocumentReplaced):
        await page.main_frame.guarded(waiting)
    await navigation


async def test_what_happens_unwatched_is_told_by_the_next_action(page: Page, site: Site) -> None:
    later = site.url("/slow")
    await page.navigate(site.url("/blank"))
    await run(page, f"void setTimeout(() => location = {later!r}, 60)")
    await until(page, lambda: page.url == later)
    async with page.acting("script") as effect:
        pass
    assert effect.earlier == [f"The page navigated by itself to {later}."]
    assert effect.nothing_seen


# -- elements ------------------------------------------------------------------------------------------


async def test_elements_by_selector_and_uid(page: Page, site: Site) -> None:
    far = site.url("/frame", other=True)
    await page.navigate(
        site.page(
            "<button id=a>Save</button><button>Cancel order</button><div id=h></div><p style=display:none>Hidden</p>"
            "<script>h.attachShadow({mode: 'open'}).innerHTML = '<i id=deep>Deep</i>'</script>"
            f"<iframe src='{far}'></iframe>",
            path="/elements.html",
        )
    )
    for selector in ("css=#a", "text=save", "css=#deep", "text=Deep", "text=Frame button", "text=cancel", "e1"):
        if selector != "e1":
            element = await page.element(selector)
            assert element.label == selector
            await element.main_world_object()
            await element.release()
    with pytest.raises(ElementAmbiguous, match=r'matches 3 elements: uid=e(\d+) button#a "Save"') as ambiguous:
        await page.element("css=button")
    uid = str(ambiguous.value).split("uid=")[1].split()[0]
    element = await page.element(uid)
    assert element.label == uid
    assert (await page.element(f"uid={uid}")).label == uid
    for missing in ("css=#nowhere", "text=Hidden", "e987654321"):
        with pytest.raises(ElementNotFound):
            await page.element(missing)
    for bad in ("css=[[", "button", "", "xpath=//a"):
        with pytest.raises(InvalidInput):
            await page.element(bad)
    await run(page, "a.remove()")
    with pytest.raises(ElementGone, match="removed from the page"):
        await page.element(uid)
    await page.navigate(site.url("/blank"))
    with pytest.raises(ElementGone, match="has navigated"):
        await page.element(uid)


async def test_a_uid_of_another_page(page: Page, host: BrowserHost, site: Site) -> None:
    await page.navigate(site.page("<b>1</b><b>2</b>", path="/bs.html"))
    with pytest.raises(ElementAmbiguous) as ambiguous:
        await page.element("css=b")
    uid = str(ambiguous.value).split("uid=")[1].split()[0]
    other = await host.new_page()
    with pytest.raises(ElementNotFound, match=f"belongs to page {page.id}"):
        await other.element(uid)


# -- the browser ---------------------------------------------------------------------------------------


async def test_a_lost_browser_is_started_again_once(site: Site, browser_options: object) -> None:
    import os
    import signal

    host = BrowserHost(browser_options)  # type: ignore[arg-type]
    assert await host.ensure_running() is False
    try:
        first = set(host.pages)
        page = next(iter(host.pages.values()))
        assert isinstance(host._browser, ChromeProcess)
        os.kill(host._browser.pid, signal.SIGKILL)
        await until(page, lambda: page.closed is not None)
        with pytest.raises(PageClosed, match="Chrome ended"):
            await page.navigate(site.url("/blank"))
        assert sorted(await asyncio.gather(*(host.ensure_running() for _ in range(5)))) == [False] * 4 + [True]
        assert host.generation == 2
        assert host.pages
        assert not first & set(host.pages)
        again = next(iter(host.pages.values()))
        assert (await again.navigate(site.url("/blank"))).outcome == "loaded"
    finally:
        await host.close()


async def test_headless_pages_have_a_usual_size(page: Page) -> None:
    assert await run(page, "[innerWidth, innerHeight]") == [1280, 720]


async def test_a_request_whose_body_nobody_reads_is_not_waited_for(
    page: Page, site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(settle, "REQUESTS", 3600)
    await page.navigate(site.url("/blank"))
    async with asyncio.timeout(30), page.acting("script"):
        await run(page, "void fetch('/json?unread')")
    assert [r.url for r in page.loads.in_flight.values()] == [site.url("/json?unread")]


async def test_a_crashed_frame_is_told_at_once_and_the_page_goes_on(page: Page, site: Site) -> None:
    url = site.page(
        f"<button>Here</button><iframe src='{site.url('/frame', other=True)}'></iframe>", path="/frame-crash.html"
    )
    await page.navigate(url)
    frame = page.main_frame.children[0]
    frame.session.post("Page.crash")
    assert await page.loads.wait(lambda: frame.is_crashed, 10)
    async with asyncio.timeout(5):
        with pytest.raises(PageCrashed, match="frame's process"):
            await frame.call(QUERIED)
        assert (await page.element("text=Here")).frame is page.main_frame
    await page.reload()
    assert await page.main_frame.children[0].call(QUERIED) is None


async def test_an_open_devtools_window_is_noticed_and_is_no_page(page: Page, host: BrowserHost, site: Site) -> None:
    await page.navigate(site.url("/blank"))
    before = set(host.pages)
    await host.devtools.notice()
    assert not page.has_devtools
    window = (await host.root.send("Target.openDevTools", {"targetId": page.target_id}))["targetId"]
    async with asyncio.timeout(10):
        while not page.has_devtools:  # its window gets its address a moment after it is made
            await host.devtools.notice()
            await host.root.send("Browser.getVersion")
    assert [p for p in host.pages.values() if p.has_devtools] == [page]
    assert set(host.pages) == before
    await host.root.send("Target.closeTarget", {"targetId": window})
    async with asyncio.timeout(10):
        while page.has_devtools:
            await host.devtools.notice()
            await host.root.send("Browser.getVersion")
