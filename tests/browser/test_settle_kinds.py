"""No navigation is missed: whatever way a click takes to its navigation, the effect of the click names it.

Each kind runs again and again (10 times, 100 with ``--long``): what is caught nine times out of ten is not caught.
"""

from __future__ import annotations

import itertools
from collections.abc import Awaitable, Callable

import pytest

from pagelens.browser.input import click, press_key
from pagelens.browser.page import Page
from tests.support.site import Site

#: What the button's handler does; ``go()`` navigates to the next URL.
BY_SCRIPT = {
    "sync": "go()",
    "assign": "location.assign(next)",
    "replace": "location.replace(next)",
    "microtask": "Promise.resolve().then(go)",
    "long microtask chain": "let p = Promise.resolve(); for (let i = 0; i < 50; i++) p = p.then(() => 0); p.then(go)",
    "setTimeout 0": "setTimeout(go, 0)",
    "setTimeout 0, nested twice": "setTimeout(() => setTimeout(go, 0), 0)",
    "message channel": "const c = new MessageChannel(); c.port1.onmessage = go; c.port2.postMessage(1)",
    "postTask": "scheduler.postTask(go)",
    "fetch, json, setTimeout 0": "fetch('/json?ms=40').then(r => r.json()).then(() => setTimeout(go, 0))",
    "fetch chain": "const get = () => fetch('/json?ms=20').then(r => r.json()); get().then(get).then(go)",
    "failed fetch": "fetch('/reset').catch(go)",
    "xhr": "const x = new XMLHttpRequest(); x.onload = go; x.open('GET', '/json?ms=40'); x.send()",
}

#: Only seen once a frame has been drawn, which clicks and keys wait for.
BY_FRAME = {
    "frame, then setTimeout 0": "requestAnimationFrame(() => setTimeout(go, 0))",
    "two frames": "requestAnimationFrame(() => requestAnimationFrame(go))",
    "frame": "requestAnimationFrame(go)",
}

_numbers = itertools.count(1)


def target(site: Site) -> str:
    """A URL that no test has asked for before; its server takes a little while."""
    return site.url("/slow", ms=15, n=next(_numbers))


@pytest.fixture
def often(repeats: int) -> int:
    """How often each kind is done: 10 times, 100 with ``--long``."""
    return max(repeats, 10)


def chain(site: Site, handler: str) -> str:
    """A page that leads to itself with the next number, so that each navigation makes the page for the next one.

    Its button runs `handler`, in which ``go()`` navigates to ``next``.
    """
    return site.page(
        "<button id=go>Go</button><script>const n = Number(new URLSearchParams(location.search).get('n'));"
        "const next = location.origin + location.pathname + '?n=' + (n + 1);"
        "const go = () => { location.href = next; };"
        f"document.getElementById('go').onclick = () => {{ {handler} }};</script>",
        path="/settle.html",
    )


async def clicked(page: Page, selector: str = "css=#go") -> str | None:
    """Click and return where the effect says the page went."""
    async with page.acting("input") as effect:
        await click(page, selector)
    return effect.navigated_to


@pytest.mark.parametrize("kind", [*BY_SCRIPT, *BY_FRAME])
async def test_a_click_whose_handler_navigates(page: Page, site: Site, often: int, kind: str) -> None:
    start = chain(site, {**BY_SCRIPT, **BY_FRAME}[kind])
    await page.navigate(start)
    missed = []
    for n in range(1, often + 1):
        url = f"{start}?n={n}"
        seen = await clicked(page)
        if seen != url:
            missed.append((url, seen))
            await page.navigate(url)
    assert not missed, f"{len(missed)} of {often} navigations missed: {missed[:3]}"


async def _link(page: Page, site: Site) -> tuple[str, str | None]:
    url = target(site)
    await page.navigate(site.page(f"<a id=go href='{url}'>Go</a>", path="/settle.html"))
    return url, await clicked(page)


async def _form(page: Page, site: Site) -> tuple[str, str | None]:
    value = next(_numbers)
    form = f"<form action=/echo><input name=value value={value}><button id=go>Send</button></form>"
    await page.navigate(site.page(form, path="/settle.html"))
    return site.url("/echo", value=value), await clicked(page)


async def _post(page: Page, site: Site) -> tuple[str, str | None]:
    form = f"<form action=/echo/{next(_numbers)} method=post><button id=go>Send</button></form>"
    url = site.route(form.split()[1].removeprefix("action="), site._echo)
    await page.navigate(site.page(form, path="/settle.html"))
    return url, await clicked(page)


async def _back(page: Page, site: Site) -> tuple[str, str | None]:
    url = target(site)
    await page.navigate(url)
    await page.navigate(site.page("<button id=go onclick='history.back()'>Back</button>", path="/settle.html"))
    return url, await clicked(page)


async def _redirected(page: Page, site: Site) -> tuple[str, str | None]:
    url = target(site)
    away = site.url("/redirect", to=url)
    await page.navigate(site.page(f"<a id=go href='{away}'>Go</a>", path="/settle.html"))
    return url, await clicked(page)


async def _to_another_site(page: Page, site: Site) -> tuple[str, str | None]:
    url = site.other(target(site))
    await page.navigate(site.page(f"<a id=go href='{url}'>Go</a>", path="/settle.html"))
    return url, await clicked(page)


async def _javascript(page: Page, site: Site) -> tuple[str, str | None]:
    url = target(site)
    await page.navigate(
        site.page(f"<a id=go href='javascript:void(location.href = \"{url}\")'>Go</a>", path="/settle.html")
    )
    return url, await clicked(page)


async def _submitted(page: Page, site: Site) -> tuple[str, str | None]:
    value = next(_numbers)
    form = (
        f"<form action=/echo><input name=value value={value}></form><p id=go onclick='document.forms[0].submit()'>Send"
    )
    await page.navigate(site.page(form, path="/settle.html"))
    return site.url("/echo", value=value), await clicked(page)


async def _forward(page: Page, site: Site) -> tuple[str, str | None]:
    url = target(site)
    await page.navigate(site.page("<button id=go onclick='history.go(1)'>Forward</button>", path="/settle.html"))
    await page.navigate(url)
    await page.go_back()
    return url, await clicked(page)


async def _reload(page: Page, site: Site) -> tuple[str, str | None]:
    url = site.page("<button id=go onclick='location.reload()'>Again</button>", path="/settle.html")
    await page.navigate(url)
    return url, await clicked(page)


async def _enter_on_a_link(page: Page, site: Site) -> tuple[str, str | None]:
    url = target(site)
    await page.navigate(site.page(f"<a autofocus href='{url}'>Go</a>", path="/settle.html"))
    return url, await pressed(page, "Enter")


async def _enter_in_a_field(page: Page, site: Site) -> tuple[str, str | None]:
    value = next(_numbers)
    form = f"<form action=/echo><input autofocus name=value value={value}></form>"
    await page.navigate(site.page(form, path="/settle.html"))
    return site.url("/echo", value=value), await pressed(page, "Enter")


async def pressed(page: Page, key: str) -> str | None:
    """Press a key and return where the effect says the page went."""
    async with page.acting("keys") as effect:
        await press_key(page, key)
    return effect.navigated_to


KINDS = [_link, _form, _post, _back, _redirected, _to_another_site]
KINDS += [_javascript, _submitted, _forward, _reload, _enter_on_a_link, _enter_in_a_field]


@pytest.mark.parametrize("kind", KINDS)
async def test_a_click_that_navigates_by_itself(
    page: Page, site: Site, often: int, kind: Callable[[Page, Site], Awaitable[tuple[str, str | None]]]
) -> None:
    missed = []
    for _ in range(often):
        url, seen = await kind(page, site)
        if seen != url:
            missed.append((url, seen))
    assert not missed, f"{len(missed)} of {often} navigations missed: {missed[:3]}"


@pytest.mark.parametrize("kind", BY_SCRIPT)
async def test_a_script_that_navigates(page: Page, site: Site, repeats: int, kind: str) -> None:
    missed = []
    for _ in range(repeats):
        url = target(site)
        await page.navigate(site.url("/blank"))
        source = f"const next = {url!r}; const go = () => {{ location.href = next; }}; {BY_SCRIPT[kind]}; 0"
        async with page.acting("script") as effect:
            await page.session.send("Runtime.evaluate", {"expression": f"(() => {{ {source} }})()"})
        if effect.navigated_to != url:
            missed.append((url, effect.navigated_to))
    assert not missed, f"{len(missed)} of {repeats} navigations missed: {missed[:3]}"


async def test_what_only_looks_like_a_navigation_is_not_called_one(page: Page, site: Site, often: int) -> None:
    home = site.page(
        "<a id=hash href='#there'>hash</a><a id=script href='javascript:void(globalThis.ran = 1)'>script</a>"
        "<a id=empty href='/status/204'>204</a>"
        "<button id=push onclick='history.pushState(0, 0, \"/pushed\")'>push</button>"
        "<button id=nothing onclick='0'>nothing</button>",
        path="/false-starts.html",
    )
    for _ in range(often):
        await page.navigate(home)
        assert await clicked(page, "css=#nothing") is None
        assert await clicked(page, "css=#script") is None
        assert await clicked(page, "css=#empty") is None
        async with page.acting("input") as effect:
            await click(page, "css=#hash")
        assert (effect.navigated_to, effect.same_document_url) == (None, home + "#there")
        async with page.acting("input") as effect:
            await click(page, "css=#push")
        assert (effect.navigated_to, effect.same_document_url) == (None, site.origin + "/pushed")
        assert page.url == site.origin + "/pushed"


OPENERS = {
    "link": "<a id=go target=_blank href='/blank'>new tab</a>",
    "popup": '<button id=go onclick=\'open("/blank", "", "width=300,height=200")\'>popup</button>',
    "form": "<form action=/echo target=_blank method=post><button id=go>Send</button></form>",
}


@pytest.mark.parametrize("kind", OPENERS)
async def test_a_new_tab_is_seen_every_time(page: Page, site: Site, often: int, kind: str) -> None:
    await page.navigate(site.page(OPENERS[kind], path="/opens-a-tab.html"))
    for _ in range(often):
        async with page.acting("input") as effect:
            await click(page, "css=#go")
        assert [opened.opener for opened in effect.new_pages] == [page]
        assert effect.navigated_to is None
        for opened in effect.new_pages:
            await opened.close()


async def test_a_download_is_seen_every_time(page: Page, site: Site, often: int) -> None:
    url = site.page("<a id=go href='/download?name=report.csv'>Get</a>", path="/downloads.html")
    await page.navigate(url)
    for _ in range(often):
        async with page.acting("input") as effect:
            await click(page, "css=#go")
        assert [download.suggested_name for download in effect.downloads] == ["report.csv"]
        assert effect.navigated_to is None
