"""A minified bundle that throws is told by its sources: in the list line, in the details, in stacks."""

from __future__ import annotations

import json
from dataclasses import replace

from tests.analysis.test_source_maps import encoded
from tests.support.site import Response, Site
from tests.tools.conftest import Agent

#: ``function a(b){return b.c.d}`` is line 3 of cart.ts, where the error happens; the call is line 9 of main.ts.
BUNDLE = "function a(b){return b.c.d}console.log('adding');a({});\n//# sourceMappingURL=bundle.js.map"
MAP = json.dumps(
    {
        "version": 3,
        "sources": ["src/cart.ts", "src/main.ts"],
        "names": ["total", "cart"],
        "mappings": encoded([[(0, 0, 1, 0, 0), (14, 0, 2, 2), (25, 0, 2, 13), (27, 1, 7, 0), (49, 1, 8, 2, 0)]]),
    }
)


def serve(site: Site, *, with_map: bool = True) -> str:
    site.route("/js/bundle.js", lambda _: Response(BUNDLE, content_type="text/javascript"))
    answer = Response(MAP, content_type="application/json") if with_map else Response("", 500)
    site.route("/js/bundle.js.map", lambda _: answer)
    return site.page("<script src=/js/bundle.js></script>")


async def test_in_the_list_and_in_the_details(agent: Agent, site: Site) -> None:
    await agent.ok("navigate_page", url=serve(site))
    reply = await agent.call("list_console_messages", types=["error", "log"])
    logged, thrown = reply.structured["consoleMessages"][:2]
    assert "@main.ts:8:1 adding" in reply.text
    assert "cart.ts:3:" in reply.text
    assert "bundle.js" not in reply.text
    assert thrown["url"] == site.url("/js/bundle.js")
    assert thrown["original"]["url"] == site.url("/js/src/cart.ts")
    assert thrown["original"]["line"] == 3
    assert logged["original"] == {"url": site.url("/js/src/main.ts"), "line": 8, "column": 1}
    text = await agent.ok("get_console_message", msgid=thrown["id"])
    assert f"at {site.url('/js/src/cart.ts')}:3:" in text
    assert f"(in the script {site.url('/js/bundle.js')}:1:" in text
    assert f"a {site.url('/js/src/cart.ts')}:3:" in text
    assert f"(anonymous) {site.url('/js/src/main.ts')}:9:3" in text
    stacks = await agent.ok("list_console_messages", types=["error"], includeStackTraces=True)
    assert "main.ts:9:3" in stacks


async def test_without_the_map_the_script_is_told_and_why(agent: Agent, site: Site) -> None:
    await agent.ok("navigate_page", url=serve(site, with_map=False))
    reply = await agent.call("list_console_messages", types=["error"])
    thrown = reply.structured["consoleMessages"][0]
    assert "bundle.js:1:" in reply.text
    assert "original" not in thrown
    text = await agent.ok("get_console_message", msgid=thrown["id"])
    assert "The source map of the script is not used: It could not be loaded: status 500." in text


async def test_switched_off(agent: Agent, site: Site) -> None:
    agent.context.options = replace(agent.context.options, source_maps=False)
    page = await agent.context.new_page()
    assert page.id == agent.context.selected_id
    site.forget()
    await agent.ok("navigate_page", url=serve(site))
    assert "bundle.js:1:" in await agent.ok("list_console_messages", types=["error"])
    assert not site.seen("/js/bundle.js.map")
