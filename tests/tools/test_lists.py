"""list_network_requests and list_console_messages."""

from __future__ import annotations

from tests.support.site import Site
from tests.tools.conftest import Agent

#: No test begins with what is in the page: they open documents of their own.
REUSES_PAGE = "as it is"


async def test_requests_are_listed_paged_and_filtered(agent: Agent, site: Site) -> None:
    script = "for (let i = 0; i < 25; i++) await fetch('/json?n=' + i)"
    url = site.page("<h1>Fetches</h1>")
    await agent.ok("navigate_page", url=url)
    await agent.ok("evaluate_script", function=f"async () => {{ {script} }}")
    reply = await agent.call("list_network_requests", resourceTypes=["fetch"])
    assert "Showing 1-20 of 25 (page 1 of 2). Next: pageIdx 1." in reply.text
    assert reply.structured["pagination"]["totalPages"] == 2
    first = reply.structured["networkRequests"]
    second = (await agent.call("list_network_requests", resourceTypes=["fetch"], pageIdx=1)).structured
    requests = first + second["networkRequests"]
    assert [request["url"] for request in requests] == [site.url("/json", n=i) for i in range(25)]
    documents = await agent.ok("list_network_requests", resourceTypes=["document"])
    assert url in documents
    assert "/json" not in documents
    few = await agent.call("list_network_requests", pageSize=3, pageIdx=99)
    assert "There is no such page; the first one is shown." in few.text
    assert len(few.structured["networkRequests"]) == 3


async def test_requests_of_the_navigation_before(agent: Agent, site: Site) -> None:
    one, two = site.page("<h1>One</h1>"), site.page("<h1>Two</h1>")
    await agent.ok("navigate_page", url=one)
    await agent.ok("navigate_page", url=two)
    assert one not in await agent.ok("list_network_requests")
    both = await agent.ok("list_network_requests", includePreservedRequests=True)
    assert both.index(one) < both.index(two)


async def test_console_messages_are_listed_paged_and_filtered(agent: Agent, site: Site) -> None:
    url = site.page("<script>for (let i = 0; i < 25; i++) console.log('line ' + i); console.error('bad')</script>")
    await agent.ok("navigate_page", url=url)
    reply = await agent.call("list_console_messages")
    assert "(page 1 of 2)" in reply.text
    assert "line 0" in reply.text
    assert "bad" not in reply.text
    errors = await agent.call("list_console_messages", types=["error"])
    assert "bad" in errors.text
    assert "line" not in errors.text.replace("/p", "")
    await agent.ok("navigate_page", url=site.page("<h1>Silent</h1>"))
    assert "line 0" not in await agent.ok("list_console_messages")
    assert "line 0" in await agent.ok("list_console_messages", includePreservedMessages=True)


async def test_lists_of_a_page_held_by_a_dialog(agent: Agent, site: Site) -> None:
    url = site.page("<script>console.log('before'); alert('hold')</script>")
    await agent.ok("navigate_page", url=url)
    assert "before" in await agent.ok("list_console_messages")
    assert url in await agent.ok("list_network_requests")
    await agent.ok("handle_dialog", action="accept")
