"""The two lists as sections: paging, filters, earlier navigations, caps."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import pytest

from pagelens.browser.page import Page
from pagelens.collectors.console_collector import ConsoleCollector
from pagelens.collectors.ids import IdCounter
from pagelens.collectors.network_collector import NetworkCollector
from pagelens.collectors.request_filter import RequestFilter
from pagelens.collectors.source_mapper import SourceMapper
from pagelens.response.order import ConsoleListOrder, NetworkListOrder, Order
from pagelens.response.output import Output
from pagelens.response.sections.console_list import ConsoleListSection
from pagelens.response.sections.network_list import NetworkListSection
from tests.collectors.fakes import FakePage, FakeSession, sent
from tests.response.test_console_formatter import call


async def nothing() -> None:
    """There is nothing to wait for."""


class Pages:
    """One page with both collectors, and a context that has it selected."""

    def __init__(self) -> None:
        self.fake = FakePage()
        page = cast(Page, self.fake)
        self.network = NetworkCollector(page, IdCounter())
        self.sources = SourceMapper(page, self.network)
        self.console = ConsoleCollector(page, IdCounter())
        self.session: FakeSession = self.fake.attach()
        self.page = page
        workers = SimpleNamespace(of_page=lambda page: [], settle=nothing)
        self.context = SimpleNamespace(current_page=lambda: self, host=SimpleNamespace(workers=workers))

    async def show(self, section: Any, order: Order) -> Output:
        assert section.wanted(order)
        await section.compute(order, self.context)
        out = Output()
        section.render(out)
        return out

    async def requests(self, **wanted: Any) -> Output:
        return await self.show(NetworkListSection(), Order(network_list=NetworkListOrder(**wanted)))

    async def messages(self, **wanted: Any) -> Output:
        return await self.show(ConsoleListSection(), Order(console_list=ConsoleListOrder(**wanted)))


async def test_nothing_ordered_nothing_wanted() -> None:
    assert not NetworkListSection().wanted(Order())
    assert not ConsoleListSection().wanted(Order())


async def test_requests_are_paged_by_default() -> None:
    pages = Pages()
    for number in range(57):
        sent(pages.session, str(number), f"http://x/{number}")
    out = await pages.requests()
    assert out.lines[0] == "## Network requests"
    assert out.lines[1] == "Showing 1-20 of 57 (page 1 of 3). Next: pageIdx 1."
    assert out.lines[2] == "reqid method URL status type; URLs from / on are under http://x"
    assert out.lines[3] == "1 GET /0 - fetch [pending]"
    assert len(out.lines) == 23
    assert out.json["pagination"]["totalPages"] == 3
    assert [r["requestId"] for r in out.json["networkRequests"]] == list(range(1, 21))
    last = await pages.requests(page_size=50, page_idx=1)
    assert [r["requestId"] for r in last.json["networkRequests"]] == list(range(51, 58))
    wrong = await pages.requests(page_idx=9)
    assert wrong.json["pagination"]["invalidPage"]
    assert wrong.lines[4].startswith("1 GET ")


async def test_types_of_requests() -> None:
    pages = Pages()
    sent(pages.session, "1", type="Image")
    sent(pages.session, "2", type="Fetch")
    fetches = RequestFilter(["fetch"])
    assert [r["requestId"] for r in (await pages.requests(filter=fetches)).json["networkRequests"]] == [2]
    none = await pages.requests(filter=RequestFilter(["font"]))
    assert none.lines == ["## Network requests", "None of 2 requests matches: type font."]
    assert (await Pages().requests()).lines == ["## Network requests", "No requests."]


async def test_earlier_navigations_are_labelled() -> None:
    pages = Pages()
    for loader in ("A", "B"):
        sent(pages.session, loader, f"http://x/{loader}", loader=loader, type="Document")
        pages.fake.navigate(loader, f"http://x/{loader}")
        call(pages.session, f"said on {loader}")
    out = await pages.requests(include_preserved=True)
    assert out.lines[2:] == [
        "reqid method URL status type",
        "Earlier page http://x/A:",
        "1 GET http://x/A - document [no end recorded: the page navigated away]",
        "Current page http://x/B:",
        "2 GET http://x/B - document [pending]",
    ]
    assert [r["navigationsAgo"] for r in out.json["networkRequests"]] == [1, 0]
    messages = await pages.messages(include_preserved=True)
    assert messages.lines[2:] == [
        "msgid type@source text",
        "Earlier page http://x/A:",
        "1 log@app.js:12:5 said on A",
        "Current page http://x/B:",
        "2 log@app.js:12:5 said on B",
    ]
    assert [m["text"] for m in messages.json["consoleMessages"]] == ["said on A", "said on B"]
    assert (await pages.messages()).lines[2:] == ["msgid type@source text", "2 log@app.js:12:5 said on B"]


async def test_repeats_are_folded_before_paging() -> None:
    pages = Pages()
    for number in range(30):
        call(pages.session, f"line {number // 10}")
    out = await pages.messages(page_size=2)
    assert out.lines == [
        "## Console messages",
        "Showing 1-2 of 3 (page 1 of 2). Next: pageIdx 1.",
        "msgid type@source text; without @: the same source as above",
        "1 log(x10)@app.js:12:5 line 0",
        "11 log(x10) line 1",
    ]


async def test_types_of_messages() -> None:
    pages = Pages()
    call(pages.session, "a")
    call(pages.session, "b", kind="warning")
    assert [m["id"] for m in (await pages.messages(types=["warn", "error"])).json["consoleMessages"]] == [2]
    assert (await pages.messages(types=["error"])).lines[1:] == ["None of 2 messages is of these types."]
    assert (await Pages().messages()).lines == ["## Console messages", "No messages."]


async def test_a_cap_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ConsoleCollector, "max_items", 3)
    pages = Pages()
    for number in range(5):
        call(pages.session, f"line {number}")
    out = await pages.messages()
    assert out.lines[1].startswith("2 older console messages dropped: the newest 3 console messages")
    assert [m["id"] for m in out.json["consoleMessages"]] == [3, 4, 5]
