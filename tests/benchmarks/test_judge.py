"""The judge of the benchmark: medians of ratios within a round, against every peer, and nothing met unmeasured."""

from __future__ import annotations

import pytest

from benchmarks.judge import PEERS, TARGETS, Verdict, judge
from benchmarks.results import EventCost, HeapCost, Results, SessionCost, Times, median, paired_ratio, percentile_95
from benchmarks.servers import CHROME_DEVTOOLS_MCP, OURS, PLAYWRIGHT_MCP


def times(ours: Times, chrome: Times, playwright: Times) -> dict[str, Times]:
    return {OURS: ours, CHROME_DEVTOOLS_MCP: chrome, PLAYWRIGHT_MCP: playwright}


def session(memory: int, cpu: float) -> SessionCost:
    return SessionCost(
        calls=200,
        seconds=10,
        start_cpu=1,
        cpu=cpu,
        browser_cpu=5,
        memory_at_start=50,
        memory=memory,
        highest_memory=memory,
    )


def verdict(results: Results, name: str) -> Verdict:
    (found,) = [each for each in judge(results) if each.target.name == name]
    return found


def test_a_ratio_is_of_one_round_and_failed_rounds_do_not_count() -> None:
    # The machine was ten times slower in the second round: the ratio within it is as good as any.
    assert paired_ratio([2, 30, 2], [1, 10, 1]) == (2, 3)
    assert paired_ratio([2, None, 8, 5], [1, 1, 2, None]) == (3, 2)
    assert paired_ratio([], [1]) == (None, 0)
    assert paired_ratio([1], [0]) == (None, 0)


def test_sums_of_numbers() -> None:
    assert median([3, None, 1]) == 2
    assert median([None]) is None
    assert percentile_95([*range(101), None]) == 95
    assert percentile_95([]) is None


def test_a_gain_is_measured_against_the_faster_peer() -> None:
    results = Results({"evaluate 1+1": times([0.01] * 20, [0.21] * 20, [0.5] * 20)})
    found = verdict(results, "evaluate")
    assert found.is_met
    assert (found.measured, found.wanted, found.peer, found.count) == ("21.0", "≥ 20", CHROME_DEVTOOLS_MCP, 20)
    results.times["evaluate 1+1"][PLAYWRIGHT_MCP] = [0.19] * 20
    found = verdict(results, "evaluate")
    assert not found.is_met
    assert found.peer == PLAYWRIGHT_MCP


def test_no_slower_is_at_most_a_tenth_more_than_the_faster_peer() -> None:
    results = Results({"navigate tiny": times([0.11] * 20, [0.1] * 20, [0.2] * 20)})
    found = verdict(results, "navigate tiny")
    assert found.is_met
    assert (found.measured, found.wanted, found.peer) == ("1.10", "≤ 1.1", CHROME_DEVTOOLS_MCP)
    results.times["navigate tiny"][OURS] = [0.112] * 20
    assert not verdict(results, "navigate tiny").is_met


def test_the_start_is_held_to_one_peer_only() -> None:
    results = Results({"spawn to initialize": times([0.6] * 20, [0.5] * 20, [0.3] * 20)})
    found = verdict(results, "spawn to initialize")
    assert found.is_met
    assert found.peer == CHROME_DEVTOOLS_MCP


def test_a_flood_is_judged_by_the_cost_of_one_event() -> None:
    floods = {OURS: [EventCost(25_000, 2.5, 1), EventCost(20_000, 1.6, 1), EventCost(25_000, 9, 1)]}
    floods[CHROME_DEVTOOLS_MCP] = [EventCost(20_000, 4, 1)] * 3
    found = verdict(Results(events=floods), "server CPU for one event of a flood")
    assert (found.measured, found.wanted, found.peer, found.count) == ("0.50", "≤ 0.5", CHROME_DEVTOOLS_MCP, 3)
    assert found.is_met
    assert not verdict(Results(events={OURS: floods[OURS]}), "server CPU for one event of a flood").is_met


def test_memory_and_cpu_are_held_to_the_peer_that_does_best() -> None:
    sessions = {
        OURS: [session(60, 1.0), session(66, 1.2), session(500, 9)],
        CHROME_DEVTOOLS_MCP: [session(200, 2.4)] * 3,
        PLAYWRIGHT_MCP: [session(110, 5)] * 3,
    }
    results = Results(sessions=sessions)
    memory, cpu = (
        verdict(results, "server memory after the session"),
        verdict(results, "server CPU of the session"),
    )
    assert (memory.is_met, memory.measured, memory.peer, memory.count) == (True, "0.60", PLAYWRIGHT_MCP, 3)
    assert (cpu.is_met, cpu.measured, cpu.peer, cpu.count) == (True, "0.50", CHROME_DEVTOOLS_MCP, 3)
    sessions[OURS] = [session(67, 1.21)]
    assert not verdict(results, "server memory after the session").is_met
    assert not verdict(results, "server CPU of the session").is_met


@pytest.mark.parametrize("missing", [OURS, *PEERS])
def test_what_one_of_them_could_not_do_is_not_met(missing: str) -> None:
    measured = times([0.001] * 20, [1.0] * 20, [1.0] * 20)
    measured[missing] = [None] * 20
    found = verdict(Results({"evaluate 1+1": measured}), "evaluate")
    assert not found.is_met
    assert found.measured == "not measured"


def test_of_nothing_every_target_is_missed() -> None:
    assert [each.is_met for each in judge(Results())] == [False] * len(TARGETS)


def test_heap_snapshots_are_judged_by_cpu_and_memory_of_a_round() -> None:
    def costs(cpu: float, memory: int) -> dict[str, list[HeapCost | None]]:
        return {OURS: [HeapCost(1, 70), None], CHROME_DEVTOOLS_MCP: [HeapCost(cpu, memory), HeapCost(99, 1)]}

    results = Results(heap={"33 MB, warm": costs(4.5, 100), "33 MB, cold": costs(0.9, 100)})
    assert verdict(results, "heap snapshot of 33 MB, warm: CPU").measured == "4.5"
    assert verdict(results, "heap snapshot of 33 MB, warm: CPU").is_met
    assert verdict(results, "heap snapshot of 33 MB, warm: memory").measured == "0.70"
    assert verdict(results, "heap snapshot of 33 MB, warm: memory").is_met
    assert not verdict(results, "heap snapshot of 33 MB, cold: CPU").is_met
    assert not verdict(results, "heap snapshot of more than 150 MB, warm: CPU").is_met  # not measured
    results.heap["33 MB, warm"] = costs(3.9, 90)
    assert not verdict(results, "heap snapshot of 33 MB, warm: CPU").is_met
    assert not verdict(results, "heap snapshot of 33 MB, warm: memory").is_met
