"""``pagelens doctor``: one line each on what works, and what to do about what does not."""

from __future__ import annotations

import asyncio
import platform
import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from pagelens._version import __version__
from pagelens.browser.find import FoundBrowser, find_browser
from pagelens.browser.process import ChromeProcess, launch
from pagelens.browser.profile import check_free, profile_directory
from pagelens.core.options import Options
from pagelens.errors import PagelensError

__all__ = ["doctor"]

_PAGE = "data:text/html,<title>pagelens doctor</title><p>It works."


def doctor(options: Options, *, warm: bool = False) -> int:
    """Look at everything between here and a page; prints as it goes. Returns 0 when all works.

    Args:
        warm: also compile the kernels for large heap snapshots (`pagelens.analysis.heap.jit`).
    """
    examination = _Doctor(print)
    well = asyncio.run(examination.examine(options))
    if warm:
        well = examination.warm_up() and well
    return 0 if well else 1


class _Doctor:
    def __init__(self, say: Callable[[str], None]) -> None:
        self._say = say
        self._all_well = True

    async def examine(self, options: Options) -> bool:
        self._well("pagelens", f"{__version__}, Python {platform.python_version()}, {platform.platform(terse=True)}")
        if options.is_attaching:
            await self._look_at_running(options)
            self._look_at_tools(options)
            return self._all_well
        try:
            browser = find_browser(options)
        except PagelensError as error:
            self._ill("browser", error)
            return False
        self._well("browser", f"{browser.path} ({browser.how})")
        self._look_at_profile(options, browser)
        try:
            started = time.monotonic()
            # On a throwaway profile: the lasting one may be in use by a server, and that is no fault.
            process = await launch(replace(options, isolated=True, user_data_dir=None))
        except PagelensError as error:
            self._ill("start", error)
            return False
        try:
            self._well("start", f"{process.product} answered in {time.monotonic() - started:.2f} s")
            for note in process.notes:
                self._well("note", note)
            await self._look_at_page(process)
        except PagelensError as error:
            self._ill("page", error)
        finally:
            await process.close()
        if process.profile.exists():
            self._ill("end", f"{process.profile} could not be deleted.")
        else:
            self._well("end", "the browser ended and left nothing behind")
        self._look_at_tools(options)
        return self._all_well

    def warm_up(self) -> bool:
        """Compile what large heap snapshots need, and keep it for later processes."""
        from pagelens.analysis.heap import jit

        started = time.monotonic()
        try:
            count = jit.warm()
        except PagelensError as error:
            self._ill("heap", error)
            return False
        place = jit.cache_directory()
        if place is None:
            self._ill(
                "heap", "compiled code can't be kept: neither the package nor the cache directory can be written."
            )
            return False
        self._well("heap", f"{count} kernels ready after {time.monotonic() - started:.1f} s, kept in {place}")
        return True

    async def _look_at_running(self, options: Options) -> None:
        """Reach the browser that runs already; nothing in it is touched."""
        from pagelens.browser.attach import attach

        try:
            started = time.monotonic()
            found = await attach(options)
        except PagelensError as error:
            self._ill("attach", error)
            return
        try:
            targets = (await found.connection.root.send("Target.getTargets"))["targetInfos"]
            pages = sum(1 for target in targets if target["type"] == "page")
            seconds = time.monotonic() - started
            self._well("attach", f"{found.product} at {found.address} answered in {seconds:.2f} s; {pages} pages")
        except PagelensError as error:
            self._ill("attach", error)
        finally:
            await found.close()

    def _look_at_profile(self, options: Options, browser: FoundBrowser) -> None:
        if options.isolated:
            self._well("profile", "a throwaway one for each run")
            return
        path = profile_directory(options, browser)
        try:
            check_free(path)
            self._well("profile", f"{path} ({'free' if path.exists() else 'made at the first start'})")
        except PagelensError as error:
            self._ill("profile", error)

    async def _look_at_page(self, process: ChromeProcess) -> None:
        root = process.connection.root
        target: str = (await root.send("Target.createTarget", {"url": "about:blank", "newWindow": True}))["targetId"]
        attached = await root.send("Target.attachToTarget", {"targetId": target, "flatten": True})
        page = process.connection.open_session(attached["sessionId"], target_id=target, target_type="page")
        await page.send("Page.enable")
        loaded: asyncio.Future[dict[str, Any]] = asyncio.get_running_loop().create_future()
        page.on("Page.loadEventFired", lambda params: None if loaded.done() else loaded.set_result(params))
        started = time.monotonic()
        await page.send("Page.navigate", {"url": _PAGE})
        async with asyncio.timeout(10):
            await loaded
        answer = await page.send(
            "Runtime.evaluate", {"expression": "document.title + ' ' + innerWidth + 'x' + innerHeight"}
        )
        title, _, size = str(answer["result"]["value"]).rpartition(" ")
        if title != "pagelens doctor":
            self._ill("page", f"a page was opened, but its title reads {title!r}")
            return
        self._well("page", f"opened and read in {time.monotonic() - started:.2f} s; {size} CSS pixels")
        shot = await page.send("Page.captureScreenshot", {"format": "jpeg", "quality": 50})
        self._well("picture", f"taken, {len(shot['data']) * 3 // 4096} KB")

    def _look_at_tools(self, options: Options) -> None:
        from pagelens.tools import create_tools

        try:
            count = len(create_tools(options))
        except PagelensError as error:
            self._ill("tools", error)
            return
        self._well("tools", f"{count} would be served")

    def _well(self, what: str, words: str) -> None:
        self._say(f"ok    {what:<9} {words}")

    def _ill(self, what: str, error: PagelensError | str) -> None:
        self._all_well = False
        indented = str(error).replace("\n", "\n" + " " * 16)
        self._say(f"FAIL  {what:<9} {indented}")
