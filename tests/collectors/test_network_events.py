"""Events in the orders that Chrome was seen to use, and in worse ones."""

from __future__ import annotations

from types import SimpleNamespace
from typing import cast

from pagelens.browser.page import Page
from pagelens.collectors.ids import IdCounter
from pagelens.collectors.network_collector import MAX_EARLY, NetworkCollector
from tests.collectors.fakes import FakePage, FakeSession, sent


def recorded() -> tuple[FakePage, FakeSession, NetworkCollector]:
    page = FakePage()
    network = NetworkCollector(cast(Page, page), IdCounter())
    return page, page.attach(), network


def sent_extra(session: FakeSession, request_id: str, **headers: str) -> None:
    session.emit("Network.requestWillBeSentExtraInfo", requestId=request_id, headers=headers)


def answered_extra(session: FakeSession, request_id: str, status: int, **headers: str) -> None:
    session.emit("Network.responseReceivedExtraInfo", requestId=request_id, statusCode=status, headers=headers)


def test_extra_info_before_its_request() -> None:
    _, session, network = recorded()
    sent_extra(session, "1", Cookie="a=1")
    answered_extra(session, "1", 204, Date="now")
    sent(session, "1")
    (request,) = network.get_data()
    assert request.request_headers() == {"Cookie": "a=1"}
    assert request.status == 204


def test_early_extra_info_is_bounded() -> None:
    _, session, network = recorded()
    for number in range(MAX_EARLY * 3):
        sent_extra(session, f"never-{number}")
    assert len(network._early) == MAX_EARLY


def test_extra_info_of_hops_that_come_late_and_mixed() -> None:
    _, session, network = recorded()
    sent(session, "1", "http://x/1")
    sent_extra(session, "1", hop="1")
    redirect = {"status": 302, "headers": {"Location": "/2"}}
    sent(session, "1", "http://x/2", redirectResponse=redirect, redirectHasExtraInfo=True, timestamp=2.0)
    # The second hop's request headers before the first hop's response headers.
    sent_extra(session, "1", hop="2")
    answered_extra(session, "1", 302, hop="1")
    answered_extra(session, "1", 200, hop="2")
    session.emit("Network.responseReceived", requestId="1", type="Fetch", hasExtraInfo=True, response={"status": 200})
    one, two = network.get_data()
    assert (one.request_headers(), one.response_headers(), one.status) == ({"hop": "1"}, {"hop": "1"}, 302)
    assert (two.request_headers(), two.response_headers(), two.status) == ({"hop": "2"}, {"hop": "2"}, 200)
    assert (one.ended, one.duration) == (2.0, 1.0)


def test_extra_info_taken_by_a_hop_that_has_none_is_passed_on() -> None:
    _, session, network = recorded()
    sent(session, "1", "http://x/1")
    # Belongs to the second hop: the first was answered from the cache, which is not known yet.
    sent_extra(session, "1", hop="2")
    answered_extra(session, "1", 200, hop="2")
    redirect = {"status": 307, "headers": {"Location": "/2"}}
    sent(session, "1", "http://x/2", redirectResponse=redirect, redirectHasExtraInfo=False)
    one, two = network.get_data()
    assert one.status == 307
    assert one.response_headers() == {"Location": "/2"}
    assert two.request_headers() == {"hop": "2"}
    assert two.status == 200


def test_a_request_told_by_two_sessions_is_one() -> None:
    page, session, network = recorded()
    other = page.attach("worker", "http://x/w.js", id="s2", target_id="w")
    sent(session, "1")
    sent(other, "1")
    (request,) = network.get_data()
    other.emit("Network.responseReceived", requestId="1", type="Script", response={"status": 200})
    assert request.session is other
    assert request.resource_type == "script"


def test_a_worker_that_ends_leaves_its_requests_without_an_end() -> None:
    page, session, network = recorded()
    worker = page.attach("worker", "http://x/w.js", id="s2", target_id="w")
    sent(session, "1")
    sent(worker, "2")
    worker.end()
    assert [r.outcome for r in network.get_data()] == ["pending", "unfinished"]
    assert network.get_data()[1].left_behind == "its worker is gone"


def test_an_end_that_comes_after_all_counts() -> None:
    page, session, network = recorded()
    sent(session, "1")
    page.navigate("L9")
    (request,) = network.get_data(True)
    assert request.outcome == "unfinished"
    session.emit("Network.loadingFinished", requestId="1", timestamp=4.0, encodedDataLength=17)
    assert (request.outcome, request.encoded_bytes, request.duration) == ("finished", 17, 3.0)


def test_nothing_changes_an_ended_request() -> None:
    _, session, network = recorded()
    sent(session, "1", type="Document", loader="1")
    session.emit(
        "Network.loadingFailed", requestId="1", timestamp=2.0, errorText="net::ERR_UNSAFE_PORT", canceled=False
    )
    # Chrome's error page comes under the same id.
    session.emit("Network.dataReceived", requestId="1", dataLength=250_564)
    session.emit("Network.loadingFinished", requestId="1", timestamp=3.0, encodedDataLength=250_564)
    (request,) = network.get_data()
    assert (request.outcome, request.error_text, request.body_bytes) == ("failed", "net::ERR_UNSAFE_PORT", 0)


def test_images_of_chromes_error_page_are_left_out() -> None:
    page, session, network = recorded()
    sent(session, "E", type="Document", loader="E")
    session.emit("Network.loadingFailed", requestId="E", errorText="net::ERR_FAILED")
    page.navigate("E", kind="error")
    sent(session, "2", "data:image/png;base64,AAAA", loader="E", type="Image")
    assert [r.request_id for r in network.get_data()] == ["E"]
    sent(session, "L", type="Document", loader="L")
    page.navigate("L")
    sent(session, "3", "data:image/png;base64,AAAA", loader="L", type="Image")
    assert [r.request_id for r in network.get_data()] == ["L", "3"]


def test_download() -> None:
    page, session, network = recorded()
    sent(session, "D", "http://x/file", type="Document", loader="D")
    session.emit("Network.responseReceived", requestId="D", type="Document", response={"status": 200})
    session.emit("Network.loadingFailed", requestId="D", errorText="net::ERR_ABORTED", canceled=True)
    page.download_changed.emit(SimpleNamespace(url="http://x/file"))
    assert network.get_data()[0].outcome == "download"


def test_very_large_events_are_cut() -> None:
    _, session, network = recorded()
    frames = [{"functionName": f"f{n}", "url": "http://x/s.js", "lineNumber": n, "columnNumber": 0} for n in range(900)]
    sent(
        session,
        "1",
        "data:text/plain," + "d" * 500_000,
        documentURL="data:text/html," + "h" * 500_000,
        request={"method": "POST", "hasPostData": True, "postData": "p" * 500_000, "headers": {"a": "b"}},
        initiator={"type": "script", "stack": {"callFrames": frames, "parent": {"callFrames": frames}}},
    )
    session.emit(
        "Network.responseReceived",
        requestId="1",
        type="Fetch",
        response={"status": 200, "url": "data:text/plain," + "d" * 500_000, "headers": {"c": "d"}},
    )
    (request,) = network.get_data()
    assert request.weight < 10_000
    assert request.url_length == 500_016
    assert request.has_body
    assert request.post_data() is None
    assert request.request_headers() == {"a": "b"}
    assert request.response_headers() == {"c": "d"}
    assert request.initiator()["stack"]["callFrames"][0]["functionName"] == "f0"


def test_lone_surrogates_in_an_event() -> None:
    _, session, network = recorded()
    sent(session, "1", request={"postData": "\ud800", "hasPostData": True})
    (request,) = network.get_data()
    assert request.post_data() == "\ud800"
    redirect = {"status": 302, "statusText": "\ud800", "headers": {"Location": "/2"}}
    sent(session, "1", "http://x/2", redirectResponse=redirect)
    assert request.status == 302


def test_websocket_life() -> None:
    _, session, network = recorded()
    stack = {"callFrames": [{"functionName": "go", "url": "http://x/", "lineNumber": 1, "columnNumber": 2}]}
    session.emit(
        "Network.webSocketCreated", requestId="W", url="ws://x/ws", initiator={"type": "script", "stack": stack}
    )
    (socket,) = network.get_data()
    assert (socket.resource_type, socket.outcome) == ("websocket", "pending")
    session.emit(
        "Network.webSocketWillSendHandshakeRequest",
        requestId="W",
        timestamp=5.0,
        wallTime=1700000000.0,
        request={"headers": {"Upgrade": "websocket"}},
    )
    session.emit(
        "Network.webSocketHandshakeResponseReceived",
        requestId="W",
        response={"status": 101, "headers": {"Connection": "Upgrade"}},
    )
    assert (socket.status, socket.outcome) == (101, "open")
    assert socket.request_headers() == {"Upgrade": "websocket"}
    assert socket.response_headers() == {"Connection": "Upgrade"}
    assert socket.initiator()["stack"] == stack
    session.emit("Network.webSocketClosed", requestId="W", timestamp=7.0)
    assert (socket.outcome, socket.duration) == ("finished", 2.0)


def test_events_of_unknown_requests_are_ignored() -> None:
    _, session, network = recorded()
    for event in ("responseReceived", "dataReceived", "loadingFinished", "loadingFailed", "requestServedFromCache"):
        session.emit("Network." + event, requestId="unknown")
    assert network.get_data() == []
