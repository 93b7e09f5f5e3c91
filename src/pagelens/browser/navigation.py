"""Load an address, reload, and move in the history, each told as what really happened."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from pagelens.browser.dialogs import Dialog
from pagelens.browser.downloads import Download
from pagelens.browser.effect import Effect
from pagelens.browser.follow import Followed, crossing, follow, interrupted
from pagelens.browser.page_dialogs import BeforeUnload
from pagelens.browser.settle import finish_downloads
from pagelens.cdp.session import Reply
from pagelens.core.safe_text import one_line, shortened
from pagelens.core.urls import navigable, without_credentials
from pagelens.errors import DeadlineExceeded, NavigationFailed, PagelensError, ProtocolError

if TYPE_CHECKING:
    from pagelens.browser.page import Page

__all__ = [
    "BeforeUnload",
    "NavigationOutcome",
    "NavigationResult",
    "await_navigation",
    "history_step",
    "navigate",
    "reload",
]

NavigationOutcome = Literal[
    "loaded", "usable", "loading", "dialog", "download", "no_content", "same_document", "bfcache"
]

#: How long Chrome's error page is waited for, so that it can't surprise the next call. Seconds.
ERROR_PAGE = 1.0
#: How long the cause of an aborted load (a download, a crash, another navigation) is waited for. Seconds.
EXPLAINED = 2.0
#: How long a small download may take to complete before the reply. Seconds.
DOWNLOAD_COMPLETES = 1.0
#: What the browser says of a page between two documents, and how long that may last. Seconds.
NOT_ACTIVE = "Not attached to an active page"
TAKES_OVER = 2.0
#: How long Chrome may take to begin a history move or reload. Seconds.
BEGINS = 5.0


@dataclass
class NavigationResult:
    """How a navigation went; those that failed raise `NavigationFailed` instead.

    Attributes:
        outcome: ``loaded``; ``usable`` (the DOM is ready and the network quiet, but `pending` has no end);
            ``loading`` (the document is there, its DOM was not ready in time); ``dialog`` (one opened meanwhile and
            holds the page); ``download``; ``no_content`` (204, 205: the page stays); ``same_document``;
            ``bfcache`` (restored as it was left).
        url: what the page shows now.
        status: HTTP status, None when it did not come by HTTP.
        pending: addresses that the document still waits for.
        dialog, download: set for those outcomes.
        new_pages: pages opened meanwhile.
        waited_ms: how long it took.
    """

    outcome: NavigationOutcome
    url: str
    status: int | None = None
    pending: list[str] = field(default_factory=list)
    dialog: Dialog | None = None
    download: Download | None = None
    new_pages: list[Page] = field(default_factory=list)
    waited_ms: int = 0


async def navigate(
    page: Page,
    url: str,
    *,
    timeout: float,
    before_unload: BeforeUnload,
    ignore_cache: bool = False,
    init_script: str | None = None,
) -> NavigationResult:
    """Load `url` and return when the page is usable.

    Args:
        url: an absolute address; one without a scheme gets ``https://`` (``http://`` for this machine).
        timeout: seconds. A page that is there by then is described as it is.
        before_unload: what to answer when the current document asks before it is left.
        ignore_cache: load everything from the network.
        init_script: JavaScript to run in each frame of the new document before its own scripts.

    Raises:
        NavigationFailed: a ``net::`` error, an address Chrome refuses, no answer in time.
        UrlNotAllowed, PathNotAllowed: the user's rules forbid it, or an address that it redirects to.
        DialogOpen, PageClosed: the page can't navigate now.
    """
    address = navigable(url)
    await _admit(page, address)
    async with _navigating(page, before_unload, ignore_cache, init_script) as effect:
        loop = asyncio.get_running_loop()
        started = loop.time()
        end = started + timeout
        mark = page.loads.serial
        reply = page.session.post("Page.navigate", {"url": address})
        reply.on_done(page.loads.touch)
        main = page.main_frame
        await page.loads.wait(lambda: reply.done or interrupted(page), timeout)
        if not reply.done and not interrupted(page):
            await _give_up(page, address, timeout)
        answer = _answer(reply, address)
        if page.closed is not None:
            raise page.closed_error()
        error = answer.get("errorText", "")
        if error and error not in ("net::ERR_HTTP_RESPONSE_CODE_FAILURE",):
            result = await _ended(page, address, error, answer, mark, effect, end)
        elif reply.done and "loaderId" not in answer:
            load = page.loads.of(main.id)
            await page.loads.wait(lambda: load.moved_at > mark or interrupted(page), BEGINS)
            result = NavigationResult("same_document", main.url)
        else:
            # Chrome answers when the document is committed or about to be: the rest is followed.
            await page.loads.wait(lambda: crossing(page.loads.of(main.id), mark) or interrupted(page), BEGINS)
            result = _result(page, await follow(main, mark, end), effect)
        result.waited_ms = round((loop.time() - started) * 1000)
        return result


async def reload(
    page: Page, *, timeout: float, ignore_cache: bool, before_unload: BeforeUnload, init_script: str | None
) -> NavigationResult:
    """Load the current document again; errors as in `navigate`."""

    async def begin() -> Reply:
        return page.session.post("Page.reload", {"ignoreCache": ignore_cache})

    return await _begun_by_browser(page, begin, "the reload", timeout, before_unload, init_script)


async def history_step(page: Page, step: int, *, timeout: float, before_unload: BeforeUnload) -> NavigationResult:
    """Move `step` entries in the page's history.

    Raises:
        NavigationFailed: there is no such entry; else as in `navigate`.
    """
    await page.ready(answering=False)
    history = await _in_turn(page, "Page.getNavigationHistory")
    index = history["currentIndex"] + step
    entries = history["entries"]
    if not 0 <= index < len(entries):
        direction = "back" if step < 0 else "forward"
        raise NavigationFailed(
            f"Page {page.id} can't go {direction}: {_printable(page.url)} is the "
            f"{'first' if step < 0 else 'last'} entry of its history.",
            "Navigate to an address instead.",
        )

    await _admit(page, entries[index]["url"])

    async def begin() -> Reply:
        return page.session.post("Page.navigateToHistoryEntry", {"entryId": entries[index]["id"]})

    return await _begun_by_browser(
        page, begin, f"the move to {_printable(entries[index]['url'])}", timeout, before_unload, None
    )


async def _in_turn(page: Page, method: str) -> dict[str, Any]:
    """Ask the browser about the page, once more if it refuses because one document just takes over from another."""
    end = asyncio.get_running_loop().time() + TAKES_OVER
    while True:
        try:
            return await page.session.send(method)
        except ProtocolError as error:
            if error.protocol_message != NOT_ACTIVE or asyncio.get_running_loop().time() > end:
                raise
        await asyncio.sleep(0.02)


async def await_navigation(
    page: Page, effect: Effect, mark: int, timeout: float, wanted: Callable[[str], bool]
) -> NavigationResult:
    """Wait for a navigation of the main frame that something else begins, and follow it until the page is usable.

    Args:
        effect: among the page's watchers since `mark`.
        mark: `LoadTracker.serial` from before what begins it; navigations from then on count.
        timeout: seconds.
        wanted: whether an address is the one that is waited for.

    Raises:
        DeadlineExceeded: none came in time. NavigationFailed: it came and failed.
        PageClosed, PageCrashed, DialogOpen: none can come now.
    """
    loop = asyncio.get_running_loop()
    started = loop.time()
    end = started + timeout
    main = page.main_frame
    while True:
        load = page.loads.of(main.id)
        await page.loads.wait(
            lambda: crossing(load, mark) or load.moved_at > mark or interrupted(page),  # noqa: B023
            end - loop.time(),
        )
        if not crossing(load, mark) and load.moved_at <= mark:
            if page.held_by is not None:
                raise page.dialog_error()
            page.raise_if_unusable()
            raise DeadlineExceeded(f"The page did not navigate within {timeout:g} s; it shows {_printable(page.url)}.")
        result = await _met(page, effect, mark, end)
        if result is not None and (result.download is not None or wanted(result.url)):
            result.waited_ms = round((loop.time() - started) * 1000)
            return result
        mark = page.loads.serial


async def _met(page: Page, effect: Effect, mark: int, end: float) -> NavigationResult | None:
    """What became of a navigation that somebody else began; None when it was announced only."""
    main = page.main_frame
    load = page.loads.of(main.id)
    if crossing(load, mark):
        followed = await follow(main, mark, end)
        if followed.outcome == "ended":
            answer = {"loaderId": followed.loader_id}
            return await _ended(page, load.started_url, "net::ERR_ABORTED", answer, mark, effect, end)
        if followed.outcome != "nothing":
            return _result(page, followed, effect)
    # Moves within the document are announced as others are.
    return NavigationResult("same_document", main.url) if load.moved_at > mark else None


async def _begun_by_browser(
    page: Page,
    begin: Callable[[], Awaitable[Reply]],
    what: str,
    timeout: float,
    before_unload: BeforeUnload,
    init_script: str | None,
) -> NavigationResult:
    """Reloads and history moves: Chrome answers before it begins, and names no loader."""
    async with _navigating(page, before_unload, False, init_script) as effect:
        loop = asyncio.get_running_loop()
        started = loop.time()
        end = started + timeout
        main = page.main_frame
        load = page.loads.of(main.id)
        mark = page.loads.serial
        reply = await begin()
        reply.on_done(page.loads.touch)
        await page.loads.wait(
            lambda: (
                crossing(load, mark) or load.moved_at > mark or interrupted(page) or reply.failed or page.dialogs.stayed
            ),
            min(timeout, BEGINS),
        )
        if reply.failed:
            _answer(reply, what)
        if page.closed is not None:
            raise page.closed_error()
        if load.moved_at > mark and not crossing(load, mark):
            result = NavigationResult("same_document", main.url)
        elif page.dialogs.stayed:
            raise await _stayed(page, what)
        elif not crossing(load, mark) and not interrupted(page):
            raise NavigationFailed(
                f"Chrome did not begin {what} within {min(timeout, BEGINS):g} s.",
                "Try again, or navigate to an address.",
            )
        else:
            followed = await follow(main, mark, end)
            if followed.outcome == "waiting":
                await _give_up(page, what, timeout)
            if followed.outcome == "error":
                error = page.loads.failure.get(followed.loader_id, "net::ERR_FAILED")
                raise _net_error(page, main.url, error)
            if followed.outcome == "ended":
                result = await _ended(
                    page, what, "net::ERR_ABORTED", {"loaderId": followed.loader_id}, mark, effect, end
                )
            else:
                result = _result(page, followed, effect)
        result.waited_ms = round((loop.time() - started) * 1000)
        return result


@asynccontextmanager
async def _navigating(
    page: Page, before_unload: BeforeUnload, ignore_cache: bool, init_script: str | None
) -> AsyncIterator[Effect]:
    """Everything around a navigation: a page fit to leave, what to answer, what to undo."""
    await page.ready(answering=False)
    if page.closed is not None:
        raise page.closed_error()
    if page.held_by is not None:
        raise page.dialog_error()
    load = page.loads.of(page.main_frame.id)
    if not page.is_crashed and not load.is_under_way and not await page.is_responsive():
        # An endless loop must be ended before the navigation is ordered: afterwards nothing ends it any more.
        page.end_script()
        await page.is_responsive()
    # A crashed page is revived by what follows.
    page.is_crashed = False
    effect = Effect(earlier=page.take_news())
    page.watchers.append(effect)
    page.dialogs.before_unload = before_unload
    page.dialogs.stayed = False
    script_id: str | None = None
    use_cache = page.bypass_cache() if ignore_cache else None
    try:
        if init_script is not None:
            added = await page.session.send("Page.addScriptToEvaluateOnNewDocument", {"source": init_script})
            script_id = added["identifier"]
        yield effect
    except asyncio.CancelledError:
        # Nobody waits for it any more: a navigation without an answer would keep the page from the next call.
        page.session.post("Page.stopLoading")
        raise
    finally:
        page.dialogs.before_unload = None
        page.watchers.remove(effect)
        if script_id is not None:
            page.session.post("Page.removeScriptToEvaluateOnNewDocument", {"identifier": script_id})
        if use_cache is not None:
            use_cache()


def _answer(reply: Reply, what: str) -> dict[str, Any]:
    if not reply.done:
        return {}
    try:
        return reply.result()
    except ProtocolError as error:
        raise NavigationFailed(
            f"Chrome refused {_printable(what)}: {error.protocol_message}.", "Give an absolute address."
        ) from error


async def _give_up(page: Page, what: str, timeout: float) -> None:
    """No document in time: withdraw the navigation, so that the page answers again, and say so."""
    page.session.post("Page.stopLoading")
    raise NavigationFailed(
        f"{_printable(what)} did not answer within {timeout:g} s, so it was stopped.",
        f"The page still shows {_printable(page.url)}. Raise timeout if the server is slow.",
    )


async def _ended(
    page: Page, what: str, error: str, answer: dict[str, Any], mark: int, effect: Effect, end: float
) -> NavigationResult:
    """A navigation that brought no document: a download, a 204, one that was refused, or an error."""
    loads = page.loads
    main = page.main_frame
    load = loads.of(main.id)
    loader_id = answer.get("loaderId", "")
    status = loads.status.get(loader_id)

    def went_elsewhere() -> bool:
        return load.committed_at > mark or (load.is_under_way and load.started_loader != loader_id)

    if answer.get("isDownload") or error == "net::ERR_ABORTED":
        # What explains an aborted load may come a moment after its end.
        await loads.wait(
            lambda: (
                bool(effect.downloads)
                or interrupted(page)
                or page.dialogs.stayed
                or status in (204, 205)
                or went_elsewhere()
            ),
            EXPLAINED,
        )
    if effect.downloads:
        await finish_downloads(page, effect, DOWNLOAD_COMPLETES)
        return NavigationResult("download", page.url, download=effect.downloads[-1])
    if error == "net::ERR_ABORTED":
        if status in (204, 205):
            return NavigationResult("no_content", page.url, status)
        if page.dialogs.stayed:
            raise await _stayed(page, what)
        if page.is_crashed:
            raise _crashed(what)
        if went_elsewhere():
            # The page itself went elsewhere at the same moment: that is what it shows now.
            return _result(page, await follow(main, mark, end), effect)
        raise NavigationFailed(
            f"The load of {_printable(what)} was aborted.", f"The page still shows {_printable(page.url)}."
        )
    await loads.wait(lambda: load.committed_at > mark or interrupted(page), ERROR_PAGE)
    if page.closed is None and not page.is_crashed:
        # Committed, it may still be taking over: the next call would be refused.
        await _in_turn(page, "Page.getNavigationHistory")
    if error == "net::ERR_INVALID_AUTH_CREDENTIALS" and status in (401, 407):
        # Chrome shows an empty page, and where it has a window a login prompt.
        return NavigationResult("loaded", page.url, status)
    raise _net_error(page, what, error)


def _result(page: Page, followed: Followed, effect: Effect) -> NavigationResult:
    status = page.loads.status.get(followed.loader_id)
    common: dict[str, Any] = {"status": status, "pending": followed.pending, "new_pages": list(effect.new_pages)}
    if followed.outcome == "error" and status is None:
        raise _net_error(page, page.url, page.loads.failure.get(followed.loader_id, "net::ERR_FAILED"))
    if page.is_crashed:
        raise _crashed(page.url)
    if page.closed is not None:
        raise page.closed_error()
    if page.held_by is not None:
        return NavigationResult("dialog", page.url, dialog=page.held_by, **common)
    match followed.outcome:
        case "loaded" | "usable" | "loading" | "bfcache":
            return NavigationResult(followed.outcome, page.url, **common)
        case "error":
            # An HTTP error without a body: Chrome shows its own page for it.
            return NavigationResult("loaded", page.url, **common)
        case "waiting":
            page.session.post("Page.stopLoading")
            raise NavigationFailed(
                f"{_printable(page.loads.of(page.main_frame.id).started_url)} did not answer in time; it was stopped.",
                f"The page still shows {_printable(page.url)}. Raise timeout if the server is slow.",
            )
        case _:
            return NavigationResult("loaded" if not page.is_loading else "loading", page.url, **common)


def _crashed(what: str) -> NavigationFailed:
    return NavigationFailed(
        f"{_printable(what)} crashed while it was loading: its process ended.", "Reload it, or navigate elsewhere."
    )


async def _admit(page: Page, address: str) -> None:
    """Refuse what the user's rules forbid, before Chrome is asked."""
    page.host.rules.policy.check_navigation(address)
    await page.host.files.admit(page, address)


def _net_error(page: Page, what: str, error: str) -> PagelensError:
    for address in (what, page.url):  # the page shows the error of what it was redirected to
        refusal = page.host.rules.refused(address, error)
        if refusal is None and error == "net::ERR_ACCESS_DENIED":
            refusal = page.host.files.refusal(address)
        if refusal is not None:
            return refusal
    hints = {
        "net::ERR_CONNECTION_REFUSED": "Nothing listens there: check the port, or start the server.",
        "net::ERR_NAME_NOT_RESOLVED": "No such host: check the spelling.",
        "net::ERR_CERT_AUTHORITY_INVALID": "Start pagelens with --accept-insecure-certs to load it all the same.",
        "net::ERR_INTERNET_DISCONNECTED": "The page is offline: check the emulated network conditions.",
        "net::ERR_TOO_MANY_REDIRECTS": "The server redirects in a circle.",
        "net::ERR_ACCESS_DENIED": "The address may not be loaded here.",
        "net::ERR_FILE_NOT_FOUND": "There is no such file.",
        "net::ERR_UNKNOWN_URL_SCHEME": "Chrome does not know this kind of address.",
    }
    return NavigationFailed(f"{_printable(what)} can't be loaded: {error}.", hints.get(error, ""))


async def _stayed(page: Page, what: str) -> NavigationFailed:
    # A navigation that is ordered before the dialog has really gone is dropped by Chrome without a word.
    await page.loads.wait(lambda: not page.dialogs.is_asking_to_stay, ERROR_PAGE)
    return NavigationFailed(
        f"The page asked to stay when {_printable(what)} was ordered, and the request was granted: "
        f"it still shows {_printable(page.url)}.",
        'Pass handleBeforeUnload "accept" to leave all the same.',
    )


def _printable(text: str) -> str:
    return shortened(one_line(without_credentials(text)), 300)
