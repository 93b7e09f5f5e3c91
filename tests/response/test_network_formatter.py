"""Requests in words and JSON."""

from __future__ import annotations

from typing import Any

import pytest

from pagelens.collectors.network_request import NetworkRequest
from pagelens.response.formatters.network import NetworkFormatter, url_text
from tests.collectors.fakes import FakePage, FakeSession, sent
from tests.collectors.test_network_events import recorded


def finished(session: FakeSession, request_id: str, status: int = 200, **response: Any) -> None:
    session.emit(
        "Network.responseReceived", requestId=request_id, type="Fetch", response={"status": status, **response}
    )
    session.emit("Network.loadingFinished", requestId=request_id, timestamp=1.25, encodedDataLength=300)


def one(build: Any) -> NetworkRequest:
    page, session, network = recorded()
    build(page, session)
    return network.get_data(True)[-1]


def failed(**how: Any) -> Any:
    def build(page: FakePage, session: FakeSession) -> None:
        sent(session, "1")
        session.emit("Network.loadingFailed", requestId="1", timestamp=2.0, **how)

    return build


def service_worker(page: FakePage, session: FakeSession) -> None:
    sent(session, "1")
    finished(session, "1", fromServiceWorker=True)


def from_disk(page: FakePage, session: FakeSession) -> None:
    sent(session, "1")
    finished(session, "1", fromDiskCache=True)


def in_worker(page: FakePage, session: FakeSession) -> None:
    sent(page.attach("worker", "http://x/w.js", id="s2"), "1")


def receiving(page: FakePage, session: FakeSession) -> None:
    sent(session, "1")
    session.emit("Network.responseReceived", requestId="1", type="Fetch", response={"status": 200})


def left(page: FakePage, session: FakeSession) -> None:
    sent(session, "1")
    page.navigate("L")


def hidden_by_cors(page: FakePage, session: FakeSession) -> None:
    sent(session, "1")
    session.emit("Network.responseReceivedExtraInfo", requestId="1", statusCode=404, headers={})
    rule = {"corsError": "MissingAllowOriginHeader"}
    session.emit("Network.loadingFailed", requestId="1", errorText="net::ERR_FAILED", corsErrorStatus=rule)


@pytest.mark.parametrize(
    ("build", "line", "more"),
    [
        (lambda page, session: (sent(session, "1"), finished(session, "1")), "200 fetch", {"status": 200}),
        (lambda page, session: sent(session, "1"), "[pending] fetch", {}),
        (receiving, "200 [receiving] fetch", {"status": 200}),
        (left, "[no end recorded: the page navigated away] fetch", {}),
        (
            failed(errorText="net::ERR_CONNECTION_RESET"),
            "[failed net::ERR_CONNECTION_RESET] fetch",
            {"error": "net::ERR_CONNECTION_RESET"},
        ),
        (
            failed(errorText="net::ERR_ABORTED", canceled=True),
            "[aborted net::ERR_ABORTED] fetch",
            {"error": "net::ERR_ABORTED"},
        ),
        (failed(blockedReason="inspector"), "[blocked by inspector] fetch", {"error": "by inspector"}),
        (
            hidden_by_cors,
            "404 [blocked by CORS: MissingAllowOriginHeader] fetch",
            {"status": 404, "error": "by CORS: MissingAllowOriginHeader"},
        ),
        (service_worker, "200 fetch (from service worker)", {"status": 200, "fromServiceWorker": True}),
        (from_disk, "200 fetch (from disk cache)", {"status": 200, "fromCache": "disk"}),
        (in_worker, "[pending] fetch [worker]", {"source": "worker"}),
    ],
)
def test_one_line(build: Any, line: str, more: dict[str, Any]) -> None:
    request = one(build)
    formatter = NetworkFormatter(request)
    assert formatter.to_string() == f"reqid=1 GET http://x/a {line}"
    expected = {
        "requestId": 1,
        "method": "GET",
        "url": "http://x/a",
        "resourceType": "fetch",
        "outcome": request.outcome,
    }
    assert formatter.to_json() == {**expected, **more}
    assert formatter.to_json_detailed().items() >= formatter.to_json().items()
    assert formatter.to_string_detailed().startswith(formatter.to_string())


def test_a_redirect_names_the_next_hop_and_details_name_the_way() -> None:
    _, session, network = recorded()
    sent(session, "1", "http://x/1", type="Document")
    redirect = {"status": 301, "headers": {"Location": "/2"}}
    sent(session, "1", "http://x/2", type="Document", redirectResponse=redirect, redirectHasExtraInfo=False)
    first, last = (NetworkFormatter(request) for request in network.get_data())
    assert first.to_string() == "reqid=1 GET http://x/1 301 document -> reqid=2"
    assert first.to_json()["redirectedTo"] == 2
    assert "Redirects that led here:\n  reqid=1 GET http://x/1 301 document -> reqid=2" in last.to_string_detailed()
    assert [hop["requestId"] for hop in last.to_json_detailed()["redirectChain"]] == [1]


def test_details() -> None:
    _, session, network = recorded()
    sent(
        session,
        "1",
        request={"headers": {"Accept": "*/*"}, "initialPriority": "High"},
        initiator={"type": "parser", "url": "http://x/", "lineNumber": 6},
    )
    session.emit("Network.dataReceived", requestId="1", dataLength=1234)
    session.emit("Network.requestWillBeSentExtraInfo", requestId="1", headers={"Cookie": "id=secret", "Accept": "*/*"})
    session.emit(
        "Network.responseReceivedExtraInfo",
        requestId="1",
        statusCode=200,
        headers={"Set-Cookie": "a=1\nb=2", "X-Long": "v" * 9_000},
    )
    finished(session, "1", mimeType="text/plain", protocol="h2", remoteIPAddress="127.0.0.1", remotePort=80)
    (request,) = network.get_data()
    text = NetworkFormatter(request, redact_headers=False).to_string_detailed()
    assert text.split("\n")[1:4] == [
        "text/plain, h2, 127.0.0.1:80, priority High, body 1,234 bytes, 300 on the wire",
        "Took 250 ms",
        "Initiator: parser http://x/:7",
    ]
    assert "Request headers:\n  Cookie: id=secret\n  Accept: */*" in text
    assert "Response headers:\n  Set-Cookie: a=1\n  Set-Cookie: b=2\n  X-Long: vvv" in text
    assert max(len(line) for line in text.split("\n")) < 4_100
    details = NetworkFormatter(request, redact_headers=True).to_json_detailed()
    assert details["requestHeaders"] == {"Cookie": "id=(redacted, 6 characters)", "Accept": "*/*"}
    assert details["responseHeaders"]["Set-Cookie"] == "a=(redacted, 1 characters)\nb=(redacted, 1 characters)"
    assert details["rawRequestHeaders"]
    assert "=secret" not in NetworkFormatter(request, redact_headers=True).to_string_detailed()


def test_headers_that_the_page_saw_are_not_called_raw() -> None:
    request = one(lambda page, session: (sent(session, "1", request={"headers": {"a": "b"}}), finished(session, "1")))
    assert "Request headers (as far as the page can see):\n  a: b" in NetworkFormatter(request).to_string_detailed()


def test_hostile_text_stays_on_its_line() -> None:
    def build(page: FakePage, session: FakeSession) -> None:
        sent(session, "1", "http://x/\nreqid=2 GET http://forged/ 200", request={"method": "GE\nT\u202e"})

    line = NetworkFormatter(one(build)).to_string()
    assert "\n" not in line
    assert "\u202e" not in line
    assert "\n" not in NetworkFormatter(one(build)).to_json()["url"]


def test_urls_are_cut_with_their_length() -> None:
    assert url_text("http://x/") == "http://x/"
    long = url_text("http://x/" + "a" * 1000)
    assert long.endswith("a… (1,009 characters)")
    assert len(long) == 500 + len(" (1,009 characters)")
    assert url_text("data:image/png;base64," + "A" * 100_000) == (
        "data:image/png;base64," + "A" * 37 + "… (100,022 characters)"
    )
