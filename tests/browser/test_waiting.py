"""Waiting: for what comes, for what goes, in frames and shadow roots, across navigations; and for what never comes."""

from __future__ import annotations

import asyncio

import pytest

from pagelens.browser.evaluate import evaluate
from pagelens.browser.page import Page
from pagelens.browser.waiting import Condition, ElementState, WaitReport, wait_for
from pagelens.errors import (
    DialogOpen,
    ElementGone,
    ElementNotFound,
    InvalidInput,
    PageClosed,
    PageCrashed,
    ScriptFailed,
    WaitTimeout,
)
from tests.support.site import Site

#: No test begins with what is in the page: they open documents of their own.
REUSES_PAGE = "as it is"

#: Long enough for everything here; reached only by a wait that fails.
LONG = 15.0
#: For what never comes.
SHORT = 0.3


def text(*texts: str) -> Condition:
    return Condition(text=texts)


def element(target: str, state: ElementState) -> Condition:
    return Condition(target=target, state=state)


async def run(page: Page, script: str) -> None:
    await evaluate(page, script, kind="script")


async def waiting(page: Page, condition: Condition, *, until: str) -> WaitReport:
    """Start to wait, make sure that it does, run the script that makes the condition true."""
    async with asyncio.TaskGroup() as group:
        task = group.create_task(wait_for(page, condition, LONG))
        with pytest.raises(WaitTimeout):
            await wait_for(page, condition, 0.05)
        assert not task.done()
        await run(page, until)
    return task.result()


# -- text ------------------------------------------------------------------------------------------------


async def test_text_that_is_there_already(page: Page, site: Site) -> None:
    await page.navigate(site.page("<p>Not this<p>Hello <b>wide</b>\n world</p>"))
    report = await wait_for(page, text("Nothing", "hello WIDE world"))
    assert report.text == "hello WIDE world"
    assert report.found == (f'"hello WIDE world" was there already: uid={report.uids[0]} <p> "Hello wide world".',)
    found = await page.element(report.uids[0])
    assert await found.uid_number() == int(report.uids[0][1:])


async def test_text_that_comes(page: Page, site: Site) -> None:
    await page.navigate(site.page("<p id=p>Loading</p>"))
    report = await waiting(page, text("Ready", "Failed"), until="p.textContent = 'It failed'")
    assert report.text == "Failed"
    assert '"Failed" appeared: uid=e' in report.found[0]


@pytest.mark.parametrize(
    ("before", "script"),
    [
        ("<p id=p hidden>Ready now</p>", "p.hidden = false"),
        ("<p id=p style='visibility:hidden'>Ready now</p>", "p.style.visibility = ''"),
        ("<p id=p style='opacity:0'>Ready now</p>", "p.style.opacity = 1"),
        ("<style id=s>p {display: none}</style><p>Ready now</p>", "s.disabled = true"),
        ("<details id=d><summary>More</summary><p>Ready now</p></details>", "d.open = true"),
        ("<script id=p>'Ready now'</script><div id=d></div>", "d.append('Ready now')"),
        ("<input id=i type=password value='Ready now'>", "i.type = 'text'"),
        ("<input id=i>", "i.value = 'Ready now'"),
        ("<input id=i placeholder='Ready now' value=x>", "i.value = ''"),
        ("<img id=i>", "i.alt = 'Ready now'"),
        ("<div id=h></div>", "h.attachShadow({mode: 'open'}).innerHTML = '<p>Ready now</p>'"),
        ("<iframe id=f></iframe>", "f.contentDocument.body.textContent = 'Ready now'"),
        ("<div>", "document.body.innerHTML = '<div>Ready</div><div>now</div>'"),
        ("<p style='opacity:0'>Ready now</p><p id=p></p>", "p.textContent = 'Ready now'"),
    ],
)
async def test_only_what_is_visible_counts(page: Page, site: Site, before: str, script: str) -> None:
    await page.navigate(site.page(before))
    assert (await waiting(page, text("ready now"), until=script)).text == "ready now"


async def test_text_in_a_frame_of_another_site(page: Page, site: Site) -> None:
    inner = site.page("<p id=p>…</p><script>setTimeout(() => p.textContent = 'Inside', 300)</script>", other=True)
    await page.navigate(site.page("<div id=d></div>"))
    report = await waiting(page, text("Inside"), until=f"d.innerHTML = '<iframe src={inner}></iframe>'")
    assert (await page.element(report.uids[0])).frame.url == inner


async def test_a_wait_survives_navigations(page: Page, site: Site) -> None:
    last = site.page("<p>Arrived</p>", other=True)
    middle = site.page(f"<p>Passing</p><script>setTimeout(() => location = '{last}', 50)</script>")
    await page.navigate(site.page("<p>Start</p>"))
    report = await waiting(page, text("Arrived"), until=f"setTimeout(() => location = '{middle}')")
    assert page.url == last
    assert "appeared" in report.found[0]


async def test_a_timeout_says_what_is_there_instead(page: Page, site: Site) -> None:
    await page.navigate(site.page("<h1>Order 17</h1><p>Payment accepted</p><p id=x hidden>Thank you, Ann</p>"))
    with pytest.raises(WaitTimeout, match=r'the text "Payment acceptd".*nearest .*: "Payment accepted"'):
        await wait_for(page, text("Payment acceptd"), SHORT)
    with pytest.raises(WaitTimeout, match=r"but hidden: uid=e\d+ <p#x>.*: it has display: none"):
        await wait_for(page, text("Thank you"), SHORT)
    with pytest.raises(WaitTimeout, match=r'begins with "Order 17 · Payment accepted"'):
        await wait_for(page, text("Zebra"), SHORT)


async def test_text_that_goes(page: Page, site: Site) -> None:
    await page.navigate(site.page("<p id=p>Loading…</p><iframe srcdoc='<p>Loading…</p>'></iframe>"))
    script = "p.remove(); setTimeout(() => frames[0].document.body.textContent = 'Done', 100)"
    report = await waiting(page, Condition(text_gone=("Loading…", "Saving…")), until=script)
    assert report.found == ('the text "Loading…" or "Saving…" is gone.',)
    assert "was not there" in (await wait_for(page, Condition(text_gone=("Loading…",)))).found[0]


async def test_a_wait_that_is_cancelled_leaves_nothing_in_the_page(page: Page, site: Site) -> None:
    await page.navigate(site.page("<p>Start</p>"))
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.3):
            await wait_for(page, text("Never"), LONG)
    context = await page.main_frame.isolated_context()
    left = await page.session.send(
        "Runtime.evaluate", {"expression": "__pagelens.waits.size", "contextId": context, "returnByValue": True}
    )
    assert left["result"]["value"] == 0


async def test_a_page_that_changes_all_the_time(page: Page, site: Site) -> None:
    ticking = "<p id=n></p><script>setInterval(() => n.textContent = performance.now(), 1)</script>"
    await page.navigate(site.page(ticking + "<p id=p></p>"))
    assert (await waiting(page, text("Ready"), until="p.textContent = 'Ready'")).text == "Ready"


# -- elements --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("target", ["css=#b", "text=Save", "uid"])
@pytest.mark.parametrize(
    ("state", "before", "script"),
    [
        ("visible", "<button id=b hidden>Save</button>", "b.hidden = false"),
        ("hidden", "<button id=b>Save</button>", "b.style.visibility = 'hidden'"),
        ("hidden", "<button id=b>Save</button>", "b.remove()"),
        ("enabled", "<button id=b disabled>Save</button>", "b.disabled = false"),
        ("enabled", "<button id=b aria-disabled=true>Save</button>", "b.ariaDisabled = 'false'"),
        ("disabled", "<fieldset id=f><button id=b>Save</button></fieldset>", "f.disabled = true"),
        ("gone", "<button id=b>Save</button>", "b.remove()"),
    ],
)
async def test_states(page: Page, site: Site, target: str, state: ElementState, before: str, script: str) -> None:
    await page.navigate(site.page(before))
    if target == "uid":
        target = f"e{await (await page.element('css=#b')).uid_number()}"
    report = await waiting(page, element(target, state), until=script)
    assert report.found[0].startswith(f"{target} is now {state}")
    assert bool(report.uids) == (state not in ("hidden", "gone"))


async def test_an_element_that_comes(page: Page, site: Site) -> None:
    await page.navigate(site.page("<div id=d></div>"))
    await waiting(page, element("css=.new", "attached"), until="d.innerHTML = '<i class=new></i>'")
    with pytest.raises(WaitTimeout, match=r"uid=e\d+ <i.new> is without a size"):
        await wait_for(page, element("css=.new", "visible"), SHORT)
    with pytest.raises(WaitTimeout, match="There is no such element"):
        await wait_for(page, element("css=.newer", "visible"), SHORT)


async def test_a_uid_whose_element_is_gone(page: Page, site: Site) -> None:
    await page.navigate(site.page("<button id=b disabled>Save</button>"))
    uid = f"e{await (await page.element('css=#b')).uid_number()}"
    async with asyncio.TaskGroup() as group:
        task = group.create_task(_error(page, element(uid, "enabled")))
        await run(page, "setTimeout(() => b.outerHTML = '<button>Save</button>', 100)")
    assert isinstance(task.result(), ElementGone)
    await page.navigate(site.page("<p>Other"))
    assert isinstance(await _error(page, element(uid, "visible")), ElementGone)
    assert "gone with its document" in (await wait_for(page, element(uid, "gone"))).found[0]
    assert isinstance(await _error(page, element("e999999", "gone")), ElementNotFound)


async def _error(page: Page, condition: Condition) -> Exception:
    with pytest.raises(Exception) as caught:  # noqa: PT011  # its class is what is looked at
        await wait_for(page, condition, LONG)
    return caught.value


# -- addresses, requests, functions ----------------------------------------------------------------------


@pytest.mark.parametrize("pattern", ["step=2", "*/?step=2", "http://127.0.0.1:*step=2"])
async def test_addresses(page: Page, site: Site, pattern: str) -> None:
    await page.navigate(site.url("/"))
    report = await waiting(page, Condition(url=pattern), until="history.pushState(0, '', '/?step=2')")
    assert report.found == (f"The address is now {site.url('/', step=2)}.",)
    await page.navigate(site.url("/"))
    await waiting(page, Condition(url=pattern), until=f"setTimeout(() => location = '{site.url('/', step=2)}')")
    with pytest.raises(WaitTimeout, match="The page is at http"):
        await wait_for(page, Condition(url="*step=3*"), SHORT)
    with pytest.raises(WaitTimeout):
        await wait_for(page, Condition(url="*step"), SHORT)  # with a star, all of it must match


async def test_requests(page: Page, site: Site) -> None:
    await page.navigate(site.page("<p>Shop"))
    wanted = Condition(request="/json?ms=")
    report = await waiting(page, wanted, until="fetch('/json?ms=100').then(r => r.text())")
    assert report.found == (f"The request {site.url('/json', ms=100)} ended with 200.",)
    # One that has ended since the page began to load counts, and is told apart.
    assert "had ended with 200" in (await wait_for(page, wanted)).found[0]
    await page.navigate(site.page("<p>Next"))
    with pytest.raises(WaitTimeout, match="No such request was sent"):
        await wait_for(page, wanted, SHORT)
    failed = await waiting(page, Condition(request="*/reset"), until="fetch('/reset').catch(() => 0)")
    assert "failed (net::ERR_" in failed.found[0]
    await run(page, "void fetch('/hold/wait').then(r => r.text())")
    with pytest.raises(WaitTimeout, match="/hold/wait was sent and has no answer yet"):
        await wait_for(page, Condition(request="/hold/wait"), SHORT)
    site.release("wait")
    assert "ended with 200" in (await wait_for(page, Condition(request="/hold/wait"), LONG)).found[0]
    redirected = await waiting(page, Condition(request="/redirect"), until="fetch('/redirect?to=/json')")
    assert "ended with 302" in redirected.found[0]


async def test_a_request_whose_body_nobody_reads(page: Page, site: Site) -> None:
    await page.navigate(site.page("<p>Shop"))
    report = await waiting(page, Condition(request="/events"), until="void fetch('/events?n=1000&ms=100')")
    assert "was answered with 200 and stays open" in report.found[0]


@pytest.mark.parametrize(
    "function", ["() => window.ready", "async () => window.ready", "function () { return ready }", "window.ready"]
)
async def test_functions(page: Page, site: Site, function: str) -> None:
    await page.navigate(site.page("<p>Start"))
    report = await waiting(page, Condition(function=function), until="window.ready = 'yes'")
    assert report.found == ('The function returned "yes".',)
    # It goes on in the next document.
    other = site.page("<script>setTimeout(() => ready = 2, 100)</script>")
    await page.navigate(site.page("<p>Start"))
    report = await waiting(page, Condition(function=function), until=f"setTimeout(() => location = '{other}')")
    assert report.found == ("The function returned 2.",)


async def test_functions_that_do_not_come_true(page: Page, site: Site) -> None:
    await page.navigate(site.page("<p>Start"))
    with pytest.raises(WaitTimeout, match="It threw TypeError: Cannot read"):
        await wait_for(page, Condition(function="() => document.querySelector('#no').value"), SHORT)
    with pytest.raises(WaitTimeout, match="It returned 0"):
        await wait_for(page, Condition(function="() => 0"), SHORT)
    with pytest.raises(WaitTimeout, match="It has not returned"):
        await wait_for(page, Condition(function="() => new Promise(() => {})"), SHORT)
    with pytest.raises(WaitTimeout, match="did not come to an end, and was ended"):
        await wait_for(page, Condition(function="() => { for (;;) ; }"), SHORT)
    with pytest.raises(ScriptFailed, match="does not compile"):
        await wait_for(page, Condition(function="() => {{"), SHORT)
    await wait_for(page, text("Start"))


async def test_a_page_that_has_taken_the_clocks(page: Page, site: Site) -> None:
    await page.navigate(site.page("<script>setTimeout = requestAnimationFrame = () => 0</script><p>Start"))
    report = await waiting(page, Condition(function="() => window.ready"), until="window.ready = 1")
    assert report.found == ("The function returned 1.",)


# -- several, none, and the end --------------------------------------------------------------------------


async def test_several_conditions_hold_at_the_same_time(page: Page, site: Site) -> None:
    await page.navigate(site.page("<p id=p>Loading</p><button id=b disabled>Go</button>"))
    both = Condition(text=("Ready",), text_gone=("Loading",), target="css=#b", state="enabled", url="*.html")
    script = "p.textContent = 'Ready'; setTimeout(() => { b.disabled = false }, 100)"
    report = await waiting(page, both, until=script)
    assert len(report.found) == 4
    assert report.text == "Ready"
    assert len(report.uids) == 2


@pytest.mark.parametrize(
    "nonsense",
    [
        Condition(),
        text(" "),
        Condition(state="visible"),
        element("Save", "visible"),
        element("css=..", "visible"),
        Condition(url=""),
    ],
)
async def test_nothing_that_could_come_true(page: Page, nonsense: Condition) -> None:
    with pytest.raises(InvalidInput):
        await wait_for(page, nonsense)


async def test_what_ends_a_wait(page: Page, site: Site) -> None:
    await page.navigate(site.page("<p>Start"))
    for script, kind, words in (
        ("setTimeout(() => alert('Stop'))", DialogOpen, r'The wait for the text "Never" ended after .*alert "Stop"'),
        ("Page.crash", PageCrashed, "ended after .* crashed"),
        ("close", PageClosed, "ended after .* is closed"),
    ):
        async with asyncio.TaskGroup() as group:
            task = group.create_task(_error(page, text("Never")))
            with pytest.raises(WaitTimeout):
                await wait_for(page, text("Never"), 0.05)
            if script == "close":
                await page.close()
            elif script == "Page.crash":
                page.session.post(script)
            else:
                await run(page, script)
        error = task.result()
        assert isinstance(error, kind)
        with pytest.raises(kind, match=words):
            raise error
        if page.dialog is not None:
            await page.handle_dialog(True)
        if page.is_crashed:
            await page.navigate(site.page("<p>Start"))


async def test_a_busy_page_is_left_at_work(page: Page, site: Site) -> None:
    await page.navigate(site.page("<p id=p>Start</p>"))
    await wait_for(page, text("Start"))
    busy = "const r = new XMLHttpRequest(); r.open('GET', '/hold/busy', false); r.send(); p.textContent = 'Done'"
    await run(page, f"setTimeout(() => {{ {busy} }})")
    with pytest.raises(WaitTimeout, match="does not answer"):
        await wait_for(page, text("Done"), SHORT)
    site.release("busy")
    assert (await wait_for(page, text("Done"), LONG)).text == "Done"


async def test_an_address_is_known_behind_a_dialog(page: Page, site: Site) -> None:
    await page.navigate(site.page("<p>Start"))
    await run(page, "setTimeout(() => { location.hash = 'b'; alert(1) })")
    report = await wait_for(page, Condition(url="#b"), LONG)
    assert report.found[0].endswith("#b.")
    await page.loads.wait(lambda: page.dialog is not None, LONG)
    await page.handle_dialog(True)
