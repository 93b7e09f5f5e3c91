"""The ratios that must hold, and whether they do."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from benchmarks.outlines import NESTED, SEARCH, SIBLINGS
from benchmarks.results import Results, SnapshotCost, median, of_sessions, paired_ratio
from benchmarks.servers import CHROME_DEVTOOLS_MCP, OURS, PLAYWRIGHT_MCP
from benchmarks.snapshots import GENERATED
from benchmarks.webmcp import WEBMCP

__all__ = ["NO_SLOWER", "PEERS", "ROUNDS", "SAVED", "TARGETS", "Target", "Verdict", "judge"]

PEERS = (CHROME_DEVTOOLS_MCP, PLAYWRIGHT_MCP)
#: What "no slower" means: the median ratio to the faster peer.
NO_SLOWER = 1.1
#: Fewer rounds than these judge nothing.
ROUNDS = 20

#: Ratios by peer, and the rounds (or sessions) behind each.
Measure = Callable[[Results, str], tuple[float | None, int]]


@dataclass(frozen=True)
class Target:
    """One ratio to be held against every one of `peers`; the worst of them counts.

    Attributes:
        is_gain: the ratio is peer to ours and must be at least `limit`; else it is ours to peer, and at most that.
    """

    name: str
    limit: float
    measure: Measure
    is_gain: bool = False
    peers: tuple[str, ...] = PEERS


@dataclass(frozen=True)
class Verdict:
    """How a target fared: the worst ratio and the peer it is to; both None when it was not measured."""

    target: Target
    ratio: float | None
    peer: str | None
    count: int

    @property
    def is_met(self) -> bool:
        """Not measured is not met."""
        if self.ratio is None:
            return False
        return self.ratio >= self.target.limit if self.target.is_gain else self.ratio <= self.target.limit

    @property
    def wanted(self) -> str:
        """``≥ 20`` or ``≤ 1.1``."""
        return f"{'≥' if self.target.is_gain else '≤'} {self.target.limit:g}"

    @property
    def measured(self) -> str:
        """The ratio, to be shown."""
        return "not measured" if self.ratio is None else f"{self.ratio:.{1 if self.target.is_gain else 2}f}"


def _faster(operation: str) -> Measure:
    def measure(results: Results, peer: str) -> tuple[float | None, int]:
        times = results.times.get(operation, {})
        return paired_ratio(times.get(peer, []), times.get(OURS, []))

    return measure


def _slower(operation: str) -> Measure:
    def measure(results: Results, peer: str) -> tuple[float | None, int]:
        times = results.times.get(operation, {})
        return paired_ratio(times.get(OURS, []), times.get(peer, []))

    return measure


def _of_session(attribute: str) -> Measure:
    def measure(results: Results, peer: str) -> tuple[float | None, int]:
        ours, theirs = of_sessions(results.sessions, OURS, attribute), of_sessions(results.sessions, peer, attribute)
        count = min(len(results.sessions.get(OURS, [])), len(results.sessions.get(peer, [])))
        return (ours / theirs if ours is not None and theirs else None), count

    return measure


def _per_event(results: Results, peer: str) -> tuple[float | None, int]:
    ours, theirs = (median([cost.cpu / cost.events for cost in results.events.get(name, [])]) for name in (OURS, peer))
    count = min(len(results.events.get(OURS, [])), len(results.events.get(peer, [])))
    return (ours / theirs if ours is not None and theirs else None), count


def _heap(name: str, attribute: str, *, gain: bool = False) -> Measure:
    def measure(results: Results, peer: str) -> tuple[float | None, int]:
        costs = results.heap.get(name, {})
        ours, theirs = (
            [None if cost is None else float(getattr(cost, attribute)) for cost in costs.get(who, [])]
            for who in (OURS, peer)
        )
        return paired_ratio(theirs, ours) if gain else paired_ratio(ours, theirs)

    return measure


def _trace(name: str, attribute: str) -> Measure:
    def measure(results: Results, peer: str) -> tuple[float | None, int]:
        costs = results.traces.get(name, {})
        ours, theirs = (
            [None if cost is None else float(getattr(cost, attribute)) for cost in costs.get(who, [])]
            for who in (OURS, peer)
        )
        return paired_ratio(ours, theirs)

    return measure


def _live(attribute: str) -> Measure:
    """Of all pages together, in each round."""

    def measure(results: Results, peer: str) -> tuple[float | None, int]:
        there = [by_name for by_name in results.live.values() if by_name.get(OURS) and by_name.get(peer)]
        rounds = min((min(len(by_name[OURS]), len(by_name[peer])) for by_name in there), default=0)
        ours, theirs = (
            [sum(float(getattr(by_name[who][number], attribute)) for by_name in there) for number in range(rounds)]
            for who in (OURS, peer)
        )
        return paired_ratio(ours, theirs)

    return measure


def _snapshot_time(page: str) -> Measure:
    def measure(results: Results, peer: str) -> tuple[float | None, int]:
        costs = results.snapshots.get(page, {})
        if OURS not in costs or peer not in costs:
            return None, 0
        return paired_ratio(costs[peer].times, costs[OURS].times)

    return measure


def _saved(results: Results, peer: str) -> list[tuple[SnapshotCost, SnapshotCost]]:
    """Ours and the peer's, of every saved page that both have read."""
    saved = [costs for page, costs in results.snapshots.items() if page not in GENERATED]
    return [(costs[OURS], costs[peer]) for costs in saved if OURS in costs and peer in costs]


def _saved_time(results: Results, peer: str) -> tuple[float | None, int]:
    ratios = [paired_ratio(theirs.times, ours.times)[0] for ours, theirs in _saved(results, peer)]
    return median(ratios), len(ratios)


def _saved_tokens(sum_up: Callable[[list[float]], float] | None) -> Measure:
    """Of all pages: in total where there is nothing to sum up single ratios by."""

    def measure(results: Results, peer: str) -> tuple[float | None, int]:
        both = _saved(results, peer)
        if not both:
            return None, 0
        if sum_up is None:
            return sum(ours.tokens for ours, _ in both) / sum(theirs.tokens for _, theirs in both), len(both)
        return sum_up([ours.tokens / theirs.tokens for ours, theirs in both]), len(both)

    return measure


def _growth(name: str) -> Measure:
    """Ours alone: the peer's name says nothing. Of several kinds the worst."""

    def measure(results: Results, peer: str) -> tuple[float | None, int]:
        measured = [pairs for kind, pairs in results.growth.items() if kind.partition(":")[0] == name]
        ratios = [median([larger / smaller for smaller, larger in pairs]) for pairs in measured]
        return max((ratio for ratio in ratios if ratio is not None), default=None), sum(map(len, measured))

    return measure


_HEAP = "heap snapshot of"
#: What needs the reference data is called.
SAVED = "whole snapshots of saved pages"
TARGETS = (
    Target("evaluate", 20, _faster("evaluate 1+1"), is_gain=True),
    Target("click that does nothing, calm page", 8, _faster("click, calm page"), is_gain=True),
    Target("click that does nothing, page that changes every 50 ms", 8, _faster("click, changing page"), is_gain=True),
    Target("20 fields filled", 5, _faster("fill 20 fields"), is_gain=True),
    Target("one field filled", NO_SLOWER, _slower("fill")),
    *(
        Target(name, NO_SLOWER, _slower(name))
        for name in ("navigate tiny", "navigate form", "navigate shop", "screenshot tiny", "screenshot shop")
    ),
    Target("spawn to initialize", 1.2, _slower("spawn to initialize"), peers=(CHROME_DEVTOOLS_MCP,)),
    Target("server memory after the session", 0.6, _of_session("memory")),
    Target("server CPU of the session", 0.5, _of_session("cpu")),
    Target("server CPU for one event of a flood", 0.5, _per_event, peers=(CHROME_DEVTOOLS_MCP,)),
    *(
        target
        for name in ("33 MB, warm", "more than 150 MB, warm")
        for target in (
            Target(
                f"{_HEAP} {name}: CPU", 4, _heap(name, "cpu", gain=True), is_gain=True, peers=(CHROME_DEVTOOLS_MCP,)
            ),
            Target(f"{_HEAP} {name}: memory", 0.75, _heap(name, "memory"), peers=(CHROME_DEVTOOLS_MCP,)),
        )
    ),
    Target(f"{_HEAP} 33 MB, cold: CPU", 1, _heap("33 MB, cold", "cpu"), peers=(CHROME_DEVTOOLS_MCP,)),
    *(
        Target(
            f"trace of more than 100 MB: {what}",
            limit,
            _trace("more than 100 MB", what.lower()),
            peers=(CHROME_DEVTOOLS_MCP,),
        )
        for what, limit in (("CPU", 0.5), ("memory", 0.25))
    ),
    *(
        Target(f"whole snapshot of the {title}", limit, _snapshot_time(page), is_gain=True)
        for (page, title), limit in zip(GENERATED.items(), (4, 10), strict=True)
    ),
    Target(f"{SAVED}: time, median", 2, _saved_time, is_gain=True),
    Target(f"{SAVED}: tokens in total", 0.5, _saved_tokens(None)),
    Target(f"{SAVED}: tokens, median", 0.6, _saved_tokens(statistics.median)),
    Target(f"{SAVED}: tokens, worst", 0.9, _saved_tokens(max)),
    *(
        Target(f"{title}: ours, {what}", limit, _growth(title), peers=(OURS,))
        for title, what, limit in (
            (SIBLINGS, "to a tenth of them", 13),
            (NESTED, "to a second", 1),
            (SEARCH, "to their snapshot", 0.25),
            (WEBMCP, "to the bare protocol call", 3),
        )
    ),
    *(
        Target(f"twelve slow pages recorded and told: {what}", limit, _live(what), peers=(CHROME_DEVTOOLS_MCP,))
        for what, limit in (("tokens", 0.6), ("seconds", 0.8))
    ),
)


def judge(results: Results, targets: Sequence[Target] = TARGETS) -> list[Verdict]:
    """One verdict a target, in their order."""
    verdicts = []
    for target in targets:
        measured = [(peer, *target.measure(results, peer)) for peer in target.peers]
        there = [(ratio, peer, count) for peer, ratio, count in measured if ratio is not None]
        if len(there) < len(target.peers):
            verdicts.append(Verdict(target, None, None, 0))
            continue
        ratio, peer, count = min(there) if target.is_gain else max(there)
        verdicts.append(Verdict(target, ratio, peer, count))
    return verdicts
