"""Console messages in words and JSON, and repeats folded."""

from __future__ import annotations

from typing import Any, cast

import pytest

from pagelens.browser.page import Page
from pagelens.collectors.console_collector import ConsoleCollector
from pagelens.collectors.ids import IdCounter
from pagelens.response.formatters.console import ConsoleFormatter, fold
from tests.collectors.fakes import FakePage, FakeSession


def recorded() -> tuple[FakePage, FakeSession, ConsoleCollector]:
    page = FakePage()
    console = ConsoleCollector(cast(Page, page), IdCounter())
    return page, page.attach(), console


def call(session: FakeSession, *args: Any, kind: str = "log", url: str = "http://x/js/app.js", line: int = 11) -> None:
    frames = [{"functionName": "go", "url": url, "lineNumber": line, "columnNumber": 4}]
    values = [{"type": "string", "value": a} if isinstance(a, str) else a for a in args]
    session.emit(
        "Runtime.consoleAPICalled",
        type=kind,
        args=values,
        timestamp=1.7e12,
        executionContextId=1,
        stackTrace={"callFrames": frames},
    )


def lines(console: ConsoleCollector) -> list[str]:
    return [ConsoleFormatter(f.message, f.count).to_string() for f in fold(console.get_data(True))]


def test_one_line_each() -> None:
    page, session, console = recorded()
    call(session, "plain")
    call(session, "%s!", "warned", kind="warning")
    session.emit(
        "Runtime.exceptionThrown",
        timestamp=1.7e12,
        exceptionDetails={
            "exceptionId": 7,
            "text": "Uncaught",
            "lineNumber": 0,
            "columnNumber": 9,
            "url": "http://x/",
            "exception": {
                "type": "object",
                "subtype": "error",
                "className": "TypeError",
                "objectId": "o1",
                "description": "TypeError: x is not a function\n    at go (http://x/js/app.js:1:2)",
                "preview": {
                    "type": "object",
                    "subtype": "error",
                    "description": "TypeError: x is not a function\n    at go (http://x/js/app.js:1:2)",
                    "properties": [],
                },
            },
        },
    )
    entry = {
        "source": "network",
        "level": "error",
        "text": "Failed to load",
        "timestamp": 1.7e12,
        "url": "http://x/api",
    }
    session.emit("Log.entryAdded", entry=entry)
    call(page.attach("worker", "http://x/w.js", id="s2"), "hi", url="http://x/w.js", line=0)
    call(session, {"type": "number", "value": 1, "description": "1"}, url="", line=2)
    assert lines(console) == [
        "msgid=1 [log] plain (app.js:12:5)",
        "msgid=2 [warn] warned! (app.js:12:5)",
        "msgid=3 [error] Uncaught TypeError: x is not a function (x/:1:10)",
        "msgid=4 [error] Failed to load (http://x/api)",
        "msgid=5 [log] hi (w.js:1:5) [worker]",
        "msgid=6 [log] 1",
    ]
    for message in console.get_data():
        formatter = ConsoleFormatter(message)
        assert formatter.to_json_detailed().items() >= formatter.to_json().items()


@pytest.mark.parametrize(
    ("url", "place"),
    [
        ("http://x/js/app.js?v=1/2#z", "app.js"),
        ("http://x/", "x/"),
        ("http://[not a url", "[not a url"),
        ("webpack://app/./src/a.ts", "a.ts"),
        ("pagelens", "pagelens"),
        ("data:text/javascript,console.log(1)", "data:text/javascript,console.log(1)"),
    ],
)
def test_names_of_scripts(url: str, place: str) -> None:
    _, session, console = recorded()
    call(session, "a", url=url)
    assert lines(console) == [f"msgid=1 [log] a ({place}:12:5)"]


def test_rejection_handled_later() -> None:
    _, session, console = recorded()
    details = {"exceptionId": 4, "text": "Uncaught (in promise)", "exception": {"type": "string", "value": "no"}}
    session.emit("Runtime.exceptionThrown", timestamp=1.0, exceptionDetails=details)
    session.emit("Runtime.exceptionRevoked", reason="handled", exceptionId=4)
    assert lines(console) == ["msgid=1 [error] Uncaught (in promise) no [handled later]"]
    assert ConsoleFormatter(console.get_data()[0]).to_json_detailed()["handledLater"]


def test_neighbours_fold_others_do_not() -> None:
    page, session, console = recorded()
    for text in ["a", "a", "a", "b", "a"]:
        call(session, text)
    call(session, "a", line=30)
    call(session, "a", "", line=30)
    call(session, "a", kind="error", line=30)
    call(page.attach("worker", id="s2"), "a", kind="error", line=30)
    assert lines(console) == [
        "msgid=1 [log] a (x3) (app.js:12:5)",
        "msgid=4 [log] b (app.js:12:5)",
        "msgid=5 [log] a (app.js:12:5)",
        "msgid=6 [log] a (app.js:31:5)",
        "msgid=7 [log] a (app.js:31:5)",
        "msgid=8 [error] a (app.js:31:5)",
        "msgid=9 [error] a (app.js:31:5) [worker]",
    ]
    assert ConsoleFormatter(console.get_data()[0], 3).to_json()["count"] == 3
    # A folded message is still there under its own id.
    assert console.lookup(2).text == "a"


def test_who_says_it() -> None:
    page, session, console = recorded()
    frames = [{"functionName": "", "url": "chrome-extension://abc/c.js", "lineNumber": 0, "columnNumber": 0}]
    name = 'Bad\u202e, (name)\n"x"'
    context = {"id": 7, "origin": "chrome-extension://abc", "name": name, "auxData": {"isDefault": False}}
    own = {"id": 8, "origin": "http://x", "name": "", "auxData": {"isDefault": True, "frameId": "main"}}
    session.emit("Runtime.executionContextCreated", context=context)
    session.emit("Runtime.executionContextCreated", context=own)

    def say(text: str, context_id: int, stack: list[dict[str, Any]]) -> None:
        session.emit(
            "Runtime.consoleAPICalled",
            type="log",
            args=[{"type": "string", "value": text}],
            timestamp=1.0,
            executionContextId=context_id,
            stackTrace={"callFrames": stack},
        )

    say("apart", 7, frames)
    say("within", 8, frames)
    say("the page, speaking of chrome-extension://abc", 8, [])
    session.emit("Runtime.executionContextDestroyed", executionContextId=7)
    say("unknown", 7, [])
    call(page.attach("worker", "http://x/w.js", id="s2"), "hi", url="http://x/w.js", line=0)
    assert lines(console) == [
        'msgid=1 [log] apart (c.js:1:1) [content script of "Bad, (name) \\"x\\""]',
        'msgid=2 [log] within (c.js:1:1) [content script of "Bad, (name) \\"x\\""]',
        "msgid=3 [log] the page, speaking of chrome-extension://abc",
        "msgid=4 [log] unknown",
        "msgid=5 [log] hi (w.js:1:5) [worker]",
    ]
    notes = [ConsoleFormatter(message).to_row()["note"] for message in console.get_data()]
    assert notes == ['content-script:Bad-name-"x"', 'content-script:Bad-name-"x"', None, None, "worker"]
    first = ConsoleFormatter(console.get_data()[0])
    assert first.to_json()["extension"] == {"id": "abc", "name": 'Bad, (name) "x"'}
    assert 'said by: content script of "Bad, (name)' in first.to_string_detailed()
    assert console.get_data()[1].frame_id == "main"


def test_an_extensions_own_frame_is_no_content_script() -> None:
    page, _, console = recorded()
    session = page.attach("iframe", "chrome-extension://abc/page.html", id="s2")
    context = {"id": 1, "origin": "chrome-extension://abc", "name": "", "auxData": {"isDefault": True}}
    session.emit("Runtime.executionContextCreated", context=context)
    call(session, "own", url="chrome-extension://abc/page.js")
    assert lines(console) == ["msgid=1 [log] own (page.js:12:5) [iframe]"]


def test_contexts_are_remembered_within_bounds() -> None:
    _, session, console = recorded()
    for number in range(3_000):
        context = {
            "id": number,
            "origin": f"chrome-extension://e{number}",
            "name": "E",
            "auxData": {"isDefault": False},
        }
        session.emit("Runtime.executionContextCreated", context=context)
    assert len(console._listener.extensions) <= 200
    call(session, "still")
    session.emit("Runtime.executionContextsCleared")
    assert [m.source for m in console.get_data()] == ["page"]


def test_what_was_said_before_is_put_in_order_once_all_is_told() -> None:
    page = FakePage()
    console = ConsoleCollector(cast(Page, page), IdCounter())
    session = page.attach(was_running=True)

    def say(text: str, timestamp: float) -> None:
        session.emit(
            "Runtime.consoleAPICalled", type="log", args=[{"type": "string", "value": text}], timestamp=timestamp
        )

    say("first", 1.0)
    say("third", 3.0)
    session.emit("Log.entryAdded", entry={"source": "network", "level": "error", "text": "second", "timestamp": 2.0})
    details = {"exceptionId": 4, "text": "Uncaught (in promise)", "exception": {"type": "string", "value": "zeroth"}}
    session.emit("Runtime.exceptionThrown", timestamp=0.5, exceptionDetails=details)
    session.emit("Runtime.exceptionRevoked", reason="handled", exceptionId=4)
    worker = page.attach("worker", id="s2", target_id="W")
    call(worker, "the worker's own")
    echo = {"source": "worker", "level": "info", "text": "its echo", "timestamp": 2.5, "workerId": "W"}
    session.emit("Log.entryAdded", entry=echo)
    assert [m.text for m in console.get_data()] == ["the worker's own"]
    for answered in session.answered:
        answered()
    texts = [(m.id, m.text) for m in console.get_data() if m.source == "page"]
    assert texts == [(2, "Uncaught (in promise) zeroth"), (3, "first"), (4, "second"), (5, "third")]
    assert console.get_data()[1].handled_later
    say("after", 9.0)
    assert console.get_data()[-1].text == "after"


def test_a_document_that_goes_before_all_is_told_keeps_what_it_said() -> None:
    page = FakePage()
    console = ConsoleCollector(cast(Page, page), IdCounter())
    session = page.attach(was_running=True)
    call(session, "old")
    page.navigate("L")
    call(session, "new")
    assert [m.text for m in console.get_data()] == ["new"]
    assert [m.text for m in console.get_data(True)] == ["old", "new"]


def test_hostile_text_stays_on_its_line() -> None:
    _, session, console = recorded()
    call(session, "one\nmsgid=2 [error] forged\u2028\u202e\x1b[31m\ud800 end", url="http://x/a\nb.js")
    (line,) = lines(console)
    assert line == "msgid=1 [log] one msgid=2 [error] forged [31m\ufffd end (a b.js:12:5)"
    line.encode()
    detailed = ConsoleFormatter(console.get_data()[0]).to_string_detailed()
    detailed.encode()
    # What the page says is indented: no line of it can pass for one of ours.
    assert [x for x in detailed.split("\n") if x.startswith("msgid=")] == ["msgid=1 [log]"]


@pytest.mark.parametrize("size", [501, 3_000, 400_000])
def test_long_text_is_cut_with_its_length(size: int) -> None:
    _, session, console = recorded()
    call(session, "x" * size)
    (line,) = lines(console)
    assert line == f"msgid=1 [log] {'x' * 499}… ({size:,} characters) (app.js:12:5)"
    found = ConsoleFormatter(console.get_data()[0]).to_json()
    assert found["textLength"] == size
    assert len(found["text"]) == 500


def test_details() -> None:
    _, session, console = recorded()
    preview = {
        "type": "object",
        "description": "Object",
        "properties": [{"name": "a", "type": "number", "value": "1"}],
    }
    call(session, "first\nsecond", {"type": "object", "description": "Object", "objectId": "o", "preview": preview})
    text = ConsoleFormatter(console.get_data()[0]).to_string_detailed()
    assert text == (
        "msgid=1 [log]\n"
        "  first\n"
        "  second {a: 1}\n"
        "at http://x/js/app.js:12:5\n"
        "time: 2023-11-14 22:13:20.000 UTC\n"
        "Arguments:\n"
        "  1. first second\n"
        "  2. {a: 1}\n"
        "Stack:\n"
        "  go http://x/js/app.js:12:5"
    )
    details = ConsoleFormatter(console.get_data()[0]).to_json_detailed()
    assert details["text"] == "first\nsecond {a: 1}"
    assert details["args"] == ["first\nsecond", "{a: 1}"]
    assert details["stackTrace"] == [{"function": "go", "url": "http://x/js/app.js", "line": 12, "column": 5}]


def test_worker_echo_is_dropped_only_when_the_worker_is_heard() -> None:
    page, session, console = recorded()

    def echo(worker: str) -> None:
        entry = {"source": "worker", "level": "info", "text": "hi", "timestamp": 1.0, "workerId": worker}
        session.emit("Log.entryAdded", entry=entry)

    page.attach("worker", "http://x/w.js", id="s2", target_id="known")
    echo("known")
    echo("unheard")
    assert [m.text for m in console.get_data()] == ["hi"]


def test_log_and_issues_are_enabled_once_for_each_session_and_nothing_else() -> None:
    inits: list[list[tuple[str, dict[str, Any]]]] = []
    page, _, console = recorded()
    page.session_attached.connect(lambda attached: inits.append(attached.init))
    page.attach("iframe", id="s2")
    page.attach("worker", id="s3")
    assert inits == [[("Log.enable", {}), ("Audits.enable", {})], [("Log.enable", {})]]
    assert console.get_data() == []


def test_objects_are_released_oldest_first_in_batches() -> None:
    _, session, console = recorded()
    for number in range(400):
        call(session, {"type": "object", "description": "Object", "objectId": f"o{number}"})
    released = [params["objectId"] for method, params in session.posted if method == "Runtime.releaseObject"]
    assert released == [f"o{number}" for number in range(len(released))]
    assert 250 <= len(released) <= 300
    assert len(released) + len(console.objects) == 400
    session.emit("Runtime.executionContextsCleared")
    assert len(console.objects) == 0
