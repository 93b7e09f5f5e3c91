"""Pages from files: the file policy holds for navigations, and for what such pages load by themselves."""

from __future__ import annotations

import tempfile
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from pagelens.browser.host import BrowserHost
from pagelens.browser.input import click
from pagelens.browser.page import Page
from pagelens.core.files import FilePolicy
from pagelens.core.options import Options
from pagelens.errors import NavigationFailed, PathNotAllowed, UrlNotAllowed
from tests.support.site import Site

#: Nothing here needs more than a fresh document.
REUSES_PAGE = True


@pytest_asyncio.fixture(loop_scope="session")
async def guarded(
    host: BrowserHost, page: Page, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[Page]:
    """The page, in a browser whose pages may load what lies in ``tmp_path / "work"`` only."""
    for name in ("work", "temp", "outside"):
        (tmp_path / name).mkdir()
    monkeypatch.chdir(tmp_path / "work")
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "temp"))
    (tmp_path / "outside" / "secret.html").write_text("<title>SECRET</title>SECRET")
    (tmp_path / "outside" / "secret.js").write_text("document.title = 'SECRET'")
    (tmp_path / "work" / "fine.html").write_text("<title>fine</title>fine")
    (tmp_path / "work" / "a file.html").write_text("<title>spaced</title>fine")
    (tmp_path / "work" / "link.html").symlink_to(tmp_path / "outside" / "secret.html")
    forget = host.files.add(FilePolicy())
    yield page
    forget()


async def text(page: Page) -> str:
    """What the page and its frames show."""
    found = [page.title]
    for frame in page.frames.values():
        if frame.main_context is not None:
            params: dict[str, Any] = {"expression": "document.title + (document.body || {}).innerText"}
            answer = await frame.session.send("Runtime.evaluate", {**params, "contextId": frame.main_context})
            found.append(str(answer["result"].get("value")))
    return "\n".join(found)


@pytest.mark.parametrize(
    "address",
    [
        "file://{outside}/secret.html",
        "FILE:{outside}/secret.html",
        "file://localhost{outside}/secret.html",
        "view-source:file://{outside}/secret.html",
        " \tfi\nle://{outside}/secret.html",
        "file://{work}/link.html",
        "file://{work}/../outside/secret.html",
        "file://{work}/%2e%2e/outside/secret.html",
        "file://{outside}/",
        "file:///etc/hostname",
        "file:///proc/self/environ",
        "file://other-machine{work}/fine.html",
    ],
)
async def test_refused(guarded: Page, tmp_path: Path, address: str) -> None:
    url = address.format(work=tmp_path / "work", outside=tmp_path / "outside")
    with pytest.raises(PathNotAllowed) as caught:
        await guarded.navigate(url)
    assert "names no file on this machine" in str(caught.value) or str(tmp_path / "work") in caught.value.hint
    assert "SECRET" not in await text(guarded)


async def test_allowed(guarded: Page, tmp_path: Path) -> None:
    work = tmp_path / "work"
    for address, title in ((f"file://{work}/fine.html?a#b", "fine"), (f"file://{work}/a%20file.html", "spaced")):
        await guarded.navigate(address)
        await guarded.host.refresh()
        assert guarded.title == title
    await guarded.navigate(f"file://{work}/")
    assert "fine.html" in await text(guarded)
    with pytest.raises(NavigationFailed, match="FILE_NOT_FOUND"):
        await guarded.navigate(f"file://{work}/not-there")
    await guarded.go_back()
    assert "fine.html" in await text(guarded)


async def test_such_a_page_loads_no_file_from_outside(guarded: Page, tmp_path: Path) -> None:
    outside = f"file://{tmp_path}/outside"
    (tmp_path / "work" / "page.html").write_text(
        f"<!doctype html><title>mine</title><script src={outside}/secret.js></script><iframe src={outside}/secret.html>"
        f"</iframe><iframe sandbox src={outside}/secret.html></iframe><iframe src=link.html></iframe>"
        f"<iframe src=fine.html></iframe><a id=l href={outside}/secret.html>x</a>"
        f"<a id=p target=_blank href={outside}/secret.html>y</a>"
    )
    url = f"file://{tmp_path}/work/page.html"
    await guarded.navigate(url)
    shown = await text(guarded)
    assert "SECRET" not in shown
    assert "fine" in shown
    async with guarded.acting("input") as effect:
        await click(guarded, "css=#p")
    (popup,) = effect.new_pages
    await popup.loads.wait(lambda: not popup.is_loading, 5)
    assert "SECRET" not in await text(popup)
    async with guarded.acting("input") as effect:
        await click(guarded, "css=#l")
    assert effect.navigation_error == "net::ERR_ACCESS_DENIED"
    assert "SECRET" not in await text(guarded)


async def test_a_page_from_the_web_reaches_no_file(guarded: Page, tmp_path: Path, site: Site) -> None:
    url = f"file://{tmp_path}/outside/secret.html"
    await guarded.navigate(site.page(f"<iframe src={url}></iframe><a href={url}>x</a>"))
    async with guarded.acting("input"):
        await click(guarded, "css=a")
    assert "SECRET" not in await text(guarded)


async def test_a_program_of_ones_own_may_load_any_file(page: Page, tmp_path: Path) -> None:
    (tmp_path / "a.html").write_text("<title>mine</title>")
    await page.navigate(f"file://{tmp_path}/a.html")
    assert page.url == f"file://{tmp_path}/a.html"


async def test_no_file_navigations_at_all(tmp_path: Path) -> None:
    host = BrowserHost(Options(headless=True, isolated=True, file_navigations=False))
    await host.ensure_running()
    try:
        page = await host.new_page()
        for url in (f"file://{tmp_path}/", "view-source:file:///etc/hostname"):
            with pytest.raises(UrlNotAllowed, match="--no-file-navigations"):
                await page.navigate(url)
    finally:
        await host.close()
