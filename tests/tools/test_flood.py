"""A page that asks and says more than anybody reads: nothing is held up, the lists are right, memory is bounded."""

from __future__ import annotations

import re

import pytest

from tests.support.site import Site
from tests.tools.conftest import Agent

FLOOD = """async () => {
  const lanes = Array.from({length: 6}, async (_, lane) => {
    for (let n = lane; n < REQUESTS; n += 6) await (await fetch('/json?flood=' + n)).text();
  });
  for (let n = 0; n < LINES; n++) {
    console.log('line', n);
    if (n % 500 === 0) await new Promise(done => setTimeout(done));
  }
  await Promise.all(lanes);
  console.log('the end');
  return 'flooded';
}"""


@pytest.mark.parametrize(
    ("requests", "lines"), [(400, 3_000), pytest.param(5_000, 20_000, marks=pytest.mark.long)], ids=["some", "many"]
)
async def test_requests_and_lines(agent: Agent, site: Site, requests: int, lines: int) -> None:
    await agent.ok("navigate_page", url=site.page("<h1>Flood</h1>"))
    script = FLOOD.replace("REQUESTS", str(requests)).replace("LINES", str(lines))
    page = agent.context.selected_page()
    going = page.page.session.post(
        "Runtime.evaluate", {"expression": f"({script})()", "awaitPromise": True, "returnByValue": True}
    )
    # While it goes on, everything else works.
    while not going.done:
        assert "Flood" in await agent.ok("take_snapshot")
        await agent.ok("list_network_requests", pageSize=5)
        await agent.ok("list_console_messages", pageSize=5)
    assert going.result()["result"]["value"] == "flooded"

    listed = await agent.call("list_network_requests", resourceTypes=["fetch"], pageSize=100_000)
    assert f"of {requests}" in listed.text
    first = await agent.call("list_network_requests", resourceTypes=["fetch"], pageSize=1)
    last = await agent.call("list_network_requests", resourceTypes=["fetch"], pageSize=1, pageIdx=requests - 1)
    ids = [reply.structured["networkRequests"][0]["requestId"] for reply in (first, last)]
    assert ids[1] - ids[0] >= requests - 1
    seen = {request.query["flood"] for request in site.seen("/json") if "flood" in request.query}
    recorded = {match[1] for request in page.network.get_data() if (match := re.search(r"flood=(\d+)", request.url))}
    assert recorded == seen == {str(n) for n in range(requests)}
    detail = await agent.ok("get_network_request", reqid=ids[1])
    assert '"flood"' in detail

    messages = await agent.call("list_console_messages", pageSize=1, pageIdx=10**6)
    total = int(re.search(r"of ([\d,]+)", messages.text)[1].replace(",", ""))  # type: ignore[index]
    assert total == min(lines + 1, page.console.max_items)
    final = await agent.ok("list_console_messages", pageSize=1, pageIdx=total - 1)
    assert "the end" in final
    if lines + 1 > page.console.max_items:
        assert "no longer kept" in final or "dropped" in final
    assert sum(navigation.weight for navigation in page.console.navigations) <= page.console.max_weight
    assert sum(navigation.weight for navigation in page.network.navigations) <= page.network.max_weight
