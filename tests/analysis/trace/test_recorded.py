"""Each of the 19 insights fires on a page made to set it off, and is silent on a clean one: real recordings."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from pagelens.analysis.trace import PageLoad, Trace
from pagelens.browser.host import BrowserHost
from pagelens.core.options import Options
from tests.support.site import Site
from tests.support.trace_pages import RESOLVER_RULES, TROUBLES, made_page, recorded_trace

#: These tell of every page; what they tell is no finding.
ALWAYS = {"INPBreakdown": "informative", "LCPBreakdown": "informative"}
#: What a trouble can't be without.
BRINGS = {
    # On a busy machine each of the forced layouts may be a large one.
    "ForcedReflow": {"DOMSize"},
    "LCPBreakdown": {"CLSCulprits"},
    "RenderBlocking": {"NetworkDependencyTree"},
    "NetworkDependencyTree": {"RenderBlocking"},
    "FontDisplay": {"NetworkDependencyTree"},
    # Many elements cost Chrome's own selectors much; costly selectors take long for many elements.
    "DOMSize": {"SlowCSSSelector"},
    "SlowCSSSelector": {"DOMSize"},
}
#: Informative at most: DevTools' engine calls none of them a failure.
INFORMATIVE = {"DOMSize", "ThirdParties", "SlowCSSSelector"}


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def named_host() -> AsyncIterator[BrowserHost]:
    """A browser to which all hosts under .test are the test site."""
    host = BrowserHost(Options(headless=True, isolated=True, chrome_args=(RESOLVER_RULES,)))
    await host.ensure_running()
    yield host
    await host.close()


def load_of(trace: Trace) -> PageLoad:
    assert trace.skipped_count == 0
    (load,) = (load for load in trace.navigations if load.id != "NO_NAVIGATION")
    return load


def fired(load: PageLoad) -> set[str]:
    return {
        name
        for name, insight in load.insights.items()
        if insight.state != "pass"
        and not (insight.state == "informative" and name in ALWAYS)
        and not (insight.state == "informative" and name == "CLSCulprits")
    }


async def test_a_clean_page_sets_off_nothing(named_host: BrowserHost, site: Site) -> None:
    load = load_of(await recorded_trace(named_host, made_page(site)))
    assert fired(load) == set()
    assert {name: load.insights[name].state for name in ALWAYS} == ALWAYS
    assert load.lcp is not None
    assert (load.lcp.element[:3], load.cls) == ("IMG", 0)
    assert load.interactions[0].type in ("pointerdown", "pointerup", "click", "mousedown", "mouseup")


async def test_a_page_with_every_trouble_sets_off_everything(named_host: BrowserHost, site: Site) -> None:
    load = load_of(await recorded_trace(named_host, made_page(site, TROUBLES)))
    missing = set(TROUBLES) - fired(load)
    assert missing == set()
    assert {name for name in TROUBLES if load.insights[name].state == "informative"} == INFORMATIVE
    inp = load.insights["INPBreakdown"].figures
    assert inp["function"]["name"] in ("slowHandler", "now", "sqrt")
    behind = load.behind(load.interactions[0].ts, load.interactions[0].end)
    assert behind is not None
    assert behind.entry is not None
    reflow = load.insights["ForcedReflow"].figures
    assert "thrash" in [place["name"] for place in reflow["places"]]
    assert load.insights["DuplicatedJavaScript"].figures["modules"][0]["module"] == "lib/index.js"
    assert load.insights["SlowCSSSelector"].figures["selectors"]


@pytest.mark.long
@pytest.mark.parametrize("name", TROUBLES)
async def test_each_trouble_sets_off_its_insight_and_no_other(name: str, named_host: BrowserHost, site: Site) -> None:
    load = load_of(await recorded_trace(named_host, made_page(site, [name])))
    assert name in fired(load)
    assert fired(load) - {name} <= BRINGS.get(name, set())
