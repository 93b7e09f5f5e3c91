"""Files of every form are read; what is no trace of a page in Chrome is refused in words that say so."""

from __future__ import annotations

import gzip
import json
import threading
from pathlib import Path

import pytest

from pagelens.analysis.trace import Trace, reader
from pagelens.errors import AnalysisCancelled, BadTrace, FileFailed
from tests.analysis.trace.made import MadeTrace


@pytest.mark.parametrize("form", ["chrome", "devtools", "array", "indented", "unindented"])
@pytest.mark.parametrize("piece", [700, 1 << 20])
def test_every_form_of_a_file_gives_the_same(form: str, piece: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reader, "PIECE", piece)
    made = MadeTrace()
    for data in (made.text(form=form), gzip.compress(made.text(form=form)), b"\xef\xbb\xbf" + made.text(form=form)):
        trace = Trace.load(data)
        assert trace.event_count == len(made.events)
        (load,) = trace.navigations
        assert (load.id, load.lcp_ms, load.ttfb_ms) == ("NAVIGATION_0", 200.0, pytest.approx(26))


def test_a_file_is_read_from_its_path(tmp_path: Path) -> None:
    path = tmp_path / "trace.json.gz"
    path.write_bytes(gzip.compress(MadeTrace().text()))
    assert Trace.load(str(path)).navigations[0].fcp_ms == 200
    with pytest.raises(FileFailed, match="There is no file"):
        Trace.load(tmp_path / "none.json")
    with pytest.raises(FileFailed, match="no ordinary file"):
        Trace.load(tmp_path)


def test_an_event_of_another_form_costs_itself_only() -> None:
    made = MadeTrace()
    made.add("LayoutShift", at=300, args={"data": {"weighted_score_delta": "much"}})
    made.add("RunTask", at=400, ts="soon")
    made.add("RunTask", at=400, ts=-5)
    trace = Trace.load(made.text())
    assert (trace.event_count, trace.skipped_count) == (len(made.events), 3)
    assert trace.navigations[0].lcp_ms == 200


def test_progress_and_an_end_to_it() -> None:
    said: list[str] = []
    Trace.load(MadeTrace().text(), progress=lambda statement: said.append(statement.text))
    assert said[-2:] == ["requests, paints, shifts, interactions", "navigation 1 of 1"]
    cancelled = threading.Event()
    cancelled.set()
    with pytest.raises(AnalysisCancelled):
        Trace.load(MadeTrace().text(), cancelled=cancelled)


def named(process: str, thread: str = "") -> bytes:
    events = [{"name": "process_name", "ph": "M", "pid": 1, "tid": 1, "ts": 0, "args": {"name": process}}]
    if thread:
        events.append({"name": "thread_name", "ph": "M", "pid": 1, "tid": 1, "ts": 0, "args": {"name": thread}})
    return json.dumps({"traceEvents": events}).encode()


WHOLE = MadeTrace().text()

FOREIGN = {
    "nothing": (b"", "the file is empty"),
    "white space": (b" \n ", "the file is empty"),
    "no events": (b'{"traceEvents":[]}', "it has no events"),
    "an empty array": (b"[]", "it has no events"),
    "an empty object": (b"{}", "it has no traceEvents"),
    "text": (b"hello, world", "no trace in JSON: it begins with b'hello, world'"),
    "Perfetto's binary": (b"\n\xb3\x01\x08\x00\x12", "a binary one of Perfetto's"),
    "Firefox": (b'{"meta":{"interval":1,"product":"Firefox"},"libs":[],"threads":[]}', "a profile of Firefox's"),
    "a heap snapshot": (b'{"snapshot":{"meta":{}},"nodes":[]}', "a heap snapshot"),
    "Firefox, packed": (
        gzip.compress(b'{"libs":[],"meta":{"product":"Firefox"},"shared":{"stringArray":[]}}'),
        "a profile of Firefox's",
    ),
    "Safari": (b'{"version":1,"recording":{"displayName":"Timeline"}}', "a recording of Safari's"),
    "Lighthouse": (b'{"lighthouseVersion":"13.5.0","audits":{}}', "a report of Lighthouse's"),
    "a ZIP archive": (b"PK\x03\x04\x14\0\0\0", "a ZIP archive: unpack it"),
    "packed twice": (gzip.compress(gzip.compress(WHOLE)), "packed twice"),
    "UTF-16": (WHOLE.decode().encode("utf-16"), "in UTF-16: save it as UTF-8"),
    "nothing, packed": (gzip.compress(b""), "the file is empty"),
    "a CPU profile": (b'{"nodes":[],"startTime":1,"samples":[]}', "a CPU profile"),
    "a HAR file": (b'{"log":{"version":"1.2"}}', "a HAR file"),
    "Node": (named("node[4711]", "JavaScriptMainThread"), "recorded by Node.js"),
    "Android WebView": (named("com.android.webview", "CrRendererMain"), "an Android WebView"),
    "Perfetto's JSON": (named("/system/bin/surfaceflinger"), "no trace of a page in Chrome"),
    "Perfetto's JSON of a system": (
        b'{"displayTimeUnit":"ns","systemTraceEvents":"# tracer: nop",'
        b'"traceEvents":[{"name":"binder","ph":"X","ts":1.5,"dur":2.5,"pid":"surfaceflinger","tid":"main"}]}',
        "has events, but none of a page",
    ),
    "Flutter": (
        b'{"type":"Timeline","traceEvents":[{"name":"Frame","ph":"B","ts":5,"pid":1,"tid":2}]}',
        "has events, but none of a page",
    ),
    "the browser's": (
        b'[{"name":"TracingStartedInBrowser","ph":"I","ts":5,"args":{"data":{"frames":[]}}}]',
        "recorded for the browser as a whole",
    ),
    "half of it": (WHOLE[: len(WHOLE) // 2], "cut short"),
    "without its end": (WHOLE[:-1], "cut short"),
    "half of its gzip data": (gzip.compress(WHOLE)[:500], "cut short"),
    "damaged gzip data": (gzip.compress(WHOLE)[:60] + bytes(200), "gzip data are damaged"),
    "more after its end": (WHOLE + b"more", "damaged: .*trailing"),
    "two of them": (WHOLE + WHOLE, "damaged: .*trailing"),
    "as a crash leaves it": (WHOLE[: WHOLE.rindex(b'],"metadata"')] + b",\n", "cut short"),
    "lines without a list": (WHOLE.partition(b"[\n")[2].replace(b",\n", b"\n"), "damaged"),
    "a broken line": (WHOLE.replace(b'"name"', b'"name', 1), "damaged"),
    "other types": (b'{"traceEvents":{"a":1}}', "traceEvents|damaged"),
    "numbers": (b"[1,2,3]", "no page|no trace of a page"),
    "deep nesting": (b"[" * 100_000, "damaged|cut short"),
}


@pytest.mark.parametrize("what", FOREIGN)
def test_what_is_no_trace_is_refused(what: str) -> None:
    data, words = FOREIGN[what]
    with pytest.raises(BadTrace, match=words):
        Trace.load(data)


def test_half_characters_do_no_harm() -> None:
    """Texts of a page may end within a character; those that don't are read as they are."""
    made = MadeTrace()
    made.request("10.2", "http://made.test/\ud83d\ude00.js?\ud83d", 60, 20)
    trace = Trace.load(made.text())
    assert trace.requests[-1].url == "http://made.test/\U0001f600.js?\ufffd"


def test_a_file_that_is_too_large_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reader, "MAX_BYTES", 1_000)
    with pytest.raises(BadTrace, match="larger than 1,000 bytes"):
        Trace.load(gzip.compress(WHOLE))
