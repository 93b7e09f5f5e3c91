"""Fixtures and options for all tests: one site and one browser for the run, a fresh page for each test."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import pytest_asyncio
from hypothesis import settings

from pagelens.browser.emulated import NOTHING
from pagelens.cdp.connection import Connection
from pagelens.cdp.session import Session
from pagelens.core.options import Options
from pagelens.errors import PagelensError
from tests.support.data import MISSING, data_dir
from tests.support.protocol import Watch
from tests.support.site import Site

if TYPE_CHECKING:
    from pagelens.browser.host import BrowserHost
    from pagelens.browser.page import Page

# The same examples each time, however busy the machine is.
settings.register_profile("pagelens", derandomize=True, deadline=None)
settings.load_profile("pagelens")

_skipped_for_data = pytest.StashKey[int]()

#: Modules and tests in which both eras of the protocol are taken in `make test`; all others take both with ``--long``.
BOTH_WAYS = frozenset(
    {
        "test_greeting",
        "test_read_fill_submit_and_see_what_happened",
        "test_the_sdk_client_lists_calls_and_sees_progress",
    }
)


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("pagelens")
    group.addoption("--long", action="store_true", help="run all: 100 repetitions, all data (`make test-all`)")
    group.addoption("--require-data", action="store_true", help="missing reference data fail tests instead of skipping")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    # The longest files first, so that the last ones to end are short: nobody works alone for long.
    items.sort(key=lambda item: not {"e2e", "browser"}.intersection(item.path.parts))
    if config.getoption("--long"):
        return
    for item in items:
        # What both ways of getting to know the server go through is the same from the first call on.
        if "discover" in getattr(getattr(item, "callspec", None), "params", {}).values() and not (
            item.path.stem in BOTH_WAYS or item.name.partition("[")[0] in BOTH_WAYS
        ):
            item.add_marker(pytest.mark.long)
    long = [item for item in items if item.get_closest_marker("long")]
    if long:
        config.hook.pytest_deselected(items=long)
        items[:] = [item for item in items if item not in long]


def pytest_runtest_setup(item: pytest.Item) -> None:
    if item.get_closest_marker("data") and data_dir() is None:
        if item.config.getoption("--require-data"):
            pytest.fail(MISSING, pytrace=False)
        pytest.skip(MISSING)


def pytest_terminal_summary(terminalreporter: Any) -> None:
    missing = [report for report in terminalreporter.stats.get("skipped", []) if MISSING in str(report.longrepr)]
    if missing:
        terminalreporter.write_line(f"{len(missing)} tests skipped for want of reference data ({MISSING})")


# -- what we send is checked ---------------------------------------------------------------------------


@pytest.fixture(scope="session")
def _protocol_watch(pytestconfig: pytest.Config) -> Iterator[Watch]:
    watch = Watch(Path(pytestconfig.cache.mkdir("protocol")))
    subscribe, subscribe_raw = Session.on, Session.on_raw

    def on(self: Session, method: str, handler: Any) -> Callable[[], None]:
        watch.event(method)
        return subscribe(self, method, handler)

    def on_raw(self: Session, method: str, handler: Any) -> Callable[[], None]:
        watch.event(method)
        return subscribe_raw(self, method, handler)

    Connection.inspector = staticmethod(watch.command)
    Session.on = on  # type: ignore[method-assign]
    Session.on_raw = on_raw  # type: ignore[method-assign]
    yield watch
    Session.on = subscribe  # type: ignore[method-assign]
    Session.on_raw = subscribe_raw  # type: ignore[method-assign]
    Connection.inspector = None


@pytest.fixture(autouse=True)
def protocol_watch(_protocol_watch: Watch) -> Iterator[Watch]:
    """Fails a test whose commands or subscriptions the running browser does not know.

    A test of the wire itself may send such things inside ``with protocol_watch.unchecked():``.
    """
    _protocol_watch.violations.clear()
    yield _protocol_watch
    if _protocol_watch.violations:
        pytest.fail("against the browser's protocol: " + "; ".join(dict.fromkeys(_protocol_watch.violations)))


# -- things to test with -------------------------------------------------------------------------------


@pytest.fixture(scope="session")
def site() -> Iterator[Site]:
    """A web site on 127.0.0.1, the same for the whole run."""
    with Site() as running:
        yield running


@pytest.fixture(autouse=True)
def _forgotten_when_run_again(request: pytest.FixtureRequest) -> None:
    """What a test asked of the site before it failed is not counted when it is run again."""
    if getattr(request.node, "execution_count", 1) > 1 and "site" in request.fixturenames:
        request.getfixturevalue("site").forget()


@pytest.fixture(scope="session")
def repeats(pytestconfig: pytest.Config) -> int:
    """How often to repeat what must never fail: 4, or 100 with ``--long``."""
    return 100 if pytestconfig.getoption("--long") else 4


@pytest.fixture(scope="session")
def browser_options() -> Options:
    """The options of the run's browser."""
    return Options(headless=True, isolated=True)


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def host(browser_options: Options) -> AsyncIterator[BrowserHost]:
    """The run's browser. Tests that kill it, or need other options, start one of their own."""
    from pagelens.browser.host import BrowserHost

    running = BrowserHost(browser_options)
    await running.ensure_running()
    yield running
    await running.close()


@pytest.fixture(scope="session")
def _kept_page() -> list[Page]:
    return []


@pytest_asyncio.fixture(loop_scope="session")
async def page(host: BrowserHost, request: pytest.FixtureRequest, _kept_page: list[Page]) -> AsyncIterator[Page]:
    """A fresh page at about:blank; it and the pages it opened are closed afterwards.

    Opening one costs more than most tests. Where a module says ``REUSES_PAGE = True``, its tests need nothing but a
    fresh document: they get one in the page of the test before, as long as that is in order. With
    ``REUSES_PAGE = "as it is"`` they begin by navigating themselves: they get the page as the test before left it.
    """
    reuses = getattr(request.module, "REUSES_PAGE", False)
    fresh = await kept_page(_kept_page, reuses)
    before = set(host.pages)
    fresh = fresh or await host.new_page()
    yield fresh
    if reuses and fresh.closed is None:
        _kept_page.append(fresh)
    for number, opened in list(host.pages.items()):
        if number not in before and opened.closed is None and opened not in _kept_page:
            await opened.close()


async def kept_page(kept: list[Page], reuses: object) -> Page | None:
    """The page of the test before where a module reuses it (see `page`) and it is in order; otherwise it is closed."""
    page = kept.pop() if kept else None
    if page is not None and (not reuses or not await _is_in_order(page, blank=reuses != "as it is")):
        if page.closed is None:
            await page.close()
        page = None
    return page


async def _is_in_order(page: Page, *, blank: bool) -> bool:
    """Whether a page can be used again, at about:blank if that is wanted."""
    if page.closed is not None or page.is_crashed or page.dialog is not None or page.emulation.settings != NOTHING:
        return False
    if blank:
        try:
            await page.navigate("about:blank")
        except PagelensError:
            return False
    page.take_news()
    return not blank or page.url == "about:blank"
