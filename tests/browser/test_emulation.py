"""What a page is made to believe: seen by its scripts and by the server, wherever it runs, for as long as it holds."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from pagelens.browser.emulated import NETWORKS, NOTHING, Emulated, Geolocation, Viewport
from pagelens.browser.frame import Frame
from pagelens.browser.host import BrowserHost
from pagelens.browser.network_rules import UNTHROTTLED
from pagelens.browser.page import Page
from pagelens.cdp.connection import Connection
from pagelens.core.options import Options
from pagelens.errors import CommandTimeout, DialogOpen, EmulationFailed, InvalidInput, PageCrashed
from tests.support.running_chrome import Relay, RunningChrome
from tests.support.site import Request, Response, Site

AGENT = (
    "Mozilla/5.0 (Linux; Android 14; Pixel 8) AppleWebKit/537.36 (KHTML, like Gecko) "
    "Chrome/130.0.0.0 Mobile Safari/537.36"
)
ALL: dict[str, Any] = {
    "network": "Fast 4G",
    "cpu_throttling_rate": 2,
    "geolocation": Geolocation(52.52, 13.405),
    "user_agent": AGENT,
    "color_scheme": "dark",
    "forced_colors": "active",
    "prefers_contrast": "more",
    "prefers_reduced_motion": "reduce",
    "viewport": Viewport(390, 844, 3, mobile=True, touch=True),
    "headers": {"X-One": "1", "Authorization": "Bearer secret"},
}
#: What scripts can see of all that, in every document.
SEEN = """
{ const has = (query) => matchMedia(query).matches;
globalThis.seen = {
  agent: navigator.userAgent, platform: navigator.platform, brands: navigator.userAgentData.brands.map(b => b.brand),
  os: navigator.userAgentData.platform, mobile: navigator.userAgentData.mobile,
  dark: has('(prefers-color-scheme: dark)'), forced: has('(forced-colors: active)'),
  contrast: has('(prefers-contrast: more)'), still: has('(prefers-reduced-motion: reduce)'),
  coarse: has('(pointer: coarse)'), touch: 'ontouchstart' in window, points: navigator.maxTouchPoints,
  online: navigator.onLine,
};
globalThis.display = [innerWidth, innerHeight, devicePixelRatio, screen.width, screen.orientation.type]; }
"""
BELIEVED: dict[str, Any] = {
    "agent": AGENT,
    "platform": "Linux armv8l",
    "os": "Android",
    "mobile": True,
    "dark": True,
    "forced": True,
    "contrast": True,
    "still": True,
    "coarse": True,
    "touch": True,
    "points": 5,
    "online": True,
}
DISPLAY = [390, 844, 3, 390, "portrait-primary"]
PLACE = """new Promise(r => navigator.geolocation.getCurrentPosition(
  (p) => r([p.coords.latitude, p.coords.longitude]), (e) => r(`error ${e.code}`)))"""
META = "<meta name=viewport content='width=device-width'>"


#: Resetting these stands for all in `make test`: one each of what Chrome, the network and the page are told.
QUICK = ("viewport", "headers", "geolocation")
#: A page is usable before its frames have come to their scripts.
ONCE_SEEN = "new Promise(done => { const look = () => globalThis.seen ? done(seen) : setTimeout(look, 20); look() })"


async def value(place: Page | Frame, expression: str) -> Any:
    """What a script returns in a page or in one of its frames, promises awaited."""
    frame = place.main_frame if isinstance(place, Page) else place
    params = {"expression": expression, "awaitPromise": True, "returnByValue": True, "userGesture": True}
    if frame.main_context is not None:
        params["contextId"] = frame.main_context
    answer = await frame.session.send("Runtime.evaluate", params, timeout=60)
    assert "exceptionDetails" not in answer, answer
    return answer["result"].get("value")


def frame_of(page: Page) -> Frame:
    """The page's one frame."""
    (frame,) = (frame for frame in page.frames.values() if not frame.is_main)
    return frame


async def check_scripts(place: Page | Frame) -> None:
    """All settings are seen by the scripts of a document, from the first one on."""
    seen = await value(place, "seen")
    brands = seen.pop("brands")
    assert seen == BELIEVED
    assert {"Chromium", "Google Chrome"} < set(brands)
    if isinstance(place, Page):
        assert await value(place, "display") == DISPLAY


def check_server(request: Request) -> None:
    """The server was told so as well."""
    headers = request.headers
    assert headers["user-agent"] == AGENT, request.target
    assert headers["x-one"] == "1", request.target
    assert headers["authorization"] == "Bearer secret", request.target
    if "sec-ch-ua" in headers:  # workers send none
        assert '"Google Chrome";v="130"' in headers["sec-ch-ua"]
        assert headers["sec-ch-ua-mobile"] == "?1"
        assert headers["sec-ch-ua-platform"] == '"Android"'


def check_plain(request: Request) -> None:
    """Nothing is emulated that the server would notice."""
    assert "Pixel" not in request.headers["user-agent"]
    assert "x-one" not in request.headers
    assert "authorization" not in request.headers


@pytest.fixture
def app(site: Site) -> str:
    """A page with a frame of another site, which looks at everything at once."""
    site.page(f"{META}<script>{SEEN}</script><p>inner", path="/emulated/inner")
    return site.page(
        f"{META}<script>{SEEN}</script><iframe src={site.other_origin}/emulated/inner allow=geolocation></iframe>",
        path="/emulated/page",
    )


# -- where it holds ------------------------------------------------------------------------------------


async def test_all_of_it_holds_in_page_and_frame_over_navigations(page: Page, site: Site, app: str) -> None:
    await page.emulation.change(ALL)
    for step in (
        lambda: page.navigate(app),
        page.reload,
        lambda: page.navigate(site.other(app)),  # another process
        lambda: page.navigate(app),
        page.go_back,
    ):
        site.forget()
        await step()
        await check_scripts(page)
        await check_scripts(frame_of(page))
        for request in [*site.seen("/emulated/page"), *site.seen("/emulated/inner")]:
            check_server(request)
        assert await value(page, PLACE) == [52.52, 13.405]
        assert await value(frame_of(page), PLACE) == [52.52, 13.405]


async def test_it_is_seen_by_a_page_that_is_open_already(page: Page, app: str) -> None:
    await page.navigate(app)
    assert (await value(page, "seen"))["dark"] is False
    notes = await page.emulation.change(ALL)
    assert notes == [
        "What is open was loaded before: reload the page if it should know of the touch screen and the user agent and "
        "the headers."
    ]
    for place in (page, frame_of(page)):
        await value(place, SEEN + ";0")
        seen = await value(place, "seen")
        del seen["brands"]
        assert seen == {**BELIEVED, "touch": False}
    assert await value(page, "display") == DISPLAY


async def test_workers(page: Page, site: Site, app: str) -> None:
    script = "postMessage([navigator.userAgent, navigator.onLine]); fetch('/emulated/from-worker'); "
    site.route(
        "/emulated/worker.js",
        lambda _: Response(
            script + "importScripts('/emulated/import.js'); new Worker('/emulated/nested.js')",
            content_type="text/javascript",
        ),
    )
    site.route("/emulated/import.js", lambda _: Response("0", content_type="text/javascript"))
    site.route(
        "/emulated/nested.js", lambda _: Response("fetch('/emulated/from-nested')", content_type="text/javascript")
    )
    await page.emulation.change(ALL)
    await page.navigate(app)
    start = "new Promise(r => { globalThis.w = new Worker('/emulated/worker.js'); w.onmessage = (e) => r(e.data) })"
    assert await value(page, start) == [AGENT, True]
    for name in ("worker.js", "import.js", "from-worker", "from-nested"):
        check_server(await site.requested(f"/emulated/{name}"))


@pytest.mark.long  # a worker that has read its user agent keeps it, and one that has just begun may miss the change
async def test_a_worker_that_runs_already_hears_of_it(page: Page, site: Site) -> None:
    body = "onmessage = () => fetch('/emulated/again').then(() => postMessage(navigator.userAgent))"
    site.route("/emulated/waiting.js", lambda _: Response(body, content_type="text/javascript"))
    await page.navigate(site.url("/blank"))
    await value(page, "new Promise(r => { globalThis.w = new Worker('/emulated/waiting.js'); r() })")
    await page.emulation.change({"user_agent": AGENT, "headers": ALL["headers"]})
    ask = "new Promise(r => { w.onmessage = (e) => r(e.data); w.postMessage(0) })"
    assert await value(page, ask) == AGENT
    check_server(site.seen("/emulated/again")[-1])


async def test_a_frame_that_never_yields_keeps_nobody_waiting(page: Page, site: Site) -> None:
    begun = "const said = new XMLHttpRequest(); said.open('GET', '/emulated/begun', false); said.send();"
    site.page(f"<script>onmessage = () => {{ {begun} for (;;); }}</script>", path="/emulated/busy")
    await page.navigate(site.page("<iframe src={other}/emulated/busy></iframe>"))
    site.forget()
    await value(page, "frames[0].postMessage(0, '*')")
    await site.requested("/emulated/begun")
    notes = await page.emulation.change({"color_scheme": "dark"})
    assert notes == ["Of its frames and workers, 1 did not answer yet: it holds there as soon as they do."]
    assert page.emulation.settings.color_scheme == "dark"
    frame_of(page).session.post("Runtime.terminateExecution")
    assert await value(frame_of(page), "matchMedia('(prefers-color-scheme: dark)').matches")


async def test_shared_workers_belong_to_no_page(page: Page, site: Site, app: str) -> None:
    """What they fetch is nobody's page: it is as Chrome has it."""
    site.route(
        "/emulated/shared.js",
        lambda _: Response("fetch('/emulated/from-shared')", content_type="text/javascript"),
    )
    await page.emulation.change(ALL)
    await page.navigate(app)
    await value(page, "new SharedWorker('/emulated/shared.js').port.start()")
    check_plain(await site.requested("/emulated/from-shared"))


@pytest.mark.parametrize(
    "how",
    [
        "open('/emulated/popup', '_blank', 'noopener')",
        "open('about:blank').location = '/emulated/popup'",
        pytest.param("open('/emulated/popup')", marks=pytest.mark.long),
        pytest.param("open('/emulated/popup', 'small', 'width=300,height=200')", marks=pytest.mark.long),
        pytest.param(
            "Object.assign(document.createElement('a'), {href: '/emulated/popup', target: '_blank'}).click()",
            marks=pytest.mark.long,
        ),
    ],
)
async def test_a_popup_has_it_before_its_first_request(
    host: BrowserHost, page: Page, site: Site, app: str, how: str
) -> None:
    site.page(f"{META}<script>{SEEN}</script><iframe src={app}></iframe>", path="/emulated/popup")
    await page.emulation.change(ALL)
    await page.navigate(app)
    site.forget()
    async with page.acting("script") as effect:
        await value(page, how + ";0")
    (popup,) = effect.new_pages
    await site.requested("/emulated/popup")
    await popup.loads.wait(lambda: "load" in popup.loads.of(popup.main_frame.id).milestones and popup.url != "", 10)
    await popup.loads.wait(lambda: popup.url.endswith("/popup"), 10)
    check_server(site.seen("/emulated/popup")[0])
    await value(popup, "new Promise(r => document.readyState === 'complete' ? r() : onload = () => r())")
    await check_scripts(popup)
    assert await value(popup, PLACE) == [52.52, 13.405]
    assert host.rules.conditions_of(popup) == NETWORKS["Fast 4G"]

    # From now on the two go their own ways.
    await page.emulation.change({"color_scheme": None})
    await popup.emulation.change({"user_agent": None})
    assert await value(popup, "matchMedia('(prefers-color-scheme: dark)').matches")
    assert await value(page, "navigator.userAgent") == AGENT
    assert await value(popup, "navigator.userAgent") != AGENT


async def test_other_pages_are_told_nothing(host: BrowserHost, page: Page, site: Site, app: str) -> None:
    await page.emulation.change(ALL)
    await page.navigate(app)
    other = await host.new_page()
    site.forget()
    await other.navigate(app)
    assert other.emulation.settings == NOTHING
    for request in (site.seen("/emulated/page")[0], site.seen("/emulated/inner")[0]):
        check_plain(request)
    seen = await value(other, "seen")
    assert not any(seen[name] for name in ("dark", "forced", "contrast", "still", "coarse", "mobile"))
    assert await value(other, "display") == [1280, 720, 1, 1920, "landscape-primary"]


async def test_it_outlives_a_crash(page: Page, app: str) -> None:
    await page.emulation.change(ALL)
    await page.navigate(app)
    page.session.post("Page.crash")
    await page.loads.wait(lambda: page.is_crashed, 10)
    with pytest.raises(PageCrashed):
        await page.emulation.change({"color_scheme": None})
    await page.navigate(app)
    await check_scripts(page)
    await check_scripts(frame_of(page))
    assert await value(page, PLACE) == [52.52, 13.405]


async def test_it_outlives_a_lost_connection(site: Site, app: str) -> None:
    """In a browser of somebody else, where everything ends with the connection; and for popups there."""
    site.page(f"{META}<script>{SEEN}</script>", path="/emulated/popup")
    async with RunningChrome() as chrome, Relay(chrome.port) as relay:
        host = BrowserHost(Options(browser_url=relay.url))
        await host.ensure_running()
        page = await host.new_page()
        await page.emulation.change(ALL)
        await page.navigate(app)
        relay.cut()
        await page.loads.wait(lambda: page.is_asleep, 10)
        await host.ensure_running()
        await page.ready()
        site.forget()
        await page.reload()
        check_server(site.seen("/emulated/page")[0])
        await check_scripts(page)
        await check_scripts(frame_of(page))
        assert await value(page, PLACE) == [52.52, 13.405]
        await page.emulation.change({"color_scheme": "light"})
        assert await value(page, "matchMedia('(prefers-color-scheme: light)').matches")
        async with page.acting("script") as effect:
            await value(page, "open('/emulated/popup'); 0")
        check_server(await site.requested("/emulated/popup"))
        await effect.new_pages[0].ready()
        await host.close()


# -- a patch -------------------------------------------------------------------------------------------


async def test_what_is_not_named_stays(page: Page, app: str) -> None:
    """Field report 90: a mobile viewport, then the colour scheme alone."""
    await page.navigate(app)
    await page.emulation.change({"viewport": Viewport(390, 844, 3, mobile=True)})
    await page.emulation.change({"color_scheme": "dark"})
    await page.emulation.change({"prefers_reduced_motion": "reduce"})
    await page.emulation.change({"user_agent": AGENT})
    assert await value(page, "[innerWidth, devicePixelRatio]") == [390, 3]
    await value(page, SEEN)
    seen = await value(page, "seen")
    assert (seen["dark"], seen["still"], seen["agent"]) == (True, True, AGENT)


@pytest.mark.parametrize("name", [one if one in QUICK else pytest.param(one, marks=pytest.mark.long) for one in ALL])
async def test_each_is_reset_alone(host: BrowserHost, page: Page, site: Site, app: str, name: str) -> None:
    await page.emulation.change(ALL)
    await page.navigate(app)
    await page.emulation.change({name: None})
    default = getattr(NOTHING, name)
    assert page.emulation.settings == Emulated(**{**ALL, name: default})
    site.forget()
    await page.navigate(site.other(app))
    await page.navigate(app)
    request = site.seen("/emulated/page")[-1]
    inner = site.seen("/emulated/inner")[-1]
    seen, framed = await value(page, "seen"), await value(frame_of(page), ONCE_SEEN)
    place = await value(page, PLACE)
    display = await value(page, "display")
    assert (request.headers["user-agent"] == AGENT) == (name != "user_agent")
    assert (inner.headers["user-agent"] == AGENT) == (name != "user_agent")
    assert ("Android" in request.headers["sec-ch-ua-platform"]) == (name != "user_agent")
    assert ("x-one" in request.headers) == ("x-one" in inner.headers) == (name != "headers")
    assert (place == [52.52, 13.405]) == (name != "geolocation")
    assert name != "geolocation" or place == "error 1"  # the permission is gone, too
    assert (display == DISPLAY) == (name != "viewport")
    assert (host.rules.conditions_of(page) == UNTHROTTLED) == (name == "network")
    for who in (seen, framed):
        assert who["dark"] == (name != "color_scheme")
        assert who["forced"] == (name != "forced_colors")
        assert who["contrast"] == (name != "prefers_contrast")
        assert who["still"] == (name != "prefers_reduced_motion")
        assert who["coarse"] == who["touch"] == (name != "viewport")
        assert (who["agent"] == AGENT) == who["mobile"] == (name != "user_agent")
        assert who["brands"]


async def test_nothing_is_changed_when_one_value_can_t_be(page: Page, app: str) -> None:
    await page.navigate(app)
    with pytest.raises(InvalidInput):
        await page.emulation.change({"color_scheme": "dark", "cpu_throttling_rate": 99})
    assert page.emulation.settings == NOTHING
    await value(page, SEEN)
    assert (await value(page, "seen"))["dark"] is False


async def test_what_chrome_refuses_is_named_and_the_rest_holds(
    page: Page, app: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    await page.navigate(app)
    await page.emulation.change({"user_agent": "Before/1"})
    monkeypatch.setattr(
        "pagelens.browser.emulation.override_for", lambda text, product: {"userAgent": text + "\n", "platform": ""}
    )
    with pytest.raises(EmulationFailed) as caught:
        await page.emulation.change({"user_agent": AGENT, "color_scheme": "dark", "viewport": Viewport(500, 400)})
    assert caught.value.message.startswith("Not applied: user agent (Chrome refused Emulation.setUserAgentOverride")
    assert caught.value.hint == "Applied all the same: media features, viewport."
    assert page.emulation.settings == Emulated(user_agent="Before/1", color_scheme="dark", viewport=Viewport(500, 400))
    assert await value(page, "[navigator.userAgent, innerWidth]") == ["Before/1", 500]


async def test_behind_a_dialog_nothing_is_changed(page: Page, site: Site) -> None:
    await page.navigate(site.page("<script>setTimeout(() => alert('here'), 0)</script>"))
    await page.loads.wait(lambda: page.dialog is not None, 10)
    with pytest.raises(DialogOpen):
        await page.emulation.change({"color_scheme": "dark"})
    assert page.emulation.settings == NOTHING
    await page.handle_dialog(True)


@pytest.mark.parametrize("other", [False, True])
async def test_a_page_that_is_between_two_documents(page: Page, site: Site, other: bool) -> None:
    """Chrome keeps nearly everything until the next document is there: nobody waits for that, nor is it lost."""
    key = f"emulated{other}"
    await page.navigate(site.url("/blank"))
    page.session.post("Page.navigate", {"url": site.url(f"/hold/{key}", other=other)})
    await site.requested(f"/hold/{key}")
    notes = await page.emulation.change({**ALL, "network": "Offline"})
    assert notes[0].startswith(f"The page is on its way to {site.url(f'/hold/{key}', other=other)}: it holds from that")
    site.release(key)
    await page.loads.wait(lambda: page.url.endswith(key), 10)
    await page.loads.wait(lambda: "load" in page.loads.of(page.main_frame.id).milestones, 10)
    await value(page, SEEN)
    seen = await value(page, "seen")
    del seen["brands"]
    assert seen == {**BELIEVED, "touch": False, "online": False}
    assert await value(page, PLACE) == [52.52, 13.405]


@pytest.mark.long
async def test_a_page_that_is_busy_has_its_script_ended_and_is_told(page: Page, site: Site, app: str) -> None:
    await page.navigate(app)
    page.session.post("Runtime.evaluate", {"expression": "for (;;);"})
    with pytest.raises(EmulationFailed, match="did not answer within 10 s: its script was busy, so it was ended"):
        await page.emulation.change({"color_scheme": "dark", "geolocation": Geolocation(1, 2)})
    assert page.emulation.settings == Emulated(geolocation=Geolocation(1, 2))
    assert await value(page, "matchMedia('(prefers-color-scheme: dark)').matches") is False


async def test_calls_at_the_same_time_lose_nothing(page: Page, app: str) -> None:
    await page.navigate(app)
    await asyncio.gather(*(page.emulation.change({name: value}) for name, value in ALL.items()))
    assert page.emulation.settings == Emulated(**ALL)
    await page.reload()
    await check_scripts(page)


# -- one by one ----------------------------------------------------------------------------------------


async def test_offline(page: Page, site: Site, app: str) -> None:
    await page.navigate(app)
    await page.emulation.change({"network": "Offline"})
    tries = "fetch('/json').then(() => 'reached', () => 'refused')"
    for place in (page, frame_of(page)):
        assert await value(place, tries) == "refused"
        assert await value(place, "navigator.onLine") is False
    await page.emulation.change({"network": None})
    for place in (page, frame_of(page)):
        assert await value(place, tries) == "reached"
        assert await value(place, "navigator.onLine") is True


@pytest.mark.parametrize("name", [name for name in NETWORKS if name != "Offline"])
async def test_networks_have_the_figures_of_devtools(host: BrowserHost, page: Page, site: Site, name: str) -> None:
    """Not how long it takes, but that Chrome was told: ``navigator.connection`` is made from what it was told."""
    await page.navigate(site.url("/blank"))
    await page.emulation.change({"network": name})
    told = await value(page, "[navigator.connection.rtt, navigator.connection.downlink]")
    wanted = NETWORKS[name]
    # Chrome blurs both by a tenth as a rule, and rounds.
    assert abs(told[0] - wanted.latency) <= 25 + wanted.latency * 0.1
    assert abs(told[1] - wanted.download * 8 / 1e6) <= 0.1 + wanted.download * 8 / 1e6 * 0.2
    assert host.rules.conditions_of(page) == wanted


async def test_the_cpu_rate_is_told_to_every_process(
    page: Page, site: Site, app: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whether it is slower then is Chrome's part, and no test of time would be true on a busy machine."""
    told: list[float] = []
    checked = Connection.inspector
    assert checked is not None

    def listen(method: str, params: dict[str, Any]) -> None:
        checked(method, params)
        if method == "Emulation.setCPUThrottlingRate":
            told.append(params["rate"])

    monkeypatch.setattr(Connection, "inspector", staticmethod(listen))
    await page.navigate(app)
    assert told == []
    await page.emulation.change({"cpu_throttling_rate": 4})
    assert told == [4, 4], "the page and its frame"
    told.clear()
    await page.navigate(site.other(app))
    await page.navigate(app)
    assert set(told) == {4}, "new frames"
    told.clear()
    await page.emulation.change({"cpu_throttling_rate": None})
    assert set(told) == {1}


async def test_the_place_is_permitted_where_the_page_goes(page: Page, site: Site) -> None:
    """Redirected, and asked for by the very first script."""
    first = site.page(f"<script>first = {PLACE}</script>", path="/emulated/place")
    await page.emulation.change({"geolocation": Geolocation(-33.5, -70.25)})
    for address in (
        first,
        site.other(first),
        site.url("/redirect", to=site.other(first)),
        site.other(site.url("/redirect", to=first)),
    ):
        await page.navigate(address)
        assert await value(page, "first") == [-33.5, -70.25], address


async def test_in_a_browser_of_somebody_else_the_place_is_permitted_to_the_page_s_origins_only(site: Site) -> None:
    state = "navigator.permissions.query({name: 'geolocation'}).then((p) => p.state)"
    async with RunningChrome() as chrome:
        host = BrowserHost(Options(browser_url=chrome.url))
        await host.ensure_running()
        page, other = await host.new_page(), await host.new_page()
        await other.navigate(site.url("/blank", other=True))
        await page.emulation.change({"geolocation": Geolocation(1, 2)})
        await page.navigate(site.url("/blank"))
        assert await value(page, PLACE) == [1, 2]
        assert await value(other, state) != "granted"
        # Its own context is its own.
        isolated = await host.new_page(isolated_context="apart")
        await isolated.emulation.change({"geolocation": Geolocation(3, 4)})
        await isolated.navigate(site.url("/blank", other=True))
        assert await value(isolated, PLACE) == [3, 4]
        assert await value(other, state) != "granted"
        # Going there, the page may ask there, too.
        await page.navigate(site.url("/redirect", to=site.url("/blank", other=True)))
        assert await value(page, PLACE) == [1, 2]
        await page.emulation.change({"geolocation": None})
        assert await value(page, state) != "granted"
        await host.close()


async def test_the_place_is_kept_when_a_frame_ends(page: Page, site: Site, app: str) -> None:
    await page.emulation.change({"geolocation": Geolocation(1, 2)})
    await page.navigate(app)
    assert await value(frame_of(page), PLACE) == [1, 2]
    await value(page, "document.querySelector('iframe').remove()")
    await page.loads.wait(lambda: len(page.frames) == 1, 5)
    assert await value(page, PLACE) == [1, 2]


async def test_permission_is_given_back_with_the_last_page_that_has_a_place(
    host: BrowserHost, page: Page, site: Site
) -> None:
    state = "navigator.permissions.query({name: 'geolocation'}).then((p) => p.state)"
    address = site.url("/blank")
    other = await host.new_page()
    for each in (page, other):
        await each.emulation.change({"geolocation": Geolocation(1, 2)})
        await each.navigate(address)
    assert await value(page, state) == "granted"
    await other.close()
    assert await value(page, state) == "granted"
    assert await value(page, PLACE) == [1, 2]
    await page.emulation.change({"geolocation": None})
    assert await value(page, state) != "granted"
    assert await value(page, PLACE) == "error 1"


@pytest.mark.parametrize(
    ("viewport", "seen"),
    [
        (Viewport(1500, 700), [1500, 700, 1, 1920, "landscape-primary"]),
        (Viewport(700, 900, 1.5), [700, 900, 1.5, 1920, "landscape-primary"]),
        (Viewport(844, 390, 2, mobile=True, landscape=True), [844, 390, 2, 844, "landscape-primary"]),
        (Viewport(390, 844, 2, mobile=True), [390, 844, 2, 390, "portrait-primary"]),
    ],
)
async def test_viewports(page: Page, app: str, viewport: Viewport, seen: list[Any]) -> None:
    await page.emulation.change({"viewport": viewport})
    await page.navigate(app)
    assert await value(page, "display") == seen


async def test_headers_go_where_chrome_sends_them(page: Page, site: Site) -> None:
    """To other origins too, also by redirects: no more than by Chrome's own rule, and no less."""
    await page.emulation.change({"headers": {"X-One": "1"}})
    await page.navigate(site.url("/redirect", to=site.other_origin + "/blank"))
    asked = [(r.headers["host"].partition(":")[0], r.headers.get("x-one")) for r in site.requests[-3:]]
    assert ("localhost", "1") in asked
    await page.emulation.change({"headers": {"X-Two": "2"}})
    site.forget()
    await page.navigate(site.url("/blank"))
    headers = site.seen("/blank")[0].headers
    assert ("x-one" in headers, headers.get("x-two")) == (False, "2"), "the new ones are all there are"


HINTS = """navigator.userAgentData.getHighEntropyValues(
  ['architecture', 'bitness', 'model', 'platformVersion', 'fullVersionList', 'formFactors', 'wow64'])"""


@pytest.mark.parametrize(
    ("agent", "platform", "brand", "hints"),
    [
        (AGENT, "Linux armv8l", "Google Chrome", {"platform": "Android", "platformVersion": "14.0.0",
                                                  "model": "Pixel 8", "mobile": True, "formFactors": ["Mobile"]}),
        ("Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/125.0.0.0 Safari/537.36",
         "Linux armv8l", "Google Chrome", {"platform": "Android", "model": "", "mobile": False,
                                           "formFactors": ["Tablet"]}),
        ("Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 "
         "Safari/537.36 Edg/131.0.0.0", "Win32", "Microsoft Edge", {"platform": "Windows", "platformVersion": "10.0.0",
                                                                    "architecture": "x86", "bitness": "64"}),
        ("Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/120.0.6099.71 "
         "Safari/537.36", "MacIntel", "Google Chrome", {"platform": "macOS", "platformVersion": "10.15.7"}),
        ("MyBot/1.0 (+https://example.com/bot)", None, "Chromium", {"platform": "Linux", "mobile": False}),
    ],
)  # fmt: skip
async def test_client_hints_follow_the_user_agent(
    page: Page, site: Site, agent: str, platform: str | None, brand: str, hints: dict[str, Any]
) -> None:
    own = await value(page, "navigator.platform")
    await page.emulation.change({"user_agent": agent})
    site.forget()
    await page.navigate(site.url("/blank"))
    assert await value(page, "[navigator.userAgent, navigator.platform]") == [agent, platform or own]
    told = await value(page, HINTS)
    assert {name: told[name] for name in hints} == hints
    assert brand in [entry["brand"] for entry in told["brands"]]
    assert brand in [entry["brand"] for entry in told["fullVersionList"]]
    headers = site.seen("/blank")[0].headers
    assert headers["user-agent"] == agent
    assert ", ".join(f'"{b["brand"]}";v="{b["version"]}"' for b in told["brands"]) == headers["sec-ch-ua"]
    assert headers["sec-ch-ua-platform"] == json.dumps(hints["platform"])


@pytest.mark.parametrize(
    "agent",
    [
        "Mozilla/5.0 (X11; Linux x86_64; rv:130.0) Gecko/20100101 Firefox/130.0",
        "Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 "
        "Mobile/15E148 Safari/604.1",
        "Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) "
        "CriOS/125.0.6422.80 Mobile/15E148 Safari/604.1",
    ],
)
async def test_browsers_without_client_hints_send_none(page: Page, site: Site, agent: str) -> None:
    await page.emulation.change({"user_agent": agent})
    site.forget()
    await page.navigate(site.url("/blank"))
    headers = site.seen("/blank")[0].headers
    assert headers["user-agent"] == agent
    assert not [name for name in headers if name.startswith("sec-ch-ua")]


async def test_our_list_of_brands_is_chrome_s_own(page: Page, site: Site) -> None:
    """For the version that runs, the invented brand and the order are those that Chrome makes."""
    await page.navigate(site.url("/blank"))
    own = await value(page, "navigator.userAgentData.brands")
    await page.emulation.change({"user_agent": "MyBot/1.0"})
    assert await value(page, "navigator.userAgentData.brands") == own


# -- values --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "make",
    [
        lambda: Viewport(0, 5),
        lambda: Viewport(5, 10_001),
        lambda: Viewport(5.5, 5),  # type: ignore[arg-type]
        lambda: Viewport(True, 5),
        lambda: Viewport(5, 5, 0),
        lambda: Viewport(5, 5, 11),
        lambda: Viewport(5, 5, float("nan")),
        lambda: Viewport(2000, 2000, 10),
        lambda: Geolocation(91, 0),
        lambda: Geolocation(0, -181),
        lambda: Geolocation(0, float("nan")),
        lambda: Geolocation("1", 0),  # type: ignore[arg-type]
        lambda: Emulated(cpu_throttling_rate=0.5),
        lambda: Emulated(cpu_throttling_rate=21),
        lambda: Emulated(network="5G"),  # type: ignore[arg-type]
        lambda: Emulated(color_scheme="auto"),  # type: ignore[arg-type]
        lambda: Emulated(user_agent=""),
        lambda: Emulated(user_agent="a\r\nX: 1"),
        lambda: Emulated(user_agent="Käfer/1"),
        lambda: Emulated(user_agent="a" * 1001),
        lambda: Emulated(headers={"a b": "1"}),
        lambda: Emulated(headers={"": "1"}),
        lambda: Emulated(headers={"X": "a\nb"}),
        lambda: Emulated(headers={"X": "é"}),
        lambda: Emulated(headers={"X": 1}),  # type: ignore[dict-item]
        lambda: Emulated(headers={"Host": "example.com"}),
        lambda: Emulated(headers={"content-length": "5"}),
        lambda: Emulated(headers={"Sec-Fetch-Site": "none"}),
        lambda: Emulated(headers={"User-Agent": "x"}),
        lambda: Emulated(headers={"X-A": "1", "x-a": "2"}),
        lambda: Emulated(headers={"X": "a" * 9000}),
        lambda: Emulated(headers=["X"]),  # type: ignore[arg-type]
    ],
)
def test_values_that_can_t_be(make: Any) -> None:
    with pytest.raises(InvalidInput):
        make()


@pytest.mark.parametrize("headers", [{"X": "s3cret\n"}, {"Host": "s3cret"}, {"X-A": "s3cret", "x-a": "s3cret"}])
def test_no_message_holds_the_value_of_a_header(headers: dict[str, str]) -> None:
    with pytest.raises(InvalidInput) as caught:
        Emulated(headers=headers)
    assert "s3cret" not in str(caught.value)
    assert "Bearer" not in repr(Emulated(headers={"Authorization": "Bearer"}))


async def test_a_page_that_is_throttled_is_waited_for_longer(
    page: Page, site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its script takes a second; the usual time is half of that."""
    monkeypatch.setattr("pagelens.browser.guard._USUAL", (0.5,))
    await page.navigate(site.url("/blank"))
    slow = {"expression": "new Promise(r => setTimeout(() => r(5), 1000))", "awaitPromise": True}
    with pytest.raises(CommandTimeout):
        await page.guarded(page.session.post("Runtime.evaluate", slow), 0.5)
    await page.emulation.change({"network": "Slow 3G"})
    assert (await page.guarded(page.session.post("Runtime.evaluate", slow), 0.5))["result"]["value"] == 5
    with pytest.raises(CommandTimeout):
        await page.guarded(page.session.post("Runtime.evaluate", slow), 0.6)  # a caller's own


def test_patience() -> None:
    assert NOTHING.patience == Emulated(network="Offline").patience == Emulated(network="Fast 4G").patience == 1
    assert Emulated(network="Slow 3G").patience == 5
    assert Emulated(network="Fast 3G", cpu_throttling_rate=4).patience == 8
    assert Emulated(network="Slow 3G", cpu_throttling_rate=20).patience == 10
