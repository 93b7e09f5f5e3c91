"""Insights that no reference trace sets off, and none on a clean page; windows, interactions, tasks, functions."""

from __future__ import annotations

import json
from typing import Any

import pytest

from pagelens.analysis.source_maps import SourceMap
from pagelens.analysis.trace import PageLoad, Trace
from pagelens.analysis.trace.insights.ranking import score
from tests.analysis.trace.made import FRAME, NAVIGATION, URL, MadeTrace


def load(made: MadeTrace, **more: Any) -> PageLoad:
    (found,) = Trace.load(made.text(), **more).navigations
    return found


def states(found: PageLoad, *, but: str = "pass") -> dict[str, str]:
    return {name: insight.state for name, insight in found.insights.items() if insight.state != but}


def script(made: MadeTrace, number: int, url: str, text: str) -> None:
    made.request(f"10.{number}", url, 210, 20, Cache_Control="max-age=99999999")
    data = {"isolate": "1", "scriptId": number}
    made.add("ScriptCatchup", at=240, dur=0.1, args={"data": {**data, "url": url}})
    half = len(text) // 2
    for index, part in enumerate((text[:half], text[half:])):
        given = {**data, "sourceText": part, "splitIndex": index}
        made.add("LargeScriptCatchup", at=241, dur=0.1, args={"data": given})


def test_a_clean_page_sets_off_nothing() -> None:
    assert states(load(MadeTrace())) == {"LCPBreakdown": "informative"}


def test_a_document_without_a_character_set() -> None:
    made = MadeTrace(charset="text/html")
    assert states(load(made))["CharacterSet"] == "fail"
    made.add("MetaCharsetCheck", at=55, args={"data": {"frame": FRAME, "disposition": "found-in-first-1024-bytes"}})
    assert "CharacterSet" not in states(load(made))


@pytest.mark.parametrize(("elapsed", "state"), [(499, None), (500, "informative")])
def test_a_slow_selector(elapsed: int, state: str | None) -> None:
    made = MadeTrace()
    timing = {"selector": "div > *", "style_sheet_id": "1", "elapsed (us)": elapsed / 2, "match_attempts": 9}
    for at in (100, 150):
        made.add("SelectorStats", at=at, args={"selector_stats": {"selector_timings": [{**timing, "match_count": 1}]}})
    found = load(made)
    assert states(found).get("SlowCSSSelector") == state
    assert found.insights["SlowCSSSelector"].figures["selectors"][0]["attempts"] == 18


def test_a_module_in_two_scripts() -> None:
    """The first 600 columns of both are of one package, by their source maps."""
    made = MadeTrace()
    text = "x" * 700
    map_ = {"version": 3, "sources": ["webpack://a/node_modules/lib/index.js", "app.js"], "mappings": "AAAA,wlBCAA"}
    maps = {}
    for number, name in enumerate(("a.js", "b.js")):
        script(made, 3 + number, URL + name, text)
        maps[URL + name] = SourceMap(json.dumps(map_), URL + name)
    assert maps[URL + "a.js"].sizes(text) == {"webpack://a/node_modules/lib/index.js": 600, URL + "app.js": 100}
    assert "DuplicatedJavaScript" not in states(load(made))
    found = load(made, source_maps=maps)
    assert states(found)["DuplicatedJavaScript"] == "fail"
    (module,) = found.insights["DuplicatedJavaScript"].figures["modules"]
    assert (module["module"], module["wastedBytes"]) == ("lib/index.js", 600)


def test_old_code() -> None:
    made = MadeTrace()
    script(made, 3, URL + "new.js", "const a = Object.entries(b); if (Array.prototype.flat === c) d();" + " " * 6_000)
    assert "LegacyJavaScript" not in states(load(made))
    script(made, 4, URL + "old.js", "Array.prototype.flat||(Array.prototype.flat=function(){})" + " " * 6_000)
    (row,) = load(made).insights["LegacyJavaScript"].figures["scripts"]
    assert (row["url"], row["polyfills"]) == (URL + "old.js", ["Array.prototype.flat"])
    # What DevTools counts for it is more than there is.
    assert row["wastedBytes"] == len("Array.prototype.flat||(Array.prototype.flat=function(){})") + 6_000


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("window.Array.prototype.flat = f;", ["Array.prototype.flat"]),
        ("Array.prototype['flat']=f;", ["Array.prototype.flat"]),
        ('Object.defineProperty(Object, "fromEntries", {value: f})', ["Object.fromEntries"]),
        ('i({target:"Array",proto:!0,forced:x!==y},{flat:function(){}})', ["Array.prototype.flat"]),
        ("$({ target: 'Object', stat: true }, { fromEntries: function () {} })", ["Object.fromEntries"]),
        ("Array.prototype.flat == f; Array.prototype.flat => 1", []),
        ("MyPromise.any = f; library.Promise.any = f;", []),
        ("Array.prototype.includes = f;", []),  # so old that DevTools does not look for it
    ],
)
def test_ways_to_define_a_method(text: str, found: list[str]) -> None:
    made = MadeTrace()
    script(made, 3, URL + "a.js", text + " " * 6_000)
    rows = load(made).insights["LegacyJavaScript"].figures["scripts"]
    assert [name for row in rows for name in row["polyfills"]] == found


def shift(made: MadeTrace, at: float, score: float, *, after_input: bool = False) -> None:
    data = {"weighted_score_delta": score, "had_recent_input": after_input}
    made.add("LayoutShift", at=at, args={"frame": FRAME, "data": data})


def test_windows_of_shifts() -> None:
    made = MadeTrace()
    for at, value in ((300, 0.05), (1200, 0.04), (1500, 0.5), (2600, 0.06)):
        shift(made, at, value, after_input=at == 1500)
    found = load(made)
    # The last comes 1.4 s after the one before it that counts.
    assert [round(window.score, 6) for window in found.windows] == [0.09, 0.06]
    assert (round(found.cls, 6), states(found)["CLSCulprits"]) == (0.09, "informative")


def interaction(
    made: MadeTrace, number: int, type_: str, at: float, took: float, processing: tuple[float, float]
) -> None:
    data = {
        "type": type_,
        "interactionId": 5,
        "duration": took,
        "timeStamp": 100,
        "processingStart": 100 + processing[0],
        "processingEnd": 100 + processing[1],
    }
    made.add("EventTiming", at=at, ph="b", args={"data": data}, id=f"0x{number}")
    made.add("EventTiming", at=at + took, ph="e", id=f"0x{number}")


def test_an_interaction_and_the_function_behind_it() -> None:
    made = MadeTrace()
    interaction(made, 1, "pointerup", 1000, 300, (10, 20))
    interaction(made, 2, "click", 1000, 300, (20, 290))
    nodes = [
        {"id": 1, "callFrame": {"functionName": "(root)"}},
        {
            "id": 2,
            "callFrame": {"functionName": "slow", "url": URL + "a.js", "lineNumber": 4, "columnNumber": 0},
            "parent": 1,
        },
        {"id": 3, "callFrame": {"functionName": "sort"}, "parent": 2},
    ]
    made.add("Profile", at=1000, ph="P", id="0x9", args={"data": {"startTime": 0}})
    profile = {"cpuProfile": {"nodes": nodes, "samples": [1, 2, 3, 1]}, "timeDeltas": [20_000, 1_000, 200_000, 50_000]}
    made.add("ProfileChunk", at=1290, ph="P", id="0x9", args={"data": profile})
    found = load(made)
    assert (found.inp_ms, states(found)["INPBreakdown"]) == (300, "fail")
    figures = found.insights["INPBreakdown"].figures
    assert figures["parts"] == pytest.approx({"inputDelay": 20, "processing": 270, "presentation": 10})
    assert (figures["type"], figures["function"]["name"], figures["function"]["ownMs"]) == ("click", "slow", 200)
    assert [(row.name, row.line, row.own_ms, row.total_ms) for row in found.functions()] == [
        ("slow", 5, 200, 250),
        ("sort", 0, 50, 50),
    ]


def test_work_and_long_tasks() -> None:
    made = MadeTrace()
    made.add("RunTask", at=150, dur=120)
    made.add("FunctionCall", at=151, dur=100, args={"data": {"functionName": "f", "url": URL, "lineNumber": 3}})
    made.add("FunctionCall", at=152, dur=60)
    made.add("Layout", at=160, dur=35, args={"beginData": {"dirtyObjects": 1}})
    found = load(made)
    # 20 ms of the task are beyond 50 ms after the first paint.
    assert ([task.dur for task in found.long_tasks], found.tbt_ms) == ([120_000], 20)
    assert {row.name: (row.own_ms, row.total_ms, row.count) for row in found.activities()} == {
        "FunctionCall": (65, 100, 2),
        "Layout": (35, 35, 1),
        "RunTask": (21, 121, 2),
        "CommitLoad": (1, 1, 1),
    }
    assert states(found)["ForcedReflow"] == "fail"
    assert found.insights["ForcedReflow"].figures["function"]["name"] == "f"


def test_nothing_before_the_navigation_is_left_out_when_something_happened() -> None:
    made = MadeTrace()
    shift(made, -5, 0.3)
    before, after = Trace.load(made.text()).navigations
    assert (before.id, before.cls, before.fcp_ms, after.id, after.cls) == (
        "NO_NAVIGATION",
        0.3,
        None,
        "NAVIGATION_0",
        0,
    )


def test_a_navigation_without_events_of_its_own() -> None:
    made = MadeTrace()
    made.events = [event for event in made.events if event["name"] in ("TracingStartedInBrowser", "navigationStart")]
    found = load(made)
    assert (found.id, found.url, found.ttfb_ms, found.tbt_ms, found.insights["Viewport"].state) == (
        "NAVIGATION_0",
        URL,
        None,
        None,
        "pass",
    )
    assert NAVIGATION not in [request.id for request in found.requests]


@pytest.mark.parametrize(("host", "shown"), [(None, 200), ("1", 400), ("2", 200), ("4", 100)])
def test_images_under_an_emulated_screen(host: str | None, shown: int) -> None:
    """DevTools notes the real screen's ratio: pictures are painted in its pixels, whatever the page is told."""
    made = MadeTrace()
    made.request("10.4", URL + "a.png", 62, 120, type="Image", content_type="image/png", size=20_000)
    size = {"width": 200, "height": 200, "srcWidth": 400, "srcHeight": 400}
    made.add("PaintImage", at=310, dur=1, args={"data": {**size, "url": URL + "a.png", "nodeId": 8}})
    made.add("PaintTimingVisualizer::Viewport", at=221, args={"data": {"dpr": 2}})
    text = made.text()
    if host is not None:
        text = text.replace(b'"metadata":\n{', b'"metadata":\n{"hostDPR": ' + host.encode() + b", ")
        (again,) = Trace.load(b'{"metadata":{"hostDPR":' + host.encode() + b"}," + made.text()[1:]).navigations
    (found,) = Trace.load(text).navigations
    images = found.insights["ImageDelivery"].figures["images"]
    assert [row["shown"] for row in images] == ([[shown, shown]] if shown < 400 else [])
    if host is not None:
        assert again.insights["ImageDelivery"].figures == found.insights["ImageDelivery"].figures


def test_scores_are_those_of_lighthouse() -> None:
    assert [score("LCP", value) for value in (0, 2_500, 4_000)] == pytest.approx([1, 0.9, 0.5], abs=1e-4)
    assert [round(score("CLS", value), 2) for value in (0.05, 0.2, 0.5)] == [0.99, 0.62, 0.17]
    values = [score("INP", value) for value in range(0, 2_000, 10)]
    assert values == sorted(values, reverse=True)


def test_what_gains_most_comes_first() -> None:
    made = MadeTrace()
    made.request("10.2", URL + "a.css", 60, 100, type="Stylesheet", priority="VeryHigh", blocking="blocking")
    names = list(load(made).insights)
    assert names[0] == "RenderBlocking"  # 100 ms of the LCP, which is text
    assert names[1:5] == ["INPBreakdown", "LCPBreakdown", "LCPDiscovery", "CLSCulprits"]
    short = MadeTrace()
    short.request("10.2", URL + "a.css", 60, 30, type="Stylesheet", priority="VeryHigh", blocking="blocking")
    found = load(short)
    assert found.insights["RenderBlocking"].savings["LCP"] == 30
    assert next(iter(found.insights)) == "INPBreakdown"  # so small an estimate moves nothing
