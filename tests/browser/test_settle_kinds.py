"""No navigation is missed: whatever way a click takes to its navigation, the effect of the click names it.

Each kind runs again and again (4 times, 100 with ``--long``): what is caught nine times out of ten is not caught.
The pages lead to themselves, so that each navigation makes the page for the next one.
"""

from __future__ import annotations

import itertools

import pytest

from pagelens.browser.input import click, press_key
from pagelens.browser.page import Page
from tests.support.site import Site

#: No test begins with what is in the page: they open documents of their own.
REUSES_PAGE = "as it is"

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

#: Those of them that run in the short form where no click but a script of the agent begins it.
OF_SCRIPTS = frozenset({"sync", "long microtask chain", "setTimeout 0", "message channel", "fetch chain"})

#: Only seen once a frame has been drawn, which clicks and keys wait for.
BY_FRAME = {
    "frame, then setTimeout 0": "requestAnimationFrame(() => setTimeout(go, 0))",
    "two frames": "requestAnimationFrame(() => requestAnimationFrame(go))",
    "frame": "requestAnimationFrame(go)",
}

#: Elements that navigate without a handler, or in ways of their own: HTML with ``#go``, which is `it` in the script
#: that tells it where to go.
BY_ITSELF = {
    "link": ("<a id=go>Go</a>", "it.href = next"),
    "form": ("<form><input type=hidden name=n><button id=go>Send</button></form>", "it.form.n.value = n + 1"),
    "posted form": ("<form method=post><button id=go>Send</button></form>", "it.form.action = next"),
    "form sent by a script": (
        "<form><input type=hidden name=n></form><p id=go>Send",
        "const form = document.forms[0]; form.n.value = n + 1; it.onclick = () => form.submit()",
    ),
    "redirect": ("<a id=go>Go</a>", "it.href = '/redirect?to=' + encodeURIComponent(next)"),
    "another site": (
        "<a id=go>Go</a>",
        "it.href = next.replace(location.origin, location.origin === '{origin}' ? '{other}' : '{origin}')",
    ),
    "javascript: link": ("<a id=go>Go</a>", "it.href = `javascript:void(location.href = '${next}')`"),
}

#: The same, with the focus on it; Enter is pressed.
BY_ENTER = {
    "link": ("<a id=go>Go</a>", "it.href = next; it.focus()"),
    "field": ("<form><input id=go name=n></form>", "it.value = n + 1; it.focus()"),
}

_numbers = itertools.count(1)


def target(site: Site) -> str:
    """A URL that no test has asked for before; its server takes a little while."""
    return site.url("/slow", ms=15, n=next(_numbers))


def chain(site: Site, html: str, script: str) -> str:
    """A page with `html` and `script`, in which `n` is the number in its query and `next` its URL with the next one."""
    return site.page(
        f"{html}<script>const n = Number(new URLSearchParams(location.search).get('n'));"
        "const next = location.origin + location.pathname + '?n=' + (n + 1);"
        f"const it = document.getElementById('go'); {script};</script>",
        path=f"/settle{next(_numbers)}.html",
        delay=0.01,
    )


async def clicked(page: Page, selector: str = "css=#go") -> str | None:
    """Click and return where the effect says the page went."""
    async with page.acting("input") as effect:
        await click(page, selector)
    return effect.navigated_to


async def pressed(page: Page) -> str | None:
    """Press Enter and return where the effect says the page went."""
    async with page.acting("keys") as effect:
        await press_key(page, "Enter")
    return effect.navigated_to


async def missed(
    page: Page, site: Site, start: str, often: int, *, enter: bool = False
) -> list[tuple[str, str | None]]:
    """Go through a chain; returns the navigations that were not seen: where it should go, where it was said to go."""
    await page.navigate(start)
    wrong = []
    for n in range(1, often + 1):
        seen = await (pressed(page) if enter else clicked(page))
        url = f"{start}?n={n}"
        if seen not in (url, site.other(url)):
            wrong.append((url, seen))
            await page.navigate(url)
    return wrong


@pytest.mark.parametrize("kind", [*BY_SCRIPT, *BY_FRAME])
async def test_a_click_whose_handler_navigates(page: Page, site: Site, repeats: int, kind: str) -> None:
    handler = {**BY_SCRIPT, **BY_FRAME}[kind]
    script = f"const go = () => {{ location.href = next }}; it.onclick = () => {{ {handler} }}"
    assert await missed(page, site, chain(site, "<button id=go>Go</button>", script), repeats) == []


@pytest.mark.parametrize("kind", BY_ITSELF)
async def test_a_click_that_navigates_by_itself(page: Page, site: Site, repeats: int, kind: str) -> None:
    assert await missed(page, site, chain(site, *BY_ITSELF[kind]), repeats) == []


@pytest.mark.parametrize("kind", BY_ENTER)
async def test_enter_that_navigates(page: Page, site: Site, repeats: int, kind: str) -> None:
    assert await missed(page, site, chain(site, *BY_ENTER[kind]), repeats, enter=True) == []


async def test_a_click_that_moves_in_the_history(page: Page, site: Site, repeats: int) -> None:
    one = site.page("<button id=go onclick='history.go(1)'>Forward</button>", path="/history-1.html")
    two = site.page("<button id=go onclick='history.back()'>Back</button>", path="/history-2.html")
    await page.navigate(one)
    await page.navigate(two)
    assert [await clicked(page) for _ in range(2 * repeats)] == [one, two] * repeats


async def test_a_click_that_reloads(page: Page, site: Site, repeats: int) -> None:
    url = site.page("<button id=go onclick='location.reload()'>Again</button>", path="/settle.html")
    await page.navigate(url)
    assert [await clicked(page) for _ in range(repeats)] == [url] * repeats


@pytest.mark.parametrize(
    "kind", [kind if kind in OF_SCRIPTS else pytest.param(kind, marks=pytest.mark.long) for kind in BY_SCRIPT]
)
async def test_a_script_that_navigates(page: Page, site: Site, repeats: int, kind: str) -> None:
    wrong = []
    await page.navigate(site.url("/blank"))
    for _ in range(repeats):
        url = target(site)
        source = f"const next = {url!r}; const go = () => {{ location.href = next; }}; {BY_SCRIPT[kind]}; 0"
        async with page.acting("script") as effect:
            await page.session.send("Runtime.evaluate", {"expression": f"(() => {{ {source} }})()"})
        if effect.navigated_to != url:
            wrong.append((url, effect.navigated_to))
    assert wrong == []


async def test_what_only_looks_like_a_navigation_is_not_called_one(page: Page, site: Site, repeats: int) -> None:
    home = site.page(
        "<a id=hash href='#there'>hash</a><a id=script href='javascript:void(globalThis.ran = 1)'>script</a>"
        "<a id=empty href='/status/204'>204</a>"
        "<button id=push onclick='history.pushState(0, 0, \"/pushed\")'>push</button>"
        "<button id=nothing onclick='0'>nothing</button>",
        path="/false-starts.html",
    )
    for _ in range(repeats):
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
async def test_a_new_tab_is_seen_every_time(page: Page, site: Site, repeats: int, kind: str) -> None:
    await page.navigate(site.page(OPENERS[kind], path="/opens-a-tab.html"))
    for _ in range(repeats):
        async with page.acting("input") as effect:
            await click(page, "css=#go")
        assert [opened.opener for opened in effect.new_pages] == [page]
        assert effect.navigated_to is None
        for opened in effect.new_pages:
            await opened.close()


async def test_a_download_is_seen_every_time(page: Page, site: Site, repeats: int) -> None:
    url = site.page("<a id=go href='/download?name=report.csv'>Get</a>", path="/downloads.html")
    await page.navigate(url)
    for _ in range(repeats):
        async with page.acting("input") as effect:
            await click(page, "css=#go")
        assert [download.suggested_name for download in effect.downloads] == ["report.csv"]
        assert effect.navigated_to is None
