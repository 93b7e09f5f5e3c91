"""The page that the benchmark writes."""

from __future__ import annotations

from benchmarks.contenders import BARE
from benchmarks.judge import PEERS, judge
from benchmarks.machine import Machine
from benchmarks.report import report, table
from benchmarks.results import EventCost, HeapCost, Results, SessionCost, Sizes, TraceCost, joined
from benchmarks.servers import OURS

MACHINE = Machine(2, "A Processor", "Linux 6.1 x86_64", "3.11.2", "20.1.0", "156.0")


def test_a_table() -> None:
    assert table(["a", "b"], [["x", "1"], ["y|z", "2"]]) == "| a | b |\n| --- | ---: |\n| x | 1 |\n| y\\|z | 2 |"


def test_everything_measured_is_in_the_page() -> None:
    cost = SessionCost(200, 12.34, 1.5, 0.75, 20, 60_000_000, 70_000_000, 80_000_000)
    results = Results(
        times={"evaluate 1+1": {OURS: [0.0021] * 20, PEERS[0]: [0.21] * 20, PEERS[1]: [0.5] * 20, BARE: [0.001] * 20}},
        sessions={name: [cost] for name in (OURS, *PEERS)},
        sizes={OURS: Sizes(14, 1234, {"snapshot tiny": 99}, {"screenshot tiny": 5000, "snapshot tiny": 0})},
        events={OURS: [EventCost(25_000, 2.5, 90_000_000)]},
        heap={"33 MB, cold": {OURS: [HeapCost(1.25, 240_000_000)], PEERS[0]: [None]}},
        traces={"more than 100 MB": {OURS: [TraceCost(2.5, 90_000_000)], PEERS[0]: [TraceCost(10, 900_000_000)]}},
        failures=["fill: ToolFailed: no\nsuch thing", "fill: ToolFailed: no\nsuch thing"],
        loads=[0.5, 1.75],
    )
    page = report(results, judge(results), MACHINE, date="2026-01-31")
    lines = page.splitlines()
    assert "| evaluate | ≥ 20 | 100.0 times faster than chrome-devtools-mcp | yes |" in lines
    assert "| navigate tiny | ≤ 1.1 | not measured | **no** |" in lines
    assert "| server memory after the session | ≤ 0.6 | 1.00 of playwright-mcp | **no** |" in lines
    assert "| evaluate 1+1 | 0.01 | 2.1 / 2.1 | 210 / 210 | 500 / 500 | 1.0 / 1.0 | 20 |" in lines
    assert "| server memory after the session, MB | 70 | 70 | 70 |" in lines
    assert "| the same for one event, µs | 100 | - | - |" in lines
    assert "| tools/list | 1,234 (14 tools) | - | - |" in lines
    assert "| screenshot tiny, picture | 5,000 | - | - |" in lines
    assert "| 33 MB, cold: CPU, s | 1.25 | - |" in lines
    assert "| 33 MB, cold: memory at most, MB | 240 | - |" in lines
    assert "| more than 100 MB: CPU, s | 2.50 | 10.00 |" in lines
    assert "| trace of more than 100 MB: memory | ≤ 0.25 | 0.10 of chrome-devtools-mcp | yes |" in lines
    assert "- fill: ToolFailed: no such thing (2 times)" in lines
    assert "2 CPUs (A Processor), Linux 6.1 x86_64, Chromium 156.0" in page
    assert "Load average during the run: 0.5 to 1.8" in page
    assert lines.index("## Ratios that must hold") < lines.index("## Times")


def test_a_run_in_parts_has_the_newest_of_each() -> None:
    before = Results(times={"fill": {OURS: [1.0]}, "click": {OURS: [2.0]}}, failures=["one"], loads=[0.5])
    now = Results(times={"fill": {OURS: [3.0]}}, growth={"levels": [(1.0, 2.0)]}, loads=[0.7])
    both = joined(before, now)
    assert both.times == {"fill": {OURS: [3.0]}, "click": {OURS: [2.0]}}
    assert (both.failures, both.loads) == (["one"], [0.5, 0.7])
    assert both.growth == {"levels": [(1.0, 2.0)]}
