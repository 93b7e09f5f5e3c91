"""Buckets, ids and bounds, with exact events."""

from __future__ import annotations

from typing import Any, cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pagelens.browser.page import Page
from pagelens.collectors.ids import IdCounter
from pagelens.collectors.network_collector import NetworkCollector
from pagelens.errors import RecordGone, RecordNotFound
from tests.collectors.fakes import FakePage, sent


def collector(page: FakePage, ids: IdCounter | None = None) -> NetworkCollector:
    return NetworkCollector(cast(Page, page), ids or IdCounter())


def test_ids_are_never_given_twice_and_know_their_page() -> None:
    ids = IdCounter()
    given_out = [(page, ids.next(page)) for page in (1, 1, 2, 1, 3, 3)]
    assert [number for _, number in given_out] == [1, 2, 3, 4, 5, 6]
    assert [ids.owner(number) for _, number in given_out] == [page for page, _ in given_out]
    assert ids.owner(0) is None
    assert ids.owner(7) is None
    ids.end(2)
    assert ids.has_ended(2)
    assert not ids.has_ended(1)


def test_owners_of_long_ago_are_forgotten_not_confused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(IdCounter, "MAX_RUNS", 10)
    ids = IdCounter()
    owners = {ids.next(page): page for page in [1, 2] * 30}
    assert len(ids._run_starts) <= 10
    for number, page in owners.items():
        assert ids.owner(number) in (page, None)
        assert ids.was_given(number)
    assert ids.owner(60) == 2


def test_the_request_that_navigated_moves_with_all_after_it() -> None:
    page = FakePage()
    network = collector(page)
    session = page.attach()
    sent(session, "1", "http://x/old")
    sent(session, "L1", "http://x/doc", loader="L1", type="Document")
    sent(session, "2", "http://x/unload")
    page.navigate("L1", "http://x/doc")
    assert [r.request_id for r in network.get_data()] == ["L1", "2"]
    assert [r.request_id for r in network.get_data(True)] == ["1", "L1", "2"]
    assert [n.url for n in network.navigations] == ["http://x/doc", ""]


def test_what_does_not_split() -> None:
    page = FakePage()
    network = collector(page)
    session = page.attach()
    sent(session, "1")
    page.navigate("L0", kind="same_document")
    sent(session, "C", "http://x/child", loader="C", type="Document", frame="child")
    page.navigate("C", main=False)
    assert [r.request_id for r in network.get_data()] == ["1", "C"]
    assert not network.get_data()[1].is_main_document


def test_a_restored_document_takes_no_requests_along() -> None:
    page = FakePage()
    network = collector(page)
    session = page.attach()
    sent(session, "L1", loader="L1", type="Document")
    page.navigate("L1")
    sent(session, "L2", loader="L2", type="Document")
    page.navigate("L2")
    page.navigate("L1", kind="bfcache")
    assert network.get_data() == []
    assert [r.request_id for r in network.get_data(True)] == ["L1", "L2"]
    # Its loader is of an older navigation than the current one, should Chrome ever call it a new document.
    sent(session, "3", loader="L1")
    page.navigate("L1")
    assert network.get_data() == []


def test_weights_add_up_whatever_happens() -> None:
    page = FakePage()
    network = collector(page)
    session = page.attach()
    for number in range(1, 40):
        loader = f"L{number // 8}"
        sent(session, loader if number % 8 == 0 else str(number), loader=loader, type="Document")
        session.emit("Network.requestWillBeSentExtraInfo", requestId=str(number), headers={"a": "b" * number})
        if number % 8 == 4:
            page.navigate(loader)
        session.emit("Network.responseReceived", requestId=str(number), type="Fetch", response={"status": 200})
        for navigation in network.navigations:
            assert navigation.weight == sum(item.weight for item in navigation.items)
    kept = network.get_data(True)
    assert set(network._by_id) == {item.id for item in kept}
    assert {hop.id for chain in network._chains.values() for hop in chain.hops} == set(network._by_id)


def test_a_cap_drops_the_oldest_keeps_the_document_and_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(NetworkCollector, "max_items", 5)
    page = FakePage()
    network = collector(page)
    session = page.attach()
    sent(session, "L1", loader="L1", type="Document")
    page.navigate("L1")
    for number in range(10):
        sent(session, str(number), loader="L1")
    assert [r.request_id for r in network.get_data()] == ["L1", "6", "7", "8", "9"]
    note = network.cap_note()
    assert note is not None
    assert note.startswith("6 older requests dropped: the newest 5 requests of a navigation are kept")
    with pytest.raises(RecordGone, match="the newest 5 requests"):
        network.lookup(3)


def test_a_cap_of_bytes_counts_what_comes_later(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(NetworkCollector, "max_weight", 20_000)
    page = FakePage()
    network = collector(page)
    session = page.attach()
    for number in range(10):
        sent(session, str(number))
    assert network.cap_note() is None
    session.emit("Network.responseReceivedExtraInfo", requestId="9", statusCode=200, headers={"x": "y" * 15_000})
    assert network.navigations[0].weight <= 20_000
    assert network.get_data()[-1].request_id == "9"
    assert network.cap_note() is not None


def test_every_answer_to_an_id() -> None:
    ids = IdCounter()
    one, two = FakePage(1), FakePage(2)
    first, second = collector(one, ids), collector(two, ids)
    session = one.attach()
    sent(session, "L1", loader="L1", type="Document")
    page_two = two.attach(id="s2")
    sent(page_two, "9")
    assert first.lookup(1).request_id == "L1"
    with pytest.raises(RecordNotFound, match=r"reqid=2 was recorded on page 2, not on page 1. Ask with pageId 2."):
        first.lookup(2)
    with pytest.raises(RecordNotFound, match=r"No request has reqid=3. list_network_requests shows"):
        first.lookup(3)
    for loader in ("A", "B", "C"):
        one.navigate(loader)
    with pytest.raises(RecordGone, match="the current navigation and the 2 before it"):
        first.lookup(1)
    assert first.get_by_id(1) is None
    two.closed_signal.emit("closed by the user")
    assert second.is_closed
    for asked in (first, second):
        with pytest.raises(RecordGone, match=r"reqid=2 is no longer kept: page 2 was closed."):
            asked.lookup(2)
    # A closed page takes nothing any more.
    two.navigate("Z")
    assert second.get_data(True) == []


@settings(max_examples=60, deadline=None, derandomize=True)
@given(st.lists(st.sampled_from(["request", "response", "finish", "start", "commit", "same", "back"]), max_size=60))
def test_any_order_of_events_keeps_the_record_consistent(steps: list[str]) -> None:
    page = FakePage()
    network = collector(page)
    session = page.attach()
    started: list[str] = []
    for number, step in enumerate(steps, 1):
        if step == "request":
            sent(session, str(number))
        elif step in ("response", "finish"):
            name: str = "Network.responseReceived" if step == "response" else "Network.loadingFinished"
            extra: dict[str, Any] = {"type": "Fetch", "response": {"status": 200}} if step == "response" else {}
            session.emit(name, requestId=str(number // 2), timestamp=2.0, **extra)
        elif step == "start":
            started.append(f"L{number}")
            sent(session, started[-1], loader=started[-1], type="Document")
        elif step == "commit" and started:
            page.navigate(started[-1])
        elif step == "same":
            page.navigate("L0", kind="same_document")
        elif step == "back":
            page.navigate("L0", kind="bfcache")
        kept = network.get_data(True)
        ids = [item.id for item in kept]
        assert ids == sorted(set(ids))
        assert set(network._by_id) == set(ids)
        assert len(network.navigations) <= 3
        assert all(network.lookup(item.id) is item for item in kept)
        assert all(navigation.weight == sum(i.weight for i in navigation.items) for navigation in network.navigations)
