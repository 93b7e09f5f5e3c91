"""Every compared field is what DevTools' engine says of the reference traces."""

from __future__ import annotations

import gzip
import json
from functools import cache
from typing import Any

import pytest

from pagelens.analysis.trace import Trace
from pagelens.analysis.trace.calls import Calls
from pagelens.analysis.trace.frames import find_frames
from pagelens.analysis.trace.recording import record
from tests.support.data import data_dir, data_file

pytestmark = pytest.mark.data

#: Traces over 3 MB, unpacked.
LARGE = frozenset({"own-cls", "own-http1", "own-inp", "own-multi", "own-nonav"})


def traces() -> list[Any]:
    directory = data_dir()
    files = sorted((directory / "data" / "traces").glob("*.oracle.json.gz")) if directory else []
    names = [path.name.removesuffix(".oracle.json.gz") for path in files] or ["(no traces)"]
    # Those with shifts and interactions are read in the short form, though they are not small.
    long = LARGE - {"own-cls", "own-nonav"}
    return [pytest.param(name, marks=[pytest.mark.long] if name in long else []) for name in names]


@cache
def loaded(name: str) -> tuple[Trace, dict[str, Any]]:
    oracle = json.loads(gzip.decompress(data_file("data", "traces", f"{name}.oracle.json.gz").read_bytes()))
    return Trace.load(data_file("data", "traces", f"{name}.json.gz")), oracle


def thousandth(microseconds: float | None) -> Any:
    return None if microseconds is None else pytest.approx(microseconds / 1000, abs=1e-3)


@pytest.mark.parametrize("name", traces())
def test_metrics(name: str) -> None:
    trace, oracle = loaded(name)
    assert (trace.event_count, trace.skipped_count) == (oracle["events"], 0)
    assert (trace.begin, trace.end) == (oracle["meta"]["bounds"]["min"], oracle["meta"]["bounds"]["max"])
    assert [load.id for load in trace.navigations] == [one["id"] for one in oracle["sets"]]
    for load, one in zip(trace.navigations, oracle["sets"], strict=True):
        metrics, breakdown = one["metrics"], one["model"]["LCPBreakdown"].get("subparts", {})
        assert (load.url, load.begin, load.end) == (one["url"], one["bounds"]["min"], one["bounds"]["max"])
        assert load.fcp_ms == thousandth(metrics.get("FCP", {}).get("timing_us"))
        assert load.lcp_ms == thousandth(metrics["getLCP"])
        assert load.inp_ms == thousandth(metrics["getINP"])
        assert load.cls == pytest.approx(metrics["getCLS"], abs=1e-9)
        if "TTFB_us" in metrics:
            assert load.ttfb_ms == thousandth(metrics["TTFB_us"])
        if load.interactions:
            worst = load.interactions[0]
            (same,) = [row for row in oracle["interactions"] if (row["ts"], row["type"]) == (worst.ts, worst.type)]

            assert worst.parts == pytest.approx({part: same[part] for part in worst.parts}, abs=1)
        parts = load.lcp.parts if load.lcp else {}
        assert parts == pytest.approx({part: span["range"] for part, span in breakdown.items()}, abs=1)
    assert [(window.ts, len(window.shifts), window.navigation) for window in trace.windows] == [
        (one["ts"], one["n"], one.get("nav")) for one in oracle["cls"]["clusters"]
    ]
    assert [window.score for window in trace.windows] == pytest.approx(
        [one["score"] for one in oracle["cls"]["clusters"]]
    )


@pytest.mark.parametrize("name", traces())
def test_requests(name: str) -> None:
    trace, oracle = loaded(name)
    fields = {
        "ts": "ts",
        "dur": "dur",
        "finish": "finish",
        "queueing": "q",
        "stalled": "stalled",
        "waiting": "wait",
        "download": "dl",
        "download_start": "dls",
        "status": "status",
        "mime": "mime",
        "type": "rt",
        "priority": "prio",
        "initial_priority": "iprio",
        "render_blocking": "rb",
        "encoded": "enc",
        "decoded": "dec",
        "protocol": "proto",
        "from_memory": "mem",
    }
    by_id = {request.id: request for request in trace.requests}
    assert sorted(by_id) == sorted(one["id"] for one in oracle["requests"])
    for one in oracle["requests"]:
        request = by_id[one["id"]]
        assert request.url[:200] == one["url"]
        assert len(request.redirects) == one["redirects"]
        for ours, theirs in fields.items():
            found = getattr(request, ours)
            # The engine floors some times to microseconds.
            wanted = one[theirs] if isinstance(found, str | bool) else pytest.approx(one[theirs], abs=1)
            assert found == wanted, (request.url, ours)


@pytest.mark.parametrize("name", traces())
def test_insights(name: str) -> None:
    trace, oracle = loaded(name)
    for load, one in zip(trace.navigations, oracle["sets"], strict=True):
        model = one["model"]
        assert {key: insight.state for key, insight in load.insights.items()} == {
            key: state[0] for key, state in one["states"].items()
        }
        figures = {key: insight.figures for key, insight in load.insights.items()}
        for key in ("ImageDelivery", "Cache", "DocumentLatency"):
            wasted = model[key].get("wastedBytes") or 0
            assert (load.insights[key].wasted_bytes or 0) == pytest.approx(wasted, abs=0.01), key
        assert load.insights["DocumentLatency"].savings == (model["DocumentLatency"].get("metricSavings") or {})
        blocking = model["RenderBlocking"].get("renderBlockingRequests", [])
        assert [(row["id"], row["ms"]) for row in figures["RenderBlocking"].get("requests", [])] == [
            (row["requestId"], row["dur"] / 1000) for row in blocking
        ]
        longest = figures["NetworkDependencyTree"].get("maxLatencyMs", 0)
        assert longest == pytest.approx(model["NetworkDependencyTree"]["maxTime"] / 1000)
        assert [(row["id"], row["ms"]) for row in figures["FontDisplay"]["fonts"]] == [
            (row["request"]["requestId"], row["wastedTime"]) for row in model["FontDisplay"]["fonts"]
        ]
        updates = sorted((row["ms"], row["n"]) for row in figures["DOMSize"]["updates"])[-5:]
        assert updates == sorted((row["duration"], row["size"]) for row in model["DOMSize"]["largeUpdates"])
        assert len(figures["ModernHTTP"]["requests"]) == len(model["ModernHTTP"].get("http1Requests", []))
        reflow = sum(row["totalTime"] for row in model["ForcedReflow"]["aggregatedBottomUpData"])
        assert figures["ForcedReflow"]["totalMs"] == pytest.approx(reflow / 1000)
        assert figures["CLSCulprits"].get("causes", dict.fromkeys(_CAUSES, 0)) == {
            kind: sum(len(causes[theirs]) for _, causes in model["CLSCulprits"]["shifts"])
            for kind, theirs in _CAUSES.items()
        }


_CAUSES = {
    "font": "webFonts",
    "iframe": "iframes",
    "animation": "nonCompositedAnimations",
    "unsizedImage": "unsizedImages",
}


@pytest.mark.parametrize("name", traces())
def test_trees_of_threads(name: str) -> None:
    """Those that were not profiled: the engine puts calls that it makes up of samples into the others."""
    recording = record(data_file("data", "traces", f"{name}.json.gz"), instants=True)
    _, oracle = loaded(name)
    find_frames(recording)
    compared = 0
    for process in oracle["threads"]:
        for thread in process["threads"]:
            if not thread["calls"]:
                slices = recording.slices.get((process["pid"], thread["tid"]), ())
                depths = Calls(slices, None).depths
                found = (len(slices), depths.count(0), max(depths, default=-1) + 1)
                assert found == (thread["entries"], thread["roots"], thread["maxDepth"]), thread["name"]
                compared += 1
    assert compared


#: What DevTools' engine says of functions: their own milliseconds (the sum over all of them, and the busiest).
FUNCTIONS = {
    "own-third": (229.1, [("burn", 149.1), ("burn", 78.7), ("(anonymous)", 0.8)]),
    "own-inp": (1251.3, [("layoutThrash", 667.0), ("busy", 573.0), ("(anonymous)", 6.8)]),
}


@pytest.mark.parametrize(
    "name", ["own-third", pytest.param("own-inp", marks=pytest.mark.long)] if data_dir() else ["own-third"]
)
def test_functions(name: str) -> None:
    trace, _ = loaded(name)
    (thread, *_) = (thread for thread in trace.threads() if thread.calls.totals(trace.begin, trace.end).functions())
    found = thread.calls.totals(trace.begin, trace.end).functions()
    whole, busiest = FUNCTIONS[name]
    assert sum(row.own_ms for row in found) == pytest.approx(whole, rel=0.002)
    # Single functions differ a little: a sample within a layout does not end what runs around it.
    wanted = [(function, pytest.approx(own, rel=0.01, abs=0.2)) for function, own in busiest]
    assert [(row.name, row.own_ms) for row in found[:3]] == wanted
