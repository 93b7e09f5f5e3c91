"""The dense lists: everything in them can be read back, whatever pages call their URLs, scripts and messages."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from pagelens.core.safe_text import one_line
from pagelens.response.formatters.console import ConsoleRow
from pagelens.response.formatters.network import NetworkRow
from pagelens.response.formatters.tables import message_table, request_table, shared_origin, under
from tests.response.list_reader import read_messages, read_requests

#: What tries to look like another cell, another line, or part of the table's own language.
_NASTY = st.sampled_from(
    [
        "",
        '"',
        '\\"',
        "\\",
        "/",
        "//",
        "-",
        "@",
        "@x:1:1",
        "(x3)",
        "200",
        "a b",
        '"a" b',
        "1 GET / 200 document",
        ": ",
        "#",
    ]
)
_TEXT = st.one_of(st.text(max_size=30), _NASTY, st.builds("{} {}".format, _NASTY, _NASTY)).map(one_line)
_ORIGINS = st.sampled_from(
    ["http://x", "https://shop.example:8443", "ws://x", "chrome-extension://abcdef", "http://[::1]:80"]
)
_URLS = st.one_of(
    st.builds("{}/{}".format, _ORIGINS, _TEXT),
    _ORIGINS,
    st.sampled_from(
        ["data:text/html,hello world", "blob:http://x/1-2", "about:blank", "javascript:void 0", "/bare", "//x/y"]
    ),
    _TEXT,
).map(one_line)
_NOTES = st.sampled_from([None, "[pending]", "[failed net::ERR_FAILED]", "(from disk cache)", "-> reqid=5"])
_WORDS = st.sampled_from(["log", "error", "warn", "startGroupCollapsed", "issue"])


@st.composite
def requests(draw: st.DrawFn) -> list[NetworkRow]:
    count = draw(st.integers(1, 12))
    return [
        {
            "reqid": number + draw(st.integers(1, 10**9)),
            "method": draw(st.one_of(st.sampled_from(["GET", "POST"]), _TEXT)),
            "url": draw(_URLS),
            "status": draw(st.one_of(st.none(), st.integers(100, 599))),
            "type": draw(st.sampled_from(["fetch", "document", "websocket"])),
            "note": draw(_NOTES),
        }
        for number in range(count)
    ]


@st.composite
def messages(draw: st.DrawFn) -> list[ConsoleRow]:
    count = draw(st.integers(1, 12))
    return [
        {
            "msgid": number + draw(st.integers(1, 10**9)),
            "type": draw(_WORDS),
            "source": draw(st.one_of(st.sampled_from(["", "app.js:12:5", "my app.js:1:1"]), _TEXT)),
            "text": draw(_TEXT),
            "note": draw(st.sampled_from([None, "x3", "worker", "x12,iframe,handled-later"])),
        }
        for number in range(count)
    ]


@given(requests())
def test_requests_can_be_read_back(rows: list[NetworkRow]) -> None:
    assert read_requests("\n".join(request_table(rows, {}))) == rows


@given(messages(), st.integers(0, 12))
def test_messages_can_be_read_back(rows: list[ConsoleRow], place: int) -> None:
    table = message_table(rows, {0: "Earlier page http://x/:", place: "Current page http://x/ 1 log said:"})
    assert read_messages("\n".join(table)) == rows


def row(number: int, url: str, **more: Any) -> NetworkRow:
    base: NetworkRow = {"reqid": number, "method": "GET", "url": url, "status": 200, "type": "fetch", "note": None}
    return {**base, **more}  # type: ignore[typeddict-item]


def test_what_is_shared_is_said_once() -> None:
    rows = [row(1, "https://x.example/"), row(2, "https://x.example/a?b"), row(3, "https://y.example/c", status=None)]
    assert request_table(rows, {}) == [
        "reqid method URL status type",
        "1 GET https://x.example/ 200 fetch",
        "2 GET https://x.example/a?b 200 fetch",
        "3 GET https://y.example/c - fetch",
    ]
    rows.append(row(4, "https://x.example/z z", note="[pending]"))
    assert request_table(rows, {}) == [
        "reqid method URL status type; URLs from / on are under https://x.example",
        "1 GET / 200 fetch",
        "2 GET /a?b 200 fetch",
        "3 GET https://y.example/c - fetch",
        '4 GET "/z z" 200 fetch [pending]',
    ]
    assert under(rows[2], "https://y.exampl") == rows[2]


def test_the_origin_that_saves_most_is_taken() -> None:
    rows = [row(n, f"http://a/{n}") for n in range(4)] + [row(n, f"https://long.name.example/{n}") for n in range(3)]
    assert shared_origin(rows) == "https://long.name.example"
    assert shared_origin([row(n, f"http://{n}/") for n in range(5)]) == ""
    assert shared_origin([row(n, "http://x?/") for n in range(5)]) == ""
    assert shared_origin([row(n, url) for n, url in enumerate(["http://x/a", "http://x/b", "http://x/c", "/d"])]) == ""


def test_a_source_is_said_where_it_changes() -> None:
    def message(number: int, source: str, text: str = "hi") -> ConsoleRow:
        return {"msgid": number, "type": "log", "source": source, "text": text, "note": None}

    rows = [
        message(1, ""),
        message(2, "a.js:1:2"),
        message(3, "a.js:1:2", ""),
        message(4, ""),
        message(5, "b c.js:1:1"),
    ]
    assert message_table(rows, {}) == [
        "msgid type@source text; without @: the same source as above",
        "1 log hi",
        "2 log@a.js:1:2 hi",
        "3 log",
        "4 log@- hi",
        '5 log@"b c.js:1:1" hi',
    ]
    assert message_table(rows[1:2], {}) == ["msgid type@source text", "2 log@a.js:1:2 hi"]
    # Below a heading nothing is above.
    assert message_table(rows[1:3], {1: "Current page:"})[1:] == [
        "2 log@a.js:1:2 hi",
        "Current page:",
        "3 log@a.js:1:2",
    ]
