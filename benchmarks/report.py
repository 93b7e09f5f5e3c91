"""What was measured as a page of Markdown: ratios first."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from benchmarks.contenders import BARE
from benchmarks.judge import PEERS, Verdict
from benchmarks.machine import Machine
from benchmarks.results import HeapCost, Results, Times, TraceCost, median, of_sessions, paired_ratio, percentile_95
from benchmarks.servers import OURS, PACKAGES

__all__ = ["report", "table"]

_INTRODUCTION = """\
`make bench` writes this page; how it measures is in [benchmarks/README.md](../benchmarks/README.md). All servers are
alive at once and take turns call by call, so quote the ratios: milliseconds say as much about the machine and its
load. A ratio of times is the median of the ratios within each round, against the peer that does best in it. Every
server has its own defaults (what it waits for after a click, what it replies, how it encodes pictures): what an agent
gets.
"""
_SESSION_ROWS = (
    ("wall time, s", "seconds", 1.0, 1),
    ("server CPU, s", "cpu", 1.0, 2),
    ("server CPU until the first page, s", "start_cpu", 1.0, 2),
    ("browser CPU, s", "browser_cpu", 1.0, 1),
    ("server memory after initialize, MB", "memory_at_start", 1e6, 0),
    ("server memory after the session, MB", "memory", 1e6, 0),
    ("highest server memory, MB", "highest_memory", 1e6, 0),
)


def report(results: Results, verdicts: Sequence[Verdict], machine: Machine, *, date: str) -> str:
    """The whole page."""
    peers = ", ".join(f"{name} {version}" for name, version in PACKAGES.items())
    load = f"{min(results.loads):.1f} to {max(results.loads):.1f}" if results.loads else "unknown"
    parts = [
        "# Benchmarks",
        _INTRODUCTION,
        f"Measured {date} against {peers}, on {machine.cpus} CPUs ({machine.processor}), {machine.system}, Chromium "
        f"{machine.browser} headless, Python {machine.python}, Node {machine.node}. Load average during the run: "
        f"{load} (the run itself is about 1 to 2 of it).",
        "## Ratios that must hold",
        _judged(verdicts),
        "## Times",
        f"Milliseconds, median / 95th percentile. *{BARE}* is the floor: the bare calls of the operation over Chrome's "
        "pipe, without any check. The ratio is ours to the faster peer.",
        _times(results),
        "## Whole snapshots",
        "Milliseconds (median) and tokens (o200k) of a snapshot without any limit of length, of two pages of our own "
        "and of saved real ones (their scripts off).",
        _snapshots(results),
        "## Outlines, searches, calls of pages' tools",
        "Seconds, medians; of outlines seconds of CPU. Ours alone.",
        _growth(results),
        "## A session of 200 calls",
        "Ten times: three navigations, three snapshots, four fills, a form (one field where a server lacks the tool), "
        "three clicks, two evaluations (or one and a wait for a text), two screenshots, requests and messages listed. "
        "On a fresh server each; medians of the sessions. The browser's processes are not the server's.",
        _sessions(results),
        "## A page with 5,000 requests and 20,000 console lines",
        "What the server spends to hear of them, and its memory afterwards.",
        _events(results),
        "## Heap snapshots",
        "Read, measured and their classes listed; each engine in a process of its own, in turn. Warm: one more "
        "snapshot in a process that has read one before. Cold: all that a new process spends.",
        _files(results.heap),
        "## Performance traces",
        "Analysed, with insights and call trees of all threads; each engine in a process of its own, in turn, all that "
        "the process spends.",
        _files(results.traces),
        "### Live",
        "Twelve pages that are slow in a way of their own, loaded and then recorded with a warm cache by both, and by "
        "ours with a cold one, its default. LCP in milliseconds and CLS as the replies tell them, medians.",
        _live(results),
        "## Sizes",
        "Tokens (o200k) of the list of tools and of replies; base64 characters of pictures.",
        _sizes(results),
    ]
    if results.failures:
        parts += ["## What failed", "\n".join(f"- {failure}" for failure in _unique(results.failures))]
    return "\n\n".join(part.strip() for part in parts if part) + "\n"


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A Markdown table; the first column is left-aligned, the others right-aligned."""
    lines = [head, ["---", *["---:"] * (len(head) - 1)], *rows]
    return "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines)


def _judged(verdicts: Sequence[Verdict]) -> str:
    rows = []
    for verdict in verdicts:
        kind = "times faster than" if verdict.target.is_gain else "of"
        against = f"{kind} {verdict.peer}" if verdict.peer else ""
        met = "yes" if verdict.is_met else "**no**"
        rows.append([verdict.target.name, verdict.wanted, f"{verdict.measured} {against}".strip(), met])
    return table(["", "wanted", "measured", "met"], rows)


def _times(results: Results) -> str:
    names = [OURS, *PEERS, BARE]
    rows = []
    for operation, times in results.times.items():
        cells = [_milliseconds(times.get(name, [])) for name in names]
        ratios = [paired_ratio(times.get(OURS, []), times.get(peer, []))[0] for peer in PEERS]
        there = [ratio for ratio in ratios if ratio is not None]
        rounds = str(max((len(values) for values in times.values()), default=0))
        rows.append([operation, f"{max(there):.2f}" if there else "-", *cells, rounds])
    return table(["operation", "ratio", *names, "rounds"], rows)


def _milliseconds(times: Times) -> str:
    middle, high = median(times), percentile_95(times)
    return "-" if middle is None or high is None else f"{_short(middle * 1000)} / {_short(high * 1000)}"


def _short(value: float) -> str:
    return f"{value:.0f}" if value >= 100 else f"{value:.1f}"


def _snapshots(results: Results) -> str:
    names = [OURS, *PEERS]
    rows = []
    for page, costs in results.snapshots.items():
        cells = []
        for name in names:
            middle = median(costs[name].times) if name in costs else None
            cells.append("-" if middle is None else f"{_short(middle * 1000)} ms, {costs[name].tokens:,}")
        rows.append([page, *cells])
    return table(["", *names], rows)


def _growth(results: Results) -> str:
    rows = []
    for name, pairs in results.growth.items():
        cells = [median([pair[place] for pair in pairs]) for place in (0, 1)]
        ratio = median([larger / smaller for smaller, larger in pairs])
        rows.append([name, *("-" if cell is None else f"{cell:.4f}" for cell in (*cells, ratio))])
    return table(["", "smaller, or what it is held against", "larger", "ratio"], rows)


def _sessions(results: Results) -> str:
    rows = []
    for title, attribute, unit, digits in _SESSION_ROWS:
        values = [of_sessions(results.sessions, name, attribute) for name in (OURS, *PEERS)]
        rows.append([title, *("-" if value is None else f"{value / unit:.{digits}f}" for value in values)])
    count = min((len(sessions) for sessions in results.sessions.values()), default=0)
    return table([f"median of {count}", OURS, *PEERS], rows)


def _files(measured: Mapping[str, Mapping[str, Sequence[HeapCost | TraceCost | None]]]) -> str:
    names = (OURS, PEERS[0])
    rows = []
    for operation, costs in measured.items():
        for title, attribute, unit, digits in (("CPU, s", "cpu", 1.0, 2), ("memory at most, MB", "memory", 1e6, 0)):
            cells = [
                median([None if cost is None else float(getattr(cost, attribute)) for cost in costs.get(name, [])])
                for name in names
            ]
            rows.append(
                [f"{operation}: {title}", *("-" if cell is None else f"{cell / unit:.{digits}f}" for cell in cells)]
            )
    return table(["", *names], rows)


def _live(results: Results) -> str:
    names = (OURS, PEERS[0], f"{OURS}, cold")
    rows = []
    for page, traces in results.live.items():
        row = [page]
        for attribute, digits in (("lcp", 0), ("cls", 2), ("tokens", 0), ("seconds", 1)):
            values = [median([getattr(one, attribute) for one in traces.get(name, [])]) for name in names]
            row.append(" / ".join("-" if value is None else f"{value:,.{digits}f}" for value in values))
        counts = [traces[name][-1].findings if traces.get(name) else frozenset() for name in names]
        row.append(" / ".join(str(len(found)) for found in counts))
        rows.append(row)
    return table(["ours / peer / ours cold", "LCP", "CLS", "tokens", "seconds", "findings"], rows)


def _events(results: Results) -> str:
    rows: list[list[str]] = [["server CPU, s"], ["the same for one event, µs"], ["server memory, MB"]]
    for name in (OURS, *PEERS):
        costs = results.events.get(name, [])
        cpu, memory = median([cost.cpu for cost in costs]), median([float(cost.memory) for cost in costs])
        if cpu is None or memory is None:
            cells = ["-", "-", "-"]
        else:
            cells = [f"{cpu:.2f}", f"{cpu / costs[0].events * 1e6:.0f}", f"{memory / 1e6:.0f}"]
        for row, cell in zip(rows, cells, strict=True):
            row.append(cell)
    return table(["", OURS, *PEERS], rows)


def _sizes(results: Results) -> str:
    names = [OURS, *PEERS]
    sizes = [results.sizes.get(name) for name in names]
    rows = [["tools/list", *(f"{each.tools_tokens:,} ({each.tools} tools)" if each else "-" for each in sizes)]]
    operations = dict.fromkeys(operation for each in sizes if each for operation in each.replies)
    for operation in operations:
        cells = [each.replies.get(operation) if each else None for each in sizes]
        rows.append([operation, *("-" if cell is None else f"{cell:,}" for cell in cells)])
    for operation in dict.fromkeys(operation for each in sizes if each for operation in each.images):
        images = [each.images.get(operation, 0) if each else 0 for each in sizes]
        if any(images):
            rows.append([f"{operation}, picture", *(f"{image:,}" if image else "-" for image in images)])
    return table(["", *names], rows)


def _unique(failures: Sequence[str]) -> list[str]:
    counts: dict[str, int] = {}
    for failure in failures:
        counts[failure] = counts.get(failure, 0) + 1
    return [f"{failure.replace(chr(10), ' ')} ({count} times)" for failure, count in counts.items()]
