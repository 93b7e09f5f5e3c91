"""Maps of a page's scripts are found, loaded under the rules, and kept."""

from __future__ import annotations

import base64
import json
from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from pagelens.browser.host import BrowserHost
from pagelens.collectors.source_mapper import SourceMapper
from pagelens.core.options import Options
from tests.analysis.test_source_maps import encoded
from tests.collectors.conftest import Recorder
from tests.support.site import Response, Site

#: Line 1, column 7 of each script is line 40, column 3 of the source.
MAPPINGS = encoded([[(0, 0, 0, 0), (6, 0, 39, 2, 0)]])
MAP = json.dumps({"version": 3, "sources": ["../src/app.ts"], "names": ["fail"], "mappings": MAPPINGS}).encode()
SCRIPT = "window.loaded = true;"
JS = "text/javascript"


def serve(site: Site) -> None:
    site.route(
        "/js/external.js", lambda _: Response(f"{SCRIPT}\n//# sourceMappingURL=external.js.map", content_type=JS)
    )
    site.route("/js/external.js.map", lambda _: Response(MAP, content_type="application/json"))
    site.route(
        "/js/header.js", lambda _: Response(SCRIPT, headers={"SourceMap": "/js/external.js.map"}, content_type=JS)
    )
    inline = base64.b64encode(MAP).decode()
    site.route(
        "/js/inline.js",
        lambda _: Response(f"{SCRIPT}\n//# sourceMappingURL=data:application/json;base64,{inline}", content_type=JS),
    )
    site.route("/js/none.js", lambda _: Response(SCRIPT, content_type=JS))
    site.route("/js/missing.js", lambda _: Response(f"{SCRIPT}\n//# sourceMappingURL=/status/404", content_type=JS))
    site.route("/js/bad.js", lambda _: Response(f"{SCRIPT}\n//# sourceMappingURL=/blank", content_type=JS))
    site.route(
        "/js/redirected.js",
        lambda _: Response(f"{SCRIPT}\n//# sourceMappingURL=/redirect?to=/js/external.js.map", content_type=JS),
    )


NAMES = ("external", "header", "inline", "none", "missing", "bad", "redirected")


def page_with_scripts(site: Site) -> str:
    serve(site)
    return site.page("".join(f"<script src=/js/{name}.js></script>" for name in NAMES))


async def test_where_maps_are_and_where_they_lead(recorder: Recorder, site: Site) -> None:
    mapper = SourceMapper(recorder.page, recorder.network)
    await recorder.page.navigate(page_with_scripts(site))
    places = [(site.url(f"/js/{name}.js"), 1, 10) for name in NAMES]
    site.forget()
    found = await mapper.locate([*places, (site.url("/not-a-script.js"), 1, 1), ("", 0, 0)])
    assert set(found) == {places[0], places[1], places[2], places[6]}
    for place in (places[0], places[2], places[6]):
        mapped = found[place]
        assert (mapped.source, mapped.line, mapped.column, mapped.name) == (site.url("/src/app.ts"), 40, 3, "fail")
    assert mapper.problem(places[0][0]) is None
    assert mapper.problem(places[3][0]) is None
    assert "status 404" in (mapper.problem(places[4][0]) or "")
    assert "no source map" in (mapper.problem(places[5][0]) or "")
    # What is known is not asked for again, and nothing of it is among the page's requests.
    asked = len(site.requests)
    assert await mapper.locate(places) == found
    assert len(site.requests) == asked
    assert not recorder.requests(".map", True)


async def test_scripts_of_earlier_navigations_have_theirs(recorder: Recorder, site: Site) -> None:
    mapper = SourceMapper(recorder.page, recorder.network)
    await recorder.page.navigate(page_with_scripts(site))
    await recorder.page.navigate(site.url("/blank"))
    place = (site.url("/js/external.js"), 1, 7)
    assert (await mapper.locate([place]))[place].line == 40


async def test_switched_off(recorder: Recorder, site: Site) -> None:
    mapper = SourceMapper(recorder.page, recorder.network, enabled=False)
    await recorder.page.navigate(page_with_scripts(site))
    site.forget()
    assert await mapper.locate([(site.url("/js/external.js"), 1, 7)]) == {}
    assert not site.requests


@pytest_asyncio.fixture(loop_scope="session")
async def ruled(site: Site) -> AsyncIterator[Recorder]:
    """A page in a browser that may load everything but maps below ``/js/``."""
    host = BrowserHost(Options(headless=True, isolated=True, blocked_url_patterns=(site.url("/js/*.map"),)))
    recorder = Recorder(host)
    await host.ensure_running()
    await recorder.open()
    yield recorder
    await host.close()


async def test_rules_for_addresses_hold_for_maps(ruled: Recorder, site: Site) -> None:
    mapper = SourceMapper(ruled.page, ruled.network)
    await ruled.page.navigate(page_with_scripts(site))
    site.forget()
    places = [(site.url(f"/js/{name}.js"), 1, 10) for name in NAMES]
    found = await mapper.locate(places)
    assert set(found) == {places[2]}, "only the inline one"
    assert not site.seen("/js/external.js.map")
    assert "--blocked-url-pattern" in (mapper.problem(places[0][0]) or "")
    assert "could not be loaded under the rules" in (mapper.problem(places[6][0]) or "")


@pytest.mark.parametrize("name", ["external"])
async def test_a_map_that_never_comes_holds_nobody_up(
    recorder: Recorder, site: Site, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setattr("pagelens.collectors.source_mapper.PATIENCE", 0.2)
    mapper = SourceMapper(recorder.page, recorder.network)
    serve(site)
    site.route("/js/waits.js", lambda _: Response(f"{SCRIPT}\n//# sourceMappingURL=/hold/a-map", content_type=JS))
    await recorder.page.navigate(site.page(f"<script src=/js/waits.js></script><script src=/js/{name}.js></script>"))
    places = [(site.url("/js/waits.js"), 1, 10), (site.url(f"/js/{name}.js"), 1, 10)]
    assert set(await mapper.locate(places)) == {places[1]}
    site.release("a-map")
