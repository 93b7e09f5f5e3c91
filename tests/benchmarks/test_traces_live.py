"""What is read in the replies of both servers, and what counts as the same."""

from __future__ import annotations

from dataclasses import replace

from benchmarks.results import Results
from benchmarks.servers import CHROME_DEVTOOLS_MCP, OURS
from benchmarks.traces_live import compare, read_trace

MINE = """## Performance trace
insightSetId NAVIGATION_0: http://127.0.0.1/x, warm cache, 3.6 s recorded
LCP 1,182 ms good (uid=e1 <img#hero>; ttfb 713, renderDelay 98 ms)
FCP 1,182 ms good; TTFB 713 ms good; TBT 149 ms good; CLS 0.159 needs improvement
Mend first (~ is an estimate):
1. CLSCulprits: score 0.159
Also look at: LCPBreakdown"""
THEIRS = """Metrics (lab / observed):
  - LCP: 1190 ms, event: (eventKey: r-1), nodeId: 6
  - CLS: 0.16, event: (eventKey: s-1)
  - insight name: LCPBreakdown
  - insight name: CLSCulprits"""


def test_both_are_read_alike() -> None:
    mine, theirs = read_trace(MINE, 3.0), read_trace(THEIRS, 6.0)
    assert (mine.lcp, mine.cls, theirs.lcp, theirs.cls) == (1182, 0.159, 1190, 0.16)
    assert mine.findings == theirs.findings == {"LCPBreakdown", "CLSCulprits"}
    assert read_trace("CLS 0 good", 1).cls == 0
    assert read_trace("nothing", 1).lcp is None


def test_what_differs_is_told() -> None:
    mine, theirs = read_trace(MINE, 3.0), read_trace(THEIRS, 6.0)
    results = Results()
    results.live["a"] = {OURS: [mine, mine], CHROME_DEVTOOLS_MCP: [theirs, theirs]}
    assert compare(results) == []
    late = replace(mine, lcp=1500.0)
    results.live["a"][OURS] = [late, late]
    assert compare(results) == ["LCP of a: 1500, 1500 and 1190, 1190"]
    results.live["a"][OURS] = [mine, late, mine]  # noise
    assert compare(results) == []
    blind = replace(mine, findings=frozenset({"LCPBreakdown"}))
    results.live["a"][OURS] = [blind, blind]
    assert compare(results) == ["findings on a that ours lacks: CLSCulprits"]
    results.live["a"] = {OURS: [mine]}
    assert compare(results) == []
